"""The closed sets of words that the memory stores; each means one thing everywhere."""

from __future__ import annotations

from enum import StrEnum


class Arm(StrEnum):
    """What a cycle may read of the past; writes are the same in all."""

    MEMORY = "memory"
    MEMORYLESS = "memoryless"
    MEMORYLESS_DRIFT = "memoryless-drift"
    SHUFFLED = "shuffled"


class Origin(StrEnum):
    """What gave rise to a hypothesis."""

    SIGNAL = "signal"
    MEMORY = "memory"
    EXPLORATION = "exploration"
    HUMAN = "human"


class Grade(StrEnum):
    """Where a hypothesis stands over its life."""

    CONJECTURE = "conjecture"
    SUPPORTED = "supported"
    FINDING = "finding"
    REFUTED = "refuted"
    DEFERRED = "deferred"
    RESOLVED = "resolved"


class Verdict(StrEnum):
    """What the investigator said about the claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


class EventKind(StrEnum):
    """What happened to a hypothesis in a cycle."""

    GRADED = "graded"
    RECURRED = "recurred"
    """The same claim on the same locus came up again; it is counted, never a second hypothesis."""


class EvidenceStatus(StrEnum):
    """What the server derived from a probe about its worth as evidence."""

    SOURCE = "source"
    VALID = "valid"
    INVALID = "invalid"
    ENVIRONMENT = "environment"


class Tree(StrEnum):
    """Which tree a probe or a test ran on."""

    CURRENT = "current"
    BASE = "base"
    REVERT = "revert"
    """The current tree with the suspected cause restored to its base text."""


class Lifetime(StrEnum):
    """What happened to a symbol or an edge between the base and the commit."""

    BORN = "born"
    MOVED = "moved"
    DIED = "died"
