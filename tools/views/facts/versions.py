"""Versions of the extractors: known without loading a grammar."""

from __future__ import annotations

ENGINE = "2"
"""Changes with any change of what the engine extracts from every language."""

VERSIONS = {"javascript": "1", "typescript": "1", "go": "1", "rust": "1", "java": "1", "project": "1"}
"""Those on the engine, by language; a change of one language's output changes its version."""

OWN_ENGINE = {"python": "6"}
"""Those with an engine of their own; bump one whenever the same bytes would give other facts."""


def identity(language: str) -> str:
    """``language/version`` as its extractor says it; empty for a language without one."""
    if language in OWN_ENGINE:
        return f"{language}/{OWN_ENGINE[language]}"
    version = VERSIONS.get(language)
    return f"{language}/{ENGINE}.{version}" if version else ""
