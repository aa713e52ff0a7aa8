"""Shards as they are written: rows in canonical order, and the digest that stands for a shard everywhere."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repo_guardian.tools.views.packs.interface import DIGEST_BYTES, PackLayout, Rows, ShardDraft


def canonical(draft: ShardDraft, layout: PackLayout) -> ShardDraft:
    """``draft`` with exactly the layout's tables, blocks and parts, of its types, rows sorted by all fields.

    Raises:
        KeyError, ValueError, TypeError: the draft does not have the layout's shape.
    """
    unknown = [*(draft.tables.keys() - layout.tables.keys()), *(draft.blocks.keys() - layout.blocks.keys()),
               *(draft.parts.keys() - set(layout.parts))]  # fmt: skip
    if unknown:
        raise ValueError(f"a shard holds {unknown[0]!r}, which its layout does not")
    return ShardDraft(
        draft.data,
        {name: _sorted(draft.tables[name], np.dtype(list(fields))) for name, fields in layout.tables.items()},
        {name: _block(draft.blocks[name], *kind) for name, kind in layout.blocks.items()},
        {name: draft.parts.get(name, b"") for name in layout.parts},
    )


def shard_digest(draft: ShardDraft) -> bytes:
    """The digest of a canonical draft: BLAKE2b over every piece, each with its name and length before it."""
    digest = hashlib.blake2b(draft.data, digest_size=DIGEST_BYTES)
    digest.update(len(draft.data).to_bytes(8, "little"))
    for mark, pieces in (("t", draft.tables), ("b", draft.blocks), ("p", draft.parts)):
        for name in sorted(pieces):
            piece: Any = pieces[name]
            raw = piece if isinstance(piece, bytes) else piece.tobytes()
            digest.update(f"{mark}\0{name}\0{len(raw)}\0".encode())
            digest.update(raw)
    return digest.digest()


def _sorted(rows: Rows, kind: np.dtype[Any]) -> Rows:
    rows = np.asarray(rows).astype(kind, copy=False)
    if rows.ndim != 1:
        raise ValueError("the rows of a table have one dimension")
    names = kind.names or ()
    if len(rows) < 2:
        return rows
    return rows[np.lexsort([rows[name] for name in reversed(names)])]


def _block(block: NDArray[Any], kind: str, width: int) -> NDArray[Any]:
    shape = (-1, width) if width else (-1,)
    if block.ndim != len(shape) or (width and block.shape[1] != width):
        raise ValueError(f"a block of shape {block.shape} where the layout has rows of {width}")
    return np.ascontiguousarray(block, np.dtype(kind))
