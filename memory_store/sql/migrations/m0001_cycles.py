"""Cycles: that one was begun, how it ended, or that it was given up."""

from __future__ import annotations

from sqlalchemy import Connection

from repo_guardian.memory_store.sql.migrations.ddl import append_only, index

_INTENTS = """
    number INTEGER PRIMARY KEY CHECK (number > 0),
    commit_id TEXT NOT NULL,
    base_id TEXT,
    arm TEXT NOT NULL,
    started_at TEXT NOT NULL,
    pid INTEGER NOT NULL,
    start_ticks INTEGER NOT NULL,
    boot_id TEXT NOT NULL
"""

_CYCLES = """
    number INTEGER PRIMARY KEY REFERENCES cycle_intents (number),
    commit_id TEXT NOT NULL,
    base_id TEXT,
    arm TEXT NOT NULL,
    policy TEXT NOT NULL,
    model TEXT,
    sandbox TEXT NOT NULL,
    exit_reason TEXT NOT NULL,
    degraded INTEGER NOT NULL CHECK (degraded IN (0, 1)),
    tokens_reserved INTEGER NOT NULL,
    tokens_used INTEGER NOT NULL,
    tokens_overshot INTEGER NOT NULL,
    wall_s REAL NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    detail TEXT NOT NULL
"""

_DISCARDS = """
    number INTEGER PRIMARY KEY REFERENCES cycle_intents (number),
    reason TEXT NOT NULL,
    discarded_at TEXT NOT NULL
"""


def apply(connection: Connection) -> None:
    """Create the tables of this step."""
    append_only(connection, "cycle_intents", _INTENTS, keys=("number",))
    append_only(connection, "cycles", _CYCLES, keys=("number",))
    append_only(connection, "cycle_discards", _DISCARDS, keys=("number",))
    index(connection, "cycles", "commit_id")
