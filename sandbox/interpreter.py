"""The Pythons that sandboxes run: installations on the host, stripped to their library.

The default is the one that this program was started with. Others are looked for beside it, where version
managers keep theirs, and along ``PATH``; each binary is asked what it is, isolated from its environment and
without its packages.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.interface import PythonRuntime

MOUNT = "/python"
"""Where a prefix outside ``/usr`` is seen inside, so that no host path enters a traceback or report."""

OLDEST = (3, 8)
"""The oldest Python that our scripts inside a sandbox run on."""

_NAME = re.compile(r"python3\.(\d{1,2})")
_MOST_CANDIDATES = 32
_ANSWER_S = 5.0
_ASK = """
import json, sys, sysconfig
print(json.dumps({
    "implementation": sys.implementation.name, "version": list(sys.version_info[:3]),
    "prefix": sys.base_prefix, "shared": bool(sysconfig.get_config_var("Py_ENABLE_SHARED")),
}))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python installation on the host and its place inside a sandbox.

    Attributes:
        version: ``(major, minor)``.
        prefix: the installation on the host; never a virtual environment.
        executable: the binary, relative to the prefix.
        links_absolutely: it may look for ``libpython`` under its original prefix, by absolute path.
        site_directories: folders of installed packages, relative to the prefix. They are the machine's,
            not the repository's, and are hidden inside.
    """

    version: tuple[int, int]
    prefix: Path
    executable: str
    links_absolutely: bool
    site_directories: tuple[str, ...]

    @property
    def under_usr(self) -> bool:
        """True when ``/usr`` already contains it."""
        return self.prefix == Path("/usr") or Path("/usr") in self.prefix.parents

    @property
    def inside_prefix(self) -> str:
        """The prefix as seen inside a sandbox."""
        return str(self.prefix) if self.under_usr else MOUNT

    @property
    def inside(self) -> str:
        """The binary as seen inside a sandbox."""
        return f"{self.inside_prefix}/{self.executable}"

    @property
    def host(self) -> Path:
        """The binary on the host."""
        return self.prefix / self.executable

    def runtime(self, *, path: str | None = None) -> PythonRuntime:
        """The public record, with ``path`` instead of the place inside where that differs."""
        return PythonRuntime(self.version, path or self.inside, str(self.host))


def _installation(prefix: Path, version: tuple[int, int], *, shared: bool) -> Interpreter:
    """The installation below ``prefix``, whose binary must lie where installations have it.

    Raises:
        SandboxUnavailableError: it does not.
    """
    major, minor = version
    executable = f"bin/python{major}.{minor}"
    if not (prefix / executable).is_file():
        raise SandboxUnavailableError(
            f"{prefix / executable} does not exist",
            hint="run Repository Guardian with a regular Python installation or a virtual environment of one",
        )
    candidates = (
        f"lib/python{major}.{minor}/site-packages",
        f"lib64/python{major}.{minor}/site-packages",
        "lib/python3/dist-packages",
        f"local/lib/python{major}.{minor}/dist-packages",
    )
    return Interpreter(
        version=version,
        prefix=prefix,
        executable=executable,
        links_absolutely=shared,
        site_directories=tuple(name for name in candidates if (prefix / name).is_dir()),
    )


@cache
def current_interpreter() -> Interpreter:
    """The installation behind the running process.

    Raises:
        SandboxUnavailableError: its binary is not where an installation has it.
    """
    shared = bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))
    return _installation(Path(sys.base_prefix).resolve(), sys.version_info[:2], shared=shared)


def _folders() -> Iterator[Path]:
    """Where binaries may lie: beside the current installation, in version managers' stores, on ``PATH``."""
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv")
    stores = (Path(sys.base_prefix).resolve().parent, pyenv / "versions", home / ".local/share/uv/python")
    for store in stores:
        with suppress(OSError):
            yield from sorted(store.glob("*/bin"))
    yield from (Path("/usr/local/bin"), Path("/usr/bin"))
    # A relative entry would be looked up in whatever folder we stand in, a repository perhaps.
    yield from (Path(entry) for entry in os.environ.get("PATH", "").split(":") if entry.startswith("/"))


def _binaries() -> list[Path]:
    """Candidates, links resolved, at most ``_MOST_CANDIDATES``: programs, not the scripts of shims."""
    found: dict[Path, None] = {}
    for folder in dict.fromkeys(_folders()):
        if (folder.parent / "pyvenv.cfg").exists():
            continue
        with suppress(OSError):
            for path in sorted(folder.glob("python3.*")):
                name = _NAME.fullmatch(path.name)
                if name is None or (3, int(name[1])) < OLDEST:
                    continue
                real = path.resolve()
                with real.open("rb") as stream:
                    if stream.read(4) == b"\x7fELF":
                        found[real] = None
    return list(found)[:_MOST_CANDIDATES]


def _ask(binary: Path) -> tuple[tuple[int, ...], Interpreter] | None:
    """The full version and the installation behind ``binary``, or None when it cannot serve."""
    with suppress(OSError, ValueError, KeyError, subprocess.SubprocessError, SandboxUnavailableError):
        done = subprocess.run(  # noqa: S603 - a Python installation of the host, with fixed arguments
            [str(binary), "-I", "-S", "-c", _ASK],
            env={"PATH": os.defpath},
            cwd="/",
            capture_output=True,
            timeout=_ANSWER_S,
            check=True,
        )
        answer = json.loads(done.stdout)
        version, prefix = tuple(answer["version"]), Path(answer["prefix"]).resolve()
        usable = answer["implementation"] == "cpython" and version >= OLDEST
        if usable and prefix not in (Path("/"), Path.home().resolve()):
            return version, _installation(prefix, (version[0], version[1]), shared=answer["shared"])
    return None


@cache
def host_interpreters() -> tuple[Interpreter, ...]:
    """Every usable CPython of the host, one for each ``(major, minor)``: the current one, then by version.

    Of several with the same minor version the newest is taken. Looked for once in the life of the program.

    Raises:
        SandboxUnavailableError: the running Python itself is no regular installation.
    """
    current = current_interpreter()
    newest: dict[tuple[int, int], tuple[tuple[int, ...], Interpreter]] = {}
    for binary in _binaries():
        answer = _ask(binary)
        if answer is None or answer[1].version == current.version:
            continue
        known = newest.get(answer[1].version)
        if known is None or known[0] < answer[0]:
            newest[answer[1].version] = answer
    return (current, *(newest[version][1] for version in sorted(newest, reverse=True)))


def choose(available: tuple[Interpreter, ...], wanted: tuple[int, int] | None) -> Interpreter:
    """The one of ``available`` with the version ``wanted``, or the first when any will do.

    Raises:
        SandboxUnavailableError: there is none; the hint lists the versions that there are.
    """
    for interpreter in available:
        if wanted is None or interpreter.version == wanted:
            return interpreter
    versions = ", ".join(f"{major}.{minor}" for major, minor in (one.version for one in available))
    asked = ".".join(map(str, wanted or ()))
    raise SandboxUnavailableError(
        f"Python {asked} is not available to the sandbox", hint=f"install it, or use one of {versions}"
    )
