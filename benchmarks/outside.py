"""The bare suite, for comparison: the same versions in a virtual environment, on this machine, unprotected.

Used by ``suites.py`` and ``suite_overhead.py`` when they are asked to. The package's own build and tests run
with the rights of whoever starts them. The same supervisor, plugin and options as inside are used, so that
what differs is the sandbox.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.sandbox.guest import GUEST_SOURCE
from repo_guardian.sandbox.interface import CommandResult, ProcessStatus
from repo_guardian.tools.execution.suite_bench import SuiteBench
from repo_guardian.tools.probes.account import read_account
from repo_guardian.tools.probes.interface import TestRun


@dataclass(frozen=True)
class Outside:
    """What the suite did outside, and the seconds that it took."""

    run: TestRun
    duration_s: float


def run_outside(suite: SuiteBench, version: str, work: Path) -> Outside:
    """Copy the tree, install it editable beside the resolved versions, and run its suite once."""
    python = make_environment(suite, version, work)
    return run_bare(suite, python, work)


def make_environment(suite: SuiteBench, version: str, work: Path) -> Path:
    """A virtual environment below ``work`` with what the sandbox has; returns its interpreter."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(suite.checkout.path, work / "repo", symlinks=True)
    toolchains = suite.bench.toolchains
    host = toolchains.workshop.runtime.host_path or sys.executable
    uv(work, "venv", "--quiet", "--python", host, str(work / "venv"))
    python = work / "venv" / "bin" / "python"
    site = suite.bench.site_packages
    own_runner = any(text.startswith("pytest==") for text in site)
    merged = {**_by_name(toolchains.harness.resolved), **_by_name(site)}
    pins = list(site if own_runner else merged.values())
    own = {project.name.replace("_", "-").lower() for project in suite.bench.projects.values()}
    pins = [pin for pin in pins if pin.partition("==")[0].replace("_", "-").lower() not in own]
    if pins:
        uv(
            work,
            "pip",
            "install",
            "--quiet",
            "--compile-bytecode",
            "--no-deps",
            "--python",
            str(python),
            *pins,
        )
    tree = [os.fspath(work / "repo")] if suite.bench.projects else []
    for path in tree:
        uv(work, "pip", "install", "--quiet", "--no-deps", "--python", str(python), "--editable", path,
           SETUPTOOLS_SCM_PRETEND_VERSION=version)  # fmt: skip
    return python


def run_bare(suite: SuiteBench, python: Path, work: Path) -> Outside:
    """Run the suite of the copy once, through the supervisor."""
    report = work / "report.xml"
    task = {
        "argv": [
            *(str(python.with_name("pytest")), "-p", "guardian_witness", "-q", "--tb=short", "--color=no"),
            *("--continue-on-collection-errors", f"--junitxml={report}", "-o", "junit_family=xunit1"),
            *("-o", "junit_logging=no", *suite.plan().options.argv),
        ],
        "environment": {"PYTHONPATH": str(GUEST_SOURCE)},
        "cwd": str(work / "repo"),
        "report": str(report),
        "report_bytes": 1 << 28,
        "files": [],
    }
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    environment = {**kept, "PATH": f"{python.parent}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-I", str(GUEST_SOURCE / "supervisor.py")],
        input=json.dumps(task).encode(),
        capture_output=True,
        env=environment,
        check=False,
    )
    duration_s = time.monotonic() - began
    result = CommandResult(
        status=ProcessStatus.EXITED,
        exit_code=done.returncode,
        signal=None,
        stdout=done.stdout,
        stderr=done.stderr[-4000:],
        stdout_truncated=False,
        stderr_truncated=False,
        duration_s=duration_s,
        argv=(),
        cwd="",
        commit=suite.checkout.label,
        backend="outside",
    )
    return Outside(read_account(result), duration_s)


def _by_name(pins: tuple[str, ...]) -> dict[str, str]:
    return {pin.partition("==")[0].lower(): pin for pin in pins}


def uv(work: Path, *arguments: str, **environment: str) -> None:
    """Run uv, which takes the index from the user's variables."""
    import uv as package

    variables = {**os.environ, **environment}
    if "PIP_INDEX_URL" in os.environ:
        variables.setdefault("UV_DEFAULT_INDEX", os.environ["PIP_INDEX_URL"])
    subprocess.run([package.find_uv_bin(), *arguments], check=True, cwd=work, env=variables)
