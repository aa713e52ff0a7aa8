"""The views of a commit that is read outside of a cycle: opened, and built first where they are missing."""

from __future__ import annotations

from repo_guardian.errors import UsageError, ViewError
from repo_guardian.server.contract.graph import CallersAnswer
from repo_guardian.server.session.answers import Page, callers_answer
from repo_guardian.server.session.reading import Narrate, Reading
from repo_guardian.tools.views.interface import ViewHandle
from repo_guardian.tools.views.publish import load, refresh
from repo_guardian.tools.views.symbol_graph.interface import Graph

MAX_QUERY_CHARS = 2_000


def quietly(_step: str) -> None:
    """A ``Narrate`` for those who tell nobody."""


def build_views(reading: Reading) -> ViewHandle:
    """Publish the views of the commit, or find them published; ``reused`` says which.

    Raises:
        StateDirError, DiskFullError: nothing half-written is left.
    """
    return refresh(reading.source(), reading.repository.state.root)


def open_graph(reading: Reading, narrate: Narrate = quietly) -> Graph:
    """The commit's symbol graph; ``narrate`` hears of it when it has to be built.

    Raises:
        EnvironmentFault: it can be neither opened nor built.
    """
    root = reading.repository.state.root
    try:
        return load(root, reading.commit)
    except ViewError as error:
        narrate(f"building the views of {reading.commit[:12]}: {error.message}")
    build_views(reading)
    return load(root, reading.commit)


def find_callers(
    reading: Reading, name: str, page: Page, *, possible: bool, narrate: Narrate = quietly
) -> CallersAnswer:
    """Who calls ``name`` at the commit, a page of them.

    Raises:
        UsageError: the name is empty or absurdly long.
        EnvironmentFault: the views can be neither opened nor built.
    """
    from repo_guardian.tools.retrieval.callers import callers

    _check_text(name, "name")
    return callers_answer(
        reading.as_of, name, callers(open_graph(reading, narrate), name), page, possible=possible
    )


def _check_text(text: str, what: str) -> None:
    if not text.strip():
        raise UsageError(f"the {what} is empty", hint=f"give a {what}")
    if len(text) > MAX_QUERY_CHARS:
        raise UsageError(
            f"the {what} has {len(text)} characters", hint=f"at most {MAX_QUERY_CHARS} are taken"
        )
