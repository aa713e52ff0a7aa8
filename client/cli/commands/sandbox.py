"""``guardian sandbox``: what the sandbox can enforce on this machine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from repo_guardian.tools.execution import SelfCheck


@click.group()
def command() -> None:
    """Ask the sandbox what it can enforce on this machine."""


@command.command()
@click.option("--sandbox", default="auto", show_default=True, help="auto, or a backend's name.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def selftest(sandbox: str, as_json: bool) -> int:
    """Try, inside a real sandbox, that each promised limit is enforced; exit with 3 when one is not."""
    import anyio

    from repo_guardian.errors import EXIT_ENVIRONMENT
    from repo_guardian.tools.execution.capability import self_check

    result: SelfCheck = anyio.run(self_check, sandbox)
    if as_json:
        checks = [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in result.checks]
        click.echo(
            json.dumps({"backend": result.backend, "passed": result.passed, "checks": checks}, indent=2)
        )
    else:
        click.echo(f"{result.backend}: {'works' if result.passed else 'does not work'}")
        for check in result.checks:
            click.echo(f"  {'holds' if check.passed else 'FAILS'}  {check.name}: {check.detail}")
    return 0 if result.passed else EXIT_ENVIRONMENT
