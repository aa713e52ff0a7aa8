"""Reverts restore base text only, are applied exactly, and are narrowed until nothing can be left out."""

from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.tools.probes.revert import (
    DefinitionSpan,
    Revert,
    apply,
    candidates,
    narrow,
    render_diff,
    split_lines,
)

BASE = b"""import os

def load(stream, loader=None):
    return stream

def keep():
    return 1
"""
CURRENT = b"""import os

def load(stream, loader):
    return stream, loader

def keep():
    return 2
"""
LOAD = DefinitionSpan("m.py", "load", current=(3, 4), base=(3, 4))


def first(definitions, base, current):
    return next(iter(candidates(definitions, base, current)))


def test_the_narrowest_candidate_restores_the_definition_and_nothing_else():
    revert = first([LOAD], {"m.py": BASE}, {"m.py": CURRENT})
    restored = apply(revert, {"m.py": BASE}, {"m.py": CURRENT})["m.py"]
    assert restored == CURRENT.replace(
        b"def load(stream, loader):\n    return stream, loader",
        b"def load(stream, loader=None):\n    return stream",
    )
    assert revert.changed_lines == 4


def test_a_removed_definition_is_put_back_where_it_stood():
    current = BASE.replace(b"def load(stream, loader=None):\n    return stream\n\n", b"")
    span = DefinitionSpan("m.py", "load", current=None, base=(3, 4))
    revert = first([span], {"m.py": BASE}, {"m.py": current})
    text = apply(revert, {"m.py": BASE}, {"m.py": current})["m.py"]
    before, restored, after = text.partition(b"def load(stream, loader=None):\n    return stream\n")
    assert restored
    assert before.startswith(b"import os\n")
    assert after.strip().startswith(b"def keep():")


def test_a_removed_file_comes_back_whole_and_an_added_one_goes():
    gone = first([DefinitionSpan("m.py", "m", None, (1, 7))], {"m.py": BASE}, {"m.py": None})
    assert apply(gone, {"m.py": BASE}, {"m.py": None}) == {"m.py": BASE}
    everything = list(candidates([], {"m.py": None}, {"m.py": CURRENT}))
    assert apply(everything[-1], {"m.py": None}, {"m.py": CURRENT}) == {"m.py": None}


def test_bindings_that_name_the_definition_come_second():
    base = b"from a import load\n__all__ = ['load']\nx = 1\n"
    current = b"__all__ = []\nx = 2\n"
    span = DefinitionSpan("m.py", "load", current=None, base=(1, 1))
    found = list(candidates([span], {"m.py": base}, {"m.py": current}))
    texts = [apply(revert, {"m.py": base}, {"m.py": current})["m.py"] for revert in found]
    assert texts[0].startswith(b"from a import load\n")
    assert texts[-1] == base


async def test_narrowing_leaves_out_every_part_that_is_not_needed():
    base = b"a\nkeep1\nb\nkeep2\nc\nkeep3\nd\n"
    current = b"A\nkeep1\nB\nkeep2\nC\nkeep3\nD\n"
    revert = list(candidates([], {"m": base}, {"m": current}))[-1]
    assert len(revert.parts) == 4

    async def needs_b_and_d(candidate: Revert) -> bool:
        text = apply(candidate, {"m": base}, {"m": current})["m"]
        return b"b\n" in text and b"d\n" in text

    narrowed = await narrow(revert, needs_b_and_d)
    assert apply(narrowed, {"m": base}, {"m": current})["m"] == b"A\nkeep1\nb\nkeep2\nC\nkeep3\nd\n"


def test_the_evidence_diff_runs_from_current_to_restored_and_bears_no_patch_header():
    revert = first([LOAD], {"m.py": BASE}, {"m.py": CURRENT})
    diff = render_diff(apply(revert, {"m.py": BASE}, {"m.py": CURRENT}), {"m.py": CURRENT})
    assert "--- current/m.py\n+++ restored/m.py\n" in diff
    assert "-def load(stream, loader):\n" in diff
    assert "+def load(stream, loader=None):\n" in diff


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"def f():\n", b"\r\n", b"x"]), max_size=12).map(b"".join)


@given(base=LINES, current=LINES)
def test_undoing_all_hunks_gives_the_base_back_byte_for_byte(base, current):
    found = list(candidates([], {"m": base}, {"m": current}))
    if base == current:
        assert found == []
    else:
        assert apply(found[-1], {"m": base}, {"m": current}) == {"m": base}


@given(content=st.binary(max_size=60))
def test_lines_join_to_what_was_split_and_only_newline_ends_one(content):
    lines = split_lines(content)
    assert b"".join(lines) == content
    assert all(b"\n" not in line[:-1] for line in lines)
