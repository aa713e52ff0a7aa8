"""Tools that need no cycle: the same answers as the command line's, bounded, and refused in words."""

import json

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from repo_guardian.server.app import build_server
from repo_guardian.server.settings import ServerSettings

FILES = {
    "m.py": "def f(a=1):\n    return a\n\n\nclass C:\n    def run(self):\n        return self.helper()\n\n"
    "    def helper(self):\n        return f()\n",
    "n.py": "from m import C, f\n\n\ndef g(thing):\n    f(2)\n    thing.helper()\n    return C().run()\n",
}


@pytest.fixture
def small(repository):
    repository.commit(FILES, "first")
    repository.commit({"n.py": FILES["n.py"] + "\n\nf(3)\n"}, "second")
    return repository


@pytest.fixture
def settings(small, home):
    return ServerSettings(home=home, repositories=(str(small.path),))


async def ask(settings, tool, **arguments):
    async with Client(build_server(settings)) as client:
        return (await client.call_tool(tool, arguments)).structured_content


async def test_callers_of_head_and_of_a_named_commit(settings, small):
    now = await ask(settings, "graph_callers", name="m.f")
    assert now["symbol"]["id"] == "m.f"
    assert [(use["location"]["path"], use["location"]["start_line"]) for use in now["callers"]] == [
        ("m.py", 10),
        ("n.py", 5),
        ("n.py", 10),
    ]
    assert now["as_of"]["commit"] == now["as_of"]["head"] == small.git("rev-parse", "HEAD")
    then = await ask(settings, "graph_callers", name="m.f", revision="HEAD~1")
    assert then["callers_total"] == 2
    assert then["as_of"]["commit"] != then["as_of"]["head"]


async def test_a_symbol_with_its_members_and_calls(settings, small):
    small.commit({"k.py": "from m import C, f\n\n\nclass D(C):\n    LIMIT = 3\n\n    def both(self, x):\n"
                  "        f(x)\n        f(x)\n        return self.run()\n"})  # fmt: skip
    answer = await ask(settings, "graph_symbol", name="D")
    assert (answer["symbol"]["id"], answer["symbol"]["kind"], answer["bases"]) == ("k.D", "class", ["C"])
    assert [member["id"] for member in answer["members"]] == ["k.D.LIMIT", "k.D.both"]
    both = await ask(settings, "graph_symbol", name="D.both()")
    assert both["symbol"]["signature"].startswith("(")
    assert [(call["target"], call["location"]["start_line"]) for call in both["calls"]] == [
        ("m.f", 8),
        ("m.C.run", 10),
    ]
    inherited = await ask(settings, "graph_symbol", name="k.D.helper", limit=1)
    assert inherited["symbol"]["id"] == "m.C.helper"
    assert inherited["used_by"] >= 1
    assert (await ask(settings, "graph_symbol", name="k.D.LIMIT"))["value"] == "3"
    unknown = await ask(settings, "graph_symbol", name="nothing")
    assert (unknown["symbol"], unknown["candidates_total"]) == (None, 0)


async def test_pages_lead_through_callers_and_then_possible_ones(settings):
    offset, seen = 0, []
    while offset is not None:
        page = await ask(settings, "graph_callers", name="m.f", possible=True, offset=offset, limit=2)
        rows = [*page["callers"], *page["possible"]]
        assert 0 < len(rows) <= 2
        assert page["callers_total"] == 3
        seen += [row["location"]["start_line"] for row in rows]
        offset = page["next_offset"]
    assert seen[:3] == [10, 5, 10]
    assert len(seen) == 3 + page["possible_total"]


@pytest.mark.parametrize(
    "arguments",
    [["m.f"], ["C.helper", "--possible"], ["helper", "--at", "HEAD~1"], ["nothing"], ["f", "--limit", "1"]],
)
async def test_the_command_line_gives_the_same_answer(settings, small, guardian_json, arguments):
    told = guardian_json("callers", small.path, *arguments)
    name, *options = arguments
    given = {"possible": "--possible" in options}
    if "--at" in options:
        given["revision"] = options[-1]
    if "--limit" in options:
        given["limit"] = int(options[-1])
    assert told == await ask(settings, "graph_callers", name=name, **given)


@pytest.mark.parametrize(
    "arguments",
    [["f"], ["run the helper", "--limit", "2"], ["helper", "--at", "HEAD~1"], ["sourdough bread"]],
)
async def test_search_on_the_command_line_gives_the_same_answer(settings, small, guardian_json, arguments):
    told = guardian_json("search", small.path, *arguments)
    query, *options = arguments
    given = {"revision": options[-1]} if "--at" in options else {}
    if "--limit" in options:
        given["limit"] = int(options[-1])
    assert told == await ask(settings, "retrieval_search", query=query, **given)


async def test_views_status_on_the_command_line_gives_the_same_answer(settings, small, guardian_json):
    assert (await ask(settings, "views_status"))["total"] == 0
    await ask(settings, "graph_callers", name="f")
    answer = await ask(settings, "views_status", limit=20)
    assert [item["commit"] for item in answer["items"]] == [small.git("rev-parse", "HEAD")]
    assert answer == guardian_json("views", "status", small.path)


async def test_pages_of_a_search_follow_one_another(settings):
    whole = await ask(settings, "retrieval_search", query="helper", limit=50)
    offset, ranks = 0, []
    while offset is not None:
        page = await ask(settings, "retrieval_search", query="helper", offset=offset, limit=1)
        ranks += [hit["rank"] for hit in page["hits"]]
        offset = page["next_offset"]
    assert ranks == [hit["rank"] for hit in whole["hits"]] == list(range(1, whole["total"] + 1))


async def test_a_file_is_read_and_what_is_not_committed_is_told(settings, small):
    (small.path / "n.py").write_text("changed\n")
    part = await ask(settings, "repository_read", path="m.py", start_line=5, lines=2)
    assert part["text"] == "class C:\n    def run(self):"
    assert (part["next_line"], part["total_lines"]) == (7, 10)
    assert part["as_of"]["dirty"]
    assert (await ask(settings, "repository_read", path="n.py"))["text"].startswith("from m")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("graph_callers", {"name": "f", "repository": "/"}, "does not watch"),
        ("graph_callers", {"name": "f", "revision": "--output=x"}, "RevisionError"),
        ("graph_callers", {"name": " "}, "the name is empty"),
        ("graph_callers", {"name": "x" * 5000}, "5000 characters"),
        ("graph_callers", {"name": "f", "limit": 0}, "limit"),
        ("retrieval_search", {"query": ""}, "the query is empty"),
        ("retrieval_search", {"query": "f", "routes": ["smell"]}, "routes"),
        ("views_status", {"repository": "elsewhere"}, "does not watch"),
        ("repository_read", {"path": "no.py"}, "there is no file"),
        ("repository_read", {"path": "m.py", "start_line": 99}, "ends at line 10"),
        ("repository_read", {"path": "m.py", "lines": 100000}, "lines"),
    ],
)
async def test_a_bad_call_is_refused_in_words(settings, tool, arguments, said):
    async with Client(build_server(settings)) as client:
        with pytest.raises(ToolError, match=said) as refusal:
            await client.call_tool(tool, arguments)
        assert "Traceback" not in str(refusal.value)
        assert str(settings.home) not in str(refusal.value)


async def test_an_answer_about_absurdly_many_callers_stays_small(settings, small):
    wide = "from m import f\n\n" + "".join(f"f({'9' * 150}, {number})\n" for number in range(2000))
    small.commit({"wide.py": wide})
    answer = await ask(settings, "graph_callers", name="m.f", limit=100)
    assert answer["callers_total"] == 2003
    assert len(json.dumps(answer)) < 30_000
    assert answer["next_offset"] == len(answer["callers"]) < 100


async def test_the_watched_repository_is_only_read(settings, small):
    before = small.fingerprint()
    await ask(settings, "graph_callers", name="m.f")
    await ask(settings, "repository_read", path="m.py")
    assert small.fingerprint() == before
