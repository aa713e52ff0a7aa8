"""How each language is linked: the plug point of the linker. A language is a module with one ``LANGUAGE``.

A language says three things: how a file is linked, what other files can see of a file (its *summary*), and
which keys change when files come, go or move. The linker adds nothing to that but the dispatch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Protocol

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.symbol_graph.corpus import Corpus, LinkedFile, global_key, key_hash


class FileLinker(Protocol):
    """Links the files of one language of one corpus, in any order and any number."""

    def link(self, path: str) -> LinkedFile:
        """The links of a file: a function of the corpus and the path alone."""
        ...


class LanguageLinker(Protocol):
    """One language, or several that are linked alike."""

    @property
    def most_files(self) -> int:
        """How many files may mention a global key for who they are to matter; 0 when it always does.

        A linker that has more than so many from ``Corpus.mentions`` goes on as if it had any other number
        above, and no other language uses its kinds of keys.
        """
        ...

    def linker(self, corpus: Corpus, paths: Collection[str]) -> FileLinker:
        """A linker of the corpus' files ``paths``, which are all that are of this language, sorted."""
        ...

    def summary(self, facts: FileFacts) -> Mapping[tuple[str, str], bytes]:
        """What other files can see of a file, as far as it does not depend on its path.

        Under ``("l", name)`` what ``local_key(path, name)`` stands for, under ``(kind, name)`` what the file
        adds to ``global_key(kind, name)``, each as a digest. A name that is not there has no entry.
        """
        ...

    def mentions(self, facts: FileFacts) -> Iterable[tuple[str, str]]:
        """Kind and name of the global keys that the file belongs to: those in ``summary``."""
        ...

    def moved(self, before: Corpus, after: Corpus, paths: Collection[str]) -> frozenset[str]:
        """The place keys that differ; ``paths`` are the language's files that changed, came or went."""
        ...


_BY_NAME = frozenset({"javascript", "typescript", "go", "rust", "java", "project"})


def is_linked(language: str) -> bool:
    """Whether ``language_linker`` knows the language, without loading anything."""
    return language == "python" or language in _BY_NAME


@cache
def language_linker(language: str) -> LanguageLinker | None:
    """What links a language of ``facts.registry``; None when nothing does."""
    if language == "python":
        from repo_guardian.tools.views.symbol_graph.python import LANGUAGE

        return LANGUAGE
    if language in _BY_NAME:
        from repo_guardian.tools.views.symbol_graph.byname.linker import LANGUAGE as RULES

        return RULES
    return None


def mentions_of(language: str, facts: FileFacts) -> frozenset[int]:
    """Hashes of the global keys that a file's facts belong to."""
    linker = language_linker(language)
    if linker is None:
        return frozenset()
    return frozenset([key_hash(global_key(*mention)) for mention in linker.mentions(facts)])
