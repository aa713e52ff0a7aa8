"""The closed sets of words of the design; each means one thing everywhere: in code, tables and reports.

They lie below all parts because the wire models, the server's rules and the memory's tables share them.
"""

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
    """What the investigator says about the claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


class EvidenceStatus(StrEnum):
    """What the server derives from a ledger entry about its worth as evidence; a model cannot assert it."""

    SOURCE = "source"
    VALID = "valid"
    INVALID = "invalid"
    ENVIRONMENT = "environment"


class Side(StrEnum):
    """Which tree a probe or a test ran against."""

    CURRENT = "current"
    BASE = "base"
    REVERTED = "reverted"
    """The current tree with base text restored at the suspected cause, in a throwaway overlay."""
