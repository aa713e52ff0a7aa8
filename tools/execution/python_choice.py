"""Which of the available Pythons runs a repository's code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from repo_guardian.errors import UsageError
from repo_guardian.sandbox.interface import PythonRuntime

OLDEST = (3, 8)
"""What the pinned runner, and the supervisor beside it, need at least."""


_RELEASED = {
    (3, 9): datetime(2020, 10, 5, tzinfo=UTC),
    (3, 10): datetime(2021, 10, 4, tzinfo=UTC),
    (3, 11): datetime(2022, 10, 24, tzinfo=UTC),
    (3, 12): datetime(2023, 10, 2, tzinfo=UTC),
    (3, 13): datetime(2024, 10, 7, tzinfo=UTC),
    (3, 14): datetime(2025, 10, 7, tzinfo=UTC),
}
"""First releases, by PEPs 596, 619, 664, 693, 719 and 745; those not listed count as always there."""


def choose_python(
    requires_python: str,
    runtimes: Sequence[PythonRuntime],
    *,
    wanted: tuple[int, int] | None = None,
    as_of: datetime | None = None,
) -> tuple[PythonRuntime, str]:
    """The runtime to use, and a line on what is not as it should be (else "").

    The default (the first of ``runtimes``) where the repository allows it, since that is the one whose
    toolchains other repositories share; else the newest that it allows; where it allows none of them, or
    says nothing that can be understood, the default, and the line says so. A minor version is allowed when
    some patch release of it is, and when it is not older than ``OLDEST``.

    With ``as_of`` a Python that was not released by then is not the first choice: the dependencies are those
    of that day, and many of them, old pytests for one, do not start on a later Python. Where there is none
    that old, the oldest is taken.

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
    out = [runtime for runtime in allowed if _was_out(runtime, as_of)]
    if not out:
        return min(allowed, key=lambda runtime: runtime.version), ""
    if runtimes[0] in out:
        return runtimes[0], ""
    return max(out, key=lambda runtime: runtime.version), ""


def _was_out(runtime: PythonRuntime, as_of: datetime | None) -> bool:
    released = _RELEASED.get(runtime.version)
    return as_of is None or released is None or released <= as_of


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
