"""Graphs made by hand: definitions and uses are declared in a line each, signatures as source text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import Signal, SignalKind
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import (
    Edge,
    EdgeKind,
    Resolution,
    SkippedFile,
    Span,
    Symbol,
    SymbolGraph,
    SymbolKind,
)
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Parameter, ParameterKind, Signature


def signature(text: str) -> Signature:
    """``async (a, b=1) -> int yields``: what stands around the parentheses sets the flags."""
    head, _, rest = text.partition("(")
    body, _, tail = ("(" + rest).partition(" yields")
    node = ast.parse(f"def f{body}{tail}: pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    a = node.args
    found: list[Parameter] = []
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)
    for index, (arg, default) in enumerate(zip(plain, defaults, strict=True)):
        only = index < len(a.posonlyargs)
        kind = ParameterKind.POSITIONAL_ONLY if only else ParameterKind.POSITIONAL_OR_KEYWORD
        found.append(_parameter(arg, kind, default))
    if a.vararg:
        found.append(_parameter(a.vararg, ParameterKind.VAR_POSITIONAL, None))
    for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True):
        found.append(_parameter(arg, ParameterKind.KEYWORD_ONLY, default))
    if a.kwarg:
        found.append(_parameter(a.kwarg, ParameterKind.VAR_KEYWORD, None))
    returns = ast.unparse(node.returns) if node.returns else None
    return Signature(tuple(found), returns, "async" in head, " yields" in text)


def _parameter(arg: ast.arg, kind: ParameterKind, default: ast.expr | None) -> Parameter:
    annotation = ast.unparse(arg.annotation) if arg.annotation else None
    return Parameter(arg.arg, kind, ast.unparse(default) if default else None, annotation)


def shape(text: str) -> CallShape:
    """``(1, x=2, *a, **k)`` as a call shape."""
    node = ast.parse(f"f{text}", mode="eval").body
    assert isinstance(node, ast.Call)
    starred = [isinstance(a, ast.Starred) for a in node.args]
    return CallShape(
        positional=starred.count(False),
        keywords=tuple(k.arg for k in node.keywords if k.arg),
        star=any(starred),
        double_star=any(k.arg is None for k in node.keywords),
    )


class GraphBuilder:
    """Declares one commit. Modules come into being with the first thing in them."""

    def __init__(self, commit: str) -> None:
        self._commit = commit
        self._symbols: dict[str, Symbol] = {}
        self._edges: list[Edge] = []
        self._skipped: list[SkippedFile] = []

    def module(self, name: str, path: str = "") -> GraphBuilder:
        return self._add(name, SymbolKind.MODULE, path or f"{name.replace('.', '/')}.py")

    def package(self, name: str) -> GraphBuilder:
        return self.module(name, f"{name.replace('.', '/')}/__init__.py")

    def function(
        self, name: str, text: str | None = "()", decorators: tuple[str, ...] = (), **fields: object
    ) -> GraphBuilder:
        holder = self._symbols.get(name.rpartition(".")[0])
        method = holder is not None and holder.kind is SymbolKind.CLASS
        kind = SymbolKind.METHOD if method else SymbolKind.FUNCTION
        return self._add(
            name,
            kind,
            signature=signature(text) if text is not None else None,
            decorators=decorators,
            **fields,
        )

    def prop(self, name: str) -> GraphBuilder:
        return self._add(name, SymbolKind.PROPERTY, signature=Signature(), decorators=("property",))

    def cls(
        self,
        name: str,
        *bases: str,
        init: str | None = None,
        decorators: tuple[str, ...] = (),
        **fields: object,
    ) -> GraphBuilder:
        """As the linker does: the constructor is known unless a base from outside may decide it."""
        inside = [self._symbols[base].signature for base in bases if base in self._symbols]
        inherited = inside[0] if inside and len(inside) == len(bases) else None
        known = signature(init) if init is not None else inherited if bases else Signature()
        self._add(
            name, SymbolKind.CLASS, **{"signature": known, "bases": bases, "decorators": decorators} | fields
        )
        for base in bases:
            if base in self._symbols:
                self.use(name, base, EdgeKind.INHERIT)
        return self.function(f"{name}.__init__", init) if init is not None else self

    def constant(self, name: str, value: str | None = None) -> GraphBuilder:
        return self._add(name, SymbolKind.CONSTANT, value=value)

    def alias(self, name: str, target: str) -> GraphBuilder:
        return self._add(name, SymbolKind.ALIAS, target=target)

    def call(
        self,
        source: str,
        target: str,
        text: str,
        line: str = "",
        resolution: Resolution = Resolution.IMPORT,
    ) -> GraphBuilder:
        return self.use(
            source, target, EdgeKind.CALL, line or target.rpartition(".")[2] + text, resolution, shape(text)
        )

    def use(
        self,
        source: str,
        target: str,
        kind: EdgeKind = EdgeKind.REFERENCE,
        line: str = "",
        resolution: Resolution = Resolution.IMPORT,
        call_shape: CallShape | None = None,
    ) -> GraphBuilder:
        at = 100 * len(self._edges)
        span = Span(at, at, at, at + 10)
        path = self._symbols[source].path
        self._edges.append(Edge(source, target, kind, path, span, resolution, call_shape, line or target))
        return self

    def skip(self, path: str) -> GraphBuilder:
        self._skipped.append(SkippedFile(path, "too large"))
        return self

    def build(self) -> SymbolGraph:
        edges = [*self._edges, *(e for s in self._symbols.values() if (e := self._import(s)) is not None)]
        return SymbolGraph(self._commit, self._symbols.values(), edges, self._skipped)

    def _import(self, alias: Symbol) -> Edge | None:
        """The edge of the import that makes an alias, as the linker has it when it leads to something."""
        via: list[str] = []
        target = alias
        while target.kind is SymbolKind.ALIAS and target.id not in via:
            via.append(target.id)
            found = self._symbols.get(target.target or "")
            if found is None:
                return None
            target = found
        owner = alias.id.rpartition(".")[0]
        where = EdgeKind.IMPORT, alias.path, alias.span, Resolution.IMPORT
        return Edge(owner, target.id, *where, via=tuple(via[1:])) if via else None

    def _add(self, name: str, kind: SymbolKind, path: str = "", **fields: object) -> GraphBuilder:
        owner = name.rpartition(".")[0]
        if kind is not SymbolKind.MODULE and owner not in self._symbols:
            self.module(owner)
        where = path or self._symbols[owner].path
        public = not any(part.startswith("_") and not part.endswith("__") for part in name.split("."))
        public = public and not where.startswith("tests/")
        public = public and (kind is not SymbolKind.ALIAS or where.endswith("__init__.py"))
        span = Span(1, 2, 0, 20)
        self._symbols[name] = Symbol(name, kind, where, span, public, **fields)  # type: ignore[arg-type]
        return self


@pytest.fixture
def base() -> GraphBuilder:
    return GraphBuilder("b" * 40)


@pytest.fixture
def current() -> GraphBuilder:
    return GraphBuilder("c" * 40)


class EverythingChanged:
    """A graph whose files count as changed whatever it is compared with."""

    def __init__(self, graph: Graph, mark: str) -> None:
        self._graph = graph
        self.files = {path: mark + digest for path, digest in graph.files.items()}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def drift_both_ways(base: Graph, current: Graph) -> tuple[Signal, ...]:
    """Drift, after checking that it does not depend on which files are known to be unchanged."""
    found = detect_drift(base, current)
    assert found == detect_drift(EverythingChanged(base, "b"), EverythingChanged(current, "c"))
    return found


@pytest.fixture
def both_ways() -> Callable[[Graph, Graph], tuple[Signal, ...]]:
    return drift_both_ways


@pytest.fixture
def all_drift() -> Callable[[GraphBuilder, GraphBuilder], tuple[Signal, ...]]:
    return lambda before, after: drift_both_ways(before.build(), after.build())


BREAKING = (SignalKind.CONTRACT_CHANGED, SignalKind.SYMBOL_REMOVED, SignalKind.SYMBOL_MOVED)


@pytest.fixture
def drift(all_drift) -> Callable[[GraphBuilder, GraphBuilder], tuple[Signal, ...]]:
    """The signals that say that some earlier use fails, or gets something else."""
    return lambda before, after: tuple(s for s in all_drift(before, after) if s.kind in BREAKING)


@pytest.fixture
def text() -> SimpleNamespace:
    """``text.signature("(a)")`` and ``text.shape("(1)")``."""
    return SimpleNamespace(signature=signature, shape=shape)
