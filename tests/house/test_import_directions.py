"""Imports go one way: client -> server.contract; server -> tools, memory_store; tools -> sandbox.

The composition root ``client/cli/`` alone may reach further. Everything may import the root package, its
errors and its vocabulary. Lazy imports, relative imports and names given as strings count like any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

PACKAGE = "repo_guardian"
SHARED = ("repo_guardian.errors", "repo_guardian.vocabulary")

# First match wins: a module under the left name may import what lies under the right ones.
ALLOWED = {
    "repo_guardian.client.cli": (
        "repo_guardian.client",
        "repo_guardian.server",
        "repo_guardian.tools",
        "repo_guardian.memory_store",
    ),
    "repo_guardian.client": ("repo_guardian.client", "repo_guardian.server.contract"),
    "repo_guardian.server.contract": ("repo_guardian.server.contract",),
    "repo_guardian.server": ("repo_guardian.server", "repo_guardian.tools", "repo_guardian.memory_store"),
    "repo_guardian.tools": ("repo_guardian.tools", "repo_guardian.sandbox"),
    "repo_guardian.sandbox": ("repo_guardian.sandbox",),
    "repo_guardian.memory_store": ("repo_guardian.memory_store",),
    "repo_guardian": (),
}

# Third-party packages that would give a part a job that is another part's.
HOMES = {
    "litellm": ("repo_guardian.client",),
    "minisweagent": ("repo_guardian.client",),
    "fastmcp": ("repo_guardian.client", "repo_guardian.server"),
    "mcp": ("repo_guardian.client", "repo_guardian.server"),
    "docker": ("repo_guardian.sandbox",),
    "sqlmodel": ("repo_guardian.memory_store",),
    "sqlalchemy": ("repo_guardian.memory_store",),
}

# A module's name in a string: whole, before an attribute ("…:run"), or the head of an f-string ("….").
IMPORT_NAME = re.compile(r"repo_guardian(\.[A-Za-z_]\w*)*(\.$|(?=:|$))")


def under(name: str, prefix: str) -> bool:
    """Whether ``name`` is ``prefix`` or lies below it."""
    return name == prefix or name.startswith(prefix + ".")


def imported(module, known: frozenset[str]) -> Iterator[tuple[ast.AST, str]]:
    """Yields every name that ``module`` imports, made absolute, with the place where it does so."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.package.split(".")
                base = ".".join([*above[: len(above) - node.level + 1], *filter(None, [node.module])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield node, full if full in known else base
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = IMPORT_NAME.match(node.value)
            if match is not None:
                yield node, f"{PACKAGE}.*" if match.group() == f"{PACKAGE}." else match.group().rstrip(".")


def violations(modules) -> list[str]:
    """One line per import that goes the wrong way."""
    known = frozenset(module.name for module in modules)
    folders = {module.path.parts[0] for module in modules} - {"core"}
    found = []
    for module in modules:
        allowed = next(right for left, right in ALLOWED.items() if under(module.name, left))
        for node, name in imported(module, known):
            top = name.partition(".")[0]
            homes = HOMES.get(top)
            if top in folders:
                found.append(f"{module.at(node)} imports {name} without {PACKAGE} before it")
            elif homes and not any(under(module.name, home) for home in homes):
                found.append(f"{module.at(node)} imports {name}, which belongs in {' and '.join(homes)}")
            elif top == PACKAGE and name != PACKAGE and not any(under(name, ok) for ok in SHARED + allowed):
                found.append(f"{module.at(node)} imports {name}")
    return list(dict.fromkeys(found))


def test_imports_go_one_way(modules):
    found = violations(modules)
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("client/loop/a.py", "import repo_guardian.server.app"),
        ("client/loop/a.py", "from repo_guardian.server import app"),
        ("client/loop/a.py", "from repo_guardian import tools"),
        ("client/loop/a.py", "from ...memory_store import store"),
        ("client/policy/a.py", "def f():\n    from repo_guardian.tools.git import mirror"),
        ("client/policy/a.py", "import importlib\nimportlib.import_module('repo_guardian.sandbox.registry')"),
        ("client/policy/a.py", "LAZY = {'drift': 'repo_guardian.tools.drift:run'}"),
        ("server/contract/a.py", "from repo_guardian.tools.signals.interface import Signal"),
        ("server/contract/a.py", "from .. import app"),
        ("server/a.py", "from repo_guardian.client.loop import outer"),
        ("server/a.py", "from repo_guardian.sandbox.interface import Limits"),
        ("tools/git/a.py", "from repo_guardian.memory_store import store"),
        ("tools/git/a.py", "name = 'x'\nmodule = f'repo_guardian.server.{name}'"),
        ("tools/git/a.py", "name = 'x'\nmodule = f'repo_guardian.{name}'"),
        ("sandbox/a.py", "from repo_guardian.tools import git"),
        ("memory_store/a.py", "from repo_guardian.server.contract import wire"),
        ("core/a.py", "from repo_guardian.sandbox import interface"),
        ("tools/a.py", "import sandbox.interface"),
        ("tools/a.py", "import litellm"),
        ("memory_store/a.py", "from mcp.types import Tool"),
        ("server/a.py", "import docker"),
        ("server/a.py", "def f():\n    import sqlalchemy.orm"),
    ],
)
def test_a_wrong_import_is_seen(modules, make_module, path, source):
    stubs = [make_module("server/app.py", ""), make_module("tools/drift.py", "")]
    planted = make_module(path, source)
    assert [line for line in violations([*modules, *stubs, planted]) if line.startswith(path)]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("client/loop/a.py", "from repo_guardian.server import contract"),
        ("client/cli/a.py", "from repo_guardian.memory_store import store"),
        ("server/a.py", "from repo_guardian import __version__, errors"),
        ("tools/a.py", "from repo_guardian.sandbox.interface import Limits\nimport logging"),
    ],
)
def test_a_right_import_is_left_alone(modules, make_module, path, source):
    planted = make_module(path, source)
    assert [line for line in violations([*modules, planted]) if line.startswith(path)] == []
