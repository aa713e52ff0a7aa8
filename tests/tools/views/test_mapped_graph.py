"""The mapped graph answers as the one in memory does, over a real package and over awkward trees."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.publish import load, refresh
from repo_guardian.tools.views.symbol_graph.interface import changed_files

GRAPH = BuildOptions(views=("symbol_graph",))
AWKWARD = {
    "p/__init__.py": "from .a import *\nfrom . import b as other\ndef a(): pass\n",
    "p/a.py": "def f(x): return f(x)\nclass C:\n    def m(self): self.m()\nb = C()\nb.gone()\n",
    "p/a/__init__.py": "def f(): pass\n",
    "p/b.py": "import p\np.f(1, *x, y=2)\np.a.f()\np.missing(len(3))\nclass D(p.C): ...\n",
    "lib/p/__init__.py": "def twice(): pass\n",
    "src/p/__init__.py": "def twice(): twice()\n",
    "empty.py": "",
    "old.py": "print 'x'\ndef f(): pass\n",
    "broken.py": "def f(:\nf()\n",
    "ünïcode.py": "def ÿ(): ÿ()\n",
}


def package() -> dict[str, bytes]:
    root = Path(click.__file__).parent
    return {f"click/{path.name}": path.read_bytes() for path in sorted(root.glob("*.py"))}


@pytest.fixture(params=["package", "awkward", "nothing"])
def files(request):
    return {"package": package(), "awkward": AWKWARD, "nothing": {}}[request.param]


@pytest.fixture
def both(files, build, source, state):
    """The graph of the files as it is linked in memory, and as it is read from a published view."""
    refresh(source(files), state, GRAPH)
    return build(files), load(state, "a" * 40)


def test_symbols(both):
    memory, mapped = both
    assert dict(mapped.symbols) == dict(memory.symbols)
    assert list(mapped.symbols) == list(memory.symbols)
    assert list(mapped.symbols.values()) == list(memory.symbols.values())
    assert list(mapped.symbols.items()) == list(memory.symbols.items())
    assert len(mapped.symbols) == len(memory.symbols)
    for identity in ("", "nothing", "p.", ".p", "p.a.f.g", "\ud800"):
        assert identity not in mapped.symbols
        assert mapped.symbols.get(identity) is None


def test_looking_up_one_symbol(files, both, state):
    memory, _ = both
    mapped = load(state, "a" * 40)
    for identity, symbol in memory.symbols.items():
        assert mapped.symbols[identity] == symbol


def test_edges(both):
    memory, mapped = both
    assert list(mapped.edges()) == list(memory.edges())


def test_files_and_what_is_in_them(both):
    memory, mapped = both
    assert memory.files.keys() <= mapped.files.keys()
    for path in [*mapped.files, "nowhere.py", ""]:
        assert mapped.symbols_in(path) == memory.symbols_in(path)
        assert mapped.edges_in(path) == memory.edges_in(path)


def names_in(graph):
    yield from graph.symbols
    for edge in graph.edges():
        yield from (edge.source, edge.target, *edge.via)
    yield from ("nothing", "", "p.nothing")


def test_uses_and_fan_in(both):
    memory, mapped = both
    for name in set(names_in(memory)):
        assert mapped.uses(name) == memory.uses(name)
        assert mapped.fan_in(name) == memory.fan_in(name)


def test_named(both):
    memory, mapped = both
    for name in {name.rpartition(".")[2] for name in names_in(memory)} | {"p.missing"}:
        assert mapped.named(name) == memory.named(name)


def test_module_of_and_members(both):
    memory, mapped = both
    for name in set(names_in(memory)):
        assert mapped.module_of(name) == memory.module_of(name)
        assert mapped.members(name) == memory.members(name)


def test_what_is_known_of_the_commit(both):
    memory, mapped = both
    assert mapped.commit == memory.commit
    assert mapped.skipped == memory.skipped
    assert mapped.import_roots == memory.import_roots
    assert mapped.size == memory.size


def test_only_files_whose_links_differ_are_changed(source, state):
    refresh(source(AWKWARD, commit="one"), state, GRAPH)
    edited = {**AWKWARD, "empty.py": "x = 1\n"}
    del edited["ünïcode.py"]
    refresh(source(edited, commit="two"), state, GRAPH)
    assert changed_files(load(state, "one"), load(state, "two")) == ("empty.py", "ünïcode.py")
    assert changed_files(load(state, "one"), load(state, "one")) == ()
