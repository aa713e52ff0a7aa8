"""The probes that look around, over MCP and in a real sandbox: uses, imports, scripts, the own tests."""

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from repo_guardian.server.app import build_server
from repo_guardian.server.settings import ServerSettings

PKG = "def f(a=1):\n    return a\n\n\ndef g():\n    return f()\n"
BEFORE = {
    "pkg/__init__.py": "",
    "pkg/core.py": PKG,
    "pkg/user.py": (
        "from pkg.core import f\n\nREGISTRY = {'f': 'pkg.core:f'}\n\n\ndef use():\n    return f(2)\n"
    ),
    "pkg/apart.py": "def f():\n    return 'another'\n\n\nf()\n",
    "pkg/exits.py": "import pkg.core\n\nraise SystemExit(3)\n",
    "docs/guide.md": "Call `f` and then `g`; not `ff`.\n",
    ".env": "f=1\n",
    "tests/test_core.py": (
        "import pytest\n\nfrom pkg.core import g\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_g(n):\n    assert g() == 1\n\n\n"
        "def test_other():\n    assert True\n"
    ),
    "tests/test_user.py": "import pkg.user\n\n\ndef test_use():\n    assert pkg.user.use() == 2\n",
}
AFTER = {"pkg/core.py": "def g():\n    return 2\n"}
DRAFT = {
    "claim": "f is gone",
    "consequence": "pkg.user fails",
    "remedy": {"change": "restore_compatibility", "locus": {"files": ["pkg/core.py"]}, "text": "keep f"},
    "origin": "exploration",
    "locus": {"files": ["pkg/core.py"], "symbols": ["pkg.core.f"]},
}


async def call(client, tool, **arguments):
    return (await client.call_tool(tool, arguments)).structured_content


class Cycle:
    """A cycle with one hypothesis, whose probes are called by name."""

    def __init__(self, client, cycle_id):
        self._client = client
        self._cycle_id = cycle_id

    async def __call__(self, tool, **arguments):
        return await call(
            self._client, f"probe_{tool}", cycle_id=self._cycle_id, hypothesis_id="h1", **arguments
        )

    async def state(self):
        return await call(self._client, "cycle_state", cycle_id=self._cycle_id)

    async def grade(self, proposal):
        return await call(self._client, "hypothesis_grade", cycle_id=self._cycle_id, proposal=proposal)

    async def persist(self):
        close = {"policy": "by hand", "exit_reason": "submitted", "wall_s": 1.0}
        return await call(self._client, "cycle_persist", cycle_id=self._cycle_id, close=close)


@pytest.fixture
async def probe(repository, home):
    repository.commit(BEFORE)
    repository.commit(AFTER, "Simplify")
    fingerprint = repository.fingerprint()
    settings = ServerSettings(home=home, repositories=(str(repository.path),), sandbox="bubblewrap")
    async with Client(build_server(settings)) as client:
        cycle = (await call(client, "cycle_begin", repository=str(repository.path)))["cycle_id"]
        await call(client, "cycle_refresh", cycle_id=cycle)
        await call(client, "hypothesis_write", cycle_id=cycle, draft=DRAFT)
        yield Cycle(client, cycle)
    assert repository.fingerprint() == fingerprint


async def test_uses_of_a_symbol_that_is_gone_and_mentions_that_no_graph_holds(probe):
    now = await probe("call_sites", symbol="pkg.core.f")
    assert (now["id"], now["evidence"], now["side"]) == ("p1", "source", "current")
    sites = [
        (s["location"]["path"], s["location"]["start_line"], s["how"]) for s in now["call_sites"]["sites"]
    ]
    assert ("docs/guide.md", 1, "text") in sites
    assert ("pkg/user.py", 3, "text") in sites
    assert {path for path, _, how in sites if how != "text"} == {"pkg/user.py"}
    assert not [site for site in sites if site[0] in (".env", "pkg/apart.py")]
    base = await probe("call_sites", symbol="core.f", side="base", parent=now["id"])
    assert (base["parent"], base["call_sites"]["symbol"]) == ("p1", "pkg.core.f")
    called = [s for s in base["call_sites"]["sites"] if s["reason"] == "call"]
    assert {s["symbol"] for s in called} == {"pkg.core.g", "pkg.user.use"}
    assert base["call_sites"]["text_total"] == 2
    cut = await probe("call_sites", symbol="pkg.core.f", limit=1)
    assert (len(cut["call_sites"]["sites"]), cut["call_sites"]["total"]) == (1, now["call_sites"]["total"])
    assert [entry["id"] for entry in (await probe.state())["probes"]] == ["p1", "p2", "p3"]
    assert now["output"].splitlines()[0] == "4 uses and mentions of pkg.core.f, 2 of them by text alone"
    for symbol in ("pkg.", " ", "a\nb"):
        with pytest.raises(ToolError, match="is no name"):
            await probe("call_sites", symbol=symbol)


async def test_imports_of_what_changed_and_of_what_imports_it(probe):
    entry = await probe("check_imports")
    assert (entry["evidence"], entry["failure"]) == ("source", "")
    found = {one["module"]: one for one in entry["imports"]["modules"]}
    assert entry["imports"]["total"] == 3
    assert entry["imports"]["modules"][0]["module"] == "pkg.user"
    user = found["pkg.user"]
    assert user["base"] == ""
    assert user["current"].startswith("ImportError: cannot import name 'f' from 'pkg.core'")
    assert user["names_locus"]
    assert (found["pkg.core"]["base"], found["pkg.core"]["current"]) == ("", "")
    assert found["pkg.exits"]["base"] == found["pkg.exits"]["current"] == "SystemExit: 3"
    assert not found["pkg.exits"]["names_locus"]
    assert (entry["imports"]["checker"], entry["imports"]["checker_note"]) == ([], "")
    assert "pkg.user: at the base imports; now ImportError: cannot import name 'f'" in entry["output"]
    one = await probe("check_imports", modules=["pkg.apart"], parent=entry["id"])
    assert [m["module"] for m in one["imports"]["modules"]] == ["pkg.apart"]
    with pytest.raises(ToolError, match="no module 'nope'"):
        await probe("check_imports", modules=["nope"])


async def test_what_a_type_checker_says_of_this_commit_alone(probe):
    entry = await probe("check_imports", types=True)
    assert entry["imports"]["checker_note"] == ""
    assert entry["imports"]["checker"] == [
        'pkg/user.py:1: Module "pkg.core" has no attribute "f"  [attr-defined]'
    ]


async def test_a_script_on_both_commits(probe, repository):
    source = (
        "import pkg.core\nprint(hasattr(pkg.core, 'f'), pkg.core.g())\nopen('left.txt', 'w').write('x')\n"
    )
    entry = await probe("run_script", source=source, where="both")
    assert (entry["evidence"], entry["tool"]) == ("source", "run_script")
    told = {ran["side"]: (ran["process_status"], ran["exit_code"], ran["stdout"]) for ran in entry["scripts"]}
    assert entry["output"] == "base, exit code 0:\nTrue 1\ncurrent, exit code 0:\nFalse 2"
    assert told == {"base": ("exited", 0, "True 1\n"), "current": ("exited", 0, "False 2\n")}
    bad = await probe("run_script", source="import socket\nsocket.create_connection(('192.0.2.1', 80), 2)\n")
    assert bad["scripts"][0]["exit_code"] == 1
    assert "unreachable" in bad["scripts"][0]["stderr"].lower()
    assert not (repository.path / "left.txt").exists()
    for source, said in (("", "empty"), ("def f(:\n", "line 1"), ("x = 1\n" * 20_000, "characters")):
        with pytest.raises(ToolError, match=said):
            await probe("run_script", source=source)


async def test_own_tests_that_reach_a_symbol_and_the_same_at_the_base(probe):
    now = await probe("existing_tests", symbol="pkg.core.g")
    outcomes = {test["test_id"]: test["outcome"] for test in now["outcomes"]}
    assert outcomes == {"tests/test_core.py::test_g[1]": "failed", "tests/test_core.py::test_g[2]": "failed"}
    assert (now["evidence"], now["repetitions"]) == ("source", 3)
    assert now["evidence_reason"] == (
        "on the code of this tree: 2 failed; to prove the claim with one, pass its id to probe_prove as "
        "existing: tests/test_core.py::test_g[1]"
    )
    assert now["outcomes"][0]["reason"].startswith("AssertionError: assert 2 == 1")
    base = await probe("existing_tests", parent=now["id"])
    assert (base["parent"], base["side"], base["transition"]) == (now["id"], "base", None)
    assert base["evidence_reason"] == (
        "on the code of this tree: 2 passed; of 2 that fail at the commit 2 pass here"
    )
    await probe("run_script", source="print(1)", parent=base["id"])
    proposal = {
        "hypothesis_id": "h1",
        "grade": "supported",
        "reason": "tests fail",
        "citations": ["p1", "p2", "p3"],
    }
    decision = await probe.grade(proposal)
    assert not decision["admitted"]
    assert "p1 is source" in decision["reason"]
    assert (await probe.persist())["rows"]["probes"] == 3


async def test_own_tests_by_name(probe):
    named = ["tests/test_core.py", "tests/test_user.py::test_use"]
    now = await probe("existing_tests", tests=named)
    assert "1 file not collected" in now["evidence_reason"]
    assert {test["test_id"] for test in now["outcomes"]} == {
        "tests/test_core.py::test_g[1]",
        "tests/test_core.py::test_g[2]",
        "tests/test_core.py::test_other",
    }
    lost = await probe("existing_tests", tests=["tests/test_user.py::test_use"])
    assert lost["evidence"] == "environment"
    assert "cannot import name 'f'" in lost["evidence_reason"]
    for arguments, said in (
        ({"tests": ["tests/test_none.py::test_x"]}, "no test file"),
        ({}, "no test is named"),
        ({"symbol": "pkg.core.f"}, "no definition"),
        ({"symbol": "pkg.apart.f"}, "no test reaches"),
        ({"parent": "p9"}, "no ledger entry 'p9'"),
    ):
        with pytest.raises(ToolError, match=said):
            await probe("existing_tests", **arguments)
