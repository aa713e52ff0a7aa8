"""The manifest of a commit's views: what was built, by which versions, from what, and how to verify it.

One JSON file per commit. Each view has an entry under ``views``, with its payload's file name, size and
hash; ``schema`` numbers the shape of the manifest itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.capabilities import CAPABILITIES
from repo_guardian.tools.views.interface import Coverage
from repo_guardian.tools.views.symbol_graph.model import SkippedFile

SCHEMA = 1
FILE_NAME = "manifest.json"

@dataclass(frozen=True, slots=True)
class ViewEntry:
    """One view: ``digest`` is of its canonical content, ``sha256`` of its payload file as stored."""

    file: str
    sha256: str
    payload_bytes: int
    digest: str
    builder: dict[str, str]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``manifest.json`` holds; every path in it is relative."""

    commit: str
    tree: str
    views: dict[str, ViewEntry]
    coverage: Coverage = field(default_factory=Coverage)
    facts_reused: int = 0
    facts_extracted: int = 0


def encode(manifest: Manifest) -> bytes:
    """The manifest as readable JSON."""
    coverage = manifest.coverage
    document = {
        "schema": SCHEMA,
        "commit": manifest.commit,
        "tree": manifest.tree,
        "views": {
            name: {
                "file": entry.file,
                "sha256": entry.sha256,
                "payload_bytes": entry.payload_bytes,
                "digest": entry.digest,
                "builder": entry.builder,
            }
            for name, entry in sorted(manifest.views.items())
        },
        "capabilities": CAPABILITIES,
        "coverage": {
            "seen": coverage.seen,
            "parsed": coverage.parsed,
            "partial": [{"path": s.path, "reason": s.reason} for s in coverage.partial],
            "skipped": [{"path": s.path, "reason": s.reason} for s in coverage.skipped],
            "not_covered": dict(coverage.not_covered),
            "other": coverage.other,
        },
        "facts": {"reused": manifest.facts_reused, "extracted": manifest.facts_extracted},
    }
    return (json.dumps(document, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def decode(data: bytes) -> tuple[int, Manifest | None]:
    """The schema number and, when it is ours, the manifest.

    Raises:
        ViewDamagedError: ``data`` is no manifest.
    """
    try:
        document = json.loads(data)
        schema = int(document["schema"])
        return schema, _manifest(document) if schema == SCHEMA else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ViewDamagedError(
            "a view's manifest cannot be read", hint="run `guardian cycle` again: it rebuilds the view"
        ) from error


def _manifest(document: dict[str, Any]) -> Manifest:
    coverage = document["coverage"]
    return Manifest(
        document["commit"],
        document["tree"],
        {name: ViewEntry(**entry) for name, entry in document["views"].items()},
        Coverage(
            coverage["seen"],
            coverage["parsed"],
            tuple(SkippedFile(**entry) for entry in coverage["partial"]),
            tuple(SkippedFile(**entry) for entry in coverage["skipped"]),
            tuple(sorted(coverage["not_covered"].items())),
            coverage["other"],
        ),
        document["facts"]["reused"],
        document["facts"]["extracted"],
    )
