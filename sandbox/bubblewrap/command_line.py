"""What a command sees: the ``bwrap`` command line over the places that a keeper has assembled."""

from __future__ import annotations

from pathlib import Path

from repo_guardian.sandbox.bubblewrap.namespace import BASE, UNPRIVILEGED_ID, Layout, find_program
from repo_guardian.sandbox.interface import OUT, REPO, Profile
from repo_guardian.sandbox.interpreter import MOUNT, Interpreter

GUARDIAN = "/run/guardian"
"""Inside: the folder of our scripts and of trusted bytecode."""

TOOL_CACHES = (".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache")
"""Caches in a checkout that a tool would believe; what a stranger committed there is no result of ours."""

_SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


def _system() -> list[str]:
    options = ["--ro-bind", "/usr", "/usr"]
    for name in _SYSTEM_FOLDERS:
        path = Path("/") / name
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            options += ["--ro-bind", str(path), str(path)]
    options += ["--ro-bind", f"{BASE}/etc", "/etc"]
    # Debian's /usr/bin/awk and others are links through here.
    return [*options, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]


def _python(interpreter: Interpreter) -> list[str]:
    options: list[str] = []
    if not interpreter.under_usr and interpreter.links_absolutely:
        options += ["--symlink", MOUNT, str(interpreter.prefix)]
    for name in interpreter.site_directories:
        options += ["--ro-bind", f"{BASE}/empty", f"{interpreter.inside_prefix}/{name}"]
    return options


def _repository(layout: Layout, profile: Profile) -> list[str]:
    """The overlay; for a tool the checkout itself, with tools' caches that it may carry hidden."""
    if profile is not Profile.TOOL:
        return ["--bind", f"{BASE}/repo", REPO]
    options = ["--ro-bind", f"{BASE}/lower", REPO]
    for name in TOOL_CACHES:
        path = layout.checkout / name
        if path.is_dir() and not path.is_symlink():
            options += ["--ro-bind", f"{BASE}/empty", f"{REPO}/{name}"]
    return options


def bwrap_command(interpreter: Interpreter, layout: Layout, profile: Profile) -> list[str]:
    """The fixed part of the command line, up to where descriptors and the launcher follow.

    The root and ``/dev`` are tmpfs that bwrap leaves writable
    and unbounded: both are made read-only at the end, and ``/dev/shm`` lies in the bounded disk.
    """
    identity = str(UNPRIVILEGED_ID)
    options = [
        *(
            "--unshare-all",
            "--unshare-user",
            "--as-pid-1",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
        ),
        *("--hostname", "guardian", "--uid", identity, "--gid", identity, "--cap-drop", "ALL"),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev", "--bind", f"{BASE}/disk/shm", "/dev/shm"),  # noqa: S108 - inside
        *("--remount-ro", "/dev"),
    ]
    for index, (target, _) in enumerate(layout.mounts):
        if target:
            options += ["--ro-bind", f"{BASE}/mounts/{index}", target]
    options += [
        *_python(interpreter),
        *("--ro-bind", f"{BASE}/guardian", GUARDIAN),
        *("--bind", f"{BASE}/disk/tmp", "/tmp"),  # noqa: S108 - inside
        *("--bind", f"{BASE}/disk/out", OUT),
        *_repository(layout, profile),
        *("--remount-ro", "/", "--chdir", "/"),
    ]
    return [find_program("bwrap"), *options]
