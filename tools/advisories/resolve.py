"""Versions for what no place pins: those that the toolchain of the commit's date installs.

That toolchain is the one that the repository's tests run with (``tools/execution/toolchains.py``), made from
wheels of the commit's day; it is made when it is not there yet, which needs the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.interface import Backend
from repo_guardian.tools.dependencies import Read, declared_dependencies
from repo_guardian.tools.dependencies.interface import normalized
from repo_guardian.tools.execution.toolchains import prepare_toolchains


@dataclass(frozen=True, slots=True)
class Resolved:
    """Versions by canonical name, None when nobody looked, and what went wrong, a line each."""

    versions: Mapping[str, str] | None
    problems: tuple[str, ...] = ()


async def resolve_versions(
    read: Read, backend: Backend, *, as_of: datetime, harness_root: Path, site_root: Path
) -> Resolved:
    """What the dependencies of the tree behind ``read`` resolve to for a commit made at ``as_of``.

    Never raises for dependencies that cannot be had: those stay without a version, and the reason is told.

    Raises:
        StateDirError: the folder of toolchains cannot be written.
    """
    try:
        made = await prepare_toolchains(
            backend, declared_dependencies(read), as_of=as_of, harness_root=harness_root, site_root=site_root
        )
    except ToolchainError as error:
        return Resolved({}, (str(error),))
    installed = made.site.resolved if made.site is not None else ()
    pairs = (text.partition("==") for text in installed)
    return Resolved({normalized(name): version for name, _, version in pairs}, made.problems)
