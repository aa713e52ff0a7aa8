"""Which functions to replay: those whose text changed while the parameters that they take did not."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from repo_guardian.tools.behaviour.interface import Target
from repo_guardian.tools.signals.places import is_production, is_python
from repo_guardian.tools.views.bodies import changed_bodies
from repo_guardian.tools.views.symbol_graph.interface import Graph, changed_files
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

CALLABLES = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY)

Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when it cannot be had."""


def changed_functions(base: Graph, current: Graph, read_base: Read, read_current: Read) -> Iterator[Target]:
    """Functions and methods of production code with one body before and another now, by symbol id.

    Changes of comments, layout and docstrings are none. Functions inside functions cannot be imported and
    count as part of the outer one. A file that this Python cannot parse has all of its functions compared.
    """
    found: dict[str, Target] = {}
    for path in changed_files(base, current):
        if not (is_python(path) and is_production(path)):
            continue
        old_text, new_text = read_base(path), read_current(path)
        if old_text is None or new_text is None or old_text == new_text:
            continue
        changed = changed_bodies(_bare(old_text), _bare(new_text))
        for symbol in base.symbols_in(path):
            now = current.symbols.get(symbol.id)
            target = _target(base, symbol)
            if now is None or target is None or now.path != path or not _comparable(symbol, now):
                continue
            if changed is None or target.qualname in changed:
                found[symbol.id] = target
    yield from (found[name] for name in sorted(found))


def _bare(text: bytes) -> bytes:
    """Python source without annotations and with every default alike; as it is where it cannot be parsed."""
    try:
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                node.returns = None
                node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
                node.args.kw_defaults = [default and ast.Constant(None) for default in node.args.kw_defaults]
            elif isinstance(node, ast.arg):
                node.annotation = None
        return ast.unparse(tree).encode("utf-8", "surrogatepass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _comparable(old: Symbol, new: Symbol) -> bool:
    same = old.kind is new.kind and old.kind in CALLABLES and _taken(old) == _taken(new)
    return same and old.definitions == new.definitions == 1


def _taken(symbol: Symbol) -> tuple[object, ...] | None:
    """What a whole call gives: defaults and annotations do not matter to one that gives every argument."""
    signature = symbol.signature
    if signature is None:
        return None
    parameters = tuple((parameter.name, parameter.kind) for parameter in signature.parameters)
    return parameters, signature.is_async, signature.is_generator


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
