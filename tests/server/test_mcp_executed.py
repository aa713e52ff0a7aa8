"""``signals_execute`` over MCP: what running both commits adds to a cycle, in a real sandbox."""

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from repo_guardian.server.app import build_server
from repo_guardian.server.settings import ServerSettings

BEFORE = {
    "pkg/__init__.py": (
        "def clamp(x, low, high):\n    return max(low, min(x, high))\n\n\n"
        "def label(x):\n    return str(clamp(x, 0, 9))\n"
    ),
    "tests/test_clamp.py": (
        "import pytest\n\nfrom pkg import clamp, label\n\n\n"
        "@pytest.mark.parametrize('x', [10, 20])\ndef test_high(x):\n    assert clamp(x, 0, 5) == 5\n\n\n"
        "def test_label():\n    assert label(10) == '9'\n"
    ),
    "tests/test_far.py": "def test_far():\n    pass\n",
}
AFTER = {"pkg/__init__.py": BEFORE["pkg/__init__.py"].replace("min(x, high)", "min(x, high - 1)")}


async def call(client, tool, **arguments):
    return (await client.call_tool(tool, arguments)).structured_content


@pytest.fixture
def server(repository, home):
    def build():
        return build_server(
            ServerSettings(home=home, repositories=(str(repository.path),), sandbox="bubblewrap")
        )

    return build


async def begin(client, repository):
    cycle = (await call(client, "cycle_begin", repository=str(repository.path)))["cycle_id"]
    await call(client, "cycle_refresh", cycle_id=cycle)
    return cycle


async def test_running_adds_ranked_signals_and_a_prober_knows_them(repository, server):
    repository.commit(BEFORE)
    repository.commit(AFTER, "Faster")
    before = repository.fingerprint()
    steps = []

    async def progress(_number, _total, message):
        steps.append(message)

    async with Client(server()) as client:
        cycle = await begin(client, repository)
        quiet = await call(client, "signals_observe", cycle_id=cycle)
        assert {item["kind"] for item in quiet["items"]} <= {"churn"}
        result = await client.call_tool("signals_execute", {"cycle_id": cycle}, progress_handler=progress)
        executed = result.structured_content
        assert (executed["functions_changed"], executed["functions_compared"]) == (1, 1)
        assert (executed["tests_compared"], executed["whole_suite"], executed["problems"]) == (3, False, [])
        assert executed["added"] == 2
        assert "comparing the suites" in steps
        page = await call(client, "signals_observe", cycle_id=cycle)
        test, behaviour = page["items"][:2]
        assert test["kind"] == "test_changed"
        assert test["line"] == (
            "tests/test_clamp.py::test_label passed at the base and fails now: "
            "AssertionError: assert '8' == '9'; 2 other tests fail for the same cause"
        )
        assert (test["lagging_total"], test["detail"]["suspects"]) == (3, "pkg.clamp")
        assert behaviour["kind"] == "behaviour_changed"
        assert behaviour["line"].startswith(
            "pkg.clamp(10, 0, 5) gives 4 (at the base it gives 5): a call that the tests make; "
        )
        assert (behaviour["before"], behaviour["after"]) == ("gives 5", "gives 4")
        assert {d["symbol"] for d in behaviour["dependents"]} >= {"pkg.label"}
        assert behaviour["lagging_total"] == 0 and behaviour["public"]
        again = await call(client, "signals_execute", cycle_id=cycle)
        assert again == executed
        assert (await call(client, "signals_observe", cycle_id=cycle)) == page
    assert repository.fingerprint() == before


async def test_the_first_commit_has_nothing_to_compare_with(repository, server):
    repository.commit(BEFORE)
    async with Client(server()) as client:
        cycle = await begin(client, repository)
        executed = await call(client, "signals_execute", cycle_id=cycle)
        assert executed["added"] == 0
        assert executed["problems"] == ["there is no base to compare with: the commit is the first one"]


async def test_before_the_views_are_loaded_nothing_runs(repository, server):
    repository.commit(BEFORE)
    async with Client(server()) as client:
        cycle = (await call(client, "cycle_begin", repository=str(repository.path)))["cycle_id"]
        with pytest.raises(ToolError, match="call cycle_refresh first"):
            await client.call_tool("signals_execute", {"cycle_id": cycle})


async def test_what_is_not_done_in_time_is_given_up_and_told(repository, server):
    slow = "import time\n\nimport pkg\n\n\ndef test_slow():\n    time.sleep(30)\n    pkg.clamp(1, 2, 3)\n"
    repository.commit({**BEFORE, "tests/test_slow.py": slow})
    repository.commit(AFTER, "Faster")
    async with Client(server()) as client:
        cycle = await begin(client, repository)
        executed = await call(client, "signals_execute", cycle_id=cycle, wall_s=4)
        assert executed["added"] == 0
        assert [problem.partition(" was given up")[0] for problem in executed["problems"]] == [
            "replaying calls",
            "comparing the suites",
        ]
        assert (await call(client, "status"))["open_cycles"] == [cycle]
        ended = await call(client, "cycle_discard", cycle_id=cycle, reason="enough")
        assert ended["rows"] == {}


async def test_a_test_file_that_can_no_longer_be_imported_is_a_changed_test(repository, server):
    core = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    tests = {
        "tests/test_f.py": "from pkg.core import f\n\n\ndef test_f():\n    assert f() == 1\n",
        "tests/test_g.py": "from pkg.core import g\n\n\ndef test_g():\n    assert g() == 2\n",
    }
    repository.commit({"pkg/__init__.py": "", "pkg/core.py": core, **tests})
    repository.commit({"pkg/core.py": core.partition("\n\n\n")[2]}, "Tidy")
    async with Client(server()) as client:
        cycle = await begin(client, repository)
        executed = await call(client, "signals_execute", cycle_id=cycle)
        assert (executed["added"], executed["problems"]) == (1, [])
        page = await call(client, "signals_observe", cycle_id=cycle)
        lost = page["items"][0]
        assert lost["line"].startswith(
            "tests/test_f.py can no longer be collected, and its 1 test with it: "
            "ImportError: cannot import name 'f' from 'pkg.core'"
        )
        assert lost["detail"]["suspects"] == "pkg.core.f"
        assert page["items"][1]["kind"] == "symbol_removed"
