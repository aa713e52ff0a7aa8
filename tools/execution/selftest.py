"""Everything that can be tried against the sandboxes of this machine: conformance and the hostile battery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.registry import AUTO, isolating_names, load


@dataclass(frozen=True, slots=True)
class Trial:
    """One line of a table: what was tried, how it ended, and whether the sandbox stood it.

    ``outcome`` is a ``ProcessStatus`` (or ``none``, ``error``) for an attack and empty for a demand.
    """

    table: str
    family: str
    name: str
    outcome: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class FullTest:
    """All trials of one backend, or why there are none: ``unavailable`` is then not empty."""

    backend: str
    trials: tuple[Trial, ...]
    unavailable: str = ""

    @property
    def passed(self) -> bool:
        """True when there are trials and the sandbox stood each."""
        return bool(self.trials) and all(trial.passed for trial in self.trials)


async def full_test(name: str, say: Callable[[str], None]) -> tuple[FullTest, ...]:
    """Try everything against the backend called ``name``; ``auto`` stands for each that isolates.

    ``say`` is told what is being tried. Takes a minute or two for each backend.

    Raises:
        UsageError: no backend has that name.
    """
    names = isolating_names() if name == AUTO else (name,)
    return tuple([await _try(one, say) for one in names])


async def _try(name: str, say: Callable[[str], None]) -> FullTest:
    from repo_guardian.sandbox.conformance.suite import run_suite
    from repo_guardian.sandbox.hostile.suite import run_battery

    backend = load(name)
    if not backend.isolates:
        return FullTest(name, (), "it isolates nothing, and attacks would meet this machine")
    try:
        say(f"{name}: what it promises")
        checks = (await run_suite(backend)).checks
        trials = [Trial("conformance", "", check.name, "", check.passed, check.detail) for check in checks]
        say(f"{name}: attacks")
        trials += [
            Trial("hostile", one.family, one.name, one.outcome, one.held, one.detail)
            for one in await run_battery(backend)
        ]
    except SandboxError as error:
        return FullTest(name, (), str(error))
    return FullTest(name, tuple(trials))
