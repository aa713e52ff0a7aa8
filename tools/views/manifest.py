"""The manifest of a commit's views: what was built, by which versions, from what, and how to verify it.

One JSON file per commit. ``schema`` numbers the shape of the manifest itself; every name in it is relative.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.interface import Coverage
from repo_guardian.tools.views.packs.container import REBUILD

SCHEMA = 2
FILE_NAME = "manifest.json"
CATALOG_FILE = "catalog.bin"


@dataclass(frozen=True, slots=True)
class PackEntry:
    """A pack of ``packs/``: its name is the SHA-256 of its file."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """One view.

    Attributes:
        digest: canonical and history-free, over each path and its shard's digest.
        builder: the versions of everything that shaped it.
        packs: where its shards are, in the order in which the catalog counts them.
        files: how many files have a shard.
        kept, made, changed: shards taken from the earlier view, made anew, and of those made the ones that
            differ from the earlier view's.
        since: the commit whose view was the earlier one; empty for a build from nothing.
        new_bytes: of the packs that this build wrote.
    """

    digest: str
    builder: Mapping[str, str]
    packs: tuple[PackEntry, ...]
    files: int = 0
    kept: int = 0
    made: int = 0
    changed: int = 0
    since: str = ""
    new_bytes: int = 0


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """The catalog's file in the commit's folder, and its SHA-256."""

    file: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class FactsUse:
    """Blobs whose facts came from the store, and blobs that were read for them, by this build.

    ``extractors`` are the identities of the extractors by language.
    """

    reused: int = 0
    extracted: int = 0
    extractors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``manifest.json`` holds."""

    commit: str
    tree: str
    views: Mapping[str, ViewEntry]
    catalog: CatalogEntry
    capabilities: Mapping[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    facts: FactsUse = field(default_factory=FactsUse)
    schema: int = SCHEMA


_SEAL = "sha256"
"""The key of the file that holds the digest of all others."""


def encode(manifest: Manifest) -> bytes:
    """The manifest as readable JSON, with a digest of itself."""
    document: dict[str, Any] = msgspec.to_builtins(manifest)
    document[_SEAL] = _digest(document)
    return msgspec.json.format(msgspec.json.encode(document, order="sorted"), indent=1) + b"\n"


def decode(data: bytes) -> tuple[int, Manifest | None]:
    """The schema number and, when it is ours, the manifest.

    Raises:
        ViewDamagedError: ``data`` is no manifest, or not as it was written.
    """
    try:
        document = msgspec.json.decode(data, type=dict[str, Any])
        schema = msgspec.convert(document.get("schema"), int)
        if schema != SCHEMA:
            return schema, None
        if document.pop(_SEAL, "") == _digest(document):
            return schema, msgspec.convert(document, Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ViewDamagedError("a view's manifest cannot be read", hint=REBUILD) from error
    raise ViewDamagedError("a view's manifest is not what was written", hint=REBUILD)


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(document, order="sorted")).hexdigest()
