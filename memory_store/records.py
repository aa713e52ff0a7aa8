"""What a cycle writes: frozen pydantic records, validated strictly before any row is made of them.

Strict means that nothing is coerced: ``"3"`` is not an integer, ``True`` is not 1, NaN is not a number.
Constructing a record with the wrong types raises ``pydantic.ValidationError``. Enumerations may be given
as members or as their values. ``commit`` is always a full object id; paths are relative to the tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from repo_guardian.memory_store.fields import (
    CommitId,
    Count,
    CycleNumber,
    Document,
    Excerpt,
    Identifier,
    Instant,
    JsonObject,
    RelativePath,
    Seconds,
    Share,
    Word,
    utc_now,
)
from repo_guardian.memory_store.process import ProcessIdentity, current_process
from repo_guardian.memory_store.vocabulary import EventKind, HumanVerdict, Lifetime
from repo_guardian.vocabulary import Arm, EvidenceStatus, Grade, Origin, Side, Verdict

LAX = Field(strict=False)
"""Lets an enumeration be given by its value."""


class Record(BaseModel):
    """Base of all records: strict, frozen, closed, finite, and validated again wherever it is nested."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="forbid", allow_inf_nan=False, revalidate_instances="always"
    )


class CycleIntent(Record):
    """That a cycle is about to run. ``number`` is None until ``MemoryStore.begin`` has taken one.

    ``base`` is None for a root commit, which is compared with the empty tree. ``process`` identifies
    who runs the cycle, so that an interrupted one can be told from one that still runs.
    """

    commit: CommitId
    base: CommitId | None
    arm: Annotated[Arm, LAX] = Arm.MEMORY
    started_at: Instant = Field(default_factory=utc_now)
    process: ProcessIdentity = Field(default_factory=current_process)
    number: CycleNumber | None = None


class CycleRecord(Record):
    """One finished cycle. Tokens are those of the policy's model; ``model`` is None for ``rules``.

    ``tokens_overshot`` is what was used beyond the reservations. ``detail`` holds what else describes
    the run (versions, profile, settings).
    """

    number: CycleNumber
    commit: CommitId
    base: CommitId | None
    arm: Annotated[Arm, LAX]
    policy: Identifier
    model: Identifier | None
    sandbox: Identifier
    exit_reason: Identifier
    degraded: bool
    tokens_reserved: Count = 0
    tokens_used: Count = 0
    tokens_overshot: Count = 0
    wall_s: Seconds
    started_at: Instant
    ended_at: Instant
    detail: JsonObject = Field(default_factory=dict)


class SignalRecord(Record):
    """One measurement; ``key`` is the same whenever the same change is seen, once per cycle.

    ``symbols`` and ``paths`` are the locus, the changed symbol first. ``before`` and ``after`` are the
    two shapes as text. A higher ``score`` ranks first.
    """

    key: Identifier
    kind: Identifier
    line: Excerpt
    symbols: tuple[Identifier, ...] = ()
    paths: tuple[Identifier, ...] = ()
    before: Excerpt = ""
    after: Excerpt = ""
    public: bool = True
    score: float = 0.0
    detail: JsonObject = Field(default_factory=dict)


class SymbolEvent(Record):
    """A symbol was born, moved or died between the base and the commit.

    ``path`` is where it is now, for a dead one where it was. ``moved_from`` is its former id, set for
    ``moved`` only.
    """

    event: Annotated[Lifetime, LAX]
    symbol: Identifier
    kind: Identifier
    path: Identifier
    moved_from: Identifier | None = None

    @model_validator(mode="after")
    def _only_moves_come_from_somewhere(self) -> Self:
        if (self.event is Lifetime.MOVED) != (self.moved_from is not None):
            raise ValueError("moved_from belongs to a moved symbol, and to no other")
        return self


class EdgeEvent(Record):
    """``source`` began or ceased to use ``target``; ``event`` is born or died."""

    event: Annotated[Lifetime, LAX]
    source: Identifier
    target: Identifier
    kind: Identifier

    @model_validator(mode="after")
    def _edges_do_not_move(self) -> Self:
        if self.event is Lifetime.MOVED:
            raise ValueError("an edge is born or dies; it does not move")
        return self


class HypothesisRecord(Record):
    """A falsifiable claim, written once, in the cycle that first made it.

    ``key`` is its identity across cycles; ``id`` is its name within the cycle (``h1``). It starts as a
    conjecture, and everything that happens to it afterwards is a ``HypothesisEvent``.
    """

    key: Identifier
    id: Identifier
    claim: Excerpt
    consequence: Excerpt
    remedy: Excerpt
    origin: Annotated[Origin, LAX]
    locus_files: tuple[Identifier, ...] = ()
    locus_symbols: tuple[Identifier, ...] = ()
    signal_keys: tuple[Identifier, ...] = ()


class HypothesisEvent(Record):
    """A hypothesis was graded, or recurred, in this cycle.

    ``grade`` is set for ``graded`` only. ``citations`` are ids of probes of the same cycle.
    ``confidence`` is the investigator's stated probability, None when it stated none.
    """

    hypothesis: Identifier
    kind: Annotated[EventKind, LAX] = EventKind.GRADED
    grade: Annotated[Grade, LAX] | None = None
    verdict: Annotated[Verdict, LAX] | None = None
    reason: Excerpt = ""
    citations: tuple[Identifier, ...] = ()
    confidence: Share | None = None

    @model_validator(mode="after")
    def _only_gradings_grade(self) -> Self:
        if (self.kind is EventKind.GRADED) != (self.grade is not None):
            raise ValueError("a grade belongs to a graded event, and to no other")
        return self


class HumanWordRecord(Record):
    """What a human said of a hypothesis: an event of origin human, of no cycle.

    ``hypothesis`` is a key, which no cycle need know: a check finds what it never keeps. ``commit`` is what
    was looked at, a pseudo-commit where it was not committed. ``blobs`` holds, by quoted path, the object
    name of each file of the locus then, empty for one that was not there.
    """

    hypothesis: Identifier
    word: Annotated[HumanVerdict, LAX]
    reason: Annotated[Excerpt, Field(min_length=1)]
    claim: Excerpt
    commit: CommitId
    blobs: JsonObject = Field(default_factory=dict)
    said_at: Instant = Field(default_factory=utc_now)


class ProbeRecord(Record):
    """One entry of the probe ledger.

    ``id`` is unique within the cycle, ``parent`` is the id of the probe that this one is compared with.
    ``hypothesis_id`` is the cycle's name for the hypothesis, ``hypothesis`` its key. ``process_status``
    says how the process ended, ``outcomes`` what each test did, ``evidence_status`` what the server
    made of it: three questions, three fields.
    """

    id: Identifier
    hypothesis: Identifier
    hypothesis_id: Identifier
    parent: Identifier | None = None
    tool: Identifier
    argv: tuple[Excerpt, ...] = ()
    commit: CommitId
    tree: Annotated[Side, LAX] = Side.CURRENT
    process_status: Word = ""
    exit_code: Annotated[int, Field(ge=-(2**31), lt=2**32)] | None = None
    outcomes: JsonObject = Field(default_factory=dict)
    evidence_status: Annotated[EvidenceStatus, LAX]
    reason: Excerpt = ""
    test_source: Document = ""
    evidence_diff: Document = ""
    stdout: Excerpt = ""
    stderr: Excerpt = ""
    duration_s: Seconds = 0.0


class DecisionRecord(Record):
    """One tool call of the deciding loop: what was asked, on which state, and what was seen."""

    turn: Count
    tool: Identifier
    arguments: JsonObject = Field(default_factory=dict)
    state_digest: Word = ""
    observation: Excerpt = ""


class TestOutcomeRecord(Record):
    """What one test did at one commit."""

    __test__ = False  # keeps pytest from collecting the class

    test_id: Identifier
    commit: CommitId
    tree: Annotated[Side, LAX] = Side.CURRENT
    outcome: Identifier
    duration_s: Seconds = 0.0


class GraphSnapshotRecord(Record):
    """Where the linked graph of a commit lies, relative to the memory's directory, and its digest."""

    commit: CommitId
    digest: Identifier
    path: RelativePath


class CycleWrite(Record):
    """Everything that one cycle leaves behind; it becomes visible whole or not at all."""

    cycle: CycleRecord
    signals: tuple[SignalRecord, ...] = ()
    symbols: tuple[SymbolEvent, ...] = ()
    edges: tuple[EdgeEvent, ...] = ()
    hypotheses: tuple[HypothesisRecord, ...] = ()
    events: tuple[HypothesisEvent, ...] = ()
    probes: tuple[ProbeRecord, ...] = ()
    decisions: tuple[DecisionRecord, ...] = ()
    test_outcomes: tuple[TestOutcomeRecord, ...] = ()
    graph_snapshots: tuple[GraphSnapshotRecord, ...] = ()

    @model_validator(mode="after")
    def _names_are_unique_and_known(self) -> Self:
        _unique("signal key", (signal.key for signal in self.signals))
        _unique("hypothesis key", (hypothesis.key for hypothesis in self.hypotheses))
        _unique("hypothesis id", (hypothesis.id for hypothesis in self.hypotheses))
        _unique("decision turn", (str(decision.turn) for decision in self.decisions))
        _unique("graph snapshot", (snapshot.commit for snapshot in self.graph_snapshots))
        probes = _unique("probe id", (probe.id for probe in self.probes))
        for probe in self.probes:
            if probe.parent is not None and probe.parent not in probes:
                raise ValueError(f"probe {probe.id!r} names the unknown parent {probe.parent!r}")
        for event in self.events:
            unknown = sorted(set(event.citations) - probes)
            if unknown:
                raise ValueError(f"an event of {event.hypothesis!r} cites the unknown probe {unknown[0]!r}")
        return self


def _unique(what: str, values: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"the {what} {value!r} occurs twice")
        seen.add(value)
    return seen
