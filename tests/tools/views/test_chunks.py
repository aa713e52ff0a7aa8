"""Chunks: every line of a file is in one, they follow definitions, and no input breaks them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.tools.views.chunks.interface import ChunkLimits
from repo_guardian.tools.views.chunks.split import chunks_of, text_kind
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.facts.registry import extractor_for

MODULE = (
    dedent('''
    """What the module is for."""
    import os

    LIMIT = 3

    # Says why.
    @decorated
    def first(a):
        def inner():
            return a
        return inner


    class Shape:
        """A shape."""

        sides = 0

        def area(self):
            return 0

        @property
        def name(self): return "x"

        colour = "red"


    TAIL = 1
''')
    .lstrip()
    .encode()
)


def python_chunks(source: bytes, limits: ChunkLimits | None = None):
    return chunks_of(source, PythonExtractor().extract(source, ExtractLimits()), "other", limits)


def texts(source: bytes, chunks) -> list[tuple[str, str]]:
    return [(c.heading, source[c.region[2] : c.region[3]].decode("utf-8", "replace").strip()) for c in chunks]


def uncovered(source: bytes, chunks) -> bytes:
    """What is in no chunk."""
    left = bytearray(source)
    for chunk in chunks:
        left[chunk.region[2] : chunk.region[3]] = b" " * (chunk.region[3] - chunk.region[2])
    return bytes(left).strip()


def test_functions_class_headers_and_what_is_left_of_the_module():
    found = texts(MODULE, python_chunks(MODULE))
    assert [heading for heading, _ in found] == [
        "",
        "first",
        "Shape",
        "Shape.area",
        "Shape.name",
        "Shape",
        "",
    ]
    assert found[1][1].startswith("# Says why.\n@decorated\ndef first")
    assert found[1][1].endswith("return inner")
    assert found[2][1].endswith("sides = 0")
    assert found[4][1] == '@property\n    def name(self): return "x"'
    assert found[5][1] == 'colour = "red"'
    assert found[6][1] == "TAIL = 1"


def test_chunks_are_whole_lines_and_leave_out_blank_ones_alone():
    chunks = python_chunks(MODULE)
    for chunk in chunks:
        first, last, start, end = chunk.region
        assert start == 0 or MODULE[start - 1 : start] == b"\n"
        assert MODULE[:start].count(b"\n") == first - 1
        assert MODULE[start:end].count(b"\n") == last - first + 1
    assert uncovered(MODULE, chunks) == b""


def test_overloads_belong_to_their_implementation():
    source = dedent("""
        from typing import overload
        class A:
            @overload
            def get(self, x: int) -> int: ...
            @overload
            def get(self, x: str) -> str: ...
            def get(self, x):
                return x
            def other(self): ...
    """).encode()
    found = texts(source, python_chunks(source))
    assert [heading for heading, _ in found] == ["", "A", "A.get", "A.other"]
    assert found[2][1].count("def get") == 3


def test_a_long_function_is_cut_at_blank_lines_within_bounds():
    body = "\n".join("    x = 1" if number % 20 else "" for number in range(1, 400))
    source = f"def long():\n{body}\n".encode()
    chunks = python_chunks(source)
    assert len(chunks) > 3
    assert {chunk.heading for chunk in chunks} == {"long"}
    assert all(chunk.region[1] - chunk.region[0] < ChunkLimits().chunk_lines for chunk in chunks)
    assert uncovered(source, chunks) == b""


def test_a_line_longer_than_a_chunk_is_cut_into_pieces():
    source = b"x = '" + b"a" * 50_000 + b"'\n"
    chunks = python_chunks(source)
    assert all(chunk.region[3] - chunk.region[2] <= ChunkLimits().chunk_bytes for chunk in chunks)
    assert uncovered(source, chunks) == b""


def test_more_definitions_than_a_file_may_have_become_windows():
    source = b"".join(b"def f%d(): pass\n" % number for number in range(300))
    chunks = python_chunks(source, ChunkLimits(file_chunks=100))
    assert 0 < len(chunks) <= 100
    assert {chunk.owner for chunk in chunks} == {-1}


@pytest.mark.parametrize(
    ("language", "source", "headings"),
    [
        ("go", "package p\n\n// Area says.\nfunc (s *Shape) Area() int { return 1 }\n", ["", "Area"]),
        ("javascript", "import a from 'a';\n/** Doc. */\nfunction run() {\n  return 1;\n}\n", ["", "run"]),
    ],
)
def test_comments_above_definitions_of_other_languages_are_theirs(language, source, headings):
    extractor = extractor_for(language)
    if extractor is None:
        pytest.skip(f"{language} is not covered")
    blob = source.encode()
    found = texts(blob, chunks_of(blob, extractor.extract(blob, ExtractLimits()), "other"))
    assert [heading.rpartition(".")[2] for heading, _ in found] == headings
    assert found[1][1].startswith("/")


def test_prose_is_cut_at_its_headings_and_not_in_code():
    source = b"intro\n\n# One\ntext\n```\n# no heading\n```\nTitle\n=====\nmore\n"
    found = texts(source, chunks_of(source, None, text_kind("docs/a.md")))
    assert [heading for heading, _ in found] == ["", "One", "Title"]
    assert found[1][1].endswith("```")
    assert found[2][1] == "Title\n=====\nmore"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README", "prose"),
        ("a/b.rst", "prose"),
        ("setup.cfg", "other"),
        ("Dockerfile", "other"),
        ("a/poetry.lock", "data"),
        ("logo.SVG", "data"),
        ("app.min.js", "data"),
        ("package-lock.json", "data"),
    ],
)
def test_kinds_of_files_by_name(path, kind):
    assert text_kind(path) == kind


def test_data_binary_and_huge_files_have_no_chunks():
    assert chunks_of(b"a,b\n", None, "data") == ()
    assert chunks_of(b"ab\0cd\n", None, "other") == ()
    assert chunks_of(b"word\n" * 200_000, None, "other") == ()
    assert chunks_of(b"", None, "prose") == ()
    assert chunks_of(b"\n\n  \n", None, "prose") == ()


@given(st.binary(max_size=400), st.sampled_from(["prose", "other"]))
def test_any_bytes_are_chunked_without_loss(blob, kind):
    limits = ChunkLimits(chunk_bytes=50, chunk_lines=4, window_lines=3)
    blob = blob.replace(b"\0", b"#")
    for facts in (None, PythonExtractor().extract(blob, ExtractLimits())):
        chunks = chunks_of(blob, facts, kind, limits)
        assert uncovered(blob, chunks) == b""
        ends = [0] + [chunk.region[3] for chunk in chunks]
        assert all(chunk.region[2] >= end for chunk, end in zip(chunks, ends, strict=False))
        assert all(0 < chunk.region[3] - chunk.region[2] <= 50 for chunk in chunks)
