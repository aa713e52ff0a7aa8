"""The example is what today's writers make of a real cycle on the repository that its script builds."""

from __future__ import annotations

import importlib.util
import json
import sys

import jsonschema
import pytest

from repo_guardian.client.report.html_writer import HtmlWriter
from repo_guardian.client.report.markdown_writer import MarkdownWriter
from repo_guardian.client.report.model import CycleReport
from repo_guardian.client.report.sarif_writer import SarifWriter
from repo_guardian.client.report.schema import file_name
from repo_guardian.client.report.sections import sections, still_there

RENDER = "run examples/report/make.py --render"


@pytest.fixture(scope="module")
def folder(root):
    return root / "examples" / "report"


@pytest.fixture(scope="module")
def example(folder):
    return CycleReport.model_validate_json((folder / "report.json").read_bytes())


@pytest.fixture
def script(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    spec = importlib.util.spec_from_file_location("example_report_make", folder / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("history", None)


@pytest.mark.parametrize(
    "writer", [HtmlWriter(), MarkdownWriter(), SarifWriter()], ids=lambda writer: writer.file_name
)
def test_each_format_is_current(folder, example, writer):
    assert (folder / writer.file_name).read_bytes() == writer.render(example), RENDER


def test_it_satisfies_the_published_schema(root, folder):
    schema = json.loads((root / "docs" / "schemas" / file_name()).read_bytes())
    jsonschema.validate(json.loads((folder / "report.json").read_bytes()), schema)


def test_it_is_of_the_history_that_the_script_builds(example, script, tmp_path):
    commits = script.build(tmp_path / "parcels")
    past = [cycle.commit for cycle in example.memory.timeline.cycles]
    assert [example.cycle.base, *past, example.cycle.commit] == commits
    assert {cycle.base for cycle in example.memory.timeline.cycles} == {commits[0]}


def test_it_shows_what_a_report_can_show(example):
    parts = sections(example)
    assert {h.signals[0].kind for h in parts.new} == {"symbol_removed", "behaviour_changed"}
    assert all(len(h.trace) == 4 for h in parts.new)
    assert [use.cycle for use in still_there(example)] == [2]
    (claim,) = example.memory.timeline.claims
    assert [(event.cycle, event.what) for event in claim.events] == [(2, "finding"), (3, "seen")]
    assert example.validity.corroborated == 2
    assert example.executed is not None


def test_it_holds_no_code_but_its_own(example, script):
    """Every line of code that it quotes is of the history, or of a test that Guardian wrote."""
    written = "\n".join(text for step in script.STEPS for text in step.files.values())
    quoted = [d.location.text for h in example.findings for s in h.signals for d in s.dependents]
    for probe in (probe for h in example.findings for probe in h.trace if probe.revert is not None):
        lines = probe.revert.evidence_diff.split("\n")[2:]
        quoted += [line[1:] for line in lines if line.startswith(("+", "-"))]
    assert quoted
    assert all(line.strip() in written for line in quoted)
    assert example.cycle.source == script.NAME
