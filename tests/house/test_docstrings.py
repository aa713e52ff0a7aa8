"""Every module says what it is for, and every public name says what it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# Described where the name is first defined.
DESCRIBED_ELSEWHERE = {"overload", "override", "setter", "deleter"}


def public_definitions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yields public functions and classes, and those inside public classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If | ast.Try):
            yield from public_definitions(child)
        if not isinstance(child, DEFINITIONS) or child.name.startswith("_"):
            continue
        decorators = {ast.unparse(d).rpartition(".")[2] for d in child.decorator_list}
        if not decorators & DESCRIBED_ELSEWHERE:
            yield child
        if isinstance(child, ast.ClassDef):
            yield from public_definitions(child)


def violations(modules) -> list[str]:
    """One line per module or public name without a docstring."""
    found = [
        f"{module.path} does not say what it is for"
        for module in modules
        if not ast.get_docstring(module.tree)
    ]
    return found + [
        f"{module.at(node)} {node.name} has no docstring"
        for module in modules
        for node in public_definitions(module.tree)
        if not ast.get_docstring(node)
    ]


def test_everything_public_is_described(modules):
    found = violations(modules)
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "'''m'''\ndef f(): pass",
        "'''m'''\nasync def f(): pass",
        "'''m'''\nclass C:\n    '''c'''\n    @property\n    def p(self): pass",
        "'''m'''\nclass C:\n    def _p(self): pass",
        "'''m'''\nif x:\n    def f(): pass",
    ],
)
def test_a_missing_docstring_is_seen(make_module, source):
    assert len(violations([make_module("tools/a.py", source)])) == 1


def test_private_names_and_overrides_are_left_alone(make_module):
    source = (
        "'''m'''\ndef _f(): pass\nclass C:\n    '''c'''\n"
        "    def __len__(self): pass\n    @override\n    def g(self): pass\n"
    )
    assert violations([make_module("tools/a.py", source)]) == []
