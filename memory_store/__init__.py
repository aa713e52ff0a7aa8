"""What survives a cycle: the append-only memory of one repository.

One directory holds it: ``index.sqlite`` and, readable by people, ``cycles/<n>_<commit>.json``. A cycle is
begun (its number is taken), committed whole in one transaction, or discarded; nothing is ever changed or
removed afterwards. Current state (the grade of a hypothesis, its recurrences) is folded from events at
each read, and every row that a read returns names the cycle that wrote it.

    vocabulary.py    the closed sets of words: arms, grades, verdicts, …
    fields.py        validated field types; where strangers' text is made storable
    records.py       what is written, as frozen pydantic models
    answers.py       what a read returns
    interface.py     the ``MemoryStore`` protocol
    lock.py          one cycle at a time per state directory
    process.py       who began a cycle, and whether that process still lives
    glance.py        whether humans said anything, without SQLModel
    cycle_files.py   the JSON file of a cycle
    sql/             the one backend: SQLModel over SQLite
    upkeep/          is it whole, backup, archive, rebuild

Importing this package costs nothing: SQLModel and pydantic are loaded by ``open_store``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_guardian.memory_store.interface import MemoryStore

__all__ = ["INDEX_NAME", "open_store"]

INDEX_NAME = "index.sqlite"
"""The file of a memory: where it is missing there is none yet, which costs no import to find out."""


def open_store(directory: Path, *, read_only: bool = False) -> MemoryStore:
    """Open the memory in ``directory``, creating or migrating it unless ``read_only``.

    Args:
        directory: the ``memory`` folder of one repository's state directory.
        read_only: never create, migrate or write anything.

    Raises:
        MemoryStoreError: ``read_only`` and there is no memory yet, or it needs a migration first.
        SchemaTooNewError: a newer version of the program wrote it.
        MemoryCorruptError: the file is damaged, or is not a memory.
        StateDirError: the directory cannot be created, read or written.
        DiskFullError: there is no room to create or migrate it.
        StateLockedError: another process held it for longer than the busy timeout.
    """
    from repo_guardian.memory_store.sql.store import SqlMemoryStore

    return SqlMemoryStore.open(directory, read_only=read_only)
