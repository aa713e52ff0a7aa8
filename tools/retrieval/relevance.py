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


_SMALL = 1e-6
_COVERAGE, _KNOWN, _NEARNESS, _DEVIATIONS = 0.4, 0.5, 1.9, -0.1
_LEAST = 0.64
"""A logistic regression that tells questions with an answer from off-topic ones, its coefficients rounded:
``benchmarks/retrieval.py --calibrate`` prints the table that it was fitted to (docs/decisions/0012)."""


def why_off_topic(evidence: Evidence) -> str:
    """Why the repository holds nothing about the query, in one line; empty when it does.

    The decision rests on four numbers. ``coverage``: the share of the query's weight that one chunk holds;
    ``known``: the share in words that occur at all; ``nearness``: the best cosine on a scale from the query's
    mean cosine with the repository, 0, to equality, 1; and how many standard deviations that is above the
    mean, which counts against it: a lone near chunk among many that are far is chance. A name that the
    repository defines settles it.
    """
    lexical, vector = evidence.lexical, evidence.vector
    if evidence.named:
        return ""
    if not lexical.words:
        return "the query has no word to search for"
    best = vector.places[0][1] if vector.places else vector.mean
    above = best - vector.mean
    relevance = (
        _COVERAGE * lexical.coverage
        + _KNOWN * lexical.known
        + _NEARNESS * above / max(1 - vector.mean, _SMALL)
        + _DEVIATIONS * above / max(vector.deviation, _SMALL)
    )
    return "" if relevance >= _LEAST else "nothing in the repository is about the query"
