"""The records of a suite: what was asked of it, what it can do here, and what its tests did."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from repo_guardian.sandbox.interface import Limits, ProcessStatus
from repo_guardian.tools.execution.suite_layout import Layout
from repo_guardian.tools.execution.suite_options import SuiteOptions
from repo_guardian.tools.probes.interface import Edit, TestReport

MIB = 1024**2

SUITE_LIMITS = Limits(
    wall_s=900.0,
    cpu_s=1800,
    memory_bytes=4096 * MIB,
    processes=256,
    file_size_bytes=256 * MIB,
    disk_bytes=1024 * MIB,
    disk_inodes=100_000,
    output_bytes=96 * MIB,
)
"""What one run of a whole suite may use. ``output_bytes`` holds the account of some 50,000 tests: about
700 bytes for each that passes, and the report of each that fails."""


class SuiteCapability(StrEnum):
    """What a repository's suite can do in the sandbox; none of these is an error of ours."""

    RUNNABLE = "runnable"
    """At least one test is collected; modules that are not are listed."""
    NO_TESTS = "no_tests"
    CANNOT_COLLECT = "cannot_collect"
    MISSING_DEPENDENCIES = "missing_dependencies"
    """Nothing is collected, and every reason is a module that nobody installed."""
    NO_RUNNER = "no_runner"
    """pytest itself does not start."""
    BUILD_FAILED = "build_failed"
    """Nothing is collected, and the project's own build had failed."""


@dataclass(frozen=True, slots=True)
class ModuleProblem:
    """One file that cannot be collected: its id, why in one line, and the module it misses ("" for none)."""

    node_id: str
    reason: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Assessment:
    """A capability with its reasons. ``missing`` are top-level names of modules, in order of appearance."""

    capability: SuiteCapability
    problems: tuple[ModuleProblem, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """True when every test file is collected."""
        return self.capability is SuiteCapability.RUNNABLE and not self.problems


@dataclass(frozen=True, slots=True)
class Selection:
    """Which tests to run, as pytest takes it: ids and paths are passed whole, never taken apart.

    ``arguments`` are node ids, files and folders relative to the repository; ``keyword`` is a ``-k``
    expression. Empty means what the suite's configuration says.
    """

    arguments: tuple[str, ...] = ()
    keyword: str = ""

    def argv(self) -> list[str]:
        """The words for pytest's command line; a name that looks like an option stays a name."""
        words = [f"-k{self.keyword}"] if self.keyword else []
        return words + [f"./{item}" if item.startswith(("-", "@")) else item for item in self.arguments]


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """How a suite is run.

    Attributes:
        layout: where the tree's packages are imported from.
        options: what is added to pytest's command line, and what was taken out of ``addopts``.
        selection: which tests.
        repetitions: how often, each in a fresh overlay.
        edit: files to put in place before each run, over what a build has left there.
        files: repository-relative paths whose hashes are taken before and after.
        modules: dotted names whose origin is reported, beside those of the layout's packages.
        build_problem: why the project could not be built; "" when it could, or needs no build.
    """

    layout: Layout
    options: SuiteOptions
    selection: Selection = Selection()
    repetitions: int = 1
    edit: Edit = field(default_factory=dict)
    files: tuple[str, ...] = ()
    build_problem: str = ""
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repetition:
    """One run of the suite.

    ``disagreements`` lists where the three accounts contradict each other; ``foreign`` pairs a package of the
    tree with the file outside ``/repo`` that it was loaded from. Either makes the run unbelievable.
    """

    status: ProcessStatus
    pytest_status: int | None
    duration_s: float
    disagreements: tuple[str, ...]
    foreign: tuple[tuple[str, str], ...]
    output_tail: str

    @property
    def believed(self) -> bool:
        """True when the accounts agree and the code under test was the tree's."""
        return not self.disagreements and not self.foreign


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """A suite's outcomes, as reported by untrusted code and checked against each other.

    Attributes:
        assessment: whether there was anything to run.
        tests: outcome by test of the first believed repetition (of the first one when none is), in order.
        flaky: ids whose outcome was not the same in every believed repetition.
        repetitions: each run.
        loaded: the tree's modules that were loaded, with their files inside the sandbox.
        dropped: what was taken out of the suite's own options, and why.
    """

    assessment: Assessment
    tests: tuple[TestReport, ...]
    flaky: tuple[str, ...]
    repetitions: tuple[Repetition, ...]
    loaded: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...]

    @property
    def believed(self) -> bool:
        """True when every repetition is to be believed."""
        return bool(self.repetitions) and all(run.believed for run in self.repetitions)


@dataclass(frozen=True, slots=True)
class SuiteCollection:
    """What a suite would run: its capability, the ids in order, and what was taken out of its options."""

    assessment: Assessment
    collected: tuple[str, ...]
    dropped: tuple[str, ...]
    output_tail: str
    duration_s: float
