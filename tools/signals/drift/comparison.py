"""Two graphs side by side: which names are gone, where a name leads now, and who still asks for it.

All detectors share one ``Comparison``, so that each set operation is done once. Its guiding rule is that
a name counts as gone only if nothing in the repository could still serve it: a re-export, a module's or
class's ``__getattr__``, an inherited definition, a base class from outside, or a file that the linker had
to skip.

Only files whose links differ are read whole (``changed_files``). That is enough because a file's digest is
over all that linking it gave: a name that came, went or became another thing does so in a file whose symbols
differ, and a use that led to it or leads to it is an edge of its own file and differs too, also when that
file's text is what it was. Everything else is looked up by name, and no answer depends on how many files
count as changed; a test compares with a comparison in which all do.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, takewhile

from repo_guardian.tools.signals.drift.hierarchy import Hierarchy
from repo_guardian.tools.signals.drift.lookups import RememberedGraph
from repo_guardian.tools.signals.drift.names import Elsewhere, Names
from repo_guardian.tools.signals.drift.sources import Read, Sources
from repo_guardian.tools.signals.places import is_python
from repo_guardian.tools.views.symbol_graph.interface import Graph, changed_files
from repo_guardian.tools.views.symbol_graph.model import (
    Edge,
    EdgeKind,
    Resolution,
    Symbol,
    SymbolKind,
)

CALLABLES = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY)


class Comparison:
    """A base graph and a current graph.

    Args:
        base: the graph of the commit that is compared with.
        current: the graph of the commit under observation.
        read_base, read_current: the text of a file at either commit, for the few questions that the graphs
            do not answer; without them these stay open.
        edited: the files whose content differs, where that is known; else any may.

    Attributes:
        sources_at_base, sources_now: what the text says.
        changed: the files whose links differ, sorted.
        ids_at_base, ids_now: ids of the symbols in these files, sorted. Ids that are in one graph alone, or
            whose symbols differ, are all among them.
    """

    def __init__(
        self,
        base: Graph,
        current: Graph,
        read_base: Read | None = None,
        read_current: Read | None = None,
        edited: Collection[str] | None = None,
    ) -> None:
        self._edited = None if edited is None else frozenset(edited)
        self.sources_at_base, self.sources_now = Sources(read_base), Sources(read_current)
        self.changed = changed_files(base, current)
        self.base: Graph = RememberedGraph(base, self.changed)
        self.current: Graph = RememberedGraph(current, self.changed)
        self.ids_at_base = _ids(self.base, self.changed)
        self.ids_now = _ids(self.current, self.changed)
        self.base_hierarchy = Hierarchy(self.base)
        self.hierarchy = Hierarchy(self.current)
        self._names_at_base = Names(self.base, self.base_hierarchy, frozenset())
        self._names_now = Names(self.current, self.hierarchy, self.base.symbols)
        self._doubtful = {s.path for s in (*base.skipped, *current.skipped)}
        self._modules_now: dict[str, str | None] = {}
        self._reexports: dict[str, tuple[Symbol, ...]] = {}
        self._made_at_base: dict[str, dict[str, list[Edge]]] = {}
        self._made_now: dict[str, dict[str, list[Edge]]] = {}
        self._since: dict[str, tuple[Edge, ...]] = {}

    def as_written(self, before: Symbol, after: Symbol) -> bool:
        """Whether two definitions certainly have one text: they stand in one file that nobody edited."""
        return self._edited is not None and before.path == after.path and before.path not in self._edited

    # -- names ---------------------------------------------------------------------------------------

    def at_base(self, name: str) -> Symbol | Elsewhere:
        """Where ``name`` leads at the base, through any number of aliases."""
        return self._names_at_base.resolve(name)

    def now(self, name: str) -> Symbol | Elsewhere:
        """Where ``name`` leads at the current commit, through any number of aliases."""
        return self._names_now.resolve(name)

    def reexports(self, name: str) -> tuple[Symbol, ...]:
        """The public aliases of a base id, by their ids; found where it is imported."""
        if name not in self._reexports:
            imports = (e for e in self.base.uses(name) if e.kind is EdgeKind.IMPORT and e.target == name)
            paths = dict.fromkeys(edge.path for edge in imports)
            aliases = (s for path in paths for s in self.base.symbols_in(path) if s.kind is SymbolKind.ALIAS)
            found = {s.id: s for s in aliases if s.public and _leads_to(self.at_base(s.id), name)}
            self._reexports[name] = tuple(found[alias] for alias in sorted(found))
        return self._reexports[name]

    def doubtful(self, symbol: Symbol) -> bool:
        """Whether the linker skipped, at either commit, all or part of the file that defines it."""
        return symbol.path in self._doubtful

    def misplaced(self, symbol: Symbol) -> bool:
        """Whether a base id says nothing about the current commit for a reason of ours.

        The file was skipped, or it is still there and only counts as another module now, because import
        roots or two files that claim one name are told apart differently.
        """
        module = self.base.module_of(symbol.id)
        if self.doubtful(symbol) or module is None:
            return True
        return self.module_now(module.path) not in (module.id, None)

    def module_now(self, path: str) -> str | None:
        """The id of the module that a file is at the current commit; None when there is no such file."""
        if path not in self._modules_now:
            symbols = self.current.symbols_in(path)
            self._modules_now[path] = next((s.id for s in symbols if s.kind is SymbolKind.MODULE), None)
        return self._modules_now[path]

    @cached_property
    def gone(self) -> frozenset[str]:
        """Base ids that lead nowhere at the current commit, whatever contains them included."""
        return frozenset(name for name in self.ids_at_base if self._is_gone(self.base.symbols[name]))

    @cached_property
    def gone_roots(self) -> tuple[Symbol, ...]:
        """The symbols to report of ``gone``: no containing symbol is gone too, and no function is.

        A name that was defined inside a function was never reachable from outside; an alias whose
        definition is gone as well is part of that removal.
        """
        return tuple(self.base.symbols[name] for name in sorted(self.gone) if self._is_root(name))

    @cached_property
    def synonyms(self) -> dict[str, tuple[str, ...]]:
        """Base id to the aliases of it that existed at the base and are gone now."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.gone):
            if self.base.symbols[name].kind is SymbolKind.ALIAS:
                target = self.at_base(name)
                if isinstance(target, Symbol) and target.id != name:
                    found.setdefault(target.id, []).append(name)
        return {name: tuple(aliases) for name, aliases in found.items()}

    @cached_property
    def born(self) -> dict[tuple[SymbolKind, str], list[Symbol]]:
        """Definitions of the current commit whose id is new, by kind and name; aliases are none."""
        found: dict[tuple[SymbolKind, str], list[Symbol]] = {}
        for name in self.ids_now:
            symbol = self.current.symbols[name]
            if name not in self.base.symbols and symbol.kind is not SymbolKind.ALIAS:
                found.setdefault((symbol.kind, symbol.name), []).append(symbol)
        return found

    @cached_property
    def born_in(self) -> dict[tuple[SymbolKind, str], list[Symbol]]:
        """The same by kind and the id of what contains them."""
        found: dict[tuple[SymbolKind, str], list[Symbol]] = {}
        for symbol in (symbol for symbols in self.born.values() for symbol in symbols):
            found.setdefault((symbol.kind, symbol.id.rpartition(".")[0]), []).append(symbol)
        return found

    def members_at_base(self, owner: str) -> dict[str, SymbolKind]:
        """What the base defines anywhere below ``owner``: relative path to kind; aliases left out.

        Of the submodules of a package those that the current commit has too are left out.
        """
        return _members(self.base, owner, self.ids_at_base, self.current)

    def members_now(self, owner: str) -> dict[str, SymbolKind]:
        """What the current commit defines anywhere below ``owner``; see ``members_at_base``."""
        return _members(self.current, owner, self.ids_now, self.base)

    def public_names(self, owner: str) -> tuple[str, ...]:
        """Names directly inside ``owner`` that are public definitions at the base, sorted."""
        direct = (n for n in self.members_at_base(owner) if not n.startswith("_") and "." not in n)
        return tuple(sorted(n for n in direct if self.base.symbols[f"{owner}.{n}"].public))

    # -- uses ----------------------------------------------------------------------------------------

    def dangling(self, name: str) -> tuple[Edge, ...]:
        """Uses of ``name``, or of anything below it, that led somewhere at the base and do not any more."""
        targets, edges = self._dangling
        found = list(edges.get(name, ()))
        prefix = f"{name}."
        for index in range(bisect.bisect_left(targets, prefix), len(targets)):
            target = targets[index]
            if not target.startswith(prefix):
                break
            found += edges[target]
        return tuple(found)

    def uses_at_base(self, names: tuple[str, ...]) -> tuple[Edge, ...]:
        """All uses of any of ``names`` at the base, each once."""
        return tuple(dict.fromkeys(edge for name in names for edge in self.base.uses(name)))

    def uses_now(self, names: tuple[str, ...]) -> tuple[Edge, ...]:
        """All uses of any of ``names`` at the current commit, each once."""
        return tuple(dict.fromkeys(edge for name in names for edge in self.current.uses(name)))

    def unresolved_now(self, path: str, text: str) -> tuple[Edge, ...]:
        """The unresolved uses in one file, at the current commit, on lines with the text ``text``."""
        return tuple(e for e in _unresolved(self.current, path) if e.text == text)

    def made_at_base(self, symbol: Symbol) -> tuple[Edge, ...]:
        """The uses that the body of a base symbol makes, without those of what is defined inside it."""
        return _made(self.base, self._made_at_base, symbol)

    def made_now(self, symbol: Symbol) -> tuple[Edge, ...]:
        """The uses that the body of a symbol of the current commit makes."""
        return _made(self.current, self._made_now, symbol)

    # -- internals -----------------------------------------------------------------------------------

    @cached_property
    def _dangling(self) -> tuple[list[str], dict[str, list[Edge]]]:
        found: dict[str, list[Edge]] = {}
        for path in self.changed:
            for edge in self._unresolved_since(path):
                found.setdefault(edge.target, []).append(edge)
        return sorted(found), found

    def _unresolved_since(self, path: str) -> tuple[Edge, ...]:
        """The uses in one file that lead nowhere now, without those that led nowhere at the base already."""
        if path not in self._since:
            before = {_use(edge) for edge in _unresolved(self.base, path)}
            now = _unresolved(self.current, path)
            self._since[path] = tuple(edge for edge in now if _use(edge) not in before)
        return self._since[path]

    def _is_gone(self, symbol: Symbol) -> bool:
        here = self.current.symbols.get(symbol.id)
        if here is not None and here.kind is not SymbolKind.ALIAS:
            return False
        if here is not None and here.target == symbol.target and not self._imports_broke(here.path):
            return False
        return self.now(symbol.id) is Elsewhere.NOWHERE and not self.misplaced(symbol)

    def _imports_broke(self, path: str) -> bool:
        """Whether, to the linker, some import in a file leads nowhere that led somewhere at the base."""
        return any(edge.kind is EdgeKind.IMPORT for edge in self._unresolved_since(path))

    def _is_root(self, name: str) -> bool:
        symbol = self.base.symbols[name]
        owner = name.rpartition(".")[0]
        while owner:
            holder = self.base.symbols.get(owner)
            if owner in self.gone or (holder is not None and holder.kind in CALLABLES):
                return False
            owner = owner.rpartition(".")[0]
        if symbol.kind is not SymbolKind.ALIAS:
            return True
        target = self.at_base(name)
        return not (isinstance(target, Symbol) and target.id in self.gone)


def _ids(graph: Graph, paths: Iterable[str]) -> tuple[str, ...]:
    """The ids that the symbols of some files have in the graph, sorted; lambdas have no name to go by."""
    found = {symbol.id for path in paths if is_python(path) for symbol in graph.symbols_in(path)}
    return tuple(sorted(name for name in found if "<" not in name))


def _members(graph: Graph, owner: str, ids: Sequence[str], other: Graph) -> dict[str, SymbolKind]:
    """The definitions below ``owner``: those of its own file, and those of ``ids`` that ``other`` lacks."""
    prefix = f"{owner}."
    start = bisect.bisect_left(ids, prefix)
    below = takewhile(lambda name: name.startswith(prefix), islice(ids, start, None))
    found = {name: graph.symbols[name] for name in below if name not in other.symbols}
    found |= {s.id: s for s in graph.symbols_in(graph.symbols[owner].path) if s.id.startswith(prefix)}
    named = sorted(name for name, symbol in found.items() if symbol.kind is not SymbolKind.ALIAS)
    return {name[len(prefix) :]: found[name].kind for name in named if "<" not in name}


def _made(graph: Graph, known: dict[str, dict[str, list[Edge]]], symbol: Symbol) -> tuple[Edge, ...]:
    if symbol.path not in known:
        by_source: dict[str, list[Edge]] = {}
        for edge in graph.edges_in(symbol.path):
            by_source.setdefault(edge.source, []).append(edge)
        known[symbol.path] = by_source
    return tuple(known[symbol.path].get(symbol.id, ()))


def _unresolved(graph: Graph, path: str) -> Iterator[Edge]:
    return (edge for edge in graph.edges_in(path) if edge.resolution is Resolution.UNRESOLVED)


def _use(edge: Edge) -> tuple[object, ...]:
    """A use without its place in the file."""
    return edge.target, edge.kind, edge.text, edge.shape


def _leads_to(found: Symbol | Elsewhere, name: str) -> bool:
    return isinstance(found, Symbol) and found.id == name
