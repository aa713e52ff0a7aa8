"""Attacks on the writable places: filled, overgrown, kept full, nested without end."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import LIMITS, demand, demand_status, output_of, summary
from repo_guardian.sandbox.hostile.frame import Arena, Attack, counted
from repo_guardian.sandbox.interface import ChangeKind, Harvest, ProcessStatus, Sandbox

_HARVEST_BYTES = 1024**2
_HARVEST_FILES = 50
_SEVERAL = 20 * 1024**2

_FILL = """
total = 0
for folder in ("/repo", "/out", "/tmp", "/dev/shm"):
    for index in range(64):
        try:
            with open(f"{folder}/fill{index}", "wb", buffering=0) as stream:
                for _ in range(4):
                    total += stream.write(bytes(1 << 18))
        except OSError:
            break
print(total, flush=True)
"""
_TINY = """
import os, sys
made = 0
for folder in sys.argv[1:] or ("/repo", "/out", "/tmp", "/dev/shm"):
    try:
        for index in range(100_000):
            os.close(os.open(f"{folder}/{index}", os.O_CREAT | os.O_WRONLY))
            made += 1
    except OSError:
        pass
print(made, flush=True)
"""
_LINKS = """
import os
open("/out/one", "wb").write(bytes(1 << 19))
made = 0
try:
    while made < 100_000:
        os.link("/out/one", f"/out/link{made}")
        made += 1
except OSError:
    pass
print(made, flush=True)
"""
_SPARSE = """
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
grown = 0
for folder in ("/repo", "/out"):
    with open(f"{folder}/sparse", "wb") as stream:
        for size in (1 << 45, 1 << 40, 1 << 35, 1 << 30, 3 << 20):
            try:
                stream.truncate(size)
                grown = max(grown, size)
                break
            except OSError:
                pass
        try:
            os.posix_fallocate(stream.fileno(), 0, 1 << 35)
            grown = 1 << 35
        except OSError:
            pass
print(grown, flush=True)
"""
_UNLINKED = """
import os, time
if os.fork() == 0:
    os.setsid()
    held = []
    for number in range(64):
        try:
            held.append(open(f"/tmp/held{number}", "wb", buffering=0))
            os.unlink(f"/tmp/held{number}")
            held[-1].write(bytes(1 << 20))
        except OSError:
            break
    open("/dev/shm/full", "w").close()
    time.sleep(60)
while not os.path.exists("/dev/shm/full"):
    time.sleep(0.01)
"""
_DEEP = """
import os
made = 0
for folder in ("/repo", "/out"):
    os.chdir(folder)
    try:
        for _ in range(10_000):
            os.mkdir("deep")
            os.chdir("deep")
            made += 1
    except OSError:
        pass
print(made, flush=True)
"""
_RESIDUE = """
import os
os.umask(0)
for folder in ("/dev/shm", "/tmp", "/out", "/repo"):
    with open(f"{folder}/left", "w") as stream:
        stream.write("left")
    os.mkdir(f"{folder}/closed")
    open(f"{folder}/closed/in", "w").close()
    os.chmod(f"{folder}/closed", 0)
for path in ("/dev/mqueue/left", "/run/left", "/run/lock/left", "/var/tmp/left"):
    try:
        open(path, "w").close()
    except OSError:
        pass
"""
_LONG = r"""
for folder in (b"/repo", b"/out"):
    for byte in (b"a", b"\xff", b"\n", b"\x1b"):
        open(folder + b"/" + byte * 255, "wb").write(byte)
"""


async def _harvested(sandbox: Sandbox) -> Harvest:
    """Harvest into a folder that is thrown away; both limits have to hold on the host."""
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        target = Path(folder) / "harvest"
        harvest = await sandbox.harvest(target, limit_bytes=_HARVEST_BYTES, limit_files=_HARVEST_FILES)
        files = [path for path in target.rglob("*") if not path.is_dir()]
        total = sum(path.lstat().st_size for path in files)
        demand(len(files) <= _HARVEST_FILES, f"{len(files)} files were copied")
        demand(total <= _HARVEST_BYTES, f"{total} bytes were copied")
        demand(not any(path.is_symlink() for path in target.rglob("*")), "a link was copied")
        demand(len(files) == len(harvest.files), f"{len(files)} files, {len(harvest.files)} listed")
    return harvest


async def disk_fill(arena: Arena) -> tuple[ProcessStatus, str]:
    """All writable places together hold what the limit says; evidence and harvest still work."""
    result = await arena.python(_FILL)
    total = counted(result)
    demand(0 < total <= LIMITS.disk_bytes, f"{total} bytes under a limit of {LIMITS.disk_bytes}")
    changes = await arena.sandbox.evidence_diff(limit_bytes=1000)
    demand(bool(changes) and all(len(change.content) <= 1000 for change in changes), "evidence is wrong")
    await _harvested(arena.sandbox)
    return result.status, f"{total} bytes"


@asynccontextmanager
async def _roomy(arena: Arena) -> AsyncIterator[Arena]:
    """The arena with a sandbox in which the inode limit comes after all that an attack makes."""
    limits = replace(LIMITS, disk_inodes=250_000, disk_bytes=512 * 1024**2, memory_bytes=1024**3)
    spec = replace(arena.spec, limits=limits)
    async with arena.backend.open(spec) as sandbox:
        yield replace(arena, spec=spec, sandbox=sandbox)


async def inode_fill(arena: Arena) -> tuple[ProcessStatus, str]:
    """Empty files in all writable places together stop at the inode limit."""
    result = await arena.python(_TINY)
    made = counted(result)
    demand(0 < made <= LIMITS.disk_inodes, f"{made} files under a limit of {LIMITS.disk_inodes}")
    await _evidence_or_error(arena.sandbox)
    await _harvested(arena.sandbox)
    return result.status, f"{made} files"


async def tiny_files(arena: Arena) -> tuple[ProcessStatus, str]:
    """100,000 tiny files under /repo and as many in the channel: listed or refused, copied within limits."""
    async with _roomy(arena) as roomy:
        result = await roomy.sandbox.run([roomy.sandbox.python, "-c", _TINY, "/repo", "/out"])
        made = counted(result)
        demand(made == 200_000, f"only {made} files were made")
        seen = await _evidence_or_error(roomy.sandbox)
        harvest = await _harvested(roomy.sandbox)
        demand(len(harvest.files) == _HARVEST_FILES, f"{len(harvest.files)} files were copied")
        demand(len(harvest.left_out) < made // 100, f"{len(harvest.left_out)} files are named")
        await roomy.sandbox.reset()
        demand(await output_of(roomy.sandbox, "ls", "-A", "/out") == "", "something is left")
    return result.status, seen


async def hard_link_storm(arena: Arena) -> tuple[ProcessStatus, str]:
    """Many names of one file multiply nothing on the host."""
    result = await arena.python(_LINKS)
    made = counted(result)
    harvest = await _harvested(arena.sandbox)
    demand(len(harvest.left_out) > 0, "everything was copied")
    return result.status, f"{made} links, {len(harvest.files)} copied"


async def sparse_file(arena: Arena) -> tuple[ProcessStatus, str]:
    """A file with a huge hole cannot be larger than the file limit, and is listed cut."""
    result = await arena.python(_SPARSE)
    grown = counted(result)
    demand(grown <= LIMITS.file_size_bytes, f"a file of {grown} bytes")
    changes = {change.path: change for change in await arena.sandbox.evidence_diff(limit_bytes=1000)}
    demand(changes["sparse"].truncated and len(changes["sparse"].content) == 1000, "it is not cut")
    harvest = await _harvested(arena.sandbox)
    demand("sparse" in dict(harvest.left_out), "it was copied")
    return result.status, f"no larger than {grown} bytes"


async def unlinked_file(arena: Arena) -> tuple[ProcessStatus, str]:
    """A full disk held by a daemon's deleted files is empty once its command has ended."""
    result = await arena.python(_UNLINKED)
    demand_status(result, ProcessStatus.EXITED)
    room = await arena.python("open('/tmp/room', 'wb', buffering=0).write(bytes(3 << 20))")
    demand(room.ok, f"there is no room: {summary(room)}")
    return result.status, "the room came back"


async def deep_folders(arena: Arena) -> tuple[ProcessStatus, str]:
    """10,000 folders in each other; evidence answers or refuses in time, harvest leaves them out."""
    async with _roomy(arena) as roomy:
        result = await roomy.python(_DEEP)
        demand(counted(result) == 20_000, f"only {counted(result)} were made")
        seen = await _evidence_or_error(roomy.sandbox)
        harvest = await _harvested(roomy.sandbox)
        demand(harvest.files == () and len(harvest.left_out) == 1, f"harvested: {harvest}")
        await roomy.sandbox.reset()
        demand(await roomy.sandbox.evidence_diff() == (), "something is left")
    return result.status, seen


async def _evidence_or_error(sandbox: Sandbox) -> str:
    try:
        changes = await sandbox.evidence_diff(limit_bytes=100)
    except SandboxError as error:
        return error.message
    return f"{len(changes)} changes"


async def residue(arena: Arena) -> tuple[ProcessStatus, str]:
    """Files left in every place that may be shared are gone after a reset."""
    result = await arena.python(_RESIDUE)
    demand(result.ok, summary(result))
    await arena.sandbox.reset()
    pattern = ["(", "-name", "left", "-o", "-name", "closed", ")"]
    places = ["/", "/dev/shm", "/tmp", "/out", "/repo"]  # noqa: S108 - inside
    found = await arena.sandbox.run(["find", *places, "-xdev", *pattern])  # what it may not enter is not ours
    listed = found.stdout.decode("utf-8", "replace")
    demand(found.status is ProcessStatus.EXITED, summary(found))
    demand(not listed.strip(), f"left: {listed.split()}")
    return result.status, "nothing is left anywhere"


async def long_names(arena: Arena) -> tuple[ProcessStatus, str]:
    """Names of 255 bytes, of any bytes, are listed and copied like others."""
    result = await arena.python(_LONG)
    demand(result.ok, summary(result))
    changes = await arena.sandbox.evidence_diff()
    demand([change.kind for change in changes] == [ChangeKind.WRITTEN] * 4, f"{len(changes)} changes")
    harvest = await _harvested(arena.sandbox)
    demand(len(harvest.files) == 4 and not harvest.left_out, f"harvested: {harvest}")
    return result.status, "listed and copied"


async def large_writes(arena: Arena) -> tuple[ProcessStatus, str]:
    """What is written for strangers is bounded too, and a refusal leaves the sandbox usable."""
    refusal = ""
    try:
        await arena.sandbox.write_file("/repo/large", bytes(_SEVERAL))
    except SandboxError as error:
        refusal = error.message
    demand(bool(refusal), f"{_SEVERAL} bytes were written under a limit of {LIMITS.disk_bytes}")
    result = await arena.sandbox.run(["true"])
    return result.status, refusal


ATTACKS = (
    Attack("disk_fill", disk_fill),
    Attack("inode_fill", inode_fill),
    Attack("tiny_files", tiny_files),
    Attack("hard_link_storm", hard_link_storm),
    Attack("sparse_file", sparse_file),
    Attack("unlinked_file", unlinked_file),
    Attack("deep_folders", deep_folders),
    Attack("residue", residue),
    Attack("long_names", long_names),
    Attack("large_writes", large_writes),
)
