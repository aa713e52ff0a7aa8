"""How inputs are recorded, and what is made of them."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from repo_guardian.sandbox.guest.guardian_behaviour.describe import describe, literal, taken
from repo_guardian.sandbox.guest.guardian_behaviour.mutate import Call, mutations
from repo_guardian.tools.behaviour.interface import BehaviourLimits

LIMITS = BehaviourLimits(target_s=10.0, first_s=40.0, total_s=40.0)


class Text(str):
    pass


def made(call: Call, *, skip_first: bool) -> dict[str, object]:
    listed = mutations(call, skip_first, 40)
    return {m.label: m.apply(Call(list(call.args), dict(call.kwargs))).args for m in listed}


def test_a_receiver_that_is_a_value_is_changed_within_its_class():
    found = made(Call([Text("a <b> c")], {}), skip_first=True)
    assert found["receiver spaced out"] == [" a  < b >  c "]
    assert {type(args[0]) for args in found.values()} == {Text}


def test_a_receiver_of_any_other_kind_stays():
    assert made(Call([object(), True], {}), skip_first=True).keys() == {"negated", "None"}


@pytest.mark.parametrize("value", [1, 1.5, "x", b"x", None, True, (1,), [1, (2, "y")], {"k": {1}}])
def test_plain_values_are_literals(value):
    assert ast.literal_eval(literal(value)) == value


@pytest.mark.parametrize("value", [object(), Text("x"), float("nan"), [Text("x")], "x" * 1000, {1: object()}])
def test_others_are_none(value):
    assert literal(value) == ""


def test_an_iterator_shows_what_it_gives_and_how_it_ends():
    def ends():
        yield 1
        raise KeyError("x")

    assert describe(taken(ends())) == "iterator[1, raises KeyError]"
    assert literal(taken(iter([1, 2]))) == "[1, 2]"
    assert literal(taken(ends())) == ""


async def test_a_package_that_pytest_itself_loads_is_watched_all_the_same(versions, run):
    old = "def f(x):\n    return x\n\n\ndef lazy(xs):\n    for x in xs:\n        xs = None\n        yield x\n"
    new = old.replace("return x", "return x + 1").replace("yield x", "yield [x]")
    tests = "import pkg\n\n\ndef test_it():\n    assert pkg.f(1)\n    assert list(pkg.lazy([1, 2]))\n"
    pair = versions(old, new, tests)
    for one in pair:
        (one.checkout.path / "conftest.py").write_text('pytest_plugins = ["pkg"]\n')
    report = await run(*pair)
    calls = {d.target.qualname: (d.call, d.mutation) for d in report.divergences}
    assert calls == {"f": ("([1], {})", "as recorded"), "lazy": ("([[1, 2]], {})", "as recorded")}


async def test_recording_ends_when_enough_is_known(versions, run):
    old, new = "def f(x):\n    return x\n", "def f(x):\n    return -x\n"
    tests = "import os, pkg\ndef test_a():\n    pkg.f(1)\ndef test_b():\n    os._exit(3)\n"
    report = await run(*versions(old, new, tests), replace(LIMITS, inputs=1))
    assert [found.target.symbol for found in report.divergences] == ["pkg.f"]


async def test_recording_ends_when_its_time_is_up(versions, run):
    old, new = "def f(x):\n    return x\n", "def f(x):\n    return -x\n"
    tests = "import os, pkg\ndef test_a():\n    pkg.f(1)\ndef test_b():\n    os._exit(3)\n"
    report = await run(*versions(old, new, tests), replace(LIMITS, record_s=0.0))
    assert report.divergences[0].recorded_compared == 1
