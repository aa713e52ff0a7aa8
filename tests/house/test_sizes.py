"""Sizes that keep the source readable: what one file, and what one function, may hold.

The goals are those of the best-kept projects of this kind, measured and then tightened: files under 300
lines and functions under 30 at the 90th percentile, no function over 80, no file over 330.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

FILE_LINES = 330
FILE_LINES_P90 = 300
FUNCTION_LINES = 80
FUNCTION_LINES_P90 = 30


def lines_of(module) -> int:
    """Lines of a file."""
    return module.source.count("\n")


def functions(module) -> list[tuple[int, str]]:
    """(lines, place) of every function, docstring included and decorators not."""
    return [
        (node.end_lineno - node.lineno + 1, f"{module.at(node)} {node.name}")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def p90(values: Sequence[int]) -> int:
    """The 90th percentile by nearest rank: at most a tenth of the values are larger."""
    ordered = sorted(values)
    return ordered[-(-len(ordered) * 9 // 10) - 1]


def test_files_are_short(modules, record_sizes):
    sizes = {str(module.path): lines_of(module) for module in modules}
    record_sizes("files", list(sizes.values()), p90(list(sizes.values())))
    assert {path: size for path, size in sizes.items() if size > FILE_LINES} == {}
    assert p90(list(sizes.values())) < FILE_LINES_P90


def test_functions_are_short(modules, record_sizes):
    sizes = [entry for module in modules for entry in functions(module)]
    record_sizes("functions", [size for size, _ in sizes], p90([size for size, _ in sizes]))
    assert [entry for entry in sizes if entry[0] > FUNCTION_LINES] == []
    assert p90([size for size, _ in sizes]) < FUNCTION_LINES_P90


def test_the_ruler_is_right(make_module):
    module = make_module("server/a.py", "@x\ndef f():\n    async def g():\n        pass\n    return g\n")
    assert [(size, place.split()[1]) for size, place in functions(module)] == [(4, "f"), (2, "g")]
    assert lines_of(module) == 5
    assert p90(range(1, 11)) == 9
    assert p90([7]) == 7
