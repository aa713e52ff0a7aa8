"""One build: what there is to start from, and from there to a manifest and a catalog."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from repo_guardian.errors import ViewDamagedError, ViewError
from repo_guardian.tools.views import catalog as catalogs
from repo_guardian.tools.views.assemble import Assembled, assemble
from repo_guardian.tools.views.capabilities import CAPABILITIES
from repo_guardian.tools.views.catalog import Catalog, Columns, columns_of
from repo_guardian.tools.views.facts.registry import identity_of
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.gather import CommitTree, Earlier, ViewTree
from repo_guardian.tools.views.interface import BuildOptions, TreeSource
from repo_guardian.tools.views.manifest import (
    CATALOG_FILE,
    CatalogEntry,
    FactsUse,
    Manifest,
    PackEntry,
    ViewEntry,
)
from repo_guardian.tools.views.opened import OpenedView, open_packs
from repo_guardian.tools.views.published import (
    latest,
    open_published,
    packs_folder,
    read_catalog,
    read_manifest,
    require,
)
from repo_guardian.tools.views.registry import builder_of


@dataclass(frozen=True, slots=True)
class Start:
    """What a build starts from.

    Attributes:
        manifest: what is published of the commit itself; None when nothing readable is.
        intact: its views that can stay as they are.
        missing: the views to build, in the order of ``BuildOptions.views``.
        since: the earlier commit; empty for a build from nothing.
        previous: views of the earlier commit, of the same versions.
        earlier: what the earlier build saw of the files.
    """

    manifest: Manifest | None = None
    intact: Mapping[str, OpenedView] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    since: str = ""
    previous: Mapping[str, OpenedView] = field(default_factory=dict)
    earlier: Earlier = field(default_factory=Earlier)


def start_from(state_dir: Path, commit: str, options: BuildOptions) -> Start:
    """Look at what is published of ``commit`` and, when that does not do, of the commit to start from."""
    manifest: Manifest | None = None
    intact: dict[str, OpenedView] = {}
    with suppress(ViewError):
        manifest = read_manifest(state_dir, commit)
        catalog = read_catalog(state_dir, manifest)
        for name in manifest.views:
            with suppress(ViewError):
                require(manifest, [name])
                intact[name] = open_published(state_dir, manifest, catalog, name)
    missing = tuple(name for name in dict.fromkeys(options.views) if name not in intact)
    if not missing:
        return Start(manifest, intact)
    for since in (options.since, latest(state_dir)):
        if since and since != commit:
            with suppress(ViewError):
                return _started(state_dir, Start(manifest, intact, missing, since))
    return Start(manifest, intact, missing)


def build_views(
    source: TreeSource, state_dir: Path, options: BuildOptions, start: Start
) -> tuple[Manifest, bytes]:
    """Build the views that ``start`` says are missing; their packs are written, the rest is returned.

    Returns:
        The manifest, and the catalog as it is to be stored.

    Raises:
        DiskFullError, StateDirError: nothing half-written is left.
    """
    tree = CommitTree(source, FactsStore(state_dir / "facts"), options.extract, start.earlier)
    views: dict[str, ViewEntry] = {}
    columns: dict[str, Columns] = {}
    for name, view in start.intact.items():
        if start.manifest is not None and view.covers(tree.files):
            views[name] = start.manifest.views[name]
            columns[name] = columns_of(tree.files, view.placements, view.empty)
    for name in dict.fromkeys([*start.missing, *start.intact]):
        if name not in views:
            assembled, empty = _build(name, tree, state_dir, start)
            tree.release()
            columns[name] = columns_of(tree.files, assembled.placements, empty)
            packs = open_packs(packs_folder(state_dir), [pack for pack, _ in assembled.packs])
            view = OpenedView(source.commit, name, Catalog(tree.files, {name: columns[name]}), packs)
            since = start.since if name in start.previous else ""
            views[name] = _entry(view, assembled, since)
    tree.finish()
    catalog = Catalog(tree.files, columns, frozenset(tree.transient), tree.left_out)
    stored = catalogs.encode(catalog)
    manifest = Manifest(
        source.commit,
        source.tree,
        views,
        catalog_entry(stored),
        CAPABILITIES,
        tree.coverage(),
        FactsUse(tree.reused, tree.extracted, tree.extractors()),
    )
    return manifest, stored


def catalog_entry(stored: bytes) -> CatalogEntry:
    """The manifest's entry of a catalog as it is stored."""
    return CatalogEntry(CATALOG_FILE, hashlib.sha256(stored).hexdigest(), len(stored))


def _started(state_dir: Path, start: Start) -> Start:
    """``start`` with the views and the knowledge of the commit ``start.since``."""
    manifest = read_manifest(state_dir, start.since)
    catalog = read_catalog(state_dir, manifest)
    previous: dict[str, OpenedView] = {}
    for name in start.missing:
        with suppress(ViewError):
            require(manifest, [name])
            previous[name] = open_published(state_dir, manifest, catalog, name, catalog.transient)
    known_by = manifest.facts.extractors
    languages = {file.language for file in catalog.files.values()}
    same = {language for language in languages if identity_of(language) == known_by.get(language, "")}
    files = {
        path: file for path, file in catalog.files.items()
        if path not in catalog.transient and file.language in same
    }  # fmt: skip
    partial = {entry.path: entry.reason for entry in manifest.coverage.partial}
    absent = {entry.path for entry in manifest.coverage.skipped}
    known = {path: file for path, file in files.items() if path not in absent or path in catalog.left_out}
    earlier = Earlier(known, partial, catalog.left_out)
    return Start(start.manifest, start.intact, start.missing, start.since, previous, earlier)


def _build(name: str, tree: CommitTree, state_dir: Path, start: Start) -> tuple[Assembled, set[str]]:
    """A view's shards, and the files that were read for it in vain."""
    previous = start.previous.get(name)
    if previous is not None:
        known = start.earlier.files
        tree.prepare(path for path, file in tree.files.items() if known.get(path) != file)
        # The earlier view may turn out not to do: facts of a file that it keeps may be gone for good.
        with suppress(ViewDamagedError):
            return _assemble(name, tree, state_dir, previous)
    tree.prepare(tree.files)
    return _assemble(name, tree, state_dir, None)


def _assemble(
    name: str, tree: CommitTree, state_dir: Path, previous: OpenedView | None
) -> tuple[Assembled, set[str]]:
    builder = builder_of(name)
    empty = {} if previous is None else previous.empty
    view_tree = ViewTree(tree, {path for path, file in empty.items() if tree.files.get(path) == file})
    answers = builder.build(view_tree, previous)
    assembled = assemble(packs_folder(state_dir), builder.layout, answers, previous)
    return assembled, view_tree.read - assembled.placements.keys()


def _entry(view: OpenedView, assembled: Assembled, since: str) -> ViewEntry:
    return ViewEntry(
        view.digest(),
        dict(builder_of(view.name).versions()),
        tuple(PackEntry(*pack) for pack in assembled.packs),
        len(assembled.placements),
        assembled.kept,
        assembled.made,
        assembled.changed,
        since,
        assembled.new_bytes,
    )
