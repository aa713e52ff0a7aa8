"""Which extractor reads which file. A new language is one more entry here and one more folder beside it."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from repo_guardian.tools.views.facts import versions
from repo_guardian.tools.views.facts.interface import Extractor

LANGUAGES: dict[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".pyx": "cython",
    ".pxd": "cython",
    ".c": "c",
    ".h": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".hpp": "c++",
    ".cs": "c#",
    ".rb": "ruby",
    ".php": "php",
    ".kt": "kotlin",
    ".swift": "swift",
    ".scala": "scala",
    ".sh": "shell",
    "go.mod": "project",
    "package.json": "project",
    "Cargo.toml": "project",
}
"""Language by file name suffix, or by whole name; one without an extractor is counted as not covered.

``project`` files say under which name other projects of the same tree import this one.
"""


def language_of(path: str) -> str | None:
    """The language of a path by its name or suffix; None when it is no source code that we know of."""
    slash, dot = path.rfind("/"), path.rfind(".")
    whole = LANGUAGES.get(path[slash + 1 :])
    return whole or (LANGUAGES.get(path[dot:].lower()) if dot > slash else None)


_EXTRACTORS = {
    "python": ("python.extractor", "PythonExtractor"),
    "javascript": ("javascript.extractor", "javascript"),
    "typescript": ("javascript.extractor", "typescript"),
    "go": ("go.extractor", "go"),
    "rust": ("rust.extractor", "rust"),
    "java": ("java.extractor", "java"),
    "project": ("project.extractor", "ProjectExtractor"),
}
"""Module beside this one and the callable in it that makes the extractor; imported when it is asked for."""


def identity_of(language: str) -> str:
    """``Extractor.identity`` of a language, with as little loading as possible; empty when not covered."""
    known = versions.identity(language)
    if known:
        return known
    extractor = extractor_for(language)
    return "" if extractor is None else extractor.identity


@cache
def extractor_for(language: str) -> Extractor | None:
    """The extractor of a language, made once; None when the language is not covered."""
    place = _EXTRACTORS.get(language)
    if place is None:
        return None
    module = import_module(f"repo_guardian.tools.views.facts.{place[0]}")
    made: Extractor = getattr(module, place[1])()
    return made
