"""What humans said of hypotheses, in cycles or in checks that no cycle keeps."""

from __future__ import annotations

from sqlalchemy import Connection

from repo_guardian.memory_store.sql.migrations.ddl import append_only, index

# No foreign key: a check's hypothesis is in no table, and a word on it is kept all the same.
_WORDS = """
    number INTEGER PRIMARY KEY CHECK (number > 0),
    after_cycle INTEGER NOT NULL CHECK (after_cycle >= 0),
    hypothesis TEXT NOT NULL,
    word TEXT NOT NULL CHECK (word IN ('dismissed', 'accepted')),
    reason TEXT NOT NULL,
    claim TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    blobs TEXT NOT NULL,
    said_at TEXT NOT NULL
"""


def apply(connection: Connection) -> None:
    """Create the tables of this step."""
    append_only(connection, "human_words", _WORDS, keys=("number",))
    index(connection, "human_words", "hypothesis", "number")
