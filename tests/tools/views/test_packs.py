"""Packs: what goes in comes out, whatever it is merged with, and damage is noticed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.errors import StateDirError, ViewDamagedError
from repo_guardian.tools.views.packs.interface import PackLayout, ShardDraft
from repo_guardian.tools.views.packs.merge import FAN, SMALL_BYTES, merge_packs, plan_merge
from repo_guardian.tools.views.packs.reader import open_pack, pack_path
from repo_guardian.tools.views.packs.shards import canonical, shard_digest
from repo_guardian.tools.views.packs.writer import write_pack

LAYOUT = PackLayout(
    {"terms": (("key", "<u8"), ("count", "<u2")), "names": (("key", "<u4"),)},
    {"vectors": ("<f2", 3), "lengths": ("<u4", 0)},
    ("text",),
)
TERMS, NAMES = (np.dtype(list(fields)) for fields in LAYOUT.tables.values())


def draft(seed: int, rows: int = 4) -> ShardDraft:
    random = np.random.default_rng(seed)
    terms = np.empty(rows, TERMS)
    terms["key"], terms["count"] = random.integers(0, 6, rows), random.integers(0, 99, rows)
    names = np.zeros(rows // 2, NAMES)
    names["key"] = random.integers(0, 2**32, rows // 2)
    blocks = {"vectors": random.random((rows, 3)).astype("f2"), "lengths": np.arange(rows, dtype="u4")}
    return ShardDraft(random.bytes(rows * 3), {"terms": terms, "names": names}, blocks, {"text": b"x" * seed})


def contents(pack, shard):
    bounds = {name: pack.bounds(name) for name in LAYOUT.blocks}
    tables = {
        name: pack.table(name)[pack.table(name)["shard"] == shard][[f for f, _ in fields]].tolist()
        for name, fields in LAYOUT.tables.items()
    }
    blocks = {n: pack.block(n)[int(b[shard]) : int(b[shard + 1])].tolist() for n, b in bounds.items()}
    return bytes(pack.data(shard)), pack.part("text", shard), tables, blocks, pack.digest(shard)


def expected(shard):
    ready = canonical(shard, LAYOUT)
    tables = {name: rows.tolist() for name, rows in ready.tables.items()}
    return ready.data, ready.parts["text"], tables, {n: b.tolist() for n, b in ready.blocks.items()}, \
        shard_digest(ready)  # fmt: skip


@pytest.mark.parametrize("sizes", [(), (0,), (4, 0, 9), (1,) * 30])
def test_what_goes_in_comes_out(tmp_path, sizes):
    shards = [draft(seed, rows) for seed, rows in enumerate(sizes)]
    pack = open_pack(pack_path(tmp_path, write_pack(tmp_path, shards, LAYOUT)))
    assert pack.count == len(shards)
    assert [contents(pack, n) for n in range(pack.count)] == [expected(s) for s in shards]
    for key in range(7):
        found = [(int(r["key"]), int(r["count"]), int(r["shard"])) for r in pack.find("terms", key)]
        wanted = [(key, c, n) for n, s in enumerate(shards) for k, c in expected(s)[2]["terms"] if k == key]
        assert found == wanted
    assert pack.problems() == []


def test_the_name_is_the_content(tmp_path):
    shards = [draft(1), draft(2)]
    assert write_pack(tmp_path, shards, LAYOUT) == write_pack(tmp_path / "other", shards, LAYOUT)
    assert write_pack(tmp_path, shards[::-1], LAYOUT) != write_pack(tmp_path, shards, LAYOUT)
    assert len(list(tmp_path.glob("*.safetensors"))) == 2
    assert not list(tmp_path.glob(".tmp-*"))


def test_a_digest_does_not_depend_on_the_order_of_rows():
    one = draft(3, 8)
    shuffled = one._replace(tables={name: rows[::-1] for name, rows in one.tables.items()})
    assert shard_digest(canonical(one, LAYOUT)) == shard_digest(canonical(shuffled, LAYOUT))
    for other in (one._replace(data=b""), one._replace(parts={}), draft(4, 8)):
        assert shard_digest(canonical(one, LAYOUT)) != shard_digest(canonical(other, LAYOUT))


@pytest.mark.parametrize(
    "wrong",
    [
        draft(1)._replace(tables={}),
        draft(1)._replace(parts={"unknown": b""}),
        draft(1)._replace(blocks={"vectors": np.zeros((2, 4)), "lengths": np.zeros(1)}),
    ],
)
def test_a_shard_of_another_layout_is_refused(tmp_path, wrong):
    with pytest.raises((KeyError, ValueError)):
        write_pack(tmp_path, [wrong], LAYOUT)
    assert not list(tmp_path.iterdir())


def test_arrays_are_views_of_the_file_and_read_only(tmp_path):
    pack = open_pack(pack_path(tmp_path, write_pack(tmp_path, [draft(1)], LAYOUT)))
    for array in (pack.table("terms"), pack.block("vectors"), pack.bounds("vectors")):
        assert not array.flags.owndata
        assert not array.flags.writeable
    assert pack.data(0).readonly


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.tuples(st.integers(0, 99), st.booleans()), max_size=6), min_size=1, max_size=4))
def test_merging_keeps_live_shards_as_they_are(tmp_path_factory, plan):
    folder = tmp_path_factory.mktemp("packs")
    sources, kept = [], []
    for content in plan:
        shards = [draft(seed, seed % 7) for seed, _ in content]
        live = np.array([alive for _, alive in content], bool)
        sources.append((open_pack(pack_path(folder, write_pack(folder, shards, LAYOUT))), live))
        kept += [shard for shard, alive in zip(shards, live, strict=True) if alive]
    name, size, numbers = merge_packs(folder, sources, LAYOUT)
    merged = open_pack(pack_path(folder, name))
    assert size == pack_path(folder, name).stat().st_size
    assert [contents(merged, n) for n in range(merged.count)] == [expected(s) for s in kept]
    assert merged.problems() == []
    assert [n for new in numbers for n in new.tolist() if n >= 0] == list(range(len(kept)))
    assert [(new >= 0).tolist() for new in numbers] == [live.tolist() for _, live in sources]


DAMAGES = {
    "flipped": lambda path: path.write_bytes(path.read_bytes()[:-3] + b"\x01\x02\x03"),
    "header flipped": lambda path: path.write_bytes(b"\xff" * 16 + path.read_bytes()[16:]),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "empty": lambda path: path.write_bytes(b""),
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_noticed_and_mended_by_writing_again(tmp_path, damage):
    path = pack_path(tmp_path, write_pack(tmp_path, [draft(1), draft(2)], LAYOUT))
    DAMAGES[damage](path)
    with pytest.raises(ViewDamagedError) as caught:
        open_pack(path)
    assert caught.value.hint
    if path.is_dir():
        path.rmdir()
    write_pack(tmp_path, [draft(1), draft(2)], LAYOUT)
    assert open_pack(path).problems() == []


@pytest.mark.parametrize(
    "content", [b"\x02" + b"\0" * 7 + b"{}", b"\x02" + b"\0" * 7 + b"[]", b"\xff" * 8, b"123"]
)
def test_a_file_that_matches_its_name_and_is_no_pack(tmp_path, content):
    import hashlib

    path = pack_path(tmp_path, hashlib.sha256(content).hexdigest())
    path.write_bytes(content)
    with pytest.raises(ViewDamagedError):
        open_pack(path)


def test_a_full_check_finds_what_the_name_does_not_say(tmp_path):
    path = pack_path(tmp_path, write_pack(tmp_path, [draft(1), draft(2)], LAYOUT))
    content = bytearray(path.read_bytes())
    place = content.find(bytes(open_pack(path).data(1)))
    content[place] ^= 1
    path.write_bytes(content)
    assert open_pack(path, verify=False).problems() == ["shard 1 does not match its digest"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "packs").write_text("")
    with pytest.raises(StateDirError):
        write_pack(tmp_path / "packs", [draft(1)], LAYOUT)


@pytest.mark.parametrize(
    ("sizes", "merged"),
    [
        ([], ()),
        ([10**7], ()),
        ([10**7, *[1000] * (FAN - 1)], ()),
        ([10**7, *[1000] * FAN], tuple(range(1, FAN + 1))),
        ([*[SMALL_BYTES * 4] * (FAN - 1), *[SMALL_BYTES] * FAN], tuple(range(2 * FAN - 1))),
    ],
)
def test_a_class_that_is_full_is_merged_with_what_it_fills(sizes, merged):
    assert plan_merge(sizes) == merged


def test_a_long_history_has_few_packs_and_writes_little():
    packs, written, commits = [12 * 1024**2], 0, 2000
    for _ in range(commits):
        packs.append(40 * 1024)
        written += 40 * 1024
        merged = plan_merge(packs)
        if merged:
            size = sum(packs[index] for index in merged)
            packs = [size for index, size in enumerate(packs) if index not in merged] + [size]
            written += size
        assert len(packs) <= FAN * 4
    assert written / commits < 5 * 40 * 1024
