"""Python, for the linker."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts
from repo_guardian.tools.views.symbol_graph.corpus import (
    Corpus,
    LinkedFile,
    global_key,
    key_hash,
    local_key,
    place_key,
)
from repo_guardian.tools.views.symbol_graph.edges import EdgeMaker
from repo_guardian.tools.views.symbol_graph.languages import mentions_of
from repo_guardian.tools.views.symbol_graph.model import Symbol
from repo_guardian.tools.views.symbol_graph.modules import Layout
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.symbols import SymbolMaker

_LAYOUT = place_key("layout", "")


def _layout(corpus: Corpus, paths: Collection[str]) -> Layout:
    return Layout(paths, {path for path in paths if corpus.is_python2(path)})


class _Modules(Mapping[str, Module]):
    """Modules by path, made when they are asked for, which is noted."""

    def __init__(self, corpus: Corpus, layout: Layout) -> None:
        self._corpus = corpus
        self._layout = layout
        self._made: dict[str, Module] = {}
        self.read: set[str] = set()

    def __getitem__(self, path: str) -> Module:
        self.read.add(local_key(path, ""))
        module = self._made.get(path)
        if module is None:
            module = Module(self._layout.files[path], self._corpus.facts(path), self._layout)
            self._made[path] = module
        return module

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout.files)

    def __len__(self) -> int:
        return len(self._layout.files)


class _UniqueMethods(dict[str, str]):
    def __init__(self, corpus: Corpus, modules: _Modules) -> None:
        super().__init__()
        self._corpus = corpus
        self._modules = modules

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        key = global_key("method", name)
        self._modules.read.add(key)
        found: set[str] = set()
        for path in self._corpus.mentions(key)[:2]:
            module = self._modules[path]
            found |= {module.ids[index] for index in _methods(module.facts).get(name, ())}
        return found.pop() if len(found) == 1 else default


def _methods(facts: FileFacts) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, definition in enumerate(facts.definitions):
        if definition.kind != "function" or definition.parent == MODULE_SCOPE:
            continue
        if facts.definitions[definition.parent].kind == "class" and not definition.name.startswith("__"):
            found.setdefault(definition.name, []).append(index)
    return found


class PythonLinker:
    """Links the Python files of one corpus."""

    def __init__(self, corpus: Corpus, paths: Collection[str]) -> None:
        self._corpus = corpus
        self._layout = _layout(corpus, paths)
        self._modules = _Modules(corpus, self._layout)

    def link(self, path: str) -> LinkedFile:
        """The links of one file."""
        self._modules.read = {_LAYOUT}
        resolver = Resolver(self._modules, self._layout)
        module = self._modules[path]
        symbols: dict[str, Symbol] = {}
        for symbol in SymbolMaker(module, resolver).symbols():
            symbols.setdefault(symbol.id, symbol)
        edges = list(EdgeMaker(module, resolver, _UniqueMethods(self._corpus, self._modules)).edges())
        edges.sort(key=lambda e: (e.span.start_byte, e.span.end_byte, e.kind, e.target))
        reads = frozenset(key_hash(key) for key in self._modules.read - {local_key(path, "")})
        return LinkedFile(
            path,
            tuple(symbols[identity] for identity in sorted(symbols)),
            tuple(edges),
            reads,
            mentions_of("python", module.facts),
        )


class _Python:
    def linker(self, corpus: Corpus, paths: Collection[str]) -> PythonLinker:
        return PythonLinker(corpus, paths)

    def summary(self, facts: FileFacts) -> Mapping[tuple[str, str], bytes]:
        digest = hashlib.blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return {("l", ""): digest, **{("method", name): digest for name in _methods(facts)}}

    def moved(self, before: Corpus, after: Corpus, paths: Collection[str]) -> frozenset[str]:
        def shape(corpus: Corpus) -> list[tuple[str, bool]]:
            return [(p, corpus.is_python2(p)) for p in corpus.paths() if corpus.language(p) == "python"]

        return frozenset() if shape(before) == shape(after) else frozenset({_LAYOUT})


LANGUAGE = _Python()
