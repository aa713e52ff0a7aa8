"""What templates work from: both commits' graphs and files, and the signature at the base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import SymbolGraph
from repo_guardian.tools.views.symbol_graph.signature import Signature

Read = Callable[[str], bytes | None]
"""The content of a repository-relative path at a commit; None when there is no such file."""


NO_GRAPH: Graph = SymbolGraph("", (), ())


def _nothing(_path: str) -> bytes | None:
    return None


@dataclass(frozen=True, slots=True)
class Material:
    """What is known of the two commits besides the signal; nothing of it is read before it is needed.

    Attributes:
        before: the signature at the base of the signal's symbol, None when it has none.
        base, current: the symbol graphs.
        read_base, read_current: the files.
    """

    before: Signature | None = None
    base: Graph = NO_GRAPH
    current: Graph = NO_GRAPH
    read_base: Read = _nothing
    read_current: Read = _nothing
