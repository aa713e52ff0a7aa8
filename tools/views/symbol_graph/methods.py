"""Methods by their name alone: the guess that is left for a receiver of which nothing is known."""

from __future__ import annotations

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts
from repo_guardian.tools.views.symbol_graph.corpus import global_key
from repo_guardian.tools.views.symbol_graph.names import Names
from repo_guardian.tools.views.symbol_graph.pynames import COMMON_METHODS
from repo_guardian.tools.views.symbol_graph.queries import Memo, Node


def methods_of(facts: FileFacts) -> dict[str, list[int]]:
    """The methods of a file's classes by name, special ones left out."""
    found: dict[str, list[int]] = {}
    definitions = facts.definitions
    for index, definition in enumerate(definitions):
        if definition.kind != "function" or definition.parent == MODULE_SCOPE:
            continue
        if definitions[definition.parent].kind == "class" and not definition.name.startswith("__"):
            found.setdefault(definition.name, []).append(index)
    return found


class Methods:
    """Finds the one method of the tree that has a name."""

    def __init__(self, names: Names, memo: Memo) -> None:
        self._names = names
        self._memo = memo
        self._known: dict[str, Node] = {}

    def only(self, name: str) -> str | None:
        """The id of the only method of that name; None for several, for none, and for everyday names."""
        if name in COMMON_METHODS:
            return None
        return self._memo.ask_once(self._known, name, self._only, name)  # type: ignore[no-any-return]

    def _only(self, name: str) -> str | None:
        key = global_key("method", name)
        self._memo.read.append(key)
        paths = self._names.mentions(key)
        if len(paths) != 1:
            return None
        module = self._names.module(paths[0])
        found = {module.ids[index] for index in methods_of(module.facts)[name]}
        for index in methods_of(module.facts)[name]:
            self._memo.read.append(module.key(module.tops[index]))
        return found.pop() if len(found) == 1 else None
