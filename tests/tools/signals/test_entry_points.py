"""Entry points: how they are read, and when one is lost."""

import pytest

from repo_guardian.tools.signals.drift.entry_points import detect_entry_points, entry_points
from repo_guardian.tools.signals.interface import SignalKind
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link

PYPROJECT = b"""
[project]
name = "pkg"
[project.scripts]
tool = "pkg.cli:main"
[project.gui-scripts]
window = "pkg.gui:main"
[project.entry-points."pkg.plugins"]
one = "pkg.plugins.one"
[tool.poetry.scripts]
old = "pkg.cli:old [extra]"
"""
SETUP_CFG = b"""
[options.entry_points]
console_scripts =
    tool = pkg.cli:main
    # other = pkg.cli:other
    second=pkg.cli:second
"""
SETUP_PY = b"""
from setuptools import setup
setup(name="pkg", entry_points={"console_scripts": ["tool = pkg.cli:main"], "pytest11": "x = pkg.plugin"})
"""


def reader(**files: bytes):
    return lambda path: files.get(path.replace(".", "_"))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject_toml": PYPROJECT}, {
            ("console_scripts", "tool"): "pkg.cli:main", ("gui_scripts", "window"): "pkg.gui:main",
            ("pkg.plugins", "one"): "pkg.plugins.one", ("console_scripts", "old"): "pkg.cli:old [extra]",
        }),
        ({"setup_cfg": SETUP_CFG}, {
            ("console_scripts", "tool"): "pkg.cli:main", ("console_scripts", "second"): "pkg.cli:second",
        }),
        ({"setup_py": SETUP_PY}, {
            ("console_scripts", "tool"): "pkg.cli:main", ("pytest11", "x"): "pkg.plugin",
        }),
        ({"setup_py": b"setup(entry_points=read())"}, {}),
        ({"setup_py": b"(", "setup_cfg": b"[x\n", "pyproject_toml": b"= 1"}, {}),
        ({"pyproject_toml": b"project = 1\ntool = []"}, {}),
        ({}, {}),
    ],
)  # fmt: skip
def test_what_is_declared(files, expected):
    assert entry_points(reader(**files)) == expected


def graph(source: str):
    extractor = extractor_for("python")
    files = {"pkg/__init__.py": "", "pkg/cli.py": source}
    return link(
        "c", {name: extractor.extract(text.encode(), ExtractLimits()) for name, text in files.items()}
    )


BEFORE = b"[project.scripts]\ntool = 'pkg.cli:main'\nother = 'elsewhere:main'\n"


@pytest.mark.parametrize(
    ("after", "source", "lines"),
    [
        (BEFORE, "def main(): ...", []),
        (b"[project.scripts]\nother = 'elsewhere:main'\n", "def main(): ...",
         ["console script tool is gone (it was pkg.cli:main)"]),
        (BEFORE, "def run(): ...",
         ["console script tool names pkg.cli:main, which does not exist (it was pkg.cli:main)"]),
        (BEFORE.replace(b"pkg.cli:main", b"pkg.cli:run"), "def run(): ...", []),
        (BEFORE.replace(b"pkg.cli:main", b"pkg.cil:main"), "def main(): ...",
         ["console script tool names pkg.cil:main, which does not exist (it was pkg.cli:main)"]),
        (BEFORE, "from pkg.other import main", []),
    ],
)  # fmt: skip
def test_what_is_lost(after, source, lines):
    reads = reader(pyproject_toml=BEFORE), reader(pyproject_toml=after)
    found = list(detect_entry_points(graph("def main(): ..."), graph(source), *reads))
    if "import main" in source:
        assert len(found) == 1  # the module that it comes from does not exist either
        return
    assert [signal.line for signal in found] == lines
    assert all(signal.kind is SignalKind.ENTRY_POINT_LOST and signal.public for signal in found)
