"""A divergence as a test: it passes at the base, fails now, and says in one check what changed.

Only calls whose arguments can be written as literals are rendered, and only outcomes that a literal, or the
type of an exception or warning, tells apart. A method needs a receiver, and so only functions, static methods
and class methods are proven this way. Recorded pickles never enter a test.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum

from repo_guardian.errors import TemplateError
from repo_guardian.tools.behaviour.interface import Divergence, Outcome
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout
from repo_guardian.tools.execution.suite_layout import find_layout
from repo_guardian.tools.probes.interface import TestOutcome, TestReport, TestRun, TestSource
from repo_guardian.tools.probes.runner import RunPlan
from repo_guardian.tools.probes.templates.source import Draft, dotted, finish

_TOLD_CHARS = 200
_BUILTIN_WARNINGS = frozenset(
    [
        *("Warning", "UserWarning", "DeprecationWarning", "PendingDeprecationWarning", "SyntaxWarning"),
        *("RuntimeWarning", "FutureWarning", "ImportWarning", "UnicodeWarning", "BytesWarning"),
        *("ResourceWarning", "EncodingWarning"),
    ]
)


class ProofStatus(StrEnum):
    """What running a divergence's test came to."""

    CONFIRMED = "confirmed"
    """It passes at the base and fails at the current commit, each time."""
    UNPROVABLE = "unprovable"
    """No test can be written for it; nothing was run."""
    NOT_AT_BASE = "not_at_base"
    """It does not pass at the base."""
    STILL_PASSES = "still_passes"
    UNSTABLE = "unstable"
    """Repetitions of one commit disagree."""
    INVALID = "invalid"
    """A run's accounts contradict each other, or the function did not come from ``/repo``."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A test and what it did; ``reason`` is one line for every status but ``CONFIRMED``.

    ``base`` and ``current`` are the runs, in order of repetition.
    """

    status: ProofStatus
    test: TestSource | None = None
    base: tuple[TestRun, ...] = ()
    current: tuple[TestRun, ...] = ()
    reason: str = ""


def render(divergence: Divergence) -> TestSource | None:
    """The test that holds the old outcome; None when the call or its outcome cannot be written down."""
    if not divergence.arguments or divergence.target.qualname.endswith(".__init__"):
        return None
    try:
        return finish(_draft(divergence))
    except TemplateError:
        return None


async def confirm(
    bench: Bench, base: Checkout, current: Checkout, divergence: Divergence, *, repetitions: int = 2
) -> Proof:
    """Run the divergence's test on both commits.

    Raises:
        SandboxError: a sandbox could not be opened or written.
    """
    test = render(divergence)
    if test is None:
        return Proof(ProofStatus.UNPROVABLE, reason="the call cannot be written as a test")

    async def runs(checkout: Checkout) -> tuple[TestRun, ...]:
        plan = RunPlan(
            import_roots=find_layout(checkout.path).roots,
            harness=HARNESS,
            site=bench.site,
            modules=(divergence.target.module,),
            files=(divergence.target.path,),
        )
        return tuple(await bench.run(test, plan, checkout, {}, repetitions=repetitions))

    before, after = await runs(base), await runs(current)
    status, reason = _judge(divergence, test, before, after)
    return Proof(status, test, before, after, reason=reason)


def _judge(
    divergence: Divergence, test: TestSource, base: tuple[TestRun, ...], current: tuple[TestRun, ...]
) -> tuple[ProofStatus, str]:
    module = divergence.target.module
    for run in (*base, *current):
        if run.disagreements:
            return ProofStatus.INVALID, run.disagreements[0]
        if not dict(run.loaded).get(module, "").startswith("/repo/"):
            return ProofStatus.INVALID, f"{module} was not loaded from the checkout"
    outcomes = [{_outcome(run, test) for run in side} for side in (base, current)]
    if any(len(seen) > 1 for seen in outcomes):
        return ProofStatus.UNSTABLE, "repetitions disagree"
    before, after = (seen.pop() for seen in outcomes)
    if before is not TestOutcome.PASSED:
        return ProofStatus.NOT_AT_BASE, f"at the base it is {before}: {_why(base[0], test)}"
    if after is not TestOutcome.FAILED:
        return ProofStatus.STILL_PASSES, f"now it is {after}"
    return ProofStatus.CONFIRMED, ""


def _report(run: TestRun, test: TestSource) -> TestReport | None:
    return next((report for report in run.tests if report.test_id == test.test_id), None)


def _outcome(run: TestRun, test: TestSource) -> TestOutcome | None:
    report = _report(run, test)
    return report.outcome if report is not None else None


def _why(run: TestRun, test: TestSource) -> str:
    report = _report(run, test)
    return report.exception.line if report is not None and report.exception is not None else "no reason given"


def _draft(divergence: Divergence) -> Draft:
    target = divergence.target
    module, qualname = dotted(target.module), dotted(target.qualname)
    call = f"{qualname}({_arguments(divergence.arguments)})"
    statements, words = _check(divergence.old, divergence.new, call)
    return Draft(
        name=f"{qualname} {words}".replace(".", "_"),
        docstring=_told(divergence),
        statements=(f"from {module} import {qualname.partition('.')[0]}", *statements),
    )


def _told(divergence: Divergence) -> str:
    """Both outcomes as one line that no docstring can be left by."""
    old, new = (_plain(outcome.render()) for outcome in (divergence.old, divergence.new))
    return f"At the base this call {old}. Now it {new}."


def _plain(text: str) -> str:
    shown = text.encode("ascii", "backslashreplace").decode().replace("\\", "\\\\").replace('"', "'")
    return " ".join(shown.split())[:_TOLD_CHARS].rstrip("\\")


def _arguments(literal: str) -> str:
    """The call's arguments as source.

    Raises:
        TemplateError: they are not a pair of literals, or a keyword is no identifier.
    """
    try:
        args, kwargs = ast.literal_eval(literal)
        parts = [repr(value) for value in args]
        parts += [f"{dotted(name)}={value!r}" for name, value in kwargs.items()]
    except (ValueError, TypeError, SyntaxError, AttributeError, MemoryError, RecursionError) as error:
        raise TemplateError("arguments") from error
    return ", ".join(parts)


def _check(old: Outcome, new: Outcome, call: str) -> tuple[tuple[str, ...], str]:
    """The statements of the one check, and what it claims in words fit for a name.

    Raises:
        TemplateError: the outcomes differ in nothing that can be written down.
    """
    if old.fate or new.fate:
        raise TemplateError("fate")
    if old.exception is not None:
        return _raises(old.exception[0], new, call)
    if new.exception is not None or old.value != new.value:
        return _gives(old, call)
    before, after = ({category for category, _ in outcome.warnings} for outcome in (old, new))
    for category in sorted(before ^ after):
        if category in _BUILTIN_WARNINGS:
            return _warns(category, call, before=category in before)
    raise TemplateError("nothing to tell them apart by")


def _raises(name: str, new: Outcome, call: str) -> tuple[tuple[str, ...], str]:
    if new.exception is not None and new.exception[0] == name:
        raise TemplateError("the same exception")
    module, _, kind = dotted(name).rpartition(".")
    imports = (f"from {module} import {kind}",) if module else ()
    return ("import pytest", *imports, f"with pytest.raises({kind}):", f"    {call}"), f"raises {kind}"


def _gives(old: Outcome, call: str) -> tuple[tuple[str, ...], str]:
    """The value's representation is compared, so that 1, 1.0 and True stay apart."""
    if not old.literal:
        raise TemplateError("no literal")
    value = ast.literal_eval(old.literal)
    if old.iterator:
        imports: tuple[str, ...] = ("from itertools import islice",)
        given = f"list(islice({call}, {len(value) + 1}))"
    else:
        imports, given = (), call
    if value is None or isinstance(value, bool):
        return (*imports, f"assert {given} is {value!r}"), f"gives {value!r}"
    if isinstance(value, str):
        return (*imports, f"assert {given} == {value!r}"), "gives what it gave"
    return (*imports, f"assert repr({given}) == {repr(value)!r}"), "gives what it gave"


def _warns(category: str, call: str, *, before: bool) -> tuple[tuple[str, ...], str]:
    if before:
        return ("import pytest", f"with pytest.warns({category}):", f"    {call}"), f"warns {category}"
    quiet = (
        "import warnings",
        "with warnings.catch_warnings():",
        f"    warnings.simplefilter('error', {category})",
        f"    {call}",
    )
    return quiet, f"does not warn {category}"
