"""Runs one test in one sandbox, through the supervisor, and returns what all accounts say.

The test file lives outside ``/repo``, under a root directory and an ini file of its own, so neither the
repository's ``conftest.py`` nor its pytest options take part. What is under test comes from ``/repo``
through ``PYTHONPATH``, never from an installed copy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO, Limits, Sandbox
from repo_guardian.tools.probes.account import read_account
from repo_guardian.tools.probes.interface import TestRun, TestSource

PROBE_DIR = "/tmp/guardian"  # noqa: S108  inside the sandbox, whose /tmp is its own
REPORT = f"{PROBE_DIR}/report.xml"
INI = f"{PROBE_DIR}/pytest.ini"


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run needs to know besides the test.

    Attributes:
        import_roots: directories under ``/repo`` to import from, in order ("" is ``/repo`` itself).
        harness: where pytest is importable from, inside the sandbox.
        site: where the repository's dependencies are importable from, inside the sandbox; may be "".
        modules: dotted names whose origin has to be proven.
        files: repository-relative paths whose content has to be proven.
    """

    import_roots: tuple[str, ...]
    harness: str
    site: str
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


async def run_test(sandbox: Sandbox, test: TestSource, plan: RunPlan, limits: Limits) -> TestRun:
    """Write the test into the sandbox and run it once.

    Never raises for what the test does. The run's file states carry paths relative to the repository.

    Raises:
        SandboxError: the sandbox is closed, or the test could not be written into it.
    """
    await sandbox.write_file(f"{PROBE_DIR}/{test.file_name}", test.content)
    await sandbox.write_file(INI, b"[pytest]\n")
    task = {
        "argv": _pytest_argv(sandbox.python, test),
        "environment": _environment(plan),
        "cwd": PROBE_DIR,
        "report": REPORT,
        "files": [f"{REPO}/{path}" for path in plan.files],
    }
    result = await sandbox.run(
        [sandbox.python, "-I", f"{GUEST}/supervisor.py"],
        cwd=PROBE_DIR,
        stdin=json.dumps(task).encode(),
        limits=limits,
    )
    return read_account(result)


def _pytest_argv(python: str, test: TestSource) -> list[str]:
    return [
        *(python, "-m", "pytest", "-p", "guardian_witness"),
        *("-p", "no:cacheprovider", "--noconftest", "--import-mode=importlib"),
        *("-c", INI, f"--rootdir={PROBE_DIR}", "-q", "--tb=short", "--color=no"),
        *(f"--junitxml={REPORT}", "-o", "junit_family=xunit1"),
        test.test_id,
    ]


def _environment(plan: RunPlan) -> Mapping[str, str]:
    roots = [f"{REPO}/{root}".rstrip("/") for root in plan.import_roots]
    path = [*roots, GUEST, plan.harness, *([plan.site] if plan.site else [])]
    return {
        "PYTHONPATH": ":".join(path),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "GUARDIAN_WITNESS_MODULES": ",".join(plan.modules),
        "GUARDIAN_WITNESS_APART": f"{REPO}/:{PROBE_DIR}/",
    }
