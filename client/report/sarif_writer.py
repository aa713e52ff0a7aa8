"""``report.sarif``: SARIF 2.1.0 for code hosts and editors.

Written by the OASIS standard (SARIF 2.1.0 with errata 01) and by what GitHub's code scanning reads of it. One
result per finding and, as a note, per supported claim; what was refuted or left open is in the other formats.
Nothing in it depends on the moment or the machine, so that the same commit gives the same file. A report
carries no change to apply: ``fixes`` is never used, and restored text does not occur.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

from repo_guardian.client.printable import printable
from repo_guardian.client.report.interface import ReportWriter
from repo_guardian.client.report.kinds import CLAIM, kind_text
from repo_guardian.client.report.model import CycleReport, ReportedHypothesis
from repo_guardian.client.report.places import Place, place_of, place_of_signal
from repo_guardian.client.report.words import proof, run_line, runs
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.server.contract.hypotheses import Word
from repo_guardian.server.contract.signals import DependentItem, SignalItem
from repo_guardian.vocabulary import Grade

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "guardianKey/v1"
"""The name of the fingerprint that is the same for the same claim in every run."""

RELATED = 50
"""Uses listed with one result; the message says how many there are in all."""

Json = dict[str, Any]


class SarifWriter(ReportWriter):
    """See the module docstring."""

    file_name = "report.sarif"

    def render(self, report: CycleReport) -> bytes:
        """See ``ReportWriter.render``."""
        log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
        return json.dumps(log, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n"


def _run(report: CycleReport) -> Json:
    told = [h for h in (*report.findings, *report.other_hypotheses) if _is_told(h)]
    kinds = sorted({_kind(h) for h in told} | {signal.kind for signal in report.unproven})
    index = {kind: place for place, kind in enumerate(kinds)}
    results = [_result(h, index) for h in told] + [_unproven(s, index) for s in report.unproven]
    run: Json = {
        "tool": {
            "driver": {
                "name": "Repository Guardian",
                "version": report.envelope.guardian_version,
                "rules": [_rule(kind) for kind in kinds],
            }
        },
        "automationDetails": {"id": _category(report)},
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the watched repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notes(report)}],
        "results": results,
        "properties": {
            "commit": report.cycle.commit,
            "base": report.cycle.base,
            "validity": report.validity.model_dump(mode="json"),
        },
    }
    provenance = _provenance(report)
    return run | ({"versionControlProvenance": [provenance]} if provenance else {})


def _is_told(hypothesis: ReportedHypothesis) -> bool:
    return hypothesis.grade in (Grade.FINDING, Grade.SUPPORTED)


def _kind(hypothesis: ReportedHypothesis) -> str:
    return hypothesis.signals[0].kind if hypothesis.signals else CLAIM


def _category(report: CycleReport) -> str:
    """Up to the last slash it is what a code host keeps apart; what follows tells runs of it apart."""
    if report.cycle.scope is Scope.COMMIT:
        return f"guardian/cycle/{report.cycle.number}"
    return f"guardian/check/{report.cycle.scope.value}"


def _rule(kind: str) -> Json:
    text = kind_text(kind)
    return {
        "id": kind,
        "name": "".join(part.capitalize() for part in kind.split("_")),
        "shortDescription": {"text": text.title},
        "fullDescription": {"text": f"{text.title}. {text.meaning}"},
        "help": {
            "text": f"{text.meaning} The message says what breaks, who still relies on it, which test shows "
            "it, and what would resolve it.",
        },
        "defaultConfiguration": {"level": "warning"},
        "properties": {"precision": "very-high", "tags": ["compatibility", "reliability"]},
    }


def _result(hypothesis: ReportedHypothesis, index: dict[str, int]) -> Json:
    related = [d for signal in hypothesis.signals for d in signal.dependents if d.lagging]
    kind = _kind(hypothesis)
    result: Json = {
        "ruleId": kind,
        "ruleIndex": index[kind],
        "kind": "fail",
        "level": _level(hypothesis),
        "message": {"text": _message(hypothesis, related), "markdown": _markdown(hypothesis, related)},
        "locations": _locations(place_of(hypothesis), hypothesis.locus.symbols),
        "relatedLocations": list(_related(related)),
        "partialFingerprints": {FINGERPRINT: hypothesis.key},
        "baselineState": "new" if hypothesis.recurrence_of is None else "unchanged",
        "suppressions": _suppressions(hypothesis),
        "properties": {
            "grade": hypothesis.grade.value,
            "remedy": hypothesis.remedy.change.value,
            "hypothesis": hypothesis.id,
            "evidence": [probe.transition.value for probe in hypothesis.trace if probe.transition],
        },
    }
    if hypothesis.word is not None and hypothesis.word.word is Word.ACCEPTED and hypothesis.word.current:
        result["properties"]["accepted"] = _plain(hypothesis.word.reason)
    return result


def _unproven(signal: SignalItem, index: dict[str, int]) -> Json:
    """A signal that was told as it was measured; nothing was run."""
    related = [d for d in signal.dependents if d.lagging]
    links = _links(related, signal.lagging_total)
    return {
        "ruleId": signal.kind,
        "ruleIndex": index[signal.kind],
        "kind": "fail",
        "level": "warning" if signal.lagging_total else "note",
        "message": {"text": f"{_plain(signal.line)}. {links}Nothing was run: this is a measurement.".strip()},
        "locations": _locations(place_of_signal(signal), signal.symbols),
        "relatedLocations": list(_related(related)),
        "partialFingerprints": {FINGERPRINT: signal.key},
        "suppressions": [],
        "properties": {"grade": "signal"},
    }


def _level(hypothesis: ReportedHypothesis) -> str:
    """Error: the repository itself is broken. Warning: its users may be. Note: not corroborated."""
    if hypothesis.grade is not Grade.FINDING:
        return "note"
    own = any(signal.lagging_total or signal.kind == "test_changed" for signal in hypothesis.signals)
    return "error" if own else "warning"


def _message(hypothesis: ReportedHypothesis, related: list[DependentItem]) -> str:
    parts = [
        _sentence(hypothesis.claim),
        _sentence(hypothesis.consequence),
        _links(related, sum(signal.lagging_total for signal in hypothesis.signals)).strip(),
        _plain(_outcomes(hypothesis)),
        f"Remedy: {_sentence(hypothesis.remedy.text)}",
    ]
    return "\n\n".join(part for part in parts if part)


def _markdown(hypothesis: ReportedHypothesis, related: list[DependentItem]) -> str:
    """The message with the proof's source; for viewers that read it."""
    from repo_guardian.client.report.markdown_writer import block, escape

    total = sum(signal.lagging_total for signal in hypothesis.signals)
    test = proof(hypothesis)
    parts = [f"**{escape(hypothesis.claim)}**", escape(hypothesis.consequence)]
    parts += [_links(related, total, escape).strip(), escape(_outcomes(hypothesis))]
    parts += [block(test.test_source, "python")] if test is not None else []
    parts.append(f"Remedy: {escape(hypothesis.remedy.text)}")
    return "\n\n".join(part for part in parts if part)


def _outcomes(hypothesis: ReportedHypothesis) -> str:
    lines = [run_line(side, probe) for side, probe in runs(hypothesis)]
    return f"The test {', '.join(lines)}." if lines else ""


def _links(related: list[DependentItem], total: int, text: Any = None) -> str:
    """Embedded links (3.11.6) to the related locations, which are numbered from 1."""
    if not related:
        return ""
    told = text or _plain
    links = [
        f"[{_unlinked(told(str(d.location)))}]({number})" for number, d in enumerate(related[:RELATED], 1)
    ]
    more = f" and {total - len(links)} more" if total > len(links) else ""
    return f"Still used the old way: {', '.join(links)}{more}. "


def _related(related: Iterable[DependentItem]) -> Iterator[Json]:
    for number, dependent in enumerate(list(related)[:RELATED], 1):
        place = Place(dependent.location.path, dependent.location.start_line)
        text = f"{dependent.symbol}: {dependent.reason}" if dependent.reason else dependent.symbol
        yield {"id": number, **_physical(place), "message": {"text": _plain(text)}}


def _locations(place: Place | None, symbols: Iterable[str]) -> list[Json]:
    if place is None:
        return []
    names = [{"fullyQualifiedName": printable(symbol)} for symbol in symbols if symbol]
    return [_physical(place) | ({"logicalLocations": names} if names else {})]


def _physical(place: Place) -> Json:
    location: Json = {"artifactLocation": {"uri": _uri(place.path), "uriBaseId": ROOT}}
    if place.line is not None:
        location["region"] = {"startLine": max(1, place.line)}
    return {"physicalLocation": location}


def _uri(path: str) -> str:
    """A relative reference whose first segment cannot be taken for a scheme (RFC 3986, 4.2)."""
    return quote(path.encode("utf-8", "backslashreplace"), safe="/")


def _suppressions(hypothesis: ReportedHypothesis) -> list[Json]:
    word = hypothesis.word
    if word is None or not word.current or word.word is not Word.DISMISSED:
        return []
    return [{"kind": "external", "status": "accepted", "justification": _plain(word.reason)}]


def _notes(report: CycleReport) -> list[Json]:
    cycle = report.cycle
    texts = [*cycle.limitations, *report.envelope.toolchain_problems]
    texts += [f"The run was degraded: {cycle.exit_explanation}"] if cycle.degraded else []
    return [{"level": "note", "message": {"text": _plain(text)}} for text in texts]


def _provenance(report: CycleReport) -> Json | None:
    """Only for an address: a path of this machine would say nothing elsewhere."""
    source = report.cycle.source
    if urlsplit(source).scheme not in ("http", "https", "ssh", "git"):
        return None
    address = quote(source.encode("utf-8", "backslashreplace"), safe=":/?#[]@!$&'()*+,;=%~")
    return {
        "repositoryUri": address,
        "revisionId": report.cycle.commit,
        "mappedTo": {"uriBaseId": ROOT},
    }


def _sentence(text: str) -> str:
    clean = _plain(text)
    return clean if clean.endswith((".", "!", "?")) else f"{clean}."


def _plain(text: str) -> str:
    """One line, control characters shown; what would read as an embedded link (3.11.6) is none."""
    return _unlinked(printable(" ".join(text.split())))


def _unlinked(text: str) -> str:
    return text.replace("](", "\\](")
