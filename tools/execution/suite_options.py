"""Which of a suite's own pytest options are kept, and which would make its run unlike a witness'.

``addopts`` of the configuration that pytest would read is parsed, never run. The rule:

- options of coverage, of distribution over processes, of reruns and of early ends are taken out always: they
  change what an exit status means, or stop before every test has run;
- options of a plugin that the table below names are taken out where that plugin is not installed, since
  pytest would refuse to start;
- everything else is kept as it is written, unknown options included.

What is taken out is listed in the result.
"""

from __future__ import annotations

import configparser
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

_ALWAYS = {
    "--cov": "?", "--cov-report": "1", "--cov-config": "1", "--cov-fail-under": "1", "--cov-append": "0",
    "--cov-branch": "0", "--cov-context": "1", "--no-cov-on-fail": "0", "--no-cov": "0",
    "-n": "1", "--numprocesses": "1", "--maxprocesses": "1", "--dist": "1", "--tx": "1", "-d": "0",
    "--looponfail": "0", "-f": "0", "--forked": "0", "--boxed": "0", "--max-worker-restart": "1",
    "--reruns": "1", "--reruns-delay": "1", "--only-rerun": "1", "--flake-finder": "0", "--count": "1",
    "-x": "0", "--exitfirst": "0", "--maxfail": "1", "--stepwise": "0", "--sw": "0",
    "--collect-only": "0", "--collectonly": "0", "--co": "0", "--setup-only": "0", "--setup-plan": "0",
    "--setuponly": "0", "--setupplan": "0", "--pdb": "0", "--trace": "0", "--lf": "0", "--last-failed": "0",
    "--junitxml": "1", "--junit-xml": "1",
}  # fmt: skip
"""Options that never take part, and whether a value follows: no (0), yes (1), if it is no option (?)."""

_PLUGINS = {
    "pytest-asyncio": (("--asyncio-mode", "1"), ("--asyncio-debug", "0")),
    "pytest-timeout": (("--timeout", "1"), ("--timeout-method", "1"), ("--session-timeout", "1")),
    "pytest-benchmark": (("--benchmark-", "0"),),
    "pytest-django": (("--ds", "1"), ("--reuse-db", "0"), ("--create-db", "0"), ("--nomigrations", "0"),
                      ("--no-migrations", "0"), ("--dc", "1"), ("--fail-on-template-vars", "0")),
    "pytest-html": (("--html", "1"), ("--self-contained-html", "0")),
    "pytest-mypy": (("--mypy", "0"), ("--mypy-config-file", "1"), ("--mypy-ignore-missing-imports", "0")),
    "pytest-flake8": (("--flake8", "0"),),
    "pytest-flakes": (("--flakes", "0"),),
    "pytest-black": (("--black", "0"),),
    "pytest-ruff": (("--ruff", "0"), ("--ruff-format", "0")),
    "pytest-isort": (("--isort", "0"),),
    "pytest-pycodestyle": (("--pycodestyle", "0"), ("--pep8", "0")),
    "pytest-pylint": (("--pylint", "0"),),
    "pytest-randomly": (("--randomly-seed", "1"), ("--randomly-dont-reorganize", "0")),
    "pytest-random-order": (("--random-order", "0"), ("--random-order-bucket", "1"),
                            ("--random-order-seed", "1")),
    "pytest-sugar": (("--old-summary", "0"), ("--force-sugar", "0")),
    "pytest-instafail": (("--instafail", "0"),),
    "pytest-socket": (("--disable-socket", "0"), ("--allow-hosts", "1"), ("--allow-unix-socket", "0"),
                      ("--force-enable-socket", "0")),
    "pytest-mock-resources": (("--pmr-", "0"),),
    "pytest-recording": (("--record-mode", "1"), ("--block-network", "0")),
    "pytest-doctestplus": (("--doctest-plus", "0"), ("--doctest-rst", "0"), ("--text-file-format", "1")),
    "pytest-remotedata": (("--remote-data", "0"),),
    "pytest-mpl": (("--mpl", "0"),),
    "nbval": (("--nbval", "0"), ("--nbval-lax", "0"), ("--sanitize-with", "1")),
    "nbmake": (("--nbmake", "0"),),
    "hypothesis": (("--hypothesis-", "0"),),
    "typeguard": (("--typeguard-packages", "1"),),
    "beartype": (("--beartype-packages", "1"),),
    "jaxtyping": (("--jaxtyping-packages", "1"),),
    "syrupy": (("--snapshot-", "0"),),
    "pytest-cases": (("--with-reorder", "0"),),
    "pytest-testmon": (("--testmon", "0"),),
    "pytest-codspeed": (("--codspeed", "0"),),
    "pytest-memray": (("--memray", "0"),),
    "pytest-accept": (("--accept", "0"),),
    "pytest-markdown-docs": (("--markdown-docs", "0"),),
}  # fmt: skip
"""Options of well-known plugins by distribution; a name that ends in ``-`` stands for all that begin so."""

_FILES = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
_MOST_BYTES = 1024**2


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """``argv`` goes to pytest after its name; ``dropped`` says, a line each, what was changed and why."""

    argv: tuple[str, ...]
    dropped: tuple[str, ...]


def suite_options(checkout: Path, installed: Sequence[str]) -> SuiteOptions:
    """What to add to the command line of the suite of ``checkout``.

    Args:
        checkout: the tree, on the host.
        installed: ``name==version`` of each package beside it.
    """
    names = {canonicalize_name(text.partition("==")[0]) for text in installed}
    argv = ["-p", "no:randomly", "-p", "no:random_order", "-p", "no:rerunfailures", "--maxfail=0"]
    dropped: list[str] = []
    written = read_addopts(checkout)
    kept = list(_kept(written, names, dropped))
    if kept != written:
        argv += ["-o", f"addopts={shlex.join(kept)}"]
    if "pytest-xdist" in names:
        argv += ["-n0"]
        dropped.append("pytest-xdist is installed; -n0: one process runs every test, in order")
    for name in sorted(names & {"pytest-randomly", "pytest-random-order", "pytest-rerunfailures"}):
        dropped.append(f"{name} is switched off: order and outcome of a test are those of one run")
    return SuiteOptions(tuple(argv), tuple(dropped))


def _kept(written: Sequence[str], names: set[Any], dropped: list[str]) -> Iterator[str]:
    tokens = list(written)
    while tokens:
        token = tokens.pop(0)
        why, arity = _verdict(token, names)
        if not why:
            yield token
            if token == "-p" and tokens:  # noqa: S105  a name of a plugin follows
                yield tokens.pop(0)
            continue
        follows = bool(tokens) and (arity == "1" or (arity == "?" and not tokens[0].startswith("-")))
        value = f" {tokens.pop(0)}" if follows and "=" not in token and not _joined(token) else ""
        dropped.append(f"{token}{value} is left out of addopts: {why}")


def _verdict(token: str, names: set[Any]) -> tuple[str, str]:
    """Why ``token`` goes and whether a value follows it; an empty reason keeps it."""
    name = "-n" if _joined(token) else token.partition("=")[0]
    if name in _ALWAYS:
        return "it would change which tests run, or what the exit status means", _ALWAYS[name]
    for plugin, options in _PLUGINS.items():
        for option, arity in options:
            if (name == option or (option.endswith("-") and name.startswith(option))) and plugin not in names:
                return f"{plugin} is not installed", arity
    return "", "0"


def _joined(token: str) -> bool:
    """True for ``-nauto`` and ``-n4``: a short option with its value in one word."""
    return (
        token.startswith("-n")
        and token[2:] != ""
        and (token[2:].isdigit() or token[2:] in ("auto", "logical"))
    )


def read_addopts(checkout: Path) -> list[str]:
    """The words of ``addopts`` in the file that pytest would take its configuration from; [] without any.

    The order of files is pytest's (https://docs.pytest.org/en/stable/reference/customize.html).
    """
    for name in _FILES:
        text = _text(checkout / name)
        section = _section(name, text) if text is not None else None
        if section is None:
            continue
        value = section.get("addopts", "")
        if isinstance(value, list):
            return [str(word) for word in value]
        try:
            return shlex.split(str(value))
        except ValueError:
            return []  # pytest itself will say what is wrong with it
    return []


def _section(name: str, text: str) -> dict[str, Any] | None:
    try:
        if name.endswith(".toml"):
            return _toml_section(name, tomllib.loads(text))
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(text)
    except (ValueError, RecursionError, configparser.Error):
        return None
    wanted = "tool:pytest" if name == "setup.cfg" else "pytest"
    if parser.has_section(wanted):
        return dict(parser.items(wanted))
    return {} if name in ("pytest.ini", ".pytest.ini") else None


def _toml_section(name: str, document: dict[str, Any]) -> dict[str, Any] | None:
    if name != "pyproject.toml":
        section = document.get("pytest", {})
        return section if isinstance(section, dict) else {}
    tool = document.get("tool")
    pytest = tool.get("pytest") if isinstance(tool, dict) else None
    if not isinstance(pytest, dict):
        return None
    section = pytest.get("ini_options", pytest)
    return section if isinstance(section, dict) else None


def _text(path: Path) -> str | None:
    try:
        if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
