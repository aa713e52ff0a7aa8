"""Probes on the wire: what ran, what each test did, and whether that is admissible evidence.

Four questions stay in four fields: did the call work (``failure``), how did the process end
(``process_status``), what did each test do (``outcomes``), is it evidence (``evidence``).
"""

from __future__ import annotations

from enum import StrEnum

from repo_guardian.server.contract.wire import Location, Wire
from repo_guardian.vocabulary import EvidenceStatus, Grade, Side


class ProbeTool(StrEnum):
    """The probes that exist."""

    SYNTHESIZE_TEST = "synthesize_test"
    RUN_TEST = "run_test"
    DIFFERENTIAL_RUN = "differential_run"
    FIX_PROBE = "fix_probe"
    RUN_EXISTING_TESTS = "run_existing_tests"
    GREP_CALL_SITES = "grep_call_sites"
    CHECK_IMPORTS = "check_imports"
    RUN_SCRIPT = "run_script"


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
    """What a fix-probe put in place, in the throwaway overlay, as evidence.

    ``restores_base`` says that it is base text and nothing else; any other edit can only support.
    ``changed_lines`` counts lines restored plus lines taken out; ``commit_changed_lines`` and
    ``commit_hunks`` are of the whole change between base and commit. ``minimal`` says that leaving out
    any one part makes the test fail again. ``objection`` says why what it reverts is not the suspected cause:
    another file, or the test itself; empty when nothing of the kind speaks against it.
    """

    description: str
    files: tuple[str, ...]
    changed_lines: int
    commit_changed_lines: int
    commit_hunks: int
    minimal: bool
    attempts: int
    evidence_diff: str
    restores_base: bool = True
    objection: str = ""


class CallSite(Wire):
    """One use of a symbol; ``how`` is the graph's certainty, or ``text`` for a match of the name alone."""

    location: Location
    symbol: str = ""
    how: str
    reason: str = ""


class CallSites(Wire):
    """The uses of a symbol at one commit; ``total`` counts those that were cut, too."""

    symbol: str
    sites: tuple[CallSite, ...]
    total: int
    text_total: int = 0
    """Matches of the last part of the name that the graph knows nothing about."""


class ImportResult(Wire):
    """What importing one module gave, on both trees: empty for success, else the exception as one line.

    ``names_locus`` says that the error names the hypothesis' locus or a module of the repository.
    """

    module: str
    path: str
    base: str | None
    current: str | None
    names_locus: bool = False


class ImportCheck(Wire):
    """The modules that were imported, each in a process of its own.

    ``checker`` lists what a type checker said about them at the current commit and not at the base, one line
    each; ``checker_note`` says why it was not asked, or could not answer.
    """

    modules: tuple[ImportResult, ...]
    total: int
    checker: tuple[str, ...] = ()
    checker_note: str = ""


class ScriptResult(Wire):
    """What a script did on one tree; the output is a stranger's text, cut at its end."""

    side: Side
    process_status: str
    exit_code: int | None
    stdout: str
    stderr: str
    duration_s: float


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
        test_source: text of the test's file; ``test_id`` the id that pytest knows the test by, and
            ``test_digest`` what binds entries to the same test.
        call_sites, imports, scripts: what the probes of these names found.
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
    test_id: str = ""
    test_digest: str = ""
    revert: RevertInfo | None = None
    call_sites: CallSites | None = None
    imports: ImportCheck | None = None
    scripts: tuple[ScriptResult, ...] = ()
    duration_s: float = 0.0
    output: str = ""


class Proof(Wire):
    """What ``prove`` came to: every probe that it made, and the grade that the server's rules gave.

    ``validity`` names the last gate that the test survived: ``written``,
    ``ran``, ``admissible``, ``fails_now``, ``corroborated``.
    """

    hypothesis_id: str
    probes: tuple[ProbeEntry, ...]
    grade: Grade
    admitted: bool
    reason: str
    validity: str
