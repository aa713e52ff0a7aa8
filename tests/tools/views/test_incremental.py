"""Warm equals cold: after any history of edits a view is what a first build of the same tree would give."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views import publish
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.publish import load

BASE = {
    "p/__init__.py": "from .a import f, C\n",
    "p/a.py": "def f(x): pass\nclass C:\n    def m(self): pass\n    def only(self): pass\n",
    "p/b.py": "from p import f, C\nimport p\nclass D(C):\n    def n(self): self.m()\n"
    "def g(v):\n    f(1)\n    v.only()\n    p.f(2)\n",
    "user.py": "from p.b import *\ng(D())\nD().m()\n",
}
EDITS = {
    "edit": {"p/a.py": "def f(x, y): pass\nclass C:\n    def m(self, z): pass\n"},
    "rename": {
        "p/a.py": None,
        "p/renamed.py": BASE["p/a.py"],
        "p/__init__.py": "from .renamed import f, C\n",
    },
    "delete": {"p/a.py": None},
    "a duplicate of a unique name": {"q.py": "class E:\n    def only(self): pass\n"},
    "a shadowing module": {"p/f.py": "def nothing(): pass\n"},
    "a shadowing definition": {"p/b.py": "def f(): pass\n" + BASE["p/b.py"]},
    "a new method on a base": {
        "p/a.py": BASE["p/a.py"] + "    def n(self): pass\n    def later(self): pass\n"
    },
    "another root": {"src/p/__init__.py": "", "src/p/a.py": BASE["p/a.py"]},
    "a package is dissolved": {"p/__init__.py": None},
    "a broken file": {"p/a.py": "def f(:\nclass C:\n  def m(self): pass\n"},
    "exports": {"p/b.py": "__all__ = ['g']\n" + BASE["p/b.py"]},
}


def refresh(source, state):
    return publish.refresh(source, state, BuildOptions(views=("symbol_graph",)))


def applied(files, edit):
    changed = {**files, **edit}
    return {path: text for path, text in changed.items() if text is not None}


@pytest.mark.parametrize("name", EDITS)
def test_each_transition_and_back(source, tmp_path, name):
    trees = [BASE, applied(BASE, EDITS[name]), BASE]
    warm = [refresh(source(tree, commit=f"c{n}"), tmp_path / "warm").digest for n, tree in enumerate(trees)]
    cold = [refresh(source(tree), tmp_path / f"cold{n}").digest for n, tree in enumerate(trees)]
    assert warm == cold
    assert warm[0] == warm[2] != warm[1]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=6))
def test_any_sequence(source, steps):
    with tempfile.TemporaryDirectory() as folder:
        tree = BASE
        for number, step in enumerate(steps):
            tree = applied(tree, EDITS[step])
            warm = refresh(source(tree, commit=f"w{number}"), Path(folder) / "warm")
        cold = refresh(source(tree, commit="cold"), Path(folder) / "cold")
        assert warm.digest == cold.digest
        first, second = load(Path(folder) / "warm", warm.commit), load(Path(folder) / "cold", "cold")
        assert [*first.edges()] == [*second.edges()]
        assert first.symbols == second.symbols
        for identity in first.symbols:
            assert first.uses(identity) == second.uses(identity)


def test_a_rename_extracts_nothing(source, tmp_path):
    refresh(source(BASE, commit="one"), tmp_path)
    renamed = {path.replace("p/", "z/"): text for path, text in BASE.items()}
    tree = source(renamed, commit="two")
    assert refresh(tree, tmp_path).facts_extracted == 0
    assert tree.read_count == 0


def test_the_order_of_the_tree_does_not_matter(source, tmp_path):
    forward = refresh(source(BASE, commit="one"), tmp_path)
    backward = refresh(source(dict(reversed(BASE.items())), commit="two"), tmp_path)
    assert forward.digest == backward.digest
