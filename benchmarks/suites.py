"""The suites of real packages inside the sandbox and outside: is every outcome the same, and at what cost?

    python benchmarks/suites.py [--outside] [--work FOLDER] [--sandbox NAME] NAME[==VERSION]|FOLDER[@DAY] ...

A name is a release, whose source distribution is downloaded through the package index's own interface and
never built or run here; a folder, best called NAME-VERSION, is a snapshot of a repository as of DAY
(YYYY-MM-DD). ``--outside`` also makes a virtual
environment with the same versions on this machine and runs the suite there: that RUNS THE PACKAGE'S CODE
WITHOUT A SANDBOX, and so it only happens when asked for. Prints a Markdown table; progress goes to standard
error. Without arguments it takes the packages of ``docs/sandbox.md``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tarfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
from outside import Outside, run_outside

from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import declared_dependencies
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.execution.override import Override
from repo_guardian.tools.execution.projects import reader
from repo_guardian.tools.execution.suite import run_suite
from repo_guardian.tools.execution.suite_bench import Places, prepare_suite
from repo_guardian.tools.execution.suite_model import SuiteRun
from repo_guardian.tools.probes.interface import TestReport

PACKAGES = (
    *("click", "attrs", "markupsafe", "itsdangerous", "jinja2", "pluggy", "packaging", "more-itertools"),
    *("iniconfig", "tomlkit", "h11", "idna"),
)
ADDED = {
    "idna": ("hypothesis",),
    "httpx": (
        *("h2", "socksio", "click", "rich", "pygments", "brotli", "zstandard", "chardet==5.2.0"),
        *("cryptography==44.0.0", "pytest==8.3.4", "trio==0.27.0", "trio-typing==0.10.0", "trustme==1.2.0"),
        "uvicorn==0.32.1",
    ),
}
"""What a ``guardian.toml`` would add: needed by the suite, and not where test requirements are looked for."""


COLUMNS = (
    *("package", "version", "tests", "inside: passed / failed / skipped", "outside", "ids that differ"),
    *("believed", "s inside", "s outside"),
)


@dataclass(frozen=True)
class Package:
    """A tree to test: what it is called, which version, and when that was published."""

    name: str
    version: str
    folder: Path
    published: datetime | None


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    package: Package
    inside: SuiteRun
    outside: Outside | None


def fetch(text: str, work: Path) -> Package:
    """The tree that an argument names; a release is downloaded and unpacked once."""
    path, _, day = text.partition("@")
    if Path(path).is_dir():
        when = datetime.fromisoformat(f"{day}T00:00:00+00:00") if day else None
        name, _, version = Path(path).resolve().name.rpartition("-")
        return Package(name or version, version if name else "", Path(path).resolve(), when)
    from packaging.version import Version
    from pypi_simple import PYPI_SIMPLE_ENDPOINT, PyPISimple

    name, _, version = text.partition("==")
    with PyPISimple(os.environ.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)) as index:
        files = [
            file
            for file in index.get_project_page(name).packages
            if file.package_type == "sdist" and file.version and not file.is_yanked
        ]
        wanted = [file for file in files if file.version == version] if version else files
        stable = [file for file in wanted if not Version(file.version or "0").is_prerelease]
        chosen = max(stable or wanted, key=lambda file: Version(file.version or "0"))
        folder = work / "trees" / f"{name}-{chosen.version}"
        if not folder.is_dir():
            archive = work / chosen.filename
            index.download_package(chosen, archive, verify=True)
            unpack(archive, folder)
    return Package(name, chosen.version or "", folder, chosen.upload_time)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack without the top folder; the ``data`` filter refuses to write anywhere else."""
    scratch = folder.with_name(folder.name + ".unpacking")
    scratch.mkdir(parents=True)
    with tarfile.open(archive) as content:
        content.extractall(scratch, filter="data")
    (top,) = scratch.iterdir()
    top.rename(folder)
    scratch.rmdir()


async def measure(package: Package, options: argparse.Namespace) -> Row:
    """Run one suite inside and, when asked, outside."""
    work: Path = options.work
    declared = declared_dependencies(reader(package.folder))
    suite = await prepare_suite(
        await select(options.sandbox),
        Checkout(package.folder, f"{package.name}-{package.version}", package.version.removeprefix("v")),
        declared,
        Places(work / "harness", work / "toolchain"),
        as_of=package.published or datetime.now(UTC),
        override=Override(add=ADDED.get(package.name, ())),
        report=lambda step: print(f"{package.name}: {step}", file=sys.stderr),
    )
    for problem in (*suite.bench.toolchains.problems, suite.build_problem):
        if problem:
            print(f"{package.name}: problem: {problem}", file=sys.stderr)
    print(f"{package.name}: running inside", file=sys.stderr)
    inside = await run_suite(suite.bench, suite.checkout, suite.plan())
    outside = None
    if options.outside:
        print(f"{package.name}: running outside", file=sys.stderr)
        outside = await anyio.to_thread.run_sync(run_outside, suite, package.version, work / "outside")
    return Row(package, inside, outside)


def counts(tests: tuple[TestReport, ...]) -> str:
    """Passed, failed (errors included) and skipped."""
    kinds = [test.outcome.value for test in tests]
    return (
        f"{kinds.count('passed')} / {kinds.count('failed') + kinds.count('error')} / {kinds.count('skipped')}"
    )


def differing(row: Row) -> list[str]:
    """Ids whose outcome is not the same inside and outside, one line each."""
    if row.outside is None:
        return []
    inside = {test.test_id: test for test in row.inside.tests}
    outside = {test.test_id: test for test in row.outside.run.tests}
    lines = []
    for test_id in sorted(inside.keys() | outside.keys()):
        one, other = inside.get(test_id), outside.get(test_id)
        if one is None or other is None or one.outcome is not other.outcome:
            shown = [describe(test) for test in (one, other)]
            lines.append(f"{test_id}: inside {shown[0]}, outside {shown[1]}")
    return lines


def describe(test: TestReport | None) -> str:
    """An outcome with its exception, or that there is none."""
    if test is None:
        return "absent"
    return f"{test.outcome.value} ({test.exception.line[:150]})" if test.exception else test.outcome.value


def line(row: Row) -> str:
    """One line of the Markdown table."""
    inside, outside = row.inside, row.outside
    seconds = inside.repetitions[0].duration_s
    cells = [
        row.package.name,
        row.package.version,
        str(len(inside.tests)),
        counts(inside.tests),
        counts(outside.run.tests) if outside else "",
        str(len(differing(row))) if outside else "",
        "yes" if inside.believed else "no",
        f"{seconds:.1f}",
        f"{outside.duration_s:.1f}" if outside else "",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table, then what differs and what was not collected."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--outside", action="store_true")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--work", type=Path, default=Path("build/suites"))
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    rows = []
    for text in options.packages:
        try:
            rows.append(anyio.run(measure, fetch(text, options.work), options))
        finally:
            shutil.rmtree(options.work / "outside", ignore_errors=True)
        print(line(rows[-1]), file=sys.stderr)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    print("\n".join(map(line, rows)))
    for row in rows:
        reasons = [f"not collected: {p.node_id}: {p.reason}" for p in row.inside.assessment.problems]
        reasons += [text for run in row.inside.repetitions for text in run.disagreements]
        reasons += row.outside.run.disagreements if row.outside else ()
        for text in [*reasons, *row.inside.dropped, *differing(row)]:
            print(f"- {row.package.name}: {text}")


if __name__ == "__main__":
    main()
