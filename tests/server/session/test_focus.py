"""What a test is about, read from signals and loci of a real cycle, and what a run has to prove for it."""

import hashlib
from dataclasses import replace

import pytest

from repo_guardian.server.contract.hypotheses import ChangeOfKind, Hypothesis, HypothesisDraft, Remedy
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.session.begin import Wanted, begin
from repo_guardian.server.session.focus import (
    Focus,
    definition_spans,
    expected,
    focus_of,
    focus_of_locus,
    focus_of_signal,
    run_plan,
    tree_claim,
    unlike_at_base,
)
from repo_guardian.server.session.observe import observe_signals, refresh_views
from repo_guardian.server.settings import ServerSettings
from repo_guardian.tools.execution.capability import Capability
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.signals.interface import TestDetail
from repo_guardian.vocabulary import Origin, Side

BASE = {
    "src/pkg/__init__.py": "from pkg.io import load\n",
    "src/pkg/io.py": "def load(a):\n    return a\n\n\ndef keep():\n    return 1\n",
    "src/pkg/old.py": "def f(): ...\n",
    "tool.py": "def run(): ...\n",
    "data/table.csv": "1\n",
    "tests/conftest.py": "x = 1\n",
    "tests/unit/test_io.py": "def test_io(): ...\n",
    "tests/unit/test_new.py": "def test_new(): ...\n",
}
CURRENT = {
    "src/pkg/io.py": "def load(a, b):\n    return a\n\n\ndef keep():\n    return 1\n",
    "src/pkg/old.py": None,
    "tests/unit/test_new.py": "def test_new():\n    assert True\n",
}
ALONE = TestSource("test_a.py", "test_a", "x\n", "d")


@pytest.fixture
def session(repository, home):
    repository.commit(BASE)
    repository.commit(CURRENT)
    settings = ServerSettings(home=home, repositories=(str(repository.path),))
    opened = begin(settings, str(repository.path), Wanted(), Capability(None, None, "none"))
    with opened.held:
        refresh_views(opened)
        observe_signals(opened, settings)
        yield opened


def signal_of(session, symbol):
    (signal,) = [s for s in session.signals if s.symbols and symbol in s.symbols]
    return signal


def claim(locus, *keys):
    remedy = Remedy(change=ChangeOfKind.RESTORE_BEHAVIOUR, locus=locus, text="x")
    draft = HypothesisDraft(
        claim="c", consequence="d", remedy=remedy, origin=Origin.HUMAN, locus=locus, signal_keys=keys
    )
    return Hypothesis(id="h1", key="k", draft=draft, grade="conjecture")


def test_a_signal_is_about_its_symbol_and_a_changed_test_about_its_suspects(session):
    signal = signal_of(session, "pkg.io.load")
    assert focus_of_signal(signal).parts == (signal.detail,)
    suspects = tuple(focus_of_locus(Locus(symbols=("pkg.io.keep", "tool.run")), session.sides).parts)
    changed = TestDetail(delta=None, suspects=suspects)
    assert focus_of_signal(replace(signal, detail=changed)).parts == suspects
    assert not focus_of_signal(replace(signal, detail=None))


def test_a_claim_without_a_signal_is_about_what_its_locus_names(session):
    locus = Locus(
        files=("src/pkg/io.py", "tool.py", "data/table.csv", "nowhere.py", "src/pkg/old.py"),
        symbols=("pkg.io.load", "pkg.nothing"),
    )
    focus = focus_of(claim(locus), {}, session.sides)
    assert [part.old_id for part in focus.parts] == ["pkg.io.load", "tool", "pkg.old"]
    assert focus.files == ("data/table.csv",)
    assert not focus_of(claim(Locus(symbols=("pkg.nothing",), files=("nowhere.py",))), {}, session.sides)


def test_a_claim_with_a_signal_is_about_both_and_names_nothing_twice(session):
    signal = signal_of(session, "pkg.io.load")
    locus = Locus(symbols=("pkg.io.load", "pkg.io.keep"), files=("tool.py",))
    focus = focus_of(claim(locus, signal.key, "unknown"), {signal.key: signal}, session.sides)
    assert focus.parts[0] == signal.detail
    assert [part.qualname for part in focus.parts] == ["load", "keep"]


def test_one_of_several_suspects_is_enough_to_be_loaded_and_all_files_have_to_be_the_trees(session):
    focus = focus_of_locus(
        Locus(symbols=("pkg.io.keep", "tool.run"), files=("data/table.csv",)), session.sides
    )
    claimed = tree_claim(focus, ALONE, session.sides, Side.CURRENT, {"data/table.csv": b"2\n"})
    assert claimed.needed == (("pkg.io",), ("tool",))
    assert claimed.modules == {"pkg.io": "src/pkg/io.py", "tool": "tool.py"}
    assert claimed.digests["data/table.csv"] == hashlib.sha256(b"2\n").hexdigest()
    plan = run_plan(focus, session.sides, claimed, "site")
    assert plan.import_roots == ("src", "")
    assert plan.files == ("data/table.csv", "src/pkg/io.py", "tool.py")


def test_a_name_is_expected_where_it_is_reached_and_where_it_is_defined(session):
    focus = focus_of_locus(Locus(symbols=("pkg.load",)), session.sides)
    wanted = expected(focus, session.sides, Side.CURRENT)
    assert [part.name for part in wanted.parts] == ["pkg.load", "pkg.io.load"]
    assert wanted.packages == ("pkg",)
    assert {len(part.signature.parameters) for part in wanted.parts} == {2}
    assert {len(p.signature.parameters) for p in expected(focus, session.sides, Side.REVERTED).parts} == {1}


def test_a_module_that_is_gone_is_no_module_of_the_tree_and_its_absence_is_claimed(session):
    focus = focus_of_locus(Locus(symbols=("pkg.old.f",)), session.sides)
    now = tree_claim(focus, ALONE, session.sides, Side.CURRENT, {})
    assert (now.modules, now.digests) == ({}, {"src/pkg/old.py": None})
    before = tree_claim(focus, ALONE, session.sides, Side.BASE, {})
    assert before.modules == {"pkg.old": "src/pkg/old.py"}
    (span,) = definition_spans(focus, session.sides)
    assert (span.path, span.current, span.base) == ("src/pkg/old.py", None, (1, 1))


def test_a_test_of_the_repository_is_claimed_with_its_own_file(session):
    focus = Focus((), ("data/table.csv",))
    own = TestSource("tests/unit/test_io.py", "test_io", BASE["tests/unit/test_io.py"], "d", existing=True)
    copy = TestSource("test_copy.py", "test_io", "x = 1\n", "d", folder="tests/unit")
    for test, text in ((own, BASE["tests/unit/test_io.py"]), (copy, "x = 1\n")):
        claimed = tree_claim(focus, test, session.sides, Side.BASE, {})
        assert claimed.digests[test.place] == hashlib.sha256(text.encode()).hexdigest()
        assert unlike_at_base(test, session.sides) == ""
    edited = TestSource("tests/unit/test_new.py", "test_new", "", "d", existing=True)
    assert unlike_at_base(edited, session.sides) == "tests/unit/test_new.py"
    assert unlike_at_base(ALONE, session.sides) == ""


def test_a_changed_conftest_makes_every_test_below_it_another_one(repository, home):
    repository.commit(BASE)
    repository.commit({**CURRENT, "tests/conftest.py": "x = 2\n"})
    settings = ServerSettings(home=home, repositories=(str(repository.path),))
    opened = begin(settings, str(repository.path), Wanted(), Capability(None, None, "none"))
    with opened.held:
        refresh_views(opened)
        copy = TestSource("test_copy.py", "test_io", "x = 1\n", "d", folder="tests/unit")
        at_root = TestSource("test_copy.py", "test_io", "x = 1\n", "d", folder=".")
        assert unlike_at_base(copy, opened.sides) == "tests/conftest.py"
        assert unlike_at_base(at_root, opened.sides) == ""
