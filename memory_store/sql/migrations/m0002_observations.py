"""What a cycle observed: signals, symbol and edge events, test outcomes, graph snapshots."""

from __future__ import annotations

from sqlalchemy import Connection

from repo_guardian.memory_store.sql.migrations.ddl import CYCLE_ROW, append_only, index

_SIGNALS = f"""
    {CYCLE_ROW},
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    line TEXT NOT NULL,
    symbols TEXT NOT NULL,
    paths TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    public INTEGER NOT NULL CHECK (public IN (0, 1)),
    score REAL NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (cycle, seq),
    UNIQUE (cycle, key)
"""

_SIGNAL_LOCI = """
    place_kind TEXT NOT NULL CHECK (place_kind IN ('symbol', 'path')),
    place TEXT NOT NULL,
    cycle INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (place_kind, place, cycle, seq),
    FOREIGN KEY (cycle, seq) REFERENCES signals (cycle, seq)
"""

_SYMBOLS = f"""
    {CYCLE_ROW},
    event TEXT NOT NULL CHECK (event IN ('born', 'moved', 'died')),
    symbol TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    moved_from TEXT,
    PRIMARY KEY (cycle, seq)
"""

_EDGES = f"""
    {CYCLE_ROW},
    event TEXT NOT NULL CHECK (event IN ('born', 'died')),
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (cycle, seq)
"""

_TEST_OUTCOMES = f"""
    {CYCLE_ROW},
    test_id TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    tree TEXT NOT NULL CHECK (tree IN ('current', 'base', 'reverted')),
    outcome TEXT NOT NULL,
    duration_s REAL NOT NULL,
    PRIMARY KEY (cycle, seq)
"""

_SNAPSHOTS = f"""
    {CYCLE_ROW},
    commit_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (cycle, seq),
    UNIQUE (cycle, commit_id)
"""

_ROW = "cycle, seq"


def apply(connection: Connection) -> None:
    """Create the tables of this step."""
    append_only(connection, "signals", _SIGNALS, keys=(_ROW, "cycle, key"))
    append_only(
        connection, "signal_loci", _SIGNAL_LOCI, keys=("place_kind, place, cycle, seq",), clustered=True
    )
    append_only(connection, "symbols", _SYMBOLS, keys=(_ROW,), clustered=True)
    append_only(connection, "edges", _EDGES, keys=(_ROW,), clustered=True)
    append_only(connection, "test_outcomes", _TEST_OUTCOMES, keys=(_ROW,), clustered=True)
    append_only(connection, "graph_snapshots", _SNAPSHOTS, keys=(_ROW, "cycle, commit_id"))
    index(connection, "signals", "key", "cycle")
    index(connection, "symbols", "symbol", "cycle", "seq")
    index(connection, "symbols", "path", "cycle", "seq")
    index(connection, "symbols", "moved_from", "cycle", "seq")
    index(connection, "edges", "target", "cycle", "seq")
    index(connection, "test_outcomes", "test_id", "cycle", "seq")
