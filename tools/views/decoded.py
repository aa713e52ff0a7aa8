"""Facts decoded lately, for the whole process: a server builds commit upon commit of the same files.

Linking one file may ask for the facts of dozens of others, and decoding them costs more than linking it.
An entry counts as long as the store still has what it was decoded from, which costs one ``stat`` to know.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.facts.store import FactsStore

KEPT_BYTES: Final = 4 << 20
"""Source whose facts are kept, in bytes: in memory facts take 10 to 15 times as much as their source."""

_Stamp = tuple[str, int, int, int]


class DecodedFacts:
    """Facts by what they were decoded from, the least recently used dropped first.

    Args:
        kept_bytes: how much source the kept facts may be of.
    """

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._most = kept_bytes
        self._size = 0
        self._facts: OrderedDict[_Stamp, FileFacts] = OrderedDict()
        self._lock = Lock()

    def get(self, store: FactsStore, oid: str, extractor: str) -> FileFacts | None:
        """As ``store.get``, without reading what was read before and is still there."""
        stamp = store.stamp(oid, extractor)
        if stamp is None:
            return None
        with self._lock:
            facts = self._facts.get(stamp)
            if facts is not None:
                self._facts.move_to_end(stamp)
                return facts
        facts = store.get(oid, extractor)
        if facts is not None:
            self._keep(stamp, facts)
        return facts

    def put(self, store: FactsStore, oid: str, facts: FileFacts) -> None:
        """As ``store.put``, and keep the facts for the next commit.

        Raises:
            DiskFullError, StateDirError: as ``store.put``; nothing is kept then.
        """
        store.put(oid, facts)
        stamp = None if facts.transient else store.stamp(oid, facts.extractor)
        if stamp is not None:
            self._keep(stamp, facts)

    def _keep(self, stamp: _Stamp, facts: FileFacts) -> None:
        with self._lock:
            if stamp in self._facts:
                return
            self._facts[stamp] = facts
            self._size += facts.region[3]
            while self._size > self._most:
                self._size -= self._facts.popitem(last=False)[1].region[3]


DECODED: Final = DecodedFacts()
"""The facts that this process keeps."""
