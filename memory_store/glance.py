"""Whether humans said anything, asked without loading what reads a memory: a pre-commit hook waits for it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from repo_guardian.memory_store import INDEX_NAME

_ASKED = "SELECT EXISTS (SELECT 1 FROM human_words)"


def may_hold_words(directory: Path) -> bool:
    """False where there is surely none: no memory, an older one, or one without a word.

    True also where it cannot be told, so that whoever opens the memory then says what is wrong with it.

    Args:
        directory: the ``memory`` folder of one repository's state directory.
    """
    import sqlite3

    path = directory / INDEX_NAME
    if not path.exists():
        return False
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=1.0)
    except (sqlite3.Error, UnicodeError):
        return True
    try:
        return bool(connection.execute(_ASKED).fetchone()[0])
    except sqlite3.OperationalError as error:
        return "no such table" not in str(error)
    except sqlite3.Error:
        return True
    finally:
        connection.close()
