"""Status, verification and collection; and that neither a kill nor a collection breaks what is published."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from repo_guardian.errors import ViewMissingError
from repo_guardian.tools.views import manifest as manifests
from repo_guardian.tools.views import publish
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.maintenance import Freed, gc, published, status, verify
from repo_guardian.tools.views.publish import load, open_view

BASE = {
    "p/__init__.py": "from .a import f, C\n",
    "p/a.py": "def f(x): pass\nclass C:\n    def m(self): pass\n",
    "p/b.py": "from p import f, C\ndef g(): f(1); C().m()\n",
    "README.md": "# p\n",
}


def refresh(source, state):
    return publish.refresh(source, state, BuildOptions(views=("symbol_graph",)))


def tree(number: int) -> dict[str, str]:
    return {**BASE, "p/b.py": f"{BASE['p/b.py']}def h{number}(): g()\n", f"new{number % 3}.py": "import p\n"}


@pytest.fixture
def history(source, state):
    """A state directory with four commits."""
    for number in range(4):
        refresh(source(tree(number), commit=f"c{number}"), state)
    return state


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_status(history):
    found = status(history)
    assert [commit.commit for commit in found.commits] == ["c3", "c2", "c1", "c0"]
    assert published(history) == ("c3", "c2", "c1", "c0")
    assert found.unused_bytes == 0
    assert found.pack_bytes == sum(p.stat().st_size for p in (history / "packs").iterdir())
    assert (
        found.facts == len({*tree(0).values(), *tree(1).values(), *tree(2).values(), *tree(3).values()}) - 1
    )
    view = found.commits[0].views["symbol_graph"]
    assert (view.stale, view.files, view.digest) == (
        False,
        4,
        open_view(history, "c3", "symbol_graph").digest(),
    )
    assert view.packs == 2
    assert view.own_bytes < view.shared_bytes


def test_status_of_what_is_stale_damaged_or_not_there(history, tmp_path):
    assert status(tmp_path / "nothing").commits == ()
    path = history / "views" / "c1" / "manifest.json"
    manifest = manifests.decode(path.read_bytes())[1]
    old = replace(manifest.views["symbol_graph"], builder={"linker": "0"})
    path.write_bytes(manifests.encode(replace(manifest, views={"symbol_graph": old})))
    (history / "views" / "c2" / "manifest.json").write_text("{}")
    found = {commit.commit: commit for commit in status(history).commits}
    assert found["c1"].views["symbol_graph"].stale
    assert not found["c0"].views["symbol_graph"].stale
    assert found["c2"].views == {}
    assert found["c2"].problem


def test_what_is_whole_has_no_problems(history, tmp_path):
    assert verify(history) == ()
    assert verify(history, "c1") == ()
    assert verify(tmp_path / "nothing") == ()
    assert [problem.commit for problem in verify(history, "unknown")] == ["unknown"]


def test_a_damaged_pack_is_a_problem_of_every_commit_that_uses_it(history):
    oldest = min((history / "packs").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    damage(oldest)
    assert {problem.commit for problem in verify(history)} == {"c0", "c1", "c2", "c3"}


@pytest.mark.parametrize("name", ["manifest.json", "catalog.bin"])
def test_a_damaged_commit_is_a_problem_of_its_own(history, name):
    damage(history / "views" / "c2" / name)
    assert {problem.commit for problem in verify(history)} == {"c2"}


def test_placements_of_another_commit_are_a_problem(history):
    one, two = (history / "views" / commit for commit in ("c1", "c2"))
    shutil.copy(one / "catalog.bin", two / "catalog.bin")
    read, other = (manifests.decode((folder / "manifest.json").read_bytes())[1] for folder in (two, one))
    (two / "manifest.json").write_bytes(manifests.encode(replace(read, catalog=other.catalog)))
    assert [problem.what for problem in verify(history)] == [
        "symbol_graph: the digest of its shards is not the one in the manifest"
    ]


@pytest.mark.parametrize("keep", [2, ["c3", "c2", "unknown"]])
def test_collecting_keeps_what_is_kept_whole(history, source, keep):
    (history / "views" / ".tmp-left").mkdir()
    (history / "packs" / ".tmp-left").write_text("half")
    before = sum(path.stat().st_size for path in history.rglob("*") if path.is_file())
    digests = {commit: open_view(history, commit, "symbol_graph").digest() for commit in ("c2", "c3")}
    freed = gc(history, keep)
    after = sum(path.stat().st_size for path in history.rglob("*") if path.is_file())
    assert freed.commits == ("c1", "c0")
    assert freed.temporaries == 2
    assert freed.bytes == before - after > 0
    assert status(history).unused_bytes == 0
    assert verify(history) == ()
    assert {commit: open_view(history, commit, "symbol_graph").digest() for commit in digests} == digests
    with pytest.raises(ViewMissingError):
        load(history, "c0")
    assert gc(history, keep) == Freed()
    again = refresh(source(tree(3), commit="again"), history)
    assert (again.digest, again.facts_extracted) == (digests["c3"], 0)


def test_collecting_everything_and_nothing(history, tmp_path, source):
    assert gc(tmp_path / "nothing", 0) == Freed()
    assert gc(history, 100) == Freed()
    gc(history, 0)
    assert files_of(history) == set()
    assert refresh(source(tree(0), commit="c0"), history).facts_extracted > 0


def test_collecting_removes_facts_of_other_extractor_versions(history):
    entry = next(path for path in (history / "facts").rglob("*") if path.is_file())
    old = history / "facts" / "python-0" / entry.parent.name / entry.name
    old.parent.mkdir(parents=True)
    shutil.copy(entry, old)
    assert gc(history, 100).facts == 1
    assert not (history / "facts" / "python-0").exists()


def test_a_view_whose_facts_were_collected_is_linked_anew(history, source, tmp_path):
    shutil.rmtree(history / "facts")
    changed = {**tree(3), "p/a.py": "def f(x, y): pass\n"}
    warm = refresh(source(changed, commit="next"), history)
    assert warm.digest == refresh(source(changed), tmp_path / "cold").digest


_STEPS = (
    "open",
    "os.rename",
    "os.mkdir",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "fcntl.flock",
    "shutil.rmtree",
)


def killed_at(step: int, work, state: Path) -> bool:
    """Run ``work`` in a child that kills itself at its ``step``-th use of files; False when it ended."""
    child = os.fork()
    if child == 0:
        left = [step]

        def count(event: str, arguments: tuple) -> None:
            if event in _STEPS and str(state) in str(arguments[0]):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), 9)

        sys.addaudithook(count)
        try:
            work()
        finally:
            os._exit(0)
    _, how = os.waitpid(child, 0)
    return os.WIFSIGNALED(how)


def test_a_builder_killed_anywhere_leaves_a_usable_state(source, state, tmp_path):
    refresh(source(tree(0), commit="c0"), state)
    before = open_view(state, "c0", "symbol_graph").digest()
    cold = refresh(source(tree(1)), tmp_path / "cold").digest
    for step in itertools.count():
        place = tmp_path / f"step{step}"
        shutil.copytree(state, place)
        killed = killed_at(step, lambda here=place: refresh(source(tree(1), commit="c1"), here), place)
        assert verify(place) == ()
        assert open_view(place, "c0", "symbol_graph").digest() == before
        assert refresh(source(tree(1), commit="c1"), place).digest == cold
        gc(place, ["c0", "c1"])
        assert verify(place) == ()
        assert not [path for path in files_of(place) if ".tmp-" in path]
        if not killed:
            break
    assert step > 20


def test_a_collection_killed_anywhere_leaves_what_is_kept(history, tmp_path):
    kept = open_view(history, "c3", "symbol_graph").digest()
    for step in itertools.count():
        place = tmp_path / f"step{step}"
        shutil.copytree(history, place)
        killed = killed_at(step, lambda here=place: gc(here, ["c3"]), place)
        assert verify(place, "c3") == ()
        assert open_view(place, "c3", "symbol_graph").digest() == kept
        gc(place, ["c3"])
        assert verify(place) == ()
        assert status(place).unused_bytes == 0
        if not killed:
            break
    assert step > 10


def test_builders_of_several_commits_and_a_collector_at_once(source, state):
    names = [f"{child}-{number}" for child in range(3) for number in range(5)]
    children = []
    for child in range(3):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                for number in range(5):
                    refresh(source(tree(number * 3 + child), commit=f"{child}-{number}"), state)
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    while children:
        gc(state, names)
        pid, how = os.waitpid(-1, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(how) == 0
            children.remove(pid)
    assert sorted(published(state)) == names
    assert verify(state) == ()
    for child, number in itertools.product(range(3), range(5)):
        assert f"p.b.h{number * 3 + child}" in load(state, f"{child}-{number}").symbols
