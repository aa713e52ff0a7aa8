"""Facts on disk: every field survives, and what is damaged is noticed."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views.facts import codec
from repo_guardian.tools.views.facts.interface import (
    Attribute,
    Definition,
    Exports,
    FileFacts,
    Import,
    Ref,
    Store,
    TypeFact,
    Use,
)
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature

REGION = (3, 4, 10, 70)
REF = Ref("typed", 0, "a.b")
SIGNATURE = Signature((Parameter("a", ParameterKind.KEYWORD_ONLY, "1", "int"),), "str", True, True)
SHAPE = CallShape(2, ("k",), True, True)
FULL = FileFacts(
    "python/0",
    (1, 9, 0, 99),
    (
        Definition(
            "function", -1, "f", REGION, "property", ("d",), (REF,), SIGNATURE, ("B",), (REF,), (("m", "M"),),
            "1", 0, "int", 1, 2, (("a", 0),), ("export",), True,
        ),
    ),
    (Import(0, "m", 2, "n", "o", REGION, True, True),),
    Exports(("a",), (REF,), False),
    (
        Use("call", 0, REF, REGION, SHAPE, (("0", 1), ("k", 0))),
        Use("reference", -1, Ref("global", -1, "x"), (1, 1, 0, 1)),
        Use("call", 0, REF, (2, 300, 5, 70_000), SHAPE),
    ),
    (TypeFact("call", REF), TypeFact("display", items=(0, 0), keys=("k", "")), TypeFact("any", items=(1,))),
    (Attribute(0, "a", 1),),
    ("other",),
    {7: "", 3: "a line \u2028 and more", 300: "é"},
    "a problem",
    False,
    (Store(0, REF, "name", 1),),
    "package",
)  # fmt: skip


def test_every_field_survives():
    empty = FileFacts("", (0, 0, 0, 0))
    same = [f.name for f in fields(FileFacts) if getattr(FULL, f.name) == getattr(empty, f.name)]
    assert same == ["transient"]
    assert [
        i for i, name in enumerate(Definition._fields) if FULL.definitions[0][i] == Definition(*"    ")[i]
    ] == []
    decoded = codec.decode(codec.encode(FULL))
    assert decoded == FULL
    assert [type(use) for use in decoded.uses] == [Use] * 3
    assert decoded.uses[0].shape is decoded.uses[2].shape
    assert codec.encode(decoded) == codec.encode(FULL)


def test_lines_are_a_mapping():
    lines = codec.decode(codec.encode(FULL)).lines
    assert (len(lines), list(lines), lines[300], lines.get(4)) == (3, [7, 3, 300], "é", None)
    assert dict(lines) == FULL.lines


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_other_bytes_are_a_value_error_or_other_facts(data):
    encoded = bytearray(codec.encode(FULL))
    for _ in range(data.draw(st.integers(1, 4))):
        encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(encoded[: data.draw(st.integers(0, len(encoded)))])
    for blob in (bytes(encoded), cut):
        try:
            facts = codec.decode(blob)
        except ValueError:
            continue
        assert isinstance(facts, FileFacts)


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda b: b"", lambda b: b[:20] + b"\0" + b[21:], lambda b: b + b"x"]
)
def test_a_damaged_entry_counts_as_absent_and_is_written_anew(tmp_path, damage):
    store = FactsStore(tmp_path / "facts")
    store.put("ab" * 20, FULL)
    (entry,) = [path for path in Path(tmp_path).rglob("*") if path.is_file()]
    entry.write_bytes(damage(entry.read_bytes()))
    assert store.get("ab" * 20, FULL.extractor) is None
    store.put("ab" * 20, FULL)
    assert store.get("ab" * 20, FULL.extractor) == FULL
    assert store.get("cd" * 20, FULL.extractor) is None


def test_transient_facts_are_not_kept(tmp_path):
    store = FactsStore(tmp_path / "facts")
    store.put("ab" * 20, replace(FULL, transient=True))
    assert store.get("ab" * 20, FULL.extractor) is None
