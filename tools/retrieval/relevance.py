"""Whether anything in a repository is about a query."""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.tools.views.lexical.index import LexicalMatches
from repo_guardian.tools.views.vector.index import VectorMatches


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the routes found, and how many definitions have a name that the query holds."""

    lexical: LexicalMatches
    vector: VectorMatches
    named: int


def why_off_topic(evidence: Evidence) -> str:
    """Why the repository holds nothing about the query, in one line; empty when it does."""
    if not evidence.lexical.places and not evidence.named:
        return "no word of the query occurs in the repository"
    return ""
