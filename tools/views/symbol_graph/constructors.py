"""What calling a class takes: its own or inherited ``__init__``, or what ``@dataclass`` makes of its fields.

A signature is given only where it follows from the tree alone. A base from outside that may come before the
``__init__``, a ``__new__`` or a metaclass leave it unknown.
"""

from __future__ import annotations

import re
from dataclasses import replace

from repo_guardian.tools.views.facts.interface import Definition
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.pynames import ENUM_BASES
from repo_guardian.tools.views.symbol_graph.queries import FUEL
from repo_guardian.tools.views.symbol_graph.resolve import Resolver
from repo_guardian.tools.views.symbol_graph.signature import (
    POSITIONAL,
    Parameter,
    ParameterKind,
    Signature,
)
from repo_guardian.tools.views.symbol_graph.values import Value

_FIELD = re.compile(r"(?:dataclasses\.)?field\((.*)\)\Z", re.DOTALL)
_ARGUMENT = re.compile(r"(\w+)\s*=\s*")
_DATACLASS = "dataclasses.dataclass"


def bound_signature(definition: Definition) -> Signature | None:
    """A method's signature without ``self`` or ``cls``, as its callers see it."""
    signature = definition.signature
    if signature is None or (definition.role == "staticmethod" and definition.name != "__new__"):
        return signature
    first, *rest = signature.parameters or (None,)
    if first is None or first.kind not in POSITIONAL:
        return signature
    return replace(signature, parameters=tuple(p for p in rest if p is not None))


def constructor(resolver: Resolver, module: Module, index: int) -> tuple[Signature | None, Value | None]:
    """The signature of calling a class, and the ``__init__`` that it comes from when there is one."""
    order = resolver.classes.order(module, index)
    if any(_replaces_construction(resolver, *item) for item in order.classes):
        return None, None
    for owner, number in order.classes:
        resolver.memo.read.append(owner.member_key(number, "__init__"))
        definition = owner.facts.definitions[number]
        names = owner.scopes.get(number, {})
        if "__init__" in names:
            value = next(iter(resolver.member(Value("instance", owner, number), "__init__", FUEL)), None)
            found = value.definition if value is not None else None
            known = found is not None and found.kind == "function"
            return (bound_signature(found), value) if known and found is not None else (None, None)
        arguments = _dataclass_arguments(resolver, owner, definition)
        if arguments is not None:
            return _dataclass_signature(resolver, owner, number, arguments), None
        if resolver.classes.bases(owner, number)[1]:
            return None, None
    return (None if order.is_open else Signature()), None


def _replaces_construction(resolver: Resolver, module: Module, index: int) -> bool:
    """True when ``__new__``, a metaclass or an enumeration decides what calling the class does."""
    definition = module.facts.definitions[index]
    resolver.memo.read += [module.definition_key(index), module.member_key(index, "__new__")]
    if "__new__" in module.scopes.get(index, {}):
        return True
    if any(key == "metaclass" and text.rpartition(".")[2] != "ABCMeta" for key, text in definition.keywords):
        return True
    values = [value for ref in definition.base_refs for value in resolver.ref(module, ref, FUEL)]
    return any(value.kind == "gone" and value.names[0] in ENUM_BASES for value in values)


def _dataclass_arguments(resolver: Resolver, module: Module, definition: Definition) -> str | None:
    """The arguments of the class's ``@dataclass`` decorator as text; None when it has none."""
    for text, ref in zip(definition.decorators, definition.decorator_refs, strict=True):
        values = resolver.ref(module, ref, FUEL)
        if any(value.kind == "gone" and value.names[0] == _DATACLASS for value in values):
            return text.partition("(")[2].rpartition(")")[0]
    return None


def _dataclass_signature(resolver: Resolver, module: Module, index: int, arguments: str) -> Signature | None:
    """The ``__init__`` of a dataclass: the fields of all dataclass bases first, in reverse order."""
    if re.search(r"\binit\s*=\s*False", arguments):
        return None
    order = resolver.classes.order(module, index)
    if order.is_open:
        return None
    fields: dict[str, Parameter] = {}
    for owner, number in reversed(order.classes):
        definition = owner.facts.definitions[number]
        found = _dataclass_arguments(resolver, owner, definition)
        resolver.memo.read.append(owner.fields_key(number))
        if found is not None and not _add_fields(owner, number, found, fields):
            return None
    keyword_only = [p for p in fields.values() if p.kind is ParameterKind.KEYWORD_ONLY]
    return Signature(tuple([p for p in fields.values() if p not in keyword_only] + keyword_only))


def _add_fields(module: Module, index: int, arguments: str, fields: dict[str, Parameter]) -> bool:
    """Add the fields of one class; False when one of them cannot be read."""
    keyword_only = re.search(r"\bkw_only\s*=\s*True", arguments) is not None
    for definition in module.facts.definitions:
        if definition.parent != index or definition.kind != "variable" or definition.annotation is None:
            continue
        annotation = definition.annotation.strip("'\"")
        if re.match(r"(?:\w+\.)?ClassVar\b", annotation):
            continue
        if re.match(r"(?:\w+\.)?KW_ONLY\b", annotation):
            keyword_only = True
            continue
        if not _add_field(definition, keyword_only, fields):
            return False
    return True


def _add_field(definition: Definition, keyword_only: bool, fields: dict[str, Parameter]) -> bool:
    default = definition.value
    match = _FIELD.match(default or "")
    if match is not None:
        options = {
            found.group(1): match.group(1)[found.end() :] for found in _ARGUMENT.finditer(match.group(1))
        }
        if options.get("init", "").startswith("False"):
            fields.pop(definition.name, None)
            return True
        keyword_only = options["kw_only"].startswith("True") if "kw_only" in options else keyword_only
        given = options.get("default", options.get("default_factory"))
        default = None if given is None else given.partition(",")[0].strip()
    elif default is not None and "field(" in default:
        return False
    kind = ParameterKind.KEYWORD_ONLY if keyword_only else ParameterKind.POSITIONAL_OR_KEYWORD
    fields[definition.name] = Parameter(definition.name, kind, default, definition.annotation)
    return True
