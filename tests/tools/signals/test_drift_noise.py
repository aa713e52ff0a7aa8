"""What real histories showed to be noise: a test for each family, with the change beside it that is none."""

from __future__ import annotations

import textwrap

import pytest

from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import SignalKind
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link


def drift(before: dict[str, str], after: dict[str, str]):
    """All signals between two trees, the sources at hand."""
    old, new = ({path: textwrap.dedent(text).encode() for path, text in t.items()} for t in (before, after))
    graphs = [
        link(
            "0" * 40, {path: PythonExtractor().extract(data, ExtractLimits()) for path, data in tree.items()}
        )
        for tree in (old, new)
    ]
    return detect_drift(*graphs, old.get, new.get)


def between(before: str, after: str, path: str = "pkg/m.py", **others: str):
    """Drift of one file beside others that stay as they are."""
    rest = {"pkg/__init__.py": "", **{f"{name.replace('__', '/')}.py": text for name, text in others.items()}}
    return drift({**rest, path: before}, {**rest, path: after})


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("dict", "dict[str, int]", False),
        ("MutableMapping", "abc.MutableMapping[K, V]", False),
        ("Base", "Base[int], Generic[T]", False),
        ("dict[str, int]", "list[int]", True),
        ("Enum", "IntEnum", True),
    ],
)
def test_type_parameters_are_no_other_base(before, after, told):
    found = between(f"class C({before}): ...\n", f"class C({after}): ...\n")
    assert [s.kind for s in found] == ([SignalKind.DEFINITION_ALTERED] if told else [])


def test_a_base_that_another_brings_along_is_not_lost():
    others = "class Mixin: ...\nclass Both(Mixin, dict): ...\nclass Own(Mixin): ...\n"
    (signal,) = between(f"{others}class C(Mixin, dict): ...\n", f"{others}class C(Both): ...\n")
    assert signal.line == "pkg.m.C: now derives from Both; nothing in the repository uses it"
    (signal,) = between(f"{others}class C(Mixin, dict): ...\n", f"{others}class C(Own): ...\n")
    assert "no longer derives from dict, now derives from Own" in signal.line


def test_a_type_variable_that_moved_is_nobodys_loss():
    line = "from typing import TypeVar\nT = TypeVar('T', bound=int)\nLIMIT = 17\n"
    before = {"pkg/__init__.py": "", "pkg/a.py": line, "pkg/b.py": "def f(): ...\n"}
    found = drift(before, {"pkg/__init__.py": "", "pkg/a.py": "", "pkg/b.py": f"{line}def f(): ...\n"})
    assert [s.symbols[0] for s in found] == ["pkg.a.LIMIT"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("m.py", True),
        ("src/m.py", True),
        ("pkg/m.py", True),
        ("extras/m.py", False),
        ("requirements/sync-all.py", False),
        ("sync-all.py", False),
    ],
)
def test_a_script_that_no_import_reaches_is_nobodys_interface(path, told):
    assert bool(between("def f(a): ...\nLIMIT = 1\n", "def f(): ...\n", path)) is told


def test_a_package_that_stops_importing_a_helper_for_itself_lost_nothing():
    helper = "def f(): ...\ndef g(): ...\n"
    used = "from pkg.h import f\nclass C:\n    def m(self):\n        return f()\n"
    offered = "from pkg.h import f\nfrom pkg.h import g\n"
    listed = f"{used}__all__ = ['C', 'f']\n"
    for text, gone in ((used, False), (offered, True), (listed, True)):
        after = {"pkg/__init__.py": "class C:\n    def m(self): ...\n", "pkg/h.py": helper}
        before = {"pkg/__init__.py": text + ("class C: ...\n" if text is offered else ""), "pkg/h.py": helper}
        removed = [s for s in drift(before, after) if s.kind is SignalKind.SYMBOL_REMOVED]
        assert bool(removed) is gone


def test_a_test_method_overrides_nobodys_contract():
    base = "class TestA:\n    def test(self, a): ...\n    def make(self, a): ...\n"
    before = f"{base}class TestB(TestA):\n    def test(self, a): ...\n    def make(self, a): ...\n"
    after = f"{base}class TestB(TestA):\n    def test(self, a, b): ...\n    def make(self, a, b): ...\n"
    (signal,) = drift({"tests/test_m.py": before}, {"tests/test_m.py": after})
    assert (signal.kind, signal.symbols[0].rpartition(".")[2]) == (SignalKind.OVERRIDE_MISMATCH, "make")


@pytest.mark.parametrize(
    ("use", "lags"),
    [
        ("f(1, 2)\n", True),
        ("with pytest.raises(TypeError):\n    f(1, 2)\n", False),
        (
            "with pytest.raises((ValueError, TypeError), match='x'):\n    f(\n        1,\n        2)\n",
            False,
        ),
        ("with self.assertRaises(TypeError):\n    if x:\n        f(1, 2)\n", False),
        ("with pytest.raises(ValueError):\n    f(1, 2)\n", True),
        ("f(1, 2)  # type: ignore[call-arg]\n", False),
        ("f(1, 2)  # type: ignore[misc, call-arg]\n", False),
        ("f(1, 2)  # type: ignore\n", True),
    ],
)
def test_a_call_that_is_there_to_fail_does_not_lag(use, lags):
    found = between("def f(a, b): ...\n", "def f(a): ...\n", tests__test_m=f"from pkg.m import f\n{use}")
    assert [s.lagging_total for s in found] == [int(lags)]


@pytest.mark.parametrize(
    ("call", "lags"),
    [
        ("f(value, param, ctx)", False),
        ("return f(value, param, ctx)", False),
        ("f(param, ctx, value)", True),
        ("f(1, 2, 3)", True),
        ("f(g(value), param, ctx)", True),
    ],
)
def test_a_call_that_names_the_new_order_has_it_already(call, lags):
    use = f"from pkg.m import f\ndef use(value, param, ctx, g):\n    {call}\n"
    before, after = "def f(param, ctx, value): ...\n", "def f(value, param, ctx): ...\n"
    (signal,) = between(before, after, pkg__n=use)
    assert signal.lagging_total == int(lags)


def crowd(body: str, users: str = "from pkg.m import f\nf()\n", shared: str = "") -> dict[str, str]:
    """Sixty helpers, each used in one file, and one function that a dozen files use."""
    files = {"pkg/__init__.py": "", "pkg/m.py": body, "pkg/shared.py": shared}
    for number in range(60):
        text = f"def h{number}(): ...\nh{number}()\n" + (users if number < 12 else "")
        files[f"pkg/u{number}.py"] = text
    return files


def reach(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return [s.line for s in drift(before, after) if s.kind is SignalKind.REACH_CHANGED]


def test_a_callee_that_is_resolved_otherwise_is_no_new_call():
    wrap = "def wrap(g):\n    def inner(): ...\n    return inner\ndef other(): ...\n"
    plain = "from pkg.shared import other, wrap\ndef g(): ...\ndef f():\n    return g()\n"
    decorated = plain.replace("def g", "@wrap\ndef g")
    assert reach(crowd(plain, shared=wrap), crowd(decorated, shared=wrap)) == []
    called = plain.replace("return g()", "return other()")
    assert len(reach(crowd(plain, shared=wrap), crowd(called, shared=wrap))) == 1


def test_what_a_function_hands_on_is_still_called():
    before = "def g(): ...\ndef run(x): ...\ndef f():\n    run(g())\n"
    assert reach(crowd(before), crowd(before.replace("run(g())", "run(g)"))) == []


def test_a_function_that_calls_what_it_defines_itself_reaches_no_further():
    before = "def f():\n    return 1\n"
    after = "def f():\n    def part(): ...\n    return part()\n"
    assert reach(crowd(before), crowd(after)) == []


@pytest.mark.parametrize("use", ["x.f()", "return x.f"])
def test_users_that_an_annotation_made_known_did_not_come(use):
    body = "class C:\n    def f(self): ...\n"
    guessed = f"def use(x):\n    {use}\n"
    known = f"from pkg.m import C\ndef use(x: C):\n    {use}\n"
    assert not [line for line in reach(crowd(body, guessed), crowd(body, known)) if ".C.f " in line]
    assert [line for line in reach(crowd(body, ""), crowd(body, known)) if ".C.f " in line]


def test_knowing_what_was_edited_changes_no_answer():
    before = {
        "pkg/__init__.py": "",
        "pkg/m.py": "def f(a=1): ...\n",
        "pkg/n.py": "from pkg.m import f\nf()\n",
    }
    after = {**before, "pkg/m.py": "def f(a=2): ...\n"}
    graphs = [
        link("0" * 40, {p: PythonExtractor().extract(t.encode(), ExtractLimits()) for p, t in tree.items()})
        for tree in (before, after)
    ]
    known = detect_drift(*graphs, edited=["pkg/m.py"])
    assert known == detect_drift(*graphs)
    assert [s.kind for s in known] == [SignalKind.DEFINITION_ALTERED]
