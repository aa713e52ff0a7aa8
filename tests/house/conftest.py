"""What the structure tests look at: the shipped modules as syntax trees, under their import names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "repo_guardian"
CORE = "core"
"""The folder that is the root package itself; every other folder is a subpackage of the same name."""


@dataclass(frozen=True, slots=True)
class Module:
    """One shipped module: its path from the root of the tree, its import name, its text, its syntax."""

    path: PurePosixPath
    name: str
    source: str
    tree: ast.Module

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    def at(self, node: ast.AST) -> str:
        """``path:line`` of a node, for messages."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}"


def _make_module(path: str | PurePosixPath, source: str) -> Module:
    pure = PurePosixPath(path)
    parts = pure.with_suffix("").parts
    parts = parts[1:] if parts[0] == CORE else parts
    parts = parts[:-1] if parts and parts[-1] == "__init__" else parts
    return Module(pure, ".".join((PACKAGE, *parts)), source, ast.parse(source, str(pure)))


def _files(root: Path) -> list[PurePosixPath]:
    folders = [marker.parent for marker in root.glob("*/__init__.py")]
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return sorted(PurePosixPath(path.relative_to(root)) for path in found if "__pycache__" not in path.parts)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def shipped_files() -> list[PurePosixPath]:
    """Every file under a folder that ships, relative to the root."""
    return _files(ROOT)


@pytest.fixture(scope="session")
def modules(shipped_files: list[PurePosixPath]) -> list[Module]:
    """Every Python module that ships."""
    paths = [path for path in shipped_files if path.suffix == ".py"]
    assert len(paths) > 10, "the folders that ship were not found"
    return [_make_module(path, (ROOT / path).read_text(encoding="utf-8")) for path in paths]


@pytest.fixture(scope="session")
def make_module() -> Callable[[str, str], Module]:
    """Builds a module from a path and a text, to show that a rule sees a violation."""
    return _make_module


_SIZES: list[str] = []


@pytest.fixture
def record_sizes() -> Callable[[str, Sequence[int], int], None]:
    """Puts a distribution of sizes into the summary, so that growth is seen before a limit is hit."""

    def record(what: str, sizes: Sequence[int], p90: int) -> None:
        _SIZES.append(f"{what}: {len(sizes)}, {p90} lines at the 90th percentile, longest {max(sizes)}")

    return record


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the sizes that were measured."""
    if _SIZES:
        terminalreporter.section("sizes of what ships")
        for line in _SIZES:
            terminalreporter.write_line(line)
