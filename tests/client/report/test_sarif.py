"""SARIF: valid by the official schema, stable from run to run, and never a change to apply."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest

from repo_guardian.client.report.kinds import CLAIM, KINDS, kind_text
from repo_guardian.client.report.places import Place, place_of
from repo_guardian.client.report.sarif_writer import FINGERPRINT, SarifWriter
from repo_guardian.tools.signals.kinds import SignalKind

from .reports import DIFF, HOSTILE, RESTORED, empty_report, report

SCHEMA = Path(__file__).parent / "oasis" / "sarif-schema-2.1.0.json"
OFFICIAL = "0f58372b548f60c84d20fca77687435e71b3b3a3"
"""The git blob id of the schema in the technical committee's repository."""


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_bytes()))


def log(of=None):
    return json.loads(SarifWriter().render(report() if of is None else of))


def results(of=None):
    return log(of)["runs"][0]["results"]


def by_id(of=None):
    return {result["properties"].get("hypothesis", "signal"): result for result in results(of)}


def keys(node):
    """Every key of every object."""
    if isinstance(node, dict):
        yield from node
        for value in node.values():
            yield from keys(value)
    elif isinstance(node, list):
        for value in node:
            yield from keys(value)


def test_the_schema_is_the_official_one():
    content = SCHEMA.read_bytes()
    assert hashlib.sha1(b"blob %d\0%s" % (len(content), content)).hexdigest() == OFFICIAL


@pytest.mark.parametrize(
    "of",
    [
        report(),
        report(HOSTILE),
        empty_report(),
        report(source="https://code.example/a b/r.git"),
        report(scope="worktree", number=0),
    ],
    ids=["plain", "hostile", "empty", "address", "check"],
)
def test_it_is_valid(validator, of):
    assert [error.message for error in validator.iter_errors(log(of))] == []


def test_the_schema_sees_what_is_wrong(validator):
    broken = log()
    broken["runs"][0]["results"][0]["level"] = "fatal"
    broken["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"] = {"startLine": 0}
    assert len(list(validator.iter_errors(broken))) == 2


def test_findings_and_supported_claims_are_told_and_nothing_else():
    assert set(by_id()) == {"h1", "h2", "h3", "h4", "h5", "h6", "signal"}
    levels = {name: result["level"] for name, result in by_id().items()}
    assert levels["h1"] == "error", "the repository itself still uses the old form"
    assert levels["h6"] == "note", "supported is not corroborated"
    assert levels["signal"] == "warning"
    assert results(empty_report()) == []


def test_a_result_points_at_the_changed_definition_and_links_to_every_lagging_use():
    result = by_id()["h1"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "m.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"]["startLine"] == 7
    related = {location["id"] for location in result["relatedLocations"]}
    assert {int(number) for number in re.findall(r"\]\((\d+)\)", result["message"]["text"])} == related == {1}


def test_a_place_is_where_restoring_mended_it_when_the_signal_names_no_line():
    h = report().findings[0]
    silent = h.model_copy(
        update={"signals": tuple(s.model_copy(update={"detail": {}, "dependents": ()}) for s in h.signals)}
    )
    assert DIFF.split("\n")[5] == "-def f(a):"
    assert place_of(silent) == Place("m.py", 5)
    assert place_of(silent.model_copy(update={"trace": (), "signals": ()})) == Place("m.py")


def test_the_same_claim_has_the_same_fingerprint_in_every_run():
    once = report()
    again = once.model_copy(
        update={
            "findings": tuple(h.model_copy(update={"id": f"x{h.id}"}) for h in once.findings[::-1]),
            "cycle": once.cycle.model_copy(update={"number": 9, "commit": "e" * 40}),
        }
    )
    first = {r["partialFingerprints"][FINGERPRINT] for r in results(once)}
    assert first == {r["partialFingerprints"][FINGERPRINT] for r in results(again)}
    assert len(first) == len(results(once))
    assert SarifWriter().render(once) == SarifWriter().render(report())


def test_only_a_dismissal_that_still_counts_suppresses():
    suppressed = {name for name, result in by_id().items() if result["suppressions"]}
    assert suppressed == {"h3"}
    assert by_id()["h3"]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "plain"}
    ]
    assert by_id()["h4"]["properties"]["accepted"] == "plain"
    assert {name for name, result in by_id().items() if result.get("baselineState") == "unchanged"} == {"h2"}


def test_no_fix_and_no_restored_text():
    for of in (report(), report(HOSTILE)):
        text = SarifWriter().render(of).decode()
        assert "fixes" not in set(keys(json.loads(text)))
        assert RESTORED not in text
        assert "restored/m.py" not in text


def test_a_stranger_cannot_write_links_or_places():
    for result in results(report(HOSTILE)):
        text = result["message"]["text"]
        assert all(link.isdigit() for link in re.findall(r"(?<!\\)\]\(([^)]*)\)", text))
        assert not {"\x1b", "\u202e", "\x00"} & set(text)
    (unproven,) = (r for r in results(report("../a:b c#\n%")) if r["properties"]["grade"] == "signal")
    uri = unproven["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "../a:b c#\n%"
    assert not set(uri) & set(": #\n")


def test_rules_are_named_once_and_each_result_names_its_own():
    run = log()["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({result["ruleId"] for result in run["results"]})
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_every_kind_of_signal_has_words():
    assert set(KINDS) == {kind.value for kind in SignalKind} | {CLAIM}
    assert kind_text("something_new").title == "Something new"


def test_an_address_is_told_and_a_path_is_not():
    assert "versionControlProvenance" not in log(report(source="/srv/r"))["runs"][0]
    (provenance,) = log(report(source="https://code.example/r.git"))["runs"][0]["versionControlProvenance"]
    assert provenance["repositoryUri"] == "https://code.example/r.git"


@pytest.mark.parametrize(
    ("scope", "category"), [("commit", "guardian/cycle/2"), ("staged", "guardian/check/staged")]
)
def test_a_code_host_keeps_cycles_and_checks_apart(scope, category):
    assert log(report(scope=scope))["runs"][0]["automationDetails"]["id"] == category
