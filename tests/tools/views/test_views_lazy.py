"""Finding views whole costs no more than reading them: no grammar, linker or model is loaded for it."""

from __future__ import annotations

import shutil
import subprocess
import sys

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.gather import CommitTree
from repo_guardian.tools.views.publish import refresh

FILES = {
    "pkg/__init__.py": "",
    "pkg/a.py": "def f(x):\n    return g(x)\n",
    "b.go": "package b\n",
    "r.md": "# R\n",
}

SCRIPT = """
import sys
from pathlib import Path
from repo_guardian.tools.views.publish import handle, load, open_view, refresh

class Same:
    commit = tree = "a" * 40
    def files(self):
        raise AssertionError("the tree was read")

state = Path(sys.argv[1])
assert refresh(Same(), state).reused
assert load(state, Same.commit).symbols["pkg.a.f"].name == "f"
for name in ("lexical", "vector"):
    open_view(state, Same.commit, name)
print("loaded:", *sorted(set(sys.modules) & set(sys.argv[2:])))
"""

HEAVY = (
    "tree_sitter",
    "tokenizers",
    "safetensors",
    "importlib.metadata",
    "repo_guardian.tools.views.symbol_graph.python",
    "repo_guardian.tools.views.symbol_graph.byname.linker",
    "repo_guardian.tools.views.facts.python.extractor",
)


def test_a_refresh_that_finds_all_done_and_opening_load_nothing_heavy(source, tmp_path):
    refresh(source(FILES), tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, tmp_path, *HEAVY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["loaded:"]


def test_definitions_stay_when_facts_are_let_go(source, tmp_path):
    store = FactsStore(tmp_path / "facts")
    tree = CommitTree(source(FILES), store, ExtractLimits())
    tree.prepare(tree.files)
    whole = tree.facts("pkg/a.py")
    tree.release()
    assert tree.outline("pkg/a.py").definitions == whole.definitions
    assert tree.facts("pkg/a.py") == whole
    tree.release()
    shutil.rmtree(tmp_path / "facts")
    assert tree.facts("pkg/a.py") == whole
    assert not tree.coverage().skipped
