"""Attacks by what is left behind: in the overlay for the evidence, in the writable channel for the harvest.

Everything of it reaches the host, and the host reads it with more rights than those who left it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from functools import partial
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import demand, demand_status, output_of, summary
from repo_guardian.sandbox.hostile.frame import Arena, Attack
from repo_guardian.sandbox.interface import OUT, ChangeKind, ProcessStatus, Sandbox

_CONTENT = "stranger's"

_SPECIAL = r"""
import os, socket, sys
os.chdir(sys.argv[1])
open("plain", "w").write("stranger's")
os.mkfifo("fifo")
os.symlink("/etc/passwd", "away"); os.symlink("/", "root"); os.symlink("../../../../..", "up")
os.symlink("loop", "loop"); os.symlink(sys.argv[2], "victim")
s = socket.socket(socket.AF_UNIX); s.bind("socket")
for number, device in enumerate(((0, 0), (1, 3), (8, 0))):
    try:
        os.mknod(f"device{number}", 0o020666, os.makedev(*device))
    except OSError:
        pass
os.link("plain", "hard")
open("setuid", "w").write("stranger's"); os.chmod("setuid", 0o6777)
os.mkdir("sticky"); os.chmod("sticky", 0o3777); open("sticky/in", "w").write("stranger's")
open("closed", "w").write("stranger's"); os.chmod("closed", 0)
os.mkdir("shut"); open("shut/in", "w").write("stranger's"); os.chmod("shut", 0)
"""
_ODD = r"""
import os, sys
os.chdir(os.fsencode(sys.argv[1]))
names = [b"..\n", b"...", b"~", b"~root", b"-rf", b"--help", b"*", b"$(id)", b"`id`", b"a\nb", b"\n", b"\t",
         b" ", b"..\\..\\x", b"C:", b"con", b"%2e%2e%2f", b"\xff\xfe", b"\xc0\xae\xc0\xae", b"\x1b[31m",
         b"a" * 255, b"\xe2\x80\xae", b"WRITTEN 0 1 1", b"end", b".git", b".wh.a.txt", b".wh..wh..opq",
         b"'", b'"']
for name in names:
    with open(name, "wb") as stream:
        stream.write(name)
print(len(names))
"""
_MARKS = """
import os
for name in ("user.overlay.opaque", "user.overlay.redirect", "user.overlay.metacopy", "user.overlay.whiteout",
             "trusted.overlay.opaque", "user.overlay.origin", "user.overlay.overlay.opaque"):
    for path in ("/repo/pkg", "/repo", "/repo/a.txt"):
        for value in (b"/etc", b"x", b"y"):
            try:
                os.setxattr(path, name, value)
            except OSError:
                pass
for path in ("/repo/a.txt", "/repo/pkg/m.py"):
    try:
        os.mknod(path + ".white", 0o020000, 0)
    except OSError:
        pass
open("/repo/pkg/new", "w").write("new")
"""
_SWAP = r"""
import os, sys
os.system("rm -rf ./*")
os.makedirs("folder")
for path in ("folder/file", "name", "hard"):
    open(path, "w").write("stranger's")
if os.fork():
    os._exit(0)
os.setsid()
victim = sys.argv[1]
while True:
    for name, target in (("folder", os.path.dirname(victim)), ("name", victim), ("hard", "/proc/1/environ")):
        os.symlink(target, "new"); os.rename(name, "old." + name); os.rename("new", name)
        os.unlink(name); os.rename("old." + name, name)
"""
_ENDLESS = """
import os
os.mkfifo("/repo/fifo"); os.symlink("/dev/zero", "/repo/zero"); os.symlink("/proc/self/mem", "/repo/memory")
os.mkdir("/repo/folder"); os.symlink("/repo/a.txt", "/repo/inner")
open("/repo/large", "wb").write(bytes(5000))
"""
_FORBID = """
import os
for folder, names, files in os.walk("/repo", topdown=False):
    for name in (*files, *names, "."):
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            os.chmod(path, 0)
"""


async def _harvest_plain(arena: Arena, names: set[str], content: str | None = None) -> dict[str, str]:
    """Harvest; exactly ``names`` have to be copied, as plain files; returns what was left out and why."""
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        target = Path(folder) / "harvest"
        harvest = await arena.sandbox.harvest(target, limit_bytes=1024**2, limit_files=100)
        demand(set(harvest.files) == names, f"copied: {sorted(harvest.files)}")
        for path in target.rglob("*"):
            info = path.lstat()
            plain = stat.S_ISDIR(info.st_mode) or (stat.S_ISREG(info.st_mode) and info.st_nlink == 1)
            demand(plain and not info.st_mode & 0o7022, f"{path.name!r} has mode {oct(info.st_mode)}")
            if content is not None and stat.S_ISREG(info.st_mode):
                demand(path.read_text() == content, f"{path.name!r} has another content")
    return dict(harvest.left_out)


async def channel_artefacts(arena: Arena) -> tuple[ProcessStatus, str]:
    """Links, FIFOs, devices, sockets, hard links and set-id files in the writable channel do no harm."""
    result = await arena.python(_SPECIAL, OUT, str(arena.beside / "watched" / "a.txt"))
    demand(result.ok, summary(result))
    regular = {"plain", "hard", "setuid", "sticky/in", "closed", "shut/in"}
    left = await _harvest_plain(arena, regular, _CONTENT)
    special = {"fifo", "away", "root", "up", "loop", "victim", "socket"}
    demand(special <= left.keys(), f"not named: {special - left.keys()}")
    return result.status, f"{len(regular)} copied, {len(left)} named"


async def evidence_artefacts(arena: Arena) -> tuple[ProcessStatus, str]:
    """The same in the overlay: what is no regular file is listed and never opened."""
    result = await arena.python(_SPECIAL, "/repo", str(arena.beside / "watched" / "a.txt"))
    demand(result.ok, summary(result))
    changes = {change.path: change for change in await arena.sandbox.evidence_diff()}
    for path in ("fifo", "away", "root", "up", "loop", "victim", "socket"):
        demand(changes[path].kind is ChangeKind.SPECIAL and not changes[path].content, f"{path} was opened")
    for path in ("plain", "hard", "setuid", "sticky/in", "closed", "shut/in"):
        demand(changes[path].content == _CONTENT.encode(), f"{path} has another content")
    return result.status, f"{len(changes)} changes"


async def odd_names(arena: Arena) -> tuple[ProcessStatus, str]:
    """Names that mean something to a shell, an archiver, a record format or another system are only names."""
    for folder in (OUT, "/repo"):
        result = await arena.python(_ODD, folder)
        demand(result.ok, summary(result))
    count = int(result.stdout)
    changes = await arena.sandbox.evidence_diff()
    demand(len(changes) == count, f"{len(changes)} changes of {count}")
    demand(all(os.fsencode(change.path) == change.content for change in changes), "names and contents differ")
    await _harvest_plain(arena, {change.path for change in changes})
    return result.status, f"{count} names"


async def forged_marks(arena: Arena) -> tuple[ProcessStatus, str]:
    """Marks of the overlay itself, set by a stranger, do not change what the evidence says."""
    result = await arena.python(_MARKS)
    demand(result.ok, summary(result))
    listed = await output_of(arena.sandbox, "find", "/repo", "-type", "f", "-printf", "%P\\n")
    changes = await arena.sandbox.evidence_diff()
    deleted = {change.path for change in changes if change.kind is ChangeKind.DELETED}
    demand(not deleted & set(listed.split()), f"listed as deleted, yet there: {deleted}")
    demand("a.txt" in listed and "pkg/m.py" in listed, "a file of the tree has vanished")
    written = {change.path for change in changes if change.kind is ChangeKind.WRITTEN}
    demand(written == {"pkg/new"}, f"written: {written}")
    return result.status, "the evidence is what commands see"


async def swapped_links(arena: Arena) -> tuple[ProcessStatus, str]:
    """A name that a daemon keeps swapping for a link during copies, reads and writes leads nowhere."""
    victim = arena.beside / "watched" / "a.txt"
    result = await arena.sandbox.run([arena.sandbox.python, "-c", _SWAP, str(victim)], cwd=OUT)
    demand(result.ok, summary(result))
    for _attempt in range(4):
        async with anyio.create_task_group() as tasks:
            again = [arena.sandbox.python, "-c", _SWAP, str(victim)]
            tasks.start_soon(partial(arena.sandbox.run, again, cwd=OUT))
            tasks.start_soon(_write, arena.sandbox, f"{OUT}/name")
            copied = await _copied(arena.sandbox)
        demand(copied <= {_CONTENT, "ours"}, f"copied: {copied}")
    demand(victim.read_text() == "watched\n", "a file of the host was written")
    return result.status, "copied and written as they were left"


async def _write(sandbox: Sandbox, path: str) -> None:
    try:
        await sandbox.write_file(path, b"ours")
    except SandboxError:
        return  # a link lay there at that moment, and was not followed


async def _copied(sandbox: Sandbox) -> set[str]:
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        target = Path(folder) / "harvest"
        harvest = await sandbox.harvest(target, limit_bytes=1024**2, limit_files=100)
        return {(target / name).read_text() for name in harvest.files}


async def endless_files(arena: Arena) -> tuple[ProcessStatus, str]:
    """Reading what never ends, blocks, or is no file is an error at once, and writing there too."""
    result = await arena.python(_ENDLESS)
    demand(result.ok, summary(result))
    for name in ("fifo", "zero", "memory", "folder", "inner", "large", "nothing"):
        await _refused(arena.sandbox, f"/repo/{name}")
    for path in ("/repo/../etc/passwd", "/proc/self/environ", "/etc/passwd", "/repo", "", "repo/a.txt"):
        await _refused(arena.sandbox, path)
    return result.status, "refused one by one"


async def _refused(sandbox: Sandbox, path: str) -> None:
    try:
        content = await sandbox.read_file(path, limit_bytes=100)
    except SandboxError:
        return
    demand(False, f"{path} was read: {content[:40]!r}")


async def forbidden_files(arena: Arena) -> tuple[ProcessStatus, str]:
    """A tree whose files and folders nobody may read can be listed, and reset."""
    result = await arena.python(_FORBID)
    demand_status(result, ProcessStatus.EXITED)
    changes = {change.path: change.kind for change in await arena.sandbox.evidence_diff()}
    demand(set(changes) <= {"run.sh"}, f"listed: {changes}")
    return result.status, "only a lost executable bit is a change"


ATTACKS = (
    Attack("channel_artefacts", channel_artefacts),
    Attack("evidence_artefacts", evidence_artefacts),
    Attack("odd_names", odd_names),
    Attack("forged_marks", forged_marks),
    Attack("swapped_links", swapped_links),
    Attack("endless_files", endless_files),
    Attack("forbidden_files", forbidden_files),
)
