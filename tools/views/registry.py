"""Which views there are, and what builds each. A new view is one more entry here and one more folder."""

from __future__ import annotations

from functools import cache

from repo_guardian.errors import UsageError
from repo_guardian.tools.views.builders import ViewBuilder
from repo_guardian.tools.views.interface import VIEWS


@cache
def builder_of(name: str) -> ViewBuilder:
    """The builder of a view, made once; its module is imported when it is first asked for.

    Raises:
        UsageError: there is no such view.
    """
    if name == "symbol_graph":
        from repo_guardian.tools.views.symbol_graph.builder import SymbolGraphBuilder

        return SymbolGraphBuilder()
    if name == "lexical":
        from repo_guardian.tools.views.lexical.builder import LexicalBuilder

        return LexicalBuilder()
    if name == "vector":
        from repo_guardian.tools.views.vector.builder import VectorBuilder

        return VectorBuilder()
    raise UsageError(f"there is no view {name!r}", hint=f"the views are {', '.join(VIEWS)}")
