"""The closed sets of words that only the memory uses; the shared ones are ``repo_guardian.vocabulary``."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """What happened to a hypothesis in a cycle."""

    GRADED = "graded"
    RECURRED = "recurred"
    """The same claim on the same locus came up again; it is counted, never a second hypothesis."""


class HumanVerdict(StrEnum):
    """What a human said of a hypothesis."""

    DISMISSED = "dismissed"
    ACCEPTED = "accepted"


class Lifetime(StrEnum):
    """What happened to a symbol or an edge between the base and the commit."""

    BORN = "born"
    MOVED = "moved"
    DIED = "died"
