"""Which tests a change selects on real histories: how many that saves, and which it misses.

    python benchmarks/test_selection.py [--work FOLDER] [--commits 12] [--seed 5] [--no-trace] REPO ...

REPO is a bare repository; only its objects are read. Of the last ``--among`` commits along first parents (a
merged pull request is one change) some are drawn by the seed. For each, the selection of ``tools/deltas`` is
compared with what one instrumented run of the commit's whole suite in the sandbox shows: a test that executes
a function whose code the commit changed and that was not selected is a miss. Runs are kept below ``--work``,
so that a changed selection is measured again in seconds; ``--no-trace`` makes no new ones. Times of tests are
those of the instrumented run. Prints a table, then every miss and every commit that selects everything.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
from graphs import open_graph, publish_views
from trees import GitSource, repository

from repo_guardian.errors import GuardianError, SandboxError
from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.deltas.select import TestSelection, reachable_tests
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.projects import with_projects
from repo_guardian.tools.execution.suite import plan_suite, suite_argv, suite_environment
from repo_guardian.tools.execution.suite_model import SUITE_LIMITS
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.history import first_parents
from repo_guardian.tools.git.materialize import materialize, remove_checkout
from repo_guardian.tools.git.objects import changed_paths
from repo_guardian.tools.git.versions import version_by_tags
from repo_guardian.tools.probes.runner import PROBE_DIR, REPORT
from repo_guardian.tools.signals.places import is_production, is_python
from repo_guardian.tools.views.bodies import changed_bodies
from repo_guardian.tools.views.gather import path_text

COLUMNS = (
    *("repository", "commits", "traced", "everything", "nothing", "files run", "tests run", "time run"),
    *("executing", "missed"),
)
_TASK, _OUT = f"{PROBE_DIR}/selection.json", f"{PROBE_DIR}/selected.json"
_OUT_BYTES = 64 * 1024**2


@dataclass
class Commit:
    """One change: what differs, what was selected, and what its suite did ({} when it was not run)."""

    name: str
    changed: list[str]
    functions: dict[str, list[str]]
    chosen: TestSelection
    truth: dict[str, Any] = field(default_factory=dict)

    def selected(self, test: str) -> bool:
        """Whether a test id is among what was selected."""
        return self.chosen.everything or self.chosen.includes(test)

    def missed(self) -> list[str]:
        """Tests that execute a changed function and were not selected."""
        return [test for test in self.truth.get("executed", ()) if not self.selected(test)]


class Repository:
    """A history under measurement."""

    def __init__(self, folder: Path, work: Path) -> None:
        self.git: Git = repository(folder)
        self.name = (folder.parent if folder.name == "repo" else folder).name.replace("+", "/")
        self.work = work / self.name.replace("/", "+")
        self.work.mkdir(parents=True, exist_ok=True)

    def sample(self, options: argparse.Namespace) -> list[str]:
        """The drawn commits, earliest first."""
        head = self.git.run("rev-parse", "HEAD").decode().strip()
        found = first_parents(self.git, head, options.among + 1)[:-1]
        drawn = set(random.Random(options.seed).sample(found, min(options.commits, len(found))))
        return [commit for commit in reversed(found) if commit in drawn]

    def measure(self, commit: str) -> Commit:
        """The selection of one commit against its first parent."""
        _, base = first_parents(self.git, commit, 2)
        graphs = []
        for name, since in ((base, None), (commit, base)):
            publish_views(GitSource(self.git, name), self.work / "state", ["symbol_graph"], since=since)
            graphs.append(open_graph(self.work / "state", name))
        read = [_Reader(self.git, name) for name in (base, commit)]
        changed = [path_text(change.path) for change in changed_paths(self.git, base, commit)]
        chosen = reachable_tests(graphs[0], graphs[1], changed, *read)
        return Commit(commit, changed, dict(_functions(changed, *read)), chosen)

    async def trace(self, commits: Sequence[Commit], *, fresh: bool) -> None:
        """Fill in what the suites of commits that change functions do, from earlier runs where there are."""
        wanted = [c for c in commits if any(is_production(path) for path in c.functions)]
        missing = []
        for commit in wanted:
            kept = self.work / f"{commit.name}.json"
            if kept.is_file():
                commit.truth = json.loads(kept.read_text())
            else:
                missing.append(commit)
        if not missing or not fresh:
            return
        bench = await self._bench(missing[-1])
        for commit in missing:
            folder = self.work / "checkout"
            shutil.rmtree(folder, ignore_errors=True)
            materialize(self.git, commit.name, folder)
            try:
                commit.truth = await self._run(bench, commit, folder)
                (self.work / f"{commit.name}.json").write_text(json.dumps(commit.truth))
            except (GuardianError, ValueError) as error:
                print(f"{self.name} {commit.name[:10]}: {str(error)[:700]}", file=sys.stderr)
            remove_checkout(folder)

    async def _bench(self, newest: Commit) -> Bench:
        seconds = int(self.git.run("log", "-1", "--format=%ct", newest.name, "--"))
        toolchains = await prepare_toolchains(
            await select("auto"),
            declared_dependencies(_Reader(self.git, newest.name)),
            as_of=datetime.fromtimestamp(seconds, UTC),
            harness_root=self.work.parent / "harness",
            site_root=self.work / "toolchain",
        )
        for problem in toolchains.problems:
            print(f"{self.name}: {problem[:300]}", file=sys.stderr)
        return Bench(await select("auto"), toolchains, SUITE_LIMITS)

    async def _run(self, bench: Bench, commit: Commit, folder: Path) -> dict[str, Any]:
        checkout = Checkout(folder, commit.name, version_by_tags(self.git, commit.name))
        built = await with_projects(bench, [checkout], root=self.work / "projects", always=True)
        plan = plan_suite(folder, built.site_packages)
        task = {"root": REPO, "functions": commit.functions, "out": _OUT}
        tracer = Path(__file__).with_name("selection_tracer.py").read_bytes()
        async with built.open(checkout) as sandbox:
            project = built.projects.get(checkout.label)
            await apply_edit(sandbox, {**(project.edit() if project else {}), **plan.edit})
            await sandbox.write_file(_TASK, json.dumps(task).encode())
            await sandbox.write_file(f"{PROBE_DIR}/selection_tracer.py", tracer)
            environment = suite_environment(built, plan)
            environment["PYTHONPATH"] += f":{PROBE_DIR}"
            run = {
                "argv": suite_argv(sandbox.python, built, plan, plugins=["selection_tracer"]),
                "environment": {**environment, "SELECTION_TRACER": _TASK},
                "cwd": REPO,
                "report": REPORT,
                "files": [],
            }
            result = await sandbox.run(
                [sandbox.python, "-I", f"{GUEST}/supervisor.py"],
                cwd=PROBE_DIR,
                stdin=json.dumps(run).encode(),
                limits=replace(SUITE_LIMITS, wall_s=300.0),
            )
            print(f"{self.name} {commit.name[:10]}: {result.duration_s:.1f} s", file=sys.stderr)
            try:
                found: dict[str, Any] = json.loads(await sandbox.read_file(_OUT, limit_bytes=_OUT_BYTES))
            except SandboxError:
                tail = (result.stdout + result.stderr)[-500:].decode(errors="replace")
                raise ValueError(f"the suite did not come to its end: {tail}") from None
        if not found["tests"]:
            raise ValueError("no test ran")
        return found


class _Reader:
    """Contents at one commit by path."""

    def __init__(self, git: Git, commit: str) -> None:
        self._source = GitSource(git, commit)
        self._oids = {path_text(path): oid for path, oid, _ in self._source.files()}

    def __call__(self, path: str) -> bytes | None:
        oid = self._oids.get(path)
        return next(iter(self._source.read([oid])))[1] if oid is not None else None


def _functions(paths: Sequence[str], base: _Reader, current: _Reader) -> Iterator[tuple[str, list[str]]]:
    """The names whose code differs, by Python file that there is at the commit."""
    for path in paths:
        now = current(path) if is_python(path) else None
        if now is None:
            continue
        names = sorted(filter(None, changed_bodies(base(path) or b"", now) or ()))
        if names:
            yield path, names


def row(name: str, commits: Sequence[Commit]) -> str:
    """One line of the table; shares are of all tests of the traced commits that select by choice."""
    traced = [c for c in commits if c.truth]
    tests = [(c, test, seconds) for c in traced for test, seconds in c.truth["tests"].items()]
    files = {(c.name, test.partition("::")[0]): False for c, test, _ in tests}
    for commit, test, _ in tests:
        files[commit.name, test.partition("::")[0]] |= commit.selected(test)
    run = [(test, seconds) for c, test, seconds in tests if c.selected(test)]
    spent = sum(seconds for _, _, seconds in tests)
    cells = [
        name,
        str(len(commits)),
        str(len(traced)),
        str(sum(c.chosen.everything for c in commits)),
        str(sum(not c.chosen.everything and not c.chosen.files for c in commits)),
        share(sum(files.values()), len(files)),
        share(len(run), len(tests)),
        share(sum(seconds for _, seconds in run), spent),
        str(sum(len(c.truth["executed"]) for c in traced)),
        str(sum(len(c.missed()) for c in traced)),
    ]
    return f"| {' | '.join(cells)} |"


def share(part: float, whole: float) -> str:
    """A percentage; empty for a share of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else ""


def main() -> None:
    """Measure, then print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, default=Path("build/selection"))
    parser.add_argument("--commits", type=int, default=12)
    parser.add_argument("--among", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--no-trace", action="store_true")
    options = parser.parse_args()
    told = []
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for folder in options.repositories:
        history = Repository(folder, options.work.resolve())
        commits = [history.measure(name) for name in history.sample(options)]
        anyio.run(lambda found=commits, of=history: of.trace(found, fresh=not options.no_trace))
        print(row(history.name, commits), flush=True)
        for commit in commits:
            told += [f"- {history.name} {commit.name[:10]} misses {test}: {commit.truth['executed'][test]}"
                     for test in commit.missed()]  # fmt: skip
            if commit.chosen.everything:
                told.append(f"- {history.name} {commit.name[:10]} everything: {commit.chosen.reason}")
    print("\n".join(told))


if __name__ == "__main__":
    main()
