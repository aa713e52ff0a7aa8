"""Tables of version ranges by name: poetry's from before PEP 621, and those of a ``Pipfile``.

Poetry's own range syntax (``^1.2``, ``~1.2``, ``1.*``, a bare ``1.2``) is translated by the rules of
https://python-poetry.org/docs/dependency-specification/ into PEP 440 specifiers.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from repo_guardian.tools.dependencies.interface import (
    Choose,
    Findings,
    Read,
    Requested,
    normalized,
    strings,
    table,
    test_names,
    text,
)

_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)((?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?)", re.I)


def poetry_findings(
    document: Mapping[str, object], findings: Findings, *, choose: Choose = test_names
) -> None:
    """Add what ``[tool.poetry]`` declares, of groups those that ``choose`` takes.

    Leaves what ``[project]`` has said already as it is.
    """
    tool = table(document, "tool", "poetry")
    source = "pyproject.toml [tool.poetry]"
    main = table(tool, "dependencies")
    if main and findings.requirements is None:
        findings.requirements = _table(main, source, findings.problems)
        findings.requires_python = findings.requires_python or _range(text(main.get("python")))
    for extra, names in table(tool, "extras").items():
        wanted = {normalized(name) for name in strings(names)}
        chosen = {name: spec for name, spec in main.items() if normalized(name) in wanted}
        findings.extras.setdefault(extra, _table(chosen, source, findings.problems, optional=True))
    groups = {name: table(group, "dependencies") for name, group in table(tool, "group").items()}
    for name in choose(groups):
        findings.tests += _table(groups[name], f"{source} group {name}", findings.problems)
    findings.tests += _table(table(tool, "dev-dependencies"), f"{source} dev", findings.problems)
    findings.name = findings.name or text(tool.get("name"))
    findings.version = findings.version or text(tool.get("version"))
    if table(document, "tool", "poetry-dynamic-versioning").get("enable"):
        findings.version, findings.version_source = "", "poetry-dynamic-versioning"


def pipfile_findings(read: Read) -> Findings:
    """What a ``Pipfile`` declares."""
    findings = Findings()
    content = read("Pipfile")
    try:
        document = tomllib.loads(content.decode("utf-8")) if content is not None else {}
    except (ValueError, RecursionError) as error:
        findings.problems.append(f"Pipfile cannot be read: {type(error).__name__}")
        return findings
    if table(document, "packages"):
        findings.requirements = _table(table(document, "packages"), "Pipfile", findings.problems)
    findings.tests = _table(table(document, "dev-packages"), "Pipfile dev", findings.problems)
    return findings


def _table(
    entries: Mapping[str, object], source: str, problems: list[str], *, optional: bool = False
) -> list[Requested]:
    found: list[Requested] = []
    for name, value in entries.items():
        if name == "python":
            continue
        for entry in value if isinstance(value, list) else [value]:
            spec = {"version": entry} if isinstance(entry, str) else table(entry)
            if spec.get("optional") and not optional:
                continue
            if not isinstance(spec.get("version", "*"), str) or spec.keys() & {"git", "path", "url", "file"}:
                problems.append(f"{source}: {name[:80]!a} is no release of an index and is left out")
                continue
            found.append(Requested(_requirement(name, spec), source))
    return found


def _requirement(name: str, spec: Mapping[str, object]) -> str:
    extras = ",".join(strings(spec.get("extras")))
    markers = [text(spec.get("markers"))]
    for part in _range(text(spec.get("python"))).split(","):
        match = re.fullmatch(r"(~=|[<>=!]=?)\s*(\S+)", part)
        if match is not None:
            markers.append(f'python_version {match[1]} "{match[2]}"')
    marker = " and ".join(f"({marker})" for marker in markers if marker)
    version = _range(text(spec.get("version", "*")))
    return f"{name}{f'[{extras}]' if extras else ''}{version}{f' ; {marker}' if marker else ''}"


def _range(written: str) -> str:
    """PEP 440 specifiers for poetry's; alternatives (``||``) give no bound, rather than a wrong one."""
    if "|" in written:
        return ""
    parts = re.sub(r"([\^~<>=!]=?|=)\s+", r"\1", written.strip()).replace(" ", ",").split(",")
    return ",".join(filter(None, (_bound(part.strip()) for part in parts)))


def _bound(part: str) -> str:
    if part in ("", "*") or part.startswith(("<", ">", "!", "==", "~=")):
        return "" if part == "*" else part
    match = _VERSION.fullmatch(part.lstrip("^~="))
    if match is None:
        return f"=={part.lstrip('=')}"
    numbers = [int(number) for number in match[1].split(".")]
    if part.startswith("^"):
        # The leftmost number that is not zero may not change.
        place = next((i for i, number in enumerate(numbers) if number), len(numbers) - 1)
    elif part.startswith("~"):
        place = min(1, len(numbers) - 1)
    else:
        return f"=={part.removeprefix('=')}"
    upper = [*numbers[:place], numbers[place] + 1]
    return f">={match[1]}{match[2]},<{'.'.join(map(str, upper))}"
