"""The server as an MCP client sees it: over stdio as a process, and in memory, with bad calls."""

import json
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

from repo_guardian.server.app import build_server
from repo_guardian.server.settings import ServerSettings

GUARDIAN = str(Path(sys.executable).with_name("guardian"))
GOOD = {"m.py": "def f(a=1):\n    return a\n", "n.py": "from m import f\n\nf()\n", "o.py": ""}
BROKEN = {"m.py": "def f(a):\n    return a\n", "o.py": "x = 1\n"}
DRAFT = {
    "claim": "f() no longer binds",
    "consequence": "n.py fails",
    "remedy": {"change": "update_dependents", "locus": {"files": ["n.py"]}, "text": "pass a value"},
    "origin": "signal",
    "locus": {"files": ["m.py"], "symbols": ["m.f"]},
}
TOOLS = {
    "cycle_begin",
    "cycle_discard",
    "cycle_persist",
    "cycle_refresh",
    "cycle_state",
    "drift_between",
    "graph_callers",
    "graph_symbol",
    "hypothesis_grade",
    "hypothesis_write",
    "memory_findings",
    "memory_recall",
    "memory_summary",
    "memory_timeline",
    "probe_call_sites",
    "probe_check_imports",
    "probe_differential_run",
    "probe_existing_tests",
    "probe_fix",
    "probe_prove",
    "probe_run_script",
    "probe_run_test",
    "probe_synthesize_test",
    "repository_read",
    "retrieval_search",
    "signals_execute",
    "signals_observe",
    "status",
    "views_status",
}


@pytest.fixture
def broken(repository):
    repository.commit(GOOD)
    repository.commit(BROKEN)
    return repository


@pytest.fixture
def settings(broken, home):
    return ServerSettings(home=home, repositories=(str(broken.path),))


async def call(client, tool, **arguments):
    return (await client.call_tool(tool, arguments)).structured_content


async def test_a_real_client_over_stdio_proves_a_finding(broken, home):
    transport = StdioTransport(GUARDIAN, ["serve", str(broken.path), "--home", str(home)])
    async with Client(transport) as client:
        assert {tool.name for tool in await client.list_tools()} == TOOLS
        cycle = (await call(client, "cycle_begin", repository=str(broken.path)))["cycle_id"]
        await call(client, "cycle_refresh", cycle_id=cycle)
        signals = await call(client, "signals_observe", cycle_id=cycle)
        key = signals["items"][0]["key"]
        hypothesis = await call(
            client, "hypothesis_write", cycle_id=cycle, draft={**DRAFT, "signal_keys": [key]}
        )
        source = await call(client, "probe_synthesize_test", cycle_id=cycle, hypothesis_id=hypothesis["id"])
        red = await call(client, "probe_run_test", cycle_id=cycle, probe_id=source["id"])
        base = await call(client, "probe_differential_run", cycle_id=cycle, probe_id=red["id"])
        assert base["transition"] == "PASS_TO_FAIL"
        proposal = {"hypothesis_id": "h1", "grade": "finding", "verdict": "confirmed", "reason": "proven"}
        alone = await call(
            client, "hypothesis_grade", cycle_id=cycle, proposal={**proposal, "citations": [red["id"]]}
        )
        assert not alone["admitted"]
        assert "needs corroboration" in alone["reason"]
        cited = {**proposal, "citations": [red["id"], base["id"]]}
        assert (await call(client, "hypothesis_grade", cycle_id=cycle, proposal=cited))["admitted"]
        close = {"policy": "by hand", "exit_reason": "submitted", "wall_s": 1.0}
        persisted = await call(client, "cycle_persist", cycle_id=cycle, close=close)
        assert persisted["rows"]["probes"] == 3


async def test_definitions_are_static_and_honest(settings):
    async with Client(build_server(settings)) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
    assert set(tools) == TOOLS
    assert all(tool.description and tool.title for tool in tools.values())
    reads = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reads == {
        "cycle_state",
        "drift_between",
        "graph_callers",
        "graph_symbol",
        "memory_findings",
        "memory_recall",
        "memory_summary",
        "memory_timeline",
        "repository_read",
        "retrieval_search",
        "signals_observe",
        "status",
        "views_status",
    }
    told = json.dumps([tool.model_dump(mode="json") for tool in tools.values()])
    assert settings.repositories[0] not in told


BAD = [
    ("cycle_begin", {"repository": "/"}, "does not watch"),
    ("cycle_begin", {"repository": "{repo}"}, "StateLockedError"),
    ("cycle_begin", {"repository": "{repo}", "commit": 3}, "commit"),
    ("cycle_refresh", {"cycle_id": "c99"}, "begin one with cycle_begin"),
    ("signals_observe", {"cycle_id": "{cycle}", "limit": 0}, "limit"),
    ("signals_observe", {"cycle_id": "{cycle}", "offset": True}, "offset"),
    ("hypothesis_write", {"cycle_id": "{cycle}", "draft": {**DRAFT, "claim": ""}}, "claim"),
    ("hypothesis_write", {"cycle_id": "{cycle}", "draft": {**DRAFT, "grade": "finding"}}, "grade"),
    ("probe_synthesize_test", {"cycle_id": "{cycle}", "hypothesis_id": "h9"}, "no hypothesis 'h9'"),
    ("probe_run_test", {"cycle_id": "{cycle}", "probe_id": "p9"}, "no ledger entry 'p9'"),
    ("probe_fix", {"cycle_id": "{cycle}", "probe_id": "p9"}, "no ledger entry 'p9'"),
    (
        "hypothesis_grade",
        {"cycle_id": "{cycle}", "proposal": {"hypothesis_id": "h1", "grade": "finding", "reason": "x"}},
        "no hypothesis 'h1'",
    ),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), BAD)
async def test_a_bad_call_is_refused_in_words_and_the_next_one_works(settings, tool, arguments, said):
    async with Client(build_server(settings)) as client:
        (repository,) = settings.repositories
        cycle = (await call(client, "cycle_begin", repository=repository))["cycle_id"]
        await call(client, "cycle_refresh", cycle_id=cycle)
        await call(client, "signals_observe", cycle_id=cycle)
        given = {
            name: value.format(repo=repository, cycle=cycle) if isinstance(value, str) else value
            for name, value in arguments.items()
        }
        with pytest.raises(ToolError, match=said) as refusal:
            await client.call_tool(tool, given)
        assert "Traceback" not in str(refusal.value)
        assert str(settings.home) not in str(refusal.value)
        assert (await call(client, "status"))["open_cycles"] == [cycle]


async def test_steps_out_of_order_say_which_step_is_missing(settings):
    async with Client(build_server(settings)) as client:
        cycle = (await call(client, "cycle_begin", repository=settings.repositories[0]))["cycle_id"]
        with pytest.raises(ToolError, match="call cycle_refresh first"):
            await client.call_tool("signals_observe", {"cycle_id": cycle})
        hypothesis = await call(client, "hypothesis_write", cycle_id=cycle, draft=DRAFT)
        with pytest.raises(ToolError, match="call signals_observe first"):
            await client.call_tool(
                "probe_synthesize_test", {"cycle_id": cycle, "hypothesis_id": hypothesis["id"]}
            )


async def test_a_cycle_that_is_discarded_or_left_open_leaves_no_checkout_and_frees_the_lock(settings):
    async with Client(build_server(settings)) as client:
        first = await call(client, "cycle_begin", repository=settings.repositories[0])
        await call(client, "cycle_discard", cycle_id=first["cycle_id"], reason="enough")
        assert not list(settings.home.glob("watched-*/checkouts/*"))
        await call(client, "cycle_begin", repository=settings.repositories[0])
    assert not list(settings.home.glob("watched-*/checkouts/*"))
    async with Client(build_server(settings)) as client:
        third = await call(client, "cycle_begin", repository=settings.repositories[0])
        assert third["number"] == 3
        assert third["interrupted"] == []


@pytest.mark.parametrize("field", ["commit", "since"])
async def test_a_cycle_that_cannot_begin_holds_nothing(settings, field):
    async with Client(build_server(settings)) as client:
        (repository,) = settings.repositories
        with pytest.raises(ToolError, match="RevisionError"):
            await client.call_tool("cycle_begin", {"repository": repository, field: "--upload-pack=x"})
        assert (await call(client, "status"))["open_cycles"] == []
        assert (await call(client, "cycle_begin", repository=repository))["number"] == 1
