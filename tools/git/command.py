"""The one place outside ``sandbox/`` that starts a process: git, with fixed arguments.

Two kinds of commands exist and they trust different things.

* Commands on the **mirror** (``Git``) read nothing but the mirror: no system or user configuration, no
  attributes from outside, no network protocol at all, no replace refs, no lazy fetching.
* Commands that read the **watched repository** (``locate_repository``, ``list_remote``, ``fetch``) honour
  the user's own configuration, since credentials, proxies and ``safe.directory`` live there. Of the
  watched repository's configuration git reads what it must, and everything in it that could name a
  program is overridden or has no code path: ``upload-pack`` runs with no protocol allowed, so that a
  partial clone cannot start its ``core.sshCommand``, and without hooks or fsmonitor.

No ``GIT_*`` variable of the caller's environment survives, the transport settings in ``_USER_GIT``
apart. Values that come from outside reach git behind ``--end-of-options`` or on stdin only.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

from repo_guardian.errors import GitError
from repo_guardian.tools.git.faults import write_fault
from repo_guardian.tools.git.hardening import (
    FIXED,
    MIRROR_ONLY,
    UPLOAD_PACK,
    WORK_TREE,
    isolated,
    with_transports,
    with_user_configuration,
)

MINIMUM_VERSION = (2, 34)
"""Oldest git that has all that is used here: negative refspecs, SHA-256, ``safe.directory``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One finished git process: exit code, raw stdout, and stderr decoded with replacement."""

    code: int
    stdout: bytes
    stderr: str


@dataclass(frozen=True, slots=True)
class Git:
    """git on one mirror.

    Attributes:
        git_dir: the bare repository; made absolute by the caller.
        timeout_s: wall-clock seconds after which a command and its children are killed.
        work_tree: a directory whose files are compared with an index of ours in ``git_dir``. Its
            ``.gitattributes`` and ``.gitignore`` count then, as data: no driver is configured that
            they could name.
        index: the index file; the one in ``git_dir`` when None.
        borrowed: an object directory to read besides those of ``git_dir``.
    """

    git_dir: Path
    timeout_s: float = 300.0
    work_tree: Path | None = None
    index: Path | None = None
    borrowed: Path | None = None

    def run(self, *args: str, stdin: bytes = b"") -> bytes:
        """Run one command and return its stdout.

        Raises:
            GitError: git is missing, timed out, or failed.
            DiskFullError, StateDirError: it could not write the mirror.
        """
        outcome = self.attempt(*args, stdin=stdin)
        if outcome.code != 0:
            raise write_fault(outcome.stderr, self.git_dir)
        return outcome.stdout

    def attempt(self, *args: str, stdin: bytes = b"") -> Outcome:
        """Like ``run``, for commands whose failure is an answer: never raises for the exit code."""
        return _execute(self._argv(args), self._environment(), stdin=stdin, timeout_s=self.timeout_s)

    @contextmanager
    def stream(self, *args: str) -> Iterator[Stream]:
        """Run one command with a pipe at both ends; leaving the context ends it.

        Raises:
            GitError: git is missing, timed out, or exited with a code other than 0.
        """
        with tempfile.TemporaryFile() as stderr:
            process = _start(self._argv(args), self._environment(), stderr=stderr)
            stream = Stream(process, stderr, self)
            watchdog = threading.Timer(self.timeout_s, stream.expire)
            watchdog.daemon = True
            watchdog.start()
            try:
                yield stream
                stream.finish()
            finally:
                watchdog.cancel()
                _kill(process)

    def _environment(self) -> dict[str, str]:
        return isolated(index=self.index, borrowed=self.borrowed)

    def _argv(self, args: Sequence[str]) -> list[str]:
        if self.work_tree is None:
            return ["git", *FIXED, *MIRROR_ONLY, f"--git-dir={self.git_dir}", *args]
        place = ("-C", str(self.work_tree), f"--git-dir={self.git_dir}", f"--work-tree={self.work_tree}")
        return ["git", *FIXED, *WORK_TREE, *place, *args]


class Stream:
    """Both ends of a running git command; made by ``Git.stream`` only."""

    def __init__(self, process: subprocess.Popen[bytes], stderr: IO[bytes], git: Git) -> None:
        if process.stdin is None or process.stdout is None:
            raise GitError("git was started without pipes")
        self._process = process
        self._stderr = stderr
        self._git = git
        self._expired = False
        self._stdin = process.stdin
        self.stdout = process.stdout

    def send(self, data: bytes) -> None:
        """Write to git's stdin and flush; a dead git surfaces as its own error."""
        try:
            self._stdin.write(data)
            self._stdin.flush()
        except (BrokenPipeError, ValueError):
            self.fail()

    def line(self) -> bytes:
        """The next line of stdout without its newline.

        Raises:
            GitError: git ended instead.
        """
        line = self.stdout.readline()
        if not line.endswith(b"\n"):
            self.fail()
        return line[:-1]

    def chunks(self, size: int, chunk_bytes: int = 1 << 20) -> Iterator[bytes]:
        """Exactly ``size`` bytes of stdout, in pieces of at most ``chunk_bytes``.

        Raises:
            GitError: git ended before.
        """
        while size > 0:
            data = self.stdout.read(min(size, chunk_bytes))
            if not data:
                self.fail()
            size -= len(data)
            yield data

    def chunks_to_end(self, chunk_bytes: int = 1 << 16) -> Iterator[bytes]:
        """All of stdout, in pieces of at most ``chunk_bytes``."""
        while data := self.stdout.read(chunk_bytes):
            yield data

    def line_heads(self, head_bytes: int) -> Iterator[bytes]:
        """The first ``head_bytes`` bytes of each line up to the end; lines may be of any length."""
        at_start = True
        while piece := self.stdout.readline(1 << 16):
            if at_start:
                yield piece[:head_bytes]
            at_start = piece.endswith(b"\n")

    def finish(self) -> None:
        """Close stdin, wait, and raise unless git ended by itself with code 0."""
        with suppress(OSError):
            self._stdin.close()
        while self.stdout.read(1 << 16):
            pass  # an unread rest would keep git waiting on a full pipe
        self._process.wait()
        if self._expired or self._process.returncode != 0:
            self.fail()

    def expire(self) -> None:
        """Called by the watchdog: mark the stream as timed out and kill git."""
        self._expired = True
        _kill(self._process)

    def fail(self) -> NoReturn:
        """Raise what git's exit means."""
        _kill(self._process, grace_s=1.0)
        if self._expired:
            raise _timed_out(self._git.timeout_s)
        self._stderr.seek(0)
        raise write_fault(self._stderr.read(1 << 16).decode(errors="replace"), self._git.git_dir)


def locate_repository(path: Path, *, timeout_s: float = 30.0) -> Outcome:
    """Ask git which repository ``path`` (an existing directory) belongs to.

    stdout holds, newline-separated: absolute git directory, absolute common directory, object format.
    Reads the user's configuration, for ``safe.directory``; runs nothing of the repository's.
    """
    fields = ("--absolute-git-dir", "--git-common-dir", "--show-object-format")
    argv = ["git", *FIXED, "-C", str(path), "rev-parse", "--path-format=absolute", *fields]
    return _execute(argv, with_user_configuration(), timeout_s=timeout_s)


def list_remote(url: str, *pattern: str, local: bool, timeout_s: float) -> Outcome:
    """``git ls-remote URL [PATTERN]``: ``<oid> TAB <ref>`` lines. Runs outside any repository."""
    # GIT_DIR names a non-repository, so that the configuration of wherever we happen to stand is not read.
    environment = with_transports({"GIT_DIR": os.devnull})
    upload_pack = (f"--upload-pack={UPLOAD_PACK}",) if local else ()
    argv = ["git", *FIXED, "ls-remote", "--quiet", *upload_pack, "--end-of-options", url, *pattern]
    return _execute(argv, environment, timeout_s=timeout_s)


def fetch(git: Git, url: str, refspecs: Sequence[str], *, local: bool, deepen: bool, lock_fd: int) -> Outcome:
    """Fetch ``refspecs`` of ``url`` into the mirror, pruning what is gone there.

    Args:
        local: the source is a directory on this machine, read by our own hardened ``upload-pack``.
        deepen: the mirror is shallow: take whatever more of the history the source has by now.
        lock_fd: descriptor of the lock that covers the mirror; git inherits it, so that the lock
            outlives us for as long as an orphaned git still writes.
    """
    options = (
        *("--quiet", "--prune", "--no-tags", "--update-shallow", "--no-write-fetch-head"),
        *("--no-recurse-submodules", "--no-auto-maintenance", "--no-show-forced-updates"),
        *(("--unshallow",) if deepen else ()),
        *((f"--upload-pack={UPLOAD_PACK}",) if local else ()),
    )
    argv = ["git", *FIXED, f"--git-dir={git.git_dir}", "fetch", *options, "--end-of-options", url, *refspecs]
    environment = with_transports()
    return _execute(argv, environment, timeout_s=git.timeout_s, pass_fds=(lock_fd,))


@cache
def git_version() -> tuple[int, ...]:
    """The version of the git on ``PATH``, e.g. ``(2, 39, 5)``; asked once per process.

    Raises:
        GitError: git is missing, or older than ``MINIMUM_VERSION``.
    """
    text = _execute(["git", "--version"], isolated(), timeout_s=30.0).stdout.decode(errors="replace")
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    version = tuple(int(part) for part in match.groups(default="0")) if match else ()
    if version < MINIMUM_VERSION:
        needed = ".".join(map(str, MINIMUM_VERSION))
        raise GitError(f"{text.strip() or 'this git'} is too old", hint=f"install git {needed} or later")
    return version


def _start(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stderr: int | IO[bytes],
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    try:
        # A new session: no terminal to prompt on, and one process group to kill.
        return subprocess.Popen(  # noqa: S603 - fixed git argv, no shell; this module is the one exception
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed, or not on PATH", hint="install git and try again") from error
    except (OSError, ValueError) as error:
        raise GitError(f"git could not be started: {error}") from error


def _execute(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    timeout_s: float,
    stdin: bytes = b"",
    pass_fds: Sequence[int] = (),
) -> Outcome:
    process = _start(argv, environment, stderr=subprocess.PIPE, pass_fds=pass_fds)
    try:
        stdout, stderr = process.communicate(stdin, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise _timed_out(timeout_s) from None
    finally:
        _kill(process)
    return Outcome(process.returncode, stdout, stderr.decode(errors="replace"))


def _kill(process: subprocess.Popen[bytes], *, grace_s: float = 0.0) -> None:
    """End the process and its group; one that has ended by itself keeps its exit code."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=grace_s)
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _timed_out(timeout_s: float) -> GitError:
    return GitError(
        f"git did not finish within {timeout_s:g} s",
        hint="the repository may be very large, or the network stuck; try again or raise the time limit",
    )
