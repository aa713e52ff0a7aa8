"""What humans said: written one by one, read as the latest word on each hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, func, insert, select

from repo_guardian.memory_store.answers import Page
from repo_guardian.memory_store.fields import identifier
from repo_guardian.memory_store.records import HumanWordRecord
from repo_guardian.memory_store.sql import tables
from repo_guardian.memory_store.sql.paging import Window, before, bounded_keys, count
from repo_guardian.memory_store.sql.sections import columns_of, record_of

WORDS = tables.table_of(tables.HumanWords)
INTENTS = tables.table_of(tables.CycleIntents)


def put_word(connection: Connection, record: HumanWordRecord) -> None:
    """Write a word down, after all cycles that have begun."""
    number = int(connection.execute(select(func.coalesce(func.max(WORDS.c.number), 0))).scalar_one()) + 1
    begun = int(connection.execute(select(func.coalesce(func.max(INTENTS.c.number), 0))).scalar_one())
    connection.execute(insert(WORDS).values(**columns_of(record), number=number, after_cycle=begun))


def latest_words(
    connection: Connection, keys: Sequence[str], before_cycle: int | None
) -> Mapping[str, HumanWordRecord]:
    """The latest word on each of ``keys`` that has one, by key."""
    bounded_keys(keys, "hypothesis keys")
    asked = {identifier(key): key for key in keys}
    latest = (
        select(func.max(WORDS.c.number))
        .where(WORDS.c.hypothesis.in_(asked), *before(WORDS.c.after_cycle, before_cycle))
        .group_by(WORDS.c.hypothesis)
    )
    query = select(WORDS).where(WORDS.c.number.in_(latest)).order_by(WORDS.c.number)
    rows = connection.execute(query).mappings().all()
    return {asked[row["hypothesis"]]: record_of(HumanWordRecord, row) for row in rows}


def word_page(connection: Connection, window: Window) -> Page[HumanWordRecord]:
    """One page of all that was said, the latest first."""
    query = select(WORDS).where(*before(WORDS.c.after_cycle, window.before_cycle))
    after = window.position(1)
    bounded = query if after is None else query.where(WORDS.c.number < after[0])
    ordered = bounded.order_by(WORDS.c.number.desc()).limit(window.limit + 1)
    rows = connection.execute(ordered).mappings().all()
    items = tuple(record_of(HumanWordRecord, row) for row in rows[: window.limit])
    last = rows[window.limit - 1] if len(rows) > window.limit else None
    return Page(items, count(connection, query), None if last is None else str(last["number"]))
