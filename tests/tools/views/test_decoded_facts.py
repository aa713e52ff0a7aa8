"""Decoded facts are kept for the process, as long as the store has what they were decoded from."""

from __future__ import annotations

import pytest

from repo_guardian.tools.views.decoded import DecodedFacts
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.facts.store import FactsStore

SOURCES = [f"def function{number}(): return {number}\n".encode() for number in range(4)]


def oid(number):
    return f"{number:040x}"


@pytest.fixture
def facts():
    return [PythonExtractor().extract(source, ExtractLimits()) for source in SOURCES]


def test_what_was_read_is_the_same_object(tmp_path, facts):
    store, decoded = FactsStore(tmp_path), DecodedFacts()
    store.put(oid(0), facts[0])
    first = decoded.get(store, oid(0), facts[0].extractor)
    assert first == facts[0]
    assert decoded.get(store, oid(0), facts[0].extractor) is first


def test_what_was_put_is_kept(tmp_path, facts):
    store, decoded = FactsStore(tmp_path), DecodedFacts()
    decoded.put(store, oid(0), facts[0])
    assert decoded.get(store, oid(0), facts[0].extractor) is facts[0]
    assert FactsStore(tmp_path).get(oid(0), facts[0].extractor) == facts[0]


def test_what_the_store_lost_is_absent(tmp_path, facts):
    store, decoded = FactsStore(tmp_path), DecodedFacts()
    decoded.put(store, oid(0), facts[0])
    for entry in tmp_path.rglob("*"):
        if entry.is_file():
            entry.unlink()
    assert decoded.get(store, oid(0), facts[0].extractor) is None


def test_what_was_damaged_is_absent(tmp_path, facts):
    store, decoded = FactsStore(tmp_path), DecodedFacts()
    decoded.put(store, oid(0), facts[0])
    entry = next(path for path in tmp_path.rglob("*") if path.is_file())
    entry.write_bytes(entry.read_bytes()[:-1])
    assert decoded.get(store, oid(0), facts[0].extractor) is None


def test_the_least_recently_used_go_first(tmp_path, facts):
    store, decoded = FactsStore(tmp_path), DecodedFacts(kept_bytes=len(SOURCES[0]) * 2)
    for number in range(2):
        decoded.put(store, oid(number), facts[number])
    assert decoded.get(store, oid(0), facts[0].extractor) is facts[0]
    decoded.put(store, oid(2), facts[2])
    assert decoded.get(store, oid(0), facts[0].extractor) is facts[0]
    again = decoded.get(store, oid(1), facts[1].extractor)
    assert again == facts[1]
    assert again is not facts[1]


def test_another_store_has_its_own(tmp_path, facts):
    one, two, decoded = FactsStore(tmp_path / "one"), FactsStore(tmp_path / "two"), DecodedFacts()
    decoded.put(one, oid(0), facts[0])
    assert decoded.get(two, oid(0), facts[0].extractor) is None
