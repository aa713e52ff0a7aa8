"""What remains of a test file when everything is left out that one failing check does not need.

Static slicing (Weiser, "Program Slicing", ICSE 1981) as far as names go: of the file the imports, fixtures,
helpers and constants whose names the test mentions, transitively; of the test the statements before the
failing one that it needs, without their checks, and nothing after it. Whatever may act by itself (a bare
call, an automatic fixture, a hook of a test class) stays. The copy is a candidate: running it tells whether
it still fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from repo_guardian.tools.probes.templates.slicing import Cut, cuts, names_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_HOOKS = frozenset({
    *("setup_method", "teardown_method", "setup_class", "teardown_class", "setup", "teardown", "setUp"),
    *("tearDown", "setUpClass", "tearDownClass", "asyncSetUp", "asyncTearDown", "__init__"),
})  # fmt: skip
_MODULE_HOOKS = frozenset({
    *("setup_module", "teardown_module", "setUpModule", "tearDownModule", "setup_function"),
    *("teardown_function", "pytestmark", "pytest_plugins"),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Found:
    """The test's function, and the classes that it lies in, outermost first."""

    classes: tuple[ast.ClassDef, ...]
    function: _Function


def reduced(text: str, name: str, lines: Sequence[int]) -> str | None:
    """The smaller file; None when the test or its failing line cannot be told in the text.

    Args:
        text: the whole test file.
        name: what follows the path in the test's id, e.g. ``TestA::test_b[1-2]``.
        lines: lines of the file that the traceback went through, the innermost last.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = _find(tree, name)
    if found is None:
        return None
    function = found.function
    own = [line for line in lines if function.body[0].lineno <= line <= (function.end_lineno or 0)]
    if not own:
        return None
    writer = _Writer(text, found, cuts(function, own[-1]))
    return writer.write(tree)


def _find(tree: ast.Module, name: str) -> _Found | None:
    *owners, last = name.partition("[")[0].split("::")
    body: list[ast.stmt] = tree.body
    classes = []
    for owner in owners:
        inside = [node for node in body if isinstance(node, ast.ClassDef) and node.name == owner]
        if len(inside) != 1:
            return None
        classes.append(inside[0])
        body = inside[0].body
    tests = [n for n in body if isinstance(n, _Function) and n.name == last]
    return _Found(tuple(classes), tests[0]) if len(tests) == 1 else None


class _Writer:
    """Writes the file anew from the lines that are kept."""

    def __init__(self, text: str, found: _Found, cut: Cut) -> None:
        self._lines = text.split("\n")
        self._found = found
        self._cut = cut

    def write(self, tree: ast.Module) -> str:
        """The kept parts of the module, in their order."""
        needed = self._needed(tree)
        parts: list[tuple[bool, str]] = []
        for node in tree.body:
            top = self._found.classes[0] if self._found.classes else self._found.function
            if node is top:
                parts.append((False, self._test(0)))
            elif _stays(node, needed):
                parts.append((isinstance(node, (ast.Import, ast.ImportFrom)), self._text(node)))
        written = ""
        for number, (is_import, part) in enumerate(parts):
            together = number and is_import and parts[number - 1][0]
            written += ("" if not number else "\n" if together else "\n\n\n") + part
        return written + "\n"

    def _needed(self, tree: ast.Module) -> set[str]:
        """All names that the test mentions, and those that what binds them mentions, and so on."""
        needed = set(self._cut.names)
        for owner in self._found.classes:
            needed |= names_of([*owner.bases, *owner.decorator_list, *owner.keywords])
            needed |= names_of(node for node in owner.body if _stays_in_class(node, self._found, needed))
        waiting = [n for n in tree.body if n is not self._found.function and n not in self._found.classes]
        grew = True
        while grew:
            now = [node for node in waiting if _stays(node, needed)]
            waiting = [node for node in waiting if node not in now]
            needed |= names_of(now)
            grew = bool(now)
        return needed

    def _test(self, depth: int) -> str:
        """The test itself, inside what remains of its classes."""
        if depth == len(self._found.classes):
            return self._function()
        owner = self._found.classes[depth]
        inner: ast.stmt = (*self._found.classes, self._found.function)[depth + 1]
        first = min(node.lineno - 1 - len(getattr(node, "decorator_list", ())) for node in owner.body)
        head = "\n".join(self._lines[_start(owner) - 1 : max(first, owner.lineno)])
        kept = [
            self._test(depth + 1) if node is inner else self._text(node)
            for node in owner.body
            if node is inner or _stays_in_class(node, self._found, self._cut.names)
        ]
        return "\n\n".join([head.rstrip(), *kept])

    def _function(self) -> str:
        function = self._found.function
        written = []
        number = _start(function)
        while number <= (function.end_lineno or number):
            cut = self._cut.at(number)
            if cut is None:
                written.append(self._lines[number - 1])
                number += 1
            else:
                written += cut.instead
                number = cut.last + 1
        blank = [not line.strip() for line in written]
        first = next(i for i, line in enumerate(written) if line.rstrip().endswith(":"))
        kept = (line for i, line in enumerate(written) if not (blank[i] and (blank[i - 1] or i == first + 1)))
        return "\n".join(kept).rstrip()

    def _text(self, node: ast.stmt) -> str:
        return "\n".join(self._lines[_start(node) - 1 : node.end_lineno])


def _start(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _stays(node: ast.stmt, needed: set[str]) -> bool:
    """Whether a statement of the module binds what is needed, or may act by itself."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return True
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    bound = _bound([node])
    if bound & (needed | _MODULE_HOOKS) or "*" in bound:
        return True
    return isinstance(node, _Function) and _is_automatic(node)


def _stays_in_class(node: ast.stmt, found: _Found, needed: Iterable[str]) -> bool:
    """Hooks, automatic fixtures, attributes, and helpers that are mentioned; no other test."""
    if node is found.function or node in found.classes:
        return False
    if isinstance(node, _Function):
        return node.name in _HOOKS or _is_automatic(node) or node.name in set(needed)
    return not isinstance(node, ast.ClassDef)


def _is_automatic(node: _Function) -> bool:
    return any("autouse" in ast.unparse(decorator) for decorator in node.decorator_list)


def _bound(nodes: Iterable[ast.stmt]) -> set[str]:
    """The names that statements bind in their own scope, those inside ``if`` and ``try`` included."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
            found |= _fixture_names(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        else:
            for child in ast.walk(node):
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                    found.add(child.id)
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            waiting += [s for h in getattr(node, "handlers", ()) for s in h.body]
    return found


def _fixture_names(node: ast.stmt) -> set[str]:
    """The other name of ``@pytest.fixture(name="…")``."""
    keywords = [
        keyword
        for decorator in getattr(node, "decorator_list", ())
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
    ]
    return {k.value.value for k in keywords if k.arg == "name" and isinstance(k.value, ast.Constant)
            and isinstance(k.value.value, str)}  # fmt: skip
