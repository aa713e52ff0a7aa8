"""What references mean: names, attributes step by step, and what variables, calls and containers hold.

Flow-insensitive and set-valued: a variable holds whatever is assigned to it anywhere. This is the third layer
of ``queries``; every method that takes ``fuel`` answers "nothing known" when there is none left.
"""

from __future__ import annotations

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Ref, TypeFact
from repo_guardian.tools.views.symbol_graph.calls import Calls
from repo_guardian.tools.views.symbol_graph.classes import Hierarchy, Member
from repo_guardian.tools.views.symbol_graph.flows import Flows
from repo_guardian.tools.views.symbol_graph.methods import Methods
from repo_guardian.tools.views.symbol_graph.names import Names
from repo_guardian.tools.views.symbol_graph.namespace import Bound, Module
from repo_guardian.tools.views.symbol_graph.protocols import Protocols
from repo_guardian.tools.views.symbol_graph.pynames import (
    BUILTIN_TYPES,
    MODULE_ATTRIBUTES,
    OBJECT_ATTRIBUTES,
)
from repo_guardian.tools.views.symbol_graph.queries import Memo
from repo_guardian.tools.views.symbol_graph.receivers import received, substituted
from repo_guardian.tools.views.symbol_graph.values import (
    ANNOTATED,
    ASSIGNED,
    NOTHING,
    Value,
    Values,
    gone,
    marked,
    union,
)


class Resolver:
    """Finds out what expressions of any module of one corpus stand for.

    Args:
        names: the first layer.
        memo: what is being read.
    """

    def __init__(self, names: Names, memo: Memo) -> None:
        self.names = names
        self.memo = memo
        self.classes = Hierarchy(names, memo)
        self.flows = Flows(self)
        self.methods = Methods(names, self.classes, memo)
        self.protocols = Protocols(self)
        self.calls = Calls(self)

    # References

    def ref(self, module: Module, ref: Ref, fuel: int) -> Values:
        """What a reference of ``module`` stands for."""
        values, rest = self.root(module, ref, fuel)
        for name in rest:
            if not values:
                return values
            values = self.step(module, values, name, fuel)
        return values

    def root(self, module: Module, ref: Ref, fuel: int) -> tuple[Values, list[str]]:
        """What the first part of a reference stands for, and the attributes that follow."""
        root, number, path = ref
        parts = path.split(".") if path else []
        if root == "global":
            return self.names.global_(module, parts[0]), parts[1:]
        if root == "typed":
            return self.type(module, number, fuel), parts
        if root == "import":
            return self.names.bound(module, Bound(True, number)), parts
        if root in ("literal", "unknown"):
            return NOTHING, parts
        return self._root_inside(module, ref, parts, fuel)

    def _root_inside(self, module: Module, ref: Ref, parts: list[str], fuel: int) -> tuple[Values, list[str]]:
        """As ``root``, for references to definitions of the module itself."""
        root, number, _ = ref
        self.memo.read.append(module.definition_key(number))
        if root == "self":
            return (Value("instance", module, number, unbound=True),), parts
        if root == "super":
            if not parts:
                return NOTHING, parts
            found = self.classes.inherited(module, number, parts[0])
            return self._found_member(Value("instance", module, number), parts[0], found, fuel), parts[1:]
        return (Value("definition", module, number, unbound=root == "cls"),), parts

    def step(self, importer: Module, values: Values, name: str, fuel: int) -> Values:
        """The attribute ``name`` of each of ``values``."""
        if len(values) == 1:
            return self._step(importer, values[0], name, fuel)
        return union([found for value in values for found in self._step(importer, value, name, fuel)])

    def _step(self, importer: Module, value: Value, name: str, fuel: int) -> Values:
        kind, module = value.kind, value.module
        if kind == "gone":
            return (self._step_beyond(importer, value, name),)
        if module is None:
            return NOTHING
        if kind == "module":
            return self._carry(value, self._module_member(module, name, fuel))
        if kind == "instance" or value.is_class:
            found = self.member(value, name, fuel)
            return self._carry(value, received(value, found))
        if kind == "container":
            return self.protocols.method(value, name)
        if value.is_function:
            return self._carry(value, self.flows.stored(value, name, fuel))
        if value.is_variable or value.is_property:
            return self.step(importer, self.contents(value, fuel), name, fuel)
        return NOTHING  # of a ``type`` alias, which holds itself, as of anything else

    def _carry(self, value: Value, found: Values) -> Values:
        """``found``, reached through ``value``."""
        via, how = value.via, value.how
        if via:
            found = tuple([item._replace(via=via + item.via) for item in found])
        return marked(found, how) if how else found

    def _module_member(self, module: Module, name: str, fuel: int) -> Values:
        found = self.names.name(module, name)
        if found or name in MODULE_ATTRIBUTES:
            return found
        found = self.flows.stored(Value("module", module), name, fuel)
        if found or name in module.other_names:
            return found
        return (gone(f"{module.id}.{name}", module=module),)

    def _step_beyond(self, importer: Module, value: Value, name: str) -> Value:
        """An attribute of something outside the tree, or of a name that is missing from it."""
        found = None
        if value.module is None:
            found = self.names.find(f"{value.names[0]}.{name}", importer)
        if found is not None:
            return Value("module", found, via=value.via)
        via = value.via + value.names if value.module is not None else value.via
        return gone(*(f"{known}.{name}" for known in value.names), via=via)

    # Members of classes and instances

    def member(self, value: Value, name: str, fuel: int) -> Values:
        """The attribute ``name`` of a class or of an instance."""
        if value.module is None:
            return NOTHING
        if name == "__class__" and value.kind == "instance":
            return (Value("definition", value.module, value.number, unbound=value.unbound),)
        found = self.classes.member(value.module, value.number, name)
        return self._found_member(value, name, found, fuel)

    def _found_member(self, value: Value, name: str, found: Member | None, fuel: int) -> Values:
        """The member ``name`` of a class or instance, ``found`` being where it is."""
        if found is None:
            stored = self.flows.stored(value, name, fuel)
            return stored or self.methods.of_heirs(value, name) or self._missing(value, name)
        owner, bound = found.owner, found.bound
        if bound is None:
            values = union(
                [v for place, kind in found.attributes if kind >= 0 for v in self.type(place, kind, fuel)]
            )
            return _assigned(values) or self.flows.stored(value, name, fuel)
        if bound.is_import:
            return self.names.imported(owner, owner.facts.imports[bound.number])
        definition = owner.facts.definitions[bound.number]
        plain = definition.kind == "function" and definition.role in ("", "overload")
        return (Value("definition", owner, bound.number, unbound=plain and value.kind != "instance"),)

    def _missing(self, value: Value, name: str) -> Values:
        """A name that no class of the tree has: it is missing from each, unless one answers any name."""
        module, index = value.module, value.number
        if module is None or name in OBJECT_ATTRIBUTES or self.classes.answers_any(module, index):
            return NOTHING
        classes = self.classes.order(module, index).classes
        return (gone(*(f"{owner.ids[number]}.{name}" for owner, number in classes), module=module),)

    # What variables, calls and annotations give

    def type(self, module: Module, index: int, fuel: int) -> Values:
        """What has type ``index`` of ``module``."""
        return self.memo.ask(module.types, index, fuel, self._type, module)  # type: ignore[no-any-return]

    def _type(self, module: Module, index: int, fuel: int) -> Values:
        fact: TypeFact = module.facts.types[index]
        source = fact.source
        if source == "call":
            return self.calls.results(self.ref(module, fact.ref, fuel), fuel)
        if source == "value":
            return self.loaded(self.ref(module, fact.ref, fuel), fuel)
        if source == "annotation":
            return marked(self.instances(module, fact.ref, fuel), ANNOTATED)
        if source == "display":
            return (Value("container", module, index),)
        if source == "param":
            return self.flows.passed(module, fact.ref.number, fact.ref.path, fuel)
        items = [value for item in fact.items for value in self.type(module, item, fuel)]
        if source == "any":
            return union(items)
        held = [value for item in items for value in self.contents(item, fuel)]
        key = fact.keys[0] if fact.keys else ""
        if source == "element" and key:
            held = list(self.protocols.last_under(tuple(held), key))
        return union([found for value in held for found in self.protocols.give(source, value, key, fuel)])

    def instances(self, module: Module, ref: Ref, fuel: int) -> Values:
        """Instances of the classes that an annotation names."""
        return union([item for value in self.ref(module, ref, fuel) for item in self.instance(value, fuel)])

    def instance(self, value: Value, fuel: int) -> Values:
        """An instance of the class ``value``; a capitalized name outside the tree passes for a class."""
        if value.kind == "gone":
            name = value.names[0]
            known = name.rpartition(".")[2][:1].isupper() or name in BUILTIN_TYPES
            return (value._replace(via=(), unbound=False),) if known else NOTHING
        if value.is_class:
            return (value._replace(kind="instance", via=(), receiver=None),)
        if value.kind == "definition" and value.is_variable:
            classes = [v for v in self.contents(value, fuel) if v.is_class or v.kind == "gone"]
            return tuple([item for found in classes for item in self.instance(found, fuel)])
        return NOTHING

    def loaded(self, values: Values, fuel: int) -> Values:
        """What reading references gives: for a property what it returns."""
        if not any(value.is_property for value in values):
            return values
        return union([found for value in values for found in self._read(value, fuel)])

    def _read(self, value: Value, fuel: int) -> Values:
        """What reading a property gives; anything else is itself."""
        if not value.is_property:
            return (value,)
        return substituted(self.classes, value, self.calls.returned(value, fuel))

    def contents(self, value: Value, fuel: int) -> Values:
        """What a variable holds or a property returns, variables of which nothing is known left out."""
        return tuple([item for item in self.held(value, fuel) if not item.is_variable])

    def held(self, value: Value, fuel: int) -> Values:
        """What a variable holds or a property returns; anything else is itself.

        A variable among the values is one of which nothing is known.
        """
        module = value.module
        if value.kind != "definition" or module is None:
            return (value,)
        if not value.is_variable:
            return self._read(value, fuel)
        found = self.memo.ask(module.held, value.number, fuel, self._held, module)
        via = (*value.via, value.id)
        return tuple([item._replace(via=via + item.via, how=max(item.how, value.how)) for item in found])

    def _held(self, module: Module, index: int, fuel: int) -> Values:
        """What all assignments to a variable of a module or class give, ``self.name = …`` included."""
        self.memo.read.append(module.definition_key(index))
        definition = module.facts.definitions[index]
        found: list[Value] = []
        others: list[Value] = []
        for bound in module.candidates(definition.parent, definition.name):
            other = None if bound.is_import else module.facts.definitions[bound.number]
            if other is None or other.kind != "variable":
                others += self.names.bound(module, bound)
            elif other.type >= 0:
                found += self.type(module, other.type, fuel)
        attribute = module.attributes.get((definition.parent, definition.name), -1)
        if definition.parent != MODULE_SCOPE and attribute >= 0:
            found += self.type(module, attribute, fuel)
        chased: list[Value] = []
        for item in found:
            if not item.is_variable:
                chased.append(item)
            elif item.module is not module or item.number != index:
                chased += self.held(item, fuel) or (item,)
        return _assigned(union(chased)) or union(others)


def _assigned(values: Values) -> Values:
    """Functions, classes and modules that came through an assignment say so; instances are as they are."""
    if not any(value.inside and not value.how for value in values):
        return values
    return tuple([v._replace(how=ASSIGNED) if v.inside and not v.how else v for v in values])
