"""Two commits' suites in a real sandbox, and the judgement of their reports."""

from __future__ import annotations

from repo_guardian.tools.deltas.compare import deltas
from repo_guardian.tools.deltas.interface import DeltaKind, DeltaLimits
from repo_guardian.tools.deltas.run import suite_delta
from repo_guardian.tools.execution.suite_model import Selection
from repo_guardian.tools.probes.interface import TestOutcome, TestReport

TESTS = """
import pathlib, pytest, pkg

def test_same(): assert pkg.f() > 0
def test_breaks(): assert pkg.f() == 1
def test_mends(): assert pkg.f() == 2
@pytest.mark.skipif(pkg.f() == 2, reason="new")
def test_skips(): pass
def test_bad(): assert False
"""


async def test_every_kind_of_difference(bench, tree):
    old = tree(
        "old", {"pkg.py": "def f(): return 1\n", "tests/test_it.py": TESTS + "def test_gone(): pass\n"}
    )
    new_tests = TESTS + "def test_new(): pass\ndef test_new_bad(): assert False\n"
    new = tree("new", {"pkg.py": "def f(): return 2\n", "tests/test_it.py": new_tests})
    found = await suite_delta(bench, old, new)
    assert found.problem == ""
    kinds = {delta.test_id.rpartition("::")[2]: delta.kind for delta in found.deltas}
    assert kinds == {
        "test_breaks": DeltaKind.NEWLY_FAILING,
        "test_mends": DeltaKind.NEWLY_PASSING,
        "test_skips": DeltaKind.NEWLY_SKIPPED,
        "test_gone": DeltaKind.VANISHED,
        "test_new": DeltaKind.APPEARED,
        "test_new_bad": DeltaKind.APPEARED_FAILING,
    }
    assert found.deltas[0].kind is DeltaKind.NEWLY_FAILING
    assert all(delta.confirmed for delta in found.deltas)
    assert found.deltas[0].after.exception.is_a("AssertionError")
    assert found.compared == 5


async def test_a_flaky_test_is_no_newly_failing_one(bench, tree):
    # Outcomes must differ between repetitions, whose overlays are fresh: time does.
    body = "import time\ndef test_it(): assert int(time.time() * 1000) % 2\n"
    many = "import time\nimport pytest\n@pytest.mark.parametrize('n', range(40))\n" + body[12:].replace(
        "()", "(n)", 1
    )
    old = tree("old", {"tests/test_it.py": many.replace("assert int(time.time() * 1000) % 2", "assert True")})
    new = tree("new", {"tests/test_it.py": many})
    found = await suite_delta(bench, old, new, limits=DeltaLimits(repetitions=6))
    kinds = {delta.kind for delta in found.deltas}
    assert DeltaKind.FLAKY in kinds
    failing = [delta for delta in found.deltas if delta.kind is DeltaKind.NEWLY_FAILING]
    assert len(failing) <= 3  # each may fail all seven times by chance: one in 128


async def test_a_slower_test(bench, tree):
    body = "import time\ndef test_it(): time.sleep({})\ndef test_other(): pass\n"
    old = tree("old", {"tests/test_it.py": body.format(0.01)})
    new = tree("new", {"tests/test_it.py": body.format(0.9)})
    (delta,) = (await suite_delta(bench, old, new)).deltas
    assert (delta.kind, delta.confirmed) == (DeltaKind.SLOWER, True)
    assert delta.ratio > 3


async def test_a_selection_and_a_suite_that_cannot_run(bench, tree):
    old = tree("old", {"pkg.py": "def f(): return 1\n", "tests/test_it.py": TESTS})
    new = tree("new", {"pkg.py": "def f(): return 2\n", "tests/test_it.py": TESTS})
    chosen = Selection(arguments=("tests/test_it.py::test_breaks",))
    found = await suite_delta(bench, old, new, chosen)
    assert [delta.test_id for delta in found.deltas] == ["tests/test_it.py::test_breaks"]
    assert found.selected == chosen.arguments
    found = await suite_delta(bench, old, tree("empty", {"pkg.py": "def f(): return 2\n"}))
    assert found.deltas == ()
    assert "current suite cannot run" in found.problem


async def test_a_suite_whose_files_cannot_be_imported_any_more_has_lost_its_tests(bench, tree):
    old = tree("old", {"pkg.py": "def f(): return 1\n", "tests/test_it.py": TESTS})
    broken = tree("broken", {"pkg.py": "raise RuntimeError\n", "tests/test_it.py": TESTS})
    found = await suite_delta(bench, old, broken)
    assert (found.problem, {delta.kind for delta in found.deltas}) == ("", {DeltaKind.VANISHED})
    (problem,) = found.current.problems
    assert problem.node_id == "tests/test_it.py"
    assert problem.reason.startswith("RuntimeError")


async def test_an_id_that_pytest_does_not_know_costs_the_choice_and_no_test(bench, tree):
    old = tree("old", {"pkg.py": "def f(): return 1\n", "tests/test_it.py": TESTS})
    new = tree("new", {"pkg.py": "def f(): return 2\n", "tests/test_it.py": TESTS})
    chosen = Selection(arguments=("tests/test_it.py::test_breaks", "tests/test_it.py::test_made_up"))
    found = await suite_delta(bench, old, new, chosen)
    assert found.problem == ""
    assert found.selected == ("tests/test_it.py",)
    assert DeltaKind.NEWLY_FAILING in {delta.kind for delta in found.deltas}
    one = Selection(arguments=("tests/test_it.py::test_breaks",))
    beside = await suite_delta(bench, old, new, chosen, base_selection=one)
    assert [(d.test_id, d.kind) for d in beside.deltas] == [(d.test_id, d.kind) for d in found.deltas]


def report(outcome: TestOutcome, duration_s: float | None = None) -> TestReport:
    return TestReport("t", outcome, duration_s=duration_s)


def test_outcomes_that_are_no_difference():
    bad, error, good, skipped = (report(outcome) for outcome in (
        TestOutcome.FAILED, TestOutcome.ERROR, TestOutcome.PASSED, TestOutcome.SKIPPED
    ))  # fmt: skip
    same = [(bad, error), (good, good), (skipped, good), (error, bad), (skipped, skipped)]
    for before, after in same:
        assert deltas({"t": [before]}, {"t": [after]}, DeltaLimits()) == ()
    (delta,) = deltas({"t": [skipped]}, {"t": [bad]}, DeltaLimits())
    assert (delta.kind, delta.confirmed) == (DeltaKind.NEWLY_FAILING, False)


def test_slowness_is_judged_by_the_fastest_run_of_each_side():
    slow, fast = report(TestOutcome.PASSED, 9.0), report(TestOutcome.PASSED, 1.0)
    assert deltas({"t": [fast]}, {"t": [slow, fast]}, DeltaLimits()) == ()
    (delta,) = deltas({"t": [slow, fast]}, {"t": [slow, slow]}, DeltaLimits())
    assert (delta.kind, delta.ratio) == (DeltaKind.SLOWER, 9.0)
    short = {"t": [report(TestOutcome.PASSED, 0.01)]}, {"t": [report(TestOutcome.PASSED, 0.2)]}
    assert deltas(*short, DeltaLimits()) == ()


def test_a_run_that_is_slow_as_a_whole_makes_no_test_slower():
    base = {f"t{number}": [report(TestOutcome.PASSED, 0.2 + number / 10)] for number in range(9)}
    loaded = {name: [report(TestOutcome.PASSED, 4 * runs[0].duration_s)] for name, runs in base.items()}
    assert deltas(base, loaded, DeltaLimits()) == ()
    loaded["t0"] = [report(TestOutcome.PASSED, 8.0)]
    (delta,) = deltas(base, loaded, DeltaLimits())
    assert (delta.test_id, delta.kind) == ("t0", DeltaKind.SLOWER)
    assert round(delta.ratio) == 10
