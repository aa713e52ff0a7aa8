"""The linker of files that are resolved by name and import: one for all such languages of a commit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.symbol_graph.byname import ecmascript, golang, java, rust
from repo_guardian.tools.views.symbol_graph.byname.edges import EdgeMaker
from repo_guardian.tools.views.symbol_graph.byname.language import Rules
from repo_guardian.tools.views.symbol_graph.byname.reader import FOLDER, PATH, Files, Reader
from repo_guardian.tools.views.symbol_graph.byname.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.byname.summary import mentions, summary
from repo_guardian.tools.views.symbol_graph.byname.symbols import SymbolMaker
from repo_guardian.tools.views.symbol_graph.corpus import (
    Corpus,
    LinkedFile,
    global_key,
    key_hash,
    place_key,
)

_RULES: Mapping[str, Rules] = {
    "ecmascript": ecmascript.RULES,
    "go": golang.RULES,
    "rust": rust.RULES,
    "java": java.RULES,
}


class ByNameLinker:
    """Links files one at a time; what it keeps between them is a function of the corpus."""

    def __init__(self, corpus: Corpus, paths: Collection[str]) -> None:
        self._files = Files(corpus, paths)

    def link(self, path: str) -> LinkedFile:
        """The links of a file; see ``FileLinker.link``. A project file has mentions only."""
        file = self._files.get(path)
        mentioned = frozenset(key_hash(global_key(*mention)) for mention in mentions(file.facts))
        rules = _RULES.get(file.family)
        if rules is None:
            return LinkedFile(path, (), (), frozenset(), mentioned)
        reader = Reader(self._files, path)
        resolver = Resolver(reader, rules)
        symbols = sorted(SymbolMaker(file, resolver).symbols(), key=lambda symbol: symbol.id)
        edges = EdgeMaker(file, resolver).edges()
        return LinkedFile(path, tuple(symbols), tuple(edges), frozenset(reader.reads), mentioned)


class ByName:
    """All languages that are linked by name and import, as the plug point wants them."""

    most_files = 0

    def linker(self, corpus: Corpus, paths: Collection[str]) -> ByNameLinker:
        """A linker of the corpus' files ``paths``."""
        return ByNameLinker(corpus, paths)

    def summary(self, facts: FileFacts) -> Mapping[tuple[str, str], bytes]:
        """What other files can see of a file; see ``summary.summary``."""
        return summary(facts)

    def mentions(self, facts: FileFacts) -> Iterable[tuple[str, str]]:
        """Kind and name of the global keys that a file belongs to."""
        return mentions(facts)

    def moved(self, before: Corpus, after: Corpus, paths: Collection[str]) -> frozenset[str]:
        """The paths that came or went, and the folders that they are in."""
        old, new = frozenset(before.paths()), frozenset(after.paths())
        moved = [path for path in paths if (path in old) != (path in new)]
        folders = {path.rpartition("/")[0] for path in moved}
        return frozenset(place_key(PATH, path) for path in moved) | {place_key(FOLDER, f) for f in folders}


LANGUAGE = ByName()
"""The plug of ``languages.language_linker``."""
