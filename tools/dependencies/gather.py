"""Puts together what the files of a tree declare, by a fixed order of precedence.

Run-time requirements come from the first that speaks of them: ``pyproject.toml`` (PEP 621, then poetry's
tables), ``setup.cfg``, ``setup.py``, ``Pipfile``, a requirements file. Test requirements are the union of
what is there for tests: extras and groups by name (see ``interface.test_names``), hatch environments,
requirements files for tests; only where that is nothing, ``tests_require`` and requirements files for
development, then ``tox.ini``, and then the requirements file of a project that declares elsewhere what it
installs. Pins come from one lock file and from ``-c`` includes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from repo_guardian.tools.dependencies.interface import (
    BuildSystem,
    Declared,
    Findings,
    Read,
    Requested,
    normalized,
    test_names,
)
from repo_guardian.tools.dependencies.locks import locked_versions
from repo_guardian.tools.dependencies.poetry import pipfile_findings
from repo_guardian.tools.dependencies.pyproject import build_system, load_pyproject, pyproject_findings
from repo_guardian.tools.dependencies.requirement_files import (
    DEVELOPMENT_FILES,
    RUNTIME_FILES,
    TEST_FILES,
    RequirementFiles,
    tox_requirements,
)
from repo_guardian.tools.dependencies.setup_files import setup_cfg_findings, setup_py_findings

_NAME = re.compile(r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[(?P<extras>[^\]]*)\])?")


def declared_dependencies(read: Read) -> Declared:
    """What the tree behind ``read`` needs; never raises for its content, and executes nothing of it."""
    problems: list[str] = []
    files = RequirementFiles(read)
    document = load_pyproject(read("pyproject.toml"), problems)
    found = [
        pyproject_findings(document, files),
        setup_cfg_findings(read("setup.cfg")),
        setup_py_findings(read("setup.py")),
        pipfile_findings(read),
    ]
    merged = _merge(found)
    requirements = merged.requirements
    if requirements is None:
        requirements = next((r for path in RUNTIME_FILES if (r := files.of(path)) is not None), [])
    tests = _tests(merged, files, read)
    pins = [*locked_versions(read, problems), *files.constraints]
    own = normalized(merged.name)
    return Declared(
        requirements=_unique(_expanded(requirements, own, merged.extras)),
        problems=tuple(dict.fromkeys([*problems, *merged.problems, *files.problems])),
        tests=_unique(_expanded(tests, own, merged.extras)),
        constraints=_unique(pins),
        build=_build(document, merged, read),
        requires_python=merged.requires_python,
        name=merged.name,
        version=merged.version,
        version_source=merged.version_source,
    )


def _merge(found: list[Findings]) -> Findings:
    merged = Findings()
    for one in found:
        if merged.requirements is None:
            merged.requirements = one.requirements
        merged.extras = {**one.extras, **merged.extras}
        merged.tests += one.tests
        merged.legacy_tests += one.legacy_tests
        merged.problems += one.problems
        merged.requires_python = merged.requires_python or one.requires_python
        merged.name = merged.name or one.name
        if not merged.version_source:
            merged.version = merged.version or one.version
        if not merged.version:
            merged.version_source = merged.version_source or one.version_source
    return merged


def _tests(merged: Findings, files: RequirementFiles, read: Read) -> list[Requested]:
    tests = list(merged.tests)
    for extra in test_names(merged.extras):
        tests += merged.extras[extra]
    tests += _listed(files, TEST_FILES)
    tests = tests or [*merged.legacy_tests, *_listed(files, DEVELOPMENT_FILES)]
    if not tests:
        tests, extras = tox_requirements(files, read)
        for extra in extras:
            tests += merged.extras.get(extra, [])
    if not tests and merged.requirements is not None:
        # What a package installs is declared elsewhere, so this file is for those who work on it.
        tests = _listed(files, RUNTIME_FILES)
    return tests


def _listed(files: RequirementFiles, paths: Iterable[str]) -> list[Requested]:
    return [item for path in paths for item in files.of(path) or []]


def _expanded(items: Iterable[Requested], own: str, extras: dict[str, list[Requested]]) -> list[Requested]:
    """``items`` with references to the project itself replaced by the extras that they name."""
    known = {normalized(name): wanted for name, wanted in extras.items()}
    found: list[Requested] = []
    entered: set[str] = set()
    queue = list(items)
    while queue:
        item = queue.pop(0)
        match = _NAME.match(item.text)
        itself = match is not None and own != "" and normalized(match["name"]) == own
        if item.text.strip() in (".", "-e .") or (itself and match is not None and not match["extras"]):
            continue
        if not itself or match is None:
            found.append(item)
            continue
        for extra in (normalized(name.strip()) for name in match["extras"].split(",")):
            if extra not in entered:
                entered.add(extra)
                queue += known.get(extra, [])
    return found


def _unique(items: Iterable[Requested]) -> tuple[Requested, ...]:
    return tuple({item.text: item for item in reversed(list(items))}.values())[::-1]


def _build(document: object, merged: Findings, read: Read) -> BuildSystem | None:
    """The build of an installable project: one that names itself, or has a ``setup.py`` that may."""
    if not merged.name and read("setup.py") is None:
        return None
    system = build_system(document if isinstance(document, dict) else {})
    if merged.version_source == "setuptools-scm" and system == BuildSystem():
        return replace(system, requires=(*system.requires, Requested("setuptools-scm", "setup.py")))
    return system
