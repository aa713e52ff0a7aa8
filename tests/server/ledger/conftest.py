"""Builders of ledger values with plain defaults, so that a test shows only what it is about."""

import pytest

from repo_guardian.sandbox.interface import CommandResult, ProcessStatus
from repo_guardian.server.contract.hypotheses import ChangeOfKind, Hypothesis, HypothesisDraft, Remedy
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, ProbeTool, RevertInfo, TestResult
from repo_guardian.server.contract.wire import Locus
from repo_guardian.tools.probes.interface import (
    ExceptionFacts,
    FileState,
    Frame,
    TestOutcome,
    TestReport,
    TestRun,
    TestSource,
)
from repo_guardian.vocabulary import EvidenceStatus, Origin, Side

TEST = TestSource("test_load.py", "test_load", "def test_load(): ...\n", "d1")
OWN = Frame("/tmp/guardian/test_load.py", 3, "test_load")
TYPES = {
    "ModuleNotFoundError": ("ModuleNotFoundError", "ImportError"),
    "AssertionError": ("AssertionError",),
}


class Build:
    """Values for the rules, by name."""

    test = TEST

    @staticmethod
    def exception(kind, message="x", *, name=None, owner=None, frames=(OWN,)):
        types = tuple(f"builtins.{t}" for t in (*TYPES.get(kind, (kind,)), "Exception"))
        return ExceptionFacts(types, message, name, owner, tuple(frames))

    @staticmethod
    def run(outcome=TestOutcome.PASSED, exception=None, *, status=ProcessStatus.EXITED, **fields):
        result = CommandResult(
            status, 0, None, b"", b"", False, False, 0.1, ("python",), "/tmp", "c", "bubblewrap"
        )
        values = {
            "tests": (TestReport(TEST.test_id, outcome, exception),),
            "collect_errors": (),
            "disagreements": (),
            "loaded": (("pkg.io", "/repo/pkg/io.py"),),
            "files": (FileState("/repo/pkg/io.py", "aa", "aa"),),
            "pytest_status": 0 if outcome is TestOutcome.PASSED else 1,
        }
        return TestRun(result=result, **{**values, **fields})

    @staticmethod
    def entry(side=Side.CURRENT, outcome=Outcome.FAILED, **fields):
        values = {
            "id": "p1",
            "tool": ProbeTool.RUN_TEST,
            "hypothesis_id": "h1",
            "parent": None,
            "side": side,
            "commit": "c",
            "outcomes": (TestResult(test_id=TEST.test_id, outcome=outcome),) if outcome else (),
            "evidence": EvidenceStatus.VALID,
            "evidence_reason": "because",
            "test_digest": TEST.digest,
        }
        return ProbeEntry(**{**values, **fields})

    @staticmethod
    def revert(**fields):
        values = {
            "description": "the definition of load",
            "files": ("pkg/io.py",),
            "changed_lines": 4,
            "commit_changed_lines": 40,
            "commit_hunks": 5,
            "minimal": True,
            "attempts": 1,
            "evidence_diff": "",
        }
        return RevertInfo(**{**values, **fields})

    @staticmethod
    def hypothesis(**fields):
        locus = Locus(files=("pkg/io.py",), symbols=("pkg.io.load",))
        draft = HypothesisDraft(
            claim="claim",
            consequence="consequence",
            remedy=Remedy(change=ChangeOfKind.UPDATE_DEPENDENTS, locus=locus, text="mend"),
            origin=Origin.SIGNAL,
            locus=locus,
        )
        return Hypothesis(**{"id": "h1", "key": "k", "draft": draft, "grade": "conjecture", **fields})


@pytest.fixture
def build():
    return Build
