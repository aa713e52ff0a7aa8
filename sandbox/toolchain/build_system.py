"""``[build-system]`` of a source distribution's ``pyproject.toml`` (PEP 517, PEP 518)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from repo_guardian.errors import BuildFailedError


@dataclass(frozen=True, slots=True)
class SourceBuildSystem:
    """The backend's object path, where in the tree it lies, and what it needs."""

    backend: str = "setuptools.build_meta:__legacy__"
    backend_path: tuple[str, ...] = ()
    requires: tuple[str, ...] = ("setuptools", "wheel")


def parse_build_system(content: bytes) -> SourceBuildSystem:
    """Read the table; what is missing is as PEP 517 prescribes.

    Raises:
        BuildFailedError: it is not TOML, or not of that form.
    """
    default = SourceBuildSystem()
    try:
        table = tomllib.loads(content.decode("utf-8-sig")).get("build-system", {})
        requires = table.get("requires", list(default.requires))
        path = table.get("backend-path", [])
        backend = table.get("build-backend", default.backend)
    except (ValueError, RecursionError, AttributeError) as error:
        raise BuildFailedError(
            f"cannot build: pyproject.toml cannot be read: {type(error).__name__}"
        ) from error
    lists = [requires, path]
    if not all(isinstance(part, list) and all(isinstance(item, str) for item in part) for part in lists):
        raise BuildFailedError("cannot build: [build-system] has values of a wrong type")
    return SourceBuildSystem(str(backend), tuple(path), tuple(requires))
