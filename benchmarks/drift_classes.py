"""Mutation operators on classes: bases, bindings, properties, fields, overrides; see ``drift_operators``."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from drift_operators import (
    Module,
    Mutant,
    Place,
    bare,
    changed,
    classes,
    decorated,
    definitions,
    functions,
    operator,
)


@operator
def base_removed(module: Module) -> Iterator[Mutant]:
    """A class has one base less."""
    for place in classes(module):
        node = copy.deepcopy(place.node)
        assert isinstance(node, ast.ClassDef)
        if node.bases and not any(
            "Generic" in ast.unparse(b) or "NamedTuple" in ast.unparse(b) for b in node.bases
        ):
            node.bases.pop()
            yield changed("base_removed", place, node)


@operator
def exception_base_changed(module: Module) -> Iterator[Mutant]:
    """An exception derives from another one."""
    for place in classes(module):
        node = copy.deepcopy(place.node)
        assert isinstance(node, ast.ClassDef)
        if [ast.unparse(b) for b in node.bases] in (
            ["ValueError"],
            ["TypeError"],
            ["RuntimeError"],
            ["Exception"],
        ):
            node.bases = [ast.Name("BufferError")]
            yield changed("exception_base_changed", place, node)


@operator
def decorator_added(module: Module) -> Iterator[Mutant]:
    """A function's results are kept, and it has other attributes."""
    for place in functions(module):
        node, _, _ = bare(place)
        if place.owner is None and not node.decorator_list:
            node.decorator_list = [ast.parse("__import__('functools').lru_cache", mode="eval").body]
            yield changed("decorator_added", place, node)


@operator
def binding_changed(module: Module) -> Iterator[Mutant]:
    """A class or static method is an instance method."""
    for place in functions(module):
        node, names, _ = bare(place)
        kind = decorated(place)
        if place.owner is not None and kind:
            node.decorator_list = []
            if kind == {"staticmethod"}:
                names.insert(0, ast.arg("self"))
            yield changed("binding_changed", place, node)


@operator
def became_property(module: Module) -> Iterator[Mutant]:
    """A method without parameters is a property."""
    for place in functions(module):
        node, names, own = bare(place)
        alone = own and len(names) == 1 and not node.args.kwonlyargs and not node.args.vararg
        if alone and not node.decorator_list and not node.name.startswith("__") and not node.args.kwarg:
            node.decorator_list = [ast.Name("property")]
            yield changed("became_property", place, node)


@operator
def became_method(module: Module) -> Iterator[Mutant]:
    """A property has to be called."""
    for place in definitions(module):
        if decorated(place) == {"property"}:
            node = copy.deepcopy(place.node)
            node.decorator_list = []  # type: ignore[attr-defined]
            yield changed("became_method", place, node)


@operator
def setter_removed(module: Module) -> Iterator[Mutant]:
    """A property can only be read."""
    for owner in module.tree.body:
        for node in owner.body if isinstance(owner, ast.ClassDef) and owner.name[0] != "_" else ():
            if isinstance(node, ast.FunctionDef) and f"{node.name}.setter" in decorated(Place(module, node)):
                yield changed("setter_removed", Place(module, node, owner))


@operator
def abstract_added(module: Module) -> Iterator[Mutant]:
    """An abstract class asks for one member more."""
    for place in classes(module):
        owner = copy.deepcopy(place.node)
        assert isinstance(owner, ast.ClassDef)
        checked = [ast.unparse(b) for b in (*owner.bases, *(k.value for k in owner.keywords))]
        if any("abc.ABC" in text for text in checked):
            member = ast.parse("@abc.abstractmethod\ndef asked_for(self): ...").body
            owner.body += member
            yield changed("abstract_added", place, owner)


@operator
def fields_reordered(module: Module) -> Iterator[Mutant]:
    """The first two fields of a named tuple or a dataclass change places."""
    for place in classes(module):
        owner = copy.deepcopy(place.node)
        assert isinstance(owner, ast.ClassDef)
        fields = [i for i, n in enumerate(owner.body) if isinstance(n, ast.AnnAssign) and n.value is None]
        if len(fields) > 1 and _has_fields(owner):
            first, second = fields[:2]
            owner.body[first], owner.body[second] = owner.body[second], owner.body[first]
            yield changed("fields_reordered", place, owner)


@operator
def field_removed(module: Module) -> Iterator[Mutant]:
    """A named tuple or a dataclass has one field less."""
    for place in classes(module):
        owner = copy.deepcopy(place.node)
        assert isinstance(owner, ast.ClassDef)
        fields = [n for n in owner.body if isinstance(n, ast.AnnAssign)]
        if len(fields) > 1 and _has_fields(owner):
            owner.body.remove(fields[-1])
            yield changed("field_removed", place, owner)


def _has_fields(owner: ast.ClassDef) -> bool:
    decorated = any("dataclass" in ast.unparse(d) for d in owner.decorator_list)
    return decorated or any("NamedTuple" in ast.unparse(b) for b in owner.bases)


@operator
def override_required(module: Module) -> Iterator[Mutant]:
    """A method asks for an argument that the one it overrides does not take."""
    tops = {n.name: n for n in module.tree.body if isinstance(n, ast.ClassDef)}
    for place in functions(module):
        node, names, own = bare(place)
        bases = [tops.get(ast.unparse(b)) for b in place.owner.bases] if place.owner else []
        overrides = any(getattr(n, "name", "") == node.name for b in bases if b for n in b.body)
        if overrides and own and node.name != "__init__" and not node.args.posonlyargs:
            names.insert(len(names) - len(node.args.defaults), ast.arg("asked_for"))
            yield changed("override_required", place, node)
