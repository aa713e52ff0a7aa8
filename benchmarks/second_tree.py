"""Shows why two trees of one project cannot share a sandbox: the second one runs the first one's code.

Run ``python benchmarks/second_tree.py``; it needs nothing but the standard library. It lays out one
package at two commits, ``repo/`` (current) and ``repo_prior/`` (the base), with an interpreter that has
the project installed the usual way, a path file that names ``repo/src``. Then it asks, from inside the
prior tree, which code an import runs. Quoted by docs/decisions/0003-one-tree-per-sandbox.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import venv
from pathlib import Path

# Of equal length, so that size cannot tell the two compiled files apart.
SOURCES = {"repo": "TREE = 'current'\n", "repo_prior": "TREE = 'prior..'\n"}
SECONDS = 1_000_000_000
"""One modification time for all files: what SOURCE_DATE_EPOCH-style pinning of checkouts does."""


def lay_out(root: Path) -> Path:
    """Write both trees and the environment below ``root``; return the environment's interpreter."""
    for folder, source in SOURCES.items():
        module = root / folder / "src" / "widget" / "__init__.py"
        module.parent.mkdir(parents=True)
        module.write_text(source)
        os.utime(module, (SECONDS, SECONDS))
    venv.create(root / "venv", with_pip=False, symlinks=True)
    (site_packages,) = (root / "venv").glob("lib/python*/site-packages")
    (site_packages / "widget.pth").write_text(f"{root / 'repo' / 'src'}\n")
    return root / "venv" / "bin" / "python"


def imported(python: Path, tree: Path, *, path: Path | None = None, bytecode: bool = False) -> str:
    """Import ``widget`` with ``tree`` as the working directory; return what ran and from which file."""
    environment = {"PYTHONPATH": str(path)} if path else {}
    script = "import widget; print(f'{widget.TREE:<8} from {widget.__file__}')"
    argv = [str(python), *([] if bytecode else ["-B"]), "-c", script]
    done = subprocess.run(argv, cwd=tree, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip().replace(f"{tree.parent}/", "")


def main() -> None:
    """Print one line per way of running the prior tree's test."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        python = lay_out(root)
        current, prior = root / "repo", root / "repo_prior"
        print("expected: the code of the prior tree ('prior..')\n")
        print("second path, project's path file:    ", imported(python, prior))

        imported(python, current, bytecode=True)
        package = Path("src", "widget", "__pycache__")
        shutil.copytree(current / package, prior / package)
        print("second path, carried bytecode:       ", imported(python, prior, path=prior / "src"))

        shutil.rmtree(prior / package)
        current.rename(root / "aside")
        prior.rename(current)
        print("its own sandbox, mounted as repo/:   ", imported(python, current))


if __name__ == "__main__":
    main()
