"""The repositories of the corpus: found in a folder, cloned from where they are public, or made of releases.

``find`` takes ``FOLDER/<owner>+<name>/repo`` or clones there. ``from_index`` needs no repository: it
downloads the source releases before and after through the package index's own interface, checks them
against the index's hashes, and makes a history of two commits of them. Nothing of a package is built or run
here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .corpus import Case

_AUTHOR = ["-c", "user.name=corpus", "-c", "user.email=corpus@localhost", "-c", "commit.gpgsign=false"]


def find(case: Case, folder: Path) -> Path:
    """The case's repository, with the three commits in it.

    A clone takes the whole history. A snapshot that lacks objects elsewhere in its history serves as the
    source of a shallow clone: ``git clone --bare --shallow-since=DATE file://…``.

    Raises:
        subprocess.CalledProcessError: it cannot be cloned.
        LookupError: a commit is not in it.
    """
    place = folder / case.repository.replace("/", "+") / "repo"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        git(folder, "clone", "--quiet", "--bare", f"https://github.com/{case.repository}", str(place))
    for commit in (case.base, case.current, case.fix):
        done = subprocess.run(
            ["git", "--git-dir", str(place), "cat-file", "-e", f"{commit}^{{commit}}"], check=False
        )
        if done.returncode:
            raise LookupError(f"{case.name}: {place} lacks {commit}")
    return place


def from_index(package: str, versions: Sequence[str], folder: Path) -> Path:
    """A repository whose commits, in order and tagged, are source releases of ``package``.

    Raises:
        LookupError: the index has no source release of a version.
    """
    place = folder / f"{package}_{'_'.join(versions)}"
    if (place / ".git").exists():
        return place
    place.mkdir(parents=True)
    git(place, "init", "--quiet", "--initial-branch=main")
    for version in versions:
        for entry in place.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        _unpack(_download(package, version, folder), place)
        git(place, "add", "--all", "--force")
        git(place, *_AUTHOR, "commit", "--quiet", "--allow-empty", "--message", f"{package} {version}")
        git(place, "tag", version)
    return place


def git(folder: Path, *arguments: str) -> None:
    """Run git in ``folder``.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def _download(package: str, version: str, folder: Path) -> Path:
    from pypi_simple import PYPI_SIMPLE_ENDPOINT, PyPISimple

    with PyPISimple(os.environ.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)) as index:
        files: list[Any] = [
            file
            for file in index.get_project_page(package).packages
            if file.package_type == "sdist" and file.version == version and file.filename.endswith(".tar.gz")
        ]
        if not files:
            raise LookupError(f"the index has no source release {package} {version}")
        archive = folder / files[0].filename
        index.download_package(files[0], archive, verify=True)
    return archive


def _unpack(archive: Path, place: Path) -> None:
    """Without the top folder; the ``data`` filter refuses to write anywhere else."""
    scratch = place.with_name(place.name + ".unpacking")
    scratch.mkdir()
    with tarfile.open(archive) as content:
        content.extractall(scratch, filter="data")
    (top,) = scratch.iterdir()
    for entry in top.iterdir():
        entry.rename(place / entry.name)
    shutil.rmtree(scratch)
