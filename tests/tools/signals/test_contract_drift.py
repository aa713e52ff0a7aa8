"""Contracts: one signal per changed callable, its clauses, its witness, and who lags behind it."""

from __future__ import annotations

import pytest

from repo_guardian.tools.signals.interface import (
    ChangeKind,
    Effect,
    Receiver,
    SignalKind,
    SymbolDetail,
    WitnessOrigin,
)
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Resolution, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape


def _only(signals):
    assert len(signals) == 1, [s.line for s in signals]
    assert signals[0].kind is SignalKind.CONTRACT_CHANGED
    assert isinstance(signals[0].detail, SymbolDetail)
    return signals[0]


def _kinds(signal):
    return [change.kind for change in signal.detail.changes]


def test_default_removed_names_the_parameter_and_counts_the_calls(base, current, drift):
    for graph, text in ((base, "(stream, Loader=None)"), (current, "(stream, Loader)")):
        graph.package("yaml").function("yaml.load", text).function("app.main")
        graph.call("app.main", "yaml.load", "(s)")
        graph.call("app.main", "yaml.load", "(s, L)").call("app.main", "yaml.load", "(s, Loader=L)")
    signal = _only(drift(base, current))
    assert signal.line == (
        "yaml.load: parameter 'Loader' became required (was Loader=None); "
        "1 of 3 calls still uses the old form"
    )
    assert [(d.text, d.reason) for d in signal.lagging] == [
        ("load(s)", "misses the required argument 'Loader'")
    ]
    detail = signal.detail
    assert (detail.module, detail.qualname, detail.symbol_kind) == ("yaml", "load", SymbolKind.FUNCTION)
    assert (detail.effect, detail.witness) == (Effect.UNBINDS, CallShape(1))
    assert detail.witness_origin is WitnessOrigin.CALL
    assert (signal.before, signal.after) == ("load(stream, Loader=None)", "load(stream, Loader)")
    assert (signal.dependents_total, signal.lagging_total) == (3, 1)


@pytest.mark.parametrize(
    ("before", "after", "kinds", "witness"),
    [
        ("(a)", "(a, b)", [ChangeKind.PARAMETER_ADDED], "(1)"),
        ("(a, c)", "(a, b, c)", [ChangeKind.PARAMETER_ADDED], "(1, 2)"),
        ("(a, b)", "(a)", [ChangeKind.PARAMETER_REMOVED], "(1, 2)"),
        (
            "(data)",
            "(s, /)",
            [ChangeKind.PARAMETER_RENAMED, ChangeKind.PARAMETER_POSITIONAL_ONLY],
            "(data=2)",
        ),
        ("(a, cmd)", "(a, argv)", [ChangeKind.PARAMETER_RENAMED], "(1, cmd=2)"),
        ("(a, cmd=1)", "(a, cmd_parts=1)", [ChangeKind.PARAMETER_RENAMED], "(1, cmd=2)"),
        ("(a, *, cmd=1)", "(a, *, command=1)", [ChangeKind.PARAMETER_RENAMED], "(1, cmd=2)"),
        ("(a, mix_stderr=True)", "(a, wait=True)", [ChangeKind.PARAMETER_REMOVED], "(1, mix_stderr=2)"),
        ("(a, b)", "(b, a)", [ChangeKind.PARAMETER_REORDERED], "(1, b=2)"),
        ("(a, b=1)", "(a, b)", [ChangeKind.PARAMETER_REQUIRED], "(1)"),
        ("(a, b=1)", "(a, *, b=1)", [ChangeKind.PARAMETER_KEYWORD_ONLY], "(1, 2)"),
        ("(a)", "(a, /)", [ChangeKind.PARAMETER_POSITIONAL_ONLY], "(a=1)"),
        ("(a, *rest)", "(a)", [ChangeKind.ARGS_REMOVED], "(1, 2)"),
        ("(a, **options)", "(a)", [ChangeKind.KWARGS_REMOVED], "(1, extra=2)"),
        ("(a, b=1)", "(x, a, b)", [ChangeKind.PARAMETER_REQUIRED, ChangeKind.PARAMETER_ADDED], "(1)"),
    ],
)
def test_each_breaking_change_is_one_signal_with_its_witness(
    base, current, drift, text, before, after, kinds, witness
):
    base.function("pkg.f", before)
    current.function("pkg.f", after)
    signal = _only(drift(base, current))
    assert _kinds(signal) == kinds
    assert signal.detail.witness == text.shape(witness)
    assert signal.detail.effect is Effect.UNBINDS
    assert signal.lagging == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(a)", "(a, b=None)"),
        ("(a, b)", "(a, b=None)"),
        ("(a, b=1)", "(a, b=2)"),
        ("(a: int)", "(a: str)"),
        ("(a, **attrs)", "(a, **attributes)"),
        ("(a, *args)", "(a, *rest)"),
        ("(a, /)", "(b, /)"),
        ("(__a, b)", "(a, /, b)"),
        ("(*rest)", "(__a=None, *rest)"),
        ("(*rest, **kw)", "(a=None, *rest, **kw)"),
        ("(a, /)", "(a)"),
        ("(a, *, b)", "(a, b)"),
        ("(a)", "(*args, **kwargs)"),
        ("(a, **options)", "(a, *, b=None, **options)"),
        ("(a, *, k=1)", "(a, b=None, *, k=1)"),
        ("(a, /, **kw)", "(a, **kw)"),
        ("() -> Iterator[int]", "() -> Iterator[int] yields"),
        ("() -> Awaitable[int]", "async () -> int"),
    ],
)
def test_compatible_changes_raise_no_signal(base, current, drift, before, after):
    base.function("pkg.f", before)
    current.function("pkg.f", after)
    assert drift(base, current) == ()


def test_keyword_only_conversion_names_the_argument_that_does_not_fit(base, current, drift):
    for graph, text in ((base, "(a, b=1)"), (current, "(a, *, b=1)")):
        graph.function("pkg.f", text).function("app.main")
        graph.call("app.main", "pkg.f", "(1, 2)").call("app.main", "pkg.f", "(1, b=2)")
    signal = _only(drift(base, current))
    assert [(d.text, d.reason) for d in signal.lagging] == [
        ("f(1, 2)", "takes 1 positional arguments, 2 are given")
    ]
    assert "parameter 'b' became keyword-only" in signal.line


def test_renamed_parameter_with_positional_callers_lags_nowhere(base, current, drift):
    for graph, text in ((base, "(old)"), (current, "(new)")):
        graph.function("pkg.f", text).function("app.main").call("app.main", "pkg.f", "(1)")
    signal = _only(drift(base, current))
    assert signal.lagging == () and signal.dependents_total == 1
    assert signal.detail.witness == CallShape(0, ("old",))
    assert "none of 1 call is known to use the old form" in signal.line


def test_a_call_that_was_already_wrong_or_is_undecided_does_not_lag(base, current, drift):
    for graph, text in ((base, "(a, b=1)"), (current, "(a, b)")):
        graph.function("pkg.f", text).function("app.main")
        graph.call("app.main", "pkg.f", "()").call("app.main", "pkg.f", "(*args)")
        graph.call("app.main", "pkg.f", "(1, **kw)")
    assert _only(drift(base, current)).lagging == ()


def test_an_optional_parameter_inserted_before_others_rebinds_unchanged_calls(base, current, drift):
    base.function("pkg.f", "(a, b=1)").function("app.main")
    base.call("app.main", "pkg.f", "(1, 2)")
    current.function("pkg.f", "(a, x=None, b=1)").function("app.main")
    current.call("app.main", "pkg.f", "(1, 2)").call("app.main", "pkg.f", "(1, 3)", line="f(1, 3)")
    signal = _only(drift(base, current))
    assert _kinds(signal) == [ChangeKind.PARAMETER_INSERTED]
    assert (signal.detail.effect, signal.detail.witness) == (Effect.REBINDS, CallShape(2))
    assert [(d.text, d.reason) for d in signal.lagging] == [
        ("f(1, 2)", "argument 2 now reaches 'x'; it reached 'b'")
    ]


def test_a_forwarding_signature_made_explicit_is_weak_evidence(base, current, drift):
    base.function("pkg.f", "(*args, **kwargs)")
    current.function("pkg.f", "(a, b=None)")
    assert _only(drift(base, current)).detail.witness_origin is WitnessOrigin.VARIADIC


def test_sync_to_async_lags_where_an_unchanged_call_is_not_awaited(base, current, drift):
    base.function("pkg.f", "(a)").function("app.main")
    base.call("app.main", "pkg.f", "(1)", line="x = f(1)")
    current.function("pkg.f", "async (a)").function("app.main")
    current.call("app.main", "pkg.f", "(1)", line="x = f(1)")
    current.call("app.main", "pkg.f", "(1)", line="y = await f(1)")
    signal = _only(drift(base, current))
    assert _kinds(signal) == [ChangeKind.BECAME_ASYNC]
    assert [(d.text, d.reason) for d in signal.lagging] == [("x = f(1)", "is not awaited")]
    assert (signal.detail.was_async, signal.detail.is_async) == (False, True)
    assert signal.detail.effect is Effect.RETURNS
    assert signal.after == "async f(a)"


def test_a_function_whose_result_was_awaited_before_has_no_lagging_call(base, current, drift):
    base.function("pkg.f").function("app.main").call("app.main", "pkg.f", "()", line="await f()")
    base.call("app.main", "pkg.f", "()", line="return f()")
    current.function("pkg.f", "async ()").function("app.main")
    current.call("app.main", "pkg.f", "()", line="return f()")
    assert _only(drift(base, current)).lagging == ()


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("async ()", "()", ChangeKind.BECAME_SYNC),
        ("()", "() yields", ChangeKind.BECAME_GENERATOR),
        ("() yields", "()", ChangeKind.CEASED_GENERATOR),
        ("async ()", "async () yields", ChangeKind.BECAME_GENERATOR),
    ],
)
def test_other_protocols_are_told_apart(base, current, drift, before, after, kind):
    base.function("pkg.f", before)
    current.function("pkg.f", after)
    signal = _only(drift(base, current))
    assert _kinds(signal) == [kind]
    assert (signal.detail.effect, signal.detail.witness) == (Effect.RETURNS, CallShape())


def test_a_context_manager_stays_one_whatever_its_body_does(base, current, drift):
    base.function("pkg.f", "() yields", decorators=("contextlib.contextmanager",))
    current.function("pkg.f", "()", decorators=("contextmanager",))
    assert drift(base, current) == ()


def test_method_to_property_and_back(base, current, drift):
    base.cls("pkg.C").function("pkg.C.size").prop("pkg.C.name").function("app.main")
    base.call("app.main", "pkg.C.size", "()", line="c.size()")
    base.use("app.main", "pkg.C.name", line="c.name")
    current.cls("pkg.C").prop("pkg.C.size").function("pkg.C.name").function("app.main")
    current.use("app.main", "pkg.C.size", line="c.size()")
    current.use("app.main", "pkg.C.name", line="c.name")
    signals = {s.symbols[0]: s for s in drift(base, current)}
    assert set(signals) == {"pkg.C.size", "pkg.C.name"}
    assert [d.reason for d in signals["pkg.C.size"].lagging] == ["calls what is a property now"]
    assert [d.reason for d in signals["pkg.C.name"].lagging] == ["reads what is a method now"]
    assert all(s.detail.effect is Effect.ACCESS and s.detail.witness is None for s in signals.values())


def test_constructor_is_reported_as_its_class_with_calls_through_heirs(base, current, drift):
    for graph, init in ((base, "(a)"), (current, "(a, b)")):
        graph.cls("pkg.C", init=init).cls("pkg.D", "pkg.C").cls("pkg.E", "pkg.C", init="()")
        graph.function("app.main")
        graph.call("app.main", "pkg.C", "(1)", resolution=Resolution.CONSTRUCTOR)
        graph.call("app.main", "pkg.D", "(1)", resolution=Resolution.CONSTRUCTOR)
        graph.call("app.main", "pkg.E", "()", resolution=Resolution.CONSTRUCTOR)
        graph.call("pkg.E", "pkg.C.__init__", "(1)", line="super().__init__(1)")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg.C",)
    assert (signal.before, signal.after) == ("class C(a)", "class C(a, b)")
    assert sorted(d.text for d in signal.lagging) == ["C(1)", "D(1)", "super().__init__(1)"]
    assert (signal.detail.symbol_kind, signal.detail.qualname) == (SymbolKind.CLASS, "C")


def test_a_constructor_that_appears_breaks_the_call_without_arguments(base, current, drift):
    base.cls("pkg.C")
    current.cls("pkg.C", init="(a)")
    assert _only(drift(base, current)).detail.witness == CallShape()


@pytest.mark.parametrize("outside", ["Model", "django.db.models.Model", "Exception", "dict"])
def test_a_constructor_that_a_base_from_outside_decides_is_left_alone(base, current, drift, outside):
    base.cls("pkg.C", outside)
    current.cls("pkg.C", outside, init="(a)")
    assert drift(base, current) == ()


def test_an_own_method_replaced_by_an_incompatible_inherited_one_is_a_contract_change(base, current, drift):
    base.cls("pkg.B").function("pkg.B.run", "(a, b)").cls("pkg.C", "pkg.B").function("pkg.C.run", "(a)")
    base.function("app.main").call("app.main", "pkg.C.run", "(1)", line="c.run(1)")
    base.call("app.main", "pkg.B.run", "(1, 2)", line="b.run(1, 2)")
    current.cls("pkg.B").function("pkg.B.run", "(a, b)").cls("pkg.C", "pkg.B")
    current.function("app.main").call("app.main", "pkg.B.run", "(1)", line="c.run(1)")
    current.call("app.main", "pkg.B.run", "(1, 2)", line="b.run(1, 2)")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg.C.run", "pkg.B.run")
    assert [d.text for d in signal.dependents] == ["c.run(1)"]
    assert signal.detail.receiver is Receiver.INSTANCE


def test_a_definition_followed_through_its_alias_is_still_compared(base, current, drift):
    base.function("pkg.f", "(a)").function("app.main").call("app.main", "pkg.f", "(1)")
    current.function("pkg._impl.f", "(a, b)").alias("pkg.f", "pkg._impl.f")
    current.function("app.main").call("app.main", "pkg._impl.f", "(1)")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg.f", "pkg._impl.f")
    assert (signal.detail.old_id, signal.detail.new_id) == ("pkg.f", "pkg._impl.f")
    assert signal.lagging_total == 1


def test_a_reexport_that_now_leads_to_another_contract_is_reported_under_its_own_name(base, current, drift):
    base.package("pkg").function("pkg._old.f", "(a)").alias("pkg.f", "pkg._old.f")
    current.package("pkg").function("pkg._new.f", "(a, b)").alias("pkg.f", "pkg._new.f")
    current.module("pkg._old")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg.f", "pkg._old.f", "pkg._new.f")
    assert (signal.detail.module, signal.detail.qualname) == ("pkg", "f")
    assert signal.public


def test_private_symbols_are_reported_only_when_something_uses_them(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.function("pkg._used", text).function("pkg._unused", text).function("app.main")
        graph.call("app.main", "pkg._used", "(1)")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg._used",)
    assert not signal.public and signal.lagging_total == 1


def test_a_private_module_s_function_is_public_when_a_package_exports_it(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.package("pkg").function("pkg._impl.f", text).alias("pkg.f", "pkg._impl.f")
    signal = _only(drift(base, current))
    assert signal.public and signal.symbols == ("pkg.f", "pkg._impl.f")
    assert (signal.detail.module, signal.detail.qualname) == ("pkg", "f")
    assert signal.detail.old_id == "pkg._impl.f"


def test_members_go_by_the_re_export_of_their_class(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.package("pkg").cls("pkg._impl.C").function("pkg._impl.C.run", text)
        graph.function("pkg._impl.C._hidden", text).alias("pkg.C", "pkg._impl.C")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg.C.run", "pkg._impl.C.run")
    assert (signal.detail.module, signal.detail.qualname) == ("pkg", "C.run")


def test_the_attribute_path_of_a_private_method_is_mangled(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.cls("pkg._Pool").function("pkg._Pool.__close", text).function("app.main")
        graph.call("app.main", "pkg._Pool.__close", "(1)")
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg._Pool.__close",)
    assert signal.detail.qualname == "_Pool._Pool__close"


def test_special_methods_are_called_by_position(base, current, drift):
    for graph, text in ((base, "(instance, owner)"), (current, "(obj, cls)")):
        graph.cls("pkg.C").function("pkg.C.__get__", text).function("pkg.C.__set__", "(a)")
    assert drift(base, current) == ()
    current.function("pkg.C.__set__", "(a, b)")
    assert _only(drift(base, current)).symbols == ("pkg.C.__set__",)


@pytest.mark.parametrize("uncertain", [("base",), ("current",), ("base", "current")])
def test_an_uncertain_signature_proves_nothing(base, current, drift, uncertain):
    base.function("pkg.f", "(a)", signature_certain="base" not in uncertain)
    current.function("pkg.f", "(a, b)", signature_certain="current" not in uncertain)
    base.cls("pkg.C", init="(a)", signature_certain="base" not in uncertain)
    current.cls("pkg.C", init="(a, b)", signature_certain="current" not in uncertain)
    assert drift(base, current) == ()


def test_a_definition_that_came_to_be_conditional_is_left_alone(base, current, drift):
    base.function("pkg.f", "(a)")
    current.function("pkg.f", "(a, b)", definitions=2)
    assert drift(base, current) == ()


def test_a_file_that_only_counts_as_another_module_now_is_not_compared(base, current, drift):
    base.module("pkg", "lib/pkg.py").function("pkg.f", "(a)")
    current.module("pkg", "lib3/pkg.py").function("pkg.f", "(a, b)").module("lib:pkg", "lib/pkg.py")
    assert drift(base, current) == ()


def test_no_contract_in_a_file_that_was_only_partly_read(base, current, drift):
    base.function("pkg.f", "(a)")
    current.function("pkg.f", "(a, b)").skip("pkg.py")
    assert drift(base, current) == ()


def test_a_call_matched_by_name_only_lags_last_and_is_said_to(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.cls("pkg.C").function("pkg.C.fetch", text).function("app.main")
        graph.call("app.main", "pkg.C.fetch", "(1)", line="x.fetch(1)", resolution=Resolution.UNIQUE_NAME)
        graph.call("app.main", "pkg.C.fetch", "(a=1)", line="c.fetch(a=1)")
    signal = _only(drift(base, current))
    assert [d.resolution for d in signal.lagging] == [Resolution.IMPORT, Resolution.UNIQUE_NAME]
    assert signal.detail.witness == CallShape(0, ("a",))
    assert signal.line.endswith("2 of 2 calls still use the old form (1 matched by name only)")


def test_a_new_call_of_the_old_shape_lags_unless_it_is_a_test(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.module("tests.test_x", "tests/test_x.py").function("pkg.f", text).function("app.main")
        graph.call("tests.test_x", "pkg.f", "(1)", line="old = f(1)")
    current.call("tests.test_x", "pkg.f", "(1)", line="raises(TypeError, lambda: f(1))")
    current.call("app.main", "pkg.f", "(1)", line="new = f(1)")
    assert [d.text for d in _only(drift(base, current)).lagging] == ["new = f(1)", "old = f(1)"]


def test_references_are_dependents_that_do_not_lag(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.function("pkg.f", text).function("app.main").use("app.main", "pkg.f", EdgeKind.IMPORT)
    signal = _only(drift(base, current))
    assert (signal.dependents_total, signal.lagging_total) == (1, 0)
    assert signal.dependents[0].use is EdgeKind.IMPORT


@pytest.mark.parametrize("guess", [Resolution.UNIQUE_NAME, Resolution.NAME])
def test_a_use_by_name_alone_is_listed_but_proves_nothing(base, current, drift, guess):
    for graph, text in ((base, "(a, **kw)"), (current, "(a)")):
        graph.cls("pkg.C").function("pkg.C.run", text).cls("pkg._D").function("pkg._D.go", text)
        graph.function("app.main")
        graph.call("app.main", "pkg.C.run", "(1, z=2)", resolution=guess)
        graph.call("app.main", "pkg._D.go", "(1, z=2)", resolution=guess)
    signal = _only(drift(base, current))
    assert signal.symbols == ("pkg.C.run",)
    assert [d.guessed for d in signal.lagging] == [True]
    assert "(1 matched by name only)" in signal.line
    assert signal.detail.witness_origin is WitnessOrigin.VARIADIC


def test_an_override_is_no_use(base, current, drift):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.cls("pkg.B").function("pkg.B.run", text).cls("pkg.C", "pkg.B").function("pkg.C.run", "(a)")
        graph.use("pkg.C.run", "pkg.B.run", EdgeKind.OVERRIDE)
    assert _only(drift(base, current)).dependents == ()


def test_a_decorator_is_called_with_what_it_decorates(base, current, drift):
    for graph, text in ((base, "(f)"), (current, "(f, name)")):
        graph.function("pkg.mark", text).function("app.main").function("app.other")
        graph.use("app", "pkg.mark", EdgeKind.DECORATE, line="@mark")
        graph.use("app", "pkg.mark", EdgeKind.DECORATE, line="@mark(1)(2)")
    signal = _only(drift(base, current))
    assert [(d.text, d.reason) for d in signal.lagging] == [("@mark", "misses the required argument 'name'")]


def test_lambdas_have_no_name_that_could_go_away(base, current, drift):
    base.function("pkg.f").function("pkg.<lambda1>", "(a)").function("pkg.<lambda2>", "(b)")
    current.function("pkg.f").function("pkg.<lambda1>", "(b)")
    assert drift(base, current) == ()
