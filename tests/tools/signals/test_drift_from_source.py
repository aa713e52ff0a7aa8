"""From source text to signals: two trees are extracted and linked, and nothing else."""

from __future__ import annotations

import textwrap

import pytest

from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import ChangeKind, Effect, Receiver, SignalKind
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link
from repo_guardian.tools.views.symbol_graph.model import SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape

EXTRACTOR = PythonExtractor()


BREAKING = (SignalKind.CONTRACT_CHANGED, SignalKind.SYMBOL_REMOVED, SignalKind.SYMBOL_MOVED)


def graph(files: dict[str, str]):
    facts = {
        path: EXTRACTOR.extract(textwrap.dedent(text).encode(), ExtractLimits())
        for path, text in files.items()
    }
    return link("0" * 40, facts)


def drift(before: dict[str, str], after: dict[str, str]):
    """The signals that say that some earlier use fails, or gets something else."""
    found = detect_drift(graph(before), graph(after))
    return tuple(signal for signal in found if signal.kind in BREAKING)


def between(name: str, before: str, after: str, **others: str):
    """Drift of one module ``pkg/NAME.py`` beside files that stay as they are."""
    rest = {"pkg/__init__.py": ""} | {f"{key.replace('__', '/')}.py": text for key, text in others.items()}
    return drift({**rest, f"pkg/{name}.py": before}, {**rest, f"pkg/{name}.py": after})


def only(signals):
    assert len(signals) == 1, [s.line for s in signals]
    return signals[0]


def test_a_parameter_that_became_required_and_its_lagging_caller():
    signal = only(
        between(
            "load",
            "def load(stream, Loader=None): ...",
            "def load(stream, Loader): ...",
            app="from pkg.load import load\ndef main(s):\n    load(s)\n    return load(s, Loader=1)\n",
        )
    )
    assert signal.line == (
        "pkg.load.load: parameter 'Loader' became required (was Loader=None); "
        "1 of 2 calls still uses the old form"
    )
    lagging = signal.lagging[0]
    assert (lagging.symbol, lagging.path, lagging.span.start_line) == ("app.main", "app.py", 3)
    assert signal.detail.witness == CallShape(1)


def test_self_made_positional_only_is_no_break():
    before = "class C:\n    def run(self, a): ...\n    def __init__(self, b): ...\n"
    after = "class C:\n    def run(self, /, a): ...\n    def __init__(self, /, b): ...\n"
    assert between("m", before, after) == ()


def test_renamed_catch_alls_are_no_break():
    assert between("m", "def f(*a, **attrs): ...", "def f(*b, **attributes): ...") == ()


OVERLOADED = """
from typing import overload
@overload
def f(a: int) -> int: ...
@overload
def f(a: str) -> str: ...
def f(a{more}): return a
"""


def test_overloads_count_by_their_implementation():
    assert between("m", OVERLOADED.format(more=""), OVERLOADED.format(more="")) == ()
    signal = only(between("m", OVERLOADED.format(more=""), OVERLOADED.format(more=", b")))
    assert [c.kind for c in signal.detail.changes] == [ChangeKind.PARAMETER_ADDED]


def test_an_overload_added_to_the_same_implementation_is_no_break():
    third = "@overload\ndef f(a: bytes) -> bytes: ...\n"
    after = OVERLOADED.format(more="").replace("def f(a):", third + "def f(a):")
    assert between("m", OVERLOADED.format(more=""), after) == ()


def test_a_module_getattr_serves_removed_names():
    before = "def f(): ...\nclass C: ...\n"
    assert between("m", before, "def __getattr__(name): ...\n") == ()


def test_one_inserted_parameter_is_one_signal():
    before = "class C:\n    def run(self, a, b, c, d): ...\n"
    after = "class C:\n    def run(self, a, x, b, c, d): ...\n"
    signal = only(between("m", before, after))
    assert [c.text for c in signal.detail.changes] == ["required parameter 'x' was added"]
    assert signal.detail.receiver is Receiver.INSTANCE


def test_a_removed_function_and_everything_that_still_asks_for_it():
    app = """
    import pkg.m
    from pkg.m import gone as g
    def main():
        g(1)
        pkg.m.gone(2)
    """
    signal = only(between("m", "def gone(a): ...\ndef kept(): ...", "def kept(): ...", app=app))
    assert signal.kind is SignalKind.SYMBOL_REMOVED
    assert [(d.span.start_line, d.use.value) for d in signal.lagging] == [
        (3, "import"),
        (5, "call"),
        (6, "call"),
    ]


def test_a_removed_module_with_its_importers():
    base = {
        "pkg/__init__.py": "",
        "pkg/old.py": "def f(): ...\nclass C: ...\n_x = 1\n",
        "app.py": "import pkg.old\nfrom pkg.old import C\npkg.old.f()\n",
    }
    signal = only(drift(base, {k: v for k, v in base.items() if k != "pkg/old.py"}))
    assert signal.kind is SignalKind.SYMBOL_REMOVED
    assert signal.detail.symbol_kind is SymbolKind.MODULE
    assert signal.detail.names == ("C", "f")
    assert {d.span.start_line for d in signal.lagging} == {1, 2, 3}


def test_a_submodule_that_its_package_imports_is_removed_as_a_module():
    base = {"pkg/__init__.py": "from . import old\n", "pkg/old.py": "def f(): ...\n"}
    signal = only(drift(base, {"pkg/__init__.py": ""}))
    assert (signal.kind, signal.symbols[0]) == (SignalKind.SYMBOL_REMOVED, "pkg.old")


def test_a_moved_class_with_its_re_export_left_is_followed():
    base = {"pkg/__init__.py": "", "pkg/a.py": "class C:\n    def __init__(self, x): ...\n"}
    moved = {"pkg/__init__.py": "", "pkg/a.py": "from pkg.b import C\n", "pkg/b.py": base["pkg/a.py"]}
    assert drift(base, moved) == ()
    changed = {**moved, "pkg/b.py": "class C:\n    def __init__(self, x, y): ...\n"}
    signal = only(drift(base, changed))
    assert signal.kind is SignalKind.CONTRACT_CHANGED
    assert (signal.detail.old_id, signal.detail.new_id) == ("pkg.a.C", "pkg.b.C")


def test_a_moved_function_left_behind_by_one_importer():
    base = {
        "pkg/__init__.py": "",
        "pkg/a.py": "def f(x, y=1): ...\ndef g(): ...\n",
        "app.py": "from pkg.a import f\nf(1)\n",
    }
    current = {**base, "pkg/a.py": "def g(): ...\n", "pkg/b.py": "def f(x, y=1): ...\n"}
    signal = only(drift(base, current))
    assert signal.kind is SignalKind.SYMBOL_MOVED
    assert signal.symbols == ("pkg.a.f", "pkg.b.f")
    assert signal.lagging_total == 2


def test_a_method_moved_to_its_base_class_is_not_removed():
    before = "class B: ...\nclass C(B):\n    def run(self, a): ...\n"
    after = "class B:\n    def run(self, a): ...\nclass C(B): ...\n"
    assert between("m", before, after) == ()


def test_a_definition_that_moved_behind_a_star_import_is_served():
    before = {"pkg/__init__.py": "def f(): ...\n"}
    after = {"pkg/__init__.py": "from .impl import *\n", "pkg/impl.py": "def f(): ...\n"}
    assert drift(before, after) == ()


def test_a_private_function_with_a_lagging_caller_is_a_signal_but_not_public():
    caller = "def run():\n    return _f(1)\n"
    signal = only(between("m", f"def _f(a): ...\n{caller}", f"def _f(a, b): ...\n{caller}"))
    assert not signal.public
    assert signal.lagging[0].reason == "misses the required argument 'b'"


def test_constructors_of_classes_dataclasses_and_heirs():
    template = """
    from dataclasses import dataclass
    class A:
        def __init__(self, x{more}): ...
    class B(A): ...
    @dataclass
    class D:
        x: int
        {field}
    def use():
        A(1)
        B(2)
        D(3)
    """
    before = template.format(more="", field="y: int = 0")
    after = template.format(more=", z", field="y: int")
    signals = {s.symbols[0]: s for s in between("m", before, after)}
    assert set(signals) == {"pkg.m.A", "pkg.m.D"}
    assert [d.text for d in signals["pkg.m.A"].lagging] == ["A(1)", "B(2)"]
    assert [d.text for d in signals["pkg.m.D"].lagging] == ["D(3)"]
    assert signals["pkg.m.D"].detail.symbol_kind is SymbolKind.CLASS


def test_decorated_functions_are_uncertain_unless_the_decorator_is_known():
    template = "import functools, click\n@{decorator}\ndef f(a{more}): ...\n"
    for decorator, signals in (("functools.lru_cache(None)", 1), ("click.command()", 0)):
        before, after = (template.format(decorator=decorator, more=more) for more in ("", ", b"))
        assert len(between("m", before, after)) == signals


def test_keyword_only_conversion_with_a_positional_caller():
    signal = only(
        between(
            "m",
            "def f(a, b=1): ...",
            "def f(a, *, b=1): ...",
            app="from pkg.m import f\nf(1, 2)\nf(1, b=2)\n",
        )
    )
    assert [(d.text, d.reason) for d in signal.lagging] == [
        ("f(1, 2)", "takes 1 positional arguments, 2 are given")
    ]
    assert [c.parameter for c in signal.detail.changes] == ["b"]


def test_sync_to_async_and_method_to_property():
    before = "def f(): ...\nclass C:\n    def size(self): ...\n"
    after = "async def f(): ...\nclass C:\n    @property\n    def size(self): ...\n"
    app = "from pkg.m import C, f\nc = C()\ndef main():\n    f()\n    return c.size()\n"
    signals = {s.symbols[0]: s for s in between("m", before, after, app=app)}
    assert signals["pkg.m.f"].detail.effect is Effect.RETURNS
    assert [d.reason for d in signals["pkg.m.f"].lagging] == ["is not awaited"]
    assert signals["pkg.m.C.size"].detail.effect is Effect.ACCESS
    assert [d.reason for d in signals["pkg.m.C.size"].lagging] == ["calls what is a property now"]


def test_a_file_that_does_not_parse_any_more_removes_nothing():
    assert between("m", "def f(a): ...\n", "def f(a, b:\n") == ()


@pytest.mark.parametrize("name", ["setup", "docs__conf", "tests__helper"])
def test_scripts_docs_and_tests_promise_nothing(name):
    path = f"{name.replace('__', '/')}.py"
    assert drift({path: "def f(a): ...\nX = 1\n", "m.py": ""}, {path: "def f(a, b): ...\n", "m.py": ""}) == ()


def test_source_that_only_changed_inside_is_no_drift():
    before = "X = 1\ndef f(a, b=1):\n    return a\n"
    after = "X = 2\ndef f(a: int, b=2) -> int:\n    return a + b\n"
    assert between("m", before, after) == ()


def test_the_key_does_not_depend_on_where_things_stand():
    before, after = "def f(a): ...\n", "def f(a, b): ...\n"
    first = only(between("m", before, after))
    second = only(between("m", "\n\n" + before, "import os\n\n" + after))
    assert first.key == second.key
