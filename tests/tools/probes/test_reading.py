"""Which exception a function's first checks raise, told from literals; and values for calls."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.reading import evaluate, raised
from repo_guardian.tools.probes.templates.samples import EDGES, sample, sample_call
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature


def what(text, **values):
    found = raised(ast.parse(text).body, values)
    return ast.unparse(found) if found is not None else None


@pytest.mark.parametrize(
    ("text", "values", "found"),
    [
        ("'Doc.'\nif not x:\n    raise A\nreturn 1", {"x": 0}, "A"),
        ("if x is None:\n    raise A\nelif x < 0:\n    raise B(x)\nelse:\n    raise C", {"x": -1}, "B(x)"),
        ("if isinstance(x, (int, str)) and len(y) > 1:\n    raise A", {"x": 1, "y": "ab"}, "A"),
        ("y = x\nif y in ('a', 'b') or y == -1:\n    raise A", {"x": "b"}, "A"),
        ("if 0 <= x < 3:\n    raise A", {"x": 2}, "A"),
        ("if not x:\n    raise A\npass", {"x": 1}, None),
    ],
)
def test_checks_are_followed(text, values, found):
    body = text.removesuffix("\nreturn 1")
    assert what(body, **values) == found


@pytest.mark.parametrize(
    "text",
    [
        "if x.ready:\n    raise A",
        "if check(x):\n    raise A",
        "if len(x) > 1:\n    raise A",
        "if x < 'a':\n    raise A",
        "print(x)\nraise A",
        "for y in x:\n    raise A",
        "x.y = 1\nraise A",
        "raise",
        "if isinstance(x, Own):\n    raise A",
        "if (1,) is not (1,):\n    raise A",
        "if x is 1:\n    raise A",
    ],
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_literals_do_not_tell_is_given_up(text):
    with pytest.raises(TemplateError):
        what(text, x=1)


SMALL = st.recursive(
    st.sampled_from(
        ["x", "y", "None", "-1", "''", "[1]", "(1,)", "{}", "len(x)", "isinstance(x, int)", "f(x)", "x.a"]
    ),
    lambda inner: st.tuples(inner, st.sampled_from(["and", "or", "==", "<", "in", "is not"]), inner).map(
        lambda parts: f"({' '.join(parts)})"
    ),
    max_leaves=6,
)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(text=SMALL, x=st.sampled_from(EDGES), y=st.sampled_from(EDGES))
def test_what_is_told_is_what_python_says(text, x, y):
    known = {"x": ast.literal_eval(x), "y": ast.literal_eval(y)}
    try:
        told = evaluate(ast.parse(text, mode="eval").body, known)
    except TemplateError:
        return
    assert told == eval(text, dict(known))


def parameter(name, annotation=None, default=None, kind=ParameterKind.POSITIONAL_OR_KEYWORD):
    return Parameter(name, kind, default, annotation)


@pytest.mark.parametrize(
    ("annotation", "default", "value"),
    [
        ("int", None, "2"),
        ("Optional[str]", None, "'a'"),
        ("list[Own]", None, "[]"),
        ("'Mapping[str, int]'", None, "{}"),
        ("Own | None", None, "None"),
        ("Own", "(1, 2)", "(1, 2)"),
        (None, "None", "None"),
    ],
)
def test_annotations_and_defaults_tell_values(annotation, default, value):
    assert sample(parameter("a", annotation, default)) == value


@pytest.mark.parametrize(
    ("annotation", "default"), [(None, None), ("Own", None), ("Own", "make()"), ("[", None)]
)
def test_nothing_is_made_up(annotation, default):
    with pytest.raises(TemplateError):
        sample(parameter("a", annotation, default))


def test_a_call_has_the_shape_that_is_asked_for():
    signature = Signature((parameter("a", "int"), parameter("b", "str"), parameter("c", "bytes")))
    assert sample_call(signature, CallShape(2, ("c",))) == "2, 'a', c=b'a'"
    for shape in (CallShape(4), CallShape(1, ("d",)), CallShape(1, (), star=True)):
        with pytest.raises(TemplateError):
            sample_call(signature, shape)
