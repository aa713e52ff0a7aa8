"""``guardian --help`` stays quick because it imports almost nothing; the imports are what is tested.

Time is measured by ``benchmarks/cli_startup.py``, where a slow machine fails no test.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "fastmcp",
    "mcp",
    "sqlmodel",
    "sqlalchemy",
    "pydantic",
    "docker",
    "tree_sitter",
    "rich",
    "jinja2",
    "litellm",
    "anyio",
    "asyncio",
)

SCRIPT = """
import sys
{statement}
print("imported:", *sorted(set(sys.modules) & set({heavy!r})))
"""

HELP = """
from click.testing import CliRunner
from repo_guardian.client.cli.main import cli
result = CliRunner().invoke(cli, ["--help"])
assert result.exit_code == 0, result.output
"""


def heavy_imports(statement: str) -> list[str]:
    """The heavy modules that a fresh interpreter has imported after ``statement``."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(statement=statement, heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]


def test_help_imports_nothing_heavy():
    assert heavy_imports(HELP) == []


@pytest.mark.parametrize("package", ["client", "client.cli", "server", "tools", "sandbox", "memory_store"])
def test_packages_import_nothing_heavy_by_themselves(package):
    assert heavy_imports(f"import repo_guardian.{package}") == []


def test_a_heavy_import_is_seen():
    assert heavy_imports("import jinja2.nodes, rich") == ["jinja2", "rich"]
