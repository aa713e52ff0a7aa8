"""Public signatures of real packages beside griffe's, with every disagreement and its class.

    python benchmarks/signatures_griffe.py PACKAGE_FOLDER ...

A folder is that of the import package in an unpacked release, e.g. ``click-8.1.8/src/click``. Needs griffe
(or ``griffelib``), which reads the sources as we do: nothing is imported. Compared are all functions, methods
and classes that griffe calls its own (no imports) and that are public by their own and their class's name, in
private modules too (``httpx._client.Client`` is what ``httpx.Client`` is): names,
kinds, defaults and annotations of parameters, the return annotation, and async; texts as ``ast.unparse``
writes them. A class is compared by what calling it takes.
"""

from __future__ import annotations

import argparse
import ast
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import griffe
from graphs import build
from trees import DirectorySource

from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind
from repo_guardian.tools.views.symbol_graph.signature import ParameterKind, Signature

CLASSES = {
    "stub": "a stub file lies beside the module: griffe takes annotations from it, we keep the two apart",
    "text": "the same parameters, with another text of a default or an annotation",
    "open": "a class with a base, metaclass or decorator from outside of the tree: we leave it open",
    "made": "a class that is made by __new__, a metaclass or an enumeration: we leave it open",
    "generated": "an __init__ that a dataclass makes",
    "class": "any other class",
    "overload": "a function with overloads",
    "several": "several definitions of one name, of which the last wins here",
    "decorated": "a decorator that may replace the signature",
    "absent": "not in the graph",
    "plain": "none of these",
}
"""What a disagreement is about, the first that fits."""

Shape = tuple[tuple[str, str, str | None, str | None], ...]
"""Kind, name, default and annotation of each parameter."""


@dataclass(frozen=True)
class Found:
    """One side's view of a callable; ``shape`` is None when that side does not claim to know it."""

    shape: Shape | None
    returns: str | None
    is_async: bool

    def bare(self) -> tuple[Any, ...]:
        """Without defaults' and annotations' text."""
        known = self.shape or ()
        return tuple((kind, name, default is None) for kind, name, default, _ in known), self.is_async

    def render(self) -> str:
        """As source text."""
        if self.shape is None:
            return "(not known)"
        stars = {ParameterKind.VAR_POSITIONAL.value: "*", ParameterKind.VAR_KEYWORD.value: "**"}
        parts = []
        for kind, name, default, annotation in self.shape:
            text = stars.get(kind, "") + name + (f": {annotation}" if annotation else "")
            text += f" = {default}" if default is not None else ""
            parts.append(text + {"positional_only": " [/]", "keyword_only": " [*]"}.get(kind, ""))
        return ("async " if self.is_async else "") + f"({', '.join(parts)}) -> {self.returns}"


def normal(text: str | None) -> str | None:
    """An expression as ``ast.unparse`` writes it; a string annotation is what it quotes."""
    if text is None:
        return None
    try:
        tree = ast.parse(f"({text}\n)", mode="eval").body  # over several lines, perhaps with comments
    except SyntaxError:
        return "".join(text.split())
    return ast.unparse(tree)


class _Unquote(ast.NodeTransformer):
    """Puts what a string quotes in its place."""

    def visit_Constant(self, node: ast.Constant) -> Any:
        """A string that is an expression becomes that expression."""
        if not isinstance(node.value, str):
            return node
        try:
            return self.visit(ast.parse(node.value.strip(), mode="eval").body)
        except SyntaxError:
            return node


def annotation_text(text: str | None) -> str | None:
    """An annotation, without the quotes that delay its evaluation, in whole or in part."""
    found = normal(text)
    if found is None:
        return None
    try:
        tree = ast.parse(found, mode="eval").body
    except SyntaxError:
        return found
    return ast.unparse(_Unquote().visit(tree))


def ours(signature: Signature | None) -> Found:
    """Our side."""
    if signature is None:
        return Found(None, None, False)
    shape = tuple(
        (p.kind.value, p.name, normal(p.default), annotation_text(p.annotation)) for p in signature.parameters
    )
    return Found(shape, annotation_text(signature.returns), signature.is_async)


def theirs(found: Any, *, bound: bool) -> Found:
    """The other side; the first parameter of a bound method and the default of ``*args`` are left out."""
    shape = []
    parameters = list(found.parameters)
    if bound and parameters and parameters[0].kind.name.startswith("positional"):
        del parameters[0]
    for parameter in parameters:
        kind = parameter.kind.name
        default = None if kind.startswith("var_") or parameter.default is None else str(parameter.default)
        annotation = None if parameter.annotation is None else str(parameter.annotation)
        shape.append((kind, parameter.name, normal(default), annotation_text(annotation)))
    if found.is_class:
        return Found(tuple(shape), None, False)
    returns = None if found.returns is None else str(found.returns)
    return Found(tuple(shape), annotation_text(returns), "async" in found.labels)


def callables(found: Any) -> Iterator[Any]:
    """All public functions and classes below a griffe object, imports left out."""
    for name, member in found.members.items():
        if member.is_alias or (name.startswith("_") and not member.is_module):
            continue
        if member.is_function or member.is_class:
            yield member
        if member.is_module or member.is_class:
            yield from callables(member)


def is_bound(member: Any) -> bool:
    """Whether calls leave the first parameter out."""
    if member.is_class:
        made_by = member.all_members.get("__init__")
        return made_by is not None
    return bool(member.parent.is_class and "staticmethod" not in member.labels)


def classify(member: Any, symbol: Symbol | None, left: Found, right: Found) -> str:
    """What a disagreement is about; a key of ``CLASSES``."""
    if symbol is None:
        return "absent"
    if Path(f"{member.filepath}i").exists() or Path(member.package.filepath).with_suffix(".pyi").exists():
        return "stub"
    if left.shape is not None and left.bare() == right.bare():
        return "text"
    if member.is_class:
        return _class_kind(member, left)
    if symbol.overloads or member.overloads:
        return "overload"
    if symbol.definitions > 1:
        return "several"
    return "decorated" if symbol.decorators else "plain"


def _class_kind(member: Any, left: Found) -> str:
    if "dataclass" in member.labels:
        return "generated"
    if left.shape is not None:
        return "class"
    family = [member, *member.mro()]
    made = any("__new__" in one.members or "metaclass" in getattr(one, "keywords", {}) for one in family)
    return "made" if made else "open"


@dataclass
class Comparison:
    """One package: callables compared, disagreements by class, and a text for each."""

    compared: int
    classes: Counter[str]
    lines: list[str]


def compare(folder: Path, graph: Graph) -> Comparison:
    """Compare all public callables of the package in ``folder``."""
    package = griffe.load(folder.name, search_paths=[folder.parent], allow_inspection=False)
    result = Comparison(0, Counter(), [])
    for member in callables(package):
        symbol = graph.symbols.get(member.path)
        if symbol is not None and symbol.kind is SymbolKind.PROPERTY:
            continue
        left = ours(symbol.signature if symbol is not None else None)
        right = theirs(member, bound=is_bound(member))
        if member.is_class:
            left = Found(left.shape, None, False)
        result.compared += 1
        if left != right or symbol is None:
            kind = classify(member, symbol, left, right)
            result.classes[kind] += 1
            result.lines.append(
                f"[{kind}] {member.path}\n  ours    {left.render()}\n  griffe  {right.render()}"
            )
    return result


def main() -> None:
    """Print the table, then each disagreement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    print(f"| package | compared | differ | {' | '.join(CLASSES)} |")
    print(f"|{'---|' * (len(CLASSES) + 3)}")
    details = []
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as state:
            graph = build(DirectorySource(folder, "release", f"{folder.name}/"), Path(state))
            result = compare(folder.resolve(), graph)
        cells = [str(result.classes[kind] or "") for kind in CLASSES]
        total = result.classes.total()
        print(f"| {folder.name} | {result.compared} | {total} | {' | '.join(cells)} |", flush=True)
        details += result.lines
    for kind, text in CLASSES.items():
        print(f"\n{kind}: {text}", file=sys.stdout)
        print(*sorted(line for line in details if line.startswith(f"[{kind}]")), sep="\n")


if __name__ == "__main__":
    main()
