"""Does a test fail for the stated reason? The list of what counts, one function per entry.

Accepted: an ImportError or AttributeError that names the locus; a TypeError of the test's own call that a
static bind against the tree's signature reproduces; an assertion of the test; a traceback through the
locus. Everything else a test may raise says nothing about the hypothesis.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.tools.execution import REPO
from repo_guardian.tools.probes.interface import ExceptionFacts, TestSource


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a hypothesis claims to break, for the tree that a test ran against.

    Attributes:
        module: dotted module that the test imports from.
        qualname: dotted path of the name inside the module; empty when the module itself is the locus.
        files: repository-relative paths of the locus.
        call_fails_to_bind: True when the test's call does not bind to the signature that the symbol
            graph of this tree holds; None when the test makes no such call.
    """

    module: str
    qualname: str
    files: tuple[str, ...]
    call_fails_to_bind: bool | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """``stated`` says whether the failure is the hypothesised one; ``text`` explains in one clause."""

    stated: bool
    text: str
    import_failed: bool = False


def classify(exception: ExceptionFacts, expectation: Expectation, test: TestSource) -> Reason:
    """Compare an exception with what was expected to break."""
    if exception.is_a("ImportError"):
        return _import_error(exception, expectation)
    if exception.is_a("AttributeError") and _names_attribute(exception, expectation):
        return Reason(True, f"it cannot reach {expectation.qualname}: {exception.line}")
    if exception.is_a("TypeError") and _from_own_call(exception, test):
        if expectation.call_fails_to_bind:
            return Reason(True, f"its call does not bind, and a static bind agrees: {exception.line}")
        return Reason(False, f"its call fails where a static bind does not: {exception.line}")
    if exception.is_a("AssertionError") and _innermost(exception, test.file_name):
        return Reason(True, f"its assertion does not hold: {exception.line}")
    if _through_locus(exception, expectation):
        return Reason(True, f"the failure comes out of the suspected code: {exception.line}")
    return Reason(False, f"it fails for another reason than the stated one: {exception.line}")


def _import_error(exception: ExceptionFacts, expectation: Expectation) -> Reason:
    """The module, one of its parents, or the name that was asked of it, has to be what is missing."""
    missing = exception.name or ""
    head = expectation.qualname.partition(".")[0]
    names_module = exception.is_a("ModuleNotFoundError") and (
        missing == expectation.module or expectation.module.startswith(f"{missing}.")
    )
    names_name = bool(head) and missing == expectation.module and f"'{head}'" in exception.message
    if names_module or names_name:
        return Reason(True, f"it cannot import {_dotted(expectation)}: {exception.line}", import_failed=True)
    text = f"an import fails that does not name {_dotted(expectation)}: {exception.line}"
    return Reason(False, text, import_failed=True)


def _names_attribute(exception: ExceptionFacts, expectation: Expectation) -> bool:
    """The attribute is a part of the qualified name, and its owner the part before it."""
    parts = expectation.qualname.split(".")
    owners = {
        ".".join([expectation.module, *parts[:index]]): part for index, part in enumerate(parts) if part
    }
    return exception.owner in owners and owners[exception.owner] == exception.name


def _from_own_call(exception: ExceptionFacts, test: TestSource) -> bool:
    """All frames are the test's own, or of the standard library's ``inspect``, which binds for it."""
    if not exception.frames:
        return False
    inner = exception.frames
    while inner and inner[0].path.rpartition("/")[2] != test.file_name:
        inner = inner[1:]
    return bool(inner) and all(
        frame.path.rpartition("/")[2] in (test.file_name, "inspect.py") for frame in inner
    )


def _innermost(exception: ExceptionFacts, file_name: str) -> bool:
    return bool(exception.frames) and exception.frames[-1].path.rpartition("/")[2] == file_name


def _through_locus(exception: ExceptionFacts, expectation: Expectation) -> bool:
    files = {f"{REPO}/{path}" for path in expectation.files}
    return any(frame.path in files for frame in exception.frames)


def _dotted(expectation: Expectation) -> str:
    return ".".join(part for part in (expectation.module, expectation.qualname) if part)
