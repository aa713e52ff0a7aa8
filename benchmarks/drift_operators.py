"""Mutation operators: API changes made in the source of a package, one definition at a time.

An operator is a function from a module to the mutants that it can make of it, named after the kind of
change. Sources are parsed, one definition is altered in the tree, written by ``ast.unparse``, and put in the
place of its lines; everything else keeps its bytes. Nothing of a package is imported or run here.
"""

from __future__ import annotations

import ast
import copy
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLAIN = frozenset({"staticmethod", "classmethod"})


@dataclass(frozen=True)
class Module:
    """A module of a package: dotted name, path below the folder that holds the package, text and tree."""

    name: str
    path: str
    text: str
    tree: ast.Module


@dataclass(frozen=True)
class Mutant:
    """One change: the new text of some files, and the names at which it shows.

    Attributes:
        kind: the operator.
        module, qualname: what changed; an empty ``qualname`` is the module itself.
        files: path to new text; None for a file that is gone.
    """

    kind: str
    module: str
    qualname: str
    files: dict[str, str | None]

    @property
    def symbol(self) -> str:
        """The dotted name."""
        return f"{self.module}.{self.qualname}" if self.qualname else self.module


@dataclass(frozen=True)
class Place:
    """A definition and the class that it lies in."""

    module: Module
    node: ast.stmt
    owner: ast.ClassDef | None = None

    def name(self) -> str:
        """The qualified name."""
        own = getattr(self.node, "name", "")
        return f"{self.owner.name}.{own}" if self.owner else own


Operator = Callable[[Module], Iterator[Mutant]]
OPERATORS: dict[str, Operator] = {}


def operator(function: Operator) -> Operator:
    """Register an operator under its name."""
    OPERATORS[function.__name__] = function
    return function


def read_package(folder: Path) -> list[Module]:
    """The modules of an import package, sorted by path; files that do not parse are left out."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes().decode("utf-8", "replace")
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        below = path.relative_to(folder.parent).as_posix()
        name = below.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        found.append(Module(name, below, text, tree))
    return found


def edited(module: Module, node: ast.stmt, new: Sequence[ast.stmt]) -> str:
    """The module's text with ``new`` in the place of ``node``."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    lines = module.text.split("\n")
    made = "\n".join(ast.unparse(ast.fix_missing_locations(n)) for n in new) or "pass"
    indented = textwrap.indent(made, " " * node.col_offset).split("\n")
    return "\n".join([*lines[: first - 1], *indented, *lines[node.end_lineno or first :]])


def changed(kind: str, place: Place, *new: ast.stmt) -> Mutant:
    """The mutant in which ``new`` stands for the definition at ``place``."""
    module = place.module
    return Mutant(kind, module.name, place.name(), {module.path: edited(module, place.node, new)})


def functions(module: Module, *, private: bool = False) -> Iterator[Place]:
    """Functions and methods that are defined once, whose decorators keep their parameters."""
    for place in definitions(module, private=private):
        node = place.node
        if isinstance(node, _FUNCTIONS) and {ast.unparse(d) for d in node.decorator_list} <= _PLAIN:
            yield place


def classes(module: Module) -> Iterator[Place]:
    """Public classes at the top."""
    return (p for p in definitions(module) if isinstance(p.node, ast.ClassDef) and p.owner is None)


def definitions(module: Module, *, private: bool = False) -> Iterator[Place]:
    """What a module and its public classes define once, by name, constructors included."""
    tops = [Place(module, node) for node in module.tree.body]
    inner = [
        Place(module, node, top)
        for top in module.tree.body
        if isinstance(top, ast.ClassDef) and not top.name.startswith("_")
        for node in top.body
    ]
    every = [p for p in (*tops, *inner) if isinstance(p.node, (*_FUNCTIONS, ast.ClassDef))]
    count = Counter(p.name() for p in every)
    for place in every:
        name = place.name().rpartition(".")[2]
        special = name.startswith("__")
        wanted = name == "__init__" or not special
        if wanted and count[place.name()] == 1 and (name.startswith("_") and not special) is private:
            yield place


def decorated(place: Place) -> set[str]:
    """The decorators of a definition as text."""
    return {ast.unparse(d) for d in getattr(place.node, "decorator_list", [])}


def constants(module: Module, owner: ast.ClassDef | None = None) -> Iterator[tuple[ast.Assign, str]]:
    """``NAME = literal`` of a module or a class, bound once, with the name."""
    body = owner.body if owner is not None else module.tree.body
    names = Counter(
        t.id for n in ast.walk(module.tree) if isinstance(n, ast.Assign) for t in n.targets
        if isinstance(t, ast.Name)
    )  # fmt: skip
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if names[name] == 1 and not name.startswith("_"):
                yield node, name


def bare(place: Place) -> tuple[Function, list[ast.arg], int]:
    """A copy of a function, its positional parameters, and how many of them are passed by themselves."""
    node = copy.deepcopy(place.node)
    assert isinstance(node, _FUNCTIONS)
    static = "staticmethod" in {ast.unparse(d) for d in node.decorator_list}
    return node, node.args.args, int(place.owner is not None and not static)


def with_functions(
    kind: str, alter: Callable[[Function, int], bool], *, constructors: bool = True
) -> Operator:
    """An operator that alters a copy of each function; ``alter`` says whether it did."""

    def run(module: Module) -> Iterator[Mutant]:
        for place in functions(module):
            node, _, own = bare(place)
            if (constructors or not node.name.startswith("__")) and alter(node, own):
                yield changed(kind, place, node)

    run.__name__ = kind
    return operator(run)
