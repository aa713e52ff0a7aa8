"""A long random history, built commit by commit, equals at each commit a build from nothing: all views."""

from __future__ import annotations

import random

import pytest

from repo_guardian.tools.views.interface import VIEWS, BuildOptions
from repo_guardian.tools.views.maintenance import gc, status, verify
from repo_guardian.tools.views.publish import handle, load, refresh

NAMES = ("f", "g", "run", "Base", "Child", "value", "only", "helper")
MODULES = (
    "p/__init__.py", "p/a.py", "p/b.py", "p/sub/__init__.py", "p/sub/c.py", "src/q.py", "main.py", "p/f.py",
    "q.py", "tests/test_p.py", "p/run.pyi", "README.md", "notes.txt", "web/app.js",
)  # fmt: skip


class History:
    """A tree that changes at random, by one seed always in the same way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.files: dict[str, str] = {}
        self.past: list[dict[str, str]] = [{}]
        for path in MODULES[:8]:
            self.files[path] = self.source()

    def source(self) -> str:
        """A module that uses what others may or may not define."""
        pick = self.random.choice
        lines = []
        for _ in range(self.random.randrange(1, 5)):
            module, name, other = (
                pick(("p", "p.a", "p.b", ".", ".a", "p.sub.c", "q")),
                pick(NAMES),
                pick(NAMES),
            )
            lines += pick((
                [f"from {module} import {name}"], [f"from {module} import *"], [f"import p.sub.c as {name}"],
                [f"def {name}(x, {other}=1):", f"    return {other}(x)"], [f"{name} = {other}"],
                [f"class {name}({other}):", f"    def {other}(self): return self.{pick(NAMES)}()"],
                [f"class {name}:", f"    def {other}(self) -> {pick(NAMES)}: return {pick(NAMES)}()"],
                [f"{name}(1).{other}(2)"], [f"def {name}(v: {other}): return v.{pick(NAMES)}()"],
                [f"__all__ = ['{name}', '{other}']"], [f"{name}().only()"], ["def broken(:"], ["print 'two'"],
            ))  # fmt: skip
        return "\n".join(lines) + "\n"

    def step(self) -> None:
        """Edit, add, delete, rename, copy, move a package, or go back."""
        self.past.append(dict(self.files))
        paths = sorted(self.files)
        chosen = self.random.choice(paths) if paths else "main.py"
        what = self.random.randrange(10)
        if what < 4:
            self.files[self.random.choice(MODULES)] = self.source()
        elif what == 4:
            self.files.pop(chosen, None)
        elif what == 5:
            self.files[self.random.choice(MODULES)] = self.files.pop(chosen, "")
        elif what == 6:
            self.files[self.random.choice(MODULES)] = self.files.get(chosen, "")
        elif what == 7:
            old, new = self.random.sample(("p/sub/", "p/", "src/", "lib/p/"), 2)
            self.files = {path.replace(old, new, 1) if path.startswith(old) else path: text
                          for path, text in self.files.items()}  # fmt: skip
        elif what == 8:
            self.files = dict(self.random.choice(self.past))
        else:
            self.files[chosen] = self.files.get(chosen, "") + self.source()


@pytest.mark.parametrize("seed", range(3))
def test_every_commit_of_a_random_history(source, state, tmp_path, seed):
    history = History(seed)
    every, graph = BuildOptions(views=VIEWS), ("symbol_graph",)
    for number in range(40):
        history.step()
        commit = f"c{number}"
        views = VIEWS if number % 5 == 0 else graph
        since = f"c{history.random.randrange(number)}" if number % 3 == 2 else None
        warm = refresh(source(history.files, commit=commit), state, BuildOptions(views=views, since=since))
        cold = refresh(source(history.files, commit=commit), tmp_path / commit, BuildOptions(views=views))
        assert warm.digests == cold.digests
        assert warm.coverage == cold.coverage
        one, two = load(state, commit), load(tmp_path / commit, commit)
        assert list(one.symbols.items()) == list(two.symbols.items())
        assert list(one.edges()) == list(two.edges())
        assert (one.skipped, one.import_roots, one.files) == (two.skipped, two.import_roots, two.files)
        for name in (*one.symbols, *NAMES, "p.missing"):
            assert one.uses(name) == two.uses(name)
            assert one.named(name) == two.named(name)
        if number == 25:
            gc(state, 5)
    assert verify(state) == ()
    last = refresh(source(history.files, commit="c39"), state, every)
    assert last.digests == refresh(source(history.files, commit="all"), tmp_path / "all", every).digests
    assert handle(state, "c39").digests == last.digests
    assert all(view.packs < 20 for commit in status(state).commits for view in commit.views.values())


def test_what_gave_nothing_is_not_read_again(source, state):
    files = {"empty.py": "", "a.py": "def f(): pass\n", "py.typed": "", "data.bin": "\0"}
    refresh(source(files, commit="one"), state, BuildOptions(views=VIEWS))
    tree = source({**files, "a.py": "def f(x): pass\n"}, commit="two")
    refresh(tree, state, BuildOptions(views=VIEWS))
    assert tree.read_count == len(VIEWS)


def test_facts_that_are_gone_for_good_make_a_build_start_over(source, state, tmp_path):
    files = {
        "a.py": "class A:\n    def m(self): pass\n",
        "b.py": "from a import A\nA().m()\n",
        "c.py": "import a\n",
    }
    graph = BuildOptions(views=("symbol_graph",))
    refresh(source(files, commit="one"), state, graph)
    for entry in (state / "facts").rglob("*"):
        if entry.is_file():
            entry.unlink()
    changed = {**files, "b.py": "from a import A\nA().m(1)\n"}
    places = (state, tmp_path / "cold")
    made = []
    for place in places:
        tree = source(changed, commit="two")
        tree.forget("a.py")
        made.append(refresh(tree, place, graph))
    assert made[0].digest == made[1].digest
    assert (
        [s.path for s in made[0].coverage.skipped] == [s.path for s in made[1].coverage.skipped] == ["a.py"]
    )
