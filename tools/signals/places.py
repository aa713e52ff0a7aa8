"""What a file is for, told from its path: production code, tests, or examples.

The rules are those of pytest's and setuptools' default layouts; a path says nothing about who uses the
file, only how much a use in it weighs.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePosixPath

from repo_guardian.tools.views.facts.registry import language_of

_TEST_DIRS = frozenset({"test", "tests", "_tests", "unittests"})
_EXAMPLE_DIRS = frozenset(
    {"example", "examples", "doc", "docs", "demo", "demos", "benchmark", "benchmarks", "samples",
     "testing", "tutorial", "tutorials", "scripts", "ci", ".github"}
)  # fmt: skip
_TEST_FILES = ("test_", "conftest.")
_SCRIPT_FILES = frozenset({"setup.py", "noxfile.py", "fabfile.py", "tasks.py"})


class Place(StrEnum):
    """What a file is for."""

    PRODUCTION = "production"
    TEST = "test"
    EXAMPLE = "example"
    """Examples, documentation, benchmarks and maintenance scripts: read by users, not imported."""


def place(path: str) -> Place:
    """The place of a file, by its path relative to the tree.

    Only directories at the top, or a test directory anywhere, make a file something else: a package may
    well have a module folder called ``tools``.
    """
    parts = PurePosixPath(path).parts
    name = parts[-1] if parts else ""
    if any(part in _TEST_DIRS for part in parts[:-1]):
        return Place.TEST
    if name.startswith(_TEST_FILES) or name.removesuffix(".py").endswith("_test"):
        return Place.TEST
    top = parts[0] if len(parts) > 1 else ""
    if top in _EXAMPLE_DIRS or (len(parts) == 1 and name in _SCRIPT_FILES):
        return Place.EXAMPLE
    return Place.PRODUCTION


def is_production(path: str) -> bool:
    """Whether the file is neither test nor example."""
    return place(path) is Place.PRODUCTION


def is_python(path: str) -> bool:
    """Whether the file is Python source: the language whose contracts are known in detail."""
    return language_of(path) == "python"
