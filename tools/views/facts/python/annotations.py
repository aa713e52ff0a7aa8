"""What an annotation says of a value: the classes that it names, through ``Optional``, unions and containers.

An annotation is read as text, so that a quoted one, or a quoted part of one, is no different. Its outline is
a function of the text and remembered, since a few annotations make up most of any file.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import TypeSource
from repo_guardian.tools.views.facts.python.scopes import ABSENT, NOTHING_KNOWN, Chain, Scope, Value
from repo_guardian.tools.views.facts.python.walk import MAX_ALTERNATIVES, Walk

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_READABLE = re.compile(r"""[\w\s.,|\[\]"'*()=-]*\Z""")
"""What the annotations that we follow are made of; no escapes, calls with braces or f-strings."""
_MAX_CHARS = 500
_MAX_BRACKETS = 30
_MAX_NESTING = 8

_TRANSPARENT = frozenset({"Optional", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar"})
_LISTS = frozenset({
    "list", "List", "set", "Set", "frozenset", "FrozenSet", "deque", "Deque", "Sequence", "MutableSequence",
    "Iterable", "Iterator", "Collection", "AbstractSet", "MutableSet", "Generator", "AsyncIterable",
    "AsyncIterator", "AsyncGenerator", "Reversible", "KeysView", "ValuesView",
})  # fmt: skip
_MAPPINGS = frozenset({
    "dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict",
})  # fmt: skip
_TUPLES = frozenset({"tuple", "Tuple"})
_CLASSES = frozenset({"type", "Type"})
_OPAQUE = frozenset({"Callable", "Literal", "Any", "TypeGuard", "TypeIs", "Concatenate", "Unpack", "Never"})


class Outline(NamedTuple):
    """An annotation before scoping: ``annotation`` or ``value`` of ``name``, ``any`` or ``display`` of parts.

    ``source`` is empty for ``None``.
    """

    source: TypeSource | None
    name: str = ""
    parts: tuple[Outline, ...] = ()
    keys: tuple[str, ...] = ()


_NONE = Outline(None)


def annotated(walk: Walk, node: Node | None, scope: Scope) -> int:
    """The number of the value that an annotation describes."""
    if node is None:
        return NOTHING_KNOWN
    text = walk.name(node)
    if _DOTTED.match(text):
        if text.rpartition(".")[2] in _OPAQUE:
            return NOTHING_KNOWN
        return ABSENT if text == "None" else walk.of("annotation", _chain(text), scope)
    if len(text) > _MAX_CHARS:
        return NOTHING_KNOWN
    found = outline(text)
    return NOTHING_KNOWN if found is None else _value(walk, found, scope)


def _chain(name: str) -> Chain:
    root, *path = name.split(".")
    return Chain(root, tuple(path))


def _value(walk: Walk, found: Outline, scope: Scope) -> int:
    """Outlines nest ``_MAX_NESTING`` deep at most."""
    if found.source is None:
        return ABSENT
    if found.source in ("annotation", "value"):
        return walk.of(found.source, _chain(found.name), scope)
    pairs = [(_value(walk, part, scope), key) for part, key in zip(found.parts, found.keys, strict=True)]
    if found.source == "any":
        return walk.any_of([number for number, _ in pairs])
    pairs = [pair for pair in pairs if pair[0] >= 0]
    items, keys = tuple(number for number, _ in pairs), tuple(key for _, key in pairs)
    return walk.value(Value("display", items=items, keys=keys))


@lru_cache(maxsize=8192)
def outline(text: str) -> Outline | None:
    """The outline of an annotation; None when it says nothing that can be followed."""
    if not _READABLE.match(text) or text.count("[") + text.count("(") > _MAX_BRACKETS:
        return None
    try:
        return _outline(ast.parse(text.strip(), mode="eval").body, 0)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _outline(node: ast.expr, depth: int) -> Outline | None:
    if depth > _MAX_NESTING:
        return None
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and len(node.value) <= _MAX_CHARS:
            return outline(node.value)
        return _NONE if node.value is None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union(_alternatives(node), depth)
    if isinstance(node, ast.Subscript):
        return _generic(node, depth)
    name = _name(node)
    return Outline("annotation", name) if name and name.rpartition(".")[2] not in _OPAQUE else None


def _name(node: ast.expr) -> str:
    """A dotted name; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """The operands of ``a | b | c``, which nests to the left."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _union(nodes: list[ast.expr], depth: int) -> Outline | None:
    parts = [_outline(node, depth + 1) for node in nodes[:MAX_ALTERNATIVES]]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts) and len({part for part in known if part.source is not None}) == 1:
        return next(part for part in known if part.source is not None)
    return Outline("any", parts=tuple(known), keys=("",) * len(known)) if known else None


def _generic(node: ast.Subscript, depth: int) -> Outline | None:
    """``Name[arguments]``: what is known of the name decides what the arguments mean."""
    name = _name(node.value)
    last = name.rpartition(".")[2]
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not name or not inside or last in _OPAQUE:
        return None
    if last in _TRANSPARENT or last == "Annotated":
        return _outline(inside[0], depth + 1)
    if last == "Union":
        return _union(inside, depth)
    if last in _CLASSES:
        found = _outline(inside[0], depth + 1)
        return Outline("value", found.name) if found is not None and found.source == "annotation" else None
    return _container(last, inside, depth) or Outline("annotation", name)


def _container(last: str, inside: list[ast.expr], depth: int) -> Outline | None:
    """A display of what a container holds; None when ``last`` is no container of the standard library."""
    keys = [""]
    if last in _LISTS:
        inside = inside[:1]
    elif last in _MAPPINGS:
        inside = inside[1:2]
    elif last in _TUPLES:
        endless = len(inside) == 2 and isinstance(inside[1], ast.Constant) and inside[1].value is Ellipsis
        inside = inside[:1] if endless else inside[:MAX_ALTERNATIVES]
        keys = [""] if endless else [str(position) for position in range(len(inside))]
    else:
        return None
    parts = [(_outline(part, depth + 1), key) for part, key in zip(inside, keys, strict=False)]
    known = [(part, key) for part, key in parts if part is not None]
    return Outline("display", parts=tuple(p for p, _ in known), keys=tuple(k for _, k in known))
