"""What may be stored: strict types, finite numbers, storable text, bounded sizes."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from repo_guardian.memory_store.fields import (
    MAX_EXCERPT_CHARS,
    MAX_IDENTIFIER_CHARS,
    MAX_INT,
    excerpt,
    identifier,
)
from repo_guardian.memory_store.records import (
    CycleIntent,
    CycleWrite,
    DecisionRecord,
    EdgeEvent,
    GraphSnapshotRecord,
    HypothesisEvent,
    SymbolEvent,
)
from repo_guardian.vocabulary import Arm, Grade

from .conftest import cycle_record, full_write, hypothesis, probe, signal


@pytest.mark.parametrize(
    "changes",
    [
        {"number": "1"},
        {"number": True},
        {"number": 0},
        {"number": MAX_INT + 1},
        {"tokens_used": -1},
        {"tokens_used": 2**63},
        {"tokens_used": 1.0},
        {"wall_s": float("nan")},
        {"wall_s": float("inf")},
        {"wall_s": "1"},
        {"wall_s": -1.0},
        {"degraded": 1},
        {"degraded": "no"},
        {"arm": "all"},
        {"commit": "HEAD"},
        {"commit": "a" * 40 + "\n"},
        {"commit": "A" * 40},
        {"base": ""},
        {"started_at": "2026-01-01T00:00:00"},
        {"started_at": "yesterday"},
        {"policy": ""},
        {"policy": b"rules"},
        {"detail": {"x": float("nan")}},
        {"detail": {"x": 2**63}},
        {"detail": {"x": b"bytes"}},
        {"detail": {1: "x"}},
        {"detail": ["x"]},
        {"surplus": 1},
    ],
    ids=repr,
)
def test_a_wrong_value_is_refused_and_never_coerced(changes):
    with pytest.raises(ValidationError):
        cycle_record(1, **changes)


def test_the_extremes_that_fit_are_kept(store):
    number = store.begin(CycleIntent(commit=f"{1:040x}", base=None))
    write = CycleWrite(
        cycle=cycle_record(number, tokens_used=MAX_INT, wall_s=1.7e308, detail={"n": -MAX_INT, "e": 5e-324})
    )
    store.commit(write)
    assert store.cycle(number) == write


def test_detail_that_refers_to_itself_is_refused():
    loop: dict[str, object] = {}
    loop["self"] = loop
    with pytest.raises(ValidationError, match="nested deeper"):
        signal(detail=loop)


def test_enumerations_are_given_by_member_or_by_value():
    assert cycle_record(1, arm=Arm.SHUFFLED) == cycle_record(1, arm="shuffled")
    assert signal(kind=Grade.FINDING).kind == "finding"
    assert type(signal(kind=Grade.FINDING).kind) is str


def test_records_are_frozen():
    with pytest.raises(ValidationError):
        signal().key = "other"


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ("a\x00b", "a\\x00b"),
        (b"caf\xe9.py".decode("utf-8", "surrogateescape"), "caf\\xe9.py"),
        ("\ud83d alone", "\\ud83d alone"),
        ("\U0001f600 \u2028 ok", "\U0001f600 \u2028 ok"),
    ],
)
def test_unstorable_text_is_escaped_and_found_again(store, raw, stored):
    number = store.begin(CycleIntent(commit=f"{1:040x}", base=None))
    event = SymbolEvent(event="born", symbol=raw, kind="function", path=raw)
    store.commit(
        CycleWrite(
            cycle=cycle_record(number),
            signals=(signal(raw, line=raw, paths=(raw,), symbols=(), detail={raw: [raw]}),),
            symbols=(event,),
        )
    )
    assert event.symbol == stored
    (by_symbol,) = store.symbol_history(raw).items
    assert by_symbol.record == event
    assert store.recall_locus(paths=[raw]).total == 2
    assert store.signals_seen([raw])[raw].cycles == 1
    document = json.loads(next((store.directory / "cycles").iterdir()).read_bytes())
    assert document["signals"][0]["detail"] == {stored: [stored]}


def test_long_identifiers_are_cut_and_stay_apart():
    one, other = identifier("x" * 5000 + "1"), identifier("x" * 5000 + "2")
    assert len(one) == len(other) == MAX_IDENTIFIER_CHARS
    assert one != other
    assert identifier(one) == one


def test_long_excerpts_say_how_much_was_cut():
    cut = excerpt("x" * 1_000_000)
    assert len(cut) <= MAX_EXCERPT_CHARS
    assert excerpt(cut) == cut
    kept = cut.index("\n")
    assert cut.endswith(f"[… {1_000_000 - kept} characters cut]")


def test_documents_are_refused_rather_than_cut():
    with pytest.raises(ValidationError):
        probe(test_source="x" * 1_048_577)
    with pytest.raises(ValidationError, match="longer than"):
        signal(detail={"x": "y" * 1_048_577})


@pytest.mark.parametrize("path", ["/graph/a.json", "../a.json", "graph/../../a", "", "."])
def test_a_snapshot_lies_below_the_memory(path):
    with pytest.raises(ValidationError):
        GraphSnapshotRecord(commit="a" * 40, digest="d", path=path)


def test_events_are_consistent_in_themselves():
    for wrong in (
        lambda: SymbolEvent(event="moved", symbol="a", kind="function", path="a.py"),
        lambda: SymbolEvent(event="born", symbol="a", kind="function", path="a.py", moved_from="b"),
        lambda: EdgeEvent(event="moved", source="a", target="b", kind="call"),
        lambda: HypothesisEvent(hypothesis="k"),
        lambda: HypothesisEvent(hypothesis="k", kind="recurred", grade="finding"),
        lambda: HypothesisEvent(hypothesis="k", grade="finding", confidence=1.1),
    ):
        with pytest.raises(ValidationError):
            wrong()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"signals": (signal(), signal())}, "signal key 's-load' occurs twice"),
        ({"hypotheses": (hypothesis(), hypothesis(id="h2"))}, "hypothesis key 'k-load' occurs twice"),
        ({"hypotheses": (hypothesis(), hypothesis("k2"))}, "hypothesis id 'h1' occurs twice"),
        ({"probes": (probe(), probe())}, "probe id 'p1' occurs twice"),
        ({"probes": (probe(parent="p9"),)}, "unknown parent 'p9'"),
        (
            {"events": (HypothesisEvent(hypothesis="k-load", grade="finding", citations=("p9",)),)},
            "cites the unknown probe 'p9'",
        ),
        (
            {"decisions": (DecisionRecord(turn=1, tool="a"), DecisionRecord(turn=1, tool="b"))},
            "decision turn '1' occurs twice",
        ),
    ],
)
def test_a_cycle_names_each_thing_once_and_cites_only_what_it_holds(changes, message):
    with pytest.raises(ValidationError, match=message):
        CycleWrite(cycle=cycle_record(1), **changes)


def test_a_whole_cycle_survives_json():
    write = full_write()
    assert CycleWrite.model_validate_json(write.model_dump_json()) == write
