"""What flows into functions and objects from elsewhere: arguments from callers, attributes from stores.

Nothing in a function's own file says who calls it, so its parameters are found by name: files that pass
values to a callee of the function's last name are asked what they call, and those calls that reach the
function count. In its own file, calls through variables are looked at too. A name that too many files use is
not followed: ``FLOW_FILES``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from repo_guardian.tools.views.facts.interface import Ref
from repo_guardian.tools.views.symbol_graph.corpus import global_key
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.paths import site_name, store_name
from repo_guardian.tools.views.symbol_graph.signature import POSITIONAL, Parameter, ParameterKind
from repo_guardian.tools.views.symbol_graph.sites import INDIRECT, Site, sites_of
from repo_guardian.tools.views.symbol_graph.values import (
    ASSIGNED,
    NOTHING,
    PASSED,
    Value,
    Values,
    marked,
    union,
)

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.resolve import Resolver

FLOW_FILES: Final = 3
"""How many files may pass values to one name, or store to one attribute, so that it is still followed."""


_Reached = Mapping[tuple[Module, int], Sequence[tuple[Site, bool]]]
_NONE: Final[_Reached] = {}


class _Passing(NamedTuple):
    """One call of a function: the arguments, and how many leading parameters the call fills by itself."""

    module: Module
    site: Site
    shift: int


class Flows:
    """Follows values into parameters and attributes."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._memo = resolver.memo

    # Parameters

    def passed(self, module: Module, index: int, name: str, fuel: int) -> Values:
        """What the parameter ``name`` of the function ``index`` holds: its default, and what callers pass."""
        definition = module.facts.definitions[index]
        self._memo.read.append(module.result_key(index))
        found: list[Value] = []
        for known, default in definition.defaults:
            if known == name:
                found += self._resolver.type(module, default, fuel)
        parameters = definition.signature.parameters if definition.signature is not None else ()
        place = next((n for n, p in enumerate(parameters) if p.name == name), -1)
        if place < 0:
            return union(found)
        if parameters[place].kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD):
            return (Value("arguments", module, index, (name,)),)
        found += self._memo.far(fuel, partial(self._from_callers, module, index, parameters, place))
        return marked(union(found), PASSED)

    def _from_callers(
        self, module: Module, index: int, parameters: tuple[Parameter, ...], place: int, fuel: int
    ) -> Values:
        parameter = parameters[place]
        found: list[Value] = []
        for passing in self._passings(module, index, fuel):
            position = str(place - passing.shift) if parameter.kind in POSITIONAL else ""
            for key, kind in passing.site.arguments:
                if key == parameter.name or (position and key == position):
                    found += self._resolver.type(passing.module, kind, fuel)
            if passing.site.decorated >= 0 and position == "0":
                self._memo.read.append(passing.module.definition_key(passing.site.decorated))
                found.append(Value("definition", passing.module, passing.site.decorated))
        return self._resolver.loaded(union(found), fuel)

    def variadic(self, value: Value, key: str, fuel: int) -> Values:
        """What ``args[key]`` or ``kwargs[key]`` is, any of them for an empty key."""
        module = value.module
        signature = None if module is None else module.facts.definitions[value.number].signature
        if module is None or signature is None:
            return NOTHING
        follow = partial(self._rest, module, value.number, (value.names[0], key))
        return marked(self._memo.far(fuel, follow), PASSED)

    def _rest(self, module: Module, index: int, wanted: tuple[str, str], fuel: int) -> Values:
        name, key = wanted
        signature = module.facts.definitions[index].signature
        parameters = signature.parameters if signature is not None else ()
        by_position = any(p.name == name and p.kind is ParameterKind.VAR_POSITIONAL for p in parameters)
        named = {p.name for p in parameters}
        before = sum(1 for p in parameters if p.kind in POSITIONAL)
        found: list[Value] = []
        for passing in self._passings(module, index, fuel):
            for given, kind in passing.site.arguments:
                if by_position:
                    offset = int(given) + passing.shift - before if given.isdigit() else -1
                    fits = offset >= 0 and key in ("", str(offset))
                else:
                    fits = not given.isdigit() and given not in named and key in ("", given)
                if fits:
                    found += self._resolver.type(passing.module, kind, fuel)
        return union(found)

    def _passings(self, module: Module, index: int, fuel: int) -> Iterator[_Passing]:
        """The calls of a function that are known, in the order of their files."""
        bound = self._resolver.classes.method_of(module, index) >= 0
        takes_self = bound and module.facts.definitions[index].role != "staticmethod"
        for other, name in self._possible_callers(module, index):
            reached = self._memo.ask(other.reached, name, fuel, self._find_reached, other) or _NONE
            for site, unbound in reached.get((module, index), ()):
                yield _Passing(other, site, int(takes_self and not unbound))

    def _find_reached(self, other: Module, name: str, fuel: int) -> _Reached:
        """What the sites of one name reach: by function, the sites, and whether ``self`` is an argument."""
        self._memo.read.append(other.note(site_name(name)))
        found: dict[tuple[Module, int], list[tuple[Site, bool]]] = {}
        for site in sites_of(other).get(name, ()):
            for callee in self._callees(other, site, fuel):
                if callee.module is not None:
                    found.setdefault((callee.module, callee.number), []).append((site, callee.unbound))
        return found

    def _possible_callers(self, module: Module, index: int) -> Iterable[tuple[Module, str]]:
        """Modules with the names under which they may call a function.

        A function inside another one may be the decorator that the other one makes.
        """
        definitions = module.facts.definitions
        owner = self._resolver.classes.method_of(module, index)
        names = [definitions[index].name]
        parent = definitions[index].parent
        if owner >= 0 and names[0] in ("__init__", "__new__"):
            names.append(definitions[owner].name)
        elif owner < 0 and parent >= 0:
            names.append(definitions[parent].name)
        yield module, INDIRECT
        for called in dict.fromkeys(names):
            yield module, called
            key = global_key("argument", called)
            self._memo.read.append(key)
            paths = self._resolver.names.mentions(key)
            for path in paths if len(paths) <= FLOW_FILES else ():
                if path != module.path:
                    yield self._resolver.names.module(path), called

    def _callees(self, other: Module, site: Site, fuel: int) -> Values:
        """The functions that a call reaches: through variables, ``__call__`` and constructors."""
        resolver = self._resolver
        values = resolver.ref(other, site.ref, fuel)
        if site.is_factory:
            values = resolver.calls.results(values, fuel)
        found: list[Value] = []
        for value in [held for variable in values for held in resolver.held(variable, fuel)]:
            if value.kind == "instance":
                found += resolver.calls.callable(value, fuel)
            elif value.is_class and value.module is not None:
                instance = Value("instance", value.module, value.number)
                made = resolver.member(instance, "__init__", fuel)
                found += [item._replace(unbound=False) for item in made]
            elif value.kind == "definition":
                found.append(value)
        return union(found)

    # Stores

    def stored(self, value: Value, name: str, fuel: int) -> Values:
        """What statements elsewhere assign to the attribute ``name`` of a module, function or object."""
        key = global_key("store", name)
        self._memo.read.append(key)
        paths = self._resolver.names.mentions(key)
        if not paths or len(paths) > FLOW_FILES:
            return NOTHING
        found: Values = self._memo.far(fuel, partial(self._from_stores, value, name, paths))
        return marked(found, ASSIGNED)

    def _from_stores(self, value: Value, name: str, paths: tuple[str, ...], fuel: int) -> Values:
        found: list[Value] = []
        for path in paths:
            module = self._resolver.names.module(path)
            self._memo.read.append(module.note(store_name(name)))
            for store in module.facts.stores:
                if store.name == name and store.type >= 0 and self._meets(module, store.ref, value, fuel):
                    found += self._resolver.type(module, store.type, fuel)
        return self._resolver.loaded(union(found), fuel)

    def _meets(self, module: Module, ref: Ref, value: Value, fuel: int) -> bool:
        """Whether a reference may stand for ``value``, or for a class that it is an instance of."""
        for target in self._resolver.ref(module, ref, fuel):
            for held in self._resolver.held(target, fuel):
                if held[:3] == value[:3]:
                    return True
                if self._is_ancestor(held, value):
                    return True
        return False

    def _is_ancestor(self, held: Value, value: Value) -> bool:
        """Whether an attribute of ``held`` is one of ``value``: a class of it, or another instance."""
        if held.module is None or value.module is None or value.kind not in ("instance", "definition"):
            return False
        if not (held.is_class or (held.kind == "instance" and value.kind == "instance")):
            return False
        if value.kind == "definition" and not value.is_class:
            return False
        return self._resolver.classes.is_subclass(value.module, value.number, (held.module, held.number))
