"""Clever citations and edits over MCP, in a real sandbox: none makes a grade that the runs do not carry."""

import pytest
from fastmcp import Client
from fastmcp.exceptions import ToolError

from repo_guardian.server.app import build_server
from repo_guardian.server.settings import ProbeLimits, ServerSettings

OTHER = "def label(x):\n    return x\n\n\ndef same():\n    return 1\n"
BEFORE = {"pkg/__init__.py": "", "pkg/other.py": OTHER, "pkg/calc.py": "def area(w, h):\n    return w * h\n"}
AFTER = {
    "pkg/other.py": OTHER.replace("return x\n", "return str(x)\n"),
    "pkg/calc.py": '"""Areas."""\n\n\ndef area(w, h):\n    return w * h\n',
}
SHOWS = "from pkg.other import label\n\n\ndef test_it():\n    assert label(1) == 1\n"


def drafted(symbol, **fields):
    path = f"{symbol.rpartition('.')[0].replace('.', '/')}.py"
    return {
        "claim": f"{symbol} no longer does what it did",
        "consequence": "its users break",
        "remedy": {"change": "restore_behaviour", "locus": {"files": [path]}, "text": "as it was"},
        "origin": "exploration",
        "locus": {"symbols": [symbol]},
        **fields,
    }


class Agent:
    """A client that calls tools in one cycle after the other."""

    def __init__(self, client, path):
        self._client, self._path, self._cycle = client, str(path), ""

    async def begin(self):
        begun = await self._client.call_tool("cycle_begin", {"repository": self._path})
        self._cycle = begun.structured_content["cycle_id"]
        await self("cycle_refresh")
        await self("signals_observe")

    async def __call__(self, tool, **arguments):
        answer = await self._client.call_tool(tool, {"cycle_id": self._cycle, **arguments})
        return answer.structured_content

    async def grade(self, hypothesis, grade, *citations, verdict="confirmed"):
        proposal = {"hypothesis_id": hypothesis, "grade": grade, "verdict": verdict, "reason": "so"}
        return await self("hypothesis_grade", proposal={**proposal, "citations": citations})


@pytest.fixture
async def agent(repository, home):
    repository.commit(BEFORE)
    repository.commit(AFTER)
    settings = ServerSettings(
        home=home,
        repositories=(str(repository.path),),
        sandbox="bubblewrap",
        probes=ProbeLimits(repetitions=2),
    )
    async with Client(build_server(settings)) as client:
        found = Agent(client, repository.path)
        await found.begin()
        yield found


def added(path, *lines):
    return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n" + "".join(
        f"+{line}\n" for line in lines
    )


def changed(path, to):
    return f"--- a/{path}\n+++ b/{to}\n@@ -1,2 +1,2 @@\n def label(x):\n-    return str(x)\n+    return x\n"


PATCHED = ("import pkg.other", "pkg.other.label = lambda x: x")
EDITS = {
    "outside": (changed("../pkg/other.py", "../pkg/other.py"), "outside of the repository"),
    "absolute": (changed("/repo/pkg/other.py", "/repo/pkg/other.py"), "outside of the repository"),
    "a rename": (changed("pkg/other.py", "pkg/another.py"), "renames"),
    "other line ends": (changed("pkg/other.py", "pkg/other.py").replace("\n", "\r\n"), "does not apply"),
    "a conftest": (added("conftest.py", *PATCHED), "AssertionError"),
    "the interpreter's start": (added("sitecustomize.py", *PATCHED), "reverts what the hypothesis does not"),
    "another definition": (
        "--- a/pkg/other.py\n+++ b/pkg/other.py\n@@ -4,3 +4,4 @@\n \n def same():\n     return 1\n"
        "+label = lambda x: x\n",
        "it can only support",
    ),
}


async def test_citations_and_edits_that_carry_nothing(agent, repository):
    proof = await agent("probe_prove", draft=drafted("pkg.other.label"), source=SHOWS)
    assert proof["grade"] == "finding", proof["reason"]
    true, red, before = proof["hypothesis_id"], *(entry["id"] for entry in proof["probes"][1:3])
    other = (await agent("hypothesis_write", draft=drafted("pkg.calc.area")))["id"]
    for grade in ("supported", "refuted", "finding"):
        refusal = await agent.grade(other, grade, red, before, red)
        assert (refusal["admitted"], refusal["grade"]) == (False, "conjecture")
        assert f"{red}, {before}, {red} belong to another hypothesis" in refusal["reason"]
        assert not (await agent.grade(other, grade))["admitted"]
    with pytest.raises(ToolError, match="no ledger entry 'p99'"):
        await agent.grade(true, "finding", red, "p99")
    for edit, said in EDITS.values():
        fix = await agent("probe_fix", probe_id=red, edit=edit)
        assert fix["transition"] is None
        assert said in fix["failure"] + fix["evidence_reason"]
        assert not (await agent.grade(true, "finding", red, fix["id"]))["admitted"]
    passing = await agent("probe_prove", hypothesis_id=true, source=SHOWS.replace("(1) == 1", "('') == ''"))
    assert (passing["admitted"], passing["grade"]) == (False, "finding")
    assert (await agent.grade(true, "finding", red, red, before, before))["admitted"]
    await agent("cycle_persist", close={"policy": "by hand", "exit_reason": "submitted", "wall_s": 1.0})

    repository.commit({"pkg/calc.py": "def area(w, h):\n    return h * w\n"})
    await agent.begin()
    key = (await agent("memory_findings"))["rows"][0]["key"]
    with pytest.raises(ToolError, match="an earlier claim about something else"):
        await agent("hypothesis_write", draft=drafted("pkg.calc.area", key=key))
    again = await agent("hypothesis_write", draft=drafted("pkg.other.label", key=key))
    assert again["recurrence_of"] == 1
