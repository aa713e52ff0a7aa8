"""Any tree that git can hold and a file system can name comes back exactly."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.materialize import materialize
from repo_guardian.tools.git.objects import list_tree
from repo_guardian.tools.git.paths import is_dot_git

NAMES = st.one_of(
    st.sampled_from(
        [
            b"a",
            b"a.b",
            b"a-",
            b"a0",
            b"A",
            b"\n",
            b"\xff",
            b" ",
            b"-x",
            b'"',
            b"\\",
            b"\xc3\xa9",
            b"e\xcc\x81",
        ]
    ),
    st.binary(min_size=1, max_size=12),
).filter(lambda n: not set(n) & {0, 47} and n not in (b".", b"..") and not is_dot_git(n))
CONTENT = st.binary(max_size=40)
TARGETS = st.binary(min_size=1, max_size=30).filter(lambda t: 0 not in t)
LEAVES = st.one_of(
    st.tuples(st.sampled_from([b"100644", b"100755", b"100664"]), CONTENT),
    st.tuples(st.just(b"120000"), TARGETS),
    st.tuples(st.just(b"160000"), st.binary(min_size=20, max_size=20)),
)
TREES = st.recursive(
    st.dictionaries(NAMES, LEAVES, max_size=4),
    lambda inner: st.dictionaries(NAMES, st.one_of(LEAVES, inner), max_size=4),
    max_leaves=12,
)


def _store(git: Git, tree: dict) -> bytes:
    entries = []
    for name, value in tree.items():
        if isinstance(value, dict):
            entries.append((name + b"/", b"40000 %s\0%s" % (name, _store(git, value))))
            continue
        mode, content = value
        oid = content if mode == b"160000" else _write(git, "blob", content)
        entries.append((name, b"%s %s\0%s" % (mode, name, oid)))
    return _write(git, "tree", b"".join(entry for _, entry in sorted(entries)))


def _write(git: Git, kind: str, data: bytes) -> bytes:
    return bytes.fromhex(
        git.run("hash-object", "-w", "-t", kind, "--literally", "--stdin", stdin=data).decode().strip()
    )


def _flatten(tree: dict, prefix: bytes = b"") -> dict[bytes, tuple[bytes, bytes]]:
    found = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            found |= _flatten(value, prefix + name + b"/")
        else:
            found[prefix + name] = value
    return found


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(tree=TREES)
def test_round_trip(tree):
    with tempfile.TemporaryDirectory() as directory:
        git = Git(Path(directory) / "mirror.git")
        git.run("init", "-q", "--bare", "--template=")
        oid = _store(git, tree).hex()
        root = os.fsencode(Path(directory) / "checkout")
        record = materialize(git, oid, Path(os.fsdecode(root)))
        assert record.tree == oid
        expected = _flatten(tree)
        assert {e.path for e in list_tree(git, oid)} == set(expected)
        for path, (mode, content) in expected.items():
            on_disk = os.path.join(root, path)
            if mode == b"120000":
                assert os.readlink(on_disk) == content
            elif mode == b"160000":
                assert os.listdir(on_disk) == []
            else:
                with open(on_disk, "rb") as file:
                    assert file.read() == content
                assert os.access(on_disk, os.X_OK) == (mode == b"100755")
