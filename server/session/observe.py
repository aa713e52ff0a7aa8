"""Refresh and observe: the linked graphs of both trees, and everything measured between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from repo_guardian.server.session.locus import Sides
from repo_guardian.server.session.probing import Prober
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.trees import MirrorSource
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.git.churn_store import kept_changes, kept_churn
from repo_guardian.tools.git.history import with_latest_names
from repo_guardian.tools.git.messages import messages
from repo_guardian.tools.git.objects import diff_stat
from repo_guardian.tools.intent.evidence import Intent
from repo_guardian.tools.intent.interface import CommitMessage, DocumentChange, IntentEvidence, Subject
from repo_guardian.tools.intent.texts import is_changelog, is_document
from repo_guardian.tools.signals.interface import BehaviourDetail, Signal, SymbolDetail
from repo_guardian.tools.signals.observe import ObserveLimits, Surroundings, observe
from repo_guardian.tools.signals.ranking import spoken_for
from repo_guardian.tools.views.gather import path_text
from repo_guardian.tools.views.interface import VIEWS, BuildOptions, ViewHandle
from repo_guardian.tools.views.publish import load, open_view, refresh


def refresh_views(session: CycleSession) -> tuple[ViewHandle, ViewHandle]:
    """Publish, or find published, the views of both trees; (current, base). Blocking.

    Raises:
        ViewError: a view that should be whole is not.
    """
    if session.views is None:
        git, state = session.mirror.git, session.state.root
        # A check asks nobody for words or meanings, and what it looks at is gone tomorrow.
        views = VIEWS if session.before_cycle is not None else ("symbol_graph",)
        base = refresh(MirrorSource(git, session.base), state, BuildOptions(views))
        current = refresh(MirrorSource(git, session.current), state, BuildOptions(views, since=base.commit))
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
    """Measure; ranked, with what running both commits has given so far. Blocking.

    Measured once, and again when running has added signals.
    """
    if session.signals is not None:
        return session.signals
    sides = session.need_sides()
    git = session.mirror.git
    commits = settings.signals.churn_commits
    window = kept_churn(git, session.info.commit, session.state.churn, commits)
    changed = session.current.differs_from(session.base)
    around = _surroundings(session, changed, commits)
    observation = observe(
        sides.base_graph,
        sides.current_graph,
        {path_text(path): record for path, record in window.items()},
        changed,
        ObserveLimits(dependents_listed=settings.signals.dependents_listed),
        around=around,
        executed=session.executed or (),
    )
    session.signals = observation.signals
    session.known.update({signal.key: signal for signal in observation.signals})
    session.intents.update({s.key: spoken_for(s, around.intent(s)) for s in observation.signals})
    session.prober = session.prober or Prober(
        session.ledger,
        sides=sides,
        signals=session.known,
        change=cache(lambda: diff_stat(git, session.base.treeish, session.current.treeish)),
        limits=settings.probes,
        checkout=session.checkout,
    )
    return session.signals


def _surroundings(session: CycleSession, changed: Sequence[str], commits: int) -> Surroundings:
    """What lies around the change: the history up to the base, contents, and what speaks for intent."""
    git, sides, base = session.mirror.git, session.need_sides(), session.base
    before = kept_changes(git, base.commit, session.state.churn, commits) if base.commit is not None else []
    said = messages(git, base.commit, session.info.commit) if base.commit is not None else ()
    texts = [path for path in changed if path.endswith(".py") or is_document(path) or is_changelog(path)]
    contents = [DocumentChange(path, base.read(path), session.current.read(path)) for path in texts]
    intent = Intent([CommitMessage(*pair) for pair in said], contents)

    @cache
    def about(subject: Subject) -> IntentEvidence:
        return intent.of(subject, sides.base_graph, sides.current_graph)

    def evidence(signal: Signal) -> IntentEvidence | None:
        detail = signal.detail.symbol if isinstance(signal.detail, BehaviourDetail) else signal.detail
        if not isinstance(detail, SymbolDetail):
            return None
        return about(Subject(detail.old_id, detail.qualname, detail.base_path))

    return Surroundings(
        window=[{path_text(change.path) for change in one.files} for one in with_latest_names(before)],
        present=session.current.entries.keys(),
        read_base=base.read,
        read_current=session.current.read,
        intent=evidence,
    )
