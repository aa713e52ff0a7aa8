"""A damaged or lost database made anew from the JSON of each cycle; and that JSON from a whole database.

Where the database is whole it is right, and the JSON files only add cycles that it does not hold (it may be
an older backup). Where it is damaged, the JSON files are right, and what they lack is taken from whatever
the damaged file still gives up: what humans said, the cycles that never finished, cycles without a file.
Numbers are kept. Nothing is thrown away: what is replaced lies in ``damaged-<n>/`` afterwards. A rebuild
that was killed is finished by the next one.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection, select

from repo_guardian.errors import MemoryCorruptError
from repo_guardian.memory_store import INDEX_NAME, cycle_files, open_store
from repo_guardian.memory_store.fields import utc_now
from repo_guardian.memory_store.process import UNKNOWN_PROCESS
from repo_guardian.memory_store.records import CycleIntent, CycleWrite
from repo_guardian.memory_store.sql import folding, history, writing
from repo_guardian.memory_store.sql.connections import Database
from repo_guardian.memory_store.sql.faults import translated
from repo_guardian.memory_store.sql.history import Begun, Discard
from repo_guardian.memory_store.upkeep.answers import Rebuilt
from repo_guardian.memory_store.upkeep.checking import database_problems
from repo_guardian.memory_store.upkeep.fitting import borrowed, fitted
from repo_guardian.memory_store.upkeep.importing import new_database
from repo_guardian.memory_store.upkeep.reading import readable
from repo_guardian.memory_store.upkeep.salvage import Salvaged, salvage

Source = Path | CycleWrite
"""Where a cycle comes from: its JSON file, which was found valid, or the damaged database."""


@dataclass(slots=True)
class _Work:
    """One rebuild: where, and what came of it so far."""

    directory: Path
    added: list[int] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    aside: Path | None = None

    def put_aside(self, path: Path) -> None:
        """Move a file out of the way, under its own name."""
        with translated(path):
            if self.aside is None:
                numbered = (self.directory / f"damaged-{number}" for number in range(1, 1_000_000))
                self.aside = next(folder for folder in numbered if not folder.exists())
                self.aside.mkdir()
            path.replace(self.aside / path.name)


def rebuild(directory: Path) -> Rebuilt:
    """Make the memory in ``directory`` whole again, as far as it can be; it says what cannot.

    The caller keeps cycles out (``memory_store.lock``).

    Raises:
        MemoryStoreError: there is no memory, or two cycles make the same hypothesis.
        MemoryCorruptError: nothing is left to rebuild it from, two valid JSON files claim the same number,
            or a foreign file lies in the way.
        SchemaTooNewError, StateDirError, DiskFullError
    """
    Database(directory / INDEX_NAME).refuse_foreign_log()
    work = _Work(directory)
    anew = not _is_whole(directory)
    if anew:
        _make_anew(work)
    return _made_equal(work, anew=anew)


def _is_whole(directory: Path) -> bool:
    """Whether the database can be trusted in every row; its JSON files do not count."""
    try:
        with readable(directory) as reading, reading.database.read() as connection:
            if any(database_problems(connection)):
                return False
            for number in history.finished_numbers(connection):
                history.whole_cycle(connection, number)
    except MemoryCorruptError:
        return False
    return True


def _make_anew(work: _Work) -> None:
    """A new database, of the JSON files and of what the old one gives up."""
    files = _valid_files(work.directory)
    old = salvage(work.directory, files)
    sources: dict[int, Source] = {**old.cycles, **files}
    if not (sources or old.begun or old.words):
        raise MemoryCorruptError(
            f"nothing is left to rebuild the memory in {work.directory} from",
            hint="restore a backup or import an archive; to start over, move memory/ aside",
        )
    _name_losses(work, old, sources)
    with new_database(work.directory, "rebuilding") as connection:
        _put_all(work, connection, sources, old)
        _keep_damaged(work)


def _put_all(work: _Work, connection: Connection, sources: Mapping[int, Source], old: Salvaged) -> None:
    for number in sorted({*sources, *old.begun}):
        source, begun = sources.get(number), old.begun.get(number)
        if source is not None:
            _put_cycle(work, connection, source, begun)
        elif begun is not None:
            history.put_begun(connection, _given_up(begun) if number in old.cycle_numbers else begun)
    for number in sorted(old.words):
        history.put_said(connection, old.words[number])


def _put_cycle(work: _Work, connection: Connection, source: Source, begun: Begun | None) -> None:
    write = cycle_files.parsed(source) if isinstance(source, Path) else source
    keys = folding.HYPOTHESES.c.key
    known = connection.execute(select(keys).where(keys.in_(borrowed(write)))).scalars().all()
    fit = fitted(write, known)
    if history.begun(connection, write.cycle.number) is None:
        fits = begun is not None and _is_beginning_of(begun, write)
        history.put_begun(connection, begun if begun is not None and fits else _beginning_of(write))
    writing.put_cycle(connection, fit.write)
    work.added.append(write.cycle.number)
    if fit.loss:
        work.losses.append(fit.loss)


def _is_beginning_of(begun: Begun, write: CycleWrite) -> bool:
    intent, cycle = begun.intent, write.cycle
    same = (intent.commit, intent.base, intent.arm) == (cycle.commit, cycle.base, cycle.arm)
    return same and begun.discard is None


def _beginning_of(write: CycleWrite) -> Begun:
    """How a finished cycle must have begun; which process ran it is not in its file."""
    cycle = write.cycle
    return Begun(
        intent=CycleIntent(
            number=cycle.number,
            commit=cycle.commit,
            base=cycle.base,
            arm=cycle.arm,
            started_at=cycle.started_at,
            process=UNKNOWN_PROCESS,
        )
    )


def _given_up(begun: Begun) -> Begun:
    """A cycle of which only the beginning is left: it must not be taken for one that can be resumed."""
    lost = Discard(reason="lost with a damaged database", discarded_at=utc_now())
    return begun.model_copy(update={"discard": begun.discard or lost})


def _name_losses(work: _Work, old: Salvaged, sources: Collection[int]) -> None:
    work.losses += [
        f"cycle {number}: it has no valid JSON file, and the database does not give it up"
        for number in sorted(old.cycle_numbers - set(sources))
    ]
    if not old.words_whole:
        kept = f" ({len(old.words)} words were kept)" if old.words else ""
        work.losses.append(f"what humans said, if they did: the JSON of cycles does not hold it{kept}")
    if not old.begun_whole:
        work.losses.append(
            "which cycles were begun and never finished, and by which process others were run: "
            "the JSON of cycles does not hold it"
        )


def _keep_damaged(work: _Work) -> None:
    """Put the old file aside under a second name: the new one takes its first in one step."""
    path = work.directory / INDEX_NAME
    with translated(path):
        journal = path.with_name(f"{path.name}-journal")
        if journal.exists():  # SQLite would play it back into the new file
            work.put_aside(journal)
        if not path.is_file() or not path.stat().st_size:
            return
        second = path.with_name(f"{path.name}.damaged")
        second.unlink(missing_ok=True)
        try:
            second.hardlink_to(path)
        except OSError:  # a file system without links
            shutil.copyfile(path, second)
        work.put_aside(second)


def _made_equal(work: _Work, *, anew: bool) -> Rebuilt:
    """Database and JSON files hold the same: cycles that only have a file are added, files written anew."""
    store = open_store(work.directory)
    with Database(work.directory / INDEX_NAME).write() as connection:
        finished = set(history.finished_numbers(connection))
        for number, path in _valid_files(work.directory, but=finished).items():
            begun = history.begun(connection, number)
            if begun is None or _is_beginning_of(begun, cycle_files.parsed(path)):
                _put_cycle(work, connection, path, begun)
        wrong = _wrong_files(work, connection)
        cycles = len(history.finished_numbers(connection))
        words = len(history.said_numbers(connection))
    for path in wrong:
        work.put_aside(path)
    written = store.rebuild_json()
    return Rebuilt(
        cycles=cycles,
        words=words,
        anew=anew,
        added=tuple(work.added),
        written=written,
        aside=work.aside,
        losses=tuple(work.losses),
    )


def _wrong_files(work: _Work, connection: Connection) -> list[Path]:
    """The files that say something else than the database, or are of no cycle that it holds."""
    wrong = []
    for path in _listed(work.directory):
        number, commit = cycle_files.named(path)
        known = history.commit_of(connection, number)
        write = history.whole_cycle(connection, number) if known == commit else None
        if write is None:
            why = "damaged" if known is None else f"of another cycle {number} than the database holds"
            work.losses.append(f"{cycle_files.FOLDER}/{path.name}: it is {why}")
            wrong.append(path)
        elif not cycle_files.tells(path.read_bytes(), write):
            wrong.append(path)
    return wrong


def _valid_files(directory: Path, but: Collection[int] = ()) -> dict[int, Path]:
    """The JSON files that are valid, by number, in ascending order; those of ``but`` are not looked at.

    Raises:
        MemoryCorruptError: two valid ones claim the same number.
        SchemaTooNewError: a newer version wrote one.
    """
    found: dict[int, Path] = {}
    for path in _listed(directory):
        number = cycle_files.named(path)[0]
        if number in but:
            continue
        try:
            with translated(path):
                cycle_files.parsed(path)
        except MemoryCorruptError:
            continue
        if number in found:
            raise MemoryCorruptError(
                f"two files in {cycle_files.FOLDER}/ claim to be cycle {number}",
                hint=f"move the one that is not of this history away: {path.name} is one of them",
            )
        found[number] = path
    return found


def _listed(directory: Path) -> list[Path]:
    with translated(directory):
        return sorted(cycle_files.listed(directory), key=cycle_files.named)
