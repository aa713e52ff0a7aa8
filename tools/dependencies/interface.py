"""The frozen values that readers of dependency declarations return."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

Read = Callable[[str], bytes | None]
"""Content of a repository-relative path, None where there is no such file."""

Choose = Callable[[Iterable[str]], list[str]]
"""Takes the names of groups or environments and returns those that count."""

DEFAULT_BACKEND = "setuptools.build_meta:__legacy__"
"""What PEP 517 prescribes for a tree that names no build backend."""


@dataclass(frozen=True, slots=True)
class Requested:
    """One requirement as written (a stranger's text), and the file, and table in it, that asks for it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class BuildSystem:
    """How the tree is built (PEP 517): the backend's object path, where in the tree it lies, its needs."""

    backend: str = DEFAULT_BACKEND
    backend_path: tuple[str, ...] = ()
    requires: tuple[Requested, ...] = (
        Requested("setuptools", "PEP 517"),
        Requested("wheel", "PEP 517"),
    )


@dataclass(frozen=True, slots=True)
class Declared:
    """What a tree needs.

    Attributes:
        requirements: to be imported.
        problems: what could not be read, a line each.
        tests: to run its tests, besides ``requirements``.
        constraints: ``name==version`` of what lock files pin, needed or not.
        build: how the project itself is built; None when the tree is no installable project.
        requires_python: version specifiers as written, "" when nothing is said.
        name: the distribution's name, "" when it cannot be known without a build.
        version: the same for its version.
        version_source: who computes the version when it is not written down: the name of a build plugin, or
            ``attr`` or ``file``; "" when that is not known.
    """

    requirements: tuple[Requested, ...] = ()
    problems: tuple[str, ...] = ()
    tests: tuple[Requested, ...] = ()
    constraints: tuple[Requested, ...] = ()
    build: BuildSystem | None = None
    requires_python: str = ""
    name: str = ""
    version: str = ""
    version_source: str = ""


@dataclass(slots=True)
class Findings:
    """What one reader found; ``requirements`` is None where the file does not speak about them.

    ``legacy_tests`` (``tests_require``) count for less: what they were read for, ``setup.py test``, is gone.
    """

    requirements: list[Requested] | None = None
    extras: dict[str, list[Requested]] = field(default_factory=dict)
    tests: list[Requested] = field(default_factory=list)
    legacy_tests: list[Requested] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    requires_python: str = ""
    name: str = ""
    version: str = ""
    version_source: str = ""


_TEST = re.compile(
    r"(unit-?|py|hatch-)?tests?(ing)?|tests?-(deps|requires|requirements|all|full|base|extras)"
)
_DEVELOPMENT = re.compile(r"dev|devel|develop|development|dev-dependencies|ci")


def normalized(name: str) -> str:
    """A project's, extra's or group's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_names(names: Iterable[str]) -> list[str]:
    """Those of ``names`` (of extras or groups) that serve tests, in order.

    All that are called test, tests, testing, unittest, pytest, test-deps and the like; only where there is
    none of these, those called dev, develop, development or ci, which often hold the same and more.
    """
    given = list(names)
    tests = [name for name in given if _TEST.fullmatch(normalized(name))]
    return tests or [name for name in given if _DEVELOPMENT.fullmatch(normalized(name))]


def strings(value: object) -> list[str]:
    """The strings in ``value`` when it is a list; a string alone counts as one. Anything else is nothing."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def table(value: object, *path: str) -> Mapping[str, object]:
    """The table at ``path`` below ``value``, an empty one where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def text(value: object) -> str:
    """``value`` when it is a string, else ""."""
    return value if isinstance(value, str) else ""
