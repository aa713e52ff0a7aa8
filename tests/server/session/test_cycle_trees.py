"""A cycle's trees: known from the mirror at once, written to disk only when something is to run there."""

from __future__ import annotations

import os

import pytest

from repo_guardian.errors import MaterializeError, ViewDamagedError
from repo_guardian.server.session.begin import Wanted, begin
from repo_guardian.server.session.observe import observe_signals, refresh_views
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.capability import Capability
from repo_guardian.tools.signals.interface import SignalKind
from repo_guardian.tools.views.interface import VIEWS
from repo_guardian.tools.views.packs.reader import pack_path
from repo_guardian.tools.views.publish import open_view
from repo_guardian.tools.views.published import packs_folder, read_manifest
from repo_guardian.vocabulary import Side

NOTHING = Capability(None, None, "no sandbox here")


@pytest.fixture
def opened(repository, home):
    """A cycle on the second of two commits; closed after the test."""
    sessions = []

    def open_cycle(*trees):
        for tree in trees:
            repository.commit(tree)
        settings = ServerSettings(home=home, repositories=(str(repository.path),))
        session = begin(settings, str(repository.path), Wanted(), NOTHING)
        sessions.append(session)
        return session, settings

    yield open_cycle
    for session in sessions:
        session.held.close()


BEFORE = {"pkg/__init__.py": "", "pkg/m.py": "def f(a): ...\n", "app.py": "from pkg.m import f\nf(1)\n"}
AFTER = {**BEFORE, "pkg/m.py": "def f(a, b): ...\n"}


def test_drift_is_found_without_a_checkout_and_a_checkout_is_made_once(opened):
    session, settings = opened(BEFORE, AFTER)
    refresh_views(session)
    (signal,) = [s for s in observe_signals(session, settings) if s.kind is SignalKind.CONTRACT_CHANGED]
    assert signal.symbols == ("pkg.m.f",) and signal.lagging_total == 1
    folder = session.state.root / "checkouts"
    assert not folder.exists()
    current, base = (session.checkout(side) for side in (Side.CURRENT, Side.BASE))
    assert (current.path / "pkg/m.py").read_text() == AFTER["pkg/m.py"]
    assert (base.path / "pkg/m.py").read_text() == BEFORE["pkg/m.py"]
    assert session.checkout(Side.CURRENT) == current
    session.held.close()
    assert not list(folder.iterdir())


@pytest.mark.parametrize("view", VIEWS)
def test_a_damaged_view_is_whole_again_before_anything_is_measured(opened, view):
    session, _ = opened(BEFORE, AFTER)
    (current, _) = refresh_views(session)
    root, commit = session.state.root, session.current.label
    pack = read_manifest(root, commit).views[view].packs[-1]
    path = pack_path(packs_folder(root), pack.name)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(ViewDamagedError):
        open_view(root, commit, view)
    session.views = None
    again, _ = refresh_views(session)
    assert (again.digests, again.reused) == (current.digests, False)
    open_view(root, commit, view)


def test_the_size_of_the_change_is_measured_when_it_is_asked_for(opened):
    session, settings = opened(BEFORE, AFTER)
    refresh_views(session)
    observe_signals(session, settings)
    change = session.need_prober()._change()
    assert (change.added, change.deleted, change.hunks) == (1, 1, 1)


def test_what_is_in_the_way_of_a_checkout_is_left_alone(opened):
    session, _ = opened(BEFORE, AFTER)
    path = session.state.checkouts / f"{session.info.number}_{session.current.commit}"
    path.mkdir(parents=True)
    with pytest.raises(MaterializeError, match="no cycle holds it"):
        session.checkout(Side.CURRENT)
    assert path.is_dir()


def test_the_paths_that_differ_are_those_of_git(opened, repository):
    session, _ = opened(BEFORE, {**AFTER, "new.py": "x\n"})
    assert session.current.differs_from(session.base) == ("new.py", "pkg/m.py")
    assert session.base.differs_from(session.base) == ()


def test_links_and_where_they_lead_are_told_without_a_checkout(opened, repository):
    for name, target in (("inside", "pkg/m.py"), ("outside", "/etc/passwd"), ("up", "../x")):
        os.symlink(target, repository.path / name)
    session, _ = opened(BEFORE)
    assert session.current.links() == {b"inside": b"pkg/m.py", b"outside": b"/etc/passwd", b"up": b"../x"}
    assert "2 symbolic links point out of the repository and are not followed" in session.info.limitations
