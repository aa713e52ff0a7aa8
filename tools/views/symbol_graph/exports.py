"""What a module gives to ``from module import *``: ``__all__``, star imports, and the names they bring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import, Ref
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.queries import Memo

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.names import Names

_MAX_MODULES: Final = 50
"""Most modules whose lists or star imports are put together; so that no input exhausts the stack."""

EXPORTS, LISTS, STARS, BINDINGS = "*__all__", "*__all__+", "*", "*names"
"""Names under which ``local_key`` stands for the names in a module's ``__all__``, what else it is made of,
star imports, and all bound names."""

_Starred = Sequence[tuple[Module, frozenset[str] | None]]


class Exports:
    """Finds what star imports bring.

    Args:
        names: finds modules.
        memo: what is being read.
    """

    def __init__(self, names: Names, memo: Memo) -> None:
        self._names = names
        self._memo = memo

    def names(self, module: Module) -> frozenset[str] | None:
        """The names in ``__all__``; None when there is none, or not all of it can be known."""
        return self._memo.ask_once(module.exports, EXPORTS, self._union, module)  # type: ignore[no-any-return]

    def _union(self, module: Module) -> frozenset[str] | None:
        lists = self._lists(module)
        if lists is None:
            return None
        self._memo.read += [part.note(EXPORTS) for part in lists]
        return _together(lists)

    def _lists(self, module: Module) -> list[Module] | None:
        """The modules whose lists make up ``__all__``; None when there is none, or not all can be known."""
        return self._memo.ask_once(module.exports, LISTS, self._collect_lists, module, set())  # type: ignore[no-any-return]

    def _collect_lists(self, module: Module, seen: set[Module]) -> list[Module] | None:
        """Its own and those added to it; a list that is being collected adds nothing."""
        self._memo.read.append(module.note(LISTS))
        exports = module.facts.exports
        if exports is None or not exports.certain:
            return None
        lists = [module]
        seen.add(module)
        for ref in exports.extends:
            other = self._extended(module, ref)
            if other is None:
                return None
            if other not in seen and len(seen) <= _MAX_MODULES:
                lists += self._collect_lists(other, seen) or ()
        return lists

    def _extended(self, module: Module, ref: Ref) -> Module | None:
        """The module whose ``__all__`` is meant, by imports of modules alone."""
        if ref.root != "global":
            return None
        first, *rest = ref.path.split(".")
        self._memo.read.append(module.key(first))
        found: Module | None = None
        for bound in module.candidates(MODULE_SCOPE, first):
            if not bound.is_import:
                return None
            found = found or self._imported_module(module, module.facts.imports[bound.number])
        found = found or self._names.below(module, first)
        for part in rest:
            found = None if found is None else self._names.below(found, part)
        return found

    def _imported_module(self, module: Module, record: Import) -> Module | None:
        if not record.name:
            return self._names.find(record.module if record.alias else record.bound, module)
        base, dotted = self._names.base(module, record)
        if base is not None:
            return self._names.below(base, record.name)
        return self._names.module_inside(module, record, dotted)

    def star_names(self, module: Module) -> dict[str, int]:
        """The names that star imports bring into a module, with the import that does."""
        found: dict[str, int] = {}
        for index in reversed(self._star_imports(module)):
            base, _ = self._names.base(module, module.facts.imports[index])
            if base is not None and base is not module:
                for name in self._public_names(base, {module}):
                    found.setdefault(name, index)
        bound = module.scopes[MODULE_SCOPE]
        return {name: found[name] for name in sorted(found) if name not in bound}

    def _public_names(self, module: Module, seen: set[Module]) -> set[str]:
        """What a star import of a module may bring."""
        exports = self.names(module)
        if exports is not None:
            return set(exports)
        self._memo.read.append(module.note(BINDINGS))
        names = {name for name in module.scopes[MODULE_SCOPE] if not name.startswith("_")}
        seen.add(module)
        for index in self._star_imports(module):
            base, _ = self._names.base(module, module.facts.imports[index])
            if base is not None and base not in seen and len(seen) <= _MAX_MODULES:
                names |= {name for name in self._public_names(base, seen) if not name.startswith("_")}
        return names

    def starred(self, module: Module) -> _Starred:
        """The modules that star imports of ``module`` find, the last first, with what each of them lists."""
        return self._memo.ask_once(module.starred, STARS, self._find_starred, module)  # type: ignore[no-any-return]

    def _find_starred(self, module: Module) -> _Starred:
        found: list[tuple[Module, frozenset[str] | None]] = []
        for index in reversed(self._star_imports(module)):
            base, _ = self._names.base(module, module.facts.imports[index])
            if base is not None:
                lists = self._lists(base)
                found.append((base, None if lists is None else _together(lists)))
        return found

    def _star_imports(self, module: Module) -> Sequence[int]:
        self._memo.read.append(module.note(STARS))
        return module.stars


def _together(lists: Iterable[Module]) -> frozenset[str]:
    """The names in the lists of some modules."""
    first, *rest = [part.listed for part in lists]
    return first.union(*rest) if rest else first
