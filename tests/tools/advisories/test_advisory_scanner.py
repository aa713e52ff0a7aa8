"""The real scanner in the real sandbox, over databases that are written here."""

import json
from datetime import UTC, datetime

import pytest

from repo_guardian.sandbox.interface import CommandResult, Limits, ProcessStatus
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.advisories.database import open_database
from repo_guardian.tools.advisories.scanner import facts_of, prepare_scanner, read_answer, run_scanner

from .conftest import RECORD, record


@pytest.fixture
async def scan(home):
    """Run the scanner in bubblewrap over a database folder."""
    backend = await select("bubblewrap")
    scanner = await prepare_scanner(backend, home / "harness")

    async def call(path, *pins, **options):
        with open_database(path, home) as opened:
            done = await run_scanner(backend, scanner, opened, pins, **options)
            return done, facts_of(opened, done.answer)

    return call


async def test_a_planted_advisory_is_found_and_its_neighbours_are_not(scan, planted):
    root = planted({
        "vulns/planted-package/PYSEC-2024-1.yaml": RECORD,
        "vulns/planted-package/GHSA.yaml": record(
            "GHSA-aaaa-bbbb-cccc", events=[("introduced", "0"), ("fixed", "1.11")], aliases=["CVE-2024-1"]
        ),
        "vulns/planted-package/later.yaml": record("LATER", events=[("introduced", "2")]),
        "vulns/planted-package/gone.yaml": record("GONE", events=[("introduced", "0")], withdrawn="2024"),
        "vulns/unclear/x.yaml": record("ODD", name="unclear", events=[("introduced", "r7")]),
        "vulns/broken/x.yaml": b"id: [",
        # What a hostile database might put where Python looks for modules.
        "json.py": b"raise SystemExit(7)",
        "vulns/yaml.py": b"raise SystemExit(7)",
    })  # fmt: skip
    done, facts = await scan(
        root,
        ("planted-package", "1.9"),
        ("planted-package", "1.10+local"),
        ("planted-package", "1.11"),
        ("planted-package", "odd"),
        ("unclear", "1"),
        ("broken", "1"),
        ("elsewhere", "1"),
    )
    assert done.failure == ""
    hit, local, clean, odd, unclear, broken, elsewhere = done.answer.packages
    (advisory,) = hit.advisories
    assert advisory.id == "PYSEC-2024-1", "one vulnerability under two ids is told once"
    assert advisory.aliases == ["CVE-2024-1", "GHSA-aaaa-bbbb-cccc"]
    assert advisory.summary == "A long text. In lines."
    assert [one.affected().fixed() for one in advisory.affected] == [["1.11"], ["1.10"]]
    assert [one.affected().affects("2.1") for one in hit.others] == [True]
    (other,) = local.advisories
    assert (other.id, other.aliases) == ("CVE-2024-1", ["GHSA-aaaa-bbbb-cccc"]), (
        "pip-audit prefers a CVE's id"
    )
    assert (clean.advisories, clean.skipped) == ([], "")
    assert "no version by PEP 440" in odd.skipped
    assert "ODD its range cannot be compared" in unclear.skipped
    assert "broken/x.yaml cannot be parsed" in broken.skipped
    assert (elsewhere.advisories, elsewhere.skipped) == ([], "")
    assert done.answer.scanner == "pip-audit 2.10.1"
    assert (facts.advisories, facts.packages, facts.withdrawn, facts.unreadable_count) == (4, 2, 1, 1)
    assert facts.date == datetime(2024, 5, 1, tzinfo=UTC)


async def test_an_archive_and_hostile_texts(scan, zipped):
    path = zipped({
        "1.json": record("\x1b[31m", name="a", events=[("introduced", "0")], summary="x " * 9999),
        "2.json": record("2", name="b", events=[("introduced", "0")], aliases=["CVE", 7, None], summary=7),
        "4.json": json.dumps(record("ID", name="d", versions=["1"])).replace("ID", "\\ud800").encode(),
        "../3.json": record("3", name="c", versions=["1"]),
    })  # fmt: skip
    done, facts = await scan(path, ("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"))
    assert done.failure == ""
    assert [one.advisories[0].id for one in done.answer.packages] == ["\x1b[31m", "CVE", "3", "?"]
    assert len(done.answer.packages[0].advisories[0].summary) < 250
    assert facts.kind == "archive"


async def test_a_scanner_that_does_not_finish_has_failed(scan, planted):
    root = planted({"vulns/p/1.yaml": RECORD})
    done, facts = await scan(root, ("p", "1"), limits=Limits(wall_s=0.05))
    assert done.answer is None
    assert "timed out" in done.failure
    assert (facts.advisories, facts.kind) == (0, "folder")


async def test_a_date_in_the_future_is_none(scan, planted):
    _, facts = await scan(planted({"p/1.yaml": {**RECORD, "modified": "9999-01-01T00:00:00Z"}}), ("p", "1"))
    assert facts.date is None


GOOD = {
    "scanner": "s",
    "database": {
        "advisories": 1, "packages": 1, "withdrawn": 0, "elsewhere": 0, "modified": "", "unreadable": [],
        "unreadable_count": 0,
    },
    "packages": [{"name": "a", "version": "1", "skipped": "", "advisories": [], "others": [], "doubts": []}],
}  # fmt: skip


def result(stdout, *, code=0, status=ProcessStatus.EXITED, truncated=False, stderr=b""):
    exit_code = code if status is ProcessStatus.EXITED else None
    return CommandResult(status, exit_code, None, stdout, stderr, truncated, False, 0.1, (), "/", "c", "b")


def test_a_good_answer_is_taken():
    assert read_answer(result(json.dumps(GOOD).encode()), [("a", "1")]).answer is not None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (result(b"", code=1, stderr=b"Traceback\nValueError: x\n\n"), "exit code 1: 'ValueError: x'"),
        (result(b"", code=2), "no reason given"),
        (result(b"", status=ProcessStatus.OUT_OF_MEMORY), "out of memory"),
        (result(json.dumps(GOOD).encode(), truncated=True), "is longer than"),
        (result(b"\xff"), "cannot be read"),
        (result(b"[" * 100_000), "cannot be read"),
        (result(b"{}"), "cannot be read"),
        (result(json.dumps({**GOOD, "packages": []}).encode()), "about other packages"),
    ],
)
def test_anything_but_a_whole_and_fitting_answer_is_a_failure(given, why):
    scan = read_answer(given, [("a", "1")])
    assert scan.answer is None
    assert why in scan.failure
