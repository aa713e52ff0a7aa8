"""Which of the available Pythons runs a repository's code."""

from __future__ import annotations

from collections.abc import Sequence

from repo_guardian.errors import UsageError
from repo_guardian.sandbox.interface import PythonRuntime

OLDEST = (3, 8)
"""What the pinned runner, and the supervisor beside it, need at least."""


def choose_python(
    requires_python: str, runtimes: Sequence[PythonRuntime], *, wanted: tuple[int, int] | None = None
) -> tuple[PythonRuntime, str]:
    """The runtime to use, and a line on what is not as it should be (else "").

    The default (the first of ``runtimes``) where the repository allows it, since that is the one whose
    toolchains other repositories share; else the newest that it allows; where it allows none of them, or
    says nothing that can be understood, the default, and the line says so. A minor version is allowed when
    some patch release of it is, and when it is not older than ``OLDEST``.

    Raises:
        UsageError: ``wanted``, from ``guardian.toml``, is none of ``runtimes``.
    """
    if wanted is not None:
        chosen = next((runtime for runtime in runtimes if runtime.version == wanted), None)
        if chosen is None:
            there = ", ".join(_text(runtime.version) for runtime in runtimes)
            raise UsageError(f"there is no Python {_text(wanted)} in the sandbox", hint=f"there is {there}")
        return chosen, ""
    allowed = _allowed(requires_python, runtimes)
    if allowed is None:
        return runtimes[0], f"requires-python {requires_python[:80]!a} cannot be understood"
    if not allowed:
        return runtimes[0], f"no Python here satisfies {requires_python[:80]!a}"
    if runtimes[0] in allowed:
        return runtimes[0], ""
    return max(allowed, key=lambda runtime: runtime.version), ""


def _allowed(requires_python: str, runtimes: Sequence[PythonRuntime]) -> list[PythonRuntime] | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        specifier = SpecifierSet(requires_python)
    except InvalidSpecifier:
        return None
    return [
        runtime
        for runtime in runtimes
        if runtime.version >= OLDEST
        and any(specifier.contains(f"{_text(runtime.version)}.{patch}") for patch in (0, 1, 99))
    ]


def _text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
