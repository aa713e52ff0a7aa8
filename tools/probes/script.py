"""Runs a small script over one tree: the probe for whatever no other one asks.

The script lies outside ``/repo`` and imports the tree's packages, with its dependencies and builds, as the
repository's own tests do. What it prints is a stranger's text and never evidence.
"""

from __future__ import annotations

import ast

from anyio import to_thread

from repo_guardian.errors import AdmissionError
from repo_guardian.sandbox.interface import CommandResult, Limits
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite import plan_suite, suite_environment
from repo_guardian.tools.probes.runner import PROBE_DIR

SCRIPT_CHARS = 20_000
"""How long a script may be."""

_FILE = f"{PROBE_DIR}/script.py"


def check_script(source: str) -> None:
    """See whether a script can be run at all.

    Raises:
        AdmissionError: it is empty, too long, or not Python; the message says where.
    """
    if not source.strip():
        raise AdmissionError("the script is empty", hint="print what you want to know")
    if len(source) > SCRIPT_CHARS:
        raise AdmissionError(
            f"the script has {len(source)} characters, and at most {SCRIPT_CHARS} are run",
            hint="ask one question at a time",
        )
    try:
        ast.parse(source)
    except SyntaxError as error:
        raise AdmissionError(
            f"the script is not Python: line {error.lineno}: {error.msg}", hint="correct that line"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise AdmissionError(f"the script cannot be parsed: {type(error).__name__}") from error


async def run_script(bench: Bench, checkout: Checkout, source: str, limits: Limits) -> CommandResult:
    """Run ``source`` with the tree's packages on its path, its working directory the tree.

    Never raises for what the script does; writes of it are gone with the sandbox.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    plan = await to_thread.run_sync(plan_suite, checkout.path, bench.site_packages)
    project = bench.projects.get(checkout.label)
    built = await to_thread.run_sync(project.edit) if project is not None else {}
    async with bench.open(checkout) as sandbox:
        await apply_edit(sandbox, built)
        await sandbox.write_file(_FILE, source.encode("utf-8", "surrogatepass"))
        environment = {**suite_environment(bench, plan), "PYTHONHASHSEED": "0"}
        return await sandbox.run([sandbox.python, _FILE], environment=environment, limits=limits)
