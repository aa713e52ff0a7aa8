"""The container of a pack: one file in the safetensors format, written by its library, mapped by us.

The format (https://huggingface.co/docs/safetensors, "Format"): a header size of eight bytes, little endian, a
JSON header that gives each array's element type, shape and place, then the arrays, aligned. The library's own
reader copies every array that it is asked for, so that reading is done here: the file is mapped, and an array
is a read-only view of the map. A file is named after the SHA-256 of its content and never changes.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repo_guardian.errors import ViewDamagedError
from repo_guardian.tools.views.files import state_errors, write_atomic

SUFFIX = ".safetensors"
REBUILD = "build the view again: `guardian views build` does it, and so does `guardian cycle`"

_METADATA = "pack"
_TYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4",
    "U64": "<u8", "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8",
}  # fmt: skip

Arrays = dict[str, NDArray[Any]]


def write_arrays(
    folder: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any]
) -> tuple[str, int]:
    """Write ``arrays`` and a JSON document to a file of ``folder``; returns its name and size in bytes.

    The name is the file's without the suffix. A file that is there already is replaced by its equal, which
    mends one that was damaged.

    Raises:
        DiskFullError, StateDirError: nothing is left behind.
    """
    from safetensors.numpy import save

    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content = save(contiguous, {_METADATA: json.dumps(about, separators=(",", ":"), sort_keys=True)})
    name = hashlib.sha256(content).hexdigest()
    write_atomic(folder / f"{name}{SUFFIX}", content)
    return name, len(content)


def map_arrays(path: Path, *, verify: bool) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file, as views of its map, and its document.

    Args:
        verify: compare the whole file with the digest that names it.

    Raises:
        ViewDamagedError: there is no such file, or its content is not what was written.
        StateDirError: the file system does not let us read it.
    """
    content = _map(path)
    if verify and hashlib.sha256(content).hexdigest() != path.name.removesuffix(SUFFIX):
        raise damaged(path)
    try:
        return _parse(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(path) from error


def damaged(path: Path) -> ViewDamagedError:
    """The error of a pack that cannot be used."""
    return ViewDamagedError(f"the pack {path.name[:12]} is gone or not what was written", hint=REBUILD)


def _map(path: Path) -> mmap.mmap:
    with state_errors(path):
        try:
            with path.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (FileNotFoundError, IsADirectoryError, ValueError) as error:  # an empty file: ValueError
            raise damaged(path) from error


def _parse(content: mmap.mmap) -> tuple[Arrays, dict[str, Any]]:
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    about = json.loads(header.pop("__metadata__")[_METADATA])
    arrays: Arrays = {}
    for name, entry in header.items():
        kind, shape = np.dtype(_TYPES[entry["dtype"]]), tuple(entry["shape"])
        first, end = entry["data_offsets"]
        flat = np.frombuffer(content, kind, (end - first) // kind.itemsize, start + first)
        arrays[name] = flat.reshape(shape)
    return arrays, about
