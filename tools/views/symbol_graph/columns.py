"""Columns of numbers as bytes, each in the narrowest of three integer types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.packs.container import REBUILD

Columns = dict[str, NDArray[Any]]

_GROWING = frozenset({"source", "text", "line", "start"})
"""Columns that are stored as each value's difference to the one before, modulo their width."""
_WIDTHS = (np.dtype("<u1"), np.dtype("<u2"), np.dtype("<u4"))


def columns_out(columns: Mapping[str, Sequence[int]], names: Sequence[str]) -> bytes:
    """Columns one after the other, behind a byte for each that says how wide it is."""
    widths, stored = bytearray(), []
    for name in names:
        largest = max(columns[name], default=0)
        width = (largest > 0xFF) + (largest > 0xFFFF)
        column = np.array(columns[name], _WIDTHS[width])
        if name in _GROWING:
            column[1:] = np.diff(column)
        widths.append(width)
        stored.append(column.tobytes())
    return b"".join([bytes(widths), *stored])


def columns_in(data: bytes | memoryview, names: Sequence[str], count: int) -> Columns:
    """The columns that ``columns_out`` wrote.

    Raises:
        ViewDamagedError: ``data`` is something else.
    """
    found: Columns = {}
    offset = len(names)
    try:
        for name, width in zip(names, data[:offset], strict=True):
            column = np.frombuffer(data, _WIDTHS[width], count, offset)
            found[name] = np.cumsum(column, dtype=column.dtype) if name in _GROWING else column
            offset += column.nbytes
    except (ValueError, IndexError) as error:
        raise ViewDamagedError("a shard holds no symbol graph", hint=REBUILD) from error
    return found
