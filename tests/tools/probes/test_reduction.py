"""A failing test is copied with its one failing check and what that needs, and nothing else."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.tools.deltas.interface import DeltaKind, TestDelta
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.execution.own_tests import run_in_repository
from repo_guardian.tools.probes.interface import ExceptionFacts, Frame, TestOutcome, TestReport
from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.probes.templates.reduction import reduced
from repo_guardian.tools.signals.interface import Signal, SignalKind, TestDetail

FILE = '''"""Tests of m."""

from __future__ import annotations

import json
import os

import pytest

from m import double, other

LIMIT = 3
UNUSED = 4


@pytest.fixture
def number():
    return LIMIT


@pytest.fixture(autouse=True)
def quiet():
    yield


@pytest.fixture
def unused_fixture():
    return 1


def helper(value):
    return {"value": value}


def test_other():
    assert other() == 1


@pytest.mark.parametrize("factor", [1, 2])
def test_double(number, factor):
    """Doubling."""
    # the start
    start = number * factor
    text = str(start)
    items = []
    items.append(start)
    assert text
    assert len(items) == 1
    with pytest.raises(TypeError):
        other(1)
    made = helper(double(start))
    assert made["value"] == start * 2
    assert json.dumps and os.sep
    made.clear()
'''
LINE = FILE.split("\n").index('    assert made["value"] == start * 2') + 1


def test_what_the_failing_check_needs_is_kept():
    assert (
        reduced(FILE, "test_double[1]", [LINE])
        == '''from __future__ import annotations
import pytest
from m import double, other


LIMIT = 3


@pytest.fixture
def number():
    return LIMIT


@pytest.fixture(autouse=True)
def quiet():
    yield


def helper(value):
    return {"value": value}


@pytest.mark.parametrize("factor", [1, 2])
def test_double(number, factor):
    """Doubling."""
    # the start
    start = number * factor
    items = []
    items.append(start)
    made = helper(double(start))
    assert made["value"] == start * 2
'''
    )


CLASS = '''import unittest
from m import double


class Base(unittest.TestCase):
    def make(self):
        return 1


class DoubleTest(Base):
    """Doubling."""

    size = 2

    def setUp(self):
        self.value = self.make()

    def helper(self):
        return self.size

    def unused(self):
        return 1

    def test_one(self):
        self.assertEqual(double(1), 2)

    def test_two(self):
        stream = iter([1, 2])
        self.assertEqual(next(stream), 1)
        self.assertTrue(self.value)
        if self.value:
            self.assertEqual(double(next(stream)), 2 * self.helper())
        else:
            self.fail()
'''


def test_classes_keep_hooks_and_what_is_mentioned_and_state_is_advanced():
    line = next(i for i, text in enumerate(CLASS.split("\n"), 1) if "double(next" in text)
    text = reduced(CLASS, "DoubleTest::test_two", [line])
    tree = ast.parse(text)
    (owner,) = [node for node in tree.body if getattr(node, "name", "") == "DoubleTest"]
    assert [node.name for node in owner.body if isinstance(node, ast.FunctionDef)] == [
        "setUp",
        "helper",
        "test_two",
    ]
    assert "class Base(unittest.TestCase)" in text
    assert "        next(stream)\n        if self.value:" in text
    assert "assertTrue" not in text
    assert text.count("self.assert") == 1


@pytest.mark.parametrize(
    ("text", "name", "lines"),
    [
        ("def test_a():\n    assert 0\n", "test_b", [2]),
        ("def test_a():\n    assert 0\n", "test_a", []),
        ("def test_a():\n    assert 0\n", "test_a", [1]),
        ("def test_a():\n    assert 0\ndef test_a():\n    assert 0\n", "test_a", [4]),
        ("def test_a(:\n", "test_a", [1]),
        ("class A: ...\n", "A::test_a", [1]),
    ],
)
def test_what_cannot_be_told_in_the_text_is_not_reduced(text, name, lines):
    assert reduced(text, name, lines) is None


def test_statements_on_one_line_are_left_as_they_are():
    text = "def test_a():\n    x = 1; assert x\n    assert not x; assert x\n"
    assert ast.unparse(ast.parse(reduced(text, "test_a", [3]))) == ast.unparse(ast.parse(text))


def changed_test(test_id, line, kind=DeltaKind.NEWLY_FAILING):
    frames = (Frame("/repo/tests/test_m.py", line, "test_double"), Frame("/repo/m.py", 2, "double"))
    exception = ExceptionFacts(("builtins.AssertionError",), "assert", None, None, frames)
    before = TestReport(test_id, TestOutcome.PASSED)
    after = TestReport(test_id, TestOutcome.FAILED, exception)
    detail = TestDetail(TestDelta(test_id, kind, before, after, confirmed=True))
    return Signal("k", SignalKind.TEST_CHANGED, "line", ("m.double",), ("m.py",), detail=detail)


def material(before, after):
    return Material(read_base=before.get, read_current=after.get)


M = b"def double(x):\n    return x * 2\n\n\ndef other():\n    return 1\n"


async def test_the_test_itself_and_its_copy_pass_before_and_fail_after(bench, tmp_path):
    before = {"m.py": M, "tests/test_m.py": FILE.encode()}
    after = before | {"m.py": M.replace(b"x * 2", b"x * 3")}
    itself, copy = candidates(changed_test("tests/test_m.py::test_double[1]", LINE), material(before, after))
    assert (itself.existing, itself.test_id) == (True, "tests/test_m.py::test_double[1]")
    assert (copy.existing, copy.test_id) == (False, "tests/test_m_reduced.py::test_double[1]")
    seen = {}
    for label, files in (("base", before), ("current", after)):
        root = tmp_path / label
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        for test in (itself, copy):
            (run,) = await run_in_repository(
                bench, test, Checkout(root, label), {}, modules=("m",), files=("m.py",), repetitions=1
            )
            (report,) = run.tests
            seen[label, test.test_id] = report.outcome.value
    assert list(seen.values()) == ["passed", "passed", "failed", "failed"], seen


def test_a_test_that_changed_too_is_only_copied_and_one_that_is_skipped_is_not():
    after = {"m.py": M, "tests/test_m.py": FILE.encode()}
    before = after | {"tests/test_m.py": b"# other\n" + FILE.encode()}
    (copy,) = candidates(changed_test("tests/test_m.py::test_double[a::b]", LINE), material(before, after))
    assert copy.folder == "tests"
    skipped = changed_test("tests/test_m.py::test_double[1]", LINE, DeltaKind.NEWLY_SKIPPED)
    assert candidates(skipped, material(before, after)) == ()
    gone = changed_test("tests/no.py::test_double[1]", LINE)
    assert candidates(gone, material(before, after)) == ()


def test_an_error_that_is_looked_at_stays():
    text = (
        "import pytest\nfrom m import f\n\n\ndef test_f():\n\n    assert f(1)\n\n"
        "    with pytest.raises(ValueError) as caught:\n        f(2)\n\n"
        "    with pytest.raises(KeyError):\n        f(3)\n\n    assert 'x' in str(caught.value)\n"
    )
    assert reduced(text, "test_f", [15]) == (
        "import pytest\nfrom m import f\n\n\ndef test_f():\n"
        "    with pytest.raises(ValueError) as caught:\n        f(2)\n\n"
        "    assert 'x' in str(caught.value)\n"
    )


@given(lines=st.lists(st.integers(0, 60), max_size=3), name=st.sampled_from(["test_double", "test_other[a]"]))
def test_whatever_the_traceback_says_the_copy_is_a_module_with_the_test(lines, name):
    text = reduced(FILE, name, lines)
    if text is not None:
        functions = [n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
        assert name.partition("[")[0] in functions
        assert len(text) < len(FILE)
