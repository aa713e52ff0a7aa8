"""What is watched: a path or an address, made canonical, with the identity that its state is kept under."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from repo_guardian.errors import NotARepositoryError
from repo_guardian.tools.git.command import git_version, locate_repository
from repo_guardian.tools.git.faults import read_fault, shown
from repo_guardian.tools.git.hardening import REMOTE_PROTOCOLS

_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://")
_SCP = re.compile(r"(?P<host>(?:[^-/:@\[][^/:@]*@)?(?:[^-/:@\[][^/:@]*|\[[0-9A-Fa-f:.]+\])):(?P<path>[^:].*)")
_DEFAULT_PORTS = {"http": 80, "https": 443, "ssh": 22, "git": 9418}
_HASH_DIGITS = 10


@dataclass(frozen=True, slots=True)
class Source:
    """One watched repository.

    Attributes:
        location: canonical and fit to be shown: an absolute path (unprintable characters escaped), or an
            address without credentials.
        repository_id: ``<slug of the base name>-<10 hex digits of SHA-256 of the location>``; the name of
            the folder that its state is kept in. All worktrees of one repository share it.
        url: what git fetches from: an absolute git directory, or the address as it was given.
        local: True when ``url`` is a directory on this machine.
    """

    location: str
    repository_id: str
    url: str
    local: bool

    def scrub(self, text: str) -> str:
        """``text`` with the address as given, which may hold a password, replaced by ``location``."""
        return text if self.local else text.replace(self.url, self.location)


def locate(source: str) -> Source:
    """Find the repository that ``source`` names; nothing is fetched and an address is not contacted.

    Args:
        source: a path (a work tree or any directory in it, a bare repository, a linked worktree) or an
            address (``https``, ``http``, ``ssh``, ``git``, ``file``, or ``[user@]host:path``).

    Raises:
        NotARepositoryError: no such path, a file, not in a repository, or an address of another kind.
        RepositoryOwnershipError: git refuses a repository of another user; the hint is the command.
        GitError: git is missing or too old.
    """
    git_version()
    if not source or "\0" in source or source.startswith("-"):
        raise NotARepositoryError(
            f"{source!r} is neither a path nor an address", hint="prefix a path with ./"
        )
    if _HELPER.match(source):
        raise NotARepositoryError(
            f"{shown(source)} would run a remote helper program, which is never done",
            hint=f"use one of {', '.join(REMOTE_PROTOCOLS)}, or a path",
        )
    if match := _URL.match(source):
        return _from_url(source, match["scheme"].lower())
    match = _SCP.fullmatch(source)
    if match and not Path(source).exists():
        location = f"ssh://{match['host']}/{match['path'].strip('/').removesuffix('.git')}"
        return Source(location, _identity(location), source, local=False)
    return _from_path(Path(source))


def _from_url(source: str, scheme: str) -> Source:
    if scheme not in REMOTE_PROTOCOLS:
        raise NotARepositoryError(
            f"addresses of kind {scheme}:// are not supported",
            hint=f"use one of {', '.join(REMOTE_PROTOCOLS)}, or a path",
        )
    if scheme == "file":
        path = unquote(source[len("file://") :].removeprefix("localhost"), errors="surrogateescape")
        return _from_path(Path(path))
    try:
        parts = urlsplit(source)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        raise NotARepositoryError(f"malformed address: {error}", hint="check the address") from error
    if not host or host.startswith("-"):
        raise NotARepositoryError("the address has no valid host name", hint="check the address")
    netloc = f"[{host}]" if ":" in host else host
    if port not in (None, _DEFAULT_PORTS[scheme]):
        netloc += f":{port}"
    if scheme == "ssh" and parts.username and not parts.username.startswith("-"):
        netloc = f"{parts.username}@{netloc}"
    location = urlunsplit((scheme, netloc, parts.path.rstrip("/").removesuffix(".git"), "", ""))
    return Source(location, _identity(location), source, local=False)


def _from_path(path: Path) -> Source:
    name = shown(path)
    try:
        if not path.exists():
            raise NotARepositoryError(f"{name} does not exist", hint="check the path")
        if not path.is_dir():
            raise NotARepositoryError(
                f"{name} is a file, not a repository", hint="give the directory that holds it"
            )
        start = path.resolve()
    except OSError as error:
        raise NotARepositoryError(
            f"cannot look at {name}: {error.strerror}", hint="check the path"
        ) from error
    outcome = locate_repository(start)
    # A path may itself hold a newline, so the answer is read from its fixed end.
    lines = outcome.stdout.removesuffix(b"\n").split(b"\n")
    if outcome.code != 0 or len(lines) < 3:
        raise read_fault(outcome.stderr, name)
    git_dir, common_dir = _split_directories(lines[:-1])
    root = common_dir.parent if common_dir.name == ".git" else common_dir
    return Source(shown(root), _identity(str(root)), str(git_dir), local=True)


def _split_directories(lines: list[bytes]) -> tuple[Path, Path]:
    """The two absolute paths that ``lines`` were made of by splitting at newlines."""
    for middle in range(1, len(lines)):
        first, second = (Path(os.fsdecode(b"\n".join(part))) for part in (lines[:middle], lines[middle:]))
        if first.is_dir() and second.is_dir() and second.is_absolute():
            return first.resolve(), second.resolve()
    raise NotARepositoryError(
        "git named directories that do not exist", hint="check the repository with git fsck"
    )


def _identity(location: str) -> str:
    base = location.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git")
    slug = re.sub(r"[^a-z0-9]+", "-", base.lower()).strip("-")[:40].strip("-") or "repository"
    digest = hashlib.sha256(os.fsencode(location)).hexdigest()[:_HASH_DIGITS]
    return f"{slug}-{digest}"
