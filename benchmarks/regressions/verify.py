"""Runs each case's reproduction, in the sandbox: on the commit before, the one that broke it, the fix.

What comes out is the label: the value before, now, and after the repair. A case whose first two values are
the same on this Python is not in the corpus, or excluded with the reason. Nothing of Guardian's search for
regressions takes part.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from anyio import to_thread

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.interface import REPO, Limits
from repo_guardian.server.session.reading import Repository, open_repository
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout, apply_edit
from repo_guardian.tools.execution.capability import find_capability
from repo_guardian.tools.execution.override import Override
from repo_guardian.tools.execution.projects import reader, with_projects
from repo_guardian.tools.execution.suite_layout import find_layout
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.git.materialize import materialize, remove_checkout
from repo_guardian.tools.git.versions import version_by_tags

from .corpus import Case

_SCRIPT = """
import ast, json, sys
tree = ast.parse(sys.argv[1])
last = ast.Expression(tree.body.pop().value)
scope = {"__name__": "reproduction"}
try:
    exec(compile(tree, "reproduction", "exec"), scope)
    said = {"gives": repr(eval(compile(last, "reproduction", "eval"), scope))[:500]}
except Exception as error:
    said = {"raises": type(error).__name__, "text": str(error)[:300]}
print("\\n" + json.dumps(said))
"""
_LIMITS = Limits(wall_s=60)


@dataclass(frozen=True)
class Ready:
    """Checkouts of one case by what they are (``base``, ``current``, ``fix``), and a bench to run them on."""

    bench: Bench
    checkouts: dict[str, Checkout]


async def verify(case: Case, repository: Path, home: Path, sandbox: str = "auto") -> dict[str, Any]:
    """What the reproduction does at ``base``, ``current`` and ``fix``."""
    with ExitStack() as held:
        ready = await prepare(case, repository, home, held, sandbox)
        return {
            **{what: await reproduce(case, ready.bench, tree) for what, tree in ready.checkouts.items()},
            "python": ".".join(map(str, ready.bench.toolchains.python_version)),
            "problems": list(ready.bench.toolchains.problems),
        }


async def prepare(
    case: Case,
    repository: Path,
    home: Path,
    held: ExitStack,
    sandbox: str,
    *,
    python: tuple[int, int] | None = None,
) -> Ready:
    """Checkouts of the three commits with what they need to run, removed when ``held`` is closed.

    ``python`` insists on a version; without, it is what Guardian takes for that day.

    Raises:
        SandboxUnavailableError: nothing here isolates what would run.
        EnvironmentFault: the sandbox failed, or a tree cannot be written.
    """
    watched = open_repository(home, str(repository))
    capability = await find_capability(sandbox)
    if capability.backend is None:
        raise SandboxUnavailableError("nothing can be executed here", hint="see guardian sandbox selftest")
    commits = {"base": case.base, "current": case.current, "fix": case.fix}
    checkouts = {
        what: await to_thread.run_sync(_checkout, watched, what, commit, held)
        for what, commit in commits.items()
    }
    moment = watched.mirror.commit_info(case.current).committer_time
    toolchains = await prepare_toolchains(
        capability.backend,
        declared_dependencies(reader(checkouts["current"].path)),
        as_of=datetime.fromtimestamp(moment, UTC),
        harness_root=watched.state.harness,
        site_root=watched.state.toolchain,
        override=Override(python=python, add=case.add),
    )
    bench = await with_projects(
        Bench(capability.backend, toolchains, SUITE_LIMITS),
        checkouts.values(),
        root=watched.state.toolchain / "projects",
        always=True,
    )
    return Ready(bench, checkouts)


def _checkout(watched: Repository, what: str, commit: str, held: ExitStack) -> Checkout:
    folder = watched.state.root / "checkouts" / f"{what}_{commit}"
    materialize(watched.mirror.git, commit, folder)
    held.callback(remove_checkout, folder)
    return Checkout(folder, commit, version_by_tags(watched.mirror.git, commit))


async def reproduce(case: Case, bench: Bench, checkout: Checkout) -> dict[str, Any]:
    """The reproduction's value, or what it raises, at one checkout."""
    roots = [f"{REPO}/{root}".rstrip("/") for root in find_layout(checkout.path).roots]
    environment = {"PYTHONPATH": ":".join(filter(None, [*roots, bench.site, HARNESS])), "PYTHONHASHSEED": "0"}
    project = bench.projects.get(checkout.label)
    async with bench.open(checkout) as opened:
        await apply_edit(opened, project.edit() if project is not None else {})
        result = await opened.run(
            [opened.python, "-c", _SCRIPT, case.reproduction], environment=environment, limits=_LIMITS
        )
    lines = result.stdout.decode(errors="replace").splitlines()
    try:
        said: dict[str, Any] = json.loads(lines[-1])
    except (IndexError, ValueError):
        said = {"ended": result.status.value, "text": result.stderr.decode(errors="replace")[-400:]}
    return said
