"""The whole standard library of the interpreter that runs the tests, compared with ``ast``."""

from __future__ import annotations

import ast
import gc
import sysconfig
import warnings
from pathlib import Path

import pytest

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link
from repo_guardian.tools.views.symbol_graph.modules import Layout

LIBRARY = Path(sysconfig.get_path("stdlib"))
EVERY = 3
"""``ast`` is compared on every third file; all files are extracted and linked."""


@pytest.fixture(scope="module")
def blobs():
    files = sorted(p for p in LIBRARY.rglob("*.py") if "site-packages" not in p.parts)
    return {path.relative_to(LIBRARY).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def facts(blobs):
    extractor, limits = PythonExtractor(), ExtractLimits()
    gc.disable()
    try:
        return {path: extractor.extract(blob, limits) for path, blob in blobs.items()}
    finally:
        gc.enable()


def parameters(arguments):
    out = [(a.arg, "positional_only") for a in arguments.posonlyargs]
    out += [(a.arg, "positional_or_keyword") for a in arguments.args]
    out += [(arguments.vararg.arg, "var_positional")] if arguments.vararg else []
    out += [(a.arg, "keyword_only") for a in arguments.kwonlyargs]
    return out + ([(arguments.kwarg.arg, "var_keyword")] if arguments.kwarg else [])


def expected_definitions(tree):
    """(qualified name, first line, last line, parameters) of every def and class, in source order."""
    out = []
    stack = [(tree, "")]
    while stack:
        node, prefix = stack.pop()
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}.{child.name}"
                first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
                arguments = None if isinstance(child, ast.ClassDef) else parameters(child.args)
                out.append((name, first, child.end_lineno, arguments))
            stack.append((child, name))
    return sorted(out, key=repr)


def found_definitions(facts):
    out, names = [], []
    for d in facts.definitions:
        name = (names[d.parent] if d.parent >= 0 else "") + f".{d.name}"
        names.append(name)
        if d.kind != "variable" and not d.name.startswith("<lambda"):
            signature = d.signature
            arguments = None if signature is None else [(p.name, p.kind.value) for p in signature.parameters]
            out.append((name, d.region[0], d.region[1], arguments))
    return sorted(out, key=repr)


def parsed(blob):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(blob)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def test_definitions_lines_and_parameters_are_those_of_ast(blobs, facts):
    compared, different = 0, []
    for path in list(blobs)[::EVERY]:
        tree = parsed(blobs[path])
        if tree is None:
            continue
        compared += 1
        if found_definitions(facts[path]) != expected_definitions(tree):
            different.append(path)
    assert compared > 100
    assert different == []


def test_files_that_python_accepts_have_no_problem(blobs, facts):
    noted = {path: entry.problem for path, entry in facts.items() if entry.problem}
    accepted = {path: problem for path, problem in noted.items() if parsed(blobs[path]) is not None}
    # Those that test odd syntax: ``print >>f, x``, ``from __future__ import *``, attributes after a newline.
    assert all(path.startswith("test/") for path in accepted), accepted
    assert len(accepted) <= 5


def test_the_whole_library_links(facts):
    gc.disable()
    try:
        graph = link("a" * 40, facts)
    finally:
        gc.enable()
    layout = Layout(facts)
    assert len({file.id for file in layout.files.values()}) == len(facts)
    assert {file.id for file in layout.files.values()} <= set(graph.symbols)
    encoders = {e.source for e in graph.uses("json.encoder.JSONEncoder.encode") if e.kind.value == "call"}
    assert "json.dumps" in encoders
    assert graph.symbols["json.dumps"].signature.render().startswith("(obj, *, skipkeys=False")
