"""``guardian.toml``: what the user, and never the watched repository, says about running its tests.

It lies outside the repository: in the repository's state directory, or where ``--config`` points. A file of
that name inside the repository is not read: whoever writes commits could otherwise choose what is run.

    python = "3.12"

    [requirements]
    add = ["pytest-httpbin"]          # to what the repository declares for its tests
    replace = ["attrs>=23"]           # everything that the repository declares

    [tests]
    arguments = ["-m", "not slow"]    # for pytest

    [environment]
    TZ = "UTC"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from repo_guardian.errors import UsageError

FILE_NAME = "guardian.toml"

_TABLES = {
    "": frozenset({"python", "requirements", "tests", "environment"}),
    "requirements": frozenset({"add", "replace"}),
    "tests": frozenset({"arguments"}),
}
_VARIABLE = re.compile(r"(?!PYTHON|GUARDIAN|LD_)[A-Za-z_][A-Za-z0-9_]*")
_HINT = "keys: python; requirements.add, .replace; tests.arguments; environment.NAME"


@dataclass(frozen=True, slots=True)
class Override:
    """The contents of a ``guardian.toml``; empty values override nothing.

    Attributes:
        python: ``(major, minor)``.
        add: requirements besides those that the repository declares.
        replace: requirements instead of those, None to keep them.
        test_arguments: for pytest, after our own.
        environment: variables of the code that runs.
    """

    python: tuple[int, int] | None = None
    add: tuple[str, ...] = ()
    replace: tuple[str, ...] | None = None
    test_arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def load_override(state: Path, *, config: Path | None = None, repository: Path | None = None) -> Override:
    """Read ``config``, or else ``guardian.toml`` in the state directory; an empty one where there is none.

    Args:
        state: the repository's state directory.
        config: the file that the user named; it must exist.
        repository: the watched work tree, in which the file may not lie.

    Raises:
        UsageError: the file cannot be read, lies in the repository, or has a key or value that it may not.
    """
    path = config if config is not None else state / FILE_NAME
    if config is None and not path.is_file():
        return Override()
    if repository is not None and path.resolve().is_relative_to(repository.resolve()):
        raise UsageError(f"{path} lies inside the watched repository", hint="keep it elsewhere")
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{path} cannot be read: {reason}", hint="it is a TOML file") from error
    return _parse(document, path)


def _parse(document: Mapping[str, object], path: Path) -> Override:
    requirements, tests = _table(document, "requirements", path), _table(document, "tests", path)
    for name, table in (("", document), ("requirements", requirements), ("tests", tests)):
        unknown = sorted(table.keys() - _TABLES[name])
        if unknown:
            shown = ", ".join(f"{name}.{key}" if name else key for key in unknown)
            raise UsageError(f"{path} has unknown keys: {ascii(shown)[1:-1]}", hint=_HINT)
    return Override(
        python=_python(document.get("python"), path),
        add=_strings(requirements.get("add", []), "requirements.add", path),
        replace=_strings(requirements["replace"], "requirements.replace", path)
        if "replace" in requirements
        else None,
        test_arguments=_strings(tests.get("arguments", []), "tests.arguments", path),
        environment=_environment(_table(document, "environment", path), path),
    )


def _table(document: Mapping[str, object], key: str, path: Path) -> Mapping[str, object]:
    value = document.get(key, {})
    if not isinstance(value, Mapping):
        raise UsageError(f"{path}: {key} is not a table", hint=_HINT)
    return value


def _strings(value: object, key: str, path: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and "\0" not in item for item in value):
        raise UsageError(f"{path}: {key} is not a list of strings", hint=_HINT)
    return tuple(value)


def _python(value: object, path: Path) -> tuple[int, int] | None:
    if value is None:
        return None
    match = re.fullmatch(r"(\d)\.(\d{1,2})", value) if isinstance(value, str) else None
    if match is None:
        raise UsageError(f'{path}: python is not of the form "3.12"', hint=_HINT)
    return int(match[1]), int(match[2])


def _environment(table: Mapping[str, object], path: Path) -> dict[str, str]:
    for name, value in table.items():
        if not _VARIABLE.fullmatch(name) or not isinstance(value, str) or "\0" in value:
            raise UsageError(
                f"{path}: environment.{ascii(name)[1:-1]} cannot be set",
                hint="values are strings; names that begin with PYTHON, GUARDIAN or LD_ are ours",
            )
    return {name: value for name, value in table.items() if isinstance(value, str)}
