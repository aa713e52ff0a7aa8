"""The views of a commit that is read outside of a cycle: opened, and built first where they are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from repo_guardian.errors import UsageError, ViewError
from repo_guardian.server.contract.graph import CallersAnswer, SymbolAnswer
from repo_guardian.server.contract.retrieval import SearchAnswer
from repo_guardian.server.session.answers import Page, callers_answer, search_answer, symbol_answer
from repo_guardian.server.session.files import Excerpts
from repo_guardian.server.session.reading import Narrate, Reading
from repo_guardian.tools.views.builders import TreeFile
from repo_guardian.tools.views.interface import VIEWS, BuildOptions
from repo_guardian.tools.views.publish import load, open_view, refresh
from repo_guardian.tools.views.symbol_graph.interface import Graph

if TYPE_CHECKING:
    from repo_guardian.tools.retrieval.interface import SearchResult
    from repo_guardian.tools.retrieval.views import CommitViews

MAX_QUERY_CHARS = 2_000
CANDIDATES = 100
"""Candidates that each route contributes; more when a later page asks for more."""

_KEPT_OPEN = 4
"""Commits whose views stay open in a process: they never change, and nothing of them is read twice."""

Opened = TypeVar("Opened")


def quietly(_step: str) -> None:
    """A ``Narrate`` for those who tell nobody."""


def find_callers(
    reading: Reading, name: str, page: Page, *, possible: bool, narrate: Narrate = quietly
) -> CallersAnswer:
    """Who calls ``name`` at the commit, a page of them.

    Args:
        possible: list the possible callers behind the callers.
        narrate: hears of views that have to be built.

    Raises:
        UsageError: the name is empty or absurdly long.
        EnvironmentFault: the views can be neither opened nor built.
    """
    from repo_guardian.tools.retrieval.callers import callers

    asked = _asked(name)
    graph = _opened_graph(reading, narrate)
    return callers_answer(reading.as_of, asked, callers(graph, asked), page, possible=possible)


def find_symbol(reading: Reading, name: str, page: Page, narrate: Narrate = quietly) -> SymbolAnswer:
    """What ``name`` is at the commit, what it holds and what it calls. Raises as ``find_callers`` does."""
    from repo_guardian.tools.retrieval.callers import definitions

    asked = _asked(name)
    graph = _opened_graph(reading, narrate)
    return symbol_answer(reading.as_of, asked, graph, definitions(graph, asked), page)


def find_places(
    reading: Reading, query: str, page: Page, *, routes: Sequence[str] = (), narrate: Narrate = quietly
) -> SearchAnswer:
    """What at the commit is about ``query``, a page of it.

    Args:
        routes: names of the routes to use; all when there are none.
        narrate: hears of views that have to be built.

    Raises:
        UsageError: the query is empty or absurdly long.
        EnvironmentFault: the views can be neither opened nor built, or the embedding model is missing.
    """
    _check_text(query, "query")
    result = _search(reading, query, page, routes, narrate)
    files = _files(reading.repository.state.root, reading.commit)
    found = {hit.path: files[hit.path].oid for hit in result.hits[page.offset :]}
    return search_answer(reading.as_of, result, Excerpts(reading.repository.mirror.git, found), page)


def _search(
    reading: Reading, query: str, page: Page, routes: Sequence[str], narrate: Narrate
) -> SearchResult:
    from repo_guardian.tools.retrieval.interface import Route, SearchLimits
    from repo_guardian.tools.retrieval.search import search

    root = reading.repository.state.root
    views = opened(reading, VIEWS, lambda: _commit_views(root, reading.commit), narrate)
    wanted = page.offset + page.limit
    limits = SearchLimits(hits=wanted, candidates=max(CANDIDATES, wanted))
    chosen = [Route(name) for name in dict.fromkeys(routes)]
    return search(views, query, limits, chosen or tuple(Route))


def opened(reading: Reading, views: Sequence[str], attempt: Callable[[], Opened], narrate: Narrate) -> Opened:
    """What ``attempt`` opens; where a view is missing, stale or damaged, ``views`` are built first.

    Raises:
        EnvironmentFault: it fails for another reason, or still.
    """
    try:
        return attempt()
    except ViewError as error:
        narrate(f"building the views of {reading.commit[:12]}: {error.message}")
    refresh(reading.source(), reading.repository.state.root, BuildOptions(views=tuple(views)))
    return attempt()


def _opened_graph(reading: Reading, narrate: Narrate) -> Graph:
    root = reading.repository.state.root
    return opened(reading, ("symbol_graph",), lambda: _graph(root, reading.commit), narrate)


def _asked(name: str) -> str:
    """A name as it is looked up: people paste calls."""
    _check_text(name, "name")
    return name.strip().removesuffix("()")


@lru_cache(maxsize=_KEPT_OPEN)
def _graph(root: Path, commit: str) -> Graph:
    return load(root, commit)


@lru_cache(maxsize=_KEPT_OPEN)
def _commit_views(root: Path, commit: str) -> CommitViews:
    from repo_guardian.tools.retrieval.views import open_commit

    return open_commit(root, commit)


@lru_cache(maxsize=_KEPT_OPEN)
def _files(root: Path, commit: str) -> Mapping[str, TreeFile]:
    return open_view(root, commit, "lexical").files


def _check_text(text: str, what: str) -> None:
    if not text.strip():
        raise UsageError(f"the {what} is empty", hint=f"give a {what}")
    if len(text) > MAX_QUERY_CHARS:
        raise UsageError(
            f"the {what} has {len(text)} characters", hint=f"at most {MAX_QUERY_CHARS} are taken"
        )
