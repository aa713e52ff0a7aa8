"""Names of a file's definitions that do not depend on where they stand."""

from __future__ import annotations

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts


def definition_paths(facts: FileFacts) -> list[str]:
    """For each definition its dotted path, with a number for each further definition of one path."""
    paths: list[str] = []
    seen: dict[str, int] = {}
    for definition in facts.definitions:
        parent = "" if definition.parent == MODULE_SCOPE else paths[definition.parent]
        path = f"{parent}.{definition.name}"
        count = seen[path] = seen.get(path, 0) + 1
        paths.append(path if count == 1 else f"{path}#{count}")
    return paths


def result_name(path: str) -> str:
    """The name under which ``local_key`` stands for what a function returns, yields and takes by default."""
    return f"{path}()"
