"""``guardian check`` in full, ``repro``, ``dismiss``, ``accept``: real sandbox, memory and programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from repo_guardian.memory_store import open_store

BEFORE = {
    "pkg/__init__.py": "",
    "pkg/io.py": (
        "def load(path, strict=False):\n    return path\n\n\ndef half(number):\n    return number // 2\n"
    ),
    "pkg/app.py": "from pkg.io import load\n\n\ndef run():\n    return load('x')\n",
    "tests/test_io.py": ("from pkg.io import half\n\n\ndef test_half():\n    assert half(5) == 2\n"),
}
BROKEN = BEFORE["pkg/io.py"].replace("strict=False", "strict")


@pytest.fixture
def broken(repository):
    """A work tree in which an argument became required, and a caller that has not followed."""
    repository.commit(BEFORE, "first")
    (repository.path / "pkg/io.py").write_text(BROKEN)
    return repository


def key_of(told):
    (finding,) = told.report["findings"]
    return finding["key"]


def sides(probes):
    return [(p["side"], p["outcomes"][0]["outcome"]) for p in probes if p["outcomes"]]


PROVEN = [("current", "failed"), ("base", "passed"), ("reverted", "passed")]


def test_a_check_proves_and_the_proof_can_be_kept_made_again_and_taken_elsewhere(
    broken, guardian, home, tmp_path
):
    before = broken.fingerprint()
    test, sarif = tmp_path / "test_kept.py", tmp_path / "out.sarif"
    told = guardian(
        *("check", broken.path, "--json", "--fail-on", "finding", "--write-test", test, "--sarif", sarif)
    )
    assert told.code == 1, told.err
    (finding,) = told.report["findings"]
    assert sides(finding["trace"]) == PROVEN
    assert told.report["cycle"]["scope"] == "worktree"
    assert "the test of h1 is in" in told.err
    assert test.read_text() == finding["trace"][0]["test_source"]
    (result,) = [r for r in json.loads(sarif.read_text())["runs"][0]["results"] if r["level"] == "error"]
    assert finding["key"] in json.dumps(result["partialFingerprints"])

    again = guardian("repro", finding["key"][:8], broken.path)
    assert again.code == 0, again.err
    assert "as it was checked: it holds" in again.out
    assert again.out.count("PASSED") == 2 and again.out.count("FAILED") == 1

    (broken.path / "pkg/io.py").write_text(BEFORE["pkg/io.py"] + "\n\nMORE = 1\n")
    answer = guardian("repro", "h1", broken.path, "--json").report
    assert [(p["place"], p["holds"]) for p in answer["places"]] == [
        ("as it was checked", True),
        ("the work tree as it is now", False),
    ]
    (broken.path / "pkg/io.py").write_text(BROKEN)

    program = tmp_path / "proof.py"
    assert guardian("repro", "h1", broken.path, "--export", program).code == 0
    assert guardian("repro", "h1", broken.path, "--export", program).code == 2
    assert "WITHOUT" not in program.read_text() and "OUTSIDE OF ANY SANDBOX" in program.read_text()
    done = subprocess.run(
        [sys.executable, program, broken.path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.stdout.splitlines()[-3:] == [
        "with the change  FAILED",
        "without it       PASSED",
        "it holds",
    ], done.stdout + done.stderr
    assert done.returncode == 0
    assert {k: v[2] for k, v in broken.fingerprint().items()} == {k: v[2] for k, v in before.items()}

    (state,) = [path for path in home.iterdir() if path.name.startswith("watched-")]
    memory = open_store(state / "memory")
    assert (memory.summary().cycles, memory.summary().hypotheses, memory.interrupted()) == (0, 0, ())
    assert sorted(path.name for path in (state / "checks").iterdir()) == ["last.json"]


def test_tests_that_fail_for_what_is_proven_are_told_with_it(repository, guardian):
    test = "from pkg.app import run\n\n\ndef test_run():\n    assert run() == 'x'\n"
    repository.commit(BEFORE | {"tests/test_app.py": test}, "first")
    (repository.path / "pkg/io.py").write_text(BROKEN)
    told = guardian("check", repository.path)
    assert "1 test of this repository fails with what h1 proves, among them tests/test_app.py" in told.out
    assert "1 proven (" in told.out
    assert "\ndiffers" not in told.out


def test_a_dismissed_finding_is_silent_until_its_file_changes(broken, guardian):
    key = guardian("check", broken.path, "--fast", "--json").report["unproven"][0]["key"]
    refused = guardian("dismiss", key, broken.path, "--reason", "  ")
    assert (refused.code, "needs its reason" in refused.err) == (2, True)
    said = guardian("dismiss", key[:6], broken.path, "--reason", "as meant")
    assert said.code == 0, said.err
    assert (
        said.out.startswith(f"dismissed {key} of the last check: ") and "until pkg/io.py changes" in said.out
    )

    for arguments in (("--fast",), ()):
        told = guardian("check", broken.path, *arguments, "--json", "--fail-on", "lagging")
        assert told.code == 0, told.err
        assert (told.report["findings"], told.report["unproven"]) == ([], [])
        (spoken,) = told.report["other_hypotheses"]
        assert (spoken["key"], spoken["word"]["word"], spoken["word"]["current"]) == (key, "dismissed", True)
        assert spoken["trace"] == []
    assert "1 dismissed by you and unchanged since" in guardian("check", broken.path, "--fast").out

    (broken.path / "pkg/io.py").write_text(f"# touched\n{BROKEN}")
    told = guardian("check", broken.path, "--fast", "--json", "--fail-on", "lagging")
    assert (told.code, [s["key"] for s in told.report["unproven"]]) == (1, [key])


def test_a_cycle_hears_a_word_that_was_said_of_a_check(broken, guardian):
    key = guardian("check", broken.path, "--fast", "--json").report["unproven"][0]["key"]
    said = guardian("accept", key, broken.path, "--reason", "in the changelog", "--json").report
    assert (said["word"], said["files"], said["told_by"]) == ("accepted", ["pkg/io.py"], "the last check")
    broken.git("commit", "--all", "--quiet", "--message", "break it")
    report = guardian("cycle", broken.path, "--json").report
    assert report["findings"] == []
    (hypothesis,) = [h for h in report["other_hypotheses"] if h["key"] == key]
    assert (hypothesis["word"]["word"], hypothesis["word"]["reason"]) == ("accepted", "in the changelog")
    shown = guardian("memory", "show", broken.path)
    assert "accepted" in shown.out and "in the changelog" in shown.out
    assert guardian("dismiss", "1:h1", broken.path, "--reason", "on second thoughts").code == 0


def test_measuring_proves_nothing(broken, guardian):
    (broken.path / "pkg/io.py").write_text(BROKEN.replace("number // 2", "number / 2"))
    told = guardian("check", broken.path, "--no-investigate", "--json")
    assert told.code == 0, told.err
    assert (told.report["findings"], told.report["other_hypotheses"]) == ([], [])
    kinds = {signal["kind"] for signal in told.report["unproven"]}
    assert {"contract_changed", "behaviour_changed", "test_changed"} <= kinds
    assert told.report["executed"]["tests_compared"] == 1
    refused = guardian("repro", told.report["unproven"][0]["key"], broken.path)
    assert (refused.code, "no test was written" in refused.err) == (2, True)


def test_a_test_that_fails_now_is_proven_and_proven_again_by_itself(repository, guardian, tmp_path):
    repository.commit(BEFORE, "first")
    changed = BEFORE["pkg/io.py"].replace("number // 2", "number / 2")
    (repository.path / "pkg/io.py").write_text(changed)
    report = guardian("check", repository.path, "--json", "--write-test", tmp_path).report
    found = {finding["signals"][0]["kind"]: finding for finding in report["findings"]}
    assert set(found) == {"behaviour_changed", "test_changed"}
    assert all(sides(finding["trace"]) == PROVEN for finding in found.values())
    assert len(list(tmp_path.glob("test_guardian_*.py"))) == 2

    failing = found["test_changed"]
    assert failing["trace"][0]["test_id"] == "tests/test_io.py::test_half"
    again = guardian("repro", failing["id"], repository.path, "--json").report
    assert [(place["holds"], sides(place["probes"])) for place in again["places"]] == [(True, PROVEN)]
    program = tmp_path / "proof.py"
    assert guardian("repro", failing["id"], repository.path, "--export", program).code == 0
    done = subprocess.run(
        [sys.executable, program, repository.path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "it holds"), done.stdout + done.stderr


def test_without_git_the_machine_cannot(broken, guardian, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere-at-all")
    refused = guardian("check", broken.path, "--fast")
    assert (refused.code, "git is not installed" in refused.err) == (3, True)


@pytest.mark.parametrize("asked", ["h9", "3:h1", "abc", "abcdef0", "0:h1", "h0", ""])
def test_what_names_nothing_is_refused(broken, guardian, asked):
    guardian("check", broken.path, "--fast")
    for command in (("repro", asked), ("dismiss", asked, "--reason", "x")):
        refused = guardian(command[0], command[1], broken.path, *command[2:])
        assert refused.code == 2, refused.out
        assert refused.err.startswith("guardian: ")


def test_the_beginning_of_two_keys_is_refused(broken, guardian, home):
    report = guardian("check", broken.path, "--fast", "--json").report
    (signal,) = report["unproven"]
    twins = [{**signal, "key": f"abcdef{number}"} for number in range(2)]
    (last,) = home.glob("watched-*/checks/last_fast.json")
    last.write_text(json.dumps({**report, "unproven": twins}))
    refused = guardian("dismiss", "abcdef", broken.path, "--reason", "x")
    assert (refused.code, "abcdef0, abcdef1" in refused.err) == (2, True)
    last.write_text("{")
    assert guardian("dismiss", "abcdef0", broken.path, "--reason", "x").code == 2


def test_tests_are_written_where_nothing_lies(broken, guardian, tmp_path):
    there = tmp_path / "there.py"
    there.write_text("mine\n")
    refused = guardian("check", broken.path, "--write-test", there)
    assert (refused.code, there.read_text()) == (2, "mine\n")
    told = guardian("check", broken.path, "--fast", "--write-test", tmp_path / "none.py")
    assert (told.code, (tmp_path / "none.py").exists()) == (0, False)
    assert "nothing was proven" in told.err
