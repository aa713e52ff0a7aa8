"""Definitions that still fit and may mean something else; exports; overrides. From source, both ways."""

from __future__ import annotations

import textwrap

import pytest

from repo_guardian.tools.signals.interface import ChangeKind, SignalKind
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link


def graph(files: dict[str, str]):
    extractor = extractor_for("python")
    sources = {path: textwrap.dedent(text).encode() for path, text in files.items()}
    return link("0" * 40, {path: extractor.extract(text, ExtractLimits()) for path, text in sources.items()})


@pytest.fixture
def between(both_ways):
    """All drift of ``pkg/m.py``, beside other files that stay as they are."""

    def run(before: str, after: str, **others: str):
        rest = {"pkg/__init__.py": ""} | {
            f"{name.replace('__', '/')}.py": text for name, text in others.items()
        }
        return both_ways(graph({**rest, "pkg/m.py": before}), graph({**rest, "pkg/m.py": after}))

    return run


@pytest.mark.parametrize(
    ("before", "after", "kind", "text"),
    [
        ("def f(x=1): ...", "def f(x=2): ...",
         ChangeKind.DEFAULT_CHANGED, "default of 'x' changed from 1 to 2"),
        ("def f(*, x='a'): ...", "def f(*, x=None): ...", ChangeKind.DEFAULT_CHANGED, "from 'a' to None"),
        ("class C:\n    def m(self, x=()): ...", "class C:\n    def m(self, x=[]): ...",
         ChangeKind.DEFAULT_CHANGED, "from () to []"),
        ("def f() -> int: ...", "def f() -> str: ...", ChangeKind.RETURN_CHANGED, "to return str (was int)"),
        ("class C(dict): ...", "class C(list): ...", ChangeKind.BASE_REMOVED, "no longer derives from dict"),
        ("class E(KeyError): ...", "class E(Exception): ...",
         ChangeKind.BASE_REMOVED, "now derives from Exception"),
        ("class C(A, B): ...", "class C(B, A): ...", ChangeKind.BASES_REORDERED, "in another order: B, A"),
        ("@final\ndef f(): ...", "def f(): ...", ChangeKind.DECORATOR_REMOVED, "lost the decorator @final"),
        ("def f(): ...", "@lru_cache(8)\ndef f(): ...", ChangeKind.DECORATOR_ADDED, "@lru_cache(8)"),
        ("LIMIT = 3", "LIMIT = 4", ChangeKind.VALUE_CHANGED, "is 4 (was 3)"),
        ("LIMIT = 3", "LIMIT = '3'", ChangeKind.TYPE_CHANGED, "is str '3' (was int 3)"),
        ("class Color(Enum):\n    RED = 1", "class Color(Enum):\n    RED = 2",
         ChangeKind.VALUE_CHANGED, "is 2 (was 1)"),
    ],
)  # fmt: skip
def test_what_is_told(between, before, after, kind, text):
    altered = [s for s in between(before, after) if s.kind is SignalKind.DEFINITION_ALTERED]
    assert len(altered) == 1
    assert altered[0].detail.changes[0].kind is kind
    assert text in altered[0].line
    assert "\n" not in altered[0].line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x='a'): ...", 'def f(x="a"): ...'),
        ("def f(x=(1,2)): ...", "def f(x=(1, 2)): ..."),
        ("def f() -> 'int': ...", "def f() -> int: ..."),
        ("def f() -> t.Optional[t.List['C']]: ...", "def f() -> list[C] | None: ..."),
        ("def f() -> Union[int, None, str]: ...", "def f() -> str | int | None: ..."),
        ("def f() -> typing.Dict[str, t.Tuple[int, ...]]: ...", "def f() -> dict[str, tuple[int, ...]]: ..."),
        ("def f() -> t.Callable[[int], str]: ...", "def f() -> cabc.Callable[[int], str]: ..."),
        ("def f() -> Optional[Union[A, B]]: ...", "def f() -> 'B | A | None': ..."),
        ("def f() -> t.ContextManager[int]: ...", "def f() -> AbstractContextManager[int]: ..."),
        ("class C(Base[int]): ...", "class C( Base[ int ] ): ..."),
        ("LIMIT = {'a': 1}", 'LIMIT = {"a": 1,}'),
        ("LIMIT = compute(1)", "LIMIT = compute(2)"),
        ("__version__ = '1'", "__version__ = '2'"),
        ("_private = 1", "_private = 2"),
        ("def f():\n    def g(x=1): ...", "def f():\n    def g(x=2): ..."),
        ("try:\n    A = 1\nexcept E:\n    A = 2", "try:\n    A = 3\nexcept E:\n    A = 4"),
    ],
)
def test_what_is_no_change_or_nobodys(between, before, after):
    assert between(before, after) == ()


def test_calls_that_rely_on_a_changed_default_lag(between):
    app = "from pkg.m import f\nf()\nf(1)\nf(x=1)\nf(*a)\nf(y=2)\n"
    (signal,) = between("def f(x=1, *, y=3): ...", "def f(x=2, *, y=3): ...", app=app)
    lagging = {d.span.start_line: d.reason for d in signal.lagging}
    assert lagging == {2: "relies on the default of 'x'", 6: "relies on the default of 'x'"}
    assert signal.line == "pkg.m.f: default of 'x' changed from 1 to 2; 2 of 5 calls rely on it"


def test_one_signal_tells_everything_about_one_symbol(between):
    (signal,) = between("def f(a=1, b=2) -> int: ...", "def f(a=2, b=3) -> str: ...")
    kinds = [change.kind for change in signal.detail.changes]
    assert kinds == [ChangeKind.DEFAULT_CHANGED, ChangeKind.DEFAULT_CHANGED, ChangeKind.RETURN_CHANGED]


def test_names_that_all_leaves_out(between):
    before = "__all__ = ['f', 'g', 'h']\ndef f(): ...\ndef g(): ...\ndef h(): ...\n"
    (signal,) = between(before, before.replace(", 'g', 'h'", ""), app="from pkg.m import *\ng()\n")
    assert signal.kind is SignalKind.EXPORT_REMOVED
    assert signal.line == ("pkg.m no longer exports g, h, which it still defines; 1 star import loses them")
    assert signal.symbols == ("pkg.m", "pkg.m.g", "pkg.m.h")


def test_a_first_all_that_leaves_a_public_name_out(between):
    before = "def f(): ...\ndef g(): ...\n"
    (signal,) = between(before, "__all__ = ['f']\n" + before)
    assert (signal.kind, signal.detail.names) == (SignalKind.EXPORT_REMOVED, ("g",))


def test_a_name_added_to_all_is_no_loss(between):
    before = "__all__ = ['f']\ndef f(): ...\ndef g(): ...\n"
    assert between(before, before.replace("['f']", "['f', 'g']")) == ()


FAMILY = (
    "from pkg.m import Base\nclass Child(Base):\n    def run(self, x): ...\n    def __init__(self, y): ...\n"
)


def test_overrides_that_have_not_followed_their_base(between):
    before = "class Base:\n    def __init__(self): ...\n    def run(self, x): ...\n"
    after = before.replace("self, x", "self, x, depth=0").replace("__init__(self)", "__init__(self, z)")
    signals = [s for s in between(before, after, pkg__child=FAMILY) if s.kind is SignalKind.OVERRIDE_MISMATCH]
    (signal,) = signals
    assert signal.symbols == ("pkg.child.Child.run", "pkg.m.Base.run")
    assert signal.line == (
        "pkg.child.Child.run no longer takes every call that pkg.m.Base.run takes "
        "(takes 1 positional arguments, 2 are given): the override has not followed"
    )


def test_an_override_that_left_its_base(both_ways):
    rest = {"pkg/__init__.py": "", "pkg/m.py": "class Base:\n    def run(self, x): ...\n"}
    changed = FAMILY.replace("run(self, x)", "run(self, x, must)")
    signals = both_ways(graph({**rest, "pkg/child.py": FAMILY}), graph({**rest, "pkg/child.py": changed}))
    (signal,) = [s for s in signals if s.kind is SignalKind.OVERRIDE_MISMATCH]
    assert signal.line.endswith("the base has not followed")


@pytest.mark.parametrize(
    "after", ["def run(self, x, *more): ...", "def run(self, x=1): ...", "def run(self, x, depth=0): ..."]
)
def test_overrides_that_still_fit(both_ways, after):
    rest = {"pkg/__init__.py": "", "pkg/m.py": "class Base:\n    def run(self, x): ...\n"}
    changed = FAMILY.replace("def run(self, x): ...", after)
    signals = both_ways(graph({**rest, "pkg/child.py": FAMILY}), graph({**rest, "pkg/child.py": changed}))
    assert not [s for s in signals if s.kind is SignalKind.OVERRIDE_MISMATCH]


def test_a_pair_that_never_fitted_is_not_told_again(both_ways):
    rest = {"pkg/__init__.py": "", "pkg/m.py": "class Base:\n    def run(self, x): ...\n"}
    before = FAMILY.replace("run(self, x)", "run(self, a, b)")
    after = FAMILY.replace("run(self, x)", "run(self, a, b, c)")
    signals = both_ways(graph({**rest, "pkg/child.py": before}), graph({**rest, "pkg/child.py": after}))
    assert not [s for s in signals if s.kind is SignalKind.OVERRIDE_MISMATCH]
