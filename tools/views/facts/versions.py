"""Versions of the extractors that share one engine: known without loading a grammar."""

from __future__ import annotations

ENGINE = "2"
"""Changes with any change of what the engine extracts from every language."""

VERSIONS = {"javascript": "1", "typescript": "1", "go": "1", "rust": "1", "java": "1", "project": "1"}
"""By language; a change of one language's output changes its version."""


def identity(language: str) -> str:
    """``language/version`` as its extractor says it; empty for a language of another engine."""
    version = VERSIONS.get(language)
    return f"{language}/{ENGINE}.{version}" if version else ""
