"""``guardian``: the entry point, its lazy commands, and how errors become exit codes.

Exit codes: 0 done, 1 findings with ``--fail-on``, 2 the call can be mended, 3 the machine cannot. Results
go to standard output; everything else to standard error.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from repo_guardian import __version__
from repo_guardian.errors import EXIT_ENVIRONMENT, GuardianError

EXIT_INTERRUPTED = 130

COMMANDS = {
    "accept": "Say that a finding is true and known.",
    "advisories": "Tell which dependencies have known vulnerabilities, and what clears them.",
    "callers": "List who calls a symbol.",
    "check": "Check what is not committed: what broke, who relies on it, what shows it.",
    "dismiss": "Say that a finding is not worth telling.",
    "drift": "Tell what changed between two commits, and who has not followed.",
    "cycle": "Look at one commit: measure, prove, report, remember.",
    "memory": "Read what earlier cycles wrote; check it, copy it, make it whole again.",
    "repro": "Prove a finding again, or take its proof elsewhere.",
    "sandbox": "Ask the sandbox what it can enforce on this machine.",
    "search": "Search a repository by words, by meaning and by name.",
    "serve": "Serve a repository's tools over MCP on standard input and output.",
    "views": "Compile commits into views, list, verify and collect them.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, and listed without being imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command's module and return its ``command``; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"repo_guardian.client.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table above: help needs none of their imports."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 findings with --fail-on, 2 usage, 3 the environment cannot.",
)
@click.version_option(__version__, prog_name="guardian")
def cli() -> None:
    """Repository Guardian watches over a git repository and proves the risks that it finds.

    It never changes the repository that it watches. What it learns is kept under GUARDIAN_HOME.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(lambda: cli.main(args=arguments, prog_name="guardian", standalone_mode=False)))


def run(call: Callable[[], Any]) -> int:
    """Call ``call`` and turn how it ended into an exit code, with one clear line on standard error."""
    try:
        result = call()
    except GuardianError as error:
        report_error(error)
        return error.exit_code
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("guardian: interrupted; nothing half-done was kept", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away; there is nobody left to tell.
        sys.stderr.close()
        return EXIT_ENVIRONMENT
    return result if isinstance(result, int) else 0


def report_error(error: GuardianError) -> None:
    """One line that says what is wrong and, behind it, what to do."""
    hint = f"; {error.hint}" if error.hint else ""
    click.echo(f"guardian: {' '.join(error.message.split())}{' '.join(hint.split(' '))}", err=True)
