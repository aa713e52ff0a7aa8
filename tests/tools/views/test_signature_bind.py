"""``Signature.bind`` agrees with Python, and with ``inspect.Signature.bind``, wherever it decides."""

from __future__ import annotations

import inspect

from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views.symbol_graph.signature import (
    Binding,
    CallShape,
    Parameter,
    ParameterKind,
    Signature,
)

NAMES = ["a", "b", "c", "d", "e", "f"]
INSPECT_KIND = {
    ParameterKind.POSITIONAL_ONLY: inspect.Parameter.POSITIONAL_ONLY,
    ParameterKind.POSITIONAL_OR_KEYWORD: inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ParameterKind.VAR_POSITIONAL: inspect.Parameter.VAR_POSITIONAL,
    ParameterKind.KEYWORD_ONLY: inspect.Parameter.KEYWORD_ONLY,
    ParameterKind.VAR_KEYWORD: inspect.Parameter.VAR_KEYWORD,
}
ORDER = list(INSPECT_KIND)


@st.composite
def signatures(draw):
    """Any legal signature over a few names."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    kinds = sorted(
        draw(st.lists(st.sampled_from(ORDER), min_size=len(names), max_size=len(names))), key=ORDER.index
    )
    parameters, seen_default = [], False
    for name, kind in zip(names, kinds, strict=True):
        variadic = kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
        if variadic and any(p.kind is kind for p in parameters):
            continue
        default = None if variadic else draw(st.sampled_from([None, "1"]))
        positional = kind in (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)
        if positional and seen_default:
            default = "1"
        seen_default = seen_default or (positional and default is not None)
        parameters.append(Parameter(name, kind, default))
    return Signature(tuple(parameters))


def binds(signature, positional, keywords):
    """Whether Python itself takes the call; ``inspect.Signature.bind`` has a defect before 3.13.

    It refuses ``f(b=0)`` for ``def f(b=1, /, **a)``, which Python accepts.
    """
    space: dict[str, object] = {}
    exec(f"def f{signature.render()}: pass", space)
    try:
        space["f"](*[0] * positional, **dict.fromkeys(keywords, 0))
    except TypeError:
        return False
    return True


def binds_for_inspect(signature, positional, keywords):
    parameters = [
        inspect.Parameter(
            p.name, INSPECT_KIND[p.kind], default=inspect.Parameter.empty if p.default is None else 1
        )
        for p in signature.parameters
    ]
    try:
        inspect.Signature(parameters).bind(*[0] * positional, **dict.fromkeys(keywords, 0))
    except TypeError:
        return False
    return True


KEYWORDS = st.lists(st.sampled_from(NAMES), unique=True, max_size=4).map(tuple)


@settings(max_examples=600, deadline=None)
@given(signatures(), st.integers(0, 6), KEYWORDS)
def test_a_call_without_stars_is_decided_as_python_does(signature, positional, keywords):
    result = signature.bind(CallShape(positional, keywords))
    assert result.binding is (Binding.FITS if binds(signature, positional, keywords) else Binding.FAILS)
    assert bool(result.reason) == (result.binding is Binding.FAILS)


@settings(max_examples=300, deadline=None)
@given(signatures(), st.integers(0, 6), KEYWORDS)
def test_and_as_inspect_does_where_inspect_is_right(signature, positional, keywords):
    positional_only = {p.name for p in signature.parameters if p.kind is ParameterKind.POSITIONAL_ONLY}
    if not positional_only.intersection(keywords):
        fits = signature.bind(CallShape(positional, keywords)).binding is Binding.FITS
        assert fits == binds_for_inspect(signature, positional, keywords)


@settings(max_examples=600, deadline=None)
@given(signatures(), st.integers(0, 4), KEYWORDS, st.booleans(), st.integers(0, 4), KEYWORDS)
def test_a_call_with_stars_never_fails_when_some_content_of_them_fits(
    signature, positional, keywords, star, more, more_keywords
):
    double_star = not star or bool(more_keywords)
    extra = tuple(k for k in more_keywords if k not in keywords) if double_star else ()
    result = signature.bind(CallShape(positional, keywords, star, double_star))
    if binds(signature, positional + (more if star else 0), keywords + extra):
        assert result.binding is not Binding.FAILS


def python_accepts(text):
    space: dict[str, object] = {}
    exec(f"def f{text}: pass", space)
    return inspect.signature(space["f"])


@settings(max_examples=300, deadline=None)
@given(signatures())
def test_rendered_text_is_python_and_means_the_same(signature):
    found = python_accepts(signature.render())
    assert [(p.name, p.kind) for p in found.parameters.values()] == [
        (p.name, INSPECT_KIND[p.kind]) for p in signature.parameters
    ]
