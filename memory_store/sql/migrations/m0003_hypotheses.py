"""What a cycle thought and did: hypotheses, their events, the probe ledger, the decisions."""

from __future__ import annotations

from sqlalchemy import Connection

from repo_guardian.memory_store.sql.migrations.ddl import CYCLE_ROW, append_only, index

_HYPOTHESES = f"""
    {CYCLE_ROW},
    key TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL,
    claim TEXT NOT NULL,
    consequence TEXT NOT NULL,
    remedy TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('signal', 'memory', 'exploration', 'human')),
    locus_files TEXT NOT NULL,
    locus_symbols TEXT NOT NULL,
    signal_keys TEXT NOT NULL,
    PRIMARY KEY (cycle, seq)
"""

_HYPOTHESIS_LOCI = """
    place_kind TEXT NOT NULL CHECK (place_kind IN ('symbol', 'path')),
    place TEXT NOT NULL,
    hypothesis TEXT NOT NULL REFERENCES hypotheses (key),
    cycle INTEGER NOT NULL REFERENCES cycles (number),
    PRIMARY KEY (place_kind, place, hypothesis)
"""

_EVENTS = f"""
    {CYCLE_ROW},
    hypothesis TEXT NOT NULL REFERENCES hypotheses (key),
    kind TEXT NOT NULL CHECK (kind IN ('graded', 'recurred')),
    grade TEXT CHECK (grade IN ('conjecture', 'supported', 'finding', 'refuted', 'deferred', 'resolved')),
    verdict TEXT CHECK (verdict IN ('confirmed', 'refuted', 'inconclusive')),
    reason TEXT NOT NULL,
    citations TEXT NOT NULL,
    confidence REAL,
    PRIMARY KEY (cycle, seq),
    CHECK ((kind = 'graded') = (grade IS NOT NULL))
"""

_PROBES = f"""
    {CYCLE_ROW},
    id TEXT NOT NULL,
    hypothesis TEXT NOT NULL REFERENCES hypotheses (key),
    hypothesis_id TEXT NOT NULL,
    parent TEXT,
    tool TEXT NOT NULL,
    argv TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    tree TEXT NOT NULL CHECK (tree IN ('current', 'base', 'reverted')),
    process_status TEXT NOT NULL,
    exit_code INTEGER,
    outcomes TEXT NOT NULL,
    evidence_status TEXT NOT NULL CHECK (evidence_status IN ('source', 'valid', 'invalid', 'environment')),
    reason TEXT NOT NULL,
    test_source TEXT NOT NULL,
    evidence_diff TEXT NOT NULL,
    stdout TEXT NOT NULL,
    stderr TEXT NOT NULL,
    duration_s REAL NOT NULL,
    PRIMARY KEY (cycle, seq),
    UNIQUE (cycle, id),
    FOREIGN KEY (cycle, parent) REFERENCES probes (cycle, id) DEFERRABLE INITIALLY DEFERRED
"""

_DECISIONS = f"""
    {CYCLE_ROW},
    turn INTEGER NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    state_digest TEXT NOT NULL,
    observation TEXT NOT NULL,
    PRIMARY KEY (cycle, seq),
    UNIQUE (cycle, turn)
"""

_ROW = "cycle, seq"


def apply(connection: Connection) -> None:
    """Create the tables of this step."""
    append_only(connection, "hypotheses", _HYPOTHESES, keys=(_ROW, "key"))
    append_only(
        connection,
        "hypothesis_loci",
        _HYPOTHESIS_LOCI,
        keys=("place_kind, place, hypothesis",),
        clustered=True,
    )
    append_only(connection, "hypothesis_events", _EVENTS, keys=(_ROW,))
    append_only(connection, "probes", _PROBES, keys=(_ROW, "cycle, id"))
    append_only(connection, "decisions", _DECISIONS, keys=(_ROW, "cycle, turn"))
    index(connection, "hypothesis_events", "hypothesis", "kind", "cycle", "seq")
    index(connection, "probes", "hypothesis", "cycle", "seq")
