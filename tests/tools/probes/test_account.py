"""A run is believed only where stream, final report and exit status agree."""

import json

import pytest

from repo_guardian.sandbox.interface import CommandResult, ProcessStatus
from repo_guardian.tools.probes.account import read_account
from repo_guardian.tools.probes.interface import TestOutcome

ID = "test_x.py::test_x"


def xml(body="", outcome_tag="", test_id=ID):
    tag = f"<{outcome_tag}/>" if outcome_tag else ""
    return (
        f'<testsuites><testsuite><testcase name="n"><properties><property name="guardian_id" '
        f'value="{test_id}"/></properties>{tag}</testcase>{body}</testsuite></testsuites>'
    )


def stream(kind, **fields):
    return {"kind": "stream", "foreign": False, "record": {"kind": kind, **fields}}


def phases(outcome="passed", exception=None):
    return [
        stream("phase", id=ID, when="setup", outcome="passed"),
        stream("phase", id=ID, when="call", outcome=outcome, exception=exception),
        stream("phase", id=ID, when="teardown", outcome="passed"),
    ]


def account(*, lines=None, status=0, report=None, extra=(), finish=True, truncated=False):
    records = [stream("collected", ids=[ID])]
    records += phases() if lines is None else lines
    records += list(extra)
    if finish:
        records.append(stream("finish", status=status, loaded={"m": "/repo/m.py"}))
    records.append({"kind": "files", "before": {"/repo/m.py": "1"}, "after": {"/repo/m.py": "1"}})
    records.append({"kind": "report", "xml": xml() if report is None else report})
    records.append({"kind": "exit", "status": status})
    stdout = "".join(json.dumps(record) + "\n" for record in records).encode()
    return read_account(
        CommandResult(
            status=ProcessStatus.EXITED,
            exit_code=0,
            signal=None,
            stdout=stdout,
            stderr=b"",
            stdout_truncated=truncated,
            stderr_truncated=False,
            duration_s=0.1,
            argv=("python",),
            cwd="/tmp",
            commit="c",
            backend="b",
        )
    )


def test_a_consistent_pass_is_believed():
    run = account()
    assert run.disagreements == ()
    assert [(t.test_id, t.outcome) for t in run.tests] == [(ID, TestOutcome.PASSED)]
    assert run.loaded == (("m", "/repo/m.py"),)


def test_a_consistent_failure_carries_its_exception():
    exception = {
        "types": ["builtins.ModuleNotFoundError", "builtins.ImportError", "builtins.Exception"],
        "message": "No module\nnamed 'x' at 0x7fABC",
        "name": "x",
        "owner": None,
        "frames": [["/tmp/t.py", 3, "test_x"]],
    }
    run = account(lines=phases("failed", exception), status=1, report=xml(outcome_tag="failure"))
    assert run.disagreements == ()
    assert run.tests[0].exception.is_a("ImportError")
    assert run.tests[0].exception.line == "ModuleNotFoundError: No module named 'x' at 0x…"


@pytest.mark.parametrize(
    ("forgery", "said"),
    [
        ({"report": xml(outcome_tag="failure")}, "final report differs"),
        ({"status": 1}, "exit status is 1 where the outcomes mean 0"),
        ({"report": ""}, "final report cannot be read"),
        ({"report": "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"}, "EntitiesForbidden"),
        ({"finish": False}, "without finishing"),
        ({"lines": []}, "not the tests that were collected"),
        ({"extra": [stream("finish", status=0, loaded={})]}, "reported twice"),
        ({"extra": [stream("collected", ids=[ID])]}, "reported twice"),
        ({"extra": [stream("collected_part", ids=[ID])]}, "reported twice"),
        ({"extra": [{"kind": "stream", "foreign": True, "record": {}}]}, "another process"),
        ({"extra": [{"kind": "stream", "garbled": True}]}, "not a record"),
        ({"extra": [stream("collect_error", exception={"types": 3})]}, "malformed"),
        ({"truncated": True}, "limit on output"),
        ({"lines": phases("failed"), "status": 0, "report": xml(outcome_tag="failure")}, "outcomes mean 1"),
        ({"report": xml(test_id="another")}, "final report differs"),
    ],
)
def test_every_contradiction_is_named(forgery, said):
    assert said in "; ".join(account(**forgery).disagreements)


def read(records):
    stdout = "".join(json.dumps(record) + "\n" for record in records).encode()
    return CommandResult(ProcessStatus.EXITED, 0, None, stdout, b"", False, False, 0.1, ("x",), "/", "c", "b")


def test_a_large_collection_comes_in_parts():
    ids = ["a::b", "a::c[::]", "a::d"]
    records = [stream("collected_part", ids=ids[:2]), stream("collected", ids=ids[2:])]
    records += [stream("finish", status=0, loaded={}), {"kind": "exit", "status": 0}]
    run = read_account(read(records), collect_only=True)
    assert run.collected == tuple(ids)
    assert run.disagreements == ()
    assert "not the tests that were collected" in "; ".join(read_account(read(records)).disagreements)


def test_a_collection_that_never_ended_is_none():
    records = [stream("collected_part", ids=["a"]), {"kind": "exit", "status": 0}]
    run = read_account(read(records), collect_only=True)
    assert run.collected == ()
    assert "without finishing" in run.disagreements[0]


def test_a_failure_with_a_failed_tear_down_is_one_error():
    lines = [*phases("failed")[:2], stream("phase", id=ID, when="teardown", outcome="failed")]
    case = (
        f'<testcase><properties><property name="guardian_id" value="{ID}"/></properties><error/></testcase>'
    )
    run = account(lines=lines, status=1, report=xml(body=case, outcome_tag="failure"))
    assert run.disagreements == ()
    assert run.tests[0].outcome is TestOutcome.ERROR
    twice = account(lines=lines, status=1, report=xml(body=case * 2, outcome_tag="failure"))
    assert "final report differs" in "; ".join(twice.disagreements)


def test_tests_that_ran_beside_a_file_that_was_not_collected_are_compared():
    broken = stream("collect_error", id="test_y.py", exception=None)
    run = account(extra=[broken], status=1)
    assert run.disagreements == ()
    assert run.collect_error_ids == ("test_y.py",)
    assert "outcomes mean 1" in "; ".join(account(extra=[broken], status=0).disagreements)


@pytest.mark.parametrize("junk", [b"", b"\xff\xfe\n", b"[]\n", b"3\n", b"{}\n", b"null\n" * 3, b"[" * 99999])
def test_bytes_that_are_no_account_never_raise_and_never_pass(junk):
    run = read_account(
        CommandResult(ProcessStatus.EXITED, 0, None, junk, b"", False, False, 0.0, ("x",), "/", "c", "b")
    )
    assert run.disagreements
    assert run.tests == ()
