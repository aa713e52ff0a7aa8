"""Looking after a state directory: what is published and what it costs, whether it is whole, what can go.

Nothing here is needed for building or reading. Collecting waits until no builder works (each holds a share of
the lock of ``packs/`` from the moment it looks at what is there until it has published), so that no pack
vanishes between being chosen and being named by a manifest.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import ViewError
from repo_guardian.tools.views import manifest as manifests
from repo_guardian.tools.views.facts.registry import identity_of
from repo_guardian.tools.views.files import locked, state_errors, write_atomic
from repo_guardian.tools.views.manifest import Manifest, ViewEntry
from repo_guardian.tools.views.opened import OpenedView
from repo_guardian.tools.views.packs.container import SUFFIX
from repo_guardian.tools.views.packs.reader import MappedPack, open_pack, pack_path
from repo_guardian.tools.views.published import (
    LATEST,
    latest,
    packs_folder,
    packs_stay,
    read_catalog,
    read_manifest,
    require,
    views_folder,
)

TEMPORARY = ".tmp-"


@dataclass(frozen=True, slots=True)
class ViewStatus:
    """One view of one commit.

    Attributes:
        digest: as in the manifest.
        stale: built by other versions than those that run: it is built anew when it is asked for.
        files: how many files have a shard.
        packs: how many packs it is read from.
        own_bytes, shared_bytes: of packs that no other commit uses, and of the others.
    """

    digest: str
    stale: bool
    files: int
    packs: int
    own_bytes: int
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class CommitStatus:
    """What is published under one name; ``problem`` says why nothing can be known of it."""

    commit: str
    views: Mapping[str, ViewStatus]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class StateStatus:
    """The views of a state directory.

    Attributes:
        commits: the one published last first.
        pack_bytes, unused_bytes: of all packs, and of those that no commit uses.
        facts, facts_bytes: blobs whose facts are kept, and their size.
    """

    commits: tuple[CommitStatus, ...]
    pack_bytes: int
    unused_bytes: int
    facts: int
    facts_bytes: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A defect of what is published under ``commit``, in one line."""

    commit: str
    what: str


@dataclass(frozen=True, slots=True)
class Freed:
    """What a collection removed: counts, and the bytes of all of it."""

    commits: tuple[str, ...] = ()
    packs: int = 0
    facts: int = 0
    temporaries: int = 0
    bytes: int = 0


def status(state_dir: Path) -> StateStatus:
    """What is published, what is usable, and what it costs on disk. Reads manifests only.

    Raises:
        StateDirError: the file system does not let us read it.
    """
    with packs_stay(state_dir):
        found = [(commit, _manifest(state_dir, commit)) for commit in published(state_dir)]
        users = Counter(
            name for _, manifest in found if isinstance(manifest, Manifest) for name in _packs(manifest)
        )
        sizes = {path.name.removesuffix(SUFFIX): path.stat().st_size for path in _pack_files(state_dir)}
        facts = [path.stat().st_size for path in _facts_files(state_dir)]
    commits = tuple(
        CommitStatus(
            commit, {name: _view(manifest, name, entry, users) for name, entry in manifest.views.items()}
        )
        if isinstance(manifest, Manifest)
        else CommitStatus(commit, {}, manifest)
        for commit, manifest in found
    )
    unused = sum(size for name, size in sizes.items() if name not in users)
    return StateStatus(commits, sum(sizes.values()), unused, len(facts), sum(facts))


def verify(state_dir: Path, commit: str | None = None) -> tuple[Problem, ...]:
    """Check everything that is published of one commit, or of all: every file, shard, table and placement.

    Views of other versions are checked as far as their packs go.

    Raises:
        StateDirError: the file system does not let us read it.
    """
    checked: dict[str, list[str]] = {}
    found: list[Problem] = []
    with packs_stay(state_dir):
        for name in published(state_dir) if commit is None else [commit]:
            found += [Problem(name, what) for what in _problems(state_dir, name, checked)]
    return tuple(found)


def gc(state_dir: Path, keep: Collection[str] | int) -> Freed:
    """Remove all that the views to keep do not need: other views, packs, facts, and what was left half-done.

    Args:
        keep: the names of the commits whose views stay, or how many of the last published ones.

    Raises:
        StateDirError: the file system does not let us do it; what is kept is whole all the same.
    """
    packs = packs_folder(state_dir)
    with state_errors(packs):
        if not packs.is_dir():
            return Freed()
        with locked(packs):
            return _collect(state_dir, keep)


def published(state_dir: Path) -> tuple[str, ...]:
    """The names under which something is published, the last one first."""
    folder = views_folder(state_dir)
    with state_errors(folder):
        names = (
            [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
        )
    aged = sorted(((_age(path), path.name) for path in names), reverse=True)
    return tuple(name for _, name in aged)


def _age(folder: Path) -> int:
    try:
        return (folder / manifests.FILE_NAME).stat().st_mtime_ns
    except OSError:
        return 0


def _manifest(state_dir: Path, commit: str) -> Manifest | str:
    """The manifest, or why there is none that can be used."""
    try:
        return read_manifest(state_dir, commit)
    except ViewError as error:
        return error.message


def _packs(manifest: Manifest) -> set[str]:
    return {pack.name for entry in manifest.views.values() for pack in entry.packs}


def _view(manifest: Manifest, name: str, entry: ViewEntry, users: Counter[str]) -> ViewStatus:
    stale = False
    try:
        require(manifest, [name])
    except ViewError:
        stale = True
    own = sum(pack.bytes for pack in entry.packs if users[pack.name] == 1)
    shared = sum(pack.bytes for pack in entry.packs) - own
    return ViewStatus(entry.digest, stale, entry.files, len(entry.packs), own, shared)


def _problems(state_dir: Path, commit: str, checked: dict[str, list[str]]) -> Iterator[str]:
    try:
        manifest = read_manifest(state_dir, commit)
        catalog = read_catalog(state_dir, manifest)
    except ViewError as error:
        yield error.message
        return
    if list(catalog.files) != sorted(catalog.files):
        yield "the catalog's files are not sorted"
    for name, entry in manifest.views.items():
        packs: list[MappedPack] = []
        try:
            for stored in entry.packs:
                packs.append(open_pack(pack_path(packs_folder(state_dir), stored.name)))
                if stored.name not in checked:
                    checked[stored.name] = packs[-1].problems()
                yield from (f"{name}: pack {stored.name[:12]}: {what}" for what in checked[stored.name])
            view = OpenedView(commit, name, catalog, packs)
        except (ViewError, KeyError, IndexError, ValueError) as error:
            yield f"{name}: {error.message if isinstance(error, ViewError) else 'placements cannot be read'}"
            continue
        if view.digest() != entry.digest:
            yield f"{name}: the digest of its shards is not the one in the manifest"


def _collect(state_dir: Path, keep: Collection[str] | int) -> Freed:
    every = published(state_dir)
    wanted = every[:keep] if isinstance(keep, int) else [commit for commit in every if commit in keep]
    kept: dict[str, Manifest] = {}
    blobs: set[tuple[str, str]] = set()
    for commit in wanted:
        with suppress(ViewError):  # what cannot be read is of no use to anyone: it is built anew
            manifest = read_manifest(state_dir, commit)
            for file in read_catalog(state_dir, manifest).files.values():
                blobs.add((identity_of(file.language).replace("/", "-"), file.oid))
            kept[commit] = manifest
    removed = [commit for commit in every if commit not in kept]
    needed = {name for manifest in kept.values() for name in _packs(manifest)}
    packs = [path for path in _pack_files(state_dir) if path.name.removesuffix(SUFFIX) not in needed]
    facts = [path for path in _facts_files(state_dir)
             if (path.parent.parent.name, path.parent.name + path.name) not in blobs]  # fmt: skip
    left = [*views_folder(state_dir).glob(f"{TEMPORARY}*"), *packs_folder(state_dir).glob(f"{TEMPORARY}*"),
            *(state_dir / "facts").rglob(f"{TEMPORARY}*")]  # fmt: skip
    freed = _remove([views_folder(state_dir) / commit for commit in removed])
    _point_to_latest(state_dir, kept)
    freed += _remove(packs) + _remove(facts) + _remove(left)
    _remove_empty(state_dir / "facts")
    return Freed(tuple(removed), len(packs), len(facts), len(left), freed)


def _point_to_latest(state_dir: Path, kept: Collection[str]) -> None:
    if latest(state_dir) in kept:
        return
    pointer = views_folder(state_dir) / LATEST
    newest = next((commit for commit in published(state_dir) if commit in kept), None)
    if newest is None:
        pointer.unlink(missing_ok=True)
    else:
        write_atomic(pointer, newest.encode("ascii"))


def _remove(paths: Collection[Path]) -> int:
    """Remove files and folders; returns how many bytes they had."""
    freed = 0
    for path in paths:
        if path.is_dir():
            freed += sum(inner.stat().st_size for inner in path.rglob("*") if inner.is_file())
            shutil.rmtree(path)
        else:
            freed += path.stat().st_size
            path.unlink()
    return freed


def _remove_empty(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _pack_files(state_dir: Path) -> list[Path]:
    return sorted(packs_folder(state_dir).glob(f"*{SUFFIX}"))


def _facts_files(state_dir: Path) -> list[Path]:
    """Entries of the store: ``<language>-<version>/<first two>/<rest of the object id>``."""
    return [path for path in (state_dir / "facts").glob("*/*/*") if not path.name.startswith(TEMPORARY)]
