"""Is a memory whole: every page, reference and trigger, the JSON of each cycle, the graph snapshots.

Nothing is written. What is found is told, not raised, each with the way out of it; only what keeps the
memory from being looked at at all (there is none, a newer version wrote it, no permission) is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import Connection, create_engine

from repo_guardian.errors import MemoryCorruptError
from repo_guardian.memory_store import INDEX_NAME, cycle_files
from repo_guardian.memory_store.records import CycleWrite, GraphSnapshotRecord
from repo_guardian.memory_store.sql import history
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.migrations import migrate
from repo_guardian.memory_store.sql.writing import unfinished
from repo_guardian.memory_store.upkeep.answers import Damage, Health
from repo_guardian.memory_store.upkeep.reading import readable

REBUILD = "guardian memory rebuild"

SnapshotCheck = Callable[[GraphSnapshotRecord], str]
"""Says in one line what is wrong with a graph snapshot, nothing when it is whole; knows the format."""

_NEWER_THAN_THE_DATABASE = f"if the database is an older backup, {REBUILD} brings this cycle back into it"


def check(directory: Path, *, snapshot_check: SnapshotCheck | None = None) -> Health:
    """Look at everything that the memory in ``directory`` holds.

    Args:
        snapshot_check: computes the digest of a graph; without it only the presence of each is checked.

    Raises:
        MemoryStoreError: there is no memory yet.
        SchemaTooNewError, StateDirError, StateLockedError: see ``memory_store.open_store``.
    """
    try:
        with readable(directory) as reading, reading.database.read() as connection:
            return _looked_at(directory, connection, snapshot_check, older=reading.older)
    except MemoryCorruptError as error:
        return Health(damage=(Damage(error.message, error.hint),))


def _looked_at(
    directory: Path, connection: Connection, snapshot_check: SnapshotCheck | None, *, older: bool
) -> Health:
    damage = [Damage(what, f"{REBUILD}, or restore a backup") for what in database_problems(connection)]
    numbers = history.finished_numbers(connection)
    snapshots: list[GraphSnapshotRecord] = []
    for number in numbers:
        try:
            with translated(directory / INDEX_NAME):
                write = history.whole_cycle(connection, number)
        except MemoryCorruptError as error:
            damage.append(
                Damage(f"cycle {number} cannot be read: {error.message}", f"{REBUILD}, or restore a backup")
            )
            continue
        if write is not None:
            damage += _beside(directory, write)
            snapshots += write.graph_snapshots
    damage += _without_cycle(directory, connection)
    damage += _snapshot_damage(directory, snapshots, snapshot_check)
    dead = (intent for intent in unfinished(connection) if not intent.process.is_alive())
    return Health(
        cycles=len(numbers),
        words=len(history.said_numbers(connection)),
        snapshots=len(snapshots),
        interrupted=tuple(intent.number for intent in dead if intent.number is not None),
        older=older,
        damage=tuple(damage),
    )


def database_problems(connection: Connection) -> Iterator[str]:
    """What is wrong with the pages, references and schema of a database at the current schema.

    Raises:
        sqlalchemy.exc.DBAPIError: it is too damaged even to be checked.
    """
    for row in connection.exec_driver_sql("PRAGMA integrity_check"):
        if row[0] != "ok":
            yield f"the database is damaged: {' '.join(str(row[0]).split())}"
    for orphan in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield f"a row of {orphan[0]} names a missing row of {orphan[2]}"
    expected = _expected_schema()
    found = _schema(connection)
    for kind, name in sorted(expected.keys() | found.keys()):
        if expected.get((kind, name)) != found.get((kind, name)):
            state = "missing" if (kind, name) not in found else "not what the migrations make"
            yield f"the {kind} {name} is {state}"


def _expected_schema() -> dict[tuple[str, str], str]:
    engine = create_engine("sqlite://")
    try:
        with engine.begin() as fresh:
            migrate(fresh)
            return _schema(fresh)
    finally:
        engine.dispose()


def _schema(connection: Connection) -> dict[tuple[str, str], str]:
    rows = connection.exec_driver_sql("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(row[0], row[1]): row[2] for row in rows}


def _beside(directory: Path, write: CycleWrite) -> Iterator[Damage]:
    """What is wrong with the JSON file of a cycle."""
    path = cycle_files.path_of(directory, write.cycle.number, write.cycle.commit)
    with translated(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            yield Damage(
                f"{cycle_files.FOLDER}/{path.name} is missing", f"{REBUILD} writes it anew from the database"
            )
            return
    if not cycle_files.tells(content, write):
        yield Damage(
            f"{cycle_files.FOLDER}/{path.name} is not what cycle {write.cycle.number} wrote",
            f"{REBUILD} writes it anew from the database, and keeps this one aside",
        )


def _without_cycle(directory: Path, connection: Connection) -> Iterator[Damage]:
    """The JSON files that belong to no cycle of the database."""
    with translated(directory):
        listed = sorted(cycle_files.listed(directory), key=cycle_files.named)
    for path in listed:
        number, commit = cycle_files.named(path)
        known = history.commit_of(connection, number)
        if known is None:
            yield Damage(
                f"{cycle_files.FOLDER}/{path.name} is of a cycle that the database does not hold",
                _NEWER_THAN_THE_DATABASE,
            )
        elif known != commit:
            yield Damage(
                f"{cycle_files.FOLDER}/{path.name} is of another cycle {number} than the database holds",
                f"{REBUILD} puts it aside",
            )


def _snapshot_damage(
    directory: Path, snapshots: list[GraphSnapshotRecord], snapshot_check: SnapshotCheck | None
) -> Iterator[Damage]:
    for snapshot in {each.path: each for each in snapshots}.values():
        with translated(directory / snapshot.path):
            there = (directory / snapshot.path).exists()
        what = "it is missing" if not there else snapshot_check(snapshot) if snapshot_check else ""
        if what:
            yield Damage(
                f"the graph snapshot of {snapshot.commit[:12]} cannot be used: {what}",
                "copy graph/ from a backup; whatever else the cycle wrote is not touched by it",
            )
