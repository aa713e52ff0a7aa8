"""Building, publishing and loading the views of a commit.

A commit's views are a folder ``views/<commit>`` with a manifest and a catalog, made under a temporary name
and renamed into place, so that a reader sees all of it or nothing and two builders of one commit do not
disturb each other. What they hold is in ``packs/``, files named after their content that all commits share;
they are written first, so that a builder that dies leaves at worst a pack that nobody uses. All names are
relative: a moved or copied state directory works. Loading verifies everything that it maps, and every way in
which a view can be unusable is an error of its own.
"""

from __future__ import annotations

import gc
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from repo_guardian.tools.views import catalog as catalogs
from repo_guardian.tools.views import manifest as manifests
from repo_guardian.tools.views.build import build_views, catalog_entry, start_from
from repo_guardian.tools.views.facts.registry import language_of
from repo_guardian.tools.views.files import locked, state_errors, write_atomic
from repo_guardian.tools.views.interface import VIEWS, BuildOptions, TreeSource, ViewHandle
from repo_guardian.tools.views.manifest import Manifest
from repo_guardian.tools.views.opened import OpenedView, open_packs
from repo_guardian.tools.views.packs.reader import pack_path
from repo_guardian.tools.views.published import (
    LATEST,
    commit_folder,
    open_published,
    packs_folder,
    packs_stay,
    read_catalog,
    read_manifest,
    require,
    views_folder,
)
from repo_guardian.tools.views.registry import builder_of
from repo_guardian.tools.views.symbol_graph.languages import is_linked
from repo_guardian.tools.views.symbol_graph.mapped import MappedGraph

TEMPORARY = ".tmp-"
ABANDONED_S = 24 * 3600
"""Age after which a temporary file or folder is taken to be left by a builder that was killed."""


def builder_versions(name: str = "symbol_graph") -> dict[str, str]:
    """The versions of everything that shapes a view.

    Raises:
        UsageError: there is no such view.
    """
    return dict(builder_of(name).versions())


def refresh(source: TreeSource, state_dir: Path, options: BuildOptions | None = None) -> ViewHandle:
    """Make sure that ``source``'s views are published in ``state_dir``; intact ones are kept.

    Raises:
        DiskFullError, StateDirError: nothing half-written is left.
        UsageError: there is no such view as the options name.
    """
    options = options or BuildOptions()
    _make_folders(state_dir)
    with packs_stay(state_dir):
        start = start_from(state_dir, source.commit, options)
        if start.manifest is not None and not start.missing:
            return _handle(state_dir, start.manifest, reused=True)
        with _without_gc():
            manifest, catalog = build_views(source, state_dir, options, start)
        _publish(state_dir, manifest, catalog)
    return _handle(state_dir, manifest, reused=False)


def load(state_dir: Path, commit: str) -> MappedGraph:
    """The published symbol graph of ``commit``, mapped and verified.

    Raises:
        ViewMissingError: it was never published.
        ViewStaleError: another version of the builder made it.
        ViewDamagedError: its files are not what was written.
        StateDirError: the file system does not let us read it.
    """
    manifest, view = _open(state_dir, commit, "symbol_graph")
    of_graph = [*manifest.coverage.partial]
    of_graph += [s for s in manifest.coverage.skipped if is_linked(language_of(s.path) or "")]
    return MappedGraph(view, tuple(sorted(of_graph, key=lambda entry: entry.path)))


def open_view(state_dir: Path, commit: str, name: str) -> OpenedView:
    """A published view of ``commit``, mapped and verified. Raises as ``load`` does."""
    return _open(state_dir, commit, name)[1]


def handle(state_dir: Path, commit: str) -> ViewHandle:
    """What is published of ``commit``, from its manifest alone. Raises as ``load`` does."""
    manifest = read_manifest(state_dir, commit)
    require(manifest, ["symbol_graph"])
    return _handle(state_dir, manifest, reused=True)


def copy_view(state_dir: Path, commit: str, target: Path, views: Sequence[str] = VIEWS) -> Path:
    """Copy what is published of ``commit`` into another state directory, where ``load`` finds it.

    Packs that are there already are shared, so copies of many commits cost what differs between them; on one
    file system they are links and cost nothing while both are there.

    Args:
        views: those to copy, as far as they are published.

    Returns:
        The commit's folder in ``target``.

    Raises:
        ViewError: there is no intact view to copy.
        DiskFullError, StateDirError: the copy is not there; nothing is half-written.
    """
    _make_folders(target)
    with packs_stay(state_dir), packs_stay(target):
        manifest = read_manifest(state_dir, commit)
        catalog = read_catalog(state_dir, manifest)
        chosen = {name: entry for name, entry in manifest.views.items() if name in views}
        for entry in chosen.values():
            for pack in open_packs(packs_folder(state_dir), [stored.name for stored in entry.packs]):
                _copy_pack(pack_path(packs_folder(state_dir), pack.name), packs_folder(target))
        stored = catalogs.encode(replace(catalog, views={name: catalog.views[name] for name in chosen}))
        _publish(target, replace(manifest, views=chosen, catalog=catalog_entry(stored)), stored)
    return commit_folder(target, commit)


def _copy_pack(path: Path, folder: Path) -> None:
    place = folder / path.name
    with state_errors(folder):
        try:
            place.hardlink_to(path)
        except FileExistsError:
            return
        except OSError:  # another file system, or one without links
            write_atomic(place, path.read_bytes())


def _open(state_dir: Path, commit: str, name: str) -> tuple[Manifest, OpenedView]:
    with packs_stay(state_dir):
        manifest = read_manifest(state_dir, commit)
        require(manifest, [name])
        return manifest, open_published(state_dir, manifest, read_catalog(state_dir, manifest), name)


def _handle(state_dir: Path, manifest: Manifest, *, reused: bool) -> ViewHandle:
    digests = {name: entry.digest for name, entry in manifest.views.items()}
    return ViewHandle(
        manifest.commit,
        commit_folder(state_dir, manifest.commit),
        digests.get("symbol_graph", ""),
        manifest.coverage,
        reused,
        manifest.facts.reused,
        manifest.facts.extracted,
        digests,
    )


def _make_folders(state_dir: Path) -> None:
    for folder in (packs_folder(state_dir), views_folder(state_dir)):
        with state_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)


def _publish(state_dir: Path, manifest: Manifest, catalog: bytes) -> None:
    """Write a folder under a temporary name and rename it into place, unless another builder was first."""
    target = commit_folder(state_dir, manifest.commit)
    folder = target.parent
    with state_errors(folder):
        sweep(folder)
        made = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=folder))
        try:
            (made / manifests.CATALOG_FILE).write_bytes(catalog)
            (made / manifests.FILE_NAME).write_bytes(manifests.encode(manifest))
            made.chmod(0o755)
            with locked(folder):
                if start_from(state_dir, manifest.commit, BuildOptions(views=tuple(manifest.views))).missing:
                    _replace(made, target)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    write_atomic(folder / LATEST, manifest.commit.encode("ascii"))


def _replace(made: Path, target: Path) -> None:
    """Rename ``made`` to ``target``; a stale or damaged view in the way is moved aside and removed."""
    aside = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=target.parent))
    try:
        if target.exists():
            target.rename(aside / "old")
        made.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove temporary files and folders of builders that were killed long ago."""
    limit = time.time() - ABANDONED_S
    for path in folder.glob(f"{TEMPORARY}*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime >= limit:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


@contextmanager
def _without_gc() -> Iterator[None]:
    """Building makes millions of records and no garbage cycles: collecting them costs half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
