"""Templates write the test that a maintainer would, and place no stranger's text into source unchecked."""

import ast

import pytest

from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Dependent,
    Effect,
    Receiver,
    Signal,
    SignalKind,
    SymbolDetail,
    WitnessOrigin,
)
from repo_guardian.tools.views.symbol_graph.model import Span, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature

SPAN = Span(3, 4, 10, 40)
ONE = CallShape(1)


def signal(*, effect=Effect.UNBINDS, witness=ONE, dependents=(), **fields):
    values = {
        "symbol_kind": SymbolKind.FUNCTION,
        "module": "pkg.io",
        "qualname": "load",
        "old_id": "pkg.io.load",
        "new_id": "pkg.io.load",
        "base_path": "pkg/io.py",
        "current_path": "pkg/io.py",
        "base_span": SPAN,
        "current_span": SPAN,
        "witness_origin": WitnessOrigin.CALL,
    }
    detail = SymbolDetail(effect=effect, witness=witness, **{**values, **fields})
    return Signal(
        key="k",
        kind=SignalKind.CONTRACT_CHANGED,
        line="changed",
        symbols=("pkg.io.load",),
        paths=("pkg/io.py",),
        dependents=tuple(dependents),
        detail=detail,
    )


def template_for(signal, before):
    """The first test that needs nothing but the signature at the base; None without one."""
    return next(iter(candidates(signal, Material(before=before))), None)


def lagging(path, line=7):
    return Dependent("a.f", path, Span(line, line, 0, 1), "load(x)", lagging=True)


def test_a_call_shape_becomes_a_bind():
    test = template_for(signal(dependents=[lagging("examples/a.py"), lagging("b.py")]), None)
    assert test.text == (
        "def test_load_still_accepts_1_positional_argument():\n"
        '    """examples/a.py:7 and 1 more still rely on it."""\n'
        "    import inspect\n"
        "    from pkg.io import load\n"
        "\n"
        "    inspect.signature(load).bind(object())\n"
    )
    assert test.test_id == f"{test.function}.py::{test.function}"


def test_a_method_gets_its_receiver_and_keywords_keep_their_names():
    test = template_for(
        signal(qualname="Reader.read", receiver=Receiver.INSTANCE, witness=CallShape(1, ("size", "strict"))),
        None,
    )
    assert (
        "inspect.signature(Reader.read).bind(object(), object(), size=object(), strict=object())" in test.text
    )
    assert "from pkg.io import Reader\n" in test.text


def test_a_removed_name_is_imported_and_a_removed_member_is_reached():
    gone = template_for(signal(effect=Effect.UNRESOLVED, witness=None), None)
    assert gone.text.endswith("    from pkg.io import load\n")
    member = template_for(signal(effect=Effect.UNRESOLVED, witness=None, qualname="Reader.read"), None)
    assert "    from pkg.io import Reader\n\n    Reader.read" in member.text
    module = template_for(signal(effect=Effect.UNRESOLVED, witness=None, qualname=""), None)
    assert module.text.endswith("    import pkg.io\n")


@pytest.mark.parametrize(
    ("change", "assertion"),
    [
        (ChangeKind.BECAME_ASYNC, "assert not inspect.iscoroutinefunction(load)"),
        (ChangeKind.BECAME_SYNC, "assert inspect.iscoroutinefunction(load)"),
        (ChangeKind.BECAME_GENERATOR, "assert not inspect.isgeneratorfunction(load)"),
        (ChangeKind.CEASED_GENERATOR, "assert inspect.isgeneratorfunction(load)"),
    ],
)
def test_what_a_call_returns_is_asserted(change, assertion):
    test = template_for(signal(effect=Effect.RETURNS, changes=(ContractChange(change, "x"),)), None)
    assert assertion in test.text


@pytest.mark.parametrize(
    ("change", "assertion"),
    [
        (ChangeKind.BECAME_PROPERTY, "assert callable(Reader.read)"),
        (
            ChangeKind.BECAME_METHOD,
            'assert not inspect.isfunction(inspect.getattr_static(Reader, "read"))',
        ),
    ],
)
def test_how_an_attribute_is_accessed_is_asserted(change, assertion):
    test = template_for(
        signal(
            effect=Effect.ACCESS, witness=None, qualname="Reader.read", changes=(ContractChange(change, "x"),)
        ),
        None,
    )
    assert assertion in test.text


def test_positions_that_reach_other_parameters_are_compared_by_name():
    before = Signature(
        (
            Parameter("stream", ParameterKind.POSITIONAL_OR_KEYWORD),
            Parameter("size", ParameterKind.POSITIONAL_OR_KEYWORD, "0"),
        )
    )
    test = template_for(signal(effect=Effect.REBINDS, witness=CallShape(2)), before)
    assert 'assert list(bound.arguments)[0:2] == ["stream", "size"]' in test.text


def test_what_the_base_took_only_through_star_arguments_is_not_provable():
    assert template_for(signal(witness_origin=WitnessOrigin.VARIADIC), None) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"module": "pkg.io; import os"},
        {"qualname": "load\nimport os"},
        {"qualname": "class"},
        {"qualname": "l\u00f6ad"},
        {"witness": CallShape(0, ("a=1, b",))},
        {"witness": CallShape(0, (), star=True)},
        {"witness": None},
    ],
)
def test_names_that_are_no_identifiers_never_reach_the_source(fields):
    assert template_for(signal(**fields), None) is None


def test_a_hostile_path_is_not_named_in_the_docstring():
    test = template_for(signal(dependents=[lagging('a"""\nimport os\n"""b.py')]), None)
    assert len(ast.parse(test.text).body) == 1
    assert "import os" not in test.text
