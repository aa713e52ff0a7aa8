"""The witness is sound and complete, checked against Python's own binding of real functions."""

from __future__ import annotations

import inspect
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.signals.drift.witness import common, origin, shift, shifted, witness
from repo_guardian.tools.signals.interface import WitnessOrigin
from repo_guardian.tools.views.symbol_graph.signature import (
    CallShape,
    Parameter,
    ParameterKind,
    Signature,
)

NAMES = ("a", "b", "c", "d", "e")
KINDS = (
    ParameterKind.POSITIONAL_ONLY,
    ParameterKind.POSITIONAL_OR_KEYWORD,
    ParameterKind.VAR_POSITIONAL,
    ParameterKind.KEYWORD_ONLY,
    ParameterKind.VAR_KEYWORD,
)


@st.composite
def signatures(draw: st.DrawFn) -> Signature:
    """Any legal signature over five names; variadics included."""
    names = draw(st.permutations(NAMES))
    counts = [draw(st.integers(0, 2)), draw(st.integers(0, 2)), draw(st.integers(0, 1))]
    positional = names[: counts[0] + counts[1]]
    required = draw(st.integers(0, len(positional)))
    found = [
        Parameter(name, KINDS[0] if i < counts[0] else KINDS[1], None if i < required else "None")
        for i, name in enumerate(positional)
    ]
    if draw(st.booleans()):
        found.append(Parameter("args", KINDS[2]))
    keywords = names[len(positional) : len(positional) + counts[2]]
    found += [Parameter(name, KINDS[3], draw(st.sampled_from((None, "None")))) for name in keywords]
    if draw(st.booleans()):
        found.append(Parameter("kwargs", KINDS[4]))
    return Signature(tuple(found))


def _function(signature: Signature):
    namespace: dict[str, object] = {}
    exec(f"def f{signature.render()}: return locals()", namespace)
    return namespace["f"]


def _runs(function, call: CallShape) -> bool:
    """Whether Python itself accepts the call: the body cannot raise."""
    try:
        function(*range(call.positional), **dict.fromkeys(call.keywords, 0))
    except TypeError:
        return False
    return True


def _binds(function, call: CallShape) -> bool:
    try:
        inspect.signature(function).bind(*range(call.positional), **dict.fromkeys(call.keywords, 0))
    except TypeError:
        return False
    return True


def _keywords_hit_positional_only(signature: Signature, call: CallShape) -> bool:
    """Where ``inspect`` before Python 3.13 differs from the interpreter: ``**kwargs`` takes such a name."""
    only = {p.name for p in signature.parameters if p.kind is ParameterKind.POSITIONAL_ONLY}
    return bool(only & set(call.keywords))


@settings(max_examples=300, deadline=None)
@given(before=signatures(), after=signatures(), seed=st.integers(0, 2**32))
def test_a_witness_binds_before_and_not_after_and_none_means_compatible(before, after, seed):
    old, new = _function(before), _function(after)
    found = witness(before, after)
    if found is not None:
        assert _runs(old, found) and not _runs(new, found)
        if not _keywords_hit_positional_only(before, found):
            assert _binds(old, found)
        if not _keywords_hit_positional_only(after, found):
            assert not _binds(new, found)
        return
    rng = random.Random(seed)
    for _ in range(60):
        keywords = tuple(rng.sample((*NAMES, "args", "kwargs", "z"), rng.randint(0, 4)))
        call = CallShape(rng.randint(0, 6), keywords)
        assert not _runs(old, call) or _runs(new, call), call.render()


@settings(max_examples=200, deadline=None)
@given(before=signatures(), after=signatures())
def test_a_shifted_shape_runs_on_both_and_delivers_a_value_elsewhere(before, after):
    found = shifted(before, after)
    if found is None:
        return
    old, new = _function(before), _function(after)
    assert _runs(old, found) and _runs(new, found)
    index, _, _ = shift(before, after, found)

    def slot(function) -> str:
        received = function(*range(found.positional), **dict.fromkeys(found.keywords, -1))
        return next(
            name for name, value in received.items()
            if value == index or (isinstance(value, tuple) and index in value)
        )  # fmt: skip

    assert slot(old) != slot(new)


@given(signature=signatures())
def test_a_signature_has_no_witness_against_itself_and_some_call_fits_it(signature):
    assert witness(signature, signature) is None
    assert shifted(signature, signature) is None
    assert _runs(_function(signature), common(signature, signature))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("(*args, **kw)", "(*args)", "(extra=1)"),
        ("(*args)", "()", "(1)"),
        ("(a, *args)", "(a, b)", "(1)"),
        ("(a, b=1, *, c)", "(a, *, c)", "(1, 2, c=3)"),
        ("(extra=1, **kw)", "(extra=1)", "(extra_=1)"),
    ],
)
def test_the_smallest_natural_shape_is_chosen(text, before, after, expected):
    found = witness(text.signature(before), text.signature(after))
    assert found == text.shape(expected)


def test_shapes_that_need_a_variadic_are_marked(text):
    assert origin(text.signature("(a, **kw)"), text.shape("(1)")) is WitnessOrigin.SIGNATURE
    assert origin(text.signature("(a, **kw)"), text.shape("(1, z=1)")) is WitnessOrigin.VARIADIC
    assert origin(text.signature("(*a, **kw)"), text.shape("()")) is WitnessOrigin.VARIADIC


@pytest.mark.parametrize(
    ("before", "after", "call", "expected"),
    [
        ("(a, b)", "(b, a)", "(1, 2)", (0, "'a'", "'b'")),
        ("(a, b=1)", "(a, x=0, b=1)", "(1, 2)", (1, "'b'", "'x'")),
        ("(a, b, c=1)", "(a, c=1)", "(1, 2)", (1, "'b'", "'c'")),
        ("(a, *rest)", "(a, b=None, *rest)", "(1, 2)", None),
        ("(a, b=None)", "(a, *rest, b=None)", "(1, 2)", (1, "'b'", "*rest")),
        ("(old)", "(new)", "(1)", None),
        ("(a, b)", "(*args)", "(1, 2)", None),
        ("(*args)", "(*rest)", "(1)", None),
    ],
)
def test_what_counts_as_a_shift(text, before, after, call, expected):
    assert shift(text.signature(before), text.signature(after), text.shape(call)) == expected
