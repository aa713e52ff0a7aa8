"""The views of one commit that retrieval needs, opened together; nothing is read before it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from repo_guardian.tools.views.lexical.index import LexicalIndex
from repo_guardian.tools.views.publish import handle, load, open_view
from repo_guardian.tools.views.registry import builder_of
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.vector.builder import VectorBuilder
from repo_guardian.tools.views.vector.index import VectorIndex
from repo_guardian.tools.views.vector.interface import Embedder
from repo_guardian.tools.views.vector.registry import embedder, options_from


@dataclass(frozen=True, slots=True)
class CommitViews:
    """What is known of one commit. Keep it to ask several things: what it reads is read once.

    Attributes:
        withheld: files of the commit that look like secrets and so are in no view.
    """

    commit: str
    graph: Graph
    lexical: LexicalIndex
    vector: VectorIndex
    withheld: int = 0


def open_commit(state_dir: Path, commit: str) -> CommitViews:
    """The three published views of ``commit``, verified.

    Raises:
        ViewMissingError, ViewStaleError, ViewDamagedError: one of them cannot be used.
        StateDirError: the file system does not let us read it.
    """
    withheld = handle(state_dir, commit).coverage.withheld
    return CommitViews(
        commit,
        load(state_dir, commit),
        LexicalIndex(open_view(state_dir, commit, "lexical")),
        VectorIndex(open_view(state_dir, commit, "vector"), _model()),
        sum(count for _, count in withheld),
    )


def _model() -> Embedder:
    """The model that the view was built with: opening it has compared the identities."""
    builder = builder_of("vector")
    return builder.model if isinstance(builder, VectorBuilder) else embedder(options_from())
