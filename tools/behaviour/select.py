"""Which functions to replay: those whose text changed while what calling them takes did not."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from repo_guardian.tools.behaviour.interface import Target
from repo_guardian.tools.signals.places import is_production, is_python
from repo_guardian.tools.views.symbol_graph.interface import Graph, changed_files
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

CALLABLES = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY)

Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when it cannot be had."""


def changed_functions(base: Graph, current: Graph, read_base: Read, read_current: Read) -> Iterator[Target]:
    """Functions and methods of production code with one body before and another now, by symbol id.

    Changes of comments, layout and docstrings are none. Functions inside functions cannot be imported and
    count as part of the outer one.
    """
    found: dict[str, Target] = {}
    for path in changed_files(base, current):
        if not (is_python(path) and is_production(path)):
            continue
        old_text, new_text = read_base(path), read_current(path)
        if old_text is None or new_text is None or old_text == new_text:
            continue
        for symbol in base.symbols_in(path):
            now = current.symbols.get(symbol.id)
            if now is None or now.path != path or not _comparable(symbol, now):
                continue
            target = _target(base, symbol)
            if target is not None and _code(old_text, symbol) != _code(new_text, now):
                found[symbol.id] = target
    yield from (found[name] for name in sorted(found))


def _comparable(old: Symbol, new: Symbol) -> bool:
    same = old.kind is new.kind and old.kind in CALLABLES and old.signature == new.signature
    return same and old.definitions == new.definitions == 1


def _target(graph: Graph, symbol: Symbol) -> Target | None:
    """How a function is imported; None inside another function, or in a module that has no import name."""
    module = graph.module_of(symbol.id)
    if module is None or not all(part.isidentifier() for part in module.id.split(".")):
        return None
    qualname = symbol.id[len(module.id) + 1 :]
    owner = symbol.id.rpartition(".")[0]
    while owner != module.id:
        holder = graph.symbols.get(owner)
        if holder is None or holder.kind is not SymbolKind.CLASS:
            return None
        owner = owner.rpartition(".")[0]
    return Target(symbol.id, symbol.path, symbol.span.start_line, module.id, qualname)


def _code(text: bytes, symbol: Symbol) -> str:
    """A function's code without comments, layout and docstrings; its text where it cannot be parsed."""
    part = text[symbol.span.start_byte : symbol.span.end_byte].decode("utf-8", "replace")
    lines = part.split("\n")
    start = symbol.span.start_byte
    indent = start - (text.rfind(b"\n", 0, start) + 1)
    source = "\n".join(
        [lines[0], *(line[indent:] if not line[:indent].strip() else line for line in lines[1:])]
    )
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return part
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)
