"""What ``guardian sandbox doctor`` finds out: can a repository's suite be collected in the sandbox, why not.

It does what a cycle does before its first test, on a mirror of its own: reads what the tree declares,
acquires and builds that, and has the suite collected in the sandbox. The checkout is removed afterwards;
mirror and toolchain stay in the state directory, where the next cycle uses them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from repo_guardian.errors import SandboxUnavailableError

if TYPE_CHECKING:
    from repo_guardian.server.session.state_dir import StateDir
    from repo_guardian.server.session.trees import Tree
    from repo_guardian.tools.dependencies import Declared
    from repo_guardian.tools.execution.bench import Checkout
    from repo_guardian.tools.execution.suite_bench import SuiteBench
    from repo_guardian.tools.execution.suite_model import ModuleProblem, SuiteCollection


_REFUSED = re.compile(r"unrecognized arguments: (.*)")
_DISTRIBUTIONS = {
    "yaml": "PyYAML", "PIL": "Pillow", "cv2": "opencv-python-headless", "bs4": "beautifulsoup4",
    "sklearn": "scikit-learn", "dateutil": "python-dateutil", "attr": "attrs", "OpenSSL": "pyOpenSSL",
    "Crypto": "pycryptodome", "jwt": "PyJWT", "google": "protobuf", "pkg_resources": "setuptools",
    "serial": "pyserial", "zmq": "pyzmq", "git": "GitPython", "dotenv": "python-dotenv",
    "docx": "python-docx", "magic": "python-magic", "markdown": "Markdown", "jose": "python-jose",
    "xdist": "pytest-xdist", "nose": "pynose", "_pytest": "pytest",
}  # fmt: skip
"""Distributions whose name is not that of the module that they offer."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One tree, checked out: where its state and its checkout are, and when it was committed.

    ``work_tree`` is the watched folder, None for an address.
    """

    source: str
    work_tree: Path | None
    state: StateDir
    tree: Tree
    checkout: Checkout
    committed_at: datetime


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, in the order in which it is told.

    ``declared`` pairs each requirement with the file that asks for it; ``installed`` are ``name==version``;
    ``problems`` what could not be read, acquired or built; ``mend`` the lines that would help, for a
    ``guardian.toml`` or a terminal. ``config`` is where that file is looked for.
    """

    repository: str
    commit: str
    sandbox: str
    python: str
    requires_python: str
    declared: tuple[tuple[str, str], ...]
    installed: tuple[str, ...]
    project: str
    problems: tuple[str, ...]
    dropped: tuple[str, ...]
    capability: str
    collected: int
    modules: tuple[ModuleProblem, ...]
    missing: tuple[str, ...]
    mend: tuple[str, ...]
    config: str
    output_tail: str

    @property
    def runnable(self) -> bool:
        """True when at least one test is collected."""
        return self.capability == "runnable"


@contextmanager
def checked_out(repository: str, commit: str | None, home: Path) -> Iterator[Subject]:
    """Mirror ``repository`` below ``home`` and check one commit out, for the time of the block.

    Raises:
        UsageError: it is no repository, is empty, or ``commit`` names nothing in it.
        EnvironmentFault: the state directory or git cannot be used, or a cycle of it is running.
    """
    from repo_guardian.memory_store.lock import lock
    from repo_guardian.server.session.state_dir import StateDir
    from repo_guardian.server.session.trees import Tree
    from repo_guardian.tools.execution.bench import Checkout
    from repo_guardian.tools.git.materialize import materialize, remove_checkout
    from repo_guardian.tools.git.mirror import Mirror
    from repo_guardian.tools.git.source import locate

    source = locate(repository)
    state = StateDir(home, source.repository_id)
    with lock(state.root):
        mirror = Mirror.sync(source, state.mirror)
        revision = mirror.resolve(commit if commit is not None else "HEAD")
        info = mirror.commit_info(revision)
        tree = Tree(mirror.git, revision, info.tree)
        path = state.checkouts / f"0_{revision}"
        remove_checkout(path)
        materialize(mirror.git, tree.treeish, path)
        try:
            when = datetime.fromtimestamp(info.committer_time, UTC)
            local = Path(source.location)
            yield Subject(
                source=source.location,
                work_tree=local if local.is_dir() else None,
                state=state,
                tree=tree,
                checkout=Checkout(path, revision),
                committed_at=when,
            )
        finally:
            remove_checkout(path)
            with suppress(OSError):  # not empty: not ours to remove
                path.parent.rmdir()


async def examine(
    subject: Subject, sandbox: str, config: Path | None = None, report: Callable[[str], None] = lambda _: None
) -> Diagnosis:
    """Provide what the tree declares, have its suite collected, and say what was found.

    ``report`` is told of each step.

    Raises:
        SandboxUnavailableError: no sandbox works here, so nothing can be collected.
        ToolchainError: the test runner cannot be had.
        UsageError: ``guardian.toml`` cannot be used.
    """
    from repo_guardian.tools.dependencies import declared_dependencies
    from repo_guardian.tools.execution.capability import find_capability
    from repo_guardian.tools.execution.override import load_override
    from repo_guardian.tools.execution.suite import collect_suite
    from repo_guardian.tools.execution.suite_bench import Places, prepare_suite

    capability = await find_capability(sandbox)
    if capability.backend is None:
        raise SandboxUnavailableError(capability.note, hint="see guardian sandbox selftest")
    state = subject.state
    override = load_override(state.root, config=config, repository=subject.work_tree)
    declared = declared_dependencies(subject.tree.read)
    suite = await prepare_suite(
        capability.backend,
        subject.checkout,
        declared,
        Places(state.harness, state.toolchain),
        as_of=subject.committed_at,
        override=override,
        report=report,
    )
    report("collecting the suite")
    found = await collect_suite(suite.bench, subject.checkout, suite.plan())
    return _diagnosis(subject, declared, suite, found)


def _diagnosis(subject: Subject, declared: Declared, suite: SuiteBench, found: SuiteCollection) -> Diagnosis:
    from repo_guardian.tools.execution.override import FILE_NAME

    toolchains = suite.bench.toolchains
    project = suite.bench.projects.get(subject.checkout.label)
    unbuilt = (f"the project cannot be built: {suite.build_problem}",) if suite.build_problem else ()
    return Diagnosis(
        repository=subject.source,
        commit=subject.checkout.label,
        sandbox=suite.bench.backend.name,
        python=".".join(map(str, toolchains.python_version)),
        requires_python=declared.requires_python,
        declared=tuple((one.text, one.source) for one in (*declared.requirements, *declared.tests)),
        installed=suite.bench.site_packages,
        project=f"{project.name} {project.version}" if project is not None else "",
        problems=(*toolchains.problems, *unbuilt),
        dropped=found.dropped,
        capability=found.assessment.capability.value,
        collected=len(found.collected),
        modules=found.assessment.problems,
        missing=found.assessment.missing,
        mend=tuple(_mend(found)),
        config=str(subject.state.root / FILE_NAME),
        output_tail="" if found.collected else found.output_tail,
    )


def _mend(found: SuiteCollection) -> Iterator[str]:
    """Lines for ``guardian.toml`` that would help."""
    assessment = found.assessment
    wanted = [_DISTRIBUTIONS.get(name, name) for name in assessment.missing]
    if wanted:
        yield "[requirements]"
        yield f"add = {json.dumps(wanted)}"
    refused = [match[1] for one in assessment.problems if (match := _REFUSED.search(one.reason))]
    if refused:
        yield f"# pytest refuses {refused[0]}: add the plugin that offers it to requirements.add,"
        yield "# or drop it:"
        yield "[tests]"
        yield 'arguments = ["-o", "addopts="]'


def tell(found: Diagnosis) -> Iterator[str]:
    """The diagnosis in plain words, a line each."""
    yield f"{found.repository} at {found.commit[:12]}"
    asked = f"; the repository asks for {found.requires_python}" if found.requires_python else ""
    yield f"  Python        {found.python} in the {found.sandbox} sandbox{asked}"
    sources = Counter(source for _, source in found.declared)
    places = ", ".join(f"{count} in {source}" for source, count in sources.items())
    yield f"  dependencies  {f'{len(found.declared)} declared: {places}' if places else 'none are declared'}"
    if found.installed:
        yield f"                {_count(len(found.installed), 'package')} installed"
    yield f"  project       {f'built as {found.project}' if found.project else 'not built'}"
    yield from (f"  problem       {line}" for line in found.problems)
    yield from (f"  options       {line}" for line in found.dropped)
    for module in found.modules:
        yield f"  not collected {module.node_id or 'anything'}: {module.reason}"
    yield f"  suite         {_verdict(found)}"
    if found.mend:
        yield f"To mend it, write this to {found.config}:"
        yield from (f"  {line}" for line in found.mend)


def _verdict(found: Diagnosis) -> str:
    missing = ", ".join(found.missing)
    if found.runnable:
        rest = f"; {_count(len(found.modules), 'file')} cannot be collected" if found.modules else ""
        return f"can run: {_count(found.collected, 'test')} collected{rest}"
    return {
        "no_tests": "has no tests that pytest finds",
        "missing_dependencies": f"cannot run: nobody installed {missing}",
        "no_runner": "cannot run: pytest does not start",
        "build_failed": "cannot run: the project is not built",
    }.get(found.capability, "cannot run: pytest cannot collect it")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
