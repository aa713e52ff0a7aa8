"""What the graph does not keep: what takes an assignment, which attributes are set, which calls must fail.

Read from the text of a file when a detector asks, each file at most once. Without a reader nothing is known,
and nothing is concluded.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when there is none."""


_ASSERTS = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
"""What pytest and unittest call the context in which an exception is expected."""
_MISFITS = frozenset({"TypeError", "Exception", "BaseException"})
"""What a call that does not bind raises, and its bases."""
_IGNORED = re.compile(r"#\s*type:\s*ignore\[[^\]]*\b(call-arg|call-overload)\b")
"""How an author tells a type checker that a call does not fit (mypy's error codes)."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """What one file says: which properties take an assignment, by qualified name, and what is stored.

    ``stored`` holds the attribute names that some statement stores (``x.name = …``, ``setattr`` with a
    literal), each with the name of the class in whose method ``self`` gets it, empty for any other receiver.
    """

    setters: frozenset[str]
    stored: frozenset[tuple[str, str]]

    def may_set(self, class_name: str, name: str) -> bool:
        """Whether an instance of the class may get the attribute here."""
        return (class_name, name) in self.stored or ("", name) in self.stored


class Sources:
    """The files of one commit.

    Args:
        read: where their text comes from; None when it cannot be had.
    """

    def __init__(self, read: Read | None) -> None:
        self._read = read
        self._known: dict[str, Attributes | None] = {}
        self._to_fail: dict[str, frozenset[int]] = {}

    def attributes(self, path: str) -> Attributes | None:
        """What the file says; None when it cannot be read or parsed."""
        if path not in self._known:
            data = self._read(path) if self._read is not None else None
            self._known[path] = _parse(data) if data is not None else None
        return self._known[path]

    def mentions(self, path: str, name: str) -> bool | None:
        """Whether the word stands in the file; None when that cannot be read."""
        data = self._read(path) if self._read is not None else None
        word = re.escape(name.encode("utf-8", "surrogatepass"))
        return None if data is None else re.search(rb"\b%b\b" % word, data) is not None

    def setters(self, path: str, name: str) -> tuple[int, int]:
        """How often the text decorates a setter of that name, and makes such a property by a call."""
        data = (self._read(path) if self._read is not None else None) or b""
        text = re.escape(name.encode("utf-8", "surrogatepass"))
        forms = (rb"@\s*%b\s*\.\s*setter\b", rb"\b%b\b[^=\n]*=\s*property\b")
        decorated, called = (len(re.findall(form % text, data)) for form in forms)
        return decorated, called

    def to_fail(self, path: str) -> frozenset[int]:
        """The lines, from 1, on which a call that does not bind is meant: expected to raise, or marked so."""
        if path not in self._to_fail:
            data = self._read(path) if self._read is not None else None
            self._to_fail[path] = frozenset(_lines_to_fail(data)) if data is not None else frozenset()
        return self._to_fail[path]


def _parse(data: bytes) -> Attributes | None:
    try:
        tree = ast.parse(data)
        return Attributes(frozenset(_setters(tree, "")), frozenset(_stored(tree)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _lines_to_fail(data: bytes) -> Iterator[int]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if b"ignore" in line and _IGNORED.search(line.decode("utf-8", "replace")):
            yield number
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(_expects(i.context_expr) for i in node.items):
            yield from range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)


def _expects(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call) or _name(context.func) not in _ASSERTS:
        return False
    given = [*context.args, *(keyword.value for keyword in context.keywords)]
    return any(isinstance(n, ast.Name) and n.id in _MISFITS for value in given for n in ast.walk(value))


def _setters(owner: ast.AST, prefix: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(owner):
        if isinstance(node, ast.ClassDef):
            yield from _setters(node, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list):
                yield f"{prefix}{node.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if isinstance(node.value.func, ast.Name) and node.value.func.id == "property":
                given = len(node.value.args) > 1 or any(k.arg == "fset" for k in node.value.keywords)
                yield from (f"{prefix}{t.id}" for t in node.targets if given and isinstance(t, ast.Name))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _setters(node, prefix)


def _stored(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Walks without recursion; what lies in a class keeps its name."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, owner = pending.pop()
        inside = node.name if isinstance(node, ast.ClassDef) else owner
        pending += [(child, inside) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield _receiver(node.value, owner), node.attr
        elif isinstance(node, ast.Call) and _name(node.func) in ("setattr", "__setattr__"):
            yield from (("", str(a.value)) for a in node.args if isinstance(a, ast.Constant))


def _receiver(value: ast.expr, owner: str) -> str:
    return owner if isinstance(value, ast.Name) and value.id == "self" else ""


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
