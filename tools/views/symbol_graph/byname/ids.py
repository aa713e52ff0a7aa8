"""Ids of modules and symbols: ``web/src/app.ts``, ``web/src/app.ts.Router.handle``.

A module's id is its path; a symbol's is the module's, then its names, joined by dots. Ids are unique:

- they always hold a ``/`` (a file of the top folder is ``./app.ts``) and never a ``:``, where Python's ids
  have either no ``/`` or a ``:``;
- a module's id is the shortest start of a symbol's id that ends, before a dot or at the end, with the suffix
  of a source file in its last folder: a dot after such a suffix inside a file's name (``a.js.ts``) is written
  ``%2E``, as are ``%`` and ``:`` and control characters.
"""

from __future__ import annotations

import re

from repo_guardian.tools.views.facts.interface import Definition, FileFacts
from repo_guardian.tools.views.facts.registry import language_of

_UNSAFE = re.compile(r"[%:\x00-\x1f\x7f]")


def module_id(path: str) -> str:
    """The id of the module that a file is."""
    text = _UNSAFE.sub(lambda match: f"%{ord(match.group()):02X}", path)
    folder, slash, name = text.rpartition("/")
    parts = name.split(".")
    written = parts[0]
    for number, part in enumerate(parts[1:], 1):
        ended = number > 1 and language_of(written) is not None
        written += ("%2E" if ended else ".") + part
    return f"{folder or '.'}{slash or '/'}{written}"


def external(language: str, name: str) -> str:
    """The name of something outside the tree; no id looks like it."""
    return f"{language}://{name}"


def qualified(definitions: tuple[Definition, ...], index: int) -> str:
    """A definition's names from the module down, joined by dots."""
    names: list[str] = []
    seen: set[int] = set()
    while index >= 0 and index not in seen:
        seen.add(index)
        names.append(definitions[index].name)
        index = definitions[index].parent
    return ".".join(reversed(names))


def qualified_names(facts: FileFacts) -> tuple[str, ...]:
    """``qualified`` of every definition."""
    return tuple(qualified(facts.definitions, index) for index in range(len(facts.definitions)))
