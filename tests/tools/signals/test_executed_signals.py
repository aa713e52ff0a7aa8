"""Signals of divergences and of test outcomes, made of records and of two linked trees; nothing is run."""

from __future__ import annotations

import textwrap

import pytest

from repo_guardian.tools.behaviour.interface import Divergence, Outcome, Target
from repo_guardian.tools.deltas.interface import DeltaKind, SuiteDelta, TestDelta
from repo_guardian.tools.execution.suite_model import Assessment, ModuleProblem, SuiteCapability
from repo_guardian.tools.intent.interface import IntentEvidence, Mention
from repo_guardian.tools.probes.interface import ExceptionFacts, Frame, TestOutcome, TestReport
from repo_guardian.tools.signals.divergences import behaviour_signals
from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.outcomes import outcome_signals
from repo_guardian.tools.signals.ranking import RiskFactors, rank, spoken_for
from repo_guardian.tools.signals.suspects import Suspects, changed_production
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link

BASE = {
    "pkg/__init__.py": "",
    "pkg/core.py": """
        def parse(text):
            return _strip(text)

        def _strip(text):
            return text.strip()

        def apart():
            return 1

        def alone(x):
            return x
    """,
    "pkg/app.py": """
        from pkg.core import parse

        def main(text):
            return parse(text)

        class Reader:
            def __init__(self, text):
                self.value = parse(text)
    """,
    "tests/conftest.py": """
        import pytest
        from pkg.app import Reader

        @pytest.fixture
        def reader():
            return Reader("x")
    """,
    "tests/test_core.py": """
        from pkg.core import apart, parse
        from pkg.app import main

        def test_near():
            assert parse("a") == "a"

        def test_far():
            assert main("a") == "a"

        def test_fixture(reader):
            assert reader.value == "x"

        class TestIt:
            def test_apart(self):
                assert apart() == 1
    """,
}
NEW = {
    **BASE,
    "pkg/core.py": BASE["pkg/core.py"].replace("text.strip()", "text").replace("return 1", "return 2"),
}


def graph(files):
    extractor = PythonExtractor()
    facts = {p: extractor.extract(textwrap.dedent(t).encode(), ExtractLimits()) for p, t in files.items()}
    return link("0" * 40, facts)


def reader(files):
    return lambda path: textwrap.dedent(files[path]).encode() if path in files else None


@pytest.fixture(scope="module")
def trees():
    base, current = graph(BASE), graph(NEW)
    changed = changed_production(base, current, ["pkg/core.py", "tests/x.py"], reader(BASE), reader(NEW))
    assert changed == {"pkg.core._strip", "pkg.core.apart"}
    return base, current, Suspects(base, current, changed)


def divergence(symbol="pkg.core.parse", *, own=1, mutation="as recorded", old="'a'", new="'b'", literal=True):
    module, _, name = symbol.rpartition(".")
    return Divergence(
        target=Target(symbol, "pkg/core.py", 2, module, name),
        call="(['a'], {'n': 1})",
        receiver="",
        mutation=mutation,
        recorded="",
        number=-1,
        old=Outcome(value=old),
        new=Outcome(value=new),
        diverging=2,
        compared=4,
        recorded_diverging=own,
        recorded_compared=1,
        arguments="(['a'], {'n': 1})" if literal else "",
    )


def report(test_id, outcome, kind="AssertionError", *, message="assert 1 == 2\n +  where", frames=()):
    failed = outcome in (TestOutcome.FAILED, TestOutcome.ERROR)
    facts = ExceptionFacts((f"builtins.{kind}",), message, None, None, tuple(frames)) if failed else None
    return TestReport(test_id, outcome, facts)


def failing(name, *, confirmed=True, kind="AssertionError", frames=()):
    test_id = f"tests/test_core.py::{name}"
    after = report(test_id, TestOutcome.FAILED, kind, frames=frames)
    before = report(test_id, TestOutcome.PASSED)
    return TestDelta(test_id, DeltaKind.NEWLY_FAILING, before, after, confirmed)


def suite(*deltas, lost=()):
    problems = tuple(ModuleProblem(path, reason) for path, reason in lost)
    whole = Assessment(SuiteCapability.RUNNABLE)
    return SuiteDelta(deltas, whole, Assessment(SuiteCapability.RUNNABLE, problems), compared=9)


def test_a_divergence_is_one_line_with_its_callers(trees):
    base, current, _ = trees
    (signal,) = behaviour_signals([divergence()], base, current)
    assert signal.line == (
        "pkg.core.parse('a', n=1) gives 'b' (at the base it gives 'a'): a call that the tests make; "
        "2 of 4 calls differ"
    )
    assert {d.symbol for d in signal.dependents} == {
        "pkg.app.main",
        "pkg.app.Reader.__init__",
        "test_core.test_near",
    }
    assert (signal.lagging_total, signal.dependents_total) == (0, 3)
    assert signal.detail.symbol.old_id == "pkg.core.parse"


def test_what_makes_a_divergence_the_same(trees):
    base, current, _ = trees
    first = divergence()
    reworded = [
        Divergence(**{**vars_of(first), "new": Outcome(exception=("ValueError", text))})
        for text in ("one", "two")
    ]
    keys = {signal.key for signal in behaviour_signals([first, *reworded], base, current)}
    assert len(keys) == 2
    lost = divergence("pkg.core.never_there")
    assert behaviour_signals([lost], base, current) == ()


def vars_of(record):
    return {name: getattr(record, name) for name in record.__slots__}


def test_lines_stay_lines_whatever_the_values_are(trees):
    base, current, _ = trees
    hostile = divergence(old="'a\\n'\n\x1b[31m" + "x" * 5000, new="\u2028", literal=False)
    (signal,) = behaviour_signals([hostile], base, current)
    assert signal.line.isprintable() and len(signal.line) < 600
    assert signal.before.isprintable()


def test_suspects_by_traceback_by_distance_and_through_fixtures(trees):
    _, _, suspects = trees

    def names(delta):
        return [suspect.old_id for suspect in suspects.of(delta)]

    assert names(failing("test_near")) == ["pkg.core._strip"]
    assert names(failing("test_far[a::b]")) == ["pkg.core._strip"]
    assert names(failing("test_fixture")) == ["pkg.core._strip"]
    assert names(failing("TestIt::test_apart")) == ["pkg.core.apart"]
    frames = [Frame("/repo/tests/test_core.py", 6, "test_near"), Frame("/repo/pkg/core.py", 9, "apart")]
    assert names(failing("test_near", frames=frames)) == ["pkg.core.apart", "pkg.core._strip"]
    assert names(failing("test_that_no_graph_holds")) == ["pkg.core._strip", "pkg.core.apart"]


def test_a_module_s_own_code_is_a_suspect_of_whatever_uses_the_module():
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": "import os\nos.environ['X'] = '1'\n\ndef f(): ...\n",
        "tests/test_f.py": "from pkg.core import f\n\ndef test_f():\n    f()\n\ndef test_not():\n    pass\n",
    }
    new = {**files, "pkg/core.py": files["pkg/core.py"].replace("'1'", "'2'")}
    base, current = graph(files), graph(new)
    changed = changed_production(base, current, ["pkg/core.py"], reader(files), reader(new))
    assert changed == {"pkg.core"}
    suspects = Suspects(base, current, changed)
    delta = failing("test_f")
    found = suspects.of(TestDelta("tests/test_f.py::test_f", delta.kind, delta.before, delta.after, True))
    assert [(one.old_id, one.qualname) for one in found] == [("pkg.core", "")]


def test_a_method_of_a_value_of_unknown_type_is_a_suspect():
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": "class C:\n    def area(self):\n        return 1\n",
        "pkg/other.py": "class D:\n    def area(self):\n        return 3\n",
        "tests/test_f.py": "from helpers import make\n\ndef test_f():\n    assert make().area() == 1\n",
    }
    new = {**files, "pkg/core.py": files["pkg/core.py"].replace("1", "2")}
    base, current = graph(files), graph(new)
    changed = changed_production(base, current, ["pkg/core.py"], reader(files), reader(new))
    delta = failing("test_f")
    found = Suspects(base, current, changed).of(
        TestDelta("tests/test_f.py::test_f", delta.kind, delta.before, delta.after, True)
    )
    assert [one.old_id for one in found] == ["pkg.core.C.area"]


def test_tests_that_fail_for_one_cause_are_one_signal(trees):
    base, current, suspects = trees
    inside = [Frame("/repo/pkg/core.py", 6, "_strip")]
    deltas = [
        failing("test_far[1]", kind="TypeError", frames=inside),
        failing("test_fixture", kind="TypeError", frames=inside),
        failing("test_near"),
        failing("TestIt::test_apart", confirmed=False),
    ]
    signals = rank(outcome_signals(suite(*deltas), base, current, suspects))
    assert [signal.dependents_total for signal in signals] == [2, 1, 1]
    assert signals[0].line == (
        "tests/test_core.py::test_fixture passed at the base and fails now: TypeError: assert 1 == 2; "
        "1 other test fails for the same cause"
    )
    assert [d.text for d in signals[0].dependents] == [
        "tests/test_core.py::test_fixture",
        "tests/test_core.py::test_far[1]",
    ]
    assert signals[0].symbols == ("pkg.core._strip",)
    assert signals[0].paths == ("pkg/core.py", "tests/test_core.py")
    assert signals[2].detail.delta.confirmed is False
    assert round(signals[1].score / signals[2].score, 3) == 2.0


def test_tests_that_are_gone_skipped_or_no_longer_collected(trees):
    base, current, suspects = trees

    def gone(test_id):
        return TestDelta(test_id, DeltaKind.VANISHED, report(test_id, TestOutcome.PASSED), None, True)

    skipped = TestDelta(
        "tests/test_core.py::test_near",
        DeltaKind.NEWLY_SKIPPED,
        report("tests/test_core.py::test_near", TestOutcome.PASSED),
        report("tests/test_core.py::test_near", TestOutcome.SKIPPED),
        True,
    )
    moved = TestDelta(
        "tests/test_b.py::test_moved", DeltaKind.APPEARED, None, report("t", TestOutcome.PASSED), True
    )
    deltas = [
        gone("tests/test_a.py::test_one"),
        gone("tests/test_a.py::test_two"),
        gone("tests/test_a.py::test_moved"),
        gone("tests/test_core.py::test_far[renamed]"),
        gone("tests/test_lost.py::test_x"),
        moved,
        skipped,
    ]
    found = suite(*deltas, lost=[("tests/test_lost.py", "ImportError: cannot import name 'f' from 'pkg'")])
    signals = rank(outcome_signals(found, base, current, suspects))
    assert [signal.line for signal in signals] == [
        "tests/test_lost.py can no longer be collected, and its 1 test with it: "
        "ImportError: cannot import name 'f' from 'pkg'",
        "tests/test_core.py::test_near ran at the base and is skipped now",
        "2 tests of tests/test_a.py are gone: test_one, test_two",
    ]
    assert signals[0].detail.uncollected and not signals[0].detail.removed
    assert signals[2].detail.removed
    assert signals[0].detail.flat()["exception"].startswith("ImportError")


def test_what_is_no_signal(trees):
    base, current, suspects = trees
    was_bad = failing("test_near")
    was_skipped = TestDelta(
        was_bad.test_id,
        DeltaKind.NEWLY_FAILING,
        report(was_bad.test_id, TestOutcome.SKIPPED),
        was_bad.after,
        True,
    )
    others = [
        TestDelta(was_bad.test_id, kind, was_bad.before, was_bad.after, True)
        for kind in (DeltaKind.FLAKY, DeltaKind.SLOWER, DeltaKind.APPEARED_FAILING, DeltaKind.NEWLY_PASSING)
    ]
    assert outcome_signals(suite(was_skipped, *others), base, current, suspects) == ()


def test_the_documented_order(trees):
    base, current, suspects = trees
    lagging = {**BASE, "pkg/core.py": BASE["pkg/core.py"].replace("def parse(text)", "def parse(text, more)")}
    unused = {**BASE, "pkg/core.py": BASE["pkg/core.py"].replace("def alone(x)", "def alone()")}
    (breaks,) = detect_drift(graph(BASE), graph(lagging))
    (silent,) = detect_drift(graph(BASE), graph(unused))
    behaviours = behaviour_signals(
        [
            divergence("pkg.core.apart", own=0, mutation="generated"),
            divergence("pkg.core.apart"),
            divergence("pkg.core.apart", old="[]", new="None"),
            divergence("pkg.core.apart", own=0, mutation="argument 0: empty"),
        ],
        base,
        current,
    )
    tests = outcome_signals(suite(failing("test_near")), base, current, suspects)
    ranked = rank((breaks, silent, *behaviours, *tests))
    assert [told(s) for s in ranked] == [
        "test_changed",
        "contract_changed",
        "as recorded",
        "as recorded",
        "contract_changed",
        "argument 0: empty",
        "generated",
    ]
    seen, unseen = (s for s in ranked if told(s) == "as recorded")
    assert unseen.after == "gives None" and unseen.score == seen.score / 2


def told(signal):
    found = getattr(signal.detail, "divergence", None)
    return found.mutation if found is not None else signal.kind.value


def test_intent_is_one_word_and_weighs(trees):
    base, current, _ = trees
    (signal,) = behaviour_signals([divergence()], base, current)
    announced = IntentEvidence(changelog=(Mention("CHANGES", "parse"),))
    followed = IntentEvidence(tests=("tests/test_core.py",))
    words = [spoken_for(signal, e) for e in (None, IntentEvidence(), followed, announced)]
    assert words == ["", "", "followed", "announced"]
    scores = [
        rank([signal], RiskFactors(intent=lambda _, e=e: e))[0].score for e in (None, followed, announced)
    ]
    assert [round(scores[0] / score, 3) for score in scores] == [1.0, 2.0, 4.0]
