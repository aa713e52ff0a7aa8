"""Building, publishing and loading the views of a commit.

A view is a folder ``views/<commit>`` with a manifest and a payload, made under a temporary name and renamed
into place, so that a reader sees all of it or nothing and two builders of one commit do not disturb each
other. It holds relative paths only: a moved or copied state directory works. Loading verifies the payload
against the manifest, and every way in which a view can be unusable is an error of its own.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from repo_guardian.errors import ViewDamagedError, ViewError, ViewMissingError, ViewStaleError
from repo_guardian.tools.views import manifest as manifests
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.files import state_errors
from repo_guardian.tools.views.gather import Gathered, gather
from repo_guardian.tools.views.interface import SYMBOL_GRAPH_FILE, TreeSource, ViewHandle
from repo_guardian.tools.views.manifest import Manifest, ViewEntry
from repo_guardian.tools.views.symbol_graph import codec
from repo_guardian.tools.views.symbol_graph.link import LINKER_VERSION, link
from repo_guardian.tools.views.symbol_graph.model import SymbolGraph

VIEW = "symbol_graph"
_FORMAT = "1"
_TEMPORARY = ".tmp-"
_ABANDONED_S = 24 * 3600
"""Age after which a temporary folder is taken to be left by a builder that was killed."""

_NAME = re.compile(r"[0-9A-Za-z_-]{1,128}\Z")
_REBUILD = "run `guardian cycle` again: it rebuilds the view"


def builder_versions() -> dict[str, str]:
    """The versions of everything that shapes the symbol graph."""
    python = extractor_for("python")
    return {"extractor": python.identity if python else "", "linker": LINKER_VERSION, "format": _FORMAT}


def refresh(source: TreeSource, state_dir: Path, limits: ExtractLimits | None = None) -> ViewHandle:
    """Make sure that ``source``'s symbol graph is published in ``state_dir``; an intact one is kept.

    Raises:
        DiskFullError, StateDirError: nothing half-written is left.
    """
    kept = _usable(state_dir, source.commit)
    if kept is not None:
        return _handle(state_dir, kept, reused=True)
    with _without_gc():
        gathered = gather(source, FactsStore(state_dir / "facts"), limits or ExtractLimits())
        graph = link(source.commit, gathered.files, gathered.skipped)
        canonical = codec.encode(graph)
    payload = zlib.compress(canonical, 1)
    built = _manifest(source, gathered, canonical, payload)
    _publish(state_dir, built, payload)
    return _handle(state_dir, built, reused=False)


def load(state_dir: Path, commit: str) -> SymbolGraph:
    """The published symbol graph of ``commit``, verified.

    Raises:
        ViewMissingError: it was never published.
        ViewStaleError: another version of the builder made it.
        ViewDamagedError: its manifest or payload is not what was written.
        StateDirError: the file system does not let us read it.
    """
    manifest = _read_manifest(state_dir, commit)
    payload = _read_payload(state_dir, commit, manifest)
    try:
        with _without_gc():
            return codec.decode(commit, zlib.decompress(payload))
    except (zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise _damaged(commit) from error


def handle(state_dir: Path, commit: str) -> ViewHandle:
    """What is published of ``commit``, from its manifest alone. Raises as ``load`` does."""
    return _handle(state_dir, _read_manifest(state_dir, commit), reused=True)


def _folder(state_dir: Path, commit: str) -> Path:
    if not _NAME.match(commit):
        raise ViewMissingError(f"no view can have the name {commit!r}", hint="give a full commit id")
    return state_dir / "views" / commit


def _handle(state_dir: Path, manifest: Manifest, *, reused: bool) -> ViewHandle:
    return ViewHandle(
        manifest.commit,
        _folder(state_dir, manifest.commit),
        manifest.views[VIEW].digest,
        manifest.coverage,
        reused,
        manifest.facts_reused,
        manifest.facts_extracted,
    )


def _manifest(source: TreeSource, gathered: Gathered, canonical: bytes, payload: bytes) -> Manifest:
    entry = ViewEntry(
        SYMBOL_GRAPH_FILE,
        hashlib.sha256(payload).hexdigest(),
        len(payload),
        codec.digest(canonical),
        builder_versions(),
    )
    return Manifest(
        source.commit,
        source.tree,
        {VIEW: entry},
        gathered.coverage,
        gathered.reused,
        gathered.extracted,
    )


def _read_manifest(state_dir: Path, commit: str) -> Manifest:
    folder = _folder(state_dir, commit)
    path = folder / manifests.FILE_NAME
    with state_errors(folder):
        if not folder.is_dir():
            raise ViewMissingError(f"no views of commit {commit[:12]} are published", hint=_REBUILD)
    data = _read(path, commit)
    schema, manifest = manifests.decode(data)
    if manifest is None:
        raise ViewStaleError(f"the views of {commit[:12]} have manifest schema {schema}", hint=_REBUILD)
    if manifest.commit != commit:
        raise _damaged(commit)
    if VIEW not in manifest.views:
        raise ViewMissingError(f"commit {commit[:12]} has no symbol graph", hint=_REBUILD)
    if manifest.views[VIEW].builder != builder_versions():
        raise ViewStaleError(f"the symbol graph of {commit[:12]} was built by another version", hint=_REBUILD)
    return manifest


def _read_payload(state_dir: Path, commit: str, manifest: Manifest) -> bytes:
    path = _folder(state_dir, commit) / SYMBOL_GRAPH_FILE
    entry = manifest.views[VIEW]
    payload = _read(path, commit)
    if hashlib.sha256(payload).hexdigest() != entry.sha256:
        raise _damaged(commit)
    return payload


def _read(path: Path, commit: str) -> bytes:
    with state_errors(path):
        try:
            return path.read_bytes()
        except (FileNotFoundError, IsADirectoryError) as error:
            raise _damaged(commit) from error


def _usable(state_dir: Path, commit: str) -> Manifest | None:
    """The manifest of an intact current view, None when there is none."""
    try:
        manifest = _read_manifest(state_dir, commit)
        _read_payload(state_dir, commit, manifest)
    except ViewError:
        return None
    return manifest


def _damaged(commit: str) -> ViewDamagedError:
    return ViewDamagedError(f"the symbol graph of {commit[:12]} does not match its digest", hint=_REBUILD)


def _publish(state_dir: Path, manifest: Manifest, payload: bytes) -> None:
    """Write a folder under a temporary name and rename it into place, unless another builder was first."""
    target = _folder(state_dir, manifest.commit)
    views = target.parent
    with state_errors(views):
        views.mkdir(parents=True, exist_ok=True)
        _sweep(views)
        made = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=views))
        try:
            (made / SYMBOL_GRAPH_FILE).write_bytes(payload)
            (made / manifests.FILE_NAME).write_bytes(manifests.encode(manifest))
            made.chmod(0o755)
            with _exclusive(views):
                if _usable(state_dir, manifest.commit) is None:
                    _replace(made, target)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _replace(made: Path, target: Path) -> None:
    """Rename ``made`` to ``target``; a stale or damaged view in the way is moved aside and removed."""
    aside = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=target.parent))
    try:
        if target.exists():
            target.rename(aside / "old")
        made.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """One builder at a time replaces views; the lock ends with the process that holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sweep(views: Path) -> None:
    """Remove temporary folders of builders that were killed long ago."""
    limit = time.time() - _ABANDONED_S
    for path in views.glob(f"{_TEMPORARY}*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < limit:
                shutil.rmtree(path, ignore_errors=True)


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
