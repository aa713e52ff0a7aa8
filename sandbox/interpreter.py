"""The Python that sandboxes run: the one that this program was started with, stripped to its library."""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from repo_guardian.errors import SandboxUnavailableError

MOUNT = "/python"
"""Where a prefix outside ``/usr`` is seen inside, so that no host path enters a traceback or report."""


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


@cache
def current_interpreter() -> Interpreter:
    """The installation behind the running process.

    Raises:
        SandboxUnavailableError: its binary is not where an installation has it.
    """
    prefix = Path(sys.base_prefix).resolve()
    major, minor = sys.version_info[:2]
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
        version=(major, minor),
        prefix=prefix,
        executable=executable,
        links_absolutely=bool(sysconfig.get_config_var("Py_ENABLE_SHARED")),
        site_directories=tuple(name for name in candidates if (prefix / name).is_dir()),
    )
