"""What is built holds exactly what the tree holds: an unlisted package would be missing without a word.

Both roads are compared: a wheel straight from the tree, and one from the source distribution. Built with
the installed setuptools, without isolation, so that no index is asked for anything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath

import pytest

BUILT_FROM = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
NOT_SHIPPED = {".md"}
"""Suffixes that may lie in a shipped folder without being part of it."""


def shipped_name(path: PurePosixPath) -> str:
    """Where a file of the tree lands in a wheel."""
    below = path.relative_to("core") if path.parts[0] == "core" else path
    return f"repo_guardian/{below}"


def expected(files: list[PurePosixPath]) -> set[str]:
    """The names that a wheel has to hold."""
    return {shipped_name(path) for path in files if path.suffix not in NOT_SHIPPED}


def build(tree: Path, out: Path, *what: str) -> set[str]:
    """Builds and returns the names in the wheel, its metadata apart."""
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, *what, tree],
        check=True,
        env={**os.environ, "PIP_NO_INDEX": "1"},
        stdout=subprocess.DEVNULL,
    )
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


@pytest.fixture
def tree(tmp_path, root, shipped_files) -> Path:
    """A copy of what a build reads, without what earlier builds may have left behind."""
    copy = tmp_path / "tree"
    for path in (*shipped_files, *map(PurePosixPath, BUILT_FROM)):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, copy / path)
    return copy


def test_a_wheel_from_the_tree_holds_the_tree(tree, tmp_path, shipped_files):
    assert build(tree, tmp_path / "out", "--wheel") == expected(shipped_files)


def test_a_wheel_from_the_source_distribution_holds_the_tree(tree, tmp_path, shipped_files):
    assert build(tree, tmp_path / "out") == expected(shipped_files)


def test_a_wheel_answers_by_itself(tree, tmp_path):
    build(tree, tmp_path / "out", "--wheel")
    (wheel,) = (tmp_path / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    # PYTHONPATH comes before the editable install that runs these tests; the first line proves it.
    script = (
        "import repo_guardian, sys; from repo_guardian.client.cli.main import main\n"
        "print(repo_guardian.__file__, flush=True); main(['--help'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    argv = [sys.executable, "-c", script]
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    origin, usage, *_ = done.stdout.splitlines()
    assert origin == str(tmp_path / "site" / "repo_guardian" / "__init__.py")
    assert usage.startswith("Usage: guardian")


def test_what_a_wheel_would_lose_is_seen(tree, tmp_path):
    planted = [PurePosixPath("tools/unlisted/part.py"), PurePosixPath("server/undeclared.dat")]
    for path in planted:
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text("")
    built = build(tree, tmp_path / "out", "--wheel")
    assert "repo_guardian/errors.py" in built
    assert expected(planted) - built == expected(planted)


def test_every_folder_that_ships_is_listed_in_setup(root, shipped_files):
    text = (root / "setup.py").read_text()
    folders = {path.parts[0] for path in shipped_files} - {"core"}
    assert folders == {"client", "server", "tools", "sandbox", "memory_store"}
    assert all(f'"{folder}"' in text for folder in folders)
