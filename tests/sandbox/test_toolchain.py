"""Dependencies are taken as wheels, from where the user says, and run nothing on the way."""

from __future__ import annotations

import io
import os
import re
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from repo_guardian.errors import StateDirError, ToolchainError
from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.conformance.frame import tree_digest
from repo_guardian.sandbox.interface import ReadOnlyMount, SandboxSpec
from repo_guardian.sandbox.toolchain import NO_CUTOFF, Toolchain, acquire, acquire_harness, cutoff_for
from repo_guardian.sandbox.toolchain.installer import explain_failure, installer_environment
from repo_guardian.sandbox.toolchain.requirements import accept_requirements


def add_wheel(folder: Path, name: str, version: str, **extra: str) -> None:
    """Write a wheel with one module, and further files at its top."""
    info = f"{name}-{version}.dist-info"
    members = {
        f"{name}.py": f"VERSION = {version!r}\n",
        **extra,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in members) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in {**members, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)


def add_sdist(folder: Path, name: str, version: str, marker: Path) -> None:
    """Write a source distribution that leaves a marker when anything of it is run."""
    setup = f"open({str(marker)!r}, 'w').write('ran')\nfrom setuptools import setup\nsetup(name={name!r})\n"
    backend = f"open({str(marker)!r}, 'w').write('ran')\n"
    project = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    top = f"{name}-{version}"
    with tarfile.open(folder / f"{top}.tar.gz", "w:gz") as archive:
        texts = {"setup.py": setup, "backend.py": backend, "pyproject.toml": project, "PKG-INFO": "Name: x\n"}
        for path, text in texts.items():
            member = tarfile.TarInfo(f"{top}/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


@pytest.fixture
def index(tmp_path, monkeypatch) -> Path:
    """A local folder as the only package index."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith(("UV_", "PIP_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def root(tmp_path) -> Path:
    """Where toolchains are kept."""
    return tmp_path / "toolchain"


RUNTIME = BubblewrapBackend().interpreters()[0]


async def get(root: Path, *requirements: str, as_of: datetime | None = None, **more) -> Toolchain:
    """Acquire for the running Python."""
    cutoff = NO_CUTOFF if as_of is None else cutoff_for(as_of, now=datetime(2026, 1, 1, tzinfo=UTC))
    return await acquire(requirements, runtime=more.pop("runtime", RUNTIME), root=root, cutoff=cutoff, **more)


async def test_wheels_are_installed_and_reused_without_the_index(index, root):
    add_wheel(index, "alpha", "1.0")
    add_wheel(index, "alpha", "2.0")
    made = await get(root, "alpha<2", "alpha < 2")
    assert (made.requirements, made.resolved, made.problems) == (("alpha<2",), ("alpha==1.0",), ())
    assert (made.path / "alpha.py").read_text() == "VERSION = '1.0'\n"
    assert [entry.name for entry in root.iterdir()] == [made.digest]
    before = tree_digest(root)
    for wheel in index.iterdir():
        wheel.unlink()
    assert await get(root, "alpha<2") == made
    assert tree_digest(root) == before


async def test_the_place_depends_on_every_input(index, root):
    add_wheel(index, "alpha", "1.0")
    plain = await get(root, "alpha")
    assert (await get(root, "alpha>=1")).digest != plain.digest
    nothing = await get(root)
    assert (nothing.resolved, list(nothing.path.iterdir())) == ((), [])
    morning, evening = (datetime(2020, 5, 1, hour, tzinfo=UTC) for hour in (1, 23))
    assert (await get(root, as_of=morning)).digest == (await get(root, as_of=evening)).digest
    assert (await get(root, as_of=morning)).digest != nothing.digest


async def test_a_source_distribution_is_refused_and_not_run(index, root, tmp_path):
    marker = tmp_path / "marker"
    add_sdist(index, "beta", "1.0", marker)
    with pytest.raises(ToolchainError, match="beta") as caught:
        await get(root, "beta")
    assert "wheels" in caught.value.hint
    assert not marker.exists()
    assert list(root.iterdir()) == [], "something half-made was left"


@pytest.mark.parametrize(
    "text",
    [
        "-e .",
        "--index-url ftp://example.invalid",
        "alpha @ file:///etc",
        "alpha @ git+https://example.invalid/a",
        "https://example.invalid/a.whl",
        "./alpha",
        "/etc/passwd",
        "alpha\n--index-url ftp://example.invalid",
        "alpha --hash=sha256:00",
        "",
        "$(touch x)",
        "al\0pha",
        "alpha # comment\nbeta",
    ],
)
async def test_what_is_no_release_by_name_never_reaches_the_installer(text, index, root):
    add_wheel(index, "alpha", "1.0")
    made = await get(root, text, "alpha")
    assert (made.requirements, made.resolved) == (("alpha",), ("alpha==1.0",))
    assert len(made.problems) == 1
    assert "left out" in made.problems[0] and "\n" not in made.problems[0]
    with pytest.raises(ToolchainError, match="no dependency can be taken"):
        await get(root, text)


def test_requirements_are_written_anew():
    texts = ["B[x , y]>= 1.0 ; python_version > '3'", "a", "a", "A==1.*"]
    assert accept_requirements(texts).requirements == (
        "A==1.*",
        'B[x,y]>=1.0; python_version > "3"',
        "a",
    )


async def test_a_path_file_of_a_wheel_runs_nothing(index, root, checkout):
    add_wheel(index, "gamma", "1.0", **{"gamma.pth": "import sys; sys.stdout.write('ran')\n"})
    made = await get(root, "gamma")
    assert (made.path / "gamma.pth").is_file()
    spec = SandboxSpec(checkout, "c", mounts=(ReadOnlyMount(made.path, "/toolchain/site"),))
    async with BubblewrapBackend().open(spec) as sandbox:
        result = await sandbox.run(
            [sandbox.python, "-c", "import gamma; print(gamma.VERSION)"],
            environment={"PYTHONPATH": "/toolchain/site"},
        )
    assert result.stdout == b"1.0\n", result


async def test_failures_are_typed_and_leave_nothing(index, root, tmp_path):
    with pytest.raises(ToolchainError, match="missing-package") as caught:
        await get(root, "missing-package==3.1")
    assert caught.value.hint and "\n" not in caught.value.message
    with pytest.raises(ToolchainError, match="were not there after"):
        await get(root, "alpha", timeout_s=0.001)
    assert list(root.iterdir()) == []
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StateDirError):
        await get(blocked / "below", "alpha")


async def test_a_cancelled_acquisition_leaves_nothing(index, root):
    add_wheel(index, "alpha", "1.0")
    with anyio.move_on_after(0.01) as scope:
        await get(root, "alpha")
    assert scope.cancelled_caught
    assert list(root.iterdir()) == []


async def test_damage_is_told(index, root):
    add_wheel(index, "alpha", "1.0")
    made = await get(root, "alpha")
    (made.path.parent / "record.json").write_text("{")
    with pytest.raises(ToolchainError, match="damaged"):
        await get(root, "alpha")


async def test_two_at_once_make_one(index, root):
    add_wheel(index, "alpha", "1.0")
    made: list[Toolchain] = []

    async def work() -> None:
        made.append(await get(root, "alpha"))

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(work)
    assert len(set(made)) == 1
    assert [entry.name for entry in root.iterdir()] == [made[0].digest]


def test_the_installer_sees_the_users_index_and_no_secret():
    host = {
        "PATH": "/bin",
        "PIP_INDEX_URL": "https://one.invalid",
        "UV_INDEX_PRIVATE_PASSWORD": "p",
        "https_proxy": "https://proxy.invalid",
        "UV_NO_BINARY": "1",
        "OPENAI_API_KEY": "secret",
        "PYTHONPATH": "/x",
    }
    seen = installer_environment(host)
    assert seen["UV_DEFAULT_INDEX"] == "https://one.invalid"
    assert seen["UV_INDEX_PRIVATE_PASSWORD"] == "p"
    assert seen["https_proxy"] == "https://proxy.invalid"
    assert not {"UV_NO_BINARY", "OPENAI_API_KEY", "PYTHONPATH"} & seen.keys()
    assert installer_environment({**host, "UV_DEFAULT_INDEX": "own"})["UV_DEFAULT_INDEX"] == "own"


def test_an_explanation_is_one_line():
    drawn = "error: No solution found:\n  \u2570\u2500\u25b6 Because a and\n      b.\nhint: try c\n"
    assert explain_failure(drawn) == "No solution found: Because a and b."
    assert explain_failure("") == "uv failed and did not say why"


def test_the_lock_pins_every_package_by_hash():
    lock = (Path(__file__).parents[2] / "sandbox/toolchain/harness.lock").read_text()
    entries = re.split(r"\n(?=\w)", "\n".join(line for line in lock.splitlines() if not line.startswith("#")))
    assert any(entry.startswith("pytest==") for entry in entries)
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==[\w.]+ ", entry), entry
        assert "--hash=sha256:" in entry


async def test_the_harness_runs_a_test_in_a_sandbox(root, checkout):
    backend = BubblewrapBackend()
    harness = await acquire_harness(runtime=RUNTIME, root=root)
    assert any(name.startswith("pytest==") for name in harness.resolved)
    spec = SandboxSpec(checkout, "c", mounts=(ReadOnlyMount(harness.path, "/toolchain/harness"),))
    async with backend.open(spec) as sandbox:
        await sandbox.write_file(
            "/repo/test_it.py", b"import pkg.m\ndef test_it(): assert pkg.m.VALUE == 1\n"
        )
        result = await sandbox.run(
            [sandbox.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
            environment={"PYTHONPATH": "/toolchain/harness:/repo"},
        )
    assert result.ok, result
    assert b"1 passed" in result.stdout
