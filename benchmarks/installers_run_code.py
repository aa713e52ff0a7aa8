"""Shows that resolving dependencies runs the code of source distributions, and what prevents it.

Run ``.venv/bin/python benchmarks/installers_run_code.py``; no index is asked. A source distribution
whose ``setup.py`` leaves a mark is put into a folder, and each installer is asked only to *resolve* or
*download* it. Quoted by docs/decisions/0005-wheels-only.md.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SETUP = """
import pathlib
from setuptools import setup
pathlib.Path({mark!r}).touch()
setup(name="innocent", version="1.0")
"""

PIP = [sys.executable, "-m", "pip", "download", "--no-index", "--no-build-isolation", "--dest", "out"]
UV = [sys.executable, "-m", "uv", "pip", "compile", "requirements.in", "--no-index", "--no-build-isolation"]
WHEELS_ONLY = ["--only-binary", ":all:"]


def write_source_distribution(folder: Path, mark: Path) -> None:
    """Write ``innocent-1.0.tar.gz`` into ``folder``; its setup.py creates ``mark`` when it is run."""
    with tarfile.open(folder / "innocent-1.0.tar.gz", "w:gz") as archive:
        for name, text in {
            "setup.py": SETUP.format(mark=str(mark)),
            "PKG-INFO": "Metadata-Version: 2.1\nName: innocent\nVersion: 1.0\n",
        }.items():
            entry = tarfile.TarInfo(f"innocent-1.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))


def ran_code(argv: list[str]) -> tuple[bool, int]:
    """Run an installer on the planted distribution; say whether its code ran, and the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "dist").mkdir()
        mark = root / "setup-py-was-run"
        write_source_distribution(root / "dist", mark)
        (root / "requirements.in").write_text("innocent\n")
        argv = [*argv, "--find-links", str(root / "dist"), *([] if "compile" in argv else ["innocent"])]
        done = subprocess.run(argv, cwd=root, capture_output=True, check=False)
        return mark.exists(), done.returncode


def main() -> None:
    """Print one line per installer, without and with ``--only-binary :all:``."""
    for title, argv in {"pip download": PIP, "uv pip compile": UV}.items():
        for options in ([], WHEELS_ONLY):
            ran, code = ran_code([*argv, *options])
            print(
                f"{' '.join([title, *options]):<38} {'ran' if ran else 'did not run'} setup.py, exit {code}"
            )


if __name__ == "__main__":
    main()
