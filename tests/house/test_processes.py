"""One place starts processes: ``sandbox/``, and ``tools/git/command.py`` for git on the mirror.

And nowhere, there included, does a shell parse a string or a stranger's bytes become code or objects. What
is mounted into a sandbox to replay recorded calls, and to try what it writes for a value, is the one
exception: it makes objects there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

MAY_START = re.compile(r"sandbox/.*|tools/git/command\.py")
MAY_UNPICKLE = re.compile(r"sandbox/guest/guardian_behaviour/(inputs|sources)\.py")

# Dotted names, matched against what each import and attribute chain resolves to.
STARTS = re.compile(
    r"(subprocess|multiprocessing|pty|_posixsubprocess|ctypes|webbrowser|pexpect|sh|plumbum)(\..*)?"
    r"|(os|posix)\.(fork|forkpty|exec[lv]\w*|spawn\w+|posix_spawnp?|startfile)"
    r"|asyncio\.(subprocess(\..*)?|create_subprocess_exec)"
    r"|(anyio|trio)\.(run_process|open_process|to_process(\..*)?)"
    r"|concurrent\.futures\.(process(\..*)?|ProcessPoolExecutor)"
    r"|click\.(edit|launch|echo_via_pager)"
    r"|(mcp|fastmcp)\..*([Ss]tdio_client|StdioTransport)"
)
SHELL = re.compile(
    r"os\.(system|popen)|subprocess\.(getoutput|getstatusoutput)|asyncio\.create_subprocess_shell"
)
UNSAFE = re.compile(
    r"(builtins\.)?(eval|exec)|(pickle|_pickle|cPickle|dill|cloudpickle|joblib|marshal|shelve|runpy)(\..*)?"
    r"|yaml\.(load|load_all|unsafe_load|unsafe_load_all|full_load)"
)


def aliases(tree: ast.Module) -> dict[str, str]:
    """What each imported local name stands for, wherever in the module the import is."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    """The absolute dotted name of an expression, None when it is not one that can be known."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id if node.id in ("eval", "exec") else None)
    if isinstance(node, ast.Attribute) and (base := dotted(node.value, names)) is not None:
        return f"{base}.{node.attr}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) >= 1:
        literal = [a.value if isinstance(a, ast.Constant) else None for a in node.args]
        if node.func.id == "__import__":
            return str(literal[0])
        if node.func.id == "getattr" and len(literal) > 1 and (base := dotted(node.args[0], names)):
            return f"{base}.{literal[1]}"
    if isinstance(node, ast.Call) and dotted(node.func, names) == "importlib.import_module":
        first = node.args[0] if node.args else None
        return str(first.value) if isinstance(first, ast.Constant) else None
    return None


def used(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yields every dotted name that the module imports or mentions."""
    names = aliases(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Name | ast.Attribute | ast.Call) and (name := dotted(node, names)):
            yield node, name


def shells(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yields every call with ``shell=`` set to anything but a literal False."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "shell":
            harmless = isinstance(node.value, ast.Constant) and node.value.value is False
            yield from () if harmless else [(node, "shell=")]


def violations(modules) -> list[str]:
    """One line per use of something that the module may not use."""
    found = []
    for module in modules:
        may_start = MAY_START.fullmatch(str(module.path)) is not None
        for node, name in used(module.tree):
            if STARTS.fullmatch(name) and not may_start:
                found.append(f"{module.at(node)} may not start processes: {name}")
            elif SHELL.fullmatch(name):
                found.append(f"{module.at(node)} hands a string to a shell: {name}")
            elif UNSAFE.fullmatch(name) and not MAY_UNPICKLE.fullmatch(str(module.path)):
                found.append(f"{module.at(node)} turns data into code or objects: {name}")
        for node, name in shells(module.tree):
            found.append(f"{module.at(node)} hands a string to a shell: {name}")
    return sorted(set(found))


def test_processes_start_in_one_place(modules):
    found = violations(modules)
    assert not found, "\n".join(["", *found])


ANYWHERE = [
    "import os\nos.system('ls')",
    "from os import popen",
    "import asyncio\nasyncio.create_subprocess_shell('ls')",
    "def run(start):\n    start('ls', shell=True)",
    "def run(start, how):\n    start('ls', shell=how)",
    "eval('1')",
    "run = exec",
    "import builtins\nbuiltins.eval('1')",
    "import pickle",
    "from marshal import loads",
    "def f():\n    import runpy",
    "import yaml\nyaml.load('a')",
]
ELSEWHERE = [
    "import subprocess",
    "def f():\n    import subprocess as quiet",
    "from subprocess import run",
    "import os as o\no.execvp('ls', ['ls'])",
    "import os\nos.fork()",
    "import os\ngetattr(os, 'posix_spawn')('ls', [], {})",
    "import pty",
    "import multiprocessing.pool",
    "from concurrent.futures import ProcessPoolExecutor",
    "import asyncio\nasyncio.create_subprocess_exec('ls')",
    "from asyncio import subprocess",
    "import anyio\nanyio.run_process(['ls'])",
    "from anyio import open_process",
    "import ctypes",
    "import click\nclick.launch('x')",
    "__import__('subprocess').run(['ls'])",
    "import importlib\nimportlib.import_module('subprocess')",
    "from fastmcp.client.transports import StdioTransport",
]


@pytest.mark.parametrize("source", ANYWHERE)
@pytest.mark.parametrize("path", ["sandbox/bubblewrap/a.py", "tools/git/command.py", "server/a.py"])
def test_shells_and_code_from_data_are_seen_everywhere(make_module, path, source):
    assert violations([make_module(path, source)])


@pytest.mark.parametrize("source", ELSEWHERE)
def test_a_process_is_seen_where_none_may_start(make_module, source):
    for path in ("client/a.py", "tools/git/mirror.py", "tools/sandbox/a.py", "core/a.py"):
        assert violations([make_module(path, source)])
    assert violations([make_module("sandbox/a.py", source)]) == []


def test_what_only_looks_alike_is_left_alone(make_module):
    source = (
        "import ast, os, asyncio\n"
        "ast.literal_eval('1'); session.exec(query); os.path.join('a'); asyncio.run(f())\n"
        "start(argv, shell=False)\n"
    )
    assert violations([make_module("server/a.py", source)]) == []
