"""The linker of a commit: one file at a time, by the language that it is in."""

from __future__ import annotations

from repo_guardian.tools.views.symbol_graph.corpus import Corpus, LinkedFile
from repo_guardian.tools.views.symbol_graph.languages import FileLinker, language_linker

LINKER_VERSION = "6"
"""Changes whenever the same facts would link to another graph."""


class Linker:
    """Links the files of one corpus; what it has found out once is kept as long as it lives.

    Args:
        corpus: the facts of one commit's files.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._linkers: dict[str, FileLinker | None] = {}

    def link(self, path: str) -> LinkedFile:
        """The links of a file of the corpus: a function of corpus and path, whatever was linked before.

        A file of a language that is not linked has no symbols and no edges.
        """
        language = self._corpus.language(path)
        if language not in self._linkers:
            self._linkers[language] = self._make(language)
        linker = self._linkers[language]
        return LinkedFile(path, (), (), frozenset(), frozenset()) if linker is None else linker.link(path)

    def close(self) -> None:
        """Free what was found out; no file can be linked afterwards."""
        for linker in self._linkers.values():
            close = getattr(linker, "close", None)
            if close is not None:
                close()
        self._linkers.clear()

    def _make(self, language: str) -> FileLinker | None:
        found = language_linker(language)
        if found is None:
            return None
        corpus = self._corpus
        paths = [path for path in corpus.paths() if language_linker(corpus.language(path)) is found]
        return found.linker(corpus, paths)
