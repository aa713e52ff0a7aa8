"""Renames, fields, bindings, setters, exceptions, abstract members and reach; from source, both ways."""

from __future__ import annotations

import textwrap

import pytest

from repo_guardian.tools.signals.drift.annotations import still_returns
from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import ChangeKind, SignalKind
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link

MODULE = "pkg/m.py"


def linked(files: dict[str, str]):
    extractor = extractor_for("python")
    return link("0" * 40, {path: extractor.extract(t.encode(), ExtractLimits()) for path, t in files.items()})


@pytest.fixture
def between():
    """All drift of ``pkg/m.py``, with its text at hand, beside files that stay as they are."""

    def run(before: str, after: str, **others: str):
        rest = {"pkg/__init__.py": ""} | {f"{n.replace('__', '/')}.py": t for n, t in others.items()}
        old, new = ({**rest, MODULE: textwrap.dedent(text)} for text in (before, after))
        return detect_drift(
            linked(old), linked(new), lambda path: old[path].encode(), lambda path: new[path].encode()
        )

    return run


PROPERTY = "class C:\n    @property\n    def x(self): return 1\n"
SETTER = "    @x.setter\n    def x(self, value): ...\n"
TUPLE = "import typing\nclass P(typing.NamedTuple):\n"
DATACLASS = "from dataclasses import dataclass\n@dataclass\nclass P:\n"


@pytest.mark.parametrize(
    ("before", "after", "kind", "change", "text"),
    [
        ("def f(a):\n    return a + 1", "def g(a):\n    return a + 1",
         SignalKind.SYMBOL_MOVED, ChangeKind.RENAMED, "function pkg.m.f was renamed to pkg.m.g"),
        ("class C:\n    def f(self): return len('a')", "class C:\n    def g(self): return len('a')",
         SignalKind.SYMBOL_MOVED, ChangeKind.RENAMED, "method pkg.m.C.f was renamed to pkg.m.C.g"),
        ("class C:\n    def f(self): ...\n    def g(self): ...",
         "class D:\n    def f(self): ...\n    def g(self): ...",
         SignalKind.SYMBOL_MOVED, ChangeKind.RENAMED, "class pkg.m.C was renamed to pkg.m.D"),
        (TUPLE + "    a: int\n    b: str", TUPLE + "    b: str\n    a: int",
         SignalKind.CONTRACT_CHANGED, ChangeKind.PARAMETER_REORDERED, "reordered to (b, a)"),
        ("from collections import namedtuple\nP = namedtuple('P', 'a b')",
         "from collections import namedtuple\nP = namedtuple('P', ['b', 'a'])",
         SignalKind.CONTRACT_CHANGED, ChangeKind.PARAMETER_REORDERED, "reordered to (b, a)"),
        (DATACLASS + "    a: int\n    b: str", DATACLASS + "    b: str\n    a: int",
         SignalKind.CONTRACT_CHANGED, ChangeKind.PARAMETER_REORDERED, "reordered to (b, a)"),
        ("class C:\n    @classmethod\n    def m(cls): ...", "class C:\n    def m(self): ...",
         SignalKind.DEFINITION_ALTERED, ChangeKind.BINDING_CHANGED, "is an instance method now (was a class"),
        (PROPERTY + SETTER, PROPERTY,
         SignalKind.DEFINITION_ALTERED, ChangeKind.SETTER_REMOVED, "can no longer be assigned to"),
        ("def f(a):\n    raise KeyError(a)", "def f(a):\n    raise ValueError(a)",
         SignalKind.DEFINITION_ALTERED, ChangeKind.RAISES_CHANGED, "raises ValueError (was KeyError)"),
        ("X = [a, b]", "X = (a, b)",
         SignalKind.DEFINITION_ALTERED, ChangeKind.TYPE_CHANGED, "is tuple (a, b) (was list [a, b])"),
        ("class A:\n    def m(self): ...\nclass B(A):\n    def m(self): return 1",
         "class A:\n    def m(self): ...\nclass B(A): ...",
         SignalKind.DEFINITION_ALTERED, ChangeKind.INHERITED, "pkg.m.B.m: is inherited from pkg.m.A now"),
        ("import abc\nclass A(abc.ABC): ...",
         "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def m(self): ...",
         SignalKind.OVERRIDE_MISMATCH, ChangeKind.ABSTRACT_ADDED, "asks its subclasses for m"),
        ("import abc\nclass A(metaclass=abc.ABCMeta):\n    @abc.abstractmethod\n    def m(self): ...\n"
         "class B(A):\n    def m(self): ...",
         "import abc\nclass A(metaclass=abc.ABCMeta):\n    @abc.abstractmethod\n    def m(self): ...\n"
         "class B(A): ...",
         SignalKind.OVERRIDE_MISMATCH, ChangeKind.ABSTRACT_ADDED, "pkg.m.B no longer defines m"),
    ],
)  # fmt: skip
def test_what_is_told(between, before, after, kind, change, text):
    (signal,) = between(before, after)
    assert signal.kind is kind
    assert [c.kind for c in signal.detail.changes] == [change]
    assert text in signal.line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PROPERTY, PROPERTY + SETTER),
        ("def f(a):\n    raise LookupError(a)", "def f(a):\n    raise KeyError(a)"),
        ("class E(Exception): ...\ndef f(): raise Exception()",
         "class E(Exception): ...\ndef f(): raise E()"),
        ("def f(a):\n    raise KeyError(a)",
         "def f(a):\n    if a: raise ValueError(a)\n    raise KeyError(a)"),
        ("class A:\n    def m(self): ...", "class A:\n    @abstractmethod\n    def m(self): ..."),
        ("class C(collections.abc.Sequence): ...", "class C(Sequence): ..."),
        ("class C: ...", "class C(t.Generic[T]): ..."),
        ("def f() -> X | None: ...", "def f() -> X: ..."),
        ("class C:\n    def f(self) -> 'C': ...", "class C:\n    def f(self) -> t.Self: ..."),
        ("def _f(a): ...\n_f(1)", "def _f(b, c=2): ...\n_f(1)"),
        ("class C:\n    x = 1", "class C:\n    def __init__(self): self.x = 2"),
    ],
)  # fmt: skip
def test_what_is_no_drift(between, before, after):
    assert between(before, after) == ()


def test_without_the_text_nothing_is_told_of_setters_and_attributes():
    before = {"pkg/__init__.py": "", MODULE: PROPERTY + SETTER + "    y = 1\n"}
    after = {"pkg/__init__.py": "", MODULE: PROPERTY}
    assert detect_drift(linked(before), linked(after)) == ()


def test_an_attribute_or_property_that_nothing_sets_is_gone(between):
    before = PROPERTY + "    y = 1\n    def z(self): ...\n"
    lines = {s.line.partition(";")[0] for s in between(before, "class C:\n    def z(self): ...\n")}
    assert lines == {"property pkg.m.C.x was removed", "constant pkg.m.C.y was removed"}


def test_a_member_of_a_reexported_class_is_public(between):
    before, after = (
        "class C:\n    def gone(self): ...\n    def kept(self, a): ...",
        "class C:\n    def kept(self, a): ...",
    )
    rest = {"pkg/__init__.py": "from pkg._m import C"}
    found = detect_drift(linked({**rest, "pkg/_m.py": before}), linked({**rest, "pkg/_m.py": after}))
    assert [(s.kind, s.public) for s in found] == [(SignalKind.SYMBOL_REMOVED, True)]


def test_a_maintenance_script_is_nobodys_interface():
    before = {"pkg/__init__.py": "", "scripts/release.py": "def main(): ...\ndef other(a): ...\n"}
    after = {"pkg/__init__.py": "", "scripts/release.py": "def other(b): ...\n"}
    assert detect_drift(linked(before), linked(after)) == ()


def test_two_that_may_be_the_new_name_are_none(between):
    body = "(a):\n    return a + 1\n"
    found = between(f"def f{body}", f"def g{body}def h{body}")
    assert [s.kind for s in found] == [SignalKind.SYMBOL_REMOVED]


def test_a_rename_lists_the_uses_left(between):
    (signal,) = between(
        "def f(a):\n    return a + 1", "def g(a):\n    return a + 1", pkg__n="from pkg.m import f\nf(1)"
    )
    assert signal.lagging_total == len(signal.dependents) > 0


def test_a_subclass_that_lacks_an_abstract_member_lags(between):
    asks = "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def m(self): ...\n"
    others = "import abc\nfrom pkg.m import A\nclass B(A): ...\nclass E(A, abc.ABC): ...\n"
    others += "class D(A):\n    def m(self): ...\n"
    (signal,) = between("import abc\nclass A(abc.ABC):\n    pass\n", asks, pkg__n=others)
    assert [d.symbol for d in signal.dependents if d.lagging] == ["pkg.n.B"]


def test_an_assignment_without_setter_lags(between):
    uses = "from pkg.m import C\ndef g(c: C):\n    c.x = 2\n    return c.x == 1\n"
    (signal,) = between(PROPERTY + SETTER, PROPERTY, pkg__n=uses)
    assert {d.text for d in signal.lagging} <= {"c.x = 2"}


@pytest.mark.parametrize(
    ("old", "new", "fits"),
    [
        ("Any", "int", True), ("None", "int", True), ("int", "Any", False), ("int | str", "str", True),
        ("str", "int | str", False), ("list[Any]", "list[int]", True), ("list[int]", "list[str]", False),
        ("list", "list[int]", True), ("Callable[[Any], int]", "Callable[[str], int]", True),
        ("'int'", "int", True), ("Optional[int]", "None", True), ("dict[str", "dict[str", True),
    ],
)  # fmt: skip
def test_a_return_that_still_fits(old, new, fits):
    assert still_returns(old, new) is fits


# -- reach ---------------------------------------------------------------------------------------------


def crowd(users: int, body: str = "return 1") -> dict[str, str]:
    """Sixty helpers, each used in one file, and one in the files of ``users``."""
    files = {"pkg/__init__.py": "", MODULE: f"def other(): ...\ndef f():\n    {body}\n"}
    for number in range(60):
        text = f"def h{number}(): ...\nh{number}()\n"
        text += "from pkg.m import f\nf()\n" if number < users else ""
        files[f"pkg/u{number}.py"] = text
    return files


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [(1, 12, ChangeKind.USERS_GAINED), (12, 1, ChangeKind.USERS_LOST), (10, 12, None), (1, 2, None)],
)
def test_reach_is_told_where_it_stands_out(both_ways, before, after, change):
    found = both_ways(linked(crowd(before)), linked(crowd(after)))
    told = [s for s in found if s.kind is SignalKind.REACH_CHANGED and s.symbols == ("pkg.m.f",)]
    assert [s.detail.changes[0].kind for s in told] == ([change] if change else [])


def test_what_a_widely_used_function_calls(both_ways):
    (signal,) = both_ways(linked(crowd(12)), linked(crowd(12, "return other()")))
    assert signal.line == "pkg.m.f, which 12 files use, now calls pkg.m.other"
    assert both_ways(linked(crowd(1)), linked(crowd(1, "return other()"))) == ()
