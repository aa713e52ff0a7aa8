"""Refresh and observe: the linked graphs of both trees, and everything measured between them."""

from __future__ import annotations

from functools import cache

from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.probing import Prober
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.trees import MirrorSource
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.git.churn_store import kept_churn
from repo_guardian.tools.git.objects import diff_stat
from repo_guardian.tools.signals.interface import Signal
from repo_guardian.tools.signals.observe import ObserveLimits, observe
from repo_guardian.tools.views.gather import path_text
from repo_guardian.tools.views.interface import ViewHandle
from repo_guardian.tools.views.publish import load, open_view, refresh


def refresh_views(session: CycleSession) -> tuple[ViewHandle, ViewHandle]:
    """Publish, or find published, the views of both trees; (current, base). Blocking.

    Raises:
        ViewError: a view that should be whole is not.
    """
    if session.views is None:
        git = session.mirror.git
        base = refresh(MirrorSource(git, session.base), session.state.root)
        current = refresh(MirrorSource(git, session.current), session.state.root)
        for view in current.digests:
            open_view(session.state.root, current.commit, view)
        session.views = (current, base)
        session.sides = Sides(
            session.current,
            load(session.state.root, session.current.label),
            session.base,
            load(session.state.root, session.base.label),
        )
    return session.views


def observe_signals(session: CycleSession, settings: ServerSettings) -> tuple[Signal, ...]:
    """Measure, once; ranked. Blocking."""
    if session.signals is not None:
        return session.signals
    sides = session.need_sides()
    git = session.mirror.git
    commits = settings.signals.churn_commits
    window = kept_churn(git, session.info.commit, session.state.churn, commits)
    observation = observe(
        sides.base_graph,
        sides.current_graph,
        {path_text(path): record for path, record in window.items()},
        session.current.differs_from(session.base),
        ObserveLimits(dependents_listed=settings.signals.dependents_listed),
    )
    session.signals = observation.signals
    session.prober = Prober(
        session.ledger,
        sides=sides,
        signals={signal.key: signal for signal in observation.signals},
        change=cache(lambda: diff_stat(git, session.base.treeish, session.current.treeish)),
        limits=settings.probes,
        checkout=session.checkout,
    )
    return session.signals
