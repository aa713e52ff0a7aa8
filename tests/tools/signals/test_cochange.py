"""Files that change together, and the one that was left behind."""

from __future__ import annotations

import pytest

from repo_guardian.tools.signals.cochange import CoChangeLimits, co_change_signals, rules
from repo_guardian.tools.signals.cochange_detail import CoChangeDetail
from repo_guardian.tools.signals.interface import SignalKind

PAIR = {"pkg/a.py", "pkg/b.py"}
OTHERS = [{f"pkg/x{number % 7}.py"} for number in range(40)]
HISTORY = [PAIR] * 8 + OTHERS
TREE = PAIR | {f"pkg/x{number}.py" for number in range(7)} | {"CHANGES.md"}


@pytest.fixture
def untied(current):
    return current.function("pkg.a.f").function("pkg.b.g").function("pkg.c.h").build()


def test_a_partner_that_stayed_behind_is_told(untied):
    (signal,) = co_change_signals(HISTORY, {"pkg/a.py"}, TREE, untied)
    assert signal.kind is SignalKind.CO_CHANGE_MISSING
    assert signal.paths == ("pkg/b.py", "pkg/a.py")
    assert signal.line == (
        "pkg/b.py did not change with pkg/a.py, as it did in 8 of 8 earlier changes, "
        "and no import or call ties them"
    )
    assert signal.detail == CoChangeDetail("pkg/a.py", "pkg/b.py", 8, 8, 6.0)
    assert signal.detail.flat()["lift"] == "6.000"


def test_nothing_is_told_of_partners_that_changed_or_are_gone(untied):
    assert co_change_signals(HISTORY, PAIR, TREE, untied) == ()
    assert co_change_signals(HISTORY, {"pkg/a.py"}, {"pkg/a.py"}, untied) == ()
    assert co_change_signals(HISTORY, {"pkg/x1.py"}, TREE, untied) == ()


@pytest.mark.parametrize(("source", "target"), [("pkg.a.f", "pkg.b.g"), ("pkg.b.g", "pkg.a.f")])
def test_an_edge_in_either_direction_explains_the_pair(current, source, target):
    graph = current.function("pkg.a.f").function("pkg.b.g").call(source, target, "()").build()
    assert co_change_signals(HISTORY, {"pkg/a.py"}, TREE, graph) == ()


def test_a_file_that_every_commit_touches_is_nobody_s_partner(untied):
    history = [paths | {"CHANGES.md"} for paths in HISTORY]
    (signal,) = co_change_signals(history, {"pkg/a.py"}, TREE, untied)
    assert signal.paths[0] == "pkg/b.py"


def test_large_commits_say_nothing_and_large_changes_are_not_asked(untied):
    sweep = {f"pkg/s{number}.py" for number in range(40)}
    history = [PAIR | sweep] * 9 + OTHERS
    assert co_change_signals(history, {"pkg/a.py"}, TREE, untied) == ()
    assert co_change_signals(HISTORY, {"pkg/a.py", *sweep}, TREE, untied) == ()


def test_chance_and_rarity_are_no_rule():
    rare = [PAIR] * 2 + OTHERS
    assert not list(rules(rare, {"pkg/a.py"}, CoChangeLimits()))
    small = [PAIR] * 3 + [{"pkg/b.py"}] * 3  # three of three, where every commit has the partner
    assert not list(rules(small, {"pkg/a.py"}, CoChangeLimits()))


def test_one_signal_for_each_file_left_behind_and_no_more_than_asked_for(untied):
    three = PAIR | {"pkg/c.py"}
    history = [three] * 9 + OTHERS
    both = co_change_signals(history, {"pkg/a.py", "pkg/c.py"}, TREE | three, untied)
    assert [signal.paths for signal in both] == [("pkg/b.py", "pkg/c.py")]
    cut = co_change_signals(history, {"pkg/a.py"}, TREE | three, untied, CoChangeLimits(signals=1))
    assert len(cut) == 1


def test_no_history_is_no_signal(untied):
    assert co_change_signals([], {"pkg/a.py"}, TREE, untied) == ()
    assert co_change_signals([set()], {"pkg/a.py"}, TREE, untied) == ()


def test_only_code_leads_and_settings_do_not_follow(current):
    graph = current.module("tests.test_a", "tests/test_a.py").function("pkg.a.f").build()
    others = {"tests/test_a.py", ".github/ci.yml", "docs/a.md", "CHANGES.md"}
    history = [{"pkg/a.py", *others}] * 8 + OTHERS
    found = co_change_signals(history, {"pkg/a.py"}, {"pkg/a.py", *others}, graph)
    assert sorted(signal.paths[0] for signal in found) == ["docs/a.md", "tests/test_a.py"]
    assert co_change_signals(history, {"tests/test_a.py"}, {"pkg/a.py", *others}, graph) == ()


def test_commits_that_are_large_for_the_repository_are_sweeps(untied):
    sweep = PAIR | {f"pkg/s{number}.py" for number in range(9)}
    history = [sweep] * 4 + OTHERS
    assert co_change_signals(history, {"pkg/a.py"}, TREE, untied) == ()
