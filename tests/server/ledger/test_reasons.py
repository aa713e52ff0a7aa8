"""What counts as failing for the stated reason, and what does not, entry by entry of the list."""

from dataclasses import replace

import pytest

from repo_guardian.server.ledger.reasons import Expectation, Expected, classify, classify_collection
from repo_guardian.tools.probes.interface import ExceptionFacts, Frame, TestSource
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

EXPECTED = Expectation("pkg.io", "Reader.read", ("pkg/io.py",))
CALL = Expectation("pkg.io", "load", ("pkg/io.py",), call_fails_to_bind=True)
OWN = Frame("/tmp/guardian/test_load.py", 3, "test_load")
INSPECT = Frame("/usr/lib/python3.11/inspect.py", 3186, "bind")
LOCUS = Frame("/repo/pkg/io.py", 9, "load")
ELSEWHERE = Frame("/repo/pkg/other.py", 2, "g")
PYTEST = Frame("/toolchain/harness/_pytest/outcomes.py", 178, "fail")
UNITTEST = Frame("/usr/lib/python3.11/unittest/case.py", 873, "assertEqual")
HELPER = Frame("/repo/tests/helpers.py", 4, "check")
ABSTRACT = "Can't instantiate abstract class Sub with abstract method read"

STATED = [
    ("ModuleNotFoundError", {"name": "pkg.io"}, EXPECTED),
    ("ModuleNotFoundError", {"name": "pkg"}, EXPECTED),
    ("ImportError", {"name": "pkg.io", "message": "cannot import name 'Reader' from 'pkg.io'"}, EXPECTED),
    ("AttributeError", {"name": "read", "owner": "pkg.io.Reader"}, EXPECTED),
    ("AttributeError", {"name": "Reader", "owner": "pkg.io"}, EXPECTED),
    ("TypeError", {"frames": (OWN, INSPECT)}, CALL),
    ("TypeError", {"frames": (Frame("/x/site/_pytest/python.py", 1, "call"), OWN, INSPECT)}, CALL),
    ("AssertionError", {"frames": (OWN,)}, EXPECTED),
    ("KeyError", {"frames": (OWN, LOCUS)}, EXPECTED),
    ("TypeError", {"frames": (OWN, LOCUS, ELSEWHERE)}, CALL),
    ("Failed", {"message": "DID NOT RAISE <class 'ValueError'>", "frames": (OWN, PYTEST)}, EXPECTED),
    ("Failed", {"message": "DID NOT WARN.", "frames": (OWN, PYTEST)}, EXPECTED),
    ("AssertionError", {"frames": (OWN, UNITTEST)}, EXPECTED),
    ("AssertionError", {"frames": (OWN, HELPER)}, EXPECTED),
    ("AssertionError", {"frames": (PYTEST, OWN, OWN)}, EXPECTED),
    ("AttributeError", {"message": "type object 'Reader' has no attribute 'read'"}, EXPECTED),
    ("AttributeError", {"message": "'Reader' object has no attribute 'read'"}, EXPECTED),
    ("AttributeError", {"message": "module 'pkg.io' has no attribute 'Reader'"}, EXPECTED),
    ("AttributeError", {"message": "property 'read' of 'Reader' object has no setter"}, EXPECTED),
    ("TypeError", {"message": ABSTRACT, "frames": (OWN,)}, EXPECTED),
]
NOT_STATED = [
    ("ModuleNotFoundError", {"name": "numpy"}, EXPECTED),
    ("ModuleNotFoundError", {"name": "pk"}, EXPECTED),
    ("ModuleNotFoundError", {"name": None}, EXPECTED),
    ("ImportError", {"name": "pkg.io", "message": "cannot import name 'Other' from 'pkg.io'"}, EXPECTED),
    ("ImportError", {"name": "pkg.other", "message": "cannot import name 'Reader'"}, EXPECTED),
    ("AttributeError", {"name": "read", "owner": "pkg.other.Reader"}, EXPECTED),
    ("AttributeError", {"name": "write", "owner": "pkg.io.Reader"}, EXPECTED),
    ("AttributeError", {}, EXPECTED),
    ("TypeError", {"frames": (OWN, INSPECT)}, Expectation("pkg.io", "load", (), call_fails_to_bind=False)),
    ("TypeError", {"frames": (OWN, INSPECT)}, Expectation("pkg.io", "load", ())),
    ("TypeError", {"frames": (OWN, ELSEWHERE)}, CALL),
    ("AssertionError", {"frames": (OWN, ELSEWHERE)}, EXPECTED),
    ("KeyError", {"frames": (OWN,)}, EXPECTED),
    ("KeyError", {"frames": ()}, EXPECTED),
    ("Failed", {"message": "Timeout >1.0s", "frames": (OWN, PYTEST)}, EXPECTED),
    ("Failed", {"message": "no", "frames": (OWN, ELSEWHERE, PYTEST)}, EXPECTED),
    ("AssertionError", {"frames": (OWN, ELSEWHERE, UNITTEST)}, EXPECTED),
    ("AttributeError", {"message": "type object 'Writer' has no attribute 'read'"}, EXPECTED),
    ("TypeError", {"message": ABSTRACT.replace("read", "write"), "frames": (OWN,)}, EXPECTED),
    ("NameError", {"message": "name 'Reader' is not defined", "frames": (OWN,)}, EXPECTED),
]


@pytest.mark.parametrize(("kind", "fields", "expectation"), STATED)
def test_these_fail_for_the_stated_reason(build, kind, fields, expectation):
    reason = classify(build.exception(kind, **fields), Expected((expectation,)), build.test)
    assert reason.stated, reason.text


@pytest.mark.parametrize(("kind", "fields", "expectation"), NOT_STATED)
def test_these_fail_for_another_reason(build, kind, fields, expectation):
    assert not classify(build.exception(kind, **fields), Expected((expectation,)), build.test).stated


def test_an_import_error_of_something_else_is_known_as_an_import_failure(build):
    reason = classify(build.exception("ModuleNotFoundError", name="numpy"), Expected((EXPECTED,)), build.test)
    assert reason.import_failed
    assert "does not name pkg.io.Reader.read" in reason.text


def test_it_is_enough_to_be_about_one_of_the_suspects(build):
    other = Expectation("pkg.other", "f", ("pkg/other.py",))
    for expected in (Expected((other, EXPECTED)), Expected((EXPECTED, other))):
        assert classify(build.exception("KeyError", frames=(OWN, LOCUS)), expected, build.test).stated
        assert classify(build.exception("KeyError", frames=(OWN, ELSEWHERE)), expected, build.test).stated
    named = classify(
        build.exception("ModuleNotFoundError", name="numpy"), Expected((other, EXPECTED)), build.test
    )
    assert "does not name pkg.other.f, pkg.io.Reader.read" in named.text


def test_a_name_that_a_star_import_no_longer_brings_is_named(build):
    star = replace(build.test, text="from pkg.io import *\n\n\ndef test_load():\n    Reader()\n")
    missing = build.exception("NameError", "name 'Reader' is not defined")
    assert classify(missing, Expected((EXPECTED,)), star).stated
    assert not classify(
        build.exception("NameError", "name 'x' is not defined"), Expected((EXPECTED,)), star
    ).stated


@pytest.mark.parametrize(
    ("call", "stated"),
    [
        ("load(1)", False),
        ("load(1, 2)", True),
        ("io.load(\n        1, b=2)", True),
        ("g(1, 2)", False),
        ("inspect.signature(io.load).bind(1)", False),
        ("inspect.signature(io.load).bind(1, 2)", True),
        ("inspect.signature(io.save).bind(1, 2)", False),
    ],
)
def test_a_call_of_the_locus_on_the_line_that_failed_is_bound_statically(build, call, stated):
    signature = Signature((Parameter("stream", ParameterKind.POSITIONAL_OR_KEYWORD),))
    expected = Expected((Expectation("pkg.io", "load", ("pkg/io.py",), signature=signature),))
    test = replace(build.test, text=f"from pkg import io\n\n{call}\n")
    assert classify(build.exception("TypeError", frames=(OWN,)), expected, test).stated is stated


@pytest.mark.parametrize(
    ("call", "stated"),
    [
        ("Reader().read(1)", False),
        ("Reader().read()", True),
        ("Reader.read(r, 1)", False),
        ("Reader.read(r)", True),
    ],
)
def test_an_instance_that_is_passed_by_hand_is_no_argument(build, call, stated):
    signature = Signature((Parameter("size", ParameterKind.POSITIONAL_OR_KEYWORD),))
    expected = Expected((replace(EXPECTED, signature=signature, method=True),))
    test = replace(build.test, text=f"\n\n{call}\n")
    assert classify(build.exception("TypeError", frames=(OWN,)), expected, test).stated is stated


OWN_STATEMENTS = [("KeyError", True), ("TypeError", True), ("NameError", True), ("MemoryError", False)]


@pytest.mark.parametrize(
    ("kind", "stated"), [*OWN_STATEMENTS, ("ImportError", False), ("TimeoutError", False)]
)
@pytest.mark.parametrize("inner", [(), (ELSEWHERE,)])
def test_whatever_a_test_of_the_repository_runs_into_is_nobodys_invention(build, kind, stated, inner):
    place = Frame("/repo/tests/test_io.py", 7, "test_io")
    existing = TestSource("tests/test_io.py", "test_io", "", "d", existing=True)
    copy = TestSource("test_io.py", "test_io", "", "d", folder="tests")
    raised = ExceptionFacts((f"builtins.{kind}", "builtins.Exception"), "x", None, None, (place, *inner))
    for test in (existing, copy, replace(existing, file_name="tests/test_heir.py")):
        assert classify(raised, Expected((EXPECTED,)), test).stated is stated
    assert not classify(raised, Expected((EXPECTED,)), build.test).stated
    example = replace(raised, types=("doctest.DocTestFailure", "builtins.Exception"), frames=())
    assert classify(example, Expected((EXPECTED,)), existing).stated
    outside = replace(raised, frames=(PYTEST,))
    assert not classify(outside, Expected((EXPECTED,)), existing).stated


def test_a_module_that_cannot_be_collected_is_evidence_when_the_repository_is_what_is_missing(build):
    existing = TestSource("tests/test_io.py", "test_io", "", "d", existing=True)
    expected = Expected((EXPECTED,), ("pkg",))
    inner = build.exception("ModuleNotFoundError", name="pkg.helpers")
    assert classify_collection(inner, expected, existing).stated
    assert not classify_collection(inner, expected, build.test).stated
    assert not classify_collection(
        build.exception("ModuleNotFoundError", name="numpy"), expected, existing
    ).stated
    assert not classify_collection(build.exception("SyntaxError"), expected, existing).stated
