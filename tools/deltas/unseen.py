"""Files that are no source code: whether a change of one can change what tests do.

Prose, pictures, settings of code hosts, editors, linters and of coverage do not. Of the files that hold
settings of many tools the parts that a test run reads are compared. Both sides of a comparison run on one
toolchain (DESIGN section 5), so that a changed dependency, requirement or lock file alone cannot show.
"""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from repo_guardian.tools.signals.places import Place, place

Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when it cannot be had."""

_PROSE = (
    ".md",
    ".rst",
    ".adoc",
    ".org",
    ".yml",
    ".yaml",
    ".cff",
    ".svg",
    ".png",
    ".ico",
    ".gif",
    ".jpg",
    ".pyi",
)
_NAMES = frozenset(
    {"license", "licence", "copying", "notice", "authors", "contributors", "codeowners", "makefile",
     "justfile", "dockerfile", "manifest.in", "py.typed",
     "uv.lock", "poetry.lock", "pdm.lock", "pixi.lock", "pipfile.lock",
     "ruff.toml", "mypy.ini", "pylintrc", "pyrightconfig.json", "renovate.json", "typos.toml"}
)  # fmt: skip
_FOLDERS = frozenset(
    {
        "docs",
        "doc",
        "bench",
        "benchmarks",
        "examples",
        ".github",
        ".circleci",
        ".gitlab",
        ".devcontainer",
        ".vscode",
        ".idea",
    }
)
_REQUIREMENTS = re.compile(r"(requirements|constraints)[^/]*(/[^/]+)?\.(txt|in)$", re.I)
_PROJECT_INERT = frozenset(
    {"version", "description", "readme", "authors", "maintainers", "license", "license-files", "keywords",
     "classifiers", "urls", "requires-python", "dependencies", "optional-dependencies"}
)  # fmt: skip
_TOOLS = frozenset(
    {"pytest", "setuptools", "setuptools_scm", "hatch", "flit", "poetry", "pdm", "maturin", "scikit-build",
     "meson-python", "cython", "asyncio", "hypothesis"}
)  # fmt: skip
"""Tables below ``tool`` that say how the code is built or tested."""
_SECTIONS = ("pytest", "tool:pytest", "options", "entry_points")


def unseen(path: str, read_base: Read, read_current: Read) -> str:
    """Why a change of a file that is no Python may reach every test; empty when it reaches none."""
    name = path.lower().rpartition("/")[2]
    if name in ("pyproject.toml", "setup.cfg", "tox.ini"):
        parts = _toml if name == "pyproject.toml" else _ini
        same = parts(read_base(path)) == parts(read_current(path)) is not None
        return "" if same else f"{path} says something else on how the code is built or tested"
    if (
        _REQUIREMENTS.search(path)
        or name in _NAMES
        or name.startswith(".")
        or path.partition("/")[0] in _FOLDERS
    ):
        return ""
    prose = name.endswith((*_PROSE, ".txt")) or "." not in name
    if prose and place(path) is not Place.TEST:
        return ""
    return f"{path} is not in the graph"


def _toml(content: bytes | None) -> Mapping[str, Any] | None:
    """What a test run may depend on; None where it cannot be told."""
    try:
        document = tomllib.loads((content or b"").decode())
    except (ValueError, RecursionError):
        return None
    project = {k: v for k, v in _table(document, "project").items() if k not in _PROJECT_INERT}
    build = _table(document, "build-system")
    return {
        "project": project,
        "build-system": {name: value for name, value in build.items() if name != "requires"},
        "tool": {name: value for name, value in _table(document, "tool").items() if name in _TOOLS},
    }


def _table(document: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def _ini(content: bytes | None) -> Mapping[str, Any] | None:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string((content or b"").decode())
    except (configparser.Error, ValueError):
        return None
    return {name: dict(parser[name]) for name in parser.sections() if name.lower().startswith(_SECTIONS)}
