"""``pyproject.toml``: PEP 621 and 735, the build system (PEP 518), and what some tools add."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from repo_guardian.tools.dependencies.interface import (
    BuildSystem,
    Choose,
    Findings,
    Requested,
    strings,
    table,
    test_names,
    text,
)
from repo_guardian.tools.dependencies.poetry import poetry_findings
from repo_guardian.tools.dependencies.requirement_files import RequirementFiles

FILE = "pyproject.toml"
_VERSION_PLUGINS = {
    "setuptools-scm": ("tool", "setuptools_scm"),
    "setuptools-git-versioning": ("tool", "setuptools-git-versioning"),
    "hatch-vcs": ("tool", "hatch", "version"),
    "pdm-backend": ("tool", "pdm", "version"),
    "versioningit": ("tool", "versioningit"),
    "flit": ("tool", "flit"),
}
"""Where the plugins that compute a version from the history are configured."""


def load_pyproject(content: bytes | None, problems: list[str]) -> Mapping[str, object]:
    """The document, an empty one where it is missing or cannot be read."""
    try:
        return tomllib.loads(content.decode("utf-8-sig")) if content is not None else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        problems.append(f"{FILE} cannot be read: {type(error).__name__}")
        return {}


def build_system(document: Mapping[str, object]) -> BuildSystem:
    """``[build-system]``, or what PEP 517 prescribes where it is missing or incomplete."""
    system = table(document, "build-system")
    requires = tuple(Requested(item, f"{FILE} [build-system]") for item in strings(system.get("requires")))
    default = BuildSystem()
    return BuildSystem(
        backend=text(system.get("build-backend")) or default.backend,
        backend_path=tuple(strings(system.get("backend-path"))),
        requires=requires if isinstance(system.get("requires"), list) else default.requires,
    )


def pyproject_findings(
    document: Mapping[str, object], files: RequirementFiles, *, choose: Choose = test_names
) -> Findings:
    """Everything that the document declares, the build system apart.

    ``choose`` says which groups and environments count, by default those for tests; ``list`` takes all.
    """
    findings = Findings()
    project = table(document, "project")
    dynamic = strings(project.get("dynamic"))
    if project:
        _project(document, project, dynamic, files, findings)
    _groups(document, findings, choose)
    poetry_findings(document, findings, choose=choose)
    _tools(document, findings, choose)
    if not findings.version and not findings.version_source:
        findings.version_source = _version_source(document)
    return findings


def _project(
    document: Mapping[str, object],
    project: Mapping[str, object],
    dynamic: list[str],
    files: RequirementFiles,
    findings: Findings,
) -> None:
    findings.name = text(project.get("name"))
    findings.version = text(project.get("version"))
    findings.requires_python = text(project.get("requires-python"))
    if "dependencies" in dynamic:
        findings.requirements = _from_files(document, files, "dependencies")
        if findings.requirements is None and not table(document, "tool", "poetry", "dependencies"):
            findings.problems.append(f"{FILE} leaves the dependencies to be computed by a build")
    else:
        findings.requirements = _requested(project.get("dependencies"), "[project]")
    for extra, items in table(project, "optional-dependencies").items():
        findings.extras[extra] = _requested(items, f"extra {extra}")
    if "optional-dependencies" in dynamic:
        for extra in table(document, "tool", "setuptools", "dynamic", "optional-dependencies"):
            found = _from_files(document, files, "optional-dependencies", extra)
            findings.extras[extra] = found or []


def _from_files(
    document: Mapping[str, object], files: RequirementFiles, *keys: str
) -> list[Requested] | None:
    paths = strings(table(document, "tool", "setuptools", "dynamic", *keys).get("file"))
    found = [files.of(path) for path in paths]
    return [item for items in found for item in items or []] if paths else None


def _groups(document: Mapping[str, object], findings: Findings, choose: Choose) -> None:
    groups = table(document, "dependency-groups")
    if not groups:
        return
    from packaging.dependency_groups import DependencyGroupResolver

    for name in choose(groups):
        try:
            resolved = DependencyGroupResolver(groups).resolve(name)  # type: ignore[arg-type]
        except (Exception, ExceptionGroup) as error:
            findings.problems.append(f"dependency group {name!a} cannot be read: {type(error).__name__}")
            continue
        findings.tests += [Requested(str(item), f"{FILE} group {name}") for item in resolved]


def _tools(document: Mapping[str, object], findings: Findings, choose: Choose) -> None:
    findings.tests += _requested(table(document, "tool", "uv").get("dev-dependencies"), "[tool.uv]")
    pdm = table(document, "tool", "pdm", "dev-dependencies")
    for name in choose(pdm):
        findings.tests += _requested(pdm[name], f"[tool.pdm] {name}")
    environments = table(document, "tool", "hatch", "envs")
    chosen = choose(environments) or [name for name in environments if name == "default"]
    for name in chosen:
        for key in ("dependencies", "extra-dependencies"):
            found = _requested(table(environments[name]).get(key), f"[tool.hatch] {name}")
            findings.tests += [item for item in found if "{" not in item.text]


def _requested(items: object, where: str) -> list[Requested]:
    return [Requested(item, f"{FILE} {where}") for item in strings(items)]


def _version_source(document: Mapping[str, object]) -> str:
    dynamic = table(document, "tool", "setuptools", "dynamic").get("version")
    if isinstance(dynamic, Mapping):
        return "attr" if "attr" in dynamic else "file"
    requires = " ".join(strings(table(document, "build-system").get("requires"))).lower().replace("_", "-")
    for plugin, place in _VERSION_PLUGINS.items():
        configured = table(document, *place)
        by_history = configured.get("source") in ("vcs", "scm") if plugin == "pdm-backend" else True
        if plugin in requires and by_history and (configured or plugin == "setuptools-scm"):
            return plugin
    return ""
