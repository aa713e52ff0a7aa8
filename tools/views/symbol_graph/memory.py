"""A corpus held in memory: for tests, and for trees that are too small or short-lived to be stored."""

from __future__ import annotations

from collections.abc import Mapping

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.facts.registry import language_of
from repo_guardian.tools.views.symbol_graph.corpus import key_hash
from repo_guardian.tools.views.symbol_graph.languages import mentions_of


class MemoryCorpus:
    """Facts by path, as ``Corpus`` wants them.

    Args:
        files: facts by path, ``/`` as separator, without lone surrogates.
    """

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self._files = {path: files[path] for path in sorted(files)}
        self._mentions: dict[int, list[str]] | None = None

    def paths(self) -> tuple[str, ...]:
        """All files, sorted."""
        return tuple(self._files)

    def language(self, path: str) -> str:
        """The language of a file: the extractor's, since that has read it."""
        return self._files[path].extractor.partition("/")[0] or language_of(path) or ""

    def is_python2(self, path: str) -> bool:
        """Whether the file is Python 2 source."""
        return self._files[path].problem.startswith("Python 2")

    def facts(self, path: str) -> FileFacts:
        """The facts of a file of ``paths``."""
        return self._files[path]

    def mentions(self, key: str) -> tuple[str, ...]:
        """The files that mention a global key, sorted; the index is made on first use."""
        if self._mentions is None:
            self._mentions = {}
            for path, facts in self._files.items():
                for mentioned in mentions_of(self.language(path), facts):
                    self._mentions.setdefault(mentioned, []).append(path)
        return tuple(self._mentions.get(key_hash(key), ()))
