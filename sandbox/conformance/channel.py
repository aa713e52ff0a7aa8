"""Cases: what comes out of the writable channel is plain files within bounds, whatever was left in it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.conformance.frame import Case, demand, summary
from repo_guardian.sandbox.interface import OUT, Harvest, Sandbox

_MANY = 1_000_000

_KINDS = r"""
import os, socket
os.makedirs("deep/er/empty")
open("deep/er/file", "w").write("content")
open("run", "w").write("#!"); os.chmod("run", 0o700)
open("closed", "w").write("c"); os.chmod("closed", 0)
open("setuid", "w").write("s"); os.chmod("setuid", 0o6755)
os.mkfifo("fifo"); os.symlink("/etc/passwd", "link"); os.symlink("/", "tree"); os.symlink("..", "up")
s = socket.socket(socket.AF_UNIX); s.bind("socket")
open("one", "w").write("1"); os.link("one", "two")
open(b"odd\xff\nname", "w").write("o")
open(b"..\\..\\x", "w").write("b"); open("-rf", "w").write("d"); open(" ", "w").write("e")
open("n" * 255, "w").write("n")
"""
_LIMITS = r"""
import os
for index in range(20):
    open(f"f{index:02}", "wb").write(bytes(100))
with open("huge", "wb") as stream:
    stream.truncate(3 << 20)
"""
_SWAP = r"""
import os
os.system("rm -rf ./*")
os.makedirs("folder", exist_ok=True)
for path in ("folder/file", "name"):
    open(path, "w").write("inside")
if os.fork():
    os._exit(0)
os.setsid()
while True:
    for name, target in (("folder", "/etc"), ("name", "/etc/passwd")):
        os.symlink(target, "new"); os.rename(name, "old." + name); os.rename("new", name)
        os.unlink(name); os.rename("old." + name, name)
"""


async def _left_by(sandbox: Sandbox, code: str) -> None:
    result = await sandbox.run([sandbox.python, "-c", code], cwd=OUT)
    demand(result.ok, summary(result))


@contextmanager
def _target() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        yield Path(folder) / "harvest"


def _demand_plain(target: Path, harvest: Harvest) -> None:
    """Only what is listed is there, as plain files and folders with the promised modes."""
    files = []
    for folder, names, others in os.walk(target):
        for name in names:
            mode = (Path(folder) / name).lstat().st_mode
            demand(stat.S_ISDIR(mode) and stat.S_IMODE(mode) == 0o755, f"{name!r} has mode {oct(mode)}")
        for name in others:
            path = Path(folder) / name
            mode = path.lstat().st_mode
            demand(stat.S_ISREG(mode) and stat.S_IMODE(mode) in (0o644, 0o755), f"{name!r}: {oct(mode)}")
            files.append(path.relative_to(target).as_posix())
    demand(tuple(sorted(files)) == harvest.files, f"listed {harvest.files}, there are {sorted(files)}")
    total = sum((target / name).stat().st_size for name in files)
    demand(total == harvest.total_bytes, f"{total} bytes, {harvest.total_bytes} are claimed")


async def harvest_kinds(sandbox: Sandbox, _: Path) -> str:
    """Every kind of file: regular ones are copied with plain modes, the others are named and left."""
    await _left_by(sandbox, _KINDS)
    with _target() as target:
        harvest = await sandbox.harvest(target, limit_bytes=_MANY, limit_files=100)
        _demand_plain(target, harvest)
        content = {name: (target / name).read_text() for name in harvest.files}
        demand(os.access(target / "run", os.X_OK), "the executable bit is lost")
    odd = os.fsdecode(b"odd\xff\nname")
    expected = {
        "deep/er/file": "content", "run": "#!", "closed": "c", "setuid": "s", "one": "1", "two": "1",
        odd: "o", "..\\..\\x": "b", "-rf": "d", " ": "e", "n" * 255: "n",
    }  # fmt: skip
    demand(content == expected, f"harvested: {sorted(content)}")
    left = dict(harvest.left_out)
    demand(set(left) == {"fifo", "link", "tree", "up", "socket", "setuid"}, f"left out: {left}")
    demand(all(left.values()), "a reason is missing")
    return f"{len(content)} files copied, {len(left)} named"


async def harvest_limits(sandbox: Sandbox, _: Path) -> str:
    """Neither limit is passed, and what did not fit is named."""
    await _left_by(sandbox, _LIMITS)
    with _target() as target:
        few = await sandbox.harvest(target, limit_bytes=_MANY, limit_files=5)
        _demand_plain(target, few)
    demand(len(few.files) == 5 and len(few.left_out) == 16, f"seen: {few}")
    with _target() as target:
        small = await sandbox.harvest(target, limit_bytes=1050, limit_files=100)
        _demand_plain(target, small)
    demand(small.total_bytes == 1000 and len(small.left_out) == 11, f"seen: {small}")
    return "limits of bytes and of files"


async def harvest_destination(sandbox: Sandbox, _: Path) -> str:
    """The destination is new, and nothing is left of a harvest that failed."""
    await sandbox.write_file("/out/file", b"x")
    with _target() as target:
        target.mkdir()
        (target.parent / "dangling").symlink_to("nowhere")
        for place in (target, target.parent / "no" / "parent", target.parent / "dangling"):
            try:
                await sandbox.harvest(place, limit_bytes=10, limit_files=10)
            except SandboxError:
                continue
            demand(False, f"harvested into {place.name}")
        demand(list(target.iterdir()) == [], "an existing folder was written")
        demand(sorted(path.name for path in target.parent.iterdir()) == ["dangling", "harvest"], "left over")
    await sandbox.reset()
    with _target() as target:
        empty = await sandbox.harvest(target, limit_bytes=10, limit_files=10)
        demand(empty == Harvest((), 0) and target.is_dir(), f"after a reset: {empty}")
    return "an existing destination is refused"


async def harvest_race(sandbox: Sandbox, _: Path) -> str:
    """A process that swaps names for links while copies are made does not matter: it is gone."""
    await _left_by(sandbox, _SWAP)
    for _attempt in range(5):
        with _target() as target:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(partial(sandbox.run, [sandbox.python, "-c", _SWAP], cwd=OUT))
                harvest = await sandbox.harvest(target, limit_bytes=_MANY, limit_files=100)
            _demand_plain(target, harvest)
            content = {(target / name).read_text() for name in harvest.files}
            demand(content <= {"inside"}, f"copied: {content}")
    return "names that change are copied as they were left"


CASES = (
    Case("harvest_kinds", harvest_kinds),
    Case("harvest_limits", harvest_limits),
    Case("harvest_destination", harvest_destination),
    Case("harvest_race", harvest_race, isolation=True),
)
