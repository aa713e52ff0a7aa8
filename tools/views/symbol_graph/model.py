"""The symbol graph's records: symbols, edges, and the linked graph of one commit.

A symbol's ``id`` is its dotted path from the import root, ``package.module.Class.method``; a module's id
is its dotted import name. Ids are what drift compares between commits. When two definitions share an id
(a redefinition, a conditional one) the last in the file wins, as it does at run time, and the symbol
counts them in ``definitions``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, TypeVar

from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, Signature

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open region of a file: 1-based lines, and byte offsets from the start of the blob."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


class SymbolKind(StrEnum):
    """What a definition is."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    CONSTANT = "constant"
    INTERFACE = "interface"
    """A Go, Java or TypeScript interface, a Rust trait."""
    TYPE = "type"
    """A type alias; a Python ``type`` statement."""
    ALIAS = "alias"
    """A name bound by an import: a re-export when other files use it. ``target`` says of what."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition.

    ``span`` covers the whole definition, decorators included. ``public`` follows ``__all__`` where
    there is one, else the leading underscore of every part. ``bases`` and ``decorators`` are source
    text. ``target`` is, for an alias, the dotted name that it stands for.
    """

    id: str
    kind: SymbolKind
    path: str
    span: Span
    public: bool
    signature: Signature | None = None
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    target: str | None = None
    value: str | None = None
    """A constant's right-hand side as source text, cut at 200 characters."""
    definitions: int = 1
    signature_certain: bool = True
    """False when an unknown decorator, an overload or a metaclass may have replaced the signature, so that
    nothing may be proven from it."""
    overloads: tuple[Signature, ...] = ()
    """The ``@overload`` signatures, in source order; ``signature`` is then the implementation's."""

    @property
    def name(self) -> str:
        """The last part of the id."""
        return self.id.rpartition(".")[2]


class EdgeKind(StrEnum):
    """How one place uses a symbol."""

    CALL = "call"
    REFERENCE = "reference"
    IMPORT = "import"
    INHERIT = "inherit"
    OVERRIDE = "override"
    """From a method to the nearest one of a base that it replaces; the span is the overriding method's."""
    DECORATE = "decorate"
    CONTAIN = "contain"
    """From a module, class or function to what it defines; made on request, never stored."""


class Resolution(StrEnum):
    """How the linker found the target; ``UNIQUE_NAME`` and ``NAME`` are guesses and marked as such."""

    LOCAL = "local"
    IMPORT = "import"
    SELF = "self"
    MRO = "mro"
    CONSTRUCTOR = "constructor"
    ASSIGNMENT = "assignment"
    """Through variables, attributes or containers that hold the target."""
    ANNOTATION = "annotation"
    """Through an annotated parameter, variable or return."""
    RETURN = "return"
    """Through what a function returns or yields."""
    ARGUMENT = "argument"
    """A parameter, called in the function that it is passed to."""
    UNIQUE_NAME = "unique_name"
    """The one method of the tree that has this name."""
    NAME = "name"
    """By name and import alone, for languages without scopes and types in the capability table."""
    UNRESOLVED = "unresolved"


GUESSES = frozenset({Resolution.UNIQUE_NAME, Resolution.NAME})
"""Resolutions that rest on a name alone; nothing may be proven from them."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One use of ``target`` by ``source`` (a symbol id; the module's for top-level code).

    For ``UNRESOLVED`` edges ``target`` is the dotted name as far as imports and aliases could carry it
    (``package.module.missing``), so that a use of a name that is gone is still found; a builtin is
    ``builtins.len``, and a method of a value of unknown type is ``?.method``. ``shape`` is set for calls, as
    the callee sees it (without ``self``).
    """

    source: str
    target: str
    kind: EdgeKind
    path: str
    span: Span
    resolution: Resolution
    shape: CallShape | None = None
    text: str = ""
    """The source line of the use, stripped, cut at 200 characters."""
    via: tuple[str, ...] = ()
    """Ids of the aliases (import bindings, re-exports, ``a = b``) that the use went through to its target,
    nearest first; for an unresolved target the part of it that is missing."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that contributed nothing, or less than it holds, and why."""

    path: str
    reason: str


class GraphSize(NamedTuple):
    """How many symbols and edges a graph has."""

    symbols: int
    edges: int


class SymbolGraph:
    """The linked graph of one commit, with its indexes; implements ``interface.Graph`` in memory.

    Args:
        commit: full object id.
        symbols: all definitions; ids are unique.
        edges: all uses, in any order; kept sorted by (path, start_byte, end_byte, target, kind).
        skipped: files left out or only partly read.
        import_roots: directories, relative to the tree, from which modules are imported ("" is the
            tree itself, "src", "lib", …), most specific first.
    """

    def __init__(
        self,
        commit: str,
        symbols: Iterable[Symbol],
        edges: Iterable[Edge],
        skipped: Iterable[SkippedFile] = (),
        import_roots: Iterable[str] = ("",),
    ) -> None:
        self.commit = commit
        self.symbols: Mapping[str, Symbol] = {s.id: s for s in sorted(symbols, key=lambda s: s.id)}
        self._edges: tuple[Edge, ...] = tuple(
            sorted(edges, key=lambda e: (e.path, e.span.start_byte, e.span.end_byte, e.target, e.kind))
        )
        self.skipped = tuple(sorted(skipped, key=lambda s: s.path))
        self.import_roots = tuple(import_roots)

    @property
    def size(self) -> GraphSize:
        """How many symbols and edges there are."""
        return GraphSize(len(self.symbols), len(self._edges))

    def edges(self) -> Iterator[Edge]:
        """All edges by (path, start_byte, end_byte, target, kind)."""
        return iter(self._edges)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Each file with symbols or edges, and a digest over both; the digests are computed at once."""
        paths = sorted(self._symbols_by_path.keys() | self._edges_by_path.keys())
        return {path: file_digest(self.symbols_in(path), self.edges_in(path)) for path in paths}

    def symbols_in(self, path: str) -> tuple[Symbol, ...]:
        """The symbols of one file by id; empty for a file that the graph does not have."""
        return tuple(self._symbols_by_path.get(path, ()))

    def edges_in(self, path: str) -> tuple[Edge, ...]:
        """The edges of one file in source order; empty for a file that the graph does not have."""
        return tuple(self._edges_by_path.get(path, ()))

    def uses(self, symbol_id: str) -> tuple[Edge, ...]:
        """All edges that lead to ``symbol_id``, in file order.

        For an alias these are the uses made through it: their ``target`` is the final definition and
        ``via`` holds the alias.
        """
        return tuple(self._by_target.get(symbol_id, ()))

    def named(self, name: str) -> tuple[Edge, ...]:
        """Unresolved calls and references whose last part is ``name``: uses that may mean any such symbol."""
        return tuple(self._by_name.get(name, ()))

    def fan_in(self, symbol_id: str) -> int:
        """How many distinct symbols use ``symbol_id``."""
        return len({edge.source for edge in self._by_target.get(symbol_id, ())})

    def used_in(self, symbol_id: str) -> int:
        """In how many files an edge leads to ``symbol_id``."""
        return len({edge.path for edge in self._by_target.get(symbol_id, ())})

    def use_counts(self) -> tuple[int, ...]:
        """``used_in`` of every symbol that anything uses, ascending."""
        return tuple(sorted(self.used_in(name) for name in self._by_target if name in self.symbols))

    def module_of(self, symbol_id: str) -> Symbol | None:
        """The module symbol that contains ``symbol_id``, or None when it is not in the graph."""
        parts = symbol_id.split(".")
        for end in range(len(parts), 0, -1):
            candidate = self.symbols.get(".".join(parts[:end]))
            if candidate is not None and candidate.kind is SymbolKind.MODULE:
                return candidate
        return None

    def members(self, symbol_id: str) -> tuple[Symbol, ...]:
        """The symbols that ``symbol_id`` directly contains, by id; a package's submodules among them."""
        return tuple(self._members.get(symbol_id, ()))

    @cached_property
    def _symbols_by_path(self) -> dict[str, list[Symbol]]:
        return _grouped(self.symbols.values(), lambda symbol: (symbol.path,))

    @cached_property
    def _edges_by_path(self) -> dict[str, list[Edge]]:
        return _grouped(self._edges, lambda edge: (edge.path,))

    @cached_property
    def _by_target(self) -> dict[str, list[Edge]]:
        return _grouped(self._edges, lambda edge: dict.fromkeys((edge.target, *edge.via)))

    @cached_property
    def _by_name(self) -> dict[str, list[Edge]]:
        uses = (e for e in self._edges if e.resolution is Resolution.UNRESOLVED and e.kind in _BY_NAME)
        return _grouped(uses, lambda edge: (edge.target.rpartition(".")[2],))

    @cached_property
    def _members(self) -> dict[str, list[Symbol]]:
        return _grouped(self.symbols.values(), lambda symbol: (symbol.id.rpartition(".")[0],))


_BY_NAME = (EdgeKind.CALL, EdgeKind.REFERENCE)


def _grouped(items: Iterable[_T], keys: Callable[[_T], Iterable[str]]) -> dict[str, list[_T]]:
    found: dict[str, list[_T]] = {}
    for item in items:
        for key in keys(item):
            found.setdefault(key, []).append(item)
    return found


def file_digest(symbols: Iterable[Symbol], edges: Iterable[Edge]) -> str:
    """A digest of one file's symbols and edges, hexadecimal: equal for equal ones in equal order."""
    made = hashlib.blake2b(digest_size=16)
    for record in (*symbols, *edges):
        made.update(repr(_row(record)).encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def _row(value: object) -> object:
    """A record as nested tuples of plain values, whose ``repr`` is canonical and quick to make."""
    if isinstance(value, tuple):
        return tuple([_row(item) for item in value])
    if isinstance(value, (Symbol, Edge, Span, Signature, Parameter, CallShape)):
        return tuple([_row(getattr(value, name)) for name in value.__slots__])
    return str(value) if isinstance(value, StrEnum) else value
