"""A cycle on the wire: what it is about, what its views are, and how it ends."""

from __future__ import annotations

from enum import StrEnum

from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.probes import ProbeEntry
from repo_guardian.server.contract.wire import Wire


class ExitReason(StrEnum):
    """Why the deciding loop ended; each has its explanation in ``EXIT_EXPLANATIONS``."""

    SUBMITTED = "submitted"
    BUDGET = "budget"
    WALL_CLOCK = "wall_clock"
    NO_EXECUTION = "no_execution"


EXIT_EXPLANATIONS: dict[ExitReason, str] = {
    ExitReason.SUBMITTED: "the policy looked at everything it meant to and ended the cycle itself",
    ExitReason.BUDGET: "the budget of proofs was spent; what was left is in the backlog",
    ExitReason.WALL_CLOCK: "the time allowed was over; what was left is in the backlog",
    ExitReason.NO_EXECUTION: "no sandbox works on this machine, so nothing was executed or proven",
}


class Interrupted(Wire):
    """An earlier cycle that began and never ended: killed, or crashed."""

    number: int
    commit: str
    started_at: str


class Scope(StrEnum):
    """What is compared with the base."""

    COMMIT = "commit"
    WORKTREE = "worktree"
    """What is on disk: staged, unstaged and untracked files. Never persisted: it has no place in history."""
    STAGED = "staged"
    """What would be committed: the index. Never persisted either."""


class CycleInfo(Wire):
    """An opened cycle, or a check of what is not committed (``scope``), which has the number 0.

    Attributes:
        cycle_id: handle for all further calls of this cycle.
        number: consecutive number in this repository's memory, from 1.
        base: the commit compared with; None means the empty tree (a root commit).
        limitations: what could not be looked at, in plain words (shallow history, submodules, …).
        can_execute: False when no sandbox works here; ``sandbox_note`` then says why.
    """

    cycle_id: str
    number: int
    repository_id: str
    source: str
    commit: str
    subject: str
    committed_at: str
    base: str | None
    limitations: tuple[str, ...] = ()
    interrupted: tuple[Interrupted, ...] = ()
    can_execute: bool
    sandbox_backend: str | None
    sandbox_note: str = ""
    scope: Scope = Scope.COMMIT


class SkippedSource(Wire):
    """A file that a view could not read whole, and why."""

    path: str
    reason: str


class ViewStatus(Wire):
    """One published view of one commit. ``digest`` is canonical and free of history."""

    commit: str
    view: str
    digest: str
    files_seen: int
    files_covered: int
    skipped: tuple[SkippedSource, ...] = ()
    skipped_total: int = 0
    facts_reused: int
    facts_extracted: int
    symbols: int
    edges: int


class Refreshed(Wire):
    """The views of the cycle's commit and of its base."""

    current: ViewStatus
    base: ViewStatus


class Envelope(Wire):
    """The environment that produced a cycle: what has to be equal for a result to be repeated."""

    guardian_version: str
    python_version: str
    git_version: str
    sandbox_backend: str | None
    sandbox_python: str | None
    sandbox_image: str
    sandbox_checks: tuple[str, ...]
    toolchain: tuple[str, ...]
    toolchain_digest: str | None
    toolchain_problems: tuple[str, ...]
    extractor: str
    limits: dict[str, float]


class CycleState(Wire):
    """Everything that a cycle holds so far: the material of its report."""

    info: CycleInfo
    envelope: Envelope
    hypotheses: tuple[Hypothesis, ...]
    probes: tuple[ProbeEntry, ...]


class Decision(Wire):
    """One tool call of the policy: what it asked, in which state, and what it saw.

    ``arguments`` is JSON text, ``state_digest`` the digest of the cycle's state before the call.
    """

    turn: int
    tool: str
    arguments: str
    state_digest: str
    observation: str


class CycleClose(Wire):
    """How the client ends a cycle. ``wall_s`` is seconds; tokens are counts (0 without a model)."""

    policy: str
    model: str | None = None
    exit_reason: ExitReason
    degraded: bool = False
    wall_s: float
    tokens_reserved: int = 0
    tokens_used: int = 0
    tokens_overshot: int = 0
    decisions: tuple[Decision, ...] = ()


class Persisted(Wire):
    """A cycle that is now part of the memory, with what its transaction held."""

    number: int
    rows: dict[str, int]


class ServerStatus(Wire):
    """What the server watches and whether it can execute code."""

    version: str
    repositories: tuple[str, ...]
    open_cycles: tuple[str, ...]
    sandbox: str
