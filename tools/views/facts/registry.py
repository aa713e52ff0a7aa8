"""Which extractor reads which file. A new language is one more entry here and one more folder beside it."""

from __future__ import annotations

from functools import cache

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
}
"""Language by file name suffix; a language without an extractor is counted as not covered."""


def language_of(path: str) -> str | None:
    """The language of a path by its suffix; None when it is no source code that we know of."""
    dot = path.rfind(".")
    return LANGUAGES.get(path[dot:].lower()) if dot > path.rfind("/") else None


@cache
def extractor_for(language: str) -> Extractor | None:
    """The extractor of a language, made once; None when the language is not covered."""
    if language == "python":
        from repo_guardian.tools.views.facts.python.extractor import PythonExtractor

        return PythonExtractor()
    return None
