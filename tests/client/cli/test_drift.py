"""``guardian drift``: two commits and the work tree, intent, and the MCP answer."""

import json

import pytest
from fastmcp import Client

from repo_guardian.server.app import build_server
from repo_guardian.server.session.drift import version_step
from repo_guardian.server.settings import ServerSettings

BEFORE = {
    "pkg/__init__.py": "from pkg.io import load, save\n",
    "pkg/io.py": (
        "LIMIT = 10\n\n\ndef load(path, strict=False):\n    return path\n\n\n"
        "def save(path):\n    return path\n"
    ),
    "pkg/app.py": "import pkg\n\n\ndef run():\n    pkg.save('x')\n    return pkg.load('x')\n",
    "tests/test_io.py": "import pkg\n\n\ndef test_save():\n    assert pkg.save('x')\n",
    "CHANGES.md": "# 1.0\n",
}
AFTER = {
    "pkg/io.py": (
        "LIMIT = 20\n\n\ndef load(path, strict):\n    return path\n\n\n"
        "def save(path, mode):\n    return path\n"
    ),
    "CHANGES.md": "# 1.1\n- `save` takes a mode\n\n# 1.0\n",
}


@pytest.fixture
def changed(repository):
    repository.commit(BEFORE, "first")
    repository.git("tag", "v1.0.0")
    repository.commit(AFTER, "Take more arguments")
    repository.git("tag", "v1.1.0")
    return repository


def lines(answer):
    return [item["signal"]["line"] for item in answer["items"]]


def test_what_nothing_announced_comes_first(changed, guardian):
    answer = json.loads(guardian("drift", changed.path, "--json").out)
    assert lines(answer) == [
        "pkg.io.load: parameter 'strict' became required (was strict=False); "
        "1 of 1 call still uses the old form",
        "pkg.io.LIMIT: is 20 (was 10); nothing in the repository uses it",
        "pkg.io.save: required parameter 'mode' was added; 2 of 2 calls still use the old form",
    ]
    announced = answer["items"][2]["intent"]
    assert announced["announced"] and not answer["items"][0]["intent"]["announced"]
    assert announced["changelog"] == [{"where": "CHANGES.md", "line": "- `save` takes a mode"}]
    assert answer["totals_by_kind"] == {"contract_changed": 2, "definition_altered": 1}
    assert (answer["total"], answer["unannounced_total"], answer["files_changed"]) == (3, 2, 2)
    assert (answer["base_version"], answer["version"], answer["step"]) == ("1.0.0", "1.1.0", "minor")
    assert answer["base"] == changed.git("rev-parse", "HEAD~1")


def test_for_a_person(changed, guardian):
    before = changed.fingerprint()
    out = guardian("drift", changed.path, "v1.0.0", "v1.1.0").out
    silent, _, told = out.partition("announced, or followed by a test or a commit message")
    assert "version 1.0.0 to 1.1.0, a minor step: no break is promised" in silent
    assert "contract pkg.io.load: parameter 'strict' became required" in silent
    assert "- load(path, strict=False)\n         + load(path, strict)\n" in silent
    assert "pkg/app.py:6  return pkg.load('x')\n             misses the required argument 'strict'" in silent
    assert "contract pkg.io.save" in told and "pkg/app.py:5" not in told
    assert "pkg/app.py:5" in guardian("drift", changed.path, "--all").out
    assert changed.fingerprint() == before


def test_the_uncommitted_work_tree(changed, guardian):
    (changed.path / "pkg/io.py").write_text(
        AFTER["pkg/io.py"].replace("def save(path, mode)", "def store(path)")
    )
    (changed.path / "pkg/new.py").write_text("import pkg\n\npkg.save('x', 'w')\n")
    before = changed.fingerprint()
    for arguments in (("WORKTREE",), ("HEAD", "WORKTREE")):
        answer = json.loads(guardian("drift", changed.path, *arguments, "--json").out)
        assert answer["work_tree"] is True
        assert answer["base"] == changed.git("rev-parse", "HEAD")
        assert [line for line in lines(answer) if line.startswith("function pkg.io.save was removed")]
        places = {d["location"]["path"] for i in answer["items"] for d in i["signal"]["dependents"]}
        assert "pkg/new.py" in places
    assert changed.fingerprint() == before
    assert "to work tree" in guardian("drift", changed.path, "WORKTREE").out


def test_nothing_changed_and_what_cannot_be_compared(changed, guardian):
    same = guardian("drift", changed.path, "HEAD", "HEAD")
    assert (same.code, same.out.splitlines()[-1].startswith("no drift:")) == (0, True)
    (changed.path / ".gitattributes").write_text("*.py filter=x\n")
    (changed.path / "pkg/io.py").write_text("")
    out = guardian("drift", changed.path, "WORKTREE").out
    assert "1 paths of the work tree were not compared:\n  pkg/io.py: the attribute filter=x" in out


def test_a_root_commit_is_compared_with_nothing(changed, guardian):
    answer = json.loads(guardian("drift", changed.path, "v1.0.0~0^{commit}", "--json").out)
    assert answer["total"] == 3
    root = guardian("drift", changed.path, "--json")
    assert root.code == 0


@pytest.mark.parametrize(
    ("arguments", "says"), [(("nope",), "nope"), (("HEAD", "nope"), "nope"), (("--x",), "--x")]
)
def test_bad_revisions_are_usage_errors(changed, guardian, arguments, says):
    ran = guardian("drift", changed.path, *arguments)
    assert ran.code == 2
    assert says in ran.err


async def test_the_command_and_the_tool_say_the_same(changed, guardian, home):
    printed = json.loads(guardian("drift", changed.path, "v1.0.0", "--json").out)
    settings = ServerSettings(home=home, repositories=(str(changed.path),))
    async with Client(build_server(settings)) as client:
        told = (await client.call_tool("drift_between", {"base": "v1.0.0"})).structured_content
    assert told == printed


def test_what_running_adds(repository, guardian):
    body = "def clamp(x, low, high):\n    return max(low, min(x, high{}))\n"
    test = "from pkg import clamp\n\n\ndef test_it():\n    assert clamp(10, 0, 5) == 5\n"
    far = "def test_far():\n    pass\n"
    repository.commit(
        {"pkg/__init__.py": body.format(""), "tests/test_it.py": test, "tests/test_far.py": far}, "first"
    )
    repository.commit({"pkg/__init__.py": body.format(" - 1")}, "Faster")
    before = repository.fingerprint()
    report = json.loads(guardian("drift", repository.path, "--run", "--sandbox", "bubblewrap", "--json").out)
    assert report["structure"]["total"] == 0
    executed = report["executed"]
    (found,) = executed["divergences"]
    assert (found["symbol"], found["call"]) == ("pkg.clamp", "([10, 0, 5], {})")
    assert (found["before"], found["after"]) == ("gives 5", "gives 4")
    assert found["recorded_diverging"] == 1
    assert executed["tests_selected"] == ["tests/test_it.py"]
    (delta,) = executed["tests"]
    assert (delta["test_id"], delta["kind"], delta["confirmed"]) == (
        "tests/test_it.py::test_it",
        "newly_failing",
        True,
    )
    assert repository.fingerprint() == before
    text = guardian("drift", repository.path, "--run", "--sandbox", "bubblewrap", "--whole-suite").out
    assert "behaves  pkg.clamp: " in text
    assert "- gives 5\n         + gives 4" in text
    assert "1 file uses it; a test can show the difference" in text
    assert "tests: 1 of 2 differ\nnewly failing: tests/test_it.py::test_it" in text


def test_a_sandbox_that_is_not_there_is_an_environment_error(changed, guardian):
    ran = guardian("drift", changed.path, "--run", "--sandbox", "nonsense")
    assert ran.code == 2
    assert "nonsense" in ran.err


@pytest.mark.parametrize(
    ("old", "new", "step"),
    [
        ("1.0.0", "2.0.0", "major"), ("1.0.0", "1.1.0", "minor"), ("1.0", "1.0.1", "patch"),
        ("0.2.0", "0.3.0", "major"),
        ("0.2.0", "0.2.1", "patch"), ("1.0", "1.0.0", ""), ("1.0", "1.0.post3", "other"),
        ("2.0", "1.0", "other"),
        ("", "1.0", ""), ("1.0", "", ""),
    ],
)  # fmt: skip
def test_version_steps(old, new, step):
    assert version_step(old, new) == step
