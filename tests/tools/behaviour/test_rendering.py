"""Calls that are no literals as tests: receivers and arguments made again, and what is asked of results."""

from __future__ import annotations

import pytest

from repo_guardian.errors import TemplateError
from repo_guardian.tools.behaviour.interface import CallSource, Check, Divergence, Outcome, Target, Witness
from repo_guardian.tools.behaviour.proof import ProofStatus, confirm
from repo_guardian.tools.behaviour.rendering import render, renderings
from repo_guardian.tools.behaviour.written import expression, imports_of

PACKAGE = """
import asyncio, enum
class Color(enum.Enum):
    RED = 1
class Point:
    def __init__(self, x, y=0, *, color=Color.RED):
        self.x, self._y, self.color = x, y, color
    def moved(self, by):
        return Point(self.x + by, self._y)
    def push(self, by):
        self.x += by
    @property
    def sum(self):
        return self.x + self._y
    def __contains__(self, item):
        return item == self.x
class Box:
    def __init__(self, size):
        self.size = size
class Sealed:
    def __init__(self, secret):
        self.kept = secret * 2
    def open(self):
        return self.kept
def total(points):
    return sum(point.x for point in points)
def fill(found, value):
    found.append(value)
async def later(x):
    return x
"""
CHANGED = (
    PACKAGE.replace("Point(self.x + by, self._y)", "Point(self.x - by, self._y)")
    .replace("self.x += by", "self.x += 2 * by")
    .replace("return self.x + self._y", "return self.x")
    .replace("item == self.x", "item is None")
    .replace("self.size = size", "self.size = -size")
    .replace("return self.kept", "return self.kept + 1")
    .replace("sum(point.x", "max(point.x")
    .replace("found.append(value)", "found.append(-value)")
    .replace("async def later(x):\n    return x", "async def later(x):\n    return -x")
)
TESTS = """
import asyncio, pkg
def test_it():
    point = pkg.Point(1, 2)
    point.moved(3); pkg.Point(4, 5).push(6); point.sum; 1 in point
    pkg.Box(7); pkg.Sealed(8).open()
    pkg.total([pkg.Point(1), pkg.Point(2)]); pkg.fill([], 9); asyncio.run(pkg.later(10))
"""


async def test_methods_objects_and_coroutines_are_proven(versions, run, bench):
    before, after = versions(PACKAGE, CHANGED, TESTS)
    report = await run(before, after)
    texts, statuses = {}, {}
    for divergence in report.divergences:
        proof = await confirm(bench, before.checkout, after.checkout, divergence, repetitions=1)
        name = divergence.target.qualname
        texts[name], statuses[name] = proof.test.text if proof.test else "", (proof.status, proof.reason)
    sealed = statuses.pop("Sealed.open")
    assert sealed[0] is ProofStatus.UNPROVABLE  # nothing tells what it was made of
    assert statuses == dict.fromkeys(statuses, (ProofStatus.CONFIRMED, ""))
    assert statuses.keys() == {
        *(
            "Point.moved",
            "Point.push",
            "Point.sum",
            "Point.__contains__",
            "Box.__init__",
            "total",
            "fill",
            "later",
        )
    }
    assert "value = Point(1, y=2).moved(" in texts["Point.moved"]
    assert "assert value.x ==" in texts["Point.moved"]
    assert "assert target.x ==" in texts["Point.push"]
    assert "Point(1, y=2).sum" in texts["Point.sum"]
    assert " in Point(" in texts["Point.__contains__"]
    assert "asyncio.run(later(" in texts["later"]


def divergence(*witnesses: Witness) -> Divergence:
    return Divergence(
        target=Target("pkg.C.me", "pkg/__init__.py", 1, "pkg", "C.me"), call="", receiver="C()", number=-1,
        mutation="as recorded", recorded="", old=witnesses[0].old, new=witnesses[0].new, diverging=1,
        compared=1, recorded_diverging=1, witnesses=witnesses,
    )  # fmt: skip


ONE, TWO = Outcome("1", literal="1"), Outcome("2", literal="2")
SOURCE = CallSource(("from pkg import C",), "C()", ("1",))


def test_the_first_call_that_can_be_written_is_taken_and_others_follow():
    bare = Witness("", None, ONE, TWO)
    good = Witness("", SOURCE, ONE, TWO)
    other = Witness("", SOURCE._replace(positional=("2",)), ONE, TWO)
    found = renderings(divergence(bare, good, good, other))
    assert [test.text.splitlines()[-1].strip() for test in found] == [
        "assert C().me(1) == 1",
        "assert C().me(2) == 1",
    ]
    assert render(divergence(bare)) is None


@pytest.mark.parametrize(
    "source",
    [
        SOURCE._replace(imports=("from os import system",), receiver="system('true')"),
        SOURCE._replace(imports=("import os; import pkg",)),
        SOURCE._replace(receiver="C().__class__.__base__"),
        SOURCE._replace(receiver="eval('1')"),
        SOURCE._replace(positional=("[x for x in ()]",)),
        SOURCE._replace(positional=("1)\nimport os\n(2",)),
        SOURCE._replace(positional=("lambda: 1",)),
        SOURCE._replace(keywords=(("a=1, b", "2"),)),
    ],
)
def test_what_the_sandbox_says_is_checked_before_it_becomes_a_test(source):
    assert render(divergence(Witness("", source, ONE, TWO))) is None


def test_a_question_is_checked_as_well():
    asked = Witness("", SOURCE, Outcome("a"), Outcome("b"), (Check("result", "exit({})", "1"),))
    assert render(divergence(asked)) is None
    fine = asked._replace(checks=(Check("result", "{}.size", "1"),))
    assert "assert value.size == 1" in render(divergence(fine)).text


def test_names_and_imports():
    assert expression("C( [1 ] , x = 2)", frozenset(["C"])) == "C([1], x=2)"
    with pytest.raises(TemplateError):
        expression("D()", frozenset(["C"]))
    with pytest.raises(TemplateError):
        imports_of(CallSource(("from other import C",), "", ()), "pkg")
    assert imports_of(CallSource(("from datetime import date",), "", ()), "pkg") == (
        "from datetime import date",
    )
