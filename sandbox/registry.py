"""The backends by the string that ``--sandbox`` takes, and the choice among them.

To add one: a folder beside ``bubblewrap/`` with a class that fits ``Backend``, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from repo_guardian.errors import SandboxError, SandboxUnavailableError, UsageError
from repo_guardian.sandbox.interface import Backend

AUTO = "auto"

_BACKENDS = {
    "bubblewrap": ("repo_guardian.sandbox.bubblewrap.backend", "BubblewrapBackend"),
    "container": ("repo_guardian.sandbox.container.backend", "ContainerBackend"),
    "container:podman": ("repo_guardian.sandbox.container.backend", "podman_backend"),
    "container:running": ("repo_guardian.sandbox.container.backend", "running_backend"),
    "container:docker": ("repo_guardian.sandbox.container.backend", "docker_backend"),
    "worktree": ("repo_guardian.sandbox.worktree.backend", "WorktreeBackend"),
}
_BY_STRENGTH = ("container:running", "bubblewrap")
"""What ``auto`` tries, strongest first; only backends that isolate, and none that starts a daemon."""


_CHOICES = frozenset({"container", "container:running"})
"""Names that stand for one of several others in the table."""


def isolating_names() -> tuple[str, ...]:
    """The names of the backends that isolate, each technology once, installed here or not."""
    return tuple(name for name in _BACKENDS if name not in _CHOICES and load(name).isolates)


def backend_names() -> tuple[str, ...]:
    """Every accepted name, ``auto`` first."""
    return (AUTO, *_BACKENDS)


@cache
def load(name: str) -> Backend:
    """The backend called ``name``, imported now and not yet checked; the same one each time.

    So what a self-check proved is remembered for the life of the program.

    Raises:
        UsageError: there is none; the hint lists the names.
    """
    if name not in _BACKENDS:
        raise UsageError(f"no sandbox is called {name!r}", hint=f"one of {', '.join(backend_names())}")
    module, attribute = _BACKENDS[name]
    factory: Callable[[], Backend] = getattr(import_module(module), attribute)
    return factory()


async def select(name: str = AUTO) -> Backend:
    """The backend called ``name`` once its self-check has passed; ``auto`` is the strongest that does.

    A backend that does not isolate is never picked by ``auto`` and has nothing to check.

    Raises:
        UsageError: no backend has that name.
        SandboxUnavailableError: none of those tried works here; says which, why, and how to mend it.
    """
    candidates = _BY_STRENGTH if name == AUTO else (name,)
    failures: list[str] = []
    hints: list[str] = []
    for candidate in candidates:
        backend = load(candidate)
        if not backend.isolates:
            return backend
        try:
            report = await backend.self_check()
        except SandboxError as error:
            failures.append(f"{candidate}: {error.message}")
            hints.append(error.hint)
            continue
        if report.passed:
            return backend
        broken = "; ".join(f"{check.name}: {check.detail}" for check in report.checks if not check.passed)
        failures.append(f"{candidate}: {broken or 'its self-check tried nothing'}")
        hints.append("run as root or enable unprivileged user namespaces")
    raise SandboxUnavailableError(
        f"no sandbox isolates on this machine ({'; '.join(failures)})",
        hint="; ".join(dict.fromkeys(hint for hint in hints if hint)),
    )
