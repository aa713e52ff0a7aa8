"""The facts of blobs, kept by content: ``facts/<language>-<version>/<first two>/<rest of the object id>``.

An entry is a digest of 16 bytes and the compressed facts that it covers, salted with the blob's id, so that
a cut, flipped or misplaced entry is noticed: it counts as absent and is written anew. Entries are never
changed, so any number of processes may share a store.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path

from repo_guardian.tools.views.facts.codec import decode, encode
from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.files import write_atomic

_DIGEST_BYTES = 16
_LEVEL = 6
"""Of zlib: an eighth fewer bytes than level 1 for half a millisecond more a file of SQLAlchemy."""


class FactsStore:
    """One folder of facts.

    Args:
        folder: the state directory's ``facts`` folder; made when the first entry is written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, oid: str, extractor: str) -> Path:
        return self._folder / extractor.replace("/", "-") / oid[:2] / oid[2:]

    def get(self, oid: str, extractor: str) -> FileFacts | None:
        """The facts of blob ``oid`` as ``extractor`` saw them; None when absent or damaged."""
        try:
            entry = self._path(oid, extractor).read_bytes()
        except OSError:
            return None
        payload = entry[_DIGEST_BYTES:]
        if _digest(payload, oid) != entry[:_DIGEST_BYTES]:
            return None
        try:
            facts = decode(zlib.decompress(payload))
        except (zlib.error, ValueError):
            return None
        return facts if facts.extractor == extractor else None

    def stamp(self, oid: str, extractor: str) -> tuple[str, int, int, int] | None:
        """What tells an entry from any other, and from what it is after it was changed; None when absent."""
        path = self._path(oid, extractor)
        try:
            found = path.stat()
        except OSError:
            return None
        return str(path), found.st_ino, found.st_size, found.st_mtime_ns

    def put(self, oid: str, facts: FileFacts) -> None:
        """Keep ``facts`` for blob ``oid``; transient ones are not kept.

        Raises:
            DiskFullError, StateDirError: the entry is absent, nothing half-written.
        """
        if facts.transient:
            return
        payload = zlib.compress(encode(facts), _LEVEL)
        write_atomic(self._path(oid, facts.extractor), _digest(payload, oid) + payload)


def _digest(payload: bytes, oid: str) -> bytes:
    return hashlib.blake2b(payload, digest_size=_DIGEST_BYTES, key=oid.encode()[:64]).digest()
