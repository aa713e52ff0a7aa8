"""What search and callers print: fits a terminal, shows guesses as such, and no text of a stranger acts."""

import pytest

from repo_guardian.client.cli.render_reading import print_callers, print_search
from repo_guardian.client.cli.terminal import clipped, padded, width
from repo_guardian.server.contract.graph import CallersAnswer, SymbolItem, UseItem
from repo_guardian.server.contract.reading import AsOf
from repo_guardian.server.contract.retrieval import RouteRank, SearchAnswer, SearchHit
from repo_guardian.server.contract.wire import Location

HOSTILE = "a\x1b[2J\nb\u202e\udcff.py"
COMMIT = "a" * 40


def as_of(**other):
    given = {"repository": "r", "commit": COMMIT, "subject": HOSTILE, "head": COMMIT, "dirty": False}
    return AsOf(**{**given, **other})


def use(resolution, guess=False, kind="call"):
    location = Location(path=HOSTILE, start_line=7, end_line=7, text=f"f({HOSTILE})")
    return UseItem(symbol=f"m.{HOSTILE}", kind=kind, location=location, resolution=resolution, guess=guess)


def callers(**other):
    location = Location(path=HOSTILE, start_line=1, end_line=2)
    symbol = SymbolItem(id="m.f", kind="function", location=location, signature="(a)", public=True)
    given = {
        "as_of": as_of(),
        "name": "f",
        "symbol": symbol,
        "callers_total": 0,
        "callers": (),
        "possible_total": 0,
    }
    return CallersAnswer(**{**given, **other})


def search(*hits, **other):
    given = {
        "as_of": as_of(),
        "query": "q",
        "total": len(hits),
        "hits": hits,
        "reason": "",
        "withheld": 0,
    }
    return SearchAnswer(**{**given, **other})


def hit(rank=1):
    location = Location(path=HOSTILE, start_line=3, end_line=9, text=f"\n  def f({HOSTILE}):\n    pass")
    routes = (RouteRank(route="lexical", rank=1, score=12.3456), RouteRank(route="vector", rank=4, score=0.5))
    return SearchHit(rank=rank, location=location, text_cut=False, symbol="m.f", score=1.0, routes=routes)


@pytest.mark.parametrize(
    "show",
    [
        lambda: print_callers(callers(callers=(use("import"),), possible=(use("unresolved"),), name=HOSTILE)),
        lambda: print_callers(callers(symbol=None, candidates=(HOSTILE,), candidates_total=1, name=HOSTILE)),
        lambda: print_search(search(hit())),
        lambda: print_search(search(query=HOSTILE, reason=HOSTILE)),
    ],
)
def test_nothing_of_a_repository_acts_on_the_terminal(show, capsys):
    show()
    out = capsys.readouterr().out
    assert "\\x1b[2J" in out
    assert all(character.isprintable() or character == "\n" for character in out), ascii(out)
    out.encode("utf-8")


def test_callers_come_one_by_one_with_how_they_were_found(capsys):
    uses = (use("import"), use("unique_name", guess=True), use("local", kind="decorate"))
    print_callers(callers(callers=uses, callers_total=3))
    out = capsys.readouterr().out
    assert "3 callers" in out
    assert "[import]" in out
    assert "[guess: the only method of this name]" in out
    assert "[decorate, same file]" in out
    assert ":7  m." in out
    assert "possible" not in out


def test_possible_callers_stand_apart_or_are_only_counted(capsys):
    print_callers(callers(possible_total=2))
    assert "2 possible callers by name alone; --possible lists them" in capsys.readouterr().out
    print_callers(
        callers(callers=(use("self"),), callers_total=1, possible=(use("unresolved"),), possible_total=1)
    )
    out = capsys.readouterr().out
    assert out.index("1 caller\n") < out.index("[self]") < out.index("1 possible caller: calls of some 'f'")


def test_an_unknown_name_lists_what_it_may_mean(capsys):
    print_callers(callers(symbol=None, candidates=("m.f", "n.f"), candidates_total=30))
    assert "'f' is not one definition; name one of 30:\n  m.f\n  n.f\n" in capsys.readouterr().out
    print_callers(callers(symbol=None))
    assert "nothing here is called 'f'" in capsys.readouterr().out


def test_hits_have_rank_place_symbol_and_routes(capsys):
    print_search(search(hit(9), hit(10), total=40, next_offset=10, withheld=2))
    out = capsys.readouterr().out
    assert " 9  a" in out
    assert ".py:3-9  m.f\n" in out
    assert "    lexical #1 12.3  vector #4 0.5\n" in out
    assert "    def f(a" in out
    assert "30 weaker candidates; raise --limit" in out
    assert "2 files not searched: they look like secrets" in out


def test_no_hits_are_said_plainly(capsys):
    print_search(search(query="how to bake bread", reason="no route is certain enough"))
    assert (
        "nothing here is about 'how to bake bread': no route is certain enough\n" in capsys.readouterr().out
    )


def test_the_commit_and_what_is_not_committed_are_told(capsys):
    print_search(search(as_of=as_of(head="b" * 40, dirty=True, changed_paths=3, untracked_paths=0)))
    out = capsys.readouterr().out
    assert out.startswith("at aaaaaaaaaaaa (not HEAD)  ")
    assert "not committed, so not looked at: 3 changed\n" in out


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [("./a/b.go.T.Run", "T.Run"), ("a/b.go.main", "main"), ("a/b.go", "(top level)"), ("pkg.b.f", "pkg.b.f")],
)
def test_a_symbol_does_not_repeat_its_path(symbol, shown, capsys):
    location = Location(path="a/b.go", start_line=7, end_line=7, text="f()")
    found = UseItem(symbol=symbol, kind="call", location=location, resolution="import", guess=False)
    print_callers(callers(callers=(found,), callers_total=1))
    assert f"a/b.go:7  {shown}  [import]\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
        ("", 0, ""),
        ("abc", 0, "…"),
    ],
)
def test_a_text_is_cut_by_what_is_seen(text, columns, shown):
    assert clipped(text, columns) == shown


def test_columns_line_up_with_wide_characters():
    assert width(padded("日本", 6)) == width(padded("ab", 6)) == 6
    assert padded("7", 3, right=True) == "  7"
