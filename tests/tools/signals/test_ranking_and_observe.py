"""Churn, ranking and the bounded observation."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from repo_guardian.tools.git.history import FileChurn
from repo_guardian.tools.signals.churn import churn_signals, intensities
from repo_guardian.tools.signals.interface import ChurnDetail, SignalKind, one_line, signal_key
from repo_guardian.tools.signals.observe import ObserveLimits, observe
from repo_guardian.tools.signals.places import Place, place
from repo_guardian.tools.signals.ranking import rank
from repo_guardian.tools.views.symbol_graph.model import Resolution


@dataclass(frozen=True)
class Record:
    commits: int
    added: int
    deleted: int
    authors: int = 1
    age: int = 0
    main_share: float = 1.0


HISTORY = {"pkg/a.py": Record(9, 400, 100, 3), "pkg/b.py": Record(1, 3, 0), "pkg/c.py": Record(4, 60, 20, 2)}


def test_churn_is_relative_to_the_busiest_file_and_cut():
    relative = intensities(HISTORY)
    assert relative["pkg/a.py"] == 1.0
    assert 0 < relative["pkg/b.py"] < relative["pkg/c.py"] < 1
    signals = churn_signals(HISTORY, ["pkg/c.py", "pkg/a.py", "pkg/b.py", "pkg/b.py", "new.py"], top=2)
    assert [s.paths for s in signals] == [("pkg/a.py",), ("pkg/c.py",)]
    assert signals[0].line == ("pkg/a.py: 9 recent commits by 3 authors, 400 lines added and 100 deleted")
    assert signals[0].detail == ChurnDetail(9, 400, 100, 3, 0, 1.0)
    assert signals[0].detail.flat()["intensity"] == "1.000"


def test_churn_of_nothing_and_of_empty_changes():
    assert churn_signals({}, ["a.py"], top=5) == ()
    assert intensities({"a": Record(0, 0, 0)}) == {"a": 0.0}
    assert churn_signals(HISTORY, HISTORY, top=0) == ()


def test_a_file_that_churns_on_is_the_same_signal():
    first = churn_signals(HISTORY, ["pkg/a.py"], top=1)[0]
    later = churn_signals({"pkg/a.py": Record(10, 410, 100)}, ["pkg/a.py"], top=1)[0]
    assert first.key == later.key and first.line != later.line


def test_the_git_layer_s_record_is_accepted():
    record = FileChurn(commits=2, added=5, deleted=1, authors=1, age=0)
    assert len(churn_signals({"a.py": record}, ["a.py"], top=1)) == 1


@pytest.fixture
def five(base, current, drift):
    """Five contracts that break, differing only in who lags."""
    base.module("tests.test_x", "tests/test_x.py").function("app.main")
    current.module("tests.test_x", "tests/test_x.py").function("app.main")
    for name in ("resolved", "by_name", "in_tests", "unused", "_private"):
        for graph, text in ((base, "(a)"), (current, "(a, b)")):
            graph.function(f"pkg.{name}", text)
            if name == "unused":
                continue
            source = "tests.test_x" if name == "in_tests" else "app.main"
            guess = Resolution.UNIQUE_NAME if name == "by_name" else Resolution.IMPORT
            graph.call(source, f"pkg.{name}", "(1)", resolution=guess)
    return drift(base, current)


def test_lagging_dependents_weigh_by_place_resolution_and_audience(five):
    order = [s.symbols[0] for s in rank(five)]
    assert order == ["pkg.resolved", "pkg._private", "pkg.in_tests", "pkg.by_name", "pkg.unused"]


def test_scores_follow_the_documented_formula(five):
    scores = {s.symbols[0]: s.score for s in rank(five, {"pkg.py": 1.0})}
    assert scores["pkg.resolved"] == pytest.approx(1.0 * 1.25 * 1.25)
    assert scores["pkg.unused"] == pytest.approx(0.25 * 1.25)
    assert scores["pkg._private"] == pytest.approx(0.6 * 1.25 * 1.25)


def test_rank_is_independent_of_input_order_and_ties_go_by_key(five):
    twins = (replace(five[0], key="b"), replace(five[0], key="a"), *five[1:])
    assert rank(twins) == rank(reversed(twins))
    keys = [s.key for s in rank(twins)]
    assert keys.index("a") + 1 == keys.index("b")


def test_observe_ranks_bounds_and_counts(base, current):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.function("pkg.a.f", text).function("pkg.a.g", text).function("app.main")
        for _ in range(4):
            graph.call("app.main", "pkg.a.f", "(1)")
    base.function("pkg.a.gone")
    limits = ObserveLimits(signals=3, churn_files=5, dependents_listed=2)
    found = observe(base.build(), current.build(), HISTORY, ["pkg/a.py", "pkg/b.py"], limits)
    assert (found.base, found.commit) == ("b" * 40, "c" * 40)
    assert dict(found.totals) == {
        SignalKind.CONTRACT_CHANGED: 2,
        SignalKind.SYMBOL_REMOVED: 1,
        SignalKind.CHURN: 2,
    }
    assert found.suppressed == 2 and len(found.signals) == 3
    first = found.signals[0]
    assert first.symbols == ("pkg.a.f",)
    assert (len(first.dependents), first.dependents_total, first.lagging_total) == (2, 4, 4)
    assert [s.score for s in found.signals] == sorted((s.score for s in found.signals), reverse=True)


def test_observe_without_limits_keeps_everything(base, current):
    graph = base.function("pkg.f").build()
    found = observe(graph, graph, {}, [])
    assert (found.signals, found.totals, found.suppressed) == ((), (), 0)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pkg/core.py", Place.PRODUCTION),
        ("src/pkg/testing.py", Place.PRODUCTION),
        ("pkg/testing/helpers.py", Place.PRODUCTION),
        ("pkg/docs/model.py", Place.PRODUCTION),
        ("tests/util.py", Place.TEST),
        ("pkg/tests/test_a.py", Place.TEST),
        ("pkg/test_a.py", Place.TEST),
        ("pkg/a_test.py", Place.TEST),
        ("conftest.py", Place.TEST),
        ("examples/run.py", Place.EXAMPLE),
        ("docs/conf.py", Place.EXAMPLE),
        ("setup.py", Place.EXAMPLE),
        ("setup/config.py", Place.PRODUCTION),
    ],
)
def test_places(path, expected):
    assert place(path) is expected


def test_keys_are_short_stable_and_tell_parts_apart():
    key = signal_key(SignalKind.CONTRACT_CHANGED, "pkg.f", "f(a)", "f(a, b)")
    assert key == signal_key(SignalKind.CONTRACT_CHANGED, "pkg.f", "f(a)", "f(a, b)")
    assert len(key) == 16 and int(key, 16) >= 0
    assert key != signal_key(SignalKind.CONTRACT_CHANGED, "pkg.f", "f(a)f", "(a, b)")
    assert len(signal_key(SignalKind.CHURN, "caf\udce9.py", "", "")) == 16


def test_one_line_escapes_what_would_break_a_line():
    assert one_line("a\nb\x1b\u2028c é") == "a\\nb\\x1b\\u2028c é"


def test_flat_detail_is_text_without_empty_entries(five):
    flat = rank(five)[0].detail.flat()
    assert flat["changes"] == "parameter_added" and flat["witness"] == "(_)"
    assert all(isinstance(value, str) and value for value in flat.values())
    assert "names" not in flat
