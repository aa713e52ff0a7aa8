"""The symbol graph of a published view: every answer is read from mapped packs, nothing is loaded before.

The graph finds the shards that can have an answer in the packs' tables, passes over those of other commits,
and decodes the rows that match. Two files may define one id (a module, and a function in its package's
``__init__``): the first by path is the symbol, as in ``model.SymbolGraph``.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.builders import OpenView
from repo_guardian.tools.views.packs.interface import Pack, Rows
from repo_guardian.tools.views.symbol_graph.codec import GraphShard, is_python2, name_key, open_shard
from repo_guardian.tools.views.symbol_graph.model import Edge, GraphSize, SkippedFile, Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.modules import Layout
from repo_guardian.tools.views.symbol_graph.records import EdgeColumns


class _Place(NamedTuple):
    """A row of a table that belongs to this commit: the file, its shard, and the row's second field."""

    path: str
    shard: GraphShard
    number: int


class MappedGraph:
    """``interface.Graph`` over a published view.

    Args:
        view: the view ``symbol_graph``, open.
        skipped: files left out or only partly read.
    """

    def __init__(self, view: OpenView, skipped: tuple[SkippedFile, ...]) -> None:
        self._view = view
        self.skipped = skipped
        self.symbols: Mapping[str, Symbol] = _Symbols(self)

    @property
    def commit(self) -> str:
        """The name under which the view is published."""
        return self._view.commit

    @cached_property
    def import_roots(self) -> tuple[str, ...]:
        """Directories, relative to the tree, from which modules are imported, most specific first."""
        python = [path for path, file in self._view.files.items() if file.language == "python"]
        python2 = {path for path in python if is_python2(*self._shard_of(path))}
        return Layout(python, python2).roots

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Each linked file with the digest of its links: equal digests, equal symbols and edges."""
        packs = self._view.packs
        return {
            path: packs[pack].digest(shard).hex() for path, (pack, shard) in self._view.placements.items()
        }

    @cached_property
    def size(self) -> GraphSize:
        """How many symbols and edges there are; counted without decoding them."""
        alone = sum(len(rows) for _, rows in self._symbol_rows)
        shared: set[str] = set()
        keys = np.array(sorted(self._shared_keys), np.uint64)
        for pack, rows in self._symbol_rows if len(keys) else ():
            same = rows[np.isin(rows["key"], keys)]
            alone -= len(same)
            shared.update(open_shard(pack, shard).symbol_ids[row] for _, row, shard in same.tolist())
        edges = sum(self.shard(path).edge_count for path in self._view.placements)
        return GraphSize(alone + len(shared), edges)

    def edges(self) -> Iterator[Edge]:
        """All edges by (path, start_byte, end_byte, target, kind): decodes every file."""
        for path in sorted(self._view.placements):
            yield from self.edges_in(path)

    def symbols_in(self, path: str) -> tuple[Symbol, ...]:
        """The symbols of one file by id; empty for a file that the graph does not have."""
        if path not in self._view.placements:
            return ()
        symbols = open_shard(*self._shard_of(path)).symbols
        shared = self._shared_keys
        return tuple(
            [s for s in symbols if name_key(s.id) not in shared or self.winner(s.id) == path]
        ) if shared else symbols  # fmt: skip

    def edges_in(self, path: str) -> tuple[Edge, ...]:
        """The edges of one file in source order; empty for a file that the graph does not have."""
        if path not in self._view.placements:
            return ()
        return tuple(open_shard(*self._shard_of(path)).edges(path))

    def uses(self, symbol_id: str) -> tuple[Edge, ...]:
        """All edges that lead to ``symbol_id``, directly or as an alias on the way, in file order."""
        return self._edges_of("targets", symbol_id, lambda name: name == symbol_id, GraphShard.rows_to)

    def named(self, name: str) -> tuple[Edge, ...]:
        """Unresolved calls and references whose last part is ``name``: uses that may mean any such symbol."""

        def fits(target: str) -> bool:
            return target.rpartition(".")[2] == name

        return self._edges_of("unresolved", name, fits, GraphShard.rows_unresolved)

    def fan_in(self, symbol_id: str) -> int:
        """How many distinct symbols use ``symbol_id``."""
        sources: set[str] = set()
        for place in self._places("targets", symbol_id):
            if place.shard.name(place.number) == symbol_id:
                sources |= place.shard.sources(place.shard.rows_to(place.number))
        return len(sources)

    def used_in(self, symbol_id: str) -> int:
        """In how many files an edge leads to ``symbol_id``; counted without decoding edges."""
        places = self._places("targets", symbol_id)
        return len({place.path for place in places if place.shard.name(place.number) == symbol_id})

    def use_counts(self) -> tuple[int, ...]:
        """``used_in`` of every symbol that anything uses, ascending; from the packs' tables alone.

        A shard that several files share (equal content) counts once, and two ids of one hash as one.
        """
        used = [rows["key"] for _, rows in self._live_rows("targets")]
        own = [rows["key"] for _, rows in self._symbol_rows]
        if not used or not own:
            return ()
        keys, counts = np.unique(np.concatenate(used), return_counts=True)
        return tuple(np.sort(counts[np.isin(keys, np.concatenate(own))]).tolist())

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
        found: set[str] = set()
        for place in self._places("symbols", symbol_id):
            if place.shard.symbol_ids[place.number] == symbol_id:
                found.update(i for i in place.shard.symbol_ids if i.rpartition(".")[0] == symbol_id)
        for place in self._places("children", symbol_id):
            identity = place.shard.symbol_ids[place.number]
            if identity.rpartition(".")[0] == symbol_id:
                found.add(identity)
        return tuple([self.symbols[identity] for identity in sorted(found)])

    def winner(self, symbol_id: str) -> str | None:
        """The file whose symbol has the id; None when there is none."""
        return min((place.path for place in self.defining(symbol_id)), default=None)

    def defining(self, symbol_id: str) -> list[_Place]:
        """Every place that defines the id."""
        return [p for p in self._places("symbols", symbol_id) if p.shard.symbol_ids[p.number] == symbol_id]

    def _edges_of(
        self,
        table: str,
        key: str,
        fits: Callable[[str], bool],
        rows_of: Callable[[GraphShard, int], NDArray[np.intp]],
    ) -> tuple[Edge, ...]:
        """The edges of the rows that ``rows_of`` finds for names of a table that ``fits``, in file order."""
        by_file: dict[str, tuple[GraphShard, list[NDArray[np.intp]]]] = {}
        for path, shard, number in self._places(table, key):
            if fits(shard.name(number)):
                by_file.setdefault(path, (shard, []))[1].append(rows_of(shard, number))
        found = EdgeColumns()
        for path in sorted(by_file):
            shard, rows = by_file[path]
            shard.collect(found, path, rows[0] if len(rows) == 1 else np.unique(np.concatenate(rows)))
        return tuple(found.edges())

    def _places(self, table: str, name: str) -> Iterator[_Place]:
        key = name_key(name)
        for number, pack in enumerate(self._view.packs):
            rows = pack.find(table, key)
            for _, value, shard in rows.tolist():
                for path in self._view.paths_of(number, shard):
                    yield _Place(path, open_shard(pack, shard), value)

    def shard(self, path: str) -> GraphShard:
        """What the graph keeps of a file that it has."""
        return open_shard(*self._shard_of(path))

    def _shard_of(self, path: str) -> tuple[Pack, int]:
        pack, shard = self._view.placements[path]
        return self._view.packs[pack], shard

    @cached_property
    def _shared_keys(self) -> frozenset[int]:
        """Keys of ids that more than one file of the commit defines (or that happen to have one hash)."""
        keys = [rows["key"] for _, rows in self._symbol_rows]
        if not keys:
            return frozenset()
        found, counts = np.unique(np.concatenate(keys), return_counts=True)
        return frozenset(found[counts > 1].tolist())

    @cached_property
    def _symbol_rows(self) -> list[tuple[Pack, Rows]]:
        """The rows of the table of symbols that are of this commit's shards, by pack."""
        return self._live_rows("symbols")

    def _live_rows(self, table: str) -> list[tuple[Pack, Rows]]:
        """The rows of a table that are of this commit's shards, by pack."""
        placed = np.array(list(self._view.placements.values()), np.int64).reshape(-1, 2)
        found = []
        for number, pack in enumerate(self._view.packs):
            live = np.zeros(pack.count, bool)
            live[placed[placed[:, 0] == number, 1]] = True
            rows = pack.table(table)
            found.append((pack, rows[live[rows["shard"]]]))
        return found


class _Symbols(Mapping[str, Symbol]):
    """All symbols by id: a look-up decodes one row, iterating decodes every file."""

    def __init__(self, graph: MappedGraph) -> None:
        self._graph = graph

    def __getitem__(self, symbol_id: str) -> Symbol:
        if "_all" in self.__dict__:
            return self._all[symbol_id]
        places = self._graph.defining(symbol_id)
        if not places:
            raise KeyError(symbol_id)
        first = min(places, key=lambda place: place.path)
        return first.shard.symbol(first.number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all if "_all" in self.__dict__ else self._ids)

    def __len__(self) -> int:
        return len(self._all if "_all" in self.__dict__ else self._ids)

    def values(self) -> ValuesView[Symbol]:
        """The symbols, by id."""
        return self._all.values()

    def items(self) -> ItemsView[str, Symbol]:
        """Ids and symbols, by id."""
        return self._all.items()

    @cached_property
    def _ids(self) -> list[str]:
        """The ids alone, which cost a fifth of the symbols."""
        shards = (self._graph.shard(path) for path in self._graph.files)
        return sorted({identity for shard in shards for identity in shard.symbol_ids})

    @cached_property
    def _all(self) -> dict[str, Symbol]:
        graph = self._graph
        found = [s for path in graph.files for s in graph.symbols_in(path)]
        return {symbol.id: symbol for symbol in sorted(found, key=lambda s: s.id)}
