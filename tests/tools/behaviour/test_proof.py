"""A divergence as a test: what is rendered, and what running it on both commits comes to."""

from __future__ import annotations

import ast

import pytest

from repo_guardian.tools.behaviour.interface import Divergence, Outcome, Target
from repo_guardian.tools.behaviour.proof import ProofStatus, confirm, render

TARGET = Target("pkg.f", "pkg/__init__.py", 1, "pkg", "f")


def divergence(old: Outcome, new: Outcome, arguments: str = "([1], {})") -> Divergence:
    return Divergence(
        target=TARGET, call=arguments, receiver="", mutation="as recorded", recorded="", number=-1, old=old,
        new=new, diverging=1, compared=1, recorded_diverging=1, recorded_compared=1, arguments=arguments,
    )  # fmt: skip


async def test_each_kind_of_difference_is_proven_by_its_own_check(versions, run, bench):
    old = (
        "import warnings\n"
        "def value(x):\n    return x + 1\n"
        "def kind(x):\n    return x\n"
        "def error(x):\n    return 1 if x else 2\n"
        "def other(x):\n    raise KeyError(x)\n"
        "def loud(x):\n    return x\n"
        "def lazy(x, *, more=0):\n    yield x\n    yield more\n"
        "class C:\n    @classmethod\n    def of(cls, x):\n        return x\n"
        "    def me(self, x):\n        return x\n"
    )
    new = (
        old.replace("return x + 1", "return x + 2")
        .replace("def kind(x):\n    return x", "def kind(x):\n    return float(x)")
        .replace("return 1 if x else 2", "return x.nothing")
        .replace("raise KeyError", "raise LookupError")
        .replace("def loud(x):", "def loud(x):\n    warnings.warn('soon', FutureWarning)")
        .replace("yield x\n", "yield x\n    yield x\n")
        .replace("(cls, x):\n        return x", "(cls, x):\n        return -x")
        .replace("(self, x):\n        return x", "(self, x):\n        return -x")
    )
    tests = (
        "import pkg, pytest\ndef test_it():\n"
        "    pkg.value(1); pkg.kind(1); pkg.error(1); pkg.loud(1); list(pkg.lazy(1, more=2))\n"
        "    pkg.C.of(1); pkg.C().me(1)\n"
        "    with pytest.raises(KeyError):\n        pkg.other(1)\n"
    )
    before, after = versions(old, new, tests)
    report = await run(before, after)
    proofs = {
        d.target.qualname: await confirm(bench, before.checkout, after.checkout, d, repetitions=1)
        for d in report.divergences
    }
    assert proofs.keys() == {"value", "kind", "error", "other", "loud", "lazy", "C.of", "C.me"}
    assert {name: proof.status for name, proof in proofs.items()} == dict.fromkeys(
        proofs, ProofStatus.CONFIRMED
    ), [proof.reason for proof in proofs.values()]
    checks = {name: proof.test.text.split("\n")[-2].strip() for name, proof in proofs.items()}
    assert checks["value"] == "assert value(1) == 2"
    assert checks["lazy"] == "assert list(islice(lazy(1, more=2), 3)) == [1, 2]"
    assert checks["kind"] == "assert repr(kind(1)) == '1'"
    assert "FutureWarning" in proofs["loud"].test.text


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        (Outcome(value="<object>"), Outcome(value="1", literal="1"), "([1], {})"),
        (Outcome(value="1", literal="1"), Outcome(value="2", literal="2"), ""),
        (Outcome(value="1", literal="1"), Outcome(fate="died"), "([1], {})"),
        (Outcome(value="1", literal="1"), Outcome(value="2", literal="2"), "([1], {'x y': 1})"),
        (Outcome(value="1", literal="1"), Outcome(value="2", literal="2"), "__import__('os')"),
        (Outcome(exception=("a b", "")), Outcome(value="2", literal="2"), "([1], {})"),
    ],
)
def test_what_cannot_be_written_down_gives_no_test(old, new, arguments):
    assert render(divergence(old, new, arguments)) is None


def test_texts_of_the_repository_cannot_leave_the_docstring():
    hostile = '"""\nimport os\n\\'
    old, new = Outcome(value=hostile, literal="'x'"), Outcome(exception=("E", hostile))
    test = render(divergence(old, new))
    (function,) = ast.parse(test.text).body
    assert [type(node).__name__ for node in function.body] == ["Expr", "ImportFrom", "Assert"]


async def test_a_test_that_does_not_pass_at_the_base_proves_nothing(versions, bench):
    before, after = versions("def f(x):\n    return x\n", "def f(x):\n    return x\n", "")
    wrong = divergence(Outcome(value="2", literal="2"), Outcome(value="3", literal="3"))
    right = divergence(Outcome(value="1", literal="1"), Outcome(value="3", literal="3"))
    first = await confirm(bench, before.checkout, after.checkout, wrong, repetitions=1)
    second = await confirm(bench, before.checkout, after.checkout, right, repetitions=1)
    assert (first.status, second.status) == (ProofStatus.NOT_AT_BASE, ProofStatus.STILL_PASSES)
