"""``guardian search``: finds what is there, finds nothing where nothing is, and shows no secret."""

import json

import pytest

TOKEN = "ghp_" + "1a2B3c4D5e6F7g8H9i0J" * 2
RETRY = '''"""Counting retries of failed requests."""


def count_retries(attempts, limit):
    """How many retries of a request are left before the limit."""
    return limit - attempts
'''
HEADER = '''def parse_header(line):
    """Split a header line."""
    return line.split(":")
'''
LOGIN = f"""def authenticate():
    # Log in with the deploy credential.
    return '{TOKEN}'
"""
FILES = {
    "net/__init__.py": "",
    "net/retry.py": RETRY,
    "net/header.py": HEADER,
    "net/login.py": LOGIN,
    "README.md": "# Net\n\nA small library that retries requests and parses headers.\n",
    ".env": "DEPLOY_CREDENTIAL=zebra_crossing_giraffe\n",
}


@pytest.fixture
def small(repository):
    repository.commit(FILES, "first")
    return repository


def search(guardian, repository, *arguments):
    ran = guardian("search", repository.path, *arguments, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_words_and_names_find_their_place_on_a_fresh_state_directory(small, guardian):
    before = small.fingerprint()
    ran = guardian("search", small.path, "count retries", "--json")
    assert "building the views" in ran.err
    answer = json.loads(ran.out)
    best = answer["hits"][0]
    assert (best["rank"], best["location"]["path"]) == (1, "net/retry.py")
    assert {route["route"] for route in best["routes"]} >= {"lexical"}
    named = search(guardian, small, "parse_header")["hits"][0]
    assert named["symbol"] == "net.header.parse_header"
    assert named["location"]["text"].startswith("def parse_header(line):")
    assert small.fingerprint() == before


def test_routes_and_limits(small, guardian):
    only = search(guardian, small, "parse_header", "--route", "lexical", "--limit", "1")
    assert [[route["route"] for route in hit["routes"]] for hit in only["hits"]] == [["lexical"]]
    both = search(guardian, small, "parse_header", "--route", "lexical", "--route", "graph")
    assert {route["route"] for hit in both["hits"] for route in hit["routes"]} == {"lexical", "graph"}


def test_what_nothing_is_about_finds_nothing_and_says_so(small, guardian):
    query = "sourdough baking temperature"
    answer = search(guardian, small, query)
    assert answer["hits"] == []
    assert answer["reason"]
    shown = guardian("search", small.path, query)
    assert shown.code == 0
    assert f"nothing here is about '{query}'" in shown.out


def test_secrets_are_not_found_and_not_shown(small, guardian):
    answer = search(guardian, small, "zebra_crossing_giraffe")
    assert answer["hits"] == []
    assert answer["withheld"] == 1
    found = search(guardian, small, "authenticate deploy credential")
    assert "net/login.py" in [hit["location"]["path"] for hit in found["hits"]]
    assert TOKEN[8:30] not in json.dumps(found)
    assert TOKEN[8:30] not in guardian("search", small.path, "authenticate deploy credential").out


def test_the_commit_is_named_and_older_ones_can_be_searched(small, guardian):
    small.commit({"net/header.py": "def split_it(line):\n    return line\n"}, "second")
    assert search(guardian, small, "parse_header", "--at", "HEAD~1")["hits"][0]["symbol"].endswith(
        "parse_header"
    )
    now = search(guardian, small, "parse_header")
    assert all(hit["symbol"] != "net.header.parse_header" for hit in now["hits"])
    (small.path / "new.py").write_text("x\n")
    assert "not committed, so not looked at: 1 untracked" in guardian("search", small.path, "split_it").out


def test_for_a_person(small, guardian):
    out = guardian("search", small.path, "parse_header").out
    assert "net/header.py:1-3  net.header.parse_header\n" in out
    assert "lexical #1 " in out
    assert "1 file not searched: they look like secrets" in out


@pytest.mark.parametrize("query", ["", "   ", "x" * 3000, "\x00"])
def test_odd_queries(small, guardian, query):
    ran = guardian("search", small.path, query)
    assert ran.code in (0, 2)
    assert "Traceback" not in ran.err
    assert ran.code == 0 or ran.out == ""


@pytest.mark.parametrize("arguments", [["--route", "smell"], ["--limit", "0"], ["--at", "nowhere"]])
def test_bad_options(small, guardian, arguments):
    ran = guardian("search", small.path, "retries", *arguments)
    assert (ran.code, ran.out) == (2, "")


def test_hostile_names_and_texts_are_found_shown_and_never_act(repository, guardian):
    evil = b"ev\x1b]0;title\x07il\nname\xff.md"
    repository.commit({evil: "# Zebra\x1b[2J crossing\n\nWhere giraffes wait for zebras.\n"}, "\x1b[1m\u202e")
    answer = search(guardian, repository, "giraffes zebras wait")
    assert answer["hits"][0]["location"]["path"] == "ev\x1b]0;title\x07il\nname\\xff.md"
    out = guardian("search", repository.path, "giraffes zebras wait").out
    assert "ev\\x1b]0;title\\x07il\\nname\\xff.md:1-3" in out
    assert all(character.isprintable() or character == "\n" for character in out)


def test_the_routes_and_views_on_offer_are_the_ones_there_are():
    from repo_guardian.client.cli.commands.search import ROUTES
    from repo_guardian.client.cli.commands.views import VIEWS
    from repo_guardian.tools.retrieval.interface import Route
    from repo_guardian.tools.views import interface

    assert tuple(Route) == ROUTES
    assert interface.VIEWS == VIEWS
