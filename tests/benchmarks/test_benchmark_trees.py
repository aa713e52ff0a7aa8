"""Trees from folders are what git would make of them."""

from trees import DirectorySource, GitSource, MergedSource, blob_id, first_parents
from trees import repository as bare

FILES = {"a.py": "x = 1\n", "pkg/b.py": b"\xff\xfe", "pkg/run": "#!/bin/sh\n", "empty": ""}


def test_folder_and_commit_hold_the_same(repository):
    commit = repository.commit(FILES)
    (repository.path / "link").symlink_to("a.py")
    (repository.path / "pkg" / "run").chmod(0o755)
    commit = repository.commit({})
    folder = DirectorySource(repository.path, "label")
    git = GitSource(bare(repository.path), commit)
    assert sorted(folder.files()) == sorted(git.files())
    assert git.commit == commit
    assert folder.commit == "label"
    oids = [oid for _, oid, mode in folder.files() if mode != "120000"]
    assert dict(folder.read(oids)) == dict(git.read(oids))


def test_history_is_in_order(repository):
    commits = [repository.commit({"a.py": f"x = {number}\n"}) for number in range(4)]
    assert first_parents(bare(repository.path), "HEAD", 3) == commits[1:]


def test_parts_with_edits(tmp_path):
    for name, text in (("one", "a = 1\n"), ("two", "b = 1\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(text)
    parts = [DirectorySource(tmp_path / name, "label", f"{name}/") for name in ("one", "two")]
    merged = MergedSource("label", parts, {b"two/m.py": b"b = 2\n"})
    oids = {path: oid for path, oid, _ in merged.files()}
    assert oids == {b"one/m.py": blob_id(b"a = 1\n"), b"two/m.py": blob_id(b"b = 2\n")}
    assert dict(merged.read(list(oids.values()))) == {
        blob_id(b"a = 1\n"): b"a = 1\n",
        blob_id(b"b = 2\n"): b"b = 2\n",
    }


def test_some_files_of_a_folder(tmp_path):
    for name in ("a.py", "b.txt", "c.py", "d.py"):
        (tmp_path / name).write_text(name)
    source = DirectorySource(tmp_path, "label")
    source.keep(lambda path: path.endswith(b".py"), 2)
    assert [path for path, _, _ in source.files()] == [b"a.py", b"c.py"]
