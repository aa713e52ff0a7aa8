"""Probes on the wire: what ran, what each test did, and whether that is admissible evidence.

Four questions stay in four fields: did the call work (``failure``), how did the process end
(``process_status``), what did each test do (``outcomes``), is it evidence (``evidence``).
"""

from __future__ import annotations

from enum import StrEnum

from repo_guardian.server.contract.wire import Wire
from repo_guardian.vocabulary import EvidenceStatus, Side


class ProbeTool(StrEnum):
    """The probes that exist."""

    SYNTHESIZE_TEST = "synthesize_test"
    RUN_TEST = "run_test"
    DIFFERENTIAL_RUN = "differential_run"
    FIX_PROBE = "fix_probe"


class Outcome(StrEnum):
    """What one test did, as reported by untrusted code and checked for consistency."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


class Transition(StrEnum):
    """A change of one test's outcome between an entry and its parent."""

    PASS_TO_FAIL = "PASS_TO_FAIL"  # noqa: S105  a term, not a password
    FAIL_TO_PASS = "FAIL_TO_PASS"  # noqa: S105  the field's term, not a password


class TestResult(Wire):
    """One test in one run. ``reason`` is, for a failure, the exception as one line."""

    __test__ = False

    test_id: str
    outcome: Outcome
    reason: str = ""


class RevertInfo(Wire):
    """What a fix-probe restored: base text only, in the throwaway overlay, as evidence.

    ``changed_lines`` counts lines restored plus lines taken out; ``commit_changed_lines`` and
    ``commit_hunks`` are of the whole change between base and commit. ``minimal`` says that leaving out
    any one part makes the test fail again.
    """

    description: str
    files: tuple[str, ...]
    changed_lines: int
    commit_changed_lines: int
    commit_hunks: int
    minimal: bool
    attempts: int
    evidence_diff: str


class ProbeEntry(Wire):
    """One entry of the probe ledger.

    Attributes:
        id: sequential in the cycle (``p1``).
        parent: the entry that this one is compared with, if any.
        commit: the commit of the tree it ran against; None for the empty tree.
        repetitions: how many times the test ran in this entry; all must agree.
        failure: why the call itself could not be carried out, else empty.
        evidence_reason: why the evidence status is what it is, in one sentence.
        transition: the change of the test's outcome against ``parent``, when both are valid.
        duration_s: seconds of wall clock over all repetitions.
        output: the tail of what the process printed; a stranger's text.
    """

    id: str
    tool: ProbeTool
    hypothesis_id: str
    parent: str | None
    side: Side
    commit: str | None
    argv: tuple[str, ...] = ()
    process_status: str = ""
    exit_code: int | None = None
    outcomes: tuple[TestResult, ...] = ()
    repetitions: int = 0
    evidence: EvidenceStatus
    evidence_reason: str
    transition: Transition | None = None
    failure: str = ""
    test_source: str = ""
    test_digest: str = ""
    revert: RevertInfo | None = None
    duration_s: float = 0.0
    output: str = ""
