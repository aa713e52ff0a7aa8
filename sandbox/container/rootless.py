"""Podman for an ordinary user: what it needs of the machine, and how its namespaces are entered.

Podman keeps one user and one mount namespace for each user, and its service and all containers run below
these. What a holder mounts in there is seen by the containers and by nobody else.
"""

from __future__ import annotations

import os
import pwd
import shutil
from pathlib import Path

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.bubblewrap.namespace import SEARCH_PATH, find_program
from repo_guardian.sandbox.container.service import podman_program

_FALLBACK = "/tmp"  # noqa: S108 - the folder made in it is checked to be ours
_SUBORDINATE = ("/etc/subuid", "/etc/subgid")
_RANGE = 65536


def demand_rootless() -> None:
    """Check that Podman can give this user namespaces with enough identities.

    Raises:
        SandboxUnavailableError: it cannot; the message says what is missing.
    """
    for name in ("newuidmap", "newgidmap"):
        if shutil.which(name, path=SEARCH_PATH) is None:
            raise SandboxUnavailableError(
                f"rootless Podman needs {name}, which is not installed",
                hint="apt-get install uidmap, run as root, or use --sandbox bubblewrap",
            )
    user = os.geteuid()
    for path in _SUBORDINATE:
        if subordinate_ids(Path(path), user) < _RANGE:
            raise SandboxUnavailableError(
                f"rootless Podman needs {_RANGE} subordinate identities of this user in {path}",
                hint="usermod --add-subuids and --add-subgids (subuid(5)), or use --sandbox bubblewrap",
            )


def subordinate_ids(path: Path, user: int) -> int:
    """How many identities ``path``, a file in the format of subuid(5), gives to the user number ``user``."""
    names = {str(user)}
    try:
        names.add(pwd.getpwuid(user).pw_name)
        rows = [line.split(":") for line in path.read_text("utf-8", "replace").splitlines()]
    except (KeyError, OSError):
        return 0
    return sum(int(row[2]) for row in rows if len(row) == 3 and row[0] in names and row[2].isdecimal())


def runtime_folder() -> Path:
    """A folder that belongs to this user and that nobody else can look into, made at the first call.

    Raises:
        SandboxUnavailableError: somebody else has put something there.
    """
    named = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    folder = named / "repo-guardian"
    if not (named.is_absolute() and named.is_dir() and os.access(named, os.W_OK)):
        folder = Path(_FALLBACK) / f"repo-guardian-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise SandboxUnavailableError(f"{folder} is not private to this user", hint="remove it")
    return folder


def unshare_command() -> list[str]:
    """What starts a command in Podman's namespaces of this user, as root of these."""
    program = podman_program()
    assert program  # noqa: S101 - its service runs
    return [program, "unshare"]


def enter_command(pid: int) -> list[str]:
    """What starts a command in the namespaces of the process ``pid``, which this user owns."""
    target = ["--target", str(pid), "--user", "--mount", "--preserve-credentials"]
    return [find_program("nsenter"), *target, "--"]


def unshare_environment() -> dict[str, str]:
    """The variables by which Podman finds the namespaces of this user, and nothing else."""
    kept = ("HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR")
    return {"PATH": SEARCH_PATH, **{name: os.environ[name] for name in kept if name in os.environ}}
