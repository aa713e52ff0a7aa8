"""What a tree declares that it needs, read from its files without running any of them.

Read so far: ``[project] dependencies`` of ``pyproject.toml`` (PEP 621) and ``[options] install_requires``
of ``setup.cfg``. A project that declares its dependencies as dynamic, or in ``setup.py`` alone, is
reported as such: the tests that need them will then show up as environment problems, not as evidence.
"""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Callable
from dataclasses import dataclass

Read = Callable[[str], bytes | None]
"""Content of a repository-relative path, None where there is no such file."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Requirement strings as written (a stranger's text), and what could not be read."""

    requirements: tuple[str, ...]
    problems: tuple[str, ...]


def declared_dependencies(read: Read) -> Declared:
    """The run-time dependencies of the tree behind ``read``; never raises for its content."""
    problems: list[str] = []
    requirements = _pyproject(read("pyproject.toml"), problems)
    if requirements is None:
        requirements = _setup_cfg(read("setup.cfg"), problems)
    if requirements is None and read("setup.py") is not None:
        problems.append("setup.py may declare dependencies; it is not run to find out")
    return Declared(tuple(dict.fromkeys(requirements or ())), tuple(problems))


def _pyproject(content: bytes | None, problems: list[str]) -> list[str] | None:
    if content is None:
        return None
    try:
        project = tomllib.loads(content.decode("utf-8")).get("project")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        problems.append(f"pyproject.toml cannot be read: {type(error).__name__}")
        return None
    if not isinstance(project, dict):
        return None
    if "dependencies" in _strings(project.get("dynamic")):
        problems.append("pyproject.toml leaves the dependencies to be computed by a build")
        return None
    return _strings(project.get("dependencies"))


def _setup_cfg(content: bytes | None, problems: list[str]) -> list[str] | None:
    if content is None:
        return None
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(content.decode("utf-8"))
    except (configparser.Error, UnicodeDecodeError) as error:
        problems.append(f"setup.cfg cannot be read: {type(error).__name__}")
        return None
    text = parser.get("options", "install_requires", fallback=None)
    if text is None:
        return None
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
