"""Inputs from annotations, where no test reaches a changed function."""

from __future__ import annotations

from repo_guardian.tools.behaviour.generate import with_generator
from repo_guardian.tools.behaviour.run import Tree, behavioural_drift

OLD = """\
import dataclasses, enum
from typing import Any, Callable, Iterable, Optional


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0

    def far(self, other: 'Point') -> int:
        return abs(self.x - other.x) + 1


def bare(x):
    return x


def calls(back: Callable[[], int]) -> int:
    return 1


def anything(x: Any) -> int:
    return 1


def total(xs: Iterable[int], *, start: int = 0) -> int:
    return sum(xs) + start


def name(colour: Colour, suffix: Optional[str] = None) -> str:
    return colour.name + (suffix or '')
"""
NEW = (
    OLD.replace("+ 1", "+ 2")
    .replace("return x\n", "return -x\n")
    .replace("return 1\n", "return 2\n")
    .replace("+ start", "- start")
    .replace("suffix or ''", "suffix or '-'")
)


async def compared(bench, pair, home):
    ready = await with_generator(bench, root=home / "harness")
    assert ready.toolchains.problems == ()
    trees = (Tree(one.checkout, one.graph, one.read) for one in pair)
    return await behavioural_drift(ready, *trees)


async def test_annotated_functions_are_compared_and_others_named(bench, versions, home):
    pair = versions(OLD, NEW, "def test_nothing():\n    pass\n")
    run = await compared(bench, pair, home)
    found = {d.target.qualname: d for d in run.report.divergences}
    assert found.keys() == {"Point.far", "total", "name"}
    assert run.report.unreached == ("pkg.anything", "pkg.bare", "pkg.calls")
    assert all(d.mutation.startswith("generated") for d in found.values())
    assert all(d.recorded_diverging == d.recorded_compared == 0 for d in found.values())
    again = await compared(bench, pair, home)
    assert again.report == run.report


async def test_without_a_generator_nothing_is_made(bench, versions):
    old, new = versions(OLD, NEW, "def test_nothing():\n    pass\n")
    trees = (Tree(one.checkout, one.graph, one.read) for one in (old, new))
    run = await behavioural_drift(bench, *trees)
    assert run.report.divergences == ()
    assert len(run.report.unreached) == 6
