"""Which build back-ends can ship top-level folders as subpackages of one package that is called otherwise.

Run ``python benchmarks/packaging_layouts.py``; installing the back-ends needs a package index. A toy
project (``core/`` to be ``repo_guardian``, ``server/`` and ``tools/part/`` to be subpackages) is installed
in three ways per back-end, and the same imports are tried each time, from another folder.
Quoted by docs/decisions/0002-folders-as-one-package.md.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

IMPORTS = "import repo_guardian.errors, repo_guardian.server, repo_guardian.tools.part"
FILES = (
    "core/__init__.py",
    "core/errors.py",
    "server/__init__.py",
    "tools/__init__.py",
    "tools/part/__init__.py",
)
PROJECT = '[project]\nname = "repo-guardian"\nversion = "1"\n'

SETUPTOOLS = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
"""
PACKAGE_DIR = """[tool.setuptools]
packages = ["repo_guardian", "repo_guardian.server", "repo_guardian.tools", "repo_guardian.tools.part"]
[tool.setuptools.package-dir]
"repo_guardian" = "core"
"repo_guardian.server" = "server"
"repo_guardian.tools" = "tools"
"""
FIND = '[tool.setuptools.packages.find]\ninclude = ["repo_guardian*"]\n'
HATCH = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[tool.hatch.build.targets.wheel]
only-include = ["core", "server", "tools"]
[tool.hatch.build.targets.wheel.sources]
"core" = "repo_guardian"
"server" = "repo_guardian/server"
"tools" = "repo_guardian/tools"
"""
UV = """[build-system]
requires = ["uv_build"]
build-backend = "uv_build"
[tool.uv.build-backend]
module-root = ""
module-name = ["core", "server", "tools"]
"""
POETRY = """[build-system]
requires = ["poetry-core"]
build-backend = "poetry.core.masonry.api"
[tool.poetry]
packages = [
    { include = "core", to = "repo_guardian" },
    { include = "server", to = "repo_guardian" },
    { include = "tools", to = "repo_guardian" },
]
"""


def link(tree: Path) -> None:
    """A package folder of links to the real folders."""
    (tree / "repo_guardian").mkdir()
    for name in ("core/__init__.py", "core/errors.py", "server", "tools"):
        (tree / "repo_guardian" / Path(name).name).symlink_to(Path("..") / name)


def nothing(tree: Path) -> None:
    """The layouts that need no more than their configuration."""


LAYOUTS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "setuptools package-dir": (SETUPTOOLS + PACKAGE_DIR, nothing),
    "setuptools, links": (SETUPTOOLS + FIND, link),
    "hatchling sources": (HATCH, nothing),
    "uv_build": (UV, nothing),
    "poetry-core to=": (POETRY, nothing),
}
WAYS = ("wheel", "sdist -> wheel", "editable")


def write_project(tree: Path, layout: str) -> None:
    """Write the toy project for one layout."""
    for name in FILES:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("")
    configuration, prepare = LAYOUTS[layout]
    (tree / "pyproject.toml").write_text(PROJECT + configuration)
    prepare(tree)


def run(*argv: str | Path, cwd: Path) -> bool:
    """Whether a command succeeds."""
    return subprocess.run(argv, cwd=cwd, capture_output=True, check=False).returncode == 0


def works(root: Path, python: Path, way: str) -> bool:
    """Install ``root/tree`` in one way and try the imports."""
    pip = (python, "-m", "pip", "--quiet")
    run(*pip, "uninstall", "--yes", "repo-guardian", cwd=root)
    if way == "editable":
        installed = run(*pip, "install", "--no-deps", "--editable", root / "tree", cwd=root)
    else:
        shutil.rmtree(root / "out", ignore_errors=True)
        only = ("--wheel",) if way == "wheel" else ()
        built = run(python, "-m", "build", *only, "--outdir", root / "out", root / "tree", cwd=root)
        wheels = list((root / "out").glob("*.whl"))
        installed = built and run(*pip, "install", "--no-deps", "--force-reinstall", *wheels, cwd=root)
    return installed and run(python, "-c", IMPORTS, cwd=root)


def main() -> None:
    """Print one row per layout, one column per way of installing."""
    print(f"{'':<24}" + "".join(f"{way:<16}" for way in WAYS))
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            venv.create(root / "venv", with_pip=True)
            python = root / "venv" / "bin" / "python"
            run(python, "-m", "pip", "install", "--quiet", "build", cwd=root)
            row = []
            for way in WAYS:
                shutil.rmtree(root / "tree", ignore_errors=True)
                write_project(root / "tree", layout)
                row.append("works" if works(root, python, way) else "fails")
            print(f"{layout:<24}" + "".join(f"{cell:<16}" for cell in row), flush=True)


if __name__ == "__main__":
    main()
