"""The first step of a cycle: lock, mirror, commit and base, number, and both trees as the mirror has them."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

from repo_guardian.errors import UsageError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.interface import MemoryStore
from repo_guardian.memory_store.lock import lock
from repo_guardian.memory_store.records import CycleIntent
from repo_guardian.server.contract.cycles import CycleInfo, Interrupted
from repo_guardian.server.session.checkouts import Checkouts
from repo_guardian.server.session.hypotheses import HypothesisBook
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.state_dir import StateDir, refuse_state_inside
from repo_guardian.server.session.translate import instant
from repo_guardian.server.session.trees import Tree
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.capability import Capability
from repo_guardian.tools.execution.override import Override, load_override
from repo_guardian.tools.git.materialize import remove_checkout
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.paths import leads_outside
from repo_guardian.tools.git.source import Source, locate


def begin(
    settings: ServerSettings, repository: str, commit: str | None, since: str | None, capability: Capability
) -> CycleSession:
    """Open a cycle on ``commit`` (default: HEAD) against its base. Blocking; run it in a thread.

    Raises:
        UsageError: the repository is not one that the server watches, is none, is empty, or a revision
            names nothing in it, or the user's ``guardian.toml`` cannot be read.
        EnvironmentFault: the state directory, git, or the memory cannot be used, or another cycle runs.
    """
    if repository not in settings.repositories:
        raise UsageError(
            f"this server does not watch {repository!r}",
            hint=f"it watches: {', '.join(settings.repositories) or 'nothing'}",
        )
    source = locate(repository)
    refuse_state_inside(settings.home, source, repository)
    state = StateDir(settings.home, source.repository_id)
    work_tree = Path(source.location) if source.local else None
    override = load_override(state.root, config=settings.config, repository=work_tree)
    with ExitStack() as held:
        held.enter_context(lock(state.root))
        _sweep_checkouts(state)
        mirror = Mirror.sync(source, state.mirror)
        session = _open(source, state, mirror, capability, override=override, revision=commit, since=since)
        session.held.push(held.pop_all().__exit__)
    return session


def _open(
    source: Source,
    state: StateDir,
    mirror: Mirror,
    capability: Capability,
    *,
    override: Override,
    revision: str | None,
    since: str | None,
) -> CycleSession:
    commit = mirror.resolve(revision if revision is not None else "HEAD")
    base = mirror.base_of(commit, since)
    info = mirror.commit_info(commit)
    seen: dict[str, bytes] = {}
    base_tree = Tree(mirror.git, base.commit, base.tree, seen)
    current_tree = Tree(mirror.git, commit, info.tree, seen)
    memory = open_store(state.memory)
    interrupted = _name_interrupted(memory)
    number = memory.begin(CycleIntent(commit=commit, base=base.commit))
    held = ExitStack()
    return CycleSession(
        info=CycleInfo(
            cycle_id=f"c{number}",
            number=number,
            repository_id=source.repository_id,
            source=source.location,
            commit=commit,
            subject=info.subject,
            committed_at=instant(info.committer_time),
            base=base.commit,
            limitations=_limitations(mirror, current_tree),
            interrupted=interrupted,
            can_execute=capability.backend is not None,
            sandbox_backend=capability.name,
            sandbox_note=capability.note,
        ),
        state=state,
        mirror=mirror,
        memory=memory,
        base=base_tree,
        current=current_tree,
        capability=capability,
        held=held,
        checkouts=Checkouts(mirror.git, state, number, held),
        hypotheses=HypothesisBook(memory, number),
        override=override,
    )


def _name_interrupted(memory: MemoryStore) -> tuple[Interrupted, ...]:
    """Name the cycles that were killed, and close their books: they are told once, not for ever."""
    found = []
    for intent in memory.interrupted():
        if intent.number is None:
            continue
        found.append(Interrupted(number=intent.number, commit=intent.commit, started_at=intent.started_at))
        memory.discard(intent.number, "found interrupted when the next cycle began")
    return tuple(found)


def _sweep_checkouts(state: StateDir) -> None:
    """Remove what a killed cycle left; safe because the caller holds the repository's lock."""
    folder = state.root / "checkouts"
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        remove_checkout(path)
    shutil.rmtree(folder, ignore_errors=True)


def _limitations(mirror: Mirror, tree: Tree) -> tuple[str, ...]:
    found = []
    if mirror.is_shallow:
        found.append("the history is shallow: commits beyond the cut count for nothing")
    submodules = sorted(path for path, entry in tree.entries.items() if entry.type == "commit")
    if submodules:
        paths = ", ".join(submodules[:5])
        found.append(f"{len(submodules)} submodules are not looked into: {paths}")
    links = tree.links()
    escaping = sum(leads_outside(path, links) for path in links)
    if escaping:
        found.append(f"{escaping} symbolic links point out of the repository and are not followed")
    return tuple(found)
