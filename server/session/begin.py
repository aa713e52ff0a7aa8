"""The first step of a cycle: lock, mirror, commit and base, number, and both trees as the mirror has them.

A check opens the same session for something that has no place in history: the work tree, the index, or a
commit that is only looked at again. It takes neither lock nor number, so that it may run beside a cycle,
works in a folder of its own, and leaves nothing in the memory.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import UsageError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.interface import MemoryStore
from repo_guardian.memory_store.lock import lock
from repo_guardian.memory_store.records import CycleIntent
from repo_guardian.server.contract.cycles import CycleInfo, Interrupted, Scope
from repo_guardian.server.session.check_folder import check_folder
from repo_guardian.server.session.checkouts import Checkouts
from repo_guardian.server.session.hypotheses import HypothesisBook
from repo_guardian.server.session.session import CycleSession
from repo_guardian.server.session.state_dir import StateDir, refuse_state_inside
from repo_guardian.server.session.translate import instant
from repo_guardian.server.session.trees import Tree
from repo_guardian.server.session.uncommitted import STORE, SUBJECTS, holding, take_uncommitted
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.capability import Capability
from repo_guardian.tools.execution.override import Override, load_override
from repo_guardian.tools.git.materialize import remove_checkout
from repo_guardian.tools.git.mirror import Mirror
from repo_guardian.tools.git.paths import leads_outside
from repo_guardian.tools.git.pseudo_commit import LeftOut
from repo_guardian.tools.git.source import Source, locate
from repo_guardian.tools.git.versions import version_by_tags
from repo_guardian.tools.views.gather import path_text


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a cycle, or a check, is to look at.

    Attributes:
        commit: a revision; HEAD when None. Only for ``Scope.COMMIT``.
        since: what to compare with; the first parent when None, HEAD for what is not committed.
        keep: a cycle, which becomes part of the memory; False for a check of a commit. What is not committed
            is always a check.
    """

    commit: str | None = None
    since: str | None = None
    scope: Scope = Scope.COMMIT
    keep: bool = True

    @property
    def is_cycle(self) -> bool:
        """Whether it takes a number and a place in the memory."""
        return self.keep and self.scope is Scope.COMMIT


def begin(settings: ServerSettings, repository: str, wanted: Wanted, capability: Capability) -> CycleSession:
    """Open a cycle or a check. Blocking; run it in a thread.

    Raises:
        UsageError: the repository is not one that the server watches, is none, is empty, or a revision
            names nothing in it, there is no work tree, or the user's ``guardian.toml`` cannot be read.
        EnvironmentFault: the state directory, git, or the memory cannot be used, or another cycle runs.
    """
    if repository not in settings.repositories:
        raise UsageError(
            f"this server does not watch {repository!r}",
            hint=f"it watches: {', '.join(settings.repositories) or 'nothing'}",
        )
    if wanted.scope is not Scope.COMMIT and wanted.commit is not None:
        raise UsageError(
            "what is not committed has no commit to name", hint="leave the commit away, or the scope"
        )
    source = locate(repository)
    refuse_state_inside(settings.home, source, repository)
    state = StateDir(settings.home, source.repository_id)
    work_tree = Path(source.location) if source.local else None
    override = load_override(state.root, config=settings.config, repository=work_tree)
    opening = _Opening(source, state, override, capability)
    with ExitStack() as held:
        if wanted.is_cycle:
            held.enter_context(lock(state.root))
            _sweep_checkouts(state)
            session = opening.cycle(wanted)
        else:
            session = opening.check(Path(repository), wanted, held, settings.index)
        session.held.push(held.pop_all().__exit__)
    return session


@dataclass(frozen=True, slots=True)
class _Opening:
    """What both kinds of session are opened with."""

    source: Source
    state: StateDir
    override: Override
    capability: Capability

    def cycle(self, wanted: Wanted) -> CycleSession:
        """A cycle: what it finds becomes part of the memory."""
        mirror = Mirror.sync(self.source, self.state.mirror)
        commit = mirror.resolve(wanted.commit if wanted.commit is not None else "HEAD")
        base = mirror.base_of(commit, wanted.since)
        info = mirror.commit_info(commit)
        seen: dict[str, bytes] = {}
        trees = Tree(mirror.git, base.commit, base.tree, seen), Tree(mirror.git, commit, info.tree, seen)
        memory = open_store(self.state.memory)
        interrupted = _name_interrupted(memory)
        number = memory.begin(CycleIntent(commit=commit, base=base.commit))
        return self._session(
            mirror,
            memory,
            trees,
            cycle=_Named(f"c{number}", number, info.subject, interrupted=interrupted),
            folder=self.state.checkouts,
        )

    def check(self, named: Path, wanted: Wanted, held: ExitStack, index: Path | None) -> CycleSession:
        """A check: nothing of it is kept."""
        mirror = Mirror.sync(self.source, self.state.mirror)
        store = self.state.root / STORE
        subject, described = SUBJECTS.get(wanted.scope, ""), None
        left_out: tuple[LeftOut, ...] = ()
        if wanted.scope is Scope.COMMIT:
            reader = holding(mirror, self.state.root, self.source, wanted.commit or "HEAD")
            commit = reader.resolve(wanted.commit or "HEAD")
            base = reader.base_of(commit, wanted.since)
        else:
            taken = take_uncommitted(
                wanted.scope, named, self.source, mirror, state=self.state.root, index=index
            )
            reader, commit, left_out = Mirror(store, mirror.location), taken.commit, taken.not_comparable
            base = mirror.base_of(taken.head, wanted.since or "HEAD")
            described = version_by_tags(mirror.git, taken.head)
        info = reader.commit_info(commit)
        seen: dict[str, bytes] = {}
        return self._session(
            reader,
            open_store(self.state.memory),
            (
                Tree(mirror.git, base.commit, base.tree, seen),
                Tree(reader.git, commit, info.tree, seen, version=described),
            ),
            cycle=_Named(f"check-{secrets.token_hex(4)}", 0, subject or info.subject, wanted.scope, left_out),
            folder=held.enter_context(check_folder(self.state.checks)),
        )

    def _session(
        self,
        mirror: Mirror,
        memory: MemoryStore,
        trees: tuple[Tree, Tree],
        *,
        cycle: _Named,
        folder: Path,
    ) -> CycleSession:
        base, current = trees
        held = ExitStack()
        info = mirror.commit_info(current.label)
        return CycleSession(
            info=CycleInfo(
                cycle_id=cycle.handle,
                number=cycle.number,
                repository_id=self.source.repository_id,
                source=self.source.location,
                commit=current.label,
                subject=cycle.subject,
                committed_at=instant(info.committer_time),
                base=base.commit,
                limitations=_limitations(mirror, current, cycle.left_out),
                interrupted=cycle.interrupted,
                can_execute=self.capability.backend is not None,
                sandbox_backend=self.capability.name,
                sandbox_note=self.capability.note,
                scope=cycle.scope,
            ),
            state=self.state,
            mirror=mirror,
            memory=memory,
            base=base,
            current=current,
            capability=self.capability,
            held=held,
            checkouts=Checkouts(folder, cycle.number, held),
            hypotheses=HypothesisBook(memory, cycle.number or None, current.oid),
            override=self.override,
        )


@dataclass(frozen=True, slots=True)
class _Named:
    """How a session is called, and what there is to say of it from its beginning."""

    handle: str
    number: int
    subject: str
    scope: Scope = Scope.COMMIT
    left_out: Sequence[LeftOut] = ()
    interrupted: tuple[Interrupted, ...] = ()


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
    folder = state.checkouts
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        remove_checkout(path)
    shutil.rmtree(folder, ignore_errors=True)


def _limitations(mirror: Mirror, tree: Tree, left_out: Sequence[LeftOut]) -> tuple[str, ...]:
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
    if left_out:
        first = left_out[0]
        found.append(
            f"{len(left_out)} paths were not compared and count as unchanged, first "
            f"{path_text(first.path)}: {first.reason}"
        )
    return tuple(found)
