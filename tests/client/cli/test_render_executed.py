"""What ``guardian drift --run`` prints: the numbers of the answer, and a stranger's text tamed."""

from __future__ import annotations

from repo_guardian.client.cli.render_drift import print_executed
from repo_guardian.server.contract.drift import DivergenceItem, ExecutedDrift, IntentItem, TestDeltaItem

QUIET = IntentItem(announced=False, followed=False)


def divergence(**changes):
    values = {
        "symbol": "pkg.f",
        "path": "pkg.py",
        "line": 1,
        "call": "([1], {})",
        "receiver": "",
        "mutation": "as recorded",
        "before": "gives 1",
        "after": "gives 2",
        "diverging": 2,
        "compared": 3,
        "recorded_diverging": 1,
        "intent": QUIET,
        "callers": 4,
        "provable": True,
    }
    return DivergenceItem(**{**values, **changes})


def test_who_uses_it_whether_a_test_can_show_it_and_what_was_left_out(capsys):
    executed = ExecutedDrift(
        sandbox="bubblewrap",
        divergences=(
            divergence(),
            divergence(symbol="pkg.g", callers=1, provable=False, receiver="a\x1b[31mb"),
        ),
        functions_changed=1,
        functions_compared=1,
        calls_compared=9,
        left_out_counts={"calls that reach clock": 2, "functions that no test reaches": 70},
        tests=(
            TestDeltaItem(
                test_id="t.py::t", kind="newly_failing", before="passed", after="failed", confirmed=False
            ),
            TestDeltaItem(
                test_id="t.py::u", kind="vanished", before="passed", after="absent", confirmed=True
            ),
        ),
        tests_compared=5,
        problems=("mirror of\nlines",),
    )
    print_executed(executed)
    out = capsys.readouterr().out
    assert "1 function changed inside; 1 compared over 9 calls\n" in out
    assert "4 files use it; a test can show the difference\n" in out
    assert "1 file uses it; no test can be written of this call\n" in out
    order = [
        out.index(text)
        for text in ("not compared", "70 functions that no test reaches", "2 calls that reach")
    ]
    assert order == sorted(order)
    assert "newly failing, not confirmed: t.py::t\n" in out
    assert "vanished: 1\n" in out
    assert "\x1b[31m" not in out
    assert "problem: mirror of" in out and "of\nlines" not in out


def test_nothing_left_out_says_nothing(capsys):
    print_executed(ExecutedDrift(sandbox="bubblewrap", functions_changed=2))
    out = capsys.readouterr().out
    assert "2 functions changed inside; 0 compared over 0 calls" in out
    assert "not compared" not in out
