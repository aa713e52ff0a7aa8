"""Small trees written as dictionaries, extracted and linked without any repository."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.facts.registry import extractor_for, language_of
from repo_guardian.tools.views.symbol_graph.link import link
from repo_guardian.tools.views.symbol_graph.linker import Linker
from repo_guardian.tools.views.symbol_graph.memory import MemoryCorpus
from repo_guardian.tools.views.symbol_graph.model import SymbolGraph

LIMITS = ExtractLimits()
Text = str | bytes


class MemorySource:
    """A tree that is held in memory, as ``TreeSource`` wants it; counts the blobs that were read."""

    def __init__(
        self, files: Mapping[Text, Text], commit: str = "a" * 40, modes: Mapping[Text, str] | None = None
    ) -> None:
        self.commit = commit
        self.tree = "b" * 40
        self.read_count = 0
        self._blobs: dict[str, bytes] = {}
        self._entries: list[tuple[bytes, str, str]] = []
        for path, text in files.items():
            blob = text if isinstance(text, bytes) else dedent(text).encode()
            oid = hashlib.sha1(blob).hexdigest()
            self._blobs[oid] = blob
            raw = path if isinstance(path, bytes) else path.encode()
            self._entries.append((raw, oid, (modes or {}).get(path, "100644")))

    def files(self) -> Sequence[tuple[bytes, str, str]]:
        return self._entries

    def read(self, oids: Sequence[str]) -> Iterable[tuple[str, bytes | None]]:
        for oid in oids:
            self.read_count += 1
            yield oid, self._blobs.get(oid)

    def forget(self, path: str) -> None:
        """Make the blob of ``path`` unavailable."""
        for raw, oid, _ in self._entries:
            if raw == path.encode():
                del self._blobs[oid]


@pytest.fixture(scope="session")
def extract() -> Callable[[Text], FileFacts]:
    extractor = PythonExtractor()

    def run(source: Text) -> FileFacts:
        blob = source if isinstance(source, bytes) else dedent(source).encode()
        return extractor.extract(blob, LIMITS)

    return run


@pytest.fixture(scope="session")
def build(extract: Callable[[Text], FileFacts]) -> Callable[[Mapping[str, Text]], SymbolGraph]:
    """Link a tree given as path -> source text."""

    def run(files: Mapping[str, Text]) -> SymbolGraph:
        return link("a" * 40, {path: extract(text) for path, text in files.items()})

    return run


@pytest.fixture(scope="session")
def link_tree() -> Callable[[Mapping[str, str]], SymbolGraph]:
    """Link a tree of any languages, each file by the extractor of its name."""

    def run(files: Mapping[str, str]) -> SymbolGraph:
        facts = {}
        for path, text in files.items():
            extractor = extractor_for(language_of(path) or "")
            assert extractor is not None
            facts[path] = extractor.extract(text.encode(), LIMITS)
        corpus = MemoryCorpus(facts)
        linker = Linker(corpus)
        links = [linker.link(path) for path in corpus.paths()]
        symbols = [symbol for linked in links for symbol in linked.symbols]
        return SymbolGraph("a" * 40, symbols, [edge for linked in links for edge in linked.edges])

    return run


@pytest.fixture(scope="session")
def source() -> type[MemorySource]:
    return MemorySource


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


class AsLines:
    """A graph as the lines in which the language tests write down what they expect."""

    @staticmethod
    def of(text: str) -> list[str]:
        """What a test wrote down."""
        return [line.strip() for line in text.strip().splitlines()]

    @staticmethod
    def symbols(graph: SymbolGraph) -> list[str]:
        """Every symbol: id, kind, audience, signature, bases, target."""
        found = []
        for symbol in sorted(graph.symbols.values(), key=lambda s: (s.path, s.id)):
            parts = [symbol.id, symbol.kind, "public" if symbol.public else "hidden"]
            parts += [symbol.signature.render()] if symbol.signature is not None else []
            parts += [f"({', '.join(symbol.bases)})"] if symbol.bases else []
            parts += [f"= {symbol.target}"] if symbol.target else []
            found.append(" ".join(parts))
        return found

    @staticmethod
    def edges(graph: SymbolGraph, *kinds: str) -> list[str]:
        """The edges of some kinds; calls each with its shape, others once and with their kind."""
        found = []
        for edge in graph.edges():
            if edge.kind in kinds:
                shape = f" {edge.shape.render()}" if edge.shape is not None else ""
                line = f"{edge.source} -> {edge.target} {edge.resolution}{shape}"
                found.append(line if kinds == ("call",) else f"{edge.kind} {line}")
        return found if kinds == ("call",) else list(dict.fromkeys(found))


@pytest.fixture(scope="session")
def as_lines() -> AsLines:
    return AsLines()
