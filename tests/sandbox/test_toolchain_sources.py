"""Source distributions: fetched from an index by hash, built in a sandbox, never run on the host."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from pypi_simple import PYPI_SIMPLE_ENDPOINT

from repo_guardian.errors import BuildFailedError, NoWheelError, ToolchainError
from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.interface import PythonRuntime, ReadOnlyMount, SandboxSpec
from repo_guardian.sandbox.toolchain import (
    BuildPlan,
    Wanted,
    Workshop,
    acquire,
    build_wheel,
    cutoff_for,
    installer,
    provision,
    sources,
)
from repo_guardian.sandbox.toolchain.acquire import acquire_pinned
from repo_guardian.sandbox.toolchain.build import LIMITS
from repo_guardian.sandbox.toolchain.sources import fetch_source, index_address

CACHE = Path(__file__).parents[2] / "build" / "harness"
BACKEND = BubblewrapBackend()
RUNTIME = BACKEND.interpreters()[0]
NOW = datetime(2026, 6, 1, tzinfo=UTC)
SMALL = replace(LIMITS, wall_s=60.0, cpu_s=60, disk_bytes=96 * 1024**2, file_size_bytes=64 * 1024**2)

WRITE_WHEEL = """
import os, sys, zipfile
{prelude}
NAME, VERSION = "{name}", "{version}"

def get_requires_for_build_wheel(config_settings=None):
    return {needs!r}

def build_wheel(folder, config_settings=None, metadata_directory=None):
    {body}
    info = f"{{NAME}}-{{VERSION}}.dist-info"
    file = f"{{NAME}}-{{VERSION}}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as archive:
        archive.writestr(f"{{NAME}}.py", f"SEEN = {{sorted(os.listdir('/'))!r}}")
        facts = f"Metadata-Version: 2.1\\nName: {{NAME}}\\nVersion: {{VERSION}}\\n"
        archive.writestr(f"{{info}}/METADATA", facts)
        kind = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        archive.writestr(f"{{info}}/WHEEL", kind)
        for path, text in {extra!r}.items():
            archive.writestr(path, text)
        archive.writestr(f"{{info}}/RECORD", "")
    {after}
    return file
"""


def backend_text(name, version, *, prelude="", needs=(), body="pass", extra=None, after="pass"):
    """The source of a build backend; each part of it is a stranger's code."""
    return WRITE_WHEEL.format(
        name=name,
        version=version,
        prelude=prelude,
        needs=list(needs),
        body=body,
        extra=extra or {},
        after=after,
    )


def source(name, version, *, files=None, **parts):
    """A source distribution with a backend of its own."""
    backend, prelude = backend_text(name, version, **parts), parts.get("prelude", "")
    project = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    texts = {"backend.py": backend, "pyproject.toml": project, "setup.py": prelude, **(files or {})}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for path, text in texts.items():
            content = text if isinstance(text, bytes) else text.encode()
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return f"{name}-{version}.tar.gz", stream.getvalue()


def wheel(name, version, *, requires="", tag="py3-none-any", extra=None):
    """A wheel with one module."""
    info = f"{name}-{version}.dist-info"
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    members = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
        **(extra or {}),
        f"{info}/RECORD": f"{name}.py,sha256=AAAA,1\nno/such/file.py,sha256=BBBB,2\n",
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in members.items():
            archive.writestr(path, text)
    return f"{name}-{version}-{tag}.whl", stream.getvalue()


MAIN = "import sys\ndef main():\n    print(sys.executable)\n"


class Index:
    """A package index on the loopback device, in the JSON form of PEP 691."""

    def __init__(self):
        self.files: dict[str, bytes] = {}
        self.facts: dict[str, dict] = {}
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/index/"

    def add(self, file, *, uploaded=NOW - timedelta(days=30), sha256=None, **facts):
        name, content = file
        digest = hashlib.sha256(content).hexdigest() if sha256 is None else sha256
        self.files[name] = content
        self.facts[name] = {
            "filename": name,
            "url": f"/files/{name}",
            "hashes": {"sha256": digest} if digest else {},
            "upload-time": uploaded.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            **facts,
        }

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def page(self, project):
        mine = [facts for name, facts in self.facts.items() if name.partition("-")[0].lower() == project]
        page = {"meta": {"api-version": "1.1"}, "name": project, "files": mine, "versions": []}
        return json.dumps(page).encode() if mine else None

    def _handler(index):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                index.asked.append(self.path)
                part = [part for part in self.path.split("/") if part][-1]
                content = index.files.get(part) if self.path.startswith("/files/") else index.page(part)
                self.send_response(404 if content is None else 200)
                json_type = "application/vnd.pypi.simple.v1+json"
                kind = json_type if self.path.startswith("/index/") else "application/octet-stream"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(content or b"")

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        return Handler


@pytest.fixture
async def workshop(tmp_path):
    """A workshop over an empty folder that shares what calls build backends."""
    root = tmp_path / "toolchain"
    root.mkdir()
    hooks = await acquire_pinned("builder.lock", ("pyproject-hooks",), runtime=RUNTIME, root=CACHE)
    (root / hooks.digest).symlink_to(hooks.path.parent)
    return Workshop(BACKEND, RUNTIME, root, cutoff_for(NOW, now=NOW), limits=SMALL)


@pytest.fixture
def index(tmp_path, monkeypatch, workshop):
    """A local index as the only one."""
    import os

    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    opened = Index()
    monkeypatch.setenv("PIP_INDEX_URL", opened.address)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    yield opened
    opened.close()


async def test_a_source_is_built_in_the_sandbox_and_never_run_on_the_host(index, workshop, tmp_path):
    marker = tmp_path / "marker"
    prelude = f"try:\n    open({str(marker)!r}, 'w').write('ran')\nexcept OSError:\n    pass\n"
    index.add(source("beta", "1.0", prelude=prelude))
    index.add(wheel("alpha", "1.0", requires="beta"))
    made = await provision(workshop, Wanted(("alpha",)))
    assert made.resolved == ("alpha==1.0", "beta==1.0")
    assert not marker.exists()
    assert "'out', 'proc'" in (made.path / "beta.py").read_text(), "not what is seen in a sandbox"
    index.close()
    asked = len(index.asked)
    assert await provision(workshop, Wanted(("alpha",))) == made
    assert len(index.asked) == asked
    assert not list(workshop.root.glob(".*")), "something half-made was left"


async def test_what_a_backend_asks_for_is_given_as_wheels(index, workshop):
    index.add(wheel("helper", "2.0"))
    index.add(source("beta", "1.0", needs=["helper>=1"], body="import helper"))
    made = await provision(workshop, Wanted(("beta",)))
    assert made.resolved == ("beta==1.0",)


@pytest.mark.parametrize("need", ["helper @ https://example.invalid/h.whl", "--index-url=x", "./helper"])
async def test_a_backend_cannot_ask_for_anything_but_releases(need, index, workshop):
    index.add(source("beta", "1.0", needs=[need]))
    with pytest.raises(ToolchainError, match="no dependency can be taken"):
        await provision(workshop, Wanted(("beta",)))


async def test_a_wrong_hash_is_refused(index, workshop):
    index.add(source("beta", "1.0"), sha256="0" * 64)
    with pytest.raises(ToolchainError, match="does not have the hash"):
        await provision(workshop, Wanted(("beta",)))
    assert not (workshop.root / "built").exists()


async def test_a_source_without_a_hash_or_too_large_is_refused(index, workshop, monkeypatch):
    index.add(source("beta", "1.0"), sha256="")
    with pytest.raises(ToolchainError, match="SHA-256"):
        await provision(workshop, Wanted(("beta",)))
    index.add(source("beta", "1.0"))
    monkeypatch.setattr(sources, "ARCHIVE_BYTES", 100)
    with pytest.raises(ToolchainError, match="larger than 100 bytes"):
        await provision(workshop, Wanted(("beta",)))


async def test_an_archive_that_unpacks_to_too_much_is_bounded(index, workshop):
    index.add(source("beta", "1.0", files={f"zeros{n}": bytes(40 * 1024**2) for n in range(4)}))
    with pytest.raises(BuildFailedError, match=r"beta 1\.0 has no wheel: cannot build"):
        await provision(workshop, Wanted(("beta",)))


async def test_an_archive_cannot_write_outside(index, workshop):
    index.add(source("beta", "1.0", files={"../../../out/beta-1.0-py3-none-any.whl": "x"}))
    with pytest.raises(BuildFailedError):
        await provision(workshop, Wanted(("beta",)))


FAILURES = {
    "import urllib.request; urllib.request.urlopen('http://example.invalid')": "needs the network",
    "raise SystemExit(\"error: command 'x86_64-linux-gnu-gcc' failed: No such file\")": "no C compiler",
    "sys.exit('x.c:1:10: fatal error: Python.h: No such file or directory')": "no header files of Python",
    "sys.exit('x.c:1: fatal error: ffi.h: No such file or directory')": r"header file .*ffi\.h",
    'sys.exit("can\'t find Rust compiler")': "no Rust compiler",
    "import nothing_here": "imports a module that it does not ask for .*nothing_here",
    "while True: pass": "used up its processor time|not done after",
    "sys.exit('odd \\x1b[31m reason')": r"odd \\x1b\[31m reason",
    "b = bytearray(8 * 1024**3)": "MemoryError|out of memory",
    "import os; os.kill(os.getpid(), 9)": "signal 9 ended it",
    "return 'none.whl'": "left 0 wheels",
}


async def build_tree(workshop, tmp_path, **parts):
    """Build a tree, not an archive, with a backend made of ``parts``."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "backend.py").write_text(backend_text("beta", "1.0", **parts))
    return await build_wheel(workshop, BuildPlan(checkout, None, "backend", (".",)), tmp_path / "wheels")


@pytest.mark.parametrize("body", FAILURES)
async def test_a_failed_build_says_what_is_missing(body, workshop, tmp_path):
    workshop = replace(workshop, limits=replace(SMALL, wall_s=15.0, cpu_s=2))
    with pytest.raises(BuildFailedError, match=FAILURES[body]) as caught:
        await build_tree(workshop, tmp_path, body=body)
    assert "\n" not in caught.value.message


EVIL = {
    "../escaped": "archive.writestr('../escaped', '')",
    "/etc/escaped": "archive.writestr('/etc/escaped', '')",
    "a backslash": "archive.writestr('..\\\\\\\\escaped', '')",
    "two of a name": "archive.writestr('beta.py', '')",
    "a link": "l = zipfile.ZipInfo('l'); l.external_attr = 0o120777 << 16; archive.writestr(l, '/etc')",
    "no zip": None,
    "two wheels": "open(os.path.join(folder, 'other-1-py3-none-any.whl'), 'w')",
    "two infos": "archive.writestr('other-1.dist-info/METADATA', '')",
}


@pytest.mark.parametrize("kind", EVIL)
async def test_an_unfit_wheel_is_not_taken(kind, workshop, tmp_path):
    path = "os.path.join(folder, file)"
    after = f"open({path}, 'w').write('x')"
    if EVIL[kind]:
        after = f"with zipfile.ZipFile({path}, 'a') as archive: {EVIL[kind]}"
    with pytest.raises(BuildFailedError, match=r"the build left|has no metadata, or several"):
        await build_tree(workshop, tmp_path, after=after)
    assert not (tmp_path / "wheels").exists()
    assert not list(tmp_path.rglob("escaped"))


async def test_a_wheel_of_the_index_cannot_write_outside(index, workshop, tmp_path):
    extra = {
        "../escaped": "x",
        f"{tmp_path}/escaped": "x",
        "alpha-1.0.data/data/../../escaped": "x",
        "alpha-1.0.data/scripts/../../../escaped": "x",
        "alpha.pth": "import sys; sys.exit(3)\n",
    }
    index.add(wheel("alpha", "1.0", extra=extra))
    made = await provision(workshop, Wanted(("alpha",)))
    assert made.resolved == ("alpha==1.0",)
    found = [path for path in tmp_path.rglob("escaped*") if "cache" not in path.parts]
    assert not [path for path in found if not path.is_relative_to(made.path)]
    spec = SandboxSpec(tmp_path, "c", mounts=(ReadOnlyMount(made.path, "/toolchain/site"),))
    async with BACKEND.open(spec) as sandbox:
        result = await sandbox.run(
            [sandbox.python, "-c", "import alpha"], environment={"PYTHONPATH": "/toolchain/site"}
        )
    assert result.ok, result


@pytest.mark.parametrize(
    ("bound", "told"),
    [("FILE_BYTES", "larger than"), ("TOTAL_BYTES", "too large"), ("TOTAL_FILES", "too large")],
)
async def test_what_a_wheel_unpacks_to_is_bounded(bound, told, index, workshop, monkeypatch):
    monkeypatch.setattr(installer, bound, 5 if bound == "TOTAL_FILES" else 1024**2)
    parts = {f"zeros{n}": bytes(900 * 1024) for n in range(8)}
    name, content = wheel("alpha", "1.0", extra={**parts, "bomb": bytes(8 * 1024**2)})
    index.add((name, content))
    assert len(content) < 100 * 1024, "only what it unpacks to is large"
    with pytest.raises(ToolchainError, match=told):
        await provision(workshop, Wanted(("alpha",)))


async def test_commands_of_packages_run_with_the_python_of_the_sandbox(index, workshop, tmp_path):
    facts = {"alpha-1.0.dist-info/entry_points.txt": "[console_scripts]\nalpha-says = alpha:main\n"}
    index.add(wheel("alpha", "1.0", extra={**facts, "alpha/__init__.py": MAIN}))
    made = await provision(workshop, Wanted(("alpha",)))
    spec = SandboxSpec(tmp_path, "c", mounts=(ReadOnlyMount(made.path, "/toolchain/site"),))
    async with BACKEND.open(spec) as sandbox:
        own = sandbox.python.rpartition("/")[0]
        result = await sandbox.run(
            ["alpha-says"],
            environment={"PYTHONPATH": "/toolchain/site", "PATH": f"/toolchain/site/bin:{own}:/usr/bin"},
        )
    assert result.stdout.decode().strip() == sandbox.python, result


async def test_what_cannot_be_had_is_given_up_step_by_step(index, workshop):
    index.add(wheel("alpha", "1.0"))
    index.add(wheel("alpha", "2.0"))
    index.add(wheel("beta", "1.0"))
    pinned = await provision(workshop, Wanted(("alpha",), ("beta",), ("alpha==1.0",)))
    assert (pinned.resolved, pinned.problems) == (("alpha==1.0", "beta==1.0"), ())
    free = await provision(workshop, Wanted(("alpha",), ("beta",), ("alpha==9.0",)))
    assert free.resolved == ("alpha==2.0", "beta==1.0")
    assert "lock file" in free.problems[-1]
    alone = await provision(workshop, Wanted(("alpha",), ("nowhere",)))
    assert alone.resolved == ("alpha==2.0",)
    assert "only the tests need" in alone.problems[-1]
    assert await provision(workshop, Wanted(("alpha",), ("nowhere",))) == alone
    with pytest.raises(ToolchainError, match="nowhere"):
        await provision(workshop, Wanted(("nowhere",)))


async def test_a_young_release_is_taken_only_when_the_repository_locks_it(index, workshop):
    index.add(wheel("alpha", "1.0"))
    index.add(wheel("alpha", "2.0"), uploaded=NOW - timedelta(hours=20))
    young = await provision(workshop, Wanted(("alpha",)))
    assert young.resolved == ("alpha==1.0",)
    locked = await provision(workshop, Wanted(("alpha",), (), ("alpha==2.0",)))
    assert (locked.resolved, locked.problems) == (("alpha==2.0",), ())


async def test_a_later_release_does_not_exist_for_an_older_commit(index, workshop):
    index.add(source("beta", "1.0"))
    index.add(source("beta", "2.0"), uploaded=NOW + timedelta(days=2))
    cutoff = cutoff_for(NOW, now=NOW + timedelta(days=900))
    made = await provision(replace(workshop, cutoff=cutoff), Wanted(("beta",)))
    assert made.resolved == ("beta==1.0",)


def test_cutoffs_are_whole_days():
    commit = datetime(2026, 6, 1, 15, 30, tzinfo=UTC)
    past = cutoff_for(commit, now=commit + timedelta(days=30))
    assert past.released == past.locked == datetime(2026, 6, 2, tzinfo=UTC)
    fresh = cutoff_for(commit, now=commit)
    assert (fresh.released, fresh.locked) == (datetime(2026, 5, 29, tzinfo=UTC), past.locked)
    assert fresh.options(("a",))[2:] == ("--exclude-newer-package", "a=2026-06-02T00:00:00Z")
    assert past.options(("a",)) == ("--exclude-newer", "2026-06-02T00:00:00Z")


async def test_no_interpreter_of_the_version_is_needed_on_the_host(index, workshop):
    tag = "cp313-cp313-manylinux_2_17_x86_64"
    index.add(wheel("alpha", "1.0", tag=tag.replace("x86_64", __import__("platform").machine())))
    other = PythonRuntime((3, 13), "/usr/bin/python3.13", None)
    made = await acquire(["alpha"], runtime=other, root=workshop.root)
    assert made.resolved == ("alpha==1.0",)
    with pytest.raises(NoWheelError) as caught:
        await acquire(["alpha"], runtime=replace(other, version=(3, 12)), root=workshop.root)
    assert caught.value.names == ("alpha",)


def test_only_an_index_that_the_user_named_is_asked(index, tmp_path, monkeypatch):
    assert index_address({}) == PYPI_SIMPLE_ENDPOINT
    assert index_address(
        {"PIP_INDEX_URL": "https://a.invalid/", "UV_DEFAULT_INDEX": "b=https://b.invalid/"}
    ) == ("https://b.invalid/")
    for off in ({"UV_NO_INDEX": "1"}, {"UV_OFFLINE": "1"}, {"PIP_INDEX_URL": "file:///x"}):
        assert index_address(off) is None
    index.add(source("beta", "1.0"), yanked=True)
    index.add(source("beta", "0.9"))
    index.add(source("beta", "3.0a1"))
    fetched = fetch_source("beta", SpecifierSet("<4"), tmp_path, until=None)
    assert (fetched.version, fetched.path.name) == ("0.9", "beta-0.9.tar.gz")
    with pytest.raises(NoWheelError, match="neither"):
        fetch_source("beta", SpecifierSet(">5"), tmp_path, until=None)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/index/")
    with pytest.raises(ToolchainError, match="cannot be asked"):
        fetch_source("beta", SpecifierSet(), tmp_path, until=None)
