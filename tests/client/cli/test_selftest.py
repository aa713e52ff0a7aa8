"""``guardian sandbox selftest --all``: its tables, its JSON and its exit codes."""

import json

from repo_guardian.client.cli.commands.sandbox import _tables
from repo_guardian.tools.execution.selftest import FullTest, Trial

GOOD = Trial("conformance", "", "files", "", passed=True, detail="written and read")
BAD = Trial("hostile", "kernel", "mounts", "exited", passed=False, detail="gained: tmpfs")


def test_a_backend_that_isolates_nothing_is_not_attacked(guardian_process):
    ran = guardian_process("sandbox", "selftest", "--all", "--sandbox", "worktree")
    assert ran.code == 3
    assert "worktree: not available: it isolates nothing" in ran.out


def test_the_answer_as_data(guardian_process):
    ran = guardian_process("sandbox", "selftest", "--all", "--sandbox", "worktree", "--json")
    assert ran.code == 3
    (backend,) = json.loads(ran.out)["backends"]
    assert (backend["backend"], backend["passed"], backend["trials"]) == ("worktree", False, [])
    assert backend["unavailable"]


def test_an_unknown_backend_is_a_usage_error(guardian_process):
    ran = guardian_process("sandbox", "selftest", "--all", "--sandbox", "chroot")
    assert ran.code == 2
    assert "chroot" in ran.err


def test_a_table_names_outcome_and_verdict_of_each_trial():
    lines = list(_tables(FullTest("b", (GOOD, BAD))))
    assert lines[0] == "b: 1 of 2 hold"
    assert lines[1:3] == ["  conformance", "    files   -              holds  written and read"]
    assert lines[3:] == ["  hostile", "    mounts  exited         FAILS  gained: tmpfs"]
    assert FullTest("b", (GOOD,)).passed
    assert not FullTest("b", (GOOD, BAD)).passed
    assert not FullTest("b", ()).passed
