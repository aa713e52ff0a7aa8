"""``guardian advisories`` on whole repositories; no test asks an index."""

import json

import pytest

RECORD = {
    "id": "PYSEC-2024-1",
    "modified": "2024-05-01T00:00:00Z",
    "aliases": ["CVE-2024-1"],
    "summary": "It \x1b[31mbreaks.",
    "affected": [
        {
            "package": {"ecosystem": "PyPI", "name": "planted"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.10"}]}],
        }
    ],
}
TREE = {"requirements.txt": "planted==1.9\nclean==2.0\nranged>=1\n"}


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "db" / "vulns" / "planted" / "PYSEC-2024-1.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(RECORD))
    return tmp_path / "db"


def advisories(guardian, repository, database, *options):
    fixed = ("--offline", "--as-of", "2024-05-03", "--sandbox", "bubblewrap")
    return guardian("advisories", repository.path, "--database", database, *fixed, *options)


def test_what_is_told(repository, guardian, database):
    repository.commit(TREE)
    before = repository.fingerprint()
    ran = advisories(guardian, repository, database)
    assert ran.code == 0, ran.err
    assert "1 affected, 1 not affected, 1 inconclusive" in ran.out
    assert "planted 1.9  requirements.txt" in ran.out
    assert "cleared by 1.10; not checked against the index" in ran.out
    assert "It \\x1b[31mbreaks." in ran.out
    assert "no version is pinned" in ran.out
    assert "ranged >=1" in ran.out
    assert "1 advisory on 1 package" in ran.out
    assert "folder of 2024-05-01" in ran.out
    assert repository.fingerprint() == before


def test_exit_codes(repository, guardian, database):
    first = repository.commit({"requirements.txt": "clean==2.0\n"})
    second = repository.commit({"requirements.txt": "clean==2.0\nranged>1\n"})
    repository.commit(TREE)
    for revision, fail_on, code in [
        (first, "inconclusive", 0),
        (second, "advisory", 0),
        (second, "inconclusive", 1),
        ("HEAD", "advisory", 1),
    ]:
        assert advisories(guardian, repository, database, revision, "--fail-on", fail_on).code == code
    assert guardian("advisories", repository.path).code == 2
    assert advisories(guardian, repository, database / "nothing").code == 2
    assert advisories(guardian, repository, database, "no-such-revision").code == 2


def test_an_old_database_proves_nothing(repository, guardian, database):
    repository.commit(TREE)
    ran = advisories(guardian, repository, database, "--max-age", "1", "--json")
    found = {(one["subject"]["name"]): one for one in ran.report["judgements"]}
    assert found["clean"]["status"] == "inconclusive"
    assert found["clean"]["reason"] == "the database is 2 days old; older than 1 is not trusted"
    assert found["planted"]["status"] == "affected"
    assert ran.report["counts"] == {"affected": 1, "not_affected": 0, "inconclusive": 2}
    assert ran.report["schema_version"] == 1
    assert ran.report["database"]["advisories"] == 1
    assert found["planted"]["clearance"]["version"] == "1.10"
    assert found["planted"]["clearance"]["checked"] is False


def test_a_tree_without_dependencies(repository, guardian, database):
    repository.commit({"m.py": "x = 1\n"})
    ran = advisories(guardian, repository, database, "--fail-on", "inconclusive")
    assert ran.code == 0
    assert "Nothing is declared" in ran.out
