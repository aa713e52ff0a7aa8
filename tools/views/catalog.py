"""The catalog of a commit: its files, and for each view which shard of which pack is whose.

One compact file beside the manifest (MessagePack, compressed), verified by the manifest's hash. Placements
are columns of numbers along the list of files, so that opening a view of any size takes a few array
operations.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.builders import TreeFile
from repo_guardian.tools.views.packs.container import REBUILD
from repo_guardian.tools.views.packs.interface import Placement

NONE = 0xFFFFFFFF
"""The pack number of a file that a view does not cover."""
EMPTY = NONE - 1
"""The pack number of a file whose content was read for a view and gave nothing to keep."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The placements of one view along the catalog's files; ``NONE`` and ``EMPTY`` are no pack numbers."""

    packs: NDArray[np.uint32]
    shards: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Catalog:
    """The files of a commit and the placements of its views.

    Attributes:
        files: by path, sorted.
        transient: files whose facts were cut short by a time limit: to be made again, whatever their blob.
        left_out: files whose content kept them out of the views, with the reason: the blob will not change.
    """

    files: Mapping[str, TreeFile]
    views: Mapping[str, Columns]
    transient: frozenset[str] = frozenset()
    left_out: Mapping[str, str] = field(default_factory=dict)


class _Stored(msgspec.Struct, array_like=True):
    paths: list[str]
    oids: list[str]
    languages: list[str]
    language_of: bytes
    views: dict[str, tuple[bytes, bytes]]
    transient: list[str]
    left_out: dict[str, str]


_DECODER = msgspec.msgpack.Decoder(_Stored)
_ENCODER = msgspec.msgpack.Encoder(order="deterministic")


def encode(catalog: Catalog) -> bytes:
    """The catalog as it is stored."""
    files = catalog.files.values()
    languages = sorted({file.language for file in files})
    number = {language: index for index, language in enumerate(languages)}
    stored = _Stored(
        list(catalog.files),
        [file.oid for file in files],
        languages,
        bytes([number[file.language] for file in files]),
        {
            name: (columns.packs.tobytes(), columns.shards.tobytes())
            for name, columns in catalog.views.items()
        },
        sorted(catalog.transient),
        dict(sorted(catalog.left_out.items())),
    )
    return zlib.compress(_ENCODER.encode(stored), 1)


def decode(data: bytes) -> Catalog:
    """The catalog that ``encode`` wrote.

    Raises:
        ViewDamagedError: ``data`` is something else.
    """
    try:
        stored = _DECODER.decode(zlib.decompress(data))
        languages = [stored.languages[number] for number in stored.language_of]
        rows = zip(stored.paths, stored.oids, languages, strict=True)
        files = {path: TreeFile(path, oid, language) for path, oid, language in rows}
        views = {name: _columns(pair, len(files)) for name, pair in stored.views.items()}
    except (zlib.error, ValueError, TypeError, IndexError) as error:
        raise ViewDamagedError("a view's catalog cannot be read", hint=REBUILD) from error
    return Catalog(files, views, frozenset(stored.transient), stored.left_out)


def columns_of(
    files: Mapping[str, TreeFile], placements: Mapping[str, Placement], empty: Collection[str] = ()
) -> Columns:
    """The placements of one view along ``files``."""
    nothing = dict.fromkeys(empty, Placement(EMPTY, 0))
    nowhere = Placement(NONE, 0)
    found = [placements.get(path) or nothing.get(path, nowhere) for path in files]
    rows = np.array(found, np.uint32).reshape(-1, 2)
    return Columns(np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1]))


def _columns(pair: tuple[bytes, bytes], count: int) -> Columns:
    packs, shards = (np.frombuffer(column, np.uint32) for column in pair)
    if len(packs) != count or len(shards) != count:
        raise ValueError("placements of another number of files")
    return Columns(packs, shards)
