"""Reading what is published: manifest, catalog and views of a commit, verified, each defect an error."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from repo_guardian.errors import ViewDamagedError, ViewMissingError, ViewStaleError
from repo_guardian.tools.views import catalog as catalogs
from repo_guardian.tools.views import manifest as manifests
from repo_guardian.tools.views.catalog import Catalog
from repo_guardian.tools.views.files import locked, state_errors
from repo_guardian.tools.views.manifest import Manifest
from repo_guardian.tools.views.opened import OpenedView, open_packs
from repo_guardian.tools.views.packs.container import REBUILD
from repo_guardian.tools.views.registry import builder_of

LATEST = ".latest"
"""The file of ``views/`` that names the commit whose views were published last."""

_NAME = re.compile(r"[0-9A-Za-z_-]{1,128}\Z")


def views_folder(state_dir: Path) -> Path:
    """Where the commits' folders are."""
    return state_dir / "views"


def packs_folder(state_dir: Path) -> Path:
    """Where the packs of all commits are; its lock is shared by who needs packs to stay."""
    return state_dir / "packs"


def commit_folder(state_dir: Path, commit: str) -> Path:
    """Where the views of a commit are.

    Raises:
        ViewMissingError: no view can have that name.
    """
    if not _NAME.match(commit):
        raise ViewMissingError(f"no view can have the name {commit!r}", hint="give a full commit id")
    return views_folder(state_dir) / commit


@contextmanager
def packs_stay(state_dir: Path) -> Iterator[None]:
    """No pack is collected meanwhile. Without packs there is nothing to wait for."""
    folder = packs_folder(state_dir)
    if folder.is_dir():
        with locked(folder, shared=True):
            yield
    else:
        yield


def read_manifest(state_dir: Path, commit: str) -> Manifest:
    """What is published of a commit, of whatever versions.

    Raises:
        ViewMissingError, ViewStaleError, ViewDamagedError, StateDirError.
    """
    folder = commit_folder(state_dir, commit)
    with state_errors(folder):
        if not folder.is_dir():
            raise ViewMissingError(f"no views of commit {commit[:12]} are published", hint=REBUILD)
    schema, manifest = manifests.decode(_read(folder / manifests.FILE_NAME, commit))
    if manifest is None:
        raise ViewStaleError(f"the views of {commit[:12]} have manifest schema {schema}", hint=REBUILD)
    if manifest.commit != commit:
        raise _damaged(commit)
    return manifest


def require(manifest: Manifest, views: Sequence[str]) -> None:
    """Make sure that the views are there and of the current versions.

    Raises:
        ViewMissingError, ViewStaleError.
    """
    for name in views:
        entry = manifest.views.get(name)
        if entry is None:
            raise ViewMissingError(f"commit {manifest.commit[:12]} has no view {name}", hint=REBUILD)
        if dict(entry.builder) != dict(builder_of(name).versions()):
            raise ViewStaleError(
                f"the view {name} of {manifest.commit[:12]} was built by another version", hint=REBUILD
            )


def read_catalog(state_dir: Path, manifest: Manifest) -> Catalog:
    """The catalog that belongs to a manifest.

    Raises:
        ViewDamagedError, StateDirError.
    """
    data = _read(commit_folder(state_dir, manifest.commit) / manifests.CATALOG_FILE, manifest.commit)
    if hashlib.sha256(data).hexdigest() != manifest.catalog.sha256:
        raise _damaged(manifest.commit)
    return _decoded(data)


def open_published(
    state_dir: Path, manifest: Manifest, catalog: Catalog, name: str, without: Collection[str] = ()
) -> OpenedView:
    """A view of a manifest, its packs mapped and verified.

    Args:
        without: files to be treated as if the view did not have them.

    Raises:
        ViewDamagedError, StateDirError.
    """
    packs = open_packs(packs_folder(state_dir), [pack.name for pack in manifest.views[name].packs])
    if name not in catalog.views:
        raise _damaged(manifest.commit)
    return OpenedView(manifest.commit, name, catalog, packs, without)


def latest(state_dir: Path) -> str | None:
    """The commit whose views were published last; None when that is not known."""
    try:
        return (views_folder(state_dir) / LATEST).read_text("ascii").strip() or None
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=16)
def _decoded(data: bytes) -> Catalog:
    return catalogs.decode(data)


def _read(path: Path, commit: str) -> bytes:
    with state_errors(path):
        try:
            return path.read_bytes()
        except (FileNotFoundError, IsADirectoryError) as error:
            raise _damaged(commit) from error


def _damaged(commit: str) -> ViewDamagedError:
    return ViewDamagedError(f"the views of {commit[:12]} are not what was written", hint=REBUILD)
