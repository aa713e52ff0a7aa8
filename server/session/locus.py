"""What one symbol looks like in each of the trees that a test may run against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from repo_guardian.server.ledger.reasons import Expectation
from repo_guardian.server.session.trees import Tree
from repo_guardian.tools.probes.revert import DefinitionSpan
from repo_guardian.tools.signals.interface import Effect, Receiver, SymbolDetail
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Span, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import Binding
from repo_guardian.vocabulary import Side

ALIAS_STEPS = 20


@dataclass(frozen=True, slots=True)
class Sides:
    """The two trees of a cycle with their graphs."""

    current: Tree
    current_graph: Graph
    base: Tree
    base_graph: Graph

    def tree(self, side: Side) -> Tree:
        """The tree that a side's checkout holds; the reverted side starts from the current one."""
        return self.base if side is Side.BASE else self.current

    def graph(self, side: Side) -> Graph:
        """The graph that describes the locus on that side: a reverted locus is the base's."""
        return self.current_graph if side is Side.CURRENT else self.base_graph


def expectations(detail: SymbolDetail, sides: Sides, side: Side) -> tuple[Expectation, ...]:
    """What may break when this symbol does, in that side's tree: as it is reached, and as it is defined."""
    graph = sides.graph(side)
    symbol = resolve(detail.old_id, graph) or resolve(detail.new_id, graph)
    shared = Expectation(
        module=detail.module,
        qualname=detail.qualname,
        files=files_of(detail, sides),
        call_fails_to_bind=_fails_to_bind(detail, graph),
        signature=symbol.signature if symbol is not None else None,
        method=detail.receiver is Receiver.INSTANCE,
    )
    home = _defining_module(detail.old_id, sides.base_graph)
    definition = resolve(detail.old_id, sides.base_graph)
    if home is None or definition is None or home.id == detail.module:
        return (shared,)
    inside = definition.id.removeprefix(home.id).removeprefix(".")
    return shared, replace(shared, module=home.id, qualname=inside)


def spans_of(detail: SymbolDetail, sides: Sides) -> tuple[DefinitionSpan, ...]:
    """The suspected definition as lines of the base file and, where it still stands there, of the current."""
    base_id, current_id = detail.old_id, detail.new_id
    if detail.symbol_kind is SymbolKind.CLASS and detail.effect is not Effect.UNRESOLVED:
        # A changed constructor is its __init__ where the class has one, not the whole class.
        base_id, current_id = (
            _constructor(base_id, sides.base_graph),
            _constructor(current_id, sides.current_graph),
        )
    base = sides.base_graph.symbols.get(base_id)
    current = sides.current_graph.symbols.get(current_id)
    if base is None:
        return (DefinitionSpan(detail.base_path, _last(detail), None, None),)
    same_file = current is not None and current.path == base.path
    return (
        DefinitionSpan(
            path=base.path,
            name=base.name if base.name != "__init__" else base.id.split(".")[-2],
            current=_lines(current.span) if current is not None and same_file else None,
            base=_lines(base.span),
        ),
    )


def _constructor(symbol_id: str, graph: Graph) -> str:
    own = f"{symbol_id}.__init__"
    return own if own in graph.symbols else symbol_id


def _last(detail: SymbolDetail) -> str:
    return (detail.qualname or detail.module).rpartition(".")[2]


def _lines(span: Span) -> tuple[int, int]:
    return span.start_line, span.end_line


def files_of(detail: SymbolDetail, sides: Sides) -> tuple[str, ...]:
    """The files of the definition and of the modules that it is reached through, in either tree, sorted."""
    paths = {detail.base_path, detail.current_path}
    for graph in (sides.base_graph, sides.current_graph):
        paths |= set(modules_of(detail, graph).values())
    return tuple(sorted(path for path in paths if path))


def modules_of(detail: SymbolDetail, graph: Graph) -> dict[str, str]:
    """Path by name: the module that the symbol is reached through and the one behind it that defines it."""
    names = [detail.module, *([found.id] if (found := _defining_module(detail.old_id, graph)) else [])]
    modules = [graph.symbols[name] for name in names if name in graph.symbols]
    return {module.id: module.path for module in modules if module.kind is SymbolKind.MODULE}


def _defining_module(symbol_id: str, graph: Graph) -> Symbol | None:
    symbol = resolve(symbol_id, graph)
    return graph.module_of(symbol.id) if symbol is not None else None


def resolve(symbol_id: str, graph: Graph) -> Symbol | None:
    """The definition behind an id, following re-exports; None when the graph does not hold it."""
    symbol = graph.symbols.get(symbol_id)
    for _step in range(ALIAS_STEPS):
        if symbol is None or symbol.kind is not SymbolKind.ALIAS or symbol.target is None:
            return symbol
        symbol = graph.symbols.get(symbol.target)
    return None


def _fails_to_bind(detail: SymbolDetail, graph: Graph) -> bool | None:
    if detail.effect is not Effect.UNBINDS or detail.witness is None:
        return None
    symbol = resolve(detail.old_id, graph) or resolve(detail.new_id, graph)
    if symbol is None or symbol.signature is None:
        return None
    return symbol.signature.bind(detail.witness).binding is Binding.FAILS


def import_roots(modules: Iterable[str], sides: Sides) -> tuple[str, ...]:
    """The directories that the ``modules`` are imported from, then those of the repository's packages.

    The same for both trees, so that a transition has one cause. Folders of loose scripts are left out
    unless the locus is in one: a script named like a standard module would shadow it.
    """
    graphs = (sides.current_graph, sides.base_graph)
    roots = {_root_of(module) for graph in graphs for module in _top_packages(graph)}
    known = (graph.symbols.get(name) for name in modules for graph in graphs)
    own = dict.fromkeys(_root_of(s) for s in known if s is not None and s.kind is SymbolKind.MODULE)
    return (*(own or ("",)), *sorted(roots - own.keys(), key=lambda root: (root.count("/"), root)))


def package_names(sides: Sides) -> tuple[str, ...]:
    """The top-level names that either tree offers, sorted."""
    graphs = (sides.current_graph, sides.base_graph)
    return tuple(sorted({module.id for graph in graphs for module in _top_packages(graph)}))


def _top_packages(graph: Graph) -> Iterator[Symbol]:
    """The packages whose import name has one part; told from the paths, so that few files are read."""
    for path in graph.files:
        folder, _, name = path.rpartition("/")
        inside = f"{folder.rpartition('/')[0]}/__init__.py" in graph.files
        if name != "__init__.py" or not folder or inside:
            continue
        modules = (s for s in graph.symbols_in(path) if s.kind is SymbolKind.MODULE)
        yield from (module for module in modules if "." not in module.id)


def _root_of(module: Symbol) -> str:
    inner = module.path.removesuffix("/__init__.py").removesuffix(".py").split("/")
    return "/".join(inner[: len(inner) - len(module.id.split("."))])
