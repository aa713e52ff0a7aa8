"""Publishing and loading: whole or not at all, relocatable, verified, and equal however it was built."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
import pytest

from repo_guardian.errors import (
    DiskFullError,
    StateDirError,
    ViewDamagedError,
    ViewMissingError,
    ViewStaleError,
)
from repo_guardian.tools.views import publish
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.packs.interface import ShardDraft
from repo_guardian.tools.views.packs.writer import write_pack
from repo_guardian.tools.views.publish import copy_view, handle, load, open_view
from repo_guardian.tools.views.symbol_graph.codec import LAYOUT

FILES = {
    "pkg/__init__.py": "from .a import f\n",
    "pkg/a.py": "def f(x, *, y: int = 1) -> int: return g(x)\ndef g(*args, **kw): pass\n",
    "tests/test_a.py": "import pkg\ndef test_f(): assert pkg.f(1, y=2)\n",
    "README.md": "# hello\n",
    "web/app.rb": "x = 1\n",
}
COMMIT = "a" * 40
GRAPH = ("symbol_graph",)


def refresh(source, state, **options):
    return publish.refresh(source, state, BuildOptions(views=GRAPH, **options))


def test_a_published_view_loads_as_it_was_linked(source, build, state):
    made = refresh(source(FILES), state)
    graph = load(state, COMMIT)
    expected = build({path: text for path, text in FILES.items() if path.endswith(".py")})
    assert graph.symbols == expected.symbols
    assert [*graph.edges()] == [*expected.edges()]
    assert graph.import_roots == expected.import_roots
    assert made.digest == made.digests["symbol_graph"] == open_view(state, COMMIT, "symbol_graph").digest()
    assert (made.reused, made.facts_reused, made.facts_extracted) == (False, 0, 3)


def test_an_intact_view_is_kept_and_facts_are_reused(source, state):
    first = refresh(source(FILES), state)
    tree = source(FILES)
    again = refresh(tree, state)
    assert again.reused
    assert again.digest == first.digest
    assert tree.read_count == 0
    changed = source({**FILES, "pkg/a.py": "def f(): pass\n"}, commit="c" * 40)
    other = refresh(changed, state)
    assert (other.facts_reused, other.facts_extracted, changed.read_count) == (2, 1, 1)
    assert other.digest != first.digest


def test_the_manifest_accounts_for_every_file(source, state):
    tree = source(
        {
            **FILES,
            "broken.py": "def f(:\n",
            "old.py": "print 'x'\n",
            "link.py": "elsewhere",
            "gone.py": "def never(): pass\n",
            b"bad\xff.py": "def f(): pass\n",
            b"new\nline.py": "def f(): pass\n",
        },
        modes={"link.py": "120000"},
    )
    tree.forget("gone.py")
    made = refresh(tree, state)
    coverage = made.coverage
    assert (coverage.seen, coverage.parsed, coverage.other) == (11, 5, 1)
    assert [(s.path, s.reason) for s in coverage.partial] == [
        ("broken.py", "syntax error at line 1"),
        ("old.py", "Python 2 source (line 1)"),
    ]
    assert [s.path for s in coverage.skipped] == ["gone.py", "link.py"]
    assert coverage.not_covered == (("ruby", 1),)
    assert handle(state, COMMIT).coverage == coverage
    graph = load(state, COMMIT)
    assert {s.path for s in graph.skipped} == {"broken.py", "old.py", "gone.py", "link.py"}
    assert "bad\\xff.py" in {s.path for s in graph.symbols.values()}
    for text in (*graph.symbols, *(s.path for s in graph.symbols.values())):
        text.encode("utf-8")


def test_the_manifest_is_relative_and_names_its_versions(source, state):
    made = refresh(source(FILES), state)
    document = json.loads((made.folder / "manifest.json").read_text())
    assert document["schema"] == 2
    assert document["commit"] == COMMIT
    assert document["views"]["symbol_graph"]["builder"] == publish.builder_versions()
    assert document["facts"]["extracted"] == 3
    assert document["facts"]["extractors"]["python"] == PythonExtractor().identity
    assert document["capabilities"]["python"]
    assert str(state) not in (made.folder / "manifest.json").read_text()
    assert commits(state) == [COMMIT]


def test_the_manifest_says_what_was_reused(source, state):
    refresh(source(FILES), state)
    changed = {**FILES, "pkg/a.py": FILES["pkg/a.py"] + "def h(): pass\n", "new.py": "import pkg\n"}
    made = refresh(source(changed, commit="c" * 40), state)
    entry = json.loads((made.folder / "manifest.json").read_text())["views"]["symbol_graph"]
    assert entry["since"] == COMMIT
    assert entry["files"] == entry["kept"] + entry["made"] == 4
    assert 2 <= entry["changed"] <= entry["made"]
    assert entry["new_bytes"] == sum(p["bytes"] for p in entry["packs"] if p not in packs_of(state, COMMIT))


def test_a_build_may_start_from_any_commit_or_none(source, state, tmp_path):
    trees = {"one": FILES, "two": {**FILES, "pkg/a.py": "def f(): pass\n"}, "three": {"x.py": "import pkg\n"}}
    for commit, files in trees.items():
        refresh(source(files, commit=commit), state)
    for since in (*trees, None, "unknown", "../.."):
        folder = tmp_path / f"from-{since}".replace("/", "")
        shutil.copytree(state, folder)
        files = {**FILES, "pkg/b.py": "from .a import *\n"}
        made = refresh(source(files, commit="last"), folder, since=since)
        assert made.digest == refresh(source(files), tmp_path / "cold").digest


def test_secrets_are_in_no_view_and_counted(source, state):
    token = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
    made = refresh(source({**FILES, "id_rsa": "x", "pkg/s.py": f"KEY = '{token}'\nuse('{token}')\n"}), state)
    assert made.coverage.withheld == (("a private SSH key", 1),)
    graph = load(state, COMMIT)
    assert "pkg.s.KEY" in graph.symbols
    assert token not in repr([*graph.symbols.values(), *graph.edges()])


def test_a_copied_view_loads_where_it_was_copied_to(source, state, tmp_path):
    refresh(source(FILES), state)
    refresh(source({**FILES, "b.py": "import pkg\n"}, commit="two"), state)
    for commit in (COMMIT, "two"):
        assert copy_view(state, commit, tmp_path / "kept") == tmp_path / "kept" / "views" / commit
    shutil.rmtree(state)
    assert load(tmp_path / "kept", COMMIT).symbols.keys() < load(tmp_path / "kept", "two").symbols.keys()


def commits(state: Path) -> list[str]:
    return sorted(p.name for p in (state / "views").iterdir() if p.name != ".latest")


def packs_of(state: Path, commit: str) -> list[dict]:
    document = json.loads((state / "views" / commit / "manifest.json").read_text())
    return document["views"]["symbol_graph"]["packs"]


def test_a_moved_and_a_copied_state_directory_work(source, state, tmp_path):
    refresh(source(FILES), state)
    expected = load(state, COMMIT)
    moved = tmp_path / "elsewhere" / "deep"
    moved.parent.mkdir()
    state.rename(moved)
    shutil.copytree(moved, tmp_path / "copy")
    for place in (moved, tmp_path / "copy"):
        assert [*load(place, COMMIT).edges()] == [*expected.edges()]
        assert refresh(source(FILES), place).reused


def test_missing(source, state):
    with pytest.raises(ViewMissingError):
        load(state, COMMIT)
    refresh(source(FILES), state)
    for name in ("b" * 40, "../" + COMMIT, "", "a/b"):
        with pytest.raises(ViewMissingError):
            load(state, name)


DAMAGES = {
    "pack flipped": lambda folder: flip(pack(folder)),
    "pack cut": lambda folder: cut(pack(folder)),
    "pack gone": lambda folder: pack(folder).unlink(),
    "catalog flipped": lambda folder: flip(folder / "catalog.bin"),
    "catalog cut": lambda folder: cut(folder / "catalog.bin"),
    "catalog gone": lambda folder: (folder / "catalog.bin").unlink(),
    "manifest flipped": lambda folder: flip(folder / "manifest.json"),
    "manifest cut": lambda folder: cut(folder / "manifest.json"),
    "manifest gone": lambda folder: (folder / "manifest.json").unlink(),
    "manifest of another commit": lambda folder: edit(folder, commit="b" * 40),
    "manifest is no object": lambda folder: (folder / "manifest.json").write_text("[]"),
}


def pack(folder: Path) -> Path:
    (path,) = (folder.parent.parent / "packs").iterdir()
    return path


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def edit(folder: Path, **changes) -> None:
    """Change the manifest and seal it again, as another version of the program would have written it."""
    path = folder / "manifest.json"
    document = {**json.loads(path.read_text()), **changes}
    del document["sha256"]
    seal = hashlib.sha256(msgspec.json.encode(document, order="sorted")).hexdigest()
    path.write_text(json.dumps({**document, "sha256": seal}))


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_an_error_of_its_own_and_refresh_mends_it(source, state, damage):
    made = refresh(source(FILES), state)
    DAMAGES[damage](made.folder)
    with pytest.raises(ViewDamagedError) as caught:
        load(state, COMMIT)
    assert caught.value.hint
    mended = refresh(source(FILES), state)
    assert (mended.reused, mended.digest, mended.facts_extracted) == (False, made.digest, 0)
    assert load(state, COMMIT).symbols
    assert commits(state) == [COMMIT]


def test_a_pack_that_matches_its_hash_and_holds_no_graph_is_damaged(source, state):
    made = refresh(source(FILES), state)
    tables = {name: np.empty(0, np.dtype(list(fields))) for name, fields in LAYOUT.tables.items()}
    tables["symbols"] = np.array([(zlib.crc32(b"pkg.a.f"), 0)], np.dtype(list(LAYOUT.tables["symbols"])))
    shard = ShardDraft(
        b"\0" * 8,
        tables,
        {"reads": np.empty(0, "u4")},
        {"names": b"[]", "symbols": b"\xc1", "texts": b"", "places": b""},
    )
    name = write_pack(state / "packs", [shard] * 3, LAYOUT)
    document = json.loads((made.folder / "manifest.json").read_text())
    document["views"]["symbol_graph"]["packs"] = [{"name": name, "bytes": 0}]
    edit(made.folder, views=document["views"])
    graph = load(state, COMMIT)
    for ask in (
        lambda: graph.symbols["pkg.a.f"],
        lambda: [*graph.edges()],
        lambda: graph.symbols_in("pkg/a.py"),
    ):
        with pytest.raises(ViewDamagedError):
            ask()
    document["views"]["symbol_graph"]["packs"] = []
    edit(made.folder, views=document["views"])
    with pytest.raises(ViewDamagedError):
        load(state, COMMIT)


def test_stale(source, state):
    made = refresh(source(FILES), state)
    document = json.loads((made.folder / "manifest.json").read_text())
    builder = document["views"]["symbol_graph"]["builder"]
    builder["linker"] = "0"
    edit(made.folder, views=document["views"])
    with pytest.raises(ViewStaleError):
        load(state, COMMIT)
    assert not refresh(source(FILES), state).reused
    edit(made.folder, schema=99)
    with pytest.raises(ViewStaleError):
        load(state, COMMIT)
    assert refresh(source(FILES), state).digest == made.digest


def test_damaged_facts_are_extracted_again(source, state):
    made = refresh(source(FILES), state)
    entries = [p for p in (state / "facts").rglob("*") if p.is_file()]
    assert len(entries) == 3
    flip(entries[0])
    cut(entries[1])
    shutil.copy(entries[0], entries[2])
    shutil.rmtree(state / "views")
    again = refresh(source(FILES), state)
    assert (again.facts_extracted, again.digest) == (3, made.digest)


def test_facts_survive_the_store_unchanged(state):
    extractor, limits = PythonExtractor(), ExtractLimits()
    store = FactsStore(state / "facts")
    for number, path in enumerate(sorted(Path(publish.__file__).parent.rglob("*.py"))):
        oid = f"{number:040x}"
        facts = extractor.extract(path.read_bytes(), limits)
        store.put(oid, facts)
        assert store.get(oid, extractor.identity) == facts
        assert store.get(oid, "python/0") is None


def test_a_time_limit_is_not_kept_as_a_fact(source, state):
    files = {"slow.py": b"x = [" + b"1, " * 200_000 + b"]\ndef f(): pass\n"}
    first = refresh(source(files), state, extract=ExtractLimits(parse_s=0.0))
    assert first.coverage.partial[0].reason.startswith("parsing took more than")
    later = refresh(source({**files, "b.py": "import slow\n"}, commit="later"), state)
    assert later.coverage.partial == ()
    assert load(state, "later").uses("slow")
    shutil.rmtree(state / "views")
    assert refresh(source(files), state).coverage.partial == ()


def test_two_builders_of_one_commit_do_not_disturb_each_other(source, state):
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: refresh(source(FILES), state).digest, range(16)))
    assert len(set(made)) == 1
    assert load(state, COMMIT).symbols
    assert commits(state) == [COMMIT]


def test_readers_see_a_whole_view_or_none_while_builders_replace_a_stale_one(source, state):
    made = refresh(source(FILES), state)
    edit(made.folder, schema=99)

    def build_or_load(number: int) -> str:
        if number % 2:
            return refresh(source(FILES), state).digest
        try:
            load(state, COMMIT)
            return open_view(state, COMMIT, "symbol_graph").digest()
        except (ViewStaleError, ViewMissingError, ViewDamagedError):
            return ""

    with ThreadPoolExecutor(8) as pool:
        seen = set(pool.map(build_or_load, range(64)))
    assert seen <= {"", made.digest}
    assert made.digest in seen
    assert load(state, COMMIT).symbols


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {conftest!r})
from conftest import MemorySource
from repo_guardian.tools.views import publish
def die(made, target):
    os.kill(os.getpid(), 9)
publish._replace = die
publish.refresh(MemorySource({files!r}), Path({state!r}))
"""


def test_a_killed_builder_leaves_no_view_and_the_next_one_works(source, state):
    code = KILLED.format(conftest=str(Path(__file__).parent), files=FILES, state=str(state))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == -9
    with pytest.raises(ViewMissingError):
        load(state, COMMIT)
    left = next((state / "views").iterdir())
    os.utime(left, (0, 0))
    made = refresh(source(FILES), state)
    assert (made.facts_reused, made.facts_extracted) == (3, 0)
    assert commits(state) == [COMMIT]


def test_a_state_directory_that_is_a_file(source, tmp_path):
    place = tmp_path / "state"
    place.write_text("")
    with pytest.raises(StateDirError) as caught:
        refresh(source(FILES), place)
    assert "GUARDIAN_HOME" in caught.value.hint
    assert place.read_text() == ""


@pytest.fixture
def tiny(tmp_path):
    """A file system of 64 KiB, unmounted afterwards."""
    place = tmp_path / "tiny"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a tmpfs needs privileges")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(source, tiny):
    import random

    words = random.Random(1)
    files = {
        f"m{n}.py": "".join(
            f"def f{words.getrandbits(64):x}(a{words.getrandbits(64):x}): pass\n" for _ in range(50)
        )
        for n in range(100)
    }
    with pytest.raises(DiskFullError) as caught:
        refresh(source(files), tiny)
    assert caught.value.hint
    assert [p.name for p in tiny.rglob(".tmp-*")] == []
    assert not (tiny / "views" / COMMIT).exists()


def test_a_read_only_file_system(source, tiny):
    subprocess.run(["mount", "-o", "remount,ro", str(tiny)], check=True)
    with pytest.raises(StateDirError) as caught:
        refresh(source(FILES), tiny)
    assert "read-only" in caught.value.message
