"""Does a test fail for the stated reason? The list of what counts, one function per entry.

Accepted, when it is about any part of what the hypothesis is about: an ImportError, AttributeError or
NameError that names it; a TypeError of the test's own call that a static bind against the tree's signature
reproduces; an assertion of the test (one that expected an exception or a warning and saw none included); a
traceback through it. Of a test that the repository itself has, also any other error of what it does: nobody
wrote that for the occasion (docs/decisions/0017). Everything else says nothing about the hypothesis.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from repo_guardian.server.ledger import frames
from repo_guardian.tools.probes.calls import call_shapes
from repo_guardian.tools.probes.interface import ExceptionFacts, TestSource
from repo_guardian.tools.views.symbol_graph.signature import Binding, Signature


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a hypothesis claims to break at one place, for the tree that a test ran against.

    Attributes:
        module: dotted module that the test imports from.
        qualname: dotted path of the name inside the module; empty when the module itself is the locus.
        files: repository-relative paths of the locus.
        call_fails_to_bind: True when the test's call does not bind to the signature that the symbol
            graph of this tree holds; None when the test makes no such call.
        signature: of the name in this tree, as its callers see it; None when it has none.
        method: whether an instance is passed to it implicitly.
    """

    module: str
    qualname: str
    files: tuple[str, ...]
    call_fails_to_bind: bool | None = None
    signature: Signature | None = None
    method: bool = False

    @property
    def name(self) -> str:
        """Module and qualified name, dotted."""
        return ".".join(part for part in (self.module, self.qualname) if part)

    @property
    def head(self) -> str:
        """The name that an import asks the module for; empty when the module itself is the locus."""
        return self.qualname.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Expected:
    """All places that a hypothesis is about: a failure counts when it is about any of them.

    ``packages`` are the top-level names that the repository offers: what can no longer be collected because
    one of them cannot be imported is evidence, and what misses anything else is not.
    """

    parts: tuple[Expectation, ...]
    packages: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The places in words."""
        shown = ", ".join(part.name for part in self.parts[:3])
        return f"{shown} or {len(self.parts) - 3} more" if len(self.parts) > 3 else shown


@dataclass(frozen=True, slots=True)
class Reason:
    """``stated`` says whether the failure is the hypothesised one; ``text`` explains in one clause."""

    stated: bool
    text: str
    import_failed: bool = False


def classify(exception: ExceptionFacts, expected: Expected, test: TestSource) -> Reason:
    """Compare an exception with what was expected to break."""
    for is_kind, judge in _KINDS:
        if is_kind(exception):
            reason = judge(exception, expected, test)
            if reason is not None:
                return reason
    if any(frames.passes_through(exception, part.files) for part in expected.parts):
        return Reason(True, f"the failure comes out of the suspected code: {exception.line}")
    if test.in_repository and not any(exception.is_a(kind) for kind in _MACHINE):
        if frames.raised_by_test(exception, test):
            return Reason(True, f"a statement of the repository's own test fails: {exception.line}")
        if "doctest.DocTestFailure" in exception.types:
            return Reason(True, f"an example of the repository's own does not hold: {exception.line}")
        if frames.below(exception, test):
            return Reason(True, f"the repository's own test fails in what it calls: {exception.line}")
    return Reason(False, f"it fails for another reason than the stated one: {exception.line}")


def classify_collection(exception: ExceptionFacts, expected: Expected, test: TestSource) -> Reason:
    """Why a test's module cannot be imported: evidence when the error names the repository's own code."""
    reason = classify(exception, expected, test)
    if reason.stated or not test.in_repository:
        return reason
    missing = (exception.name or "").partition(".")[0]
    if exception.is_a("ImportError") and missing and missing in expected.packages:
        return Reason(True, f"it needs what the repository no longer offers: {exception.line}", True)
    return reason


def _import_error(exception: ExceptionFacts, expected: Expected, _test: TestSource) -> Reason:
    """The module, one of its parents, or the name that was asked of it, has to be what is missing."""
    missing = exception.name or ""
    for part in expected.parts:
        names_module = exception.is_a("ModuleNotFoundError") and (
            missing == part.module or part.module.startswith(f"{missing}.")
        )
        names_name = (
            bool(part.head) and missing == part.module and f"import name '{part.head}'" in exception.message
        )
        if missing and (names_module or names_name):
            return Reason(True, f"it cannot import {part.name}: {exception.line}", import_failed=True)
    text = f"an import fails that does not name {expected.names}: {exception.line}"
    return Reason(False, text, import_failed=True)


def _attribute_error(exception: ExceptionFacts, expected: Expected, _test: TestSource) -> Reason | None:
    """The attribute is a part of a qualified name, and its owner the part before it."""
    for part in expected.parts:
        owner = part.module
        for name in part.qualname.split(".") if part.qualname else ():
            if _lacks(exception, owner, name):
                return Reason(True, f"it cannot reach {part.qualname}: {exception.line}")
            owner = f"{owner}.{name}"
    return None


def _lacks(exception: ExceptionFacts, owner: str, name: str) -> bool:
    """Python before 3.10 tells the attribute and its owner in the message only."""
    if exception.name is not None:
        return (exception.owner, exception.name) == (owner, name)
    last, said = owner.rpartition(".")[2], exception.message
    return said.startswith(
        (
            f"module '{owner}' has no attribute '{name}'",
            f"type object '{last}' has no attribute '{name}'",
            f"'{last}' object has no attribute '{name}'",
            f"property '{name}' of '{last}' object has no setter",
        )
    )


def _name_error(exception: ExceptionFacts, expected: Expected, test: TestSource) -> Reason | None:
    """What ``import *`` no longer brings is missed where the test uses it."""
    named = re.match(r"name '(\w+)' is not defined", exception.message)
    if named is None or not frames.raised_by_test(exception, test):
        return None
    if any(part.head == named[1] for part in expected.parts) and "import *" in test.text:
        return Reason(True, f"its import brings it no {named[1]}: {exception.line}")
    return None


def _type_error(exception: ExceptionFacts, expected: Expected, test: TestSource) -> Reason | None:
    if not frames.bound_by_test(exception, test):
        return None
    line = frames.own_line(exception, test)
    if any(_fails_to_bind(part, test, line) for part in expected.parts):
        return Reason(True, f"its call does not bind, and a static bind agrees: {exception.line}")
    if _cannot_instantiate(exception, expected):
        return Reason(True, f"its class can no longer be instantiated: {exception.line}")
    if test.in_repository:
        return None
    return Reason(False, f"its call fails where a static bind does not: {exception.line}")


def _fails_to_bind(part: Expectation, test: TestSource, line: int) -> bool:
    """The template's own call, or any call of the name on the line that failed."""
    if part.call_fails_to_bind is not None:
        return part.call_fails_to_bind
    if part.signature is None:
        return False
    shapes = call_shapes(test.text, line, part.name, method=part.method)
    return any(part.signature.bind(shape).binding is Binding.FAILS for shape in shapes)


def _cannot_instantiate(exception: ExceptionFacts, expected: Expected) -> bool:
    """The class, or the abstract member that a subclass lacks, is a part of a qualified name."""
    if not exception.message.startswith("Can't instantiate abstract class "):
        return False
    said = set(re.findall(r"\w+", exception.message))
    return any(said & set(part.qualname.split(".")) for part in expected.parts if part.qualname)


def _assertion(exception: ExceptionFacts, _expected: Expected, test: TestSource) -> Reason | None:
    if exception.message.startswith("Timeout >"):  # pytest-timeout ends a test through pytest.fail
        return Reason(False, f"it took too long: {exception.line}")
    if frames.asserted_by_test(exception, test):
        return Reason(True, f"its assertion does not hold: {exception.line}")
    return None


_MACHINE = ("MemoryError", "ConnectionError", "TimeoutError")
"""What a machine does to a test, whoever wrote it."""


def _is(name: str) -> Callable[[ExceptionFacts], bool]:
    return lambda exception: exception.is_a(name)


_KINDS: tuple[
    tuple[Callable[[ExceptionFacts], bool], Callable[[ExceptionFacts, Expected, TestSource], Reason | None]],
    ...,
] = (
    (_is("ImportError"), _import_error),
    (_is("AttributeError"), _attribute_error),
    (_is("NameError"), _name_error),
    (_is("TypeError"), _type_error),
    (_is("AssertionError"), _assertion),
    (_is("Failed"), _assertion),  # pytest.fail, and what pytest.raises and pytest.warns raise through it
)
