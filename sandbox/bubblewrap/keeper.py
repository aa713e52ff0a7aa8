"""Holds one sandbox's namespaces open: a script started by ``namespace.py``, standard library only.

It is the first process of a private mount and PID namespace, and so

- what it mounts is seen by nobody else and is gone with it, and
- when it ends, for whatever reason, the kernel kills every process of the sandbox.

It ends when its standard input does, i.e. with the program that started it, even after SIGKILL. Everything
is assembled in a tmpfs over the folder BASE. Protocol, a line each: it says ``ready PID`` or ``failed
REASON``; then ``settle`` kills and reaps whatever still runs and answers ``settled`` or ``failed REASON``.

Arguments: BASE DISK_BYTES DISK_INODES OWNER INSIDE_SCRIPTS CHECKOUT [TARGET SOURCE]... where OWNER is the
unprivileged user id that runs commands when started by root, else ``-``. Below BASE stand afterwards:

    lower       the checkout, read-only
    disk/       the one bounded tmpfs: upper and work of the overlay, out, tmp, shm
    repo        the overlay
    mounts/N    the Nth further directory, where TARGET is not empty
    etc, empty  what an unprivileged program needs of /etc, and nothing
    guardian/   our scripts, and links to trusted bytecode
"""

# pathlib would cost more than everything else that starts here.
# ruff: noqa: PTH101, PTH102, PTH103, PTH115, PTH116, PTH123, PTH208, PTH211
from __future__ import annotations

import ctypes
import os
import sys
import time
from contextlib import suppress

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 2, 4, 8, 0x1000, 0x4000
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442  # the same numbers on every architecture but alpha
OPEN_TREE_CLONE, MOVE_MOUNT_F_EMPTY_PATH = 1, 4
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, MOUNT_ATTR_IDMAP = 1, 2, 4, 0x100000
CLONE_NEWUSER = 0x10000000
SETTLE_S = 10.0
UNCOMPILED = frozenset({"test", "tests", "site-packages", "dist-packages"})
ETC = {
    "passwd": "nobody:x:65534:65534:nobody:/tmp:/bin/sh\n",
    "group": "nogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}

libc = ctypes.CDLL(None, use_errno=True)


class Failed(Exception):
    """Cannot be done on this machine; the text goes to whoever opens the sandbox."""


class MountAttributes(ctypes.Structure):
    """``struct mount_attr`` of mount_setattr(2)."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


def _check(outcome: int, what: str) -> int:
    if outcome < 0:
        raise Failed(f"cannot {what}: {os.strerror(ctypes.get_errno())}")
    return outcome


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    raw_kind = None if kind is None else kind.encode()
    names = os.fsencode(source), os.fsencode(target)
    _check(libc.mount(*names, raw_kind, ctypes.c_ulong(flags), options.encode()), f"mount {kind or source}")


def _id_map(on_disk: os.stat_result, shown: int) -> int:
    """A descriptor of a user namespace that shows the owner ``on_disk`` as the user ``shown``."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tell, b"y" if libc.unshare(CLONE_NEWUSER) == 0 else b"n")
        time.sleep(SETTLE_S)
        os._exit(0)
    try:
        if os.read(told, 1) != b"y":
            raise Failed("cannot create a user namespace")
        for name, owner in (("uid_map", on_disk.st_uid), ("gid_map", on_disk.st_gid)):
            with open(f"/proc/{child}/{name}", "w") as stream:
                stream.write(f"{owner} {shown} 1\n")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(told)
        os.close(tell)


def _bind_as(source: str, target: str, shown: int) -> None:
    """Bind ``source`` at ``target``, read-only, with its owner shown as the user ``shown``.

    An idmapped mount (mount_setattr(2), Linux 5.12; below an overlay 5.19) leaves the files untouched.
    """
    namespace = _id_map(os.stat(source), shown)
    try:
        flags = OPEN_TREE_CLONE | AT_RECURSIVE | os.O_CLOEXEC
        tree = _check(libc.syscall(OPEN_TREE, AT_FDCWD, os.fsencode(source), flags), "clone a mount")
    except Failed:
        os.close(namespace)
        raise
    try:
        change = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_IDMAP
        attributes = MountAttributes(change, 0, 0, namespace)
        size = ctypes.c_size_t(ctypes.sizeof(attributes))
        flags = AT_EMPTY_PATH | AT_RECURSIVE
        _check(libc.syscall(MOUNT_SETATTR, tree, b"", flags, ctypes.byref(attributes), size), "map owners")
        flags = MOVE_MOUNT_F_EMPTY_PATH
        _check(libc.syscall(MOVE_MOUNT, tree, b"", AT_FDCWD, os.fsencode(target), flags), "attach a mount")
    finally:
        os.close(tree)
        os.close(namespace)


def _bind(source: str, target: str, owner: int | None) -> None:
    """Bind ``source`` at ``target``, readable by ``owner`` whatever its modes if that is possible."""
    os.makedirs(target)
    if owner is not None and os.stat(source).st_uid != owner:
        with suppress(Failed):
            _bind_as(source, target, owner)
            return
    _mount(source, target, None, MS_BIND | MS_REC)


def _give(tree: str, owner: int) -> None:
    """Hand the (ephemeral) checkout to ``owner``, where its owner cannot merely be shown as that.

    Contents and modes stay as they are.
    """
    for _, folders, files, descriptor in os.fwalk(tree, follow_symlinks=False):
        for name in [".", *folders, *files]:
            os.chown(name, owner, owner, dir_fd=descriptor, follow_symlinks=False)


def _make_disk(size: int, inodes: int, checkout: str, owner: int | None) -> None:
    os.makedirs("disk")
    _mount("tmpfs", "disk", "tmpfs", MS_NOSUID | MS_NODEV, f"size={size},nr_inodes={inodes},mode=0755")
    top = os.stat(checkout).st_mode & 0o777
    for name, mode in (("upper", top), ("work", 0o700), ("out", 0o755), ("tmp", 0o1777), ("shm", 0o1777)):
        path = f"disk/{name}"
        os.mkdir(path)
        os.chmod(path, mode)
        if owner is not None and name != "work":
            os.chown(path, owner, owner)


def _make_overlay(checkout: str, owner: int | None) -> None:
    _bind(checkout, "lower", owner)
    if owner is not None and os.stat("lower").st_uid != owner:
        _give("lower", owner)
    os.makedirs("repo")
    # Relative names, so that a comma or colon in a host path never reaches the option parser.
    options = "lowerdir=lower,upperdir=disk/upper,workdir=disk/work"
    flags = MS_NOSUID | MS_NODEV
    if owner is None:
        # In a user namespace the overlay's marks are extended attributes of the user class; a tmpfs has
        # those since Linux 6.6, and without them a deleted folder cannot be created again.
        with suppress(Failed):
            _mount("overlay", "repo", "overlay", flags, options + ",userxattr")
            return
    _mount("overlay", "repo", "overlay", flags, options)


def _copy(source: str, target: str) -> None:
    with suppress(FileNotFoundError), open(source, "rb") as reader, open(target, "wb") as writer:
        writer.write(reader.read())


def _make_etc() -> None:
    os.makedirs("etc/alternatives")
    os.makedirs("empty")
    for name, text in ETC.items():
        with open(f"etc/{name}", "w") as stream:
            stream.write(text)
    _copy("/etc/ld.so.cache", "etc/ld.so.cache")


def _link_bytecode(source: str, target: str) -> None:
    """Offer the compiled files below ``source``, seen inside at ``target``, under the bytecode prefix.

    Python looks for bytecode only there, so none that lies in a checkout, or that strangers plant, is
    ever loaded; without this, each command would compile the standard library again.
    """
    for folder, names, _ in os.walk(source):
        compiled = "__pycache__" in names
        names[:] = [name for name in names if name not in UNCOMPILED and name != "__pycache__"]
        if not compiled:
            continue
        relative = folder[len(source) :]
        offered = f"guardian/bytecode{target}{relative}"
        os.makedirs(offered, exist_ok=True)
        for name in os.listdir(folder + "/__pycache__"):
            if name.endswith(".pyc") and ".opt-" not in name:
                os.symlink(f"{target}{relative}/__pycache__/{name}", f"{offered}/{name}")


def prepare(arguments: list[str]) -> None:
    """Build everything below the base folder."""
    base, size, inodes, owner_text, scripts, checkout, *pairs = arguments
    owner = None if owner_text == "-" else int(owner_text)
    os.umask(0o022)
    _mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, "size=16m,nr_inodes=65536,mode=0755")
    os.chdir(base)
    _make_disk(int(size), int(inodes), checkout, owner)
    _make_overlay(checkout, owner)
    _make_etc()
    os.makedirs("guardian/bytecode")
    for name in os.listdir(scripts):
        if name.endswith(".py"):
            _copy(f"{scripts}/{name}", f"guardian/{name}")
    for index, (target, source) in enumerate(zip(pairs[::2], pairs[1::2], strict=True)):
        if target:
            _bind(source, f"mounts/{index}", owner)
        with suppress(OSError):  # a cache: incomplete is slower, never wrong
            _link_bytecode(source, target or source)


def settle() -> None:
    """Kill every other process of the namespace and wait until none is left."""
    deadline = time.monotonic() + SETTLE_S
    while True:
        try:
            os.kill(-1, 9)
        except ProcessLookupError:
            return
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if time.monotonic() > deadline:
            raise Failed("a process could not be killed")
        time.sleep(0.0005)


def say(text: str) -> None:
    """One line to the parent."""
    os.write(1, text.encode("utf-8", "backslashreplace").replace(b"\n", b" ") + b"\n")


def serve() -> None:
    """Obey until the parent is gone."""
    while line := sys.stdin.buffer.readline():
        if line != b"settle\n":
            continue
        try:
            settle()
            say("settled")
        except Failed as error:
            say(f"failed {error}")


def main() -> None:
    """Prepare, say so, serve."""
    if os.getpid() != 1:
        say("failed no PID namespace of its own")
        return
    try:
        outer = os.readlink("/proc/self")  # while /proc still is that of the parent's namespace
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
        prepare(sys.argv[1:])
        say(f"ready {outer}")
    except (Failed, OSError) as error:
        say(f"failed {error}")
        return
    serve()


if __name__ == "__main__":
    main()
    os._exit(0)
