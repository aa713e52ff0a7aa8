"""Reading databases: every record counted, every file that cannot be read told, and whom it may concern."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.errors import UsageError
from repo_guardian.tools.advisories.database import open_database
from repo_guardian.tools.advisories.inside import database as inside
from repo_guardian.tools.advisories.inside.database import Database, Unreadable, parse_record, read_database

from .conftest import RECORD, record

PIECES = st.sampled_from([
    *(b"id: X\n", b"affected:\n", b"- package: {ecosystem: PyPI, name: a}\n", b"  versions: ['1']\n"),
    *(b"  ranges: [{type: ECOSYSTEM, events: [{introduced: '0'}]}]\n", b"withdrawn: 2024\n", b"&a ", b"*a"),
    *(b"!!python/object/apply:os.system [false]\n", b"? [a]\n", b"---\n", b"\x00"),
    *(b"\xff", b"{", b"}", b"[]"),
    *(b'{"id": "X", "affected": [', b"]}", b"{}", b"null", b"NaN", b"1e999", b'"\\ud800"', b",", b"<<: "),
])  # fmt: skip

YAML = b"""\
id: PYSEC-2024-2
modified: 2024-06-01T10:00:00.5Z
affected:
- package: {ecosystem: PyPI, name: planted-package}
  ranges: [{type: ECOSYSTEM, events: [{introduced: 1.10}, {fixed: 1.20}]}]
  versions: [1.10, 1e3]
"""


def test_numbers_of_yaml_stay_as_they_are_written(planted):
    found = read_database(planted({"vulns/planted-package/a.yaml": YAML}))
    (entry,) = found.records["planted-package"][0]["affected"]
    assert entry["versions"] == ["1.10", "1e3"]
    assert entry["ranges"][0]["events"] == [{"introduced": "1.10"}, {"fixed": "1.20"}]
    assert found.modified == "2024-06-01T10:00:00"


def test_what_counts_and_what_does_not(planted):
    found = read_database(
        planted({
            "vulns/p/1.yaml": RECORD,
            "vulns/p/2.yaml": record("2", withdrawn="2024-05-02T00:00:00Z"),
            "vulns/p/3.yaml": record("3", withdrawn=None),
            "vulns/p/4.json": {**RECORD, "affected": [{"package": {"ecosystem": "npm", "name": "p"}}]},
            "vulns/p/notes.md": b"\xff",
            "vulns/p/other.yaml": {"jobs": {}},
            "vulns/.hidden/x.yaml": b"\xff",
            ".github/workflows/x.yaml": {"on": "push"},
            "triage/x.yaml": b"\xff",
        })
    )  # fmt: skip
    assert (found.advisories, found.withdrawn, found.elsewhere) == (2, 1, 1)
    assert found.unreadable == []
    assert [one["id"] for one in found.records["planted-package"]] == ["PYSEC-2024-1", "3"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe",
        b"{",
        b"- 1\n",
        b"",
        b"a: &a [*a]\n*b",
        b"[" * 100_000,
        {"id": "x"},
        {**RECORD, "id": 7},
        {**RECORD, "affected": "all"},
        {**RECORD, "schema_version": "2.0.0"},
        {**RECORD, "schema_version": ["1"]},
    ],
)
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_file_that_cannot_be_read_is_told(planted, content, suffix):
    found = read_database(planted({f"vulns/planted-package/1.{suffix}": content, "vulns/b/2.json": record()}))
    if suffix == "yaml" and isinstance(content, dict) and 7 in content.values():
        assert found.advisories == 2  # YAML is read as text, in which an id may be 7
        return
    assert [one.path for one in found.unreadable] == [f"planted-package/1.{suffix}"]
    assert found.advisories == 1
    assert found.unreadable[0].may_concern("planted-package")
    assert not found.unreadable[0].may_concern("elsewhere")


def test_whom_an_unreadable_file_concerns(planted):
    (one,) = read_database(planted({"a/1.yaml": b"name: [Some_Package, py"})).unreadable
    assert one.may_concern("some-package")
    assert one.may_concern("py")
    assert one.may_concern("a")
    assert not one.may_concern("some")
    assert not one.may_concern("package")


def test_a_file_that_is_too_large_may_concern_everyone(planted, monkeypatch):
    monkeypatch.setattr(inside, "MOST_BYTES", 10)
    (one,) = read_database(planted({"a/1.yaml": RECORD})).unreadable
    assert "bytes" in one.reason
    assert one.may_concern("whoever")


def test_an_archive_is_read_like_a_folder(zipped, tmp_path):
    path = zipped({"1.json": RECORD, "2.json": b"{", "MAL-1.json": record("MAL-1", name="b"), "x.txt": b""})
    with open_database(path, tmp_path / "home") as opened:
        found = read_database(opened.folder)
        assert opened.kind == "archive"
    assert not opened.folder.exists()
    assert (found.advisories, len(found.unreadable)) == (2, 1)
    assert set(found.records) == {"planted-package", "b"}


def test_a_clone_is_read_at_its_commit(repository, tmp_path):
    commit = repository.commit({"vulns/p/1.yaml": json.dumps(RECORD), "triage/x.yaml": "["})
    (repository.path / "vulns/p/2.yaml").write_text("[")
    before = repository.fingerprint()
    with open_database(repository.path, tmp_path / "home") as opened:
        found = read_database(opened.folder)
        assert (opened.kind, opened.commit) == ("clone", commit)
        assert opened.date.isoformat() == "2024-05-01T12:00:00+00:00"
    assert (found.advisories, found.unreadable) == (1, [])
    assert repository.fingerprint() == before
    assert not opened.folder.exists()


def test_a_clone_without_a_folder_of_that_name_is_read_whole(repository, tmp_path):
    repository.commit({"osv/p/1.json": json.dumps(RECORD)})
    with open_database(repository.path, tmp_path / "home") as opened:
        assert read_database(opened.folder).advisories == 1


def test_a_folder_is_copied_without_its_links(planted, tmp_path):
    root = planted({"vulns/p/1.yaml": RECORD, ".git-like/x.yaml": b"["})
    (root / "vulns/p/2.yaml").symlink_to("/etc/passwd")
    (root / "vulns/loop").symlink_to(root)
    root.chmod(0o700)
    with open_database(root, tmp_path / "home") as opened:
        assert opened.folder.stat().st_mode & 0o777 == 0o755
        names = sorted(path.name for path in opened.folder.rglob("*") if path.is_file())
    assert names == ["1.yaml"]


@pytest.mark.parametrize("kind", ["nothing", "empty", "text"])
def test_what_is_no_database_is_a_usage_error(tmp_path, kind):
    path = tmp_path / "x"
    if kind == "empty":
        path.mkdir()
    elif kind == "text":
        path.write_text("x")
    with pytest.raises(UsageError) as raised, open_database(path, tmp_path / "home"):
        pass
    assert raised.value.hint


@given(
    st.lists(PIECES | st.binary(max_size=8), max_size=10).map(b"".join), st.sampled_from([".json", ".yaml"])
)
def test_whatever_a_file_holds_it_is_a_record_another_file_or_a_reason(content, suffix):
    database = Database()
    try:
        found = parse_record(f"a/x{suffix}", content)
    except ValueError as error:
        assert str(error)
        assert Unreadable("x", str(error), "a", content).may_concern("a")
        return
    if found is not None:
        assert isinstance(found["id"], str)
        database.add(found)
        assert database.advisories + database.withdrawn + database.elsewhere == 1
