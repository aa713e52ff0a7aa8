"""The published schema of ``report.json`` is the model's, and reports satisfy it."""

from __future__ import annotations

import json

import jsonschema
import pytest

from repo_guardian.client.report.json_writer import JsonWriter
from repo_guardian.client.report.model import SCHEMA_VERSION
from repo_guardian.client.report.schema import file_name, report_schema

from .reports import HOSTILE, report


@pytest.fixture(scope="module")
def schema(root):
    return json.loads((root / "docs" / "schemas" / file_name()).read_bytes())


def silent(node):
    """A schema without its prose, which may lag behind the docstrings that it comes from."""
    if isinstance(node, dict):
        return {
            name: silent(part)
            for name, part in node.items()
            if name != "$comment" and not (name == "description" and isinstance(part, str))
        }
    return [silent(part) for part in node] if isinstance(node, list) else node


def test_the_published_schema_is_current(schema):
    assert silent(schema) == silent(json.loads(report_schema())), "the report changed: run make schemas"


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_a_report_satisfies_it(schema, text):
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(JsonWriter().render(report(text))), schema)


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": "2.0"},
        {"findings": "none"},
        {"cycle": {}},
    ],
)
def test_what_is_no_report_does_not(schema, change):
    document = json.loads(JsonWriter().render(report())) | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_the_file_is_named_by_the_major_version():
    assert file_name() == f"report-{SCHEMA_VERSION.split('.')[0]}.json"


def test_a_field_of_a_later_minor_version_does_no_harm(schema):
    document = json.loads(JsonWriter().render(report())) | {"unheard_of": 1, "schema_version": "1.99"}
    document["cycle"]["unheard_of"] = 1
    jsonschema.validate(document, schema)
