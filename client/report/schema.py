"""The published JSON Schema of ``report.json``, made from the model; ``make schemas`` writes it anew.

One file per major version of the report: it describes the newest minor one, and a test holds it current.
"""

from __future__ import annotations

import json
import sys

from repo_guardian.client.report.model import SCHEMA_VERSION, CycleReport

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def file_name() -> str:
    """``report-1.json`` for every version 1.x."""
    return f"report-{SCHEMA_VERSION.partition('.')[0]}.json"


def report_schema() -> bytes:
    """The schema as JSON, UTF-8, keys in the order of the model, ending with a newline.

    It is open: a later minor version may hold fields that this one does not know.
    """
    schema = CycleReport.model_json_schema(mode="serialization")
    for model in (schema, *schema["$defs"].values()):
        if model.get("additionalProperties") is False:
            del model["additionalProperties"]
    schema["properties"]["schema_version"] |= {"pattern": rf"^{SCHEMA_VERSION.partition('.')[0]}\.[0-9]+$"}
    head = {
        "$schema": DIALECT,
        "$id": file_name(),
        "title": "Report of a cycle of Repository Guardian",
        "$comment": f"of reports up to version {SCHEMA_VERSION}",
    }
    return (
        json.dumps(
            {**head, **{name: part for name, part in schema.items() if name not in head}},
            indent=1,
            ensure_ascii=False,
        ).encode()
        + b"\n"
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(report_schema())
