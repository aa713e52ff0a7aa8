"""Cyclomatic complexity, and what a change adds to it."""

from __future__ import annotations

import pytest

from repo_guardian.tools.signals.complexity import complexities, rises


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 1),
        ("if x: pass\n    elif y: pass\n    else: pass", 3),
        ("return 1 if x and y or z else 2", 4),
        ("for a in x: pass\n    else: pass", 3),
        ("while x: break", 2),
        ("try: pass\n    except A: pass\n    except B: pass\n    finally: pass", 3),
        ("return [a for b in c for a in b if a if b]", 5),
        ("match x:\n        case 1: pass\n        case 2 | 3: pass\n        case _: pass", 3),
        ("match x:\n        case y if y: pass", 2),
        ("def inner():\n        if x: pass\n    return inner", 2),
        ("with x: assert y", 1),
    ],
)
def test_decisions_are_counted(body, expected):
    assert complexities(f"def f(x):\n    {body}\n".encode()) == {"f": expected}


def test_methods_and_conditional_definitions_have_their_names():
    source = (
        b"class A:\n    def m(self): pass\n    class B:\n        async def n(self): return 1 if 2 else 3\n"
        b"if x:\n    def f(): pass\nelse:\n    def f():\n        for a in b: pass\n"
    )
    assert complexities(source) == {"A.m": 1, "A.B.n": 2, "f": 2}


@pytest.mark.parametrize("source", [b"def f(:", b"\0", b"\xff\xfe", b"print 'x'", b"(" * 5000])
def test_what_is_no_python_has_none(source):
    assert complexities(source) == {}


def test_a_rise_is_set_against_mccabe_s_limit():
    old = {"a.py": b"def f():\n    if x: pass\ndef g():\n    if x: pass\n"}
    new = {
        "a.py": b"def f():\n    if x and y and z: pass\ndef g(): pass\ndef h(): pass\n",
        "b.md": b"if",
    }
    found = rises(["a.py", "b.md", "gone.py"], old.get, new.get)
    assert found == {("a.py", "f"): 2 / 12, ("a.py", "h"): 1 / 11, ("a.py", ""): 2 / 12}
