"""The builder of the symbol graph: links again what changed or read what changed, and keeps the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.builders import BuildTree, Kept, OpenView, TreeFile
from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.facts.registry import LANGUAGES, identity_of
from repo_guardian.tools.views.packs.container import REBUILD
from repo_guardian.tools.views.packs.interface import PackLayout, ShardDraft
from repo_guardian.tools.views.symbol_graph.changes import changed_keys
from repo_guardian.tools.views.symbol_graph.codec import FORMAT, LAYOUT, encode_shard, is_python2
from repo_guardian.tools.views.symbol_graph.corpus import key_hash
from repo_guardian.tools.views.symbol_graph.languages import is_linked, mentions_of
from repo_guardian.tools.views.symbol_graph.linker import LINKER_VERSION, Linker


class SymbolGraphBuilder:
    """``ViewBuilder`` of the view ``symbol_graph``."""

    @property
    def name(self) -> str:
        """``symbol_graph``."""
        return "symbol_graph"

    @property
    def layout(self) -> PackLayout:
        """What its packs hold."""
        return LAYOUT

    def versions(self) -> Mapping[str, str]:
        """The versions of the extractors, the linker, and the shards."""
        linked = sorted({language for language in LANGUAGES.values() if is_linked(language)})
        extractors = ",".join(filter(None, map(identity_of, linked)))
        return {"extractor": extractors, "linker": LINKER_VERSION, "format": FORMAT}

    def build(self, tree: BuildTree, previous: OpenView | None) -> Iterator[tuple[str, Kept | ShardDraft]]:
        """For each file of a linked language that has facts, its shard."""
        linked = {path: file for path, file in tree.files.items() if is_linked(file.language)}
        after = CommitCorpus(tree, linked, previous)
        relinked = after.new if previous is None else after.new | _readers(previous, after)
        linker = Linker(after)
        try:
            for path in after.paths():
                if path in relinked:
                    yield path, encode_shard(linker.link(path), python2=after.is_python2(path))
                else:
                    yield path, Kept(path)
        finally:
            linker.close()


class EarlierCorpus:
    """``Corpus`` of a published view.

    Args:
        view: the view.
        tree: whose store may still have the facts of the view's files.
    """

    def __init__(self, view: OpenView, tree: BuildTree) -> None:
        self._view = view
        self._tree = tree

    def paths(self) -> Collection[str]:
        """All files of the view, sorted."""
        return self._view.files.keys()

    def language(self, path: str) -> str:
        """The language of a file."""
        return self._view.files[path].language

    def is_python2(self, path: str) -> bool:
        """Whether a file is Python 2 source, as its shard says."""
        pack, shard = self._view.placements[path]
        return is_python2(self._view.packs[pack], shard)

    def facts(self, path: str) -> FileFacts:
        """The facts of a file.

        Raises:
            ViewDamagedError: the store no longer has them.
        """
        facts = self._tree.facts_of(self._view.files[path])
        if facts is None:
            raise _without_facts(path)
        return facts

    def mentions(self, key: str) -> tuple[str, ...]:
        """The files that mention a global key, sorted."""
        found = key_hash(key)
        paths = [
            path
            for number, pack in enumerate(self._view.packs)
            for shard in pack.find("mentions", found)["shard"].tolist()
            for path in self._view.paths_of(number, shard)
        ]
        return tuple(sorted(paths))


class CommitCorpus:
    """``Corpus`` of the commit that is built: new files from their facts, kept ones from the earlier view.

    Args:
        tree: the commit.
        files: those of it that are linked.
        previous: the view to start from.
    """

    def __init__(self, tree: BuildTree, files: Mapping[str, TreeFile], previous: OpenView | None) -> None:
        self.tree = tree
        self._earlier = None if previous is None else EarlierCorpus(previous, tree)
        before = {} if previous is None else previous.files
        self.new = {path for path, file in files.items() if before.get(path) != file}
        """Files that the earlier view does not have as they are."""
        # A file without facts is no part of the corpus, and is new again in the next commit.
        absent = {path for path in self.new if not tree.has_facts(path)}
        self.new -= absent
        self._files = {path: file for path, file in files.items() if path not in absent}
        self._mentions: dict[int, list[str]] | None = None

    def paths(self) -> Collection[str]:
        """All files that have facts, sorted."""
        return self._files.keys()

    def language(self, path: str) -> str:
        """The language of a file."""
        return self._files[path].language

    def is_python2(self, path: str) -> bool:
        """Whether a file is Python 2 source."""
        if self._earlier is not None and path not in self.new:
            return self._earlier.is_python2(path)
        return self.facts(path).problem.startswith("Python 2")

    def facts(self, path: str) -> FileFacts:
        """The facts of a file.

        Raises:
            ViewDamagedError: they were collected and its blob is gone: the earlier view cannot be built upon.
        """
        facts = self.tree.facts(path)
        if facts is None:
            raise _without_facts(path)
        return facts

    def mentions(self, key: str) -> tuple[str, ...]:
        """The files that mention a global key, sorted."""
        if self._mentions is None:
            self._mentions = {}
            for path in self.new:
                for mentioned in mentions_of(self.language(path), self.facts(path)):
                    self._mentions.setdefault(mentioned, []).append(path)
        found = list(self._mentions.get(key_hash(key), ()))
        if self._earlier is not None:
            kept = self._earlier.mentions(key)
            found += [path for path in kept if path in self._files and path not in self.new]
        return tuple(sorted(found))


def _readers(previous: OpenView, after: CommitCorpus) -> set[str]:
    """The files of ``previous`` that read a key whose content is not what it was."""
    before = EarlierCorpus(previous, after.tree)
    gone = previous.files.keys() - after.paths()
    try:
        changed = changed_keys(before, after, after.new | gone)
    except ViewDamagedError:  # the facts of a changed file's old blob were collected: link everything again
        return set(after.paths())
    keys = np.array([key & 0xFFFFFFFF for key in changed], np.uint32)
    found: set[str] = set()
    for number, pack in enumerate(previous.packs):
        hits = np.flatnonzero(np.isin(pack.block("reads"), keys))
        shards = np.searchsorted(pack.bounds("reads"), hits.astype(np.uint64), side="right") - 1
        for shard in np.unique(shards).tolist():
            found.update(previous.paths_of(number, shard))
    return found & set(after.paths())


def _without_facts(path: str) -> ViewDamagedError:
    return ViewDamagedError(f"the facts of {path!r} are gone", hint=REBUILD)
