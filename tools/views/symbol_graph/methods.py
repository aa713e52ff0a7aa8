"""Methods by their name alone: the guess that is left for a receiver of which nothing is known."""

from __future__ import annotations

from typing import Final

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts
from repo_guardian.tools.views.symbol_graph.classes import Hierarchy
from repo_guardian.tools.views.symbol_graph.corpus import global_key
from repo_guardian.tools.views.symbol_graph.names import Names
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.paths import methods_name
from repo_guardian.tools.views.symbol_graph.pynames import COMMON_METHODS
from repo_guardian.tools.views.symbol_graph.queries import Memo, Node
from repo_guardian.tools.views.symbol_graph.values import NOTHING, Value, Values

MAX_FILES: Final = 3
"""How many files may define methods of one name, so that heirs are looked for among them."""


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
    """Finds the methods of the tree that have a name."""

    def __init__(self, names: Names, classes: Hierarchy, memo: Memo) -> None:
        self._names = names
        self._classes = classes
        self._memo = memo
        self._known: dict[str, Node] = {}

    def only(self, name: str) -> str | None:
        """The id of the only method of that name; None for several, for none, and for everyday names."""
        if name in COMMON_METHODS:
            return None
        return self._memo.ask_once(self._known, name, self._only, name)  # type: ignore[no-any-return]

    def _only(self, name: str) -> str | None:
        named = self._named(name, 1)
        # Of the definition itself only the id matters, which the module-level name that it is in may change.
        self._memo.read += [module.top_place(index) for module, index in named]
        found = {module.ids[index] for module, index in named}
        return found.pop() if len(found) == 1 else None

    def of_heirs(self, value: Value, name: str) -> Values:
        """Methods of classes that inherit from that of ``self``, for a name that ``self`` itself lacks."""
        if not value.unbound or value.kind != "instance" or value.module is None or name.startswith("__"):
            return NOTHING
        base = (value.module, value.number)
        found: list[Value] = []
        for module, index in self._named(name, MAX_FILES):
            self._memo.read.append(module.definition_key(index))
            if self._classes.is_subclass(module, module.facts.definitions[index].parent, base):
                found.append(Value("definition", module, index))
        return tuple(found)

    def _named(self, name: str, most: int) -> list[tuple[Module, int]]:
        """The methods of a name; none when more than ``most`` files have some."""
        key = global_key("method", name)
        self._memo.read.append(key)
        paths = self._names.mentions(key)
        found: list[tuple[Module, int]] = []
        for path in paths if len(paths) <= most else ():
            module = self._names.module(path)
            if module.methods is None:
                module.methods = methods_of(module.facts)
            self._memo.read.append(module.note(methods_name(name)))
            found += [(module, index) for index in module.methods[name]]
        return found
