"""A checkout with awkward properties, sandboxes over it, the backends that isolate, an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.conformance.frame import LIMITS, make_checkout
from repo_guardian.sandbox.interface import Backend, Sandbox, SandboxSpec
from repo_guardian.sandbox.registry import isolating_names, load

ROOT = Path(__file__).resolve().parents[2]
NOBODY = "65534"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with private files, below a private folder whose name has option separators."""
    parent = tmp_path / "a,b:c=d 'e"
    parent.mkdir(mode=0o700)
    folder = make_checkout(parent / "checkout")
    (folder / "private").write_bytes(b"p")
    (folder / "private").chmod(0o600)
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def opened(checkout: Path) -> Callable[..., AbstractAsyncContextManager[Sandbox]]:
    """Opens a bubblewrap sandbox over the checkout; keywords change the specification."""

    def open_one(**changes) -> AbstractAsyncContextManager[Sandbox]:
        spec = SandboxSpec(checkout, commit="c" * 40, limits=LIMITS)
        return BubblewrapBackend().open(replace(spec, **changes))

    return open_one


def backends_under_test() -> tuple[str, ...]:
    """Names of the backends that isolate and need no engine.

    Engines and their images are provided by ``container/conftest.py``, whose tests run the same suites.
    """
    return tuple(name for name in isolating_names() if not name.startswith("container"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whoever asks for ``isolating_backend`` is run once for each."""
    if "isolating_backend" in metafunc.fixturenames:
        metafunc.parametrize("isolating_backend", backends_under_test(), indirect=True)


@pytest.fixture
async def isolating_backend(request: pytest.FixtureRequest) -> Backend:
    """A backend that opens here; one that does not is skipped on a developer's machine and fails in CI."""
    backend = load(request.param)
    if request.param not in _REASONS:
        _REASONS[request.param] = await _reason_not_to_open(backend)
    reason = _REASONS[request.param]
    if reason:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{backend.name}: {reason}")
    return backend


_REASONS: dict[str, str] = {}
"""Why a backend cannot be opened, by name; empty for one that can."""


async def _reason_not_to_open(backend: Backend) -> str:
    with tempfile.TemporaryDirectory(prefix="guardian-check-") as folder:
        try:
            async with backend.open(SandboxSpec(make_checkout(Path(folder)), commit="c" * 40, limits=LIMITS)):
                return ""
        except SandboxError as error:
            return str(error)


def _as_nobody(*command: str) -> list[str]:
    identity = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    return ["setpriv", *identity, "--no-new-privs", "--", *command]


def _readable_python() -> str | None:
    """An interpreter that an ordinary user may run: ours, else the system's."""
    base = Path(sys.base_prefix).resolve()
    ours = base / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for candidate in (str(ours), "/usr/bin/python3"):
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        if (
            subprocess.run(_as_nobody(candidate, "-c", code), capture_output=True, check=False).returncode
            == 0
        ):
            return candidate
    return None


@pytest.fixture
def run_as_nobody() -> Iterator[Callable[..., list[str]]]:
    """Runs Python text that imports the sandbox as an ordinary user; returns the lines that it printed."""
    if os.geteuid() != 0:
        pytest.skip("this run is by an ordinary user already")
    python = _readable_python()
    if python is None:
        pytest.skip("no Python 3.11 that an ordinary user may run")
    with tempfile.TemporaryDirectory(prefix="guardian-user-") as folder:
        library = Path(folder) / "library"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "core", library / "repo_guardian", ignore=ignore)
        shutil.copytree(ROOT / "sandbox", library / "repo_guardian" / "sandbox", ignore=ignore)
        site = Path(sysconfig.get_path("purelib"))
        for name in ("anyio", "idna"):
            shutil.copytree(site / name, library / name, ignore=ignore)
        shutil.copy(site / "typing_extensions.py", library)
        Path(folder).chmod(0o755)
        environment = {"PATH": os.defpath, "PYTHONPATH": str(library), "PYTHONDONTWRITEBYTECODE": "1"}

        def run(code: str, *arguments: str) -> list[str]:
            command = _as_nobody(python, "-s", "-c", code, *arguments)
            done = subprocess.run(
                command, env=environment, cwd="/", capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            return done.stdout.splitlines()

        yield run
