"""The demo: two real, consecutive releases of one package, and the breakage that one proven test shows.

curio 1.0 announced in its change log that ``spawn_thread()`` no longer works as a context manager and that
``enable_cancellation()`` is gone ("If this broke your code, sorry"); its own tests still use both, in
places that the suite skips or swallows. The two source releases are downloaded once, checked against their
hashes, never built or installed, and committed as a repository of two commits, which ``guardian cycle``
then looks at. Everything lies under ``.demo/`` of this checkout; run it again offline at will.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / ".demo"
PACKAGE = "curio"


@dataclass(frozen=True)
class Release:
    """One source release: its version, the SHA-256 of its archive, and the day it was published."""

    version: str
    sha256: str
    date: str

    @property
    def archive(self) -> Path:
        """Where the archive is kept."""
        return DEMO / "downloads" / f"{PACKAGE}-{self.version}.tar.gz"


RELEASES = (
    Release(
        "0.9", "51d1a7b49b4f8dd1486ac785c72d522962e93ccfdcfc1f818f5c7553a307b5ef", "2018-03-10T00:00:00Z"
    ),
    Release(
        "1.0", "a2ee876d2b4e7f3ee8966437c03d26e6de5954d1b73074f36980b518fc0a04fb", "2020-02-20T00:00:00Z"
    ),
)


def main() -> int:
    """Download, commit, run the cycle, show the memory, and check that the repository is untouched."""
    for release in RELEASES:
        fetch(release)
    repository = DEMO / PACKAGE
    build_repository(repository)
    before = fingerprint(repository)
    state = DEMO / "state"
    # The memory starts empty each time; what was downloaded and built stays, for a run without a network.
    for part in ("memory", "runs"):
        for old in state.glob(f"{PACKAGE}-*/{part}"):
            shutil.rmtree(old)
    code = guardian("cycle", str(repository), "--home", str(state), "--proofs", "3", "--graphs-only")
    code = code or guardian("memory", "show", str(repository), "--home", str(state))
    if fingerprint(repository) != before:
        print("the watched repository was changed", file=sys.stderr)
        return 1
    print(f"\nthe repository of the demo is byte for byte what it was: {repository}")
    return code


def fetch(release: Release) -> None:
    """Download one archive through the package index's own interface, unless it is there already."""
    if release.archive.exists() and sha256(release.archive) == release.sha256:
        return
    from pypi_simple import PYPI_SIMPLE_ENDPOINT, PyPISimple

    release.archive.parent.mkdir(parents=True, exist_ok=True)
    endpoint = os.environ.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)
    with PyPISimple(endpoint) as index:
        files = index.get_project_page(PACKAGE).packages
        wanted = [file for file in files if file.digests.get("sha256") == release.sha256]
        if not wanted:
            sys.exit(f"the package index has no {PACKAGE} {release.version} with the expected hash")
        index.download_package(wanted[0], release.archive, verify=True)
    if sha256(release.archive) != release.sha256:
        release.archive.unlink()
        sys.exit(f"the archive of {PACKAGE} {release.version} does not have the expected hash")


def sha256(path: Path) -> str:
    """Hex SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build_repository(repository: Path) -> None:
    """Commit each release on top of the one before; ids depend on nothing but the archives."""
    if repository.exists():
        shutil.rmtree(repository)
    git("init", "--quiet", "--initial-branch=main", str(repository), date=RELEASES[0].date)
    for release in RELEASES:
        clear(repository)
        unpack(release, repository)
        git("-C", str(repository), "add", "--all", "--force", date=release.date)
        message = f"{PACKAGE} {release.version}"
        git("-C", str(repository), "commit", "--quiet", "--message", message, date=release.date)


def clear(repository: Path) -> None:
    """Remove everything but ``.git``."""
    for path in repository.iterdir():
        if path.name == ".git":
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def unpack(release: Release, repository: Path) -> None:
    """Write an archive's regular files, without its top folder; nothing outside ``repository``."""
    with tarfile.open(release.archive) as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts[1:]
            if not member.isfile() or not parts or ".." in parts or parts[0] == ".git":
                continue
            content = archive.extractfile(member)
            path = repository.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read() if content is not None else b"")
            path.chmod(0o755 if member.mode & 0o100 else 0o644)


def git(*arguments: str, date: str) -> None:
    """Run git with a fixed author and date and without the user's configuration."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Demo"), ("EMAIL", "demo@example.invalid"), ("DATE", date))
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *arguments], check=True, env=environment)


def guardian(*arguments: str) -> int:
    """Run the command line of this checkout, as a user would."""
    print(f"\n$ guardian {' '.join(arguments)}", flush=True)
    return subprocess.run([Path(sys.executable).with_name("guardian"), *arguments], check=False).returncode


def fingerprint(folder: Path) -> str:
    """One hash over every path, mode and content below ``folder``, ``.git`` included."""
    total = hashlib.sha256()
    for path in walk(folder):
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        name = os.fsencode(path.relative_to(folder))
        total.update(b"%s\0%o\0%s\n" % (name, path.lstat().st_mode, hashlib.sha256(content).digest()))
    return total.hexdigest()


def walk(folder: Path) -> Iterator[Path]:
    """All files and links below ``folder``, in a fixed order."""
    return (path for path in sorted(folder.rglob("*")) if path.is_symlink() or path.is_file())


if __name__ == "__main__":
    sys.exit(main())
