"""``guardian sandbox``: what the sandbox can enforce on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from repo_guardian.client.cli.home import guardian_home, home_option

if TYPE_CHECKING:
    from repo_guardian.tools.execution import SelfCheck
    from repo_guardian.tools.execution.selftest import FullTest


@click.group()
def command() -> None:
    """Ask the sandbox what it can enforce on this machine."""


@command.command()
@click.option("--sandbox", default="auto", show_default=True, help="auto, or a backend's name.")
@click.option("--all", "everything", is_flag=True,
              help="Try all that is promised and every attack, on each backend that isolates.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def selftest(sandbox: str, *, everything: bool, as_json: bool) -> int:
    """Try, inside a real sandbox, that each promised limit is enforced; exit with 3 when one is not."""
    if everything:
        return _full_selftest(sandbox, as_json=as_json)
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


def _full_selftest(sandbox: str, *, as_json: bool) -> int:
    """Every table of every backend; 3 when one that is available fails, or when none is."""
    from dataclasses import asdict

    import anyio

    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.errors import EXIT_ENVIRONMENT
    from repo_guardian.tools.execution.selftest import full_test

    with Progress() as progress:
        tests = anyio.run(full_test, sandbox, progress.narrate)
    if as_json:
        backends = [{**asdict(test), "passed": test.passed} for test in tests]
        click.echo(json.dumps({"backends": backends}, indent=2))
    else:
        click.echo("\n\n".join("\n".join(_tables(test)) for test in tests))
    available = [test for test in tests if not test.unavailable]
    return 0 if available and all(test.passed for test in available) else EXIT_ENVIRONMENT


def _tables(test: FullTest) -> Iterator[str]:
    """The lines of one backend: a summary, then name, outcome, verdict and what was seen of each trial."""
    if test.unavailable:
        yield f"{test.backend}: not available: {test.unavailable}"
        return
    stood = sum(trial.passed for trial in test.trials)
    yield f"{test.backend}: {stood} of {len(test.trials)} hold"
    width = max(len(trial.name) for trial in test.trials)
    for table in dict.fromkeys(trial.table for trial in test.trials):
        yield f"  {table}"
        for trial in test.trials:
            if trial.table == table:
                verdict = "holds" if trial.passed else "FAILS"
                yield f"    {trial.name:<{width}}  {trial.outcome or '-':<13}  {verdict}  {trial.detail}"


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--commit", metavar="REV", default=None, help="The commit to look at.  [default: HEAD]")
@click.option("--sandbox", default="auto", show_default=True, help="auto, or a backend's name.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), default=None,
              help="A guardian.toml.  [default: the one in the repository's state directory]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def doctor(
    repository: str,
    *,
    commit: str | None,
    sandbox: str,
    config: Path | None,
    as_json: bool,
    home: Path | None,
) -> int:
    """Say whether the suite of PATH_OR_URL can be collected in the sandbox, and why not; exit with 3 then."""
    from dataclasses import asdict

    import anyio

    from repo_guardian.client.cli.doctor import checked_out, examine, tell
    from repo_guardian.client.cli.progress import Progress
    from repo_guardian.errors import EXIT_ENVIRONMENT

    with Progress() as progress:
        progress.narrate("making a mirror")
        with checked_out(repository, commit, (home or guardian_home()).absolute()) as subject:
            found = anyio.run(examine, subject, sandbox, config, progress.narrate)
    if as_json:
        click.echo(json.dumps({**asdict(found), "runnable": found.runnable}, indent=2))
    else:
        click.echo("\n".join(tell(found)))
    return 0 if found.runnable else EXIT_ENVIRONMENT


@command.command()
@click.option("--engine", type=click.Choice(["podman", "docker"]), default=None,
              help="The engine to make it on.  [default: the one that --sandbox container uses]")  # fmt: skip
@click.option("--base", metavar="IMAGE", default=None,
              help="An image with Python, by digest, or `packages` for the distribution's own.")  # fmt: skip
@click.option("--with-compiler", "compiler", is_flag=True, help="Add a C compiler, for extension modules.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def build(engine: str | None, base: str | None, compiler: bool, as_json: bool) -> None:
    """Make the image that `--sandbox container` runs."""
    from repo_guardian.tools.execution.images import build_runtime_image

    name, image = build_runtime_image(
        engine, compiler=compiler, base=base, say=lambda line: click.echo(line, err=True)
    )
    version = ".".join(map(str, image.version))
    if as_json:
        facts = {"engine": name, "digest": image.digest, "base": image.base, "python": version}
        click.echo(json.dumps({**facts, "compiler": image.compiler}, indent=2))
    else:
        click.echo(f"{image.digest}  {name}, Python {version}, from {image.base}")
