"""Which packages in which versions there are to scan: everything that a tree declares, pins and locks.

Wider than what a toolchain is made from (``tools/dependencies/gather.py``): every extra and group, the build
system, every requirements and lock file of the tree's own. A file counts as the tree's own where all folders
on its way are usual for that (``requirements/``, ``docs/``, ``tests/`` …); the others are named, not read,
unless asked for: test data and vendored projects hold many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from repo_guardian.tools.advisories.interface import Declarations, Mention, Subject
from repo_guardian.tools.dependencies import Declared, Read, Requested, declared_dependencies
from repo_guardian.tools.dependencies.interface import normalized
from repo_guardian.tools.dependencies.locks import every_pin
from repo_guardian.tools.dependencies.poetry import pipfile_findings
from repo_guardian.tools.dependencies.pyproject import load_pyproject, pyproject_findings
from repo_guardian.tools.dependencies.requirement_files import RequirementFiles
from repo_guardian.tools.dependencies.setup_files import setup_cfg_findings, setup_py_findings

if TYPE_CHECKING:
    from packaging.requirements import Requirement

UNPINNED = "no version is pinned: only a range, or a bare name, is declared"
UNRESOLVED = "no version is pinned, and the toolchain of the commit's date does not hold it"
ADDRESS = "comes from an address, not from a package index"

_OWN_FOLDERS = frozenset(
    {"requirements", "reqs", "requires", "docs", "doc", "test", "tests", "testing", "dev", "ci", "build"}
)
_REQUIREMENTS = re.compile(r"[\w.-]*(requirements|constraints)[\w.-]*\.(txt|in|lock)", re.IGNORECASE)
_LOCKS = re.compile(r"pylock(\.[\w-]+)?\.toml|(uv|poetry|pdm|Pipfile)\.lock")
_MOST_FILES = 200
_RESOLVED = Mention("", "needed by another")


@dataclass(slots=True)
class _Package:
    """What is said of one package: places by version, ranges without a marker, places without a version."""

    pins: dict[str, list[Mention]] = field(default_factory=dict)
    ranges: list[str] = field(default_factory=list)
    others: list[Mention] = field(default_factory=list)
    address: bool = False


def gather_declarations(
    read: Read,
    paths: Iterable[str],
    *,
    resolved: Mapping[str, str] | None = None,
    everywhere: bool = False,
    problems: Iterable[str] = (),
) -> Declarations:
    """What the tree behind ``read`` depends on; never raises for its content, and executes nothing of it.

    Args:
        read: content by path.
        paths: of all files of the tree.
        resolved: versions by canonical name, for packages that no place pins, and what they need in turn;
            None when nobody looked.
        everywhere: read requirements and lock files in any folder.
        problems: what is to be told before the problems found here.
    """
    own, others = _files(paths, everywhere=everywhere)
    told = list(problems)
    declared = declared_dependencies(read)
    requested = [*_declared(declared, read, told), *_from_files(read, own, told)]
    packages = _by_package(requested, normalized(declared.name), told)
    subjects = [one for name, package in packages.items() for one in _subjects(name, package, resolved)]
    subjects += [
        Subject(name, version, (_RESOLVED,), resolved=True)
        for name, version in (resolved or {}).items()
        if name not in packages and name != normalized(declared.name)
    ]
    return Declarations(
        subjects=tuple(sorted(subjects, key=lambda one: (one.name, one.version))),
        problems=tuple(dict.fromkeys([*declared.problems, *told])),
        unread=tuple(others),
    )


def _files(paths: Iterable[str], *, everywhere: bool) -> tuple[list[str], list[str]]:
    """Requirements and lock files: the tree's own, and the rest."""
    own: list[str] = []
    others: list[str] = []
    for path in sorted(paths):
        pure = PurePosixPath(path)
        listed = pure.parent.name in ("requirements", "reqs") and pure.suffix in (".txt", ".in")
        if not (_REQUIREMENTS.fullmatch(pure.name) or _LOCKS.fullmatch(pure.name) or listed):
            continue
        near = everywhere or all(part.lower() in _OWN_FOLDERS for part in pure.parts[:-1])
        (own if near and len(own) < _MOST_FILES else others).append(path)
    return own, others


def _declared(declared: Declared, read: Read, problems: list[str]) -> list[Requested]:
    """What each file says by itself, every extra and group, and what the build asks for by its own words."""
    document = load_pyproject(read("pyproject.toml"), [])
    findings = [
        pyproject_findings(document, RequirementFiles(read), choose=list),
        setup_cfg_findings(read("setup.cfg")),
        setup_py_findings(read("setup.py")),
        pipfile_findings(read),
    ]
    found = [*declared.requirements, *declared.tests, *declared.constraints]
    for one in findings:
        extras = (item for items in one.extras.values() for item in items)
        found += [*(one.requirements or ()), *extras, *one.tests, *one.legacy_tests]
        problems += one.problems
    build = declared.build.requires if declared.build is not None else ()
    return [*found, *(item for item in build if item.source.endswith("[build-system]"))]


def _from_files(read: Read, paths: Iterable[str], problems: list[str]) -> list[Requested]:
    files = RequirementFiles(read)
    found: list[Requested] = []
    for path in paths:
        if not _LOCKS.fullmatch(PurePosixPath(path).name):
            found += files.of(path) or []
            continue
        content = read(path)
        try:
            pins, elsewhere = every_pin(path, content) if content is not None else ([], [])
        except ValueError as error:
            problems.append(f"{path!a} cannot be read: {type(error).__name__}")
            continue
        found += [*pins, *(Requested(f"{name} @ file:///", path) for name in elsewhere)]
    problems += files.problems
    return [*found, *files.constraints]


def _by_package(requested: Iterable[Requested], own: str, problems: list[str]) -> dict[str, _Package]:
    from packaging.requirements import InvalidRequirement, Requirement

    packages: dict[str, _Package] = {}
    for item in dict.fromkeys(requested):
        try:
            requirement = Requirement(item.text)
        except InvalidRequirement:
            if item.text.strip() not in (".", "-e ."):
                problems.append(f"{item.source}: {item.text[:80]!a} is not a requirement by name and version")
            continue
        name = normalized(requirement.name)
        if name != own:
            _note(packages.setdefault(name, _Package()), requirement, item)
    return packages


def _note(package: _Package, requirement: Requirement, item: Requested) -> None:
    mention = Mention(item.text if requirement.url is None else requirement.name, item.source)
    exact = [one.version for one in requirement.specifier if one.operator in ("==", "===")]
    exact = [version for version in exact if not version.endswith(".*")]
    for version in exact:
        package.pins.setdefault(version, []).append(mention)
    if exact:
        return
    package.others.append(mention)
    package.address = package.address or requirement.url is not None
    # Ranges for some environments often exclude each other (numpy<2 for one Python, >=2 for the next).
    if requirement.specifier and requirement.marker is None:
        package.ranges.append(str(requirement.specifier))


def _subjects(name: str, package: _Package, resolved: Mapping[str, str] | None) -> Iterable[Subject]:
    ranges = tuple(dict.fromkeys(package.ranges))
    for version, mentions in package.pins.items():
        yield Subject(name, version, tuple(dict.fromkeys(mentions)), ranges)
    if package.pins:
        return
    mentions = list(dict.fromkeys(package.others))
    if resolved is not None and name in resolved and not package.address:
        yield Subject(name, resolved[name], tuple(mentions), ranges, resolved=True)
        return
    reason = ADDRESS if package.address else UNPINNED if resolved is None else UNRESOLVED
    yield Subject(name, "", tuple(mentions), ranges, reason=reason)
