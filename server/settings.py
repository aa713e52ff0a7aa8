"""What a server is told at its launch: frozen, passed explicitly, shown in the report's envelope."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from repo_guardian.tools.execution import Limits
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS


@dataclass(frozen=True, slots=True)
class ProbeLimits:
    """Bounds of evidence gathering.

    ``repetitions`` is how often each test runs (all must agree), ``fix_attempts`` how many reverts one
    fix-probe may try, ``output_chars`` how much of a run's output the ledger keeps. ``run`` bounds each run
    of a test that stands alone, ``suite_run`` of one under the repository's own configuration.
    """

    repetitions: int = 3
    fix_attempts: int = 16
    output_chars: int = 2000
    run: Limits = field(default_factory=lambda: Limits(wall_s=60.0, cpu_s=60))
    suite_run: Limits = field(default_factory=lambda: replace(SUITE_LIMITS, wall_s=120.0, cpu_s=120))


@dataclass(frozen=True, slots=True)
class SignalLimits:
    """Bounds of observation: commits of history that churn looks at, and dependents listed per signal."""

    churn_commits: int = 500
    dependents_listed: int = 20


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server.

    Attributes:
        home: the state directory of all repositories.
        repositories: the paths or addresses that may be watched; nothing else can be opened.
        sandbox: a name of the sandbox registry, or ``auto``.
        config: the user's ``guardian.toml``; None for the one in each repository's state directory.
        index: the index file that git is about to commit, where a hook says so (``GIT_INDEX_FILE``).
    """

    home: Path
    repositories: tuple[str, ...]
    sandbox: str = "auto"
    config: Path | None = None
    index: Path | None = None
    probes: ProbeLimits = field(default_factory=ProbeLimits)
    signals: SignalLimits = field(default_factory=SignalLimits)
