"""Trees, blobs, differences, hunks."""

from __future__ import annotations

import pytest

from repo_guardian.errors import GitError
from repo_guardian.tools.git.objects import (
    FileStat,
    changed_paths,
    diff_stat,
    list_tree,
    parse_tree,
    read_blobs,
    walk_tree,
)

ODD_NAMES = [
    b"new\nline.py",
    b"\xff\xfe.py",
    b"tab\t.py",
    b'quote".py',
    b" space .py",
    "ü.py".encode(),
    b":colon",
    b"-dash",
]


def _trees(mirror, *revisions):
    return tuple(mirror.commit_info(mirror.resolve(revision)).tree for revision in revisions)


def test_list_tree_agrees_with_ls_tree(repository, sync):
    for name in ODD_NAMES:
        repository.write(b"deep/er/" + name, name)
    (repository.path / "run.sh").write_text("x")
    (repository.path / "run.sh").chmod(0o755)
    (repository.path / "link").symlink_to("a.py")
    repository.commit()
    mirror = sync(repository)
    expected = []
    for record in repository.git("ls-tree", "-r", "-z", "--full-tree", "HEAD").split(b"\0")[:-1]:
        head, path = record.split(b"\t", 1)
        expected.append((*head.decode().split(" "), path))
    entries = list_tree(mirror.git, "HEAD")
    assert [(e.mode, e.type, e.oid, e.path) for e in entries] == expected
    assert {e.path for e in entries if not e.is_file} == {b"link"}
    assert {e.path for e in walk_tree(mirror.git, "HEAD") if e.type == "tree"} == {
        b"deep",
        b"deep/er",
        b"pkg",
    }


def test_the_empty_tree_lists_nothing(repository, sync):
    mirror = sync(repository)
    assert list_tree(mirror.git, mirror.empty_tree) == ()


def test_a_tree_that_is_missing_or_too_large(repository, sync):
    mirror = sync(repository)
    with pytest.raises(GitError, match="misses object"):
        list_tree(mirror.git, "1" * 40)
    with pytest.raises(GitError, match="more than 2 entries"):
        list_tree(mirror.git, "HEAD", max_entries=2)


def test_a_tree_bomb_is_bounded(repository, sync, put_tree):
    mirror = sync(repository)
    oid = repository.git("rev-parse", "HEAD:a.py").decode()
    tree = put_tree(mirror, *[(b"100644", b"%02d" % n, oid) for n in range(20)])
    for _ in range(8):
        tree = put_tree(mirror, *[(b"40000", b"%02d" % n, tree) for n in range(20)])
    with pytest.raises(GitError, match="more than 5000 entries"):
        list_tree(mirror.git, tree, max_entries=5000)


@pytest.mark.parametrize(
    "data",
    [
        b"100644 a",
        b"100644 a\0" + b"x" * 19,
        b"100644a\0" + b"x" * 20,
        b"189644 a\0" + b"x" * 20,
        b" a\0" + b"x" * 20,
        b"-00644 a\0" + b"x" * 20,
        b"010000 fifo\0" + b"x" * 20,
        b"777777777777 a\0" + b"x" * 20,
        b"777777 a\0" + b"x" * 20,
    ],
)
def test_malformed_trees(data):
    with pytest.raises(GitError):
        list(parse_tree(data, 20))


def test_blobs_are_read_in_order_and_large_ones_only_reported(repository, sync):
    repository.write("large", b"x" * 5000)
    repository.write("empty", b"")
    repository.write("binary", bytes(range(256)) + b"\n100 blob 5\n")
    repository.commit()
    mirror = sync(repository)
    names = ["binary", "large", "empty", "a.py", "binary"]
    oids = [repository.git("rev-parse", f"HEAD:{name}").decode() for name in names]
    blobs = list(read_blobs(mirror.git, oids, max_blob_bytes=1000))
    assert [b.oid for b in blobs] == oids
    assert [b.size for b in blobs] == [268, 5000, 0, 8, 268]
    assert [b.data for b in blobs] == [
        bytes(range(256)) + b"\n100 blob 5\n",
        None,
        b"",
        b"one\ntwo\n",
        blobs[0].data,
    ]


def test_blobs_that_are_none(repository, sync):
    mirror = sync(repository)
    for oid in ("2" * 40, "HEAD", "--batch-all-objects", ""):
        with pytest.raises(GitError):
            list(read_blobs(mirror.git, [oid]))
    with pytest.raises(GitError, match="is a commit, not a blob"):
        list(read_blobs(mirror.git, [repository.head()]))


def test_leaving_early_ends_git(repository, sync):
    mirror = sync(repository)
    oid = repository.git("rev-parse", "HEAD:a.py").decode()
    blobs = read_blobs(mirror.git, [oid] * 10_000)
    assert next(blobs).oid == oid
    blobs.close()
    assert next(read_blobs(mirror.git, [oid])).data == b"one\ntwo\n"


def test_changed_paths(repository, sync):
    repository.write("kept.py", "k" * 300)
    repository.write("removed.py", "unlike\n" * 9)
    repository.write("becomes_link", "x")
    repository.write("old_name.py", "\n".join(f"line {n}" for n in range(30)))
    repository.commit()
    (repository.path / "removed.py").unlink()
    (repository.path / "becomes_link").unlink()
    (repository.path / "becomes_link").symlink_to("kept.py")
    (repository.path / "old_name.py").rename(repository.path / "new_name.py")
    (repository.path / "a.py").chmod(0o755)
    for name in ODD_NAMES:
        repository.write(name, name)
    repository.commit()
    mirror = sync(repository)
    base, tree = _trees(mirror, "HEAD~1", "HEAD")
    changes = {c.path: c for c in changed_paths(mirror.git, base, tree)}
    assert {p: c.status for p, c in changes.items()} == {
        **dict.fromkeys(ODD_NAMES, "A"),
        b"removed.py": "D",
        b"old_name.py": "D",
        b"new_name.py": "A",
        b"becomes_link": "T",
        b"a.py": "M",
    }
    assert (changes[b"a.py"].old_mode, changes[b"a.py"].new_mode) == ("100644", "100755")
    assert changes[b"removed.py"].new_oid == "0" * 40
    assert changes[b"removed.py"].new_mode == "000000"
    renamed = {c.path: c for c in changed_paths(mirror.git, base, tree, renames=True)}[b"new_name.py"]
    assert (renamed.status, renamed.old_path, renamed.similarity) == ("R", b"old_name.py", 100)
    assert changed_paths(mirror.git, tree, tree) == ()


def test_differences_with_the_empty_tree(repository, sync):
    mirror = sync(repository)
    (tree,) = _trees(mirror, "HEAD")
    assert [c.status for c in changed_paths(mirror.git, mirror.empty_tree, tree)] == ["A", "A"]
    assert diff_stat(mirror.git, mirror.empty_tree, tree).files == (
        FileStat(b"a.py", 2, 0),
        FileStat(b"pkg/b.py", 1, 0),
    )


def test_diff_stat_counts_lines_and_hunks(repository, sync):
    repository.write("many.py", "".join(f"{n}\n" for n in range(40)))
    repository.write("image", b"\0\1\2")
    repository.write("mode.py", "m")
    repository.commit()
    lines = [f"{n}\n" for n in range(40)]
    lines[3] = "@@ changed @@\n"
    lines[5] = "-- also\n"
    del lines[30:32]
    repository.write("many.py", "".join(lines))
    repository.write("image", b"\0\1\3")
    repository.write(b"new\nline.py", b"@@ -1 +1 @@\n" * 3)
    (repository.path / "mode.py").chmod(0o755)
    repository.commit()
    mirror = sync(repository)
    stat = diff_stat(mirror.git, *_trees(mirror, "HEAD~1", "HEAD"))
    assert stat.files == (
        FileStat(b"image", None, None),
        FileStat(b"many.py", 2, 4),
        FileStat(b"mode.py", 0, 0),
        FileStat(b"new\nline.py", 3, 0),
    )
    assert stat.hunks == 4
    assert (stat.added, stat.deleted) == (5, 4)


def test_a_line_longer_than_any_buffer_is_one_hunk(repository, sync):
    repository.write("long", b"x" * 300_000 + b"@@ " * 50_000)
    repository.commit()
    mirror = sync(repository)
    assert diff_stat(mirror.git, *_trees(mirror, "HEAD~1", "HEAD")).hunks == 1


def test_attributes_of_the_tree_hide_nothing(repository, sync):
    repository.write(".gitattributes", "*.py -diff -text binary\n")
    repository.commit()
    repository.write("a.py", "one\ntwo\nthree\n")
    repository.commit()
    mirror = sync(repository)
    stat = diff_stat(mirror.git, *_trees(mirror, "HEAD~1", "HEAD"))
    assert stat.files == (FileStat(b"a.py", 1, 0),)
    assert stat.hunks == 1


@pytest.mark.parametrize("name", ["HEAD", "--output=x", "", "a" * 39])
def test_differences_take_object_names_only(repository, sync, name):
    mirror = sync(repository)
    with pytest.raises(GitError):
        changed_paths(mirror.git, name, mirror.empty_tree)
    with pytest.raises(GitError):
        diff_stat(mirror.git, mirror.empty_tree, name)


def test_a_difference_with_a_missing_tree(repository, sync):
    mirror = sync(repository)
    with pytest.raises(GitError):
        changed_paths(mirror.git, "3" * 40, mirror.empty_tree)
    with pytest.raises(GitError):
        diff_stat(mirror.git, "3" * 40, mirror.empty_tree)
