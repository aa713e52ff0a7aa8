"""Checks: sessions of what is not committed, beside a cycle, with nothing of them kept."""

from __future__ import annotations

import os

import pytest

from repo_guardian.errors import NotARepositoryError, UsageError
from repo_guardian.memory_store.process import current_process
from repo_guardian.memory_store.records import HumanWordRecord
from repo_guardian.server.contract.cycles import Scope
from repo_guardian.server.contract.hypotheses import (
    ChangeOfKind,
    HypothesisDraft,
    Remedy,
    Word,
)
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.session.begin import Wanted, begin
from repo_guardian.server.session.check_folder import check_folder
from repo_guardian.server.session.observe import observe_signals, refresh_views
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.capability import Capability
from repo_guardian.tools.signals.interface import SignalKind
from repo_guardian.vocabulary import Origin, Side

NOTHING = Capability(None, None, "no sandbox here")
BEFORE = {"pkg/__init__.py": "", "pkg/m.py": "def f(a): ...\n", "app.py": "from pkg.m import f\nf(1)\n"}
WORKTREE, STAGED = Wanted(scope=Scope.WORKTREE), Wanted(scope=Scope.STAGED)


@pytest.fixture
def opened(repository, home):
    """Open sessions on a repository with one commit; all are closed after the test."""
    repository.commit(BEFORE)
    sessions = []

    def open_session(wanted, **settings):
        known = ServerSettings(home=home, repositories=(str(repository.path),), **settings)
        session = begin(known, str(repository.path), wanted, NOTHING)
        sessions.append(session)
        return session, known

    yield open_session
    for session in sessions:
        session.held.close()


def contracts(session, settings):
    refresh_views(session)
    return [s for s in observe_signals(session, settings) if s.kind is SignalKind.CONTRACT_CHANGED]


def test_the_work_tree_is_compared_with_head_and_nothing_is_kept(opened, repository):
    (repository.path / "pkg/m.py").write_text("def f(a, b): ...\n")
    before = repository.fingerprint()
    session, settings = opened(WORKTREE)
    info = session.info
    assert (info.number, info.scope, info.base) == (0, Scope.WORKTREE, repository.git("rev-parse", "HEAD"))
    assert info.subject == "the work tree"
    (signal,) = contracts(session, settings)
    assert (signal.symbols, signal.lagging_total) == (("pkg.m.f",), 1)
    current = session.checkout(Side.CURRENT)
    assert (current.path / "pkg/m.py").read_text() == "def f(a, b): ...\n"
    session.discard("done")
    session.held.close()
    assert not list(session.state.checks.iterdir())
    assert (session.memory.summary().cycles, session.memory.interrupted()) == (0, ())
    assert repository.fingerprint() == before


def test_what_is_staged_is_compared_and_not_what_is_on_disk(opened, repository):
    (repository.path / "pkg/m.py").write_text("def f(a, b): ...\n")
    session, settings = opened(STAGED)
    assert contracts(session, settings) == []
    repository.git("add", "pkg/m.py")
    (repository.path / "pkg/m.py").write_text("def f(): ...\n")
    session, settings = opened(STAGED)
    (signal,) = contracts(session, settings)
    assert signal.after == "f(a, b)"


def test_another_base(opened, repository):
    first = repository.git("rev-parse", "HEAD")
    repository.commit({"pkg/m.py": "def f(a, b): ...\n"})
    session, settings = opened(WORKTREE)
    assert contracts(session, settings) == []
    session, settings = opened(Wanted(since=first, scope=Scope.WORKTREE))
    assert len(contracts(session, settings)) == 1


def test_checks_run_beside_a_cycle_and_beside_each_other(opened, repository):
    cycle, _ = opened(Wanted())
    (repository.path / "pkg/m.py").write_text("def f(a, b): ...\n")
    checks = [opened(WORKTREE)[0], opened(STAGED)[0], opened(Wanted(keep=False))[0]]
    paths = {session.checkout(Side.CURRENT).path for session in (cycle, *checks)}
    assert len(paths) == 4
    assert len({session.info.cycle_id for session in (cycle, *checks)}) == 4
    assert cycle.info.number == 1


def test_a_pseudo_commit_of_an_earlier_check_can_be_looked_at_again(opened, repository):
    (repository.path / "pkg/m.py").write_text("def f(a, b): ...\n")
    session, _ = opened(WORKTREE)
    pseudo, base = session.info.commit, session.info.base
    repository.git("checkout", "--quiet", "--", "pkg/m.py")
    again, settings = opened(Wanted(commit=pseudo, since=base, keep=False))
    assert (again.info.commit, again.info.base, again.info.number) == (pseudo, base, 0)
    assert len(contracts(again, settings)) == 1


def test_the_version_of_what_is_not_committed_is_heads(opened, repository):
    repository.git("tag", "v1.2.0")
    (repository.path / "pkg/m.py").write_text("def f(a, b): ...\n")
    session, _ = opened(WORKTREE)
    assert (session.current.version, session.base.version) == ("1.2.0", "1.2.0")


def test_a_scope_and_a_commit_exclude_each_other(opened):
    with pytest.raises(UsageError, match="no commit to name"):
        opened(Wanted(commit="HEAD", scope=Scope.WORKTREE))


def test_a_bare_repository_has_nothing_uncommitted(opened, repository, home, tmp_path):
    bare = tmp_path / "bare.git"
    repository.git("clone", "--quiet", "--bare", str(repository.path), str(bare))
    settings = ServerSettings(home=home, repositories=(str(bare),))
    with pytest.raises(NotARepositoryError, match="no work tree"):
        begin(settings, str(bare), WORKTREE, NOTHING)


def test_paths_that_cannot_be_compared_are_a_limitation(opened, repository):
    (repository.path / ".gitattributes").write_text("*.bin filter=lfs\n")
    (repository.path / "a.bin").write_bytes(b"\0")
    session, _ = opened(WORKTREE)
    (told,) = [line for line in session.info.limitations if "not compared" in line]
    assert "a.bin" in told and "filter=lfs" in told


def test_a_human_word_holds_until_a_file_of_the_locus_changes(opened, repository):
    draft = HypothesisDraft(
        claim="f is broken",
        consequence="calls fail",
        remedy=Remedy(
            change=ChangeOfKind.RESTORE_COMPATIBILITY, locus=Locus(files=("pkg/m.py",)), text="mend"
        ),
        origin=Origin.SIGNAL,
        locus=Locus(files=("pkg/m.py", "gone.py"), symbols=("pkg.m.f",)),
        key="k1",
    )
    session, _ = opened(WORKTREE)
    blobs = {path: session.current.oid(path) or "" for path in draft.locus.files}
    assert blobs["gone.py"] == ""
    session.memory.say(
        HumanWordRecord(
            hypothesis="k1",
            word="dismissed",
            reason="as meant",
            claim=draft.claim,
            commit=session.info.commit,
            blobs=blobs,
        )
    )
    said = opened(WORKTREE)[0].hypotheses.write(draft).word
    assert (said.word, said.reason, said.current) == (Word.DISMISSED, "as meant", True)
    (repository.path / "gone.py").write_text("x = 1\n")
    assert opened(WORKTREE)[0].hypotheses.write(draft).word.current is False
    assert opened(STAGED)[0].hypotheses.write(draft).word.current is True


def test_folders_of_dead_checks_are_swept_and_others_stay(tmp_path):
    process = current_process()
    living = tmp_path / f"{process.pid}-{process.start_ticks}-aaaa"
    dead = tmp_path / f"{2**31 - 1}-1-bbbb"
    strange = (tmp_path / "last.json", tmp_path / "1-x-cccc", tmp_path / f"{10**17}-1-dddd")
    for folder in (living, dead, *strange):
        folder.mkdir()
    (dead / "tree").mkdir()
    os.chmod(dead / "tree", 0o500)
    with check_folder(tmp_path) as folder:
        assert folder.is_dir()
        assert not dead.exists()
    assert not folder.exists()
    assert all(path.is_dir() for path in (living, *strange))
