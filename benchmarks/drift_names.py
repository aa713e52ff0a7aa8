"""Mutation operators on names and values: removed, renamed, moved, not offered; see ``drift_operators``."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from drift_operators import (
    Module,
    Mutant,
    Place,
    changed,
    classes,
    constants,
    decorated,
    definitions,
    edited,
    functions,
    operator,
)


def _gone(kind: str, places: Iterator[Place]) -> Iterator[Mutant]:
    return (changed(kind, place) for place in places if not place.name().endswith("__init__"))


@operator
def function_removed(module: Module) -> Iterator[Mutant]:
    """A function is gone."""
    return _gone("function_removed", (p for p in functions(module) if p.owner is None))


@operator
def method_removed(module: Module) -> Iterator[Mutant]:
    """A method is gone."""
    return _gone("method_removed", (p for p in functions(module) if p.owner and len(p.owner.body) > 2))


@operator
def class_removed(module: Module) -> Iterator[Mutant]:
    """A class is gone."""
    return _gone("class_removed", classes(module))


@operator
def property_removed(module: Module) -> Iterator[Mutant]:
    """A property is gone."""
    return _gone("property_removed", (p for p in definitions(module) if decorated(p) == {"property"}))


@operator
def constant_removed(module: Module) -> Iterator[Mutant]:
    """A module's constant is gone."""
    for node, name in constants(module):
        yield Mutant("constant_removed", module.name, name, {module.path: edited(module, node, [])})


@operator
def class_attribute_removed(module: Module) -> Iterator[Mutant]:
    """A class attribute is gone."""
    return _attributes("class_attribute_removed", module, enum=False)


@operator
def enum_member_removed(module: Module) -> Iterator[Mutant]:
    """A member of an enumeration is gone."""
    return _attributes("enum_member_removed", module, enum=True)


def _attributes(kind: str, module: Module, *, enum: bool) -> Iterator[Mutant]:
    for place in classes(module):
        owner = place.node
        assert isinstance(owner, ast.ClassDef)
        if any("Enum" in ast.unparse(b) or "Flag" in ast.unparse(b) for b in owner.bases) is enum:
            for node, name in constants(module, owner):
                text = edited(module, node, [])
                yield Mutant(kind, module.name, f"{owner.name}.{name}", {module.path: text})


@operator
def enum_value_changed(module: Module) -> Iterator[Mutant]:
    """A member of an enumeration has another value."""
    for place in classes(module):
        owner = place.node
        assert isinstance(owner, ast.ClassDef)
        for node, name in constants(module, owner):
            literal = isinstance(node.value, ast.Constant)
            if literal and any("Enum" in ast.unparse(b) for b in owner.bases):
                text = edited(module, node, [ast.Assign(node.targets, ast.Constant(4711))])
                yield Mutant("enum_value_changed", module.name, f"{owner.name}.{name}", {module.path: text})


def _valued(kind: str, module: Module, value: ast.expr, *old: type) -> Iterator[Mutant]:
    for node, name in constants(module):
        if isinstance(node.value, ast.Constant) and type(node.value.value) in old:
            text = edited(module, node, [ast.Assign(node.targets, value)])
            yield Mutant(kind, module.name, name, {module.path: text})


@operator
def value_changed(module: Module) -> Iterator[Mutant]:
    """A constant has another value."""
    return _valued("value_changed", module, ast.Constant("another value"), str)


@operator
def type_changed(module: Module) -> Iterator[Mutant]:
    """A constant is of another type."""
    return _valued("type_changed", module, ast.Tuple([ast.Constant(1)], ast.Load()), str, int, bool)


def _named(kind: str, places: Iterator[Place]) -> Iterator[Mutant]:
    for place in places:
        node = copy.deepcopy(place.node)
        if not place.name().endswith("__init__"):
            node.name += "_renamed"  # type: ignore[attr-defined]
            yield changed(kind, place, node)


@operator
def function_renamed(module: Module) -> Iterator[Mutant]:
    """A function has another name."""
    return _named("function_renamed", (p for p in functions(module) if p.owner is None))


@operator
def method_renamed(module: Module) -> Iterator[Mutant]:
    """A method has another name."""
    return _named("method_renamed", (p for p in functions(module) if p.owner is not None))


@operator
def class_renamed(module: Module) -> Iterator[Mutant]:
    """A class has another name."""
    return _named("class_renamed", classes(module))


@operator
def function_moved(module: Module) -> Iterator[Mutant]:
    """A function lies in a new module beside its own."""
    for place in functions(module):
        node = place.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        plain = all(
            isinstance(d, ast.Constant) for d in (*node.args.defaults, *filter(None, node.args.kw_defaults))
        )
        if place.owner is None and plain:
            mutant = changed("function_moved", place)
            beside = f"{module.path.rpartition('/')[0]}/moved_here.py"
            text = f"from __future__ import annotations\n\n{ast.unparse(node)}\n"
            yield Mutant(mutant.kind, module.name, mutant.qualname, {**mutant.files, beside: text})


@operator
def module_removed(module: Module) -> Iterator[Mutant]:
    """A module is gone."""
    if not module.path.endswith("__init__.py") and not module.name.rpartition(".")[2].startswith("_"):
        yield Mutant("module_removed", module.name, "", {module.path: None})


@operator
def reexport_removed(module: Module) -> Iterator[Mutant]:
    """A package no longer offers a name of one of its modules."""
    for node in module.tree.body if module.path.endswith("__init__.py") else ():
        if not isinstance(node, ast.ImportFrom) or not (
            node.level or (node.module or "").startswith(module.name)
        ):
            continue
        for gone in node.names:
            rest = [alias for alias in node.names if alias is not gone]
            if gone.name != "*" and rest and not (gone.asname or gone.name).startswith("_"):
                text = edited(module, node, [ast.ImportFrom(node.module, rest, node.level)])
                yield Mutant("reexport_removed", module.name, gone.asname or gone.name, {module.path: text})


@operator
def export_removed(module: Module) -> Iterator[Mutant]:
    """``__all__`` leaves a name out that the module still defines."""
    own = {p.name() for p in definitions(module) if p.owner is None}
    for node in module.tree.body:
        if not isinstance(node, ast.Assign) or ast.unparse(node.targets[0]) != "__all__":
            continue
        names = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else []
        for gone in names:
            if isinstance(gone, ast.Constant) and gone.value in own:
                rest = ast.List([n for n in names if n is not gone], ast.Load())
                text = edited(module, node, [ast.Assign(node.targets, rest)])
                yield Mutant("export_removed", module.name, "", {module.path: text})
