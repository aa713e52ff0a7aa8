"""Drift on the wire: what changed between two commits, who has not followed, and what speaks for intent.

Behaviour and test deltas are what the repository's own code reported in a sandbox: untrusted, and so shown.
"""

from __future__ import annotations

from pydantic import Field

from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.contract.wire import Wire


class MentionItem(Wire):
    """A line that names what changed. ``where`` is a path or a commit; the line is a stranger's text."""

    where: str
    line: str


class IntentItem(Wire):
    """What speaks for a change being meant.

    Attributes:
        announced: a changelog, the documentation, a docstring or an earlier deprecation told readers.
        followed: a changed test uses it, or a commit message names it.
        deprecated: how the base announced it; empty when it did not.
        docstring: its own docstring changed.
        tests: changed test files that use it.
        changelog, documents, messages: the lines that name it.
    """

    announced: bool
    followed: bool
    deprecated: str = ""
    docstring: bool = False
    tests: tuple[str, ...] = ()
    changelog: tuple[MentionItem, ...] = ()
    documents: tuple[MentionItem, ...] = ()
    messages: tuple[MentionItem, ...] = ()


class DriftItem(Wire):
    """One signal with its intent."""

    signal: SignalItem
    intent: IntentItem


class LeftOutItem(Wire):
    """A path of the work tree that could not be compared, and why."""

    path: str
    reason: str


class DriftAnswer(Wire):
    """What changed between two commits, or between HEAD and the work tree.

    Attributes:
        as_of: the later side; for the work tree its commit is a pseudo-commit that no repository holds.
        base, base_subject: the earlier side; an empty base is the empty tree.
        work_tree: the later side is what is on disk.
        base_version, version: by the nearest tags; empty where history names none.
        step: ``major``, ``minor``, ``patch`` or ``other`` when the version changed, else empty. A break in a
            major step is what the number promises (semver.org, item 8).
        files_changed: paths that differ.
        total, totals_by_kind, unannounced_total: counts before any cut.
        items: ranked: unannounced ones first, then by score.
        not_comparable: of the work tree.
        skipped_total: source files that could not be read whole, at either side.
    """

    as_of: AsOf
    base: str
    base_subject: str
    work_tree: bool
    base_version: str
    version: str
    step: str
    files_changed: int
    total: int
    totals_by_kind: dict[str, int]
    unannounced_total: int
    items: tuple[DriftItem, ...]
    not_comparable: tuple[LeftOutItem, ...] = ()
    skipped_total: int = 0
    next_offset: int | None = None


class DivergenceItem(Wire):
    """A function whose signature is the same and which does something else, shown by one call.

    Attributes:
        symbol, path, line: the function, where it stands at the base.
        call, receiver: the arguments of the smallest diverging call, and ``self`` or ``cls``, as text.
        mutation: how the call differs from one that the suite makes; ``as recorded`` when it does not.
        before, after: what the call does at each commit.
        diverging, compared: calls that differ, of calls compared.
        recorded_diverging, recorded_compared: the same of the suite's own calls.
        callers: files that use it at the base.
        provable: whether the call can be written as a test that passes at the base and fails now.
    """

    symbol: str
    path: str
    line: int
    call: str
    receiver: str
    mutation: str
    before: str
    after: str
    diverging: int
    compared: int
    recorded_diverging: int
    intent: IntentItem
    recorded_compared: int = 0
    callers: int = 0
    provable: bool = False


class TestDeltaItem(Wire):
    """One test that differs; ``confirmed`` says that repetitions agreed."""

    __test__ = False

    test_id: str
    kind: str
    before: str
    after: str
    confirmed: bool
    reason: str = ""
    ratio: float | None = None


class CallsLeftOut(Wire):
    """Calls that were made and could not be compared.

    Attributes:
        effects: those that reached beyond their arguments, by what: an audit event, ``clock``, ``chance`` or
            ``globals``.
        misfits: with recorded objects that the later code sets up with further attributes.
        reshaped: whose outcome shows private state that the two commits lay out differently.
        unusable: recorded ones that cannot be read back.
        late: functions whose calls could not all be made in time.
    """

    effects: dict[str, int] = Field(default_factory=dict)
    misfits: int = 0
    reshaped: int = 0
    unusable: int = 0
    late: tuple[str, ...] = ()


class ExecutedDrift(Wire):
    """What running the repository's own tests adds to a comparison of two commits.

    Attributes:
        sandbox: the backend that isolated the runs.
        divergences: unannounced ones first.
        functions_changed, functions_compared, calls_compared: what was looked at.
        unreached: changed functions that no test reaches with arguments that can be kept.
        reaching_out: functions left out because a call reached files, network or processes.
        missing: functions that could not be called at one of the commits, with the reason.
        unstable_calls: calls left out because repetition gave two outcomes.
        left_out: what else was left out.
        not_kept: calls of the suite that could not be kept, by reason.
        left_out_counts: all of what was not compared, counted by reason in plain words; the lists above are
            cut, these numbers are not.
        tests, tests_compared, tests_selected: what differs in the suite, of how many tests that both sides
            ran, and the test files that it was restricted to (empty for all).
        problems: why something could not be run.
    """

    sandbox: str
    divergences: tuple[DivergenceItem, ...] = ()
    functions_changed: int = 0
    functions_compared: int = 0
    calls_compared: int = 0
    unreached: tuple[str, ...] = ()
    reaching_out: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unstable_calls: int = 0
    left_out: CallsLeftOut = CallsLeftOut()
    not_kept: dict[str, int] = Field(default_factory=dict)
    left_out_counts: dict[str, int] = Field(default_factory=dict)
    tests: tuple[TestDeltaItem, ...] = ()
    tests_compared: int = 0
    tests_selected: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class DriftReport(Wire):
    """The whole of ``guardian drift``: what the graphs tell, and what running adds when it was asked for."""

    structure: DriftAnswer
    executed: ExecutedDrift | None = None
