"""Where a tree's own packages lie: what an installation of the project would make importable.

Read from folder names and from what ``pyproject.toml`` says of them; nothing is run, and no link is
followed. A layout with ``src/`` leaves the root itself out of the import path, so that the tests import
what a user would.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

_USUAL_ROOTS = ("src", "lib", "python")
_NO_CODE = frozenset({
    *("setup", "conftest", "noxfile", "tasks", "fabfile", "versioneer", "docs", "doc", "tests", "test"),
    *("testing", "examples", "example", "benchmarks", "benchmark", "scripts", "tools", "build", "dist", "ci"),
    *("requirements", "typing-examples", "ez_setup", "bench", "man"),
})  # fmt: skip
"""Names at the root of a tree that are not what it installs."""

_MOST_BYTES = 1024**2


@dataclass(frozen=True, slots=True)
class Layout:
    """``roots`` are repository-relative folders to import from ("" is the tree itself), in order;
    ``packages`` the top-level names that they offer.
    """

    roots: tuple[str, ...]
    packages: tuple[str, ...]


def find_layout(checkout: Path) -> Layout:
    """The import roots of the tree at ``checkout``; the tree itself where no package is recognised."""
    roots: dict[str, tuple[str, ...]] = {}
    for root in dict.fromkeys((*_declared_roots(checkout), *_USUAL_ROOTS, "")):
        names = tuple(sorted(_packages(checkout / root, nested=bool(root))))
        if names:
            roots[root] = names
    packages = tuple(dict.fromkeys(name for names in roots.values() for name in names))
    return Layout(tuple(roots) or ("",), packages)


def _packages(folder: Path, *, nested: bool) -> Iterator[str]:
    """Top-level modules and packages of one root; below a root of its own a package needs no ``__init__``."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for entry in folder.iterdir():
        name = entry.name.removesuffix(".py")
        if entry.is_symlink() or not name.isidentifier() or (not nested and name in _NO_CODE):
            continue
        if entry.is_file():
            if entry.name.endswith(".py"):
                yield name
        elif (entry / "__init__.py").is_file() or (nested and any(entry.glob("*.py"))):
            yield name


def _declared_roots(checkout: Path) -> Iterator[str]:
    """Folders that the common build back-ends are told to look in, as far as they are plain inner paths."""
    tool = _tool_tables(checkout / "pyproject.toml")
    setuptools = _table(tool, "setuptools")
    found: list[Any] = [_table(setuptools, "package-dir").get("")]
    found += _list(_table(setuptools, "packages", "find"), "where", of=str)
    found += [package.get("from") for package in _list(_table(tool, "poetry"), "packages")]
    wheel = _table(tool, "hatch", "build", "targets", "wheel")
    found += [PurePosixPath(path).parent.as_posix() for path in _list(wheel, "packages", of=str)]
    for text in found:
        if isinstance(text, str) and text.strip("./"):
            path = PurePosixPath(text)
            if not path.is_absolute() and ".." not in path.parts:
                yield path.as_posix()


def _tool_tables(path: Path) -> dict[str, Any]:
    try:
        if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
            return {}
        return _table(tomllib.loads(path.read_text(encoding="utf-8")), "tool")
    except (OSError, ValueError, RecursionError):
        return {}


def _table(value: Any, *names: str) -> dict[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _list(table: dict[str, Any], name: str, of: type = dict) -> list[Any]:
    value = table.get(name)
    return [item for item in value if isinstance(item, of)] if isinstance(value, list) else []
