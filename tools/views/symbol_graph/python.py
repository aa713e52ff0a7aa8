"""Python, for the linker: what links its files, what others see of them, and what moves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts
from repo_guardian.tools.views.symbol_graph.corpus import Corpus, LinkedFile, global_key, key_hash
from repo_guardian.tools.views.symbol_graph.edges import EdgeMaker
from repo_guardian.tools.views.symbol_graph.flows import FLOW_FILES
from repo_guardian.tools.views.symbol_graph.methods import MAX_FILES
from repo_guardian.tools.views.symbol_graph.model import Symbol
from repo_guardian.tools.views.symbol_graph.modules import layout_of, moved_places
from repo_guardian.tools.views.symbol_graph.names import Names
from repo_guardian.tools.views.symbol_graph.queries import Memo, keys_of
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.sites import sites_of
from repo_guardian.tools.views.symbol_graph.summaries import mentions, summary
from repo_guardian.tools.views.symbol_graph.symbols import SymbolMaker


class PythonLinker:
    """Links the Python files of one corpus."""

    def __init__(self, corpus: Corpus, paths: Collection[str]) -> None:
        self._memo = Memo()
        self._names = Names(corpus, layout_of(corpus, paths), self._memo)
        self._resolver = Resolver(self._names, self._memo)
        self._hashes: dict[str, int] = {}

    def link(self, path: str) -> LinkedFile:
        """The links of one file."""
        self._memo.read = []
        module = self._names.module(path)
        if module.file.is_package:
            self._memo.read += [module.key(name) for name in module.scopes[MODULE_SCOPE]]
        symbols: dict[str, Symbol] = {}
        for symbol in SymbolMaker(module, self._resolver).symbols():
            symbols.setdefault(symbol.id, symbol)
        edges = list(EdgeMaker(module, self._resolver).edges())
        edges.sort(key=lambda e: (e.span.start_byte, e.span.end_byte, e.kind, e.target))
        own = f"l\0{path}\0"
        reads = frozenset([self._hash(key) for key in keys_of(self._memo.read) if not key.startswith(own)])
        return LinkedFile(
            path,
            tuple([symbols[identity] for identity in sorted(symbols)]),
            tuple(edges),
            reads,
            frozenset(
                [self._hash(global_key(*mention)) for mention in mentions(module.facts, sites_of(module))]
            ),
        )

    def close(self) -> None:
        """Take apart what refers to each other: finding it would cost a garbage collection of seconds."""
        self._names.forget()
        vars(self._resolver).clear()

    def _hash(self, key: str) -> int:
        known = self._hashes.get(key)
        if known is None:
            known = self._hashes[key] = key_hash(key)
        return known


class _Python:
    """The plug; see ``languages.LanguageLinker``."""

    most_files = max(FLOW_FILES, MAX_FILES)

    def linker(self, corpus: Corpus, paths: Collection[str]) -> PythonLinker:
        return PythonLinker(corpus, paths)

    def summary(self, facts: FileFacts) -> Mapping[tuple[str, str], bytes]:
        return summary(facts)

    def mentions(self, facts: FileFacts) -> Iterable[tuple[str, str]]:
        return mentions(facts)

    def moved(self, before: Corpus, after: Corpus, paths: Collection[str]) -> frozenset[str]:
        if all(_place(before, path) == _place(after, path) for path in paths):
            return frozenset()
        return moved_places(layout_of(before, _paths(before)), layout_of(after, _paths(after)))


def _paths(corpus: Corpus) -> list[str]:
    return [path for path in corpus.paths() if corpus.language(path) == "python"]


def _place(corpus: Corpus, path: str) -> bool | None:
    """Whether a file is Python 2 source; None when the corpus does not have it."""
    return corpus.is_python2(path) if path in corpus.paths() else None


LANGUAGE = _Python()
