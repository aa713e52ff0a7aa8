"""How an append-only table is made: STRICT types, and triggers that refuse whatever is not an insert."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

CYCLE_ROW = "cycle INTEGER NOT NULL REFERENCES cycles (number), seq INTEGER NOT NULL"
"""The first columns of every row that belongs to a cycle: which one, and its place in it, from 0."""


def append_only(
    connection: Connection, table: str, columns: str, *, keys: Sequence[str], clustered: bool = False
) -> None:
    """Create ``table`` and the three triggers that keep its rows as they were written.

    ``INSERT OR REPLACE`` deletes the row in its way without firing delete triggers unless the connection
    asked for recursive ones (https://www.sqlite.org/lang_conflict.html), so an insert that collides is
    refused by a trigger of its own.

    Args:
        columns: the body of CREATE TABLE.
        keys: every unique key, each as its columns joined by ``", "``.
        clustered: store the rows in the primary key's tree (small rows only).
    """
    options = "STRICT, WITHOUT ROWID" if clustered else "STRICT"
    connection.exec_driver_sql(f"CREATE TABLE {table} ({columns}) {options}")
    for action in ("update", "delete"):
        connection.exec_driver_sql(
            f"CREATE TRIGGER {table}_no_{action} BEFORE {action.upper()} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
    same = " OR ".join(f"({_equal(key)})" for key in keys)
    connection.exec_driver_sql(  # the names are this package's own
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "  # noqa: S608
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) "
        f"BEGIN SELECT RAISE(ABORT, '{table} already holds this row'); END"
    )


def index(connection: Connection, table: str, *columns: str) -> None:
    """Create the index that a look-up by ``columns`` needs."""
    name = "_".join((table, "by", *columns))
    connection.exec_driver_sql(f"CREATE INDEX {name} ON {table} ({', '.join(columns)})")


def _equal(key: str) -> str:
    return " AND ".join(f"{column} = NEW.{column}" for column in key.split(", "))
