"""Attacks on the host's files and secrets, on the checkout below and on the trees beside it."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from repo_guardian.sandbox.conformance.frame import demand, demand_status, make_checkout, output_of, summary
from repo_guardian.sandbox.hostile.frame import Arena, Attack, refused
from repo_guardian.sandbox.interface import ChangeKind, ProcessStatus

_READ_ENVIRONMENTS = """
import os
seen = [value for item in os.environ.items() for value in item]
for entry in os.listdir("/proc"):
    if entry.isdecimal():
        for name in ("environ", "cmdline"):
            try:
                seen.append(open(f"/proc/{entry}/{name}", "rb").read().decode("utf-8", "replace"))
            except OSError:
                pass
os.write(1, "\\n".join(seen).encode("utf-8", "replace"))
"""
_READ = """
import hashlib, json, sys
seen = {}
for path in sys.argv[1:]:
    try:
        seen[path] = hashlib.sha256(open(path, "rb").read()).hexdigest()
    except OSError:
        pass
print(json.dumps(seen))
"""
_TOUCH = """
for path in sys.argv[1:]:
    for place in (path, "/proc/1/root" + path, "/proc/self/root" + path, "/repo/.." + path,
                  "/proc/self/cwd/.." + path, f"/proc/{os.getppid()}/root" + path, "/sys/lower", "/sys/repo"):
        attempt("read " + place, lambda: os.listdir(place))
        attempt("write " + place, lambda: os.close(os.open(place + "/planted", os.O_CREAT | os.O_WRONLY)))
        attempt("replace " + place, lambda: os.rename("/repo/a.txt", place + "/a.txt"))
        attempt("remove " + place, lambda: os.unlink(place + "/a.txt"))
"""
_LOWER = """
import re
below = set()
for line in open("/proc/self/mountinfo"):
    words = line.split()
    below.update(re.findall(r"(?:lowerdir|upperdir|workdir)=([^,:\\s]+)", line))
    if words[4] in ("/repo", "/out"):
        below.add(words[3])
for path in sorted(below):
    if path not in ("/", "/repo", "/out"):
        for place in (path, "/" + path, "/proc/1/root/" + path):
            attempt("read " + place, lambda: open(place + "/a.txt").read())
            attempt("write " + place, lambda: os.close(os.open(place + "/x", os.O_CREAT | os.O_WRONLY)))
"""
_GIT = """
import os, subprocess
os.makedirs("/repo/.git/hooks")
for name in ("pre-commit", "post-checkout", "post-merge"):
    with open(f"/repo/.git/hooks/{name}", "w") as stream:
        stream.write("#!/bin/sh\\ntouch /tmp/ran\\n")
    os.chmod(f"/repo/.git/hooks/{name}", 0o755)
with open("/repo/.git/config", "w") as stream:
    stream.write("[core]\\n\\tfsmonitor = /repo/.git/hooks/pre-commit\\n\\thooksPath = /repo/.git/hooks\\n")
"""
_OUTSIDE = """
for folder in ("/", "/usr", "/usr/bin", "/usr/lib", "/bin", "/lib", "/etc", "/run", "/run/guardian", "/dev",
               "/proc", "/home", "/root", "/var", "/var/tmp", "/opt", "/srv", "/mnt", "/media", "/boot",
               "/sys", os.path.dirname(os.__file__), os.path.dirname(sys.executable)):
    attempt("write " + folder, lambda: os.close(os.open(folder + "/planted", os.O_CREAT | os.O_WRONLY)))
for path in (sys.executable, os.__file__, "/bin/sh", "/usr/bin/env", "/etc/passwd",
             "/run/guardian/launcher.py", "/run/guardian/files.py", "/proc/self/exe", "/proc/1/exe",
             f"/proc/{os.getppid()}/exe"):
    attempt("change " + path, lambda: os.close(os.open(path, os.O_WRONLY)))
    attempt("mode of " + path, lambda: os.chmod(path, 0o777))
    attempt("remove " + path, lambda: os.unlink(path) if not path.startswith("/proc") else -1)
"""
_PLACES = """
for place in ("/repo", "/out", "/tmp", "/dev/shm", "/proc", "/usr"):
    attempt("remove " + place, lambda: os.rmdir(place))
    attempt("rename " + place, lambda: os.rename(place, "/moved"))
    attempt("rename inside " + place, lambda: os.rename(place, "/tmp/moved"))
    attempt("replace " + place, lambda: os.rename("/tmp", place))
attempt("link out", lambda: os.link("/etc/passwd", "/out/passwd"))
attempt("link system", lambda: os.link("/bin/sh", "/repo/sh"))
"""


@contextmanager
def _planted(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


async def environment(arena: Arena) -> tuple[ProcessStatus, str]:
    """Variables of the host, keys of interfaces among them, are in no environment or argument inside."""
    token = secrets.token_hex(16)
    with _planted(f"GUARDIAN_{token[:4].upper()}_API_KEY", token):
        async with arena.backend.open(arena.spec) as sandbox:
            for cwd in ("/repo", "/tmp"):  # noqa: S108 - inside
                result = await sandbox.run([sandbox.python, "-c", _READ_ENVIRONMENTS], cwd=cwd)
                demand(result.ok and len(result.stdout) > 0, summary(result))
                demand(token.encode() not in result.stdout, "the planted key was read")
                demand(b"API_KEY" not in result.stdout, "the planted name was read")
                demand(os.fsencode(Path.cwd()) + b"\n" not in result.stdout + b"\n", "our folder was read")
    return result.status, "no key in any /proc/*/environ"


async def host_files(arena: Arena) -> tuple[ProcessStatus, str]:
    """A file of the host that anyone may read is not there, and no well-known one has the host's content."""
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        token = secrets.token_hex(16)
        secret = Path(folder) / "secret"
        secret.write_text(token)
        secret.chmod(0o644)
        secret.parent.chmod(0o755)
        code = "for path in sys.argv[1:]:\n    attempt(path, lambda: os.stat(path))"
        result = await arena.nothing_gained(code, str(secret), folder)
        found = await arena.sandbox.run(["grep", "-rl", "--devices=skip", token, "/tmp", "/run", "/etc"])  # noqa: S108
        demand(not found.stdout, f"found in {found.stdout!r}")
    own = {place: content for place in _well_known() if (content := _content(place))}
    seen = await arena.python(_READ, *own)
    demand(seen.ok, summary(seen))
    for place, digest in json.loads(seen.stdout).items():
        demand(digest != hashlib.sha256(own[place]).hexdigest(), f"{place} can be read")
    return result.status, f"none of {len(own) + 1} is visible"


def _well_known() -> list[str]:
    """Files that hold secrets or the identity of a host, where this host may have them."""
    home = Path.home()
    names = (
        ".netrc",
        ".gitconfig",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        ".docker/config.json",
        ".bash_history",
    )
    system = ("shadow", "gshadow", "sudoers", "machine-id", "hostname", "ssh/ssh_host_ed25519_key")
    keys = [path for name in (".ssh", ".aws", ".kube") for path in sorted((home / name).glob("*"))]
    return [*map(str, keys), *(str(home / name) for name in names), *(f"/etc/{name}" for name in system)]


def _content(place: str) -> bytes:
    try:
        return Path(place).read_bytes()
    except OSError:
        return b""


async def other_trees(arena: Arena) -> tuple[ProcessStatus, str]:
    """The checkout by its path on the host, another tree's, and the watched repository cannot be touched."""
    places = [str(arena.spec.checkout), *(str(arena.beside / name) for name in ("other", "watched"))]
    hooks = str(arena.beside / "watched" / ".git" / "hooks")
    result = await arena.nothing_gained(_TOUCH, *places, hooks)
    return result.status, f"{len(places) + 1} folders of the host"


async def two_sandboxes(arena: Arena) -> tuple[ProcessStatus, str]:
    """Two sandboxes that are open at once share no file, no memory and no process."""
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        spec = replace(arena.spec, checkout=make_checkout(Path(folder)))
        async with arena.backend.open(spec) as other:
            script = "for d in /repo /out /tmp /dev/shm; do echo x > $d/left; done; kill -9 -1; true"
            result = await arena.sandbox.run(["sh", "-c", script])
            demand_status(result, ProcessStatus.EXITED, ProcessStatus.SIGNALED)
            listed = await other.run(["sh", "-c", "ls -d /repo/left /out/left /tmp/left /dev/shm/left"])
            demand(not listed.stdout, f"shared: {listed.stdout!r}")
            demand(await other.evidence_diff() == (), "the other tree has changed")
    return result.status, "nothing shared"


async def git_metadata(arena: Arena) -> tuple[ProcessStatus, str]:
    """Hooks and configuration planted in the overlay stay there, are listed, and never run."""
    result = await arena.python(_GIT)
    demand(result.ok, summary(result))
    changes = {change.path: change.kind for change in await arena.sandbox.evidence_diff()}
    demand(changes.get(".git/config") is ChangeKind.WRITTEN and len(changes) == 4, f"listed: {changes}")
    demand(not (arena.spec.checkout / ".git").exists(), "they are on the host")
    return result.status, "listed, and in the overlay only"


async def deleted_checkout(arena: Arena) -> tuple[ProcessStatus, str]:
    """A command that deletes the whole tree deletes it in the overlay only."""
    result = await arena.sandbox.run(["sh", "-c", "rm -rf /repo/* /repo/.[!.]* 2>/dev/null; ls -A /repo"])
    demand(result.stdout == b"", summary(result))
    changes = await arena.sandbox.evidence_diff()
    demand({change.kind for change in changes} == {ChangeKind.DELETED}, f"listed: {changes[:3]}")
    demand("a.txt" in {change.path for change in changes}, "a deleted file is not listed")
    await arena.sandbox.reset()
    demand(await output_of(arena.sandbox, "cat", "a.txt") == "a\n", "it is not whole after a reset")
    return result.status, f"{len(changes)} deletions in the overlay"


ATTACKS = (
    Attack("environment", environment),
    Attack("host_files", host_files),
    Attack("other_trees", other_trees),
    Attack("two_sandboxes", two_sandboxes),
    refused("lower_layer", _LOWER, "the layers below cannot be reached"),
    refused("outside_writes", _OUTSIDE, "nothing outside the writable places was changed"),
    refused("places", _PLACES, "no place can be moved, replaced or linked from"),
    Attack("git_metadata", git_metadata),
    Attack("deleted_checkout", deleted_checkout),
)
