"""Reads the supervisor's account and lists every contradiction between its three sources.

A run is consistent when the stream, the final JUnit report and the exit status tell the same story
(pytest's documented exit codes: 0 all passed, 1 some failed, 2 interrupted, 3 internal error, 4 usage
error, 5 nothing collected). Anything else is listed, and the caller treats the run as invalid.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from repo_guardian.sandbox.interface import CommandResult
from repo_guardian.tools.probes.interface import (
    ExceptionFacts,
    FileState,
    Frame,
    TestOutcome,
    TestReport,
    TestRun,
)

GREEN, RED, EMPTY = 0, 1, 5
_YEAR_S = 366 * 24 * 3600


@dataclass
class _Account:
    """What the lines said, in order, before it is judged."""

    collected: list[str] | None = None
    parts: list[str] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    collect_errors: list[tuple[str, ExceptionFacts]] = field(default_factory=list)
    finish: dict[str, Any] | None = None
    files: dict[str, Any] = field(default_factory=dict)
    xml: str | None = None
    status: int | None = None
    problems: list[str] = field(default_factory=list)


def read_account(result: CommandResult, *, collect_only: bool = False) -> TestRun:
    """Turn a supervisor's output into a ``TestRun``; never raises, whatever the bytes are.

    With ``collect_only`` the runner was asked to run nothing: outcomes and report are not compared.
    """
    account = _Account()
    if result.stdout_truncated:
        account.problems.append("the account was longer than the limit on output")
    for line in result.stdout.splitlines():
        _take(account, line)
    tests = _tests(account.phases)
    if _judge_session(account) and not collect_only:
        _judge_outcomes(account, tests)
        _compare_report(account, tests)
    return TestRun(
        result=result,
        tests=tests,
        collect_errors=tuple(facts for _, facts in account.collect_errors),
        disagreements=tuple(account.problems),
        loaded=_loaded(account.finish),
        read=_read(account.finish),
        files=_files(account.files),
        pytest_status=account.status,
        collected=tuple(account.collected or ()),
        collect_error_ids=tuple(node for node, _ in account.collect_errors),
    )


def _take(account: _Account, line: bytes) -> None:
    try:
        message = json.loads(line)
        kind = message["kind"]
    except (ValueError, KeyError, TypeError, RecursionError):
        account.problems.append("a line of the account is not a record")
        return
    if kind == "stream":
        _take_stream(account, message)
    elif kind == "files":
        account.files = message
    elif kind == "report":
        account.xml = message["xml"]
    elif kind == "exit":
        account.status = message["status"]


def _take_stream(account: _Account, message: dict[str, Any]) -> None:
    record = message.get("record")
    if message.get("garbled") or not isinstance(record, dict):
        account.problems.append("the stream holds bytes that are not a record")
        return
    if message.get("foreign"):
        account.problems.append("another process than the test runner wrote to the stream")
        return
    kind = record.get("kind")
    try:
        if kind in ("collected", "collected_part"):
            _take_ids(account, record, last=kind == "collected")
        elif kind == "phase":
            account.phases.append(record)
        elif kind == "collect_error":
            facts = _exception(record["exception"]) or _NO_DETAIL
            account.collect_errors.append((str(record.get("id", "")), facts))
        elif kind == "finish":
            if account.finish is not None:
                account.problems.append("the end of the session was reported twice")
            account.finish = record
    except (KeyError, TypeError, ValueError):
        account.problems.append(f"a {kind} record of the stream is malformed")


def _take_ids(account: _Account, record: dict[str, Any], *, last: bool) -> None:
    if account.collected is not None:
        account.problems.append("the collection was reported twice")
    account.parts += [str(item) for item in record["ids"]]
    if last:
        account.collected, account.parts = account.parts, []


_NO_DETAIL = ExceptionFacts(types=(), message="no detail", name=None, owner=None, frames=())


def _exception(raw: Any) -> ExceptionFacts | None:
    if not isinstance(raw, dict):
        return None
    return ExceptionFacts(
        types=tuple(str(kind) for kind in raw["types"]),
        message=str(raw["message"]),
        name=raw["name"] if isinstance(raw["name"], str) else None,
        owner=raw["owner"] if isinstance(raw["owner"], str) else None,
        frames=tuple(Frame(str(path), int(line), str(name)) for path, line, name in raw["frames"]),
    )


def _tests(phases: Iterable[dict[str, Any]]) -> tuple[TestReport, ...]:
    """Fold the phases of each test: a failed call is FAILED, a failed set-up or tear-down ERROR."""
    folded: dict[str, TestReport] = {}
    for phase in phases:
        test_id, when, outcome = str(phase.get("id")), phase.get("when"), phase.get("outcome")
        known = folded.get(test_id)
        if outcome == "failed":
            kind = TestOutcome.FAILED if when == "call" else TestOutcome.ERROR
            folded[test_id] = TestReport(test_id, kind, _safe_exception(phase.get("exception")))
        elif outcome == "skipped" and known is None:
            folded[test_id] = TestReport(test_id, TestOutcome.SKIPPED)
        elif outcome == "passed" and when == "call" and known is None:
            folded[test_id] = TestReport(test_id, TestOutcome.PASSED, duration_s=_seconds(phase))
    return tuple(folded.values())


def _seconds(phase: dict[str, Any]) -> float | None:
    value = phase.get("duration")
    return float(value) if isinstance(value, int | float) and 0 <= value < _YEAR_S else None


def _safe_exception(raw: Any) -> ExceptionFacts | None:
    try:
        return _exception(raw)
    except (KeyError, TypeError, ValueError):
        return None


def _judge_session(account: _Account) -> bool:
    """Whether there is an exit status to compare with; says where session and status differ."""
    if account.status is None:
        account.problems.append("the supervisor did not report how the test runner ended")
        return False
    if account.finish is None:
        account.problems.append("the test runner ended without finishing its session")
    elif account.finish.get("status") != account.status:
        account.problems.append("the exit status differs from what the session reported")
    return True


def _judge_outcomes(account: _Account, tests: tuple[TestReport, ...]) -> None:
    problems = account.problems
    if account.collected is None or (account.collect_errors and not tests):
        return  # interrupted by what could not be collected: there is no outcome to compare
    if {test.test_id for test in tests} != set(account.collected):
        problems.append("the tests that ran are not the tests that were collected")
    green = all(_is_green(test) for test in tests) and not account.collect_errors
    expected = (GREEN if green else RED) if tests else EMPTY
    if account.status != expected:
        problems.append(f"the exit status is {account.status} where the outcomes mean {expected}")


def _is_green(test: TestReport) -> bool:
    return test.outcome in (TestOutcome.PASSED, TestOutcome.SKIPPED)


def _compare_report(account: _Account, tests: tuple[TestReport, ...]) -> None:
    if account.xml is None:
        account.problems.append("there is no final report")
        return
    try:
        reported = _junit(account.xml)
    except ValueError as error:
        account.problems.append(f"the final report cannot be read: {error}")
        return
    if Counter((test.test_id, test.outcome) for test in tests) != reported:
        account.problems.append("the final report differs from the stream")


def _junit(xml: str) -> Counter[tuple[str, TestOutcome]]:
    """The (id, outcome) pairs of a JUnit report; ids come from our own property, never from names."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    found: Counter[tuple[str, TestOutcome]] = Counter()
    try:
        for _, case in iterparse(BytesIO(xml.encode("utf-8", "replace"))):
            if case.tag != "testcase":
                continue
            ids = [p.get("value", "") for p in case.iter("property") if p.get("name") == "guardian_id"]
            if ids:
                found[(ids[0], _junit_outcome([child.tag for child in case]))] += 1
            case.clear()  # the report of a large suite is never held whole
    except (ParseError, DefusedXmlException) as error:
        raise ValueError(type(error).__name__) from error
    _fold_double_failures(found)
    return found


def _fold_double_failures(found: Counter[tuple[str, TestOutcome]]) -> None:
    """A test that fails and whose tear-down fails too is two cases to JUnit, and one ERROR to the stream."""
    for test_id, outcome in list(found):
        if outcome is TestOutcome.ERROR and found[(test_id, TestOutcome.FAILED)] == 1:
            del found[(test_id, TestOutcome.FAILED)]


def _junit_outcome(tags: list[str]) -> TestOutcome:
    for tag, outcome in (
        ("error", TestOutcome.ERROR),
        ("failure", TestOutcome.FAILED),
        ("skipped", TestOutcome.SKIPPED),
    ):
        if tag in tags:
            return outcome
    return TestOutcome.PASSED


def _loaded(finish: dict[str, Any] | None) -> tuple[tuple[str, str], ...]:
    loaded = finish.get("loaded") if finish else None
    if not isinstance(loaded, dict):
        return ()
    return tuple(sorted((str(name), str(path)) for name, path in loaded.items()))


def _read(finish: dict[str, Any] | None) -> tuple[str, ...]:
    read = finish.get("read") if finish else None
    return tuple(str(name) for name in read) if isinstance(read, list) else ()


def _files(raw: dict[str, Any]) -> tuple[FileState, ...]:
    before, after = raw.get("before"), raw.get("after")
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ()
    return tuple(FileState(path, before[path], after.get(path)) for path in sorted(before))
