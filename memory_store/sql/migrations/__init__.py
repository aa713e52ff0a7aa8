"""The schema's history: named functions, applied in order, each recorded once in the ledger table.

The pattern is that of sqlite-utils and llm: the ledger, not a version number, says what a file has been
through. A name in the ledger that this program does not know means that a newer one wrote the file.

To add one: write a function in a new module here and append it to ``MIGRATIONS``. Never edit one that was
released. ``tables.py`` describes where the list leads; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from repo_guardian import __version__
from repo_guardian.errors import SchemaTooNewError
from repo_guardian.memory_store.fields import utc_now
from repo_guardian.memory_store.sql.migrations import (
    m0001_cycles,
    m0002_observations,
    m0003_hypotheses,
    m0004_human_words,
)
from repo_guardian.memory_store.sql.migrations.ddl import append_only

LEDGER = "migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: a name that is never reused, and what it does inside the caller's transaction."""

    name: str
    apply: Callable[[Connection], None]


MIGRATIONS: tuple[Migration, ...] = (
    Migration("0001_cycles", m0001_cycles.apply),
    Migration("0002_observations", m0002_observations.apply),
    Migration("0003_hypotheses", m0003_hypotheses.apply),
    Migration("0004_human_words", m0004_human_words.apply),
)


def applied(connection: Connection) -> tuple[str, ...]:
    """The names in the ledger, in the order of their application; empty when there is no ledger."""
    found = connection.exec_driver_sql(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (LEDGER,)
    ).first()
    if found is None:
        return ()
    return tuple(connection.exec_driver_sql("SELECT name FROM migrations ORDER BY position").scalars())


def pending(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[Migration, ...]:
    """The steps that the file has not been through.

    Raises:
        SchemaTooNewError: the ledger holds a name that is not in ``migrations``.
    """
    done = applied(connection)
    unknown = [name for name in done if name not in {migration.name for migration in migrations}]
    if unknown:
        raise SchemaTooNewError(
            f"the memory was written by a newer version of Repository Guardian (migration {unknown[0]})",
            hint=f"upgrade Repository Guardian (this is {__version__}), or use another GUARDIAN_HOME",
        )
    return tuple(migration for migration in migrations if migration.name not in done)


def migrate(connection: Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Apply what is pending and record it, all in the caller's transaction."""
    steps = pending(connection, migrations)
    done = len(applied(connection))
    if not done:
        append_only(
            connection,
            LEDGER,
            "position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version TEXT NOT NULL, "
            "applied_at TEXT NOT NULL",
            keys=("position", "name"),
        )
    for position, step in enumerate(steps, start=done + 1):
        step.apply(connection)
        connection.exec_driver_sql(
            "INSERT INTO migrations (position, name, version, applied_at) VALUES (?, ?, ?, ?)",
            (position, step.name, __version__, utc_now()),
        )
