"""Names that are gone, and names that only moved: what counts, and who still asks for the old one."""

from __future__ import annotations

import pytest

from repo_guardian.tools.signals.interface import Effect, SignalKind
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Resolution, SymbolKind

UNRESOLVED = Resolution.UNRESOLVED


def _only(signals, kind):
    assert [s.kind for s in signals] == [kind], [s.line for s in signals]
    return signals[0]


def test_removed_function_lists_imports_and_calls_that_are_left(base, current, drift):
    base.package("pkg").function("pkg.f", "(a)").function("app.main")
    current.package("pkg").function("app.main")
    current.use("app.main", "pkg.f", EdgeKind.IMPORT, "from pkg import f", UNRESOLVED)
    current.call("app.main", "pkg.f", "(1)", resolution=UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert signal.line == "function pkg.f was removed; 2 uses in 1 file are left"
    assert signal.lagging_total == 2
    assert {d.reason for d in signal.lagging} == {"pkg.f no longer exists"}
    detail = signal.detail
    assert (detail.effect, detail.witness) == (Effect.UNRESOLVED, None)
    assert (detail.old_id, detail.new_id, detail.current_span) == ("pkg.f", "", None)
    assert (detail.base_path, detail.current_path) == ("pkg/__init__.py", "pkg/__init__.py")
    assert (signal.before, signal.after) == ("f(a)", "")


def test_removed_module_is_one_signal_with_its_names(base, current, drift):
    base.package("pkg").function("pkg.old.f").cls("pkg.old.C", init="(a)").function("pkg.old._hidden")
    base.constant("pkg.old.X", "1").function("app.main")
    current.package("pkg").function("app.main")
    current.use("app.main", "pkg.old", EdgeKind.IMPORT, "import pkg.old", UNRESOLVED)
    current.call("app.main", "pkg.old.f", "()", resolution=UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert signal.symbols == ("pkg.old",)
    assert signal.detail.names == ("C", "X", "f")
    assert (signal.detail.module, signal.detail.qualname) == ("pkg.old", "")
    assert signal.line == "module pkg.old was removed with C, X, f; 2 uses in 1 file are left"
    assert signal.detail.current_path == ""


def test_removed_package_folds_its_submodules(base, current, drift):
    base.package("pkg").package("pkg.sub").function("pkg.sub.a.f").function("pkg.sub.b.g")
    base.function("pkg.sub.h")
    current.package("pkg")
    assert _only(drift(base, current), SignalKind.SYMBOL_REMOVED).symbols == ("pkg.sub",)


def test_removed_class_is_one_signal(base, current, drift):
    base.cls("pkg.C", init="(a)").function("pkg.C.run").function("pkg.C.stop")
    current.module("pkg")
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert signal.symbols == ("pkg.C",)
    assert signal.detail.names == ("run", "stop")


def test_a_name_behind_a_module_getattr_is_not_removed(base, current, drift):
    base.function("pkg.f").cls("pkg.C")
    current.function("pkg.__getattr__", "(name)")
    assert drift(base, current) == ()


def test_a_reexport_left_at_the_old_place_is_no_signal(base, current, drift):
    base.cls("pkg.a.C", init="(x)").function("pkg.a.C.run").package("pkg")
    current.cls("pkg.b.C", init="(x)").function("pkg.b.C.run").alias("pkg.a.C", "pkg.b.C").package("pkg")
    assert drift(base, current) == ()


def test_a_module_behind_an_alias_serves_what_is_below_it(base, current, drift):
    base.package("pkg").function("pkg.old.f")
    current.package("pkg").function("pkg._old.f").alias("pkg.old", "pkg._old")
    assert drift(base, current) == ()


@pytest.mark.parametrize("target", ["json.loads", "other.f"])
def test_a_name_taken_over_from_another_distribution_is_not_removed(base, current, drift, target):
    base.function("pkg.f")
    current.alias("pkg.f", target)
    assert drift(base, current) == ()


def test_a_broken_reexport_belongs_to_the_removal_of_its_definition(base, current, drift):
    base.package("pkg").function("pkg.impl.f").alias("pkg.f", "pkg.impl.f").function("app.main")
    current.package("pkg").module("pkg.impl").alias("pkg.f", "pkg.impl.f").function("app.main")
    current.use("pkg", "pkg.impl.f", EdgeKind.IMPORT, "from .impl import f", UNRESOLVED)
    current.call("app.main", "pkg.f", "()", resolution=UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert signal.symbols == ("pkg.impl.f", "pkg.f")
    assert [d.text for d in signal.lagging] == ["f()", "from .impl import f"]


def test_a_dropped_reexport_of_a_definition_that_stays_is_a_removal(base, current, drift):
    base.package("pkg").function("pkg.impl.f").alias("pkg.f", "pkg.impl.f")
    current.package("pkg").function("pkg.impl.f")
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert (signal.symbols, signal.detail.symbol_kind) == (("pkg.f",), SymbolKind.ALIAS)
    assert signal.before == "f -> pkg.impl.f"


def test_an_import_that_nobody_needs_any_more_is_no_removal(base, current, drift):
    base.function("pkg.a.f").alias("pkg.b.f", "pkg.a.f").alias("pkg.b.os", "os").alias("pkg.b.json", "json")
    current.function("pkg.a.f").module("pkg.b")
    assert drift(base, current) == ()


def test_a_private_definition_is_reported_only_with_a_use_left(base, current, drift):
    base.function("pkg._a").function("pkg._b").function("app.main")
    current.module("pkg").function("app.main").call("app.main", "pkg._b", "()", resolution=UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert signal.symbols == ("pkg._b",)
    assert not signal.public


def test_a_private_module_whose_reexport_stays_is_an_internal_matter(base, current, drift):
    base.package("pkg").function("pkg._old.f", "(a)").alias("pkg.f", "pkg._old.f")
    current.package("pkg").module("pkg._old").cls("pkg._new.f", init="(a)").alias("pkg.f", "pkg._new.f")
    assert drift(base, current) == ()


def test_test_code_that_went_away_is_no_signal(base, current, drift):
    base.module("tests.test_a", "tests/test_a.py").function("tests.test_a.test_one")
    base.module("tests.test_b", "tests/test_b.py").function("tests.test_b.test_two")
    current.module("tests.test_a", "tests/test_a.py").module("tests")
    assert drift(base, current) == ()


def test_names_inside_functions_are_nobody_s_business(base, current, drift):
    base.function("pkg.f").function("pkg.f.helper").cls("pkg.f.Local")
    current.function("pkg.f")
    assert drift(base, current) == ()


def test_a_file_that_could_not_be_read_removes_nothing(base, current, drift):
    base.function("pkg.f").package("other")
    current.package("other").skip("pkg.py")
    assert drift(base, current) == ()


def test_the_same_file_under_another_import_root_removes_nothing(base, current, drift):
    base.module("src.pkg.m", "src/pkg/m.py").function("src.pkg.m.f")
    current.module("pkg.m", "src/pkg/m.py").function("pkg.m.f")
    assert drift(base, current) == ()


@pytest.mark.parametrize("served", [True, False])
def test_a_star_import_may_serve_a_name_that_moved(base, current, drift, served):
    base.package("pkg").function("pkg.f", "(a)").function("pkg.impl.g")
    current.package("pkg").function("pkg.impl.g").function("pkg.impl.f" if served else "pkg.impl._f", "(a)")
    current.use("pkg", "pkg.impl", EdgeKind.IMPORT, "from .impl import *")
    assert [s.symbols[0] for s in drift(base, current)] == ([] if served else ["pkg.f"])


def test_a_star_import_from_outside_may_serve_any_name(base, current, drift):
    base.function("pkg.f")
    current.module("pkg").use("pkg", "_speedups", EdgeKind.IMPORT, "from _speedups import *", UNRESOLVED)
    assert drift(base, current) == ()


@pytest.mark.parametrize("line", ["globals().update(made)", "sys.modules[__name__] = Lazy()"])
def test_a_module_that_writes_its_own_namespace_may_serve_any_name(base, current, drift, line):
    base.function("pkg.f")
    target = "builtins.globals" if line.startswith("globals") else "sys.modules"
    current.module("pkg").use("pkg", target, line=line, resolution=UNRESOLVED)
    assert drift(base, current) == ()


# -- members of classes


def test_a_class_that_code_adds_members_to_serves_any_name(base, current, drift):
    base.cls("pkg.C").function("pkg.C.run").cls("pkg.D").function("pkg.D.run")
    current.cls("pkg.C").use("pkg", "pkg.C", line="setattr(C, name, make(name))")
    current.cls("pkg.D", decorators=("proxy_methods('run')",))
    assert drift(base, current) == ()


def test_a_method_moved_to_a_base_class_is_not_removed(base, current, drift):
    base.cls("pkg.B").cls("pkg.C", "pkg.B").function("pkg.C.run", "(a)")
    current.cls("pkg.B").function("pkg.B.run", "(a)").cls("pkg.C", "pkg.B")
    assert drift(base, current) == ()


def test_a_removed_method_finds_its_stranded_calls(base, current, drift):
    base.cls("pkg.C").function("pkg.C.run", "(a)").function("app.main")
    base.call("app.main", "pkg.C.run", "(1)", line="c.run(1)", resolution=Resolution.UNIQUE_NAME)
    base.call("app.main", "pkg.C.run", "(2, 3)", line="c.run(2, 3)", resolution=Resolution.LOCAL)
    current.cls("pkg.C").function("app.main")
    current.call("app.main", "c.run", "(1)", line="c.run(1)", resolution=UNRESOLVED)
    current.call("app.main", "c.run", "(2)", line="c.run(2)", resolution=UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert [(d.text, d.resolution) for d in signal.lagging] == [("c.run(1)", Resolution.UNIQUE_NAME)]
    assert signal.line == ("method pkg.C.run was removed; 1 use in 1 file is left (1 matched by name only)")


def test_a_guess_by_name_alone_does_not_make_a_private_removal_a_signal(base, current, drift):
    base.cls("pkg.C").function("pkg.C._run").function("app.main")
    base.call("app.main", "pkg.C._run", "()", line="c._run()", resolution=Resolution.UNIQUE_NAME)
    current.cls("pkg.C").function("app.main")
    current.call("app.main", "?._run", "()", line="c._run()", resolution=UNRESOLVED)
    assert drift(base, current) == ()


def test_a_member_pushed_down_to_subclasses_may_be_what_its_uses_reach(base, current, drift):
    base.cls("pkg.B").function("pkg.B._step").function("pkg.B.run").cls("pkg.C", "pkg.B")
    current.cls("pkg.B").function("pkg.B.run").cls("pkg.C", "pkg.B").function("pkg.C._step")
    current.function("app.main").call("app.main", "pkg.B._step", "()", resolution=UNRESOLVED)
    current.call("pkg.B.run", "pkg.B._step", "()", line="self._step()", resolution=UNRESOLVED)
    assert drift(base, current) == ()


@pytest.mark.parametrize("outside", ["Model", "threading.Thread", "collections.UserDict[str, int]"])
def test_a_method_that_a_base_from_outside_may_provide_is_not_removed(base, current, drift, outside):
    base.cls("pkg.C", outside).function("pkg.C.run")
    current.cls("pkg.C", outside)
    assert drift(base, current) == ()


@pytest.mark.parametrize("outside", ["Exception", "dict", "abc.ABC", "Generic[T]", "object"])
def test_a_method_that_a_known_base_lacks_is_removed(base, current, drift, outside):
    base.cls("pkg.C", outside).function("pkg.C.run")
    current.cls("pkg.C", outside)
    assert _only(drift(base, current), SignalKind.SYMBOL_REMOVED).symbols == ("pkg.C.run",)


def test_a_method_that_a_builtin_base_has_is_not_removed(base, current, drift):
    base.cls("pkg.C", "dict").function("pkg.C.items")
    current.cls("pkg.C", "dict")
    assert drift(base, current) == ()


def test_a_class_with_getattr_serves_any_name(base, current, drift):
    base.cls("pkg.B").function("pkg.B.__getattr__", "(name)").cls("pkg.C", "pkg.B").function("pkg.C.run")
    current.cls("pkg.B").function("pkg.B.__getattr__", "(name)").cls("pkg.C", "pkg.B")
    assert drift(base, current) == ()


def test_attributes_that_an_instance_may_still_have_need_a_use_left(base, current, drift):
    base.cls("pkg.C").constant("pkg.C.x", "1").prop("pkg.C.y").function("pkg.C.__lt__", "(other)")
    current.cls("pkg.C")
    assert drift(base, current) == ()
    current.function("app.main").use("app.main", "pkg.C.x", resolution=UNRESOLVED)
    assert _only(drift(base, current), SignalKind.SYMBOL_REMOVED).symbols == ("pkg.C.x",)


def test_a_removed_enum_member_is_a_removal(base, current, drift):
    base.cls("pkg.Color", "enum.Enum").constant("pkg.Color.RED", "1").constant("pkg.Color.BLUE", "2")
    current.cls("pkg.Color", "enum.Enum").constant("pkg.Color.RED", "1")
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert (signal.symbols, signal.before) == (("pkg.Color.BLUE",), "BLUE = 2")


def test_diamonds_are_looked_up_in_c3_order(base, current, drift):
    for graph in (base, current):
        graph.cls("pkg.A").function("pkg.A.run", "(a)").cls("pkg.B", "pkg.A").cls("pkg.C", "pkg.A")
        graph.function("pkg.C.run", "(a, b)").cls("pkg.D", "pkg.B", "pkg.C")
    base.function("pkg.D.run", "(a, b)")
    assert drift(base, current) == ()


def test_a_class_among_its_own_bases_does_not_hang(base, current, drift):
    for graph in (base, current):
        graph.cls("pkg.A").cls("pkg.B", "pkg.A").use("pkg.A", "pkg.B", EdgeKind.INHERIT)
    base.function("pkg.A.run")
    assert _only(drift(base, current), SignalKind.SYMBOL_REMOVED).symbols == ("pkg.A.run",)


# -- moves


def test_a_moved_function_is_neither_removed_nor_added(base, current, drift):
    base.package("pkg").function("pkg.a.f", "(x, y=1)").function("app.main").function("pkg.a.g", "(z)")
    current.package("pkg").function("pkg.a.g", "(z)").function("pkg.b.f", "(x, y=1)").function("app.main")
    current.use("app.main", "pkg.a.f", EdgeKind.IMPORT, "from pkg.a import f", UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_MOVED)
    assert signal.line == ("function pkg.a.f moved to pkg.b.f and left no alias; 1 use in 1 file is left")
    assert signal.symbols == ("pkg.a.f", "pkg.b.f")
    assert (signal.detail.old_id, signal.detail.new_id) == ("pkg.a.f", "pkg.b.f")
    assert (signal.detail.base_path, signal.detail.current_path) == ("pkg/a.py", "pkg/b.py")
    assert signal.paths == ("pkg/b.py", "pkg/a.py")


def test_two_new_places_are_a_removal(base, current, drift):
    base.package("pkg").function("pkg.a.f", "(x)").constant("pkg.a.K", "1")
    current.package("pkg").function("pkg.b.f", "(x)").function("pkg.c.f", "(x)").constant("pkg.a.K", "1")
    assert _only(drift(base, current), SignalKind.SYMBOL_REMOVED).symbols == ("pkg.a.f",)


def test_two_old_places_for_one_new_are_removals(base, current, drift):
    base.package("pkg").function("pkg.a.f", "(x)").function("pkg.b.f", "(x)")
    current.package("pkg").module("pkg.a").module("pkg.b").function("pkg.c.f", "(x)")
    assert [s.kind for s in drift(base, current)] == [SignalKind.SYMBOL_REMOVED] * 2


def test_another_signature_at_the_new_place_is_a_removal(base, current, drift):
    base.package("pkg").function("pkg.a.f", "(x)")
    current.package("pkg").module("pkg.a").function("pkg.b.f", "(x, y)")
    assert _only(drift(base, current), SignalKind.SYMBOL_REMOVED).symbols == ("pkg.a.f",)


def test_a_moved_class_takes_its_methods_along(base, current, drift):
    base.package("pkg").cls("pkg.a.C", init="(x)").function("pkg.a.C.run").function("pkg.a.C.stop")
    current.package("pkg").module("pkg.a").cls("pkg.b.C", init="(x)").function("pkg.b.C.run")
    signal = _only(drift(base, current), SignalKind.SYMBOL_MOVED)
    assert signal.symbols == ("pkg.a.C", "pkg.b.C")
    assert signal.detail.names == ("stop",)


def test_a_renamed_module_is_one_move(base, current, drift):
    base.package("pkg").function("pkg.old.f").function("pkg.old.g").function("pkg.old.h")
    current.package("pkg").function("pkg.new.f").function("pkg.new.g").function("pkg.other.z")
    signal = _only(drift(base, current), SignalKind.SYMBOL_MOVED)
    assert signal.symbols == ("pkg.old", "pkg.new")
    assert signal.detail.names == ("h",)


def test_a_constant_moves_with_its_value(base, current, drift):
    base.package("pkg").constant("pkg.a.LIMIT", "10")
    current.package("pkg").module("pkg.a").constant("pkg.b.LIMIT", "10")
    assert _only(drift(base, current), SignalKind.SYMBOL_MOVED).symbols == ("pkg.a.LIMIT", "pkg.b.LIMIT")


def test_a_private_move_that_left_nobody_behind_is_no_signal(base, current, drift):
    base.package("pkg").function("pkg.a._f", "(x)")
    current.package("pkg").module("pkg.a").function("pkg.b._f", "(x)")
    assert drift(base, current) == ()


# -- the whole


def test_equal_graphs_have_no_drift_and_the_order_is_fixed(base, current, drift):
    for graph in (base, current):
        graph.function("pkg.f", "(a)").cls("pkg.C", init="(b)").constant("pkg.X", "1")
    assert drift(base, current) == ()
    base.function("pkg.g").function("pkg.h").function("pkg.k", "(a)")
    current.function("pkg.k", "(b)")
    first, second = drift(base, current), drift(base, current)
    assert first == second and len(first) == 3
    assert [s.key for s in first] == sorted(s.key for s in first)


def test_a_line_stays_one_line_whatever_a_file_is_called(base, current, drift):
    base.module("odd\nname", "odd\nname.py").function("odd\nname.f").function("app.main")
    current.function("app.main").call("app.main", "odd\nname.f", "()", resolution=UNRESOLVED)
    signal = _only(drift(base, current), SignalKind.SYMBOL_REMOVED)
    assert "\n" not in signal.line and "odd\\nname" in signal.line
