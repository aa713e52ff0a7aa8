"""The memory on SQLModel and SQLite.

tables.py        the table models, used to build statements
migrations/      the schema's history as named functions, and the ledger that records them
opening.py       create, recognize, refuse or migrate a file
connections.py   transactions, pragmas, and the checks before each
faults.py        the database's errors as ours
sections.py      record <-> row, one entry per kind of row
writing.py       begin, commit, discard
history.py       all that a memory holds, cycle by cycle
paging.py        bounded reads by cursor
folding.py       the current state of hypotheses out of their events
recall.py        what is known about a place
store.py         all of it behind the ``MemoryStore`` protocol
"""
