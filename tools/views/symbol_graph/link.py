"""Linking: the facts of a commit's files become its symbol graph.

``modules`` names the files, ``namespace`` binds their names, ``resolve`` and ``classes`` look names up,
``symbols`` and ``edges`` write down what was found. Linking reads facts only, so it is the same code on a
cold and on a warm store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.symbol_graph.edges import EdgeMaker, unique_methods
from repo_guardian.tools.views.symbol_graph.model import Edge, SkippedFile, Symbol, SymbolGraph
from repo_guardian.tools.views.symbol_graph.modules import Layout
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.symbols import SymbolMaker

LINKER_VERSION = "1"
"""Changes whenever the same facts would link to another graph."""


def link(commit: str, files: Mapping[str, FileFacts], skipped: Iterable[SkippedFile] = ()) -> SymbolGraph:
    """Link the facts of one commit.

    Args:
        commit: full object id; only copied into the graph.
        files: facts by path, ``/`` as separator, without lone surrogates.
        skipped: files that have no facts at all, with the reason; files whose facts are partial are added.

    Returns:
        The same graph for the same facts, whatever their order.
    """
    python2 = {path for path, facts in files.items() if facts.problem.startswith("Python 2")}
    layout = Layout(files, python2)
    modules = {path: Module(layout.files[path], files[path], layout) for path in sorted(files)}
    resolver = Resolver(modules, layout)
    unique = unique_methods(modules.values())
    symbols: dict[str, Symbol] = {}
    edges: list[Edge] = []
    for module in modules.values():
        for symbol in SymbolMaker(module, resolver).symbols():
            symbols.setdefault(symbol.id, symbol)
        edges.extend(EdgeMaker(module, resolver, unique).edges())
    partial = [SkippedFile(path, facts.problem) for path, facts in files.items() if facts.problem]
    return SymbolGraph(commit, symbols.values(), edges, [*skipped, *partial], layout.roots)
