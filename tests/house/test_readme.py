"""The commands of README and guides are real, and every real command is described somewhere.

Each ``guardian …`` line in a code block is parsed by the command line's own parser: a command or an option
that does not exist fails here before it fails for a reader.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

PROGRAM = "guardian"
BLOCK = re.compile(r"^```(?:console|bash|sh|shell|text)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def cli() -> click.Group:
    """The command line's root group."""
    from repo_guardian.client.cli.main import cli

    return cli


def command_lines(markdown: str) -> Iterator[list[str]]:
    """Yields the arguments of each ``guardian`` call in the code blocks, without the program's name."""
    for block in BLOCK.findall(markdown):
        for line in block.replace("\\\n", " ").splitlines():
            text = line.strip().removeprefix("$ ").removeprefix(".venv/bin/")
            if text.split(" ")[0] != PROGRAM:
                continue
            lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
            lexer.commenters = "#"
            words = list(lexer)
            end = next((i for i, word in enumerate(words) if set(word) <= set("();<>|&")), len(words))
            yield words[1:end]


def parse(group: click.Group, arguments: list[str]) -> str:
    """Parses as far as commands and options go; returns the command's path.

    Raises:
        click.UsageError: no such command, no such option, or an option without its value.
    """
    context = click.Context(group, info_name=PROGRAM)
    _, rest, _ = group.make_parser(context).parse_args(list(arguments))
    path: list[str] = []
    command: click.Command = group
    while isinstance(command, click.Group) and rest:
        name, found, rest = command.resolve_command(context, list(rest))
        assert found is not None
        command = found
        context = click.Context(command, info_name=name, parent=context)
        path.append(str(name))
        _, rest, _ = command.make_parser(context).parse_args(list(rest))
    return " ".join(path)


def commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yields every command with its path, groups included."""
    context = click.Context(group, info_name=PROGRAM)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{name} is listed but cannot be loaded"
        yield f"{prefix}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")


def test_commands_of_readme_and_guides_parse(cli, root):
    readme = list(command_lines((root / "README.md").read_text(encoding="utf-8")))
    assert readme, "the README shows no command"
    guides = [page.read_text(encoding="utf-8") for page in sorted((root / "docs").glob("*.md"))]
    lines = [*readme, *(line for text in guides for line in command_lines(text))]
    failed = {}
    for line in lines:
        try:
            parse(cli, line)
        except click.UsageError as error:
            failed[" ".join(line)] = error.format_message()
    assert failed == {}


def test_every_command_is_described(cli, root):
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    text = " ".join(" ".join(page.read_text(encoding="utf-8").split()) for page in pages)
    missing = [
        path
        for path, command in commands(cli)
        if not command.hidden and not re.search(rf"\b{PROGRAM} {re.escape(path)}\b", text)
    ]
    assert missing == []


def test_every_command_answers_help(cli):
    for path, command in [("", cli), *commands(cli)]:
        result = CliRunner().invoke(cli, [*path.split(), "--help"])
        assert result.exit_code == 0, f"{path}: {result.output}"
        assert result.output.startswith("Usage:")
        assert command.help, f"guardian {path} says nothing about itself"


@click.group(name=PROGRAM)
@click.option("--quiet", is_flag=True)
def toy(quiet):
    """Stands in for the command line."""


@toy.command()
@click.argument("path")
@click.option("--since")
def cycle(path, since):
    """Runs."""


def test_lines_are_found_in_code_blocks_only():
    markdown = (
        "guardian prose\n```console\n$ guardian cycle . --since HEAD~1 | less  # why\n"
        "$ pip install x\n```\n"
        "```\n.venv/bin/guardian \\\n  cycle '. .' && true\n```\n```python\nguardian\n```\n"
    )
    assert list(command_lines(markdown)) == [["cycle", ".", "--since", "HEAD~1"], ["cycle", ". ."]]


def test_right_lines_parse():
    assert parse(toy, ["--quiet", "cycle", ".", "--since", "HEAD~1"]) == "cycle"
    assert parse(toy, ["cycle", "--help"]) == "cycle"


@pytest.mark.parametrize(
    "line", [["cicle", "."], ["cycle", "--sinse", "x"], ["cycle", "--since"], ["--loud"]]
)
def test_a_wrong_line_is_seen(line):
    with pytest.raises(click.UsageError):
        parse(toy, line)
