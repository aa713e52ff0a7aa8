"""A repository's own suite in a real sandbox: outcomes, options, selection, flakiness, and lies."""

from dataclasses import replace

import pytest

from repo_guardian.tools.execution.suite import collect_suite, plan_suite, run_suite
from repo_guardian.tools.execution.suite_model import Selection, SuiteCapability

MIXED = """
import unittest
import pytest
import pkg

def test_green(): assert pkg.f() == 1
def test_red(): assert pkg.f() == 2
@pytest.mark.skip
def test_skipped(): assert False
@pytest.mark.xfail
def test_expected(): assert False
@pytest.mark.xfail(strict=True)
def test_unexpected(): assert True

@pytest.fixture
def broken(): raise RuntimeError("set-up")
def test_broken(broken): pass

@pytest.fixture
def leaky():
    yield
    raise RuntimeError("tear-down")
def test_leaky(leaky): pass
def test_doubly(leaky): assert False

class Old(unittest.TestCase):
    def test_method(self): self.assertEqual(pkg.f(), 1)
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

@pytest.mark.parametrize("text", ["a::b", "a]b[", "", "x" * 300, "\\x1b[31m"])
def test_ids(text): assert pkg.f()
"""
PACKAGE = {
    "src/pkg/__init__.py": "def f():\n    return 1\n",
    "tests/conftest.py": "import pkg\n",
}


def outcomes(run):
    """Outcome by the last part of the id."""
    return {test.test_id.partition("::")[2]: test.outcome.value for test in run.tests}


async def run(bench, checkout, selection=None, **changes):
    plan = replace(plan_suite(checkout.path, bench.site_packages, selection), **changes)
    return await run_suite(bench, checkout, plan)


async def test_every_kind_of_outcome_is_believed(bench, tree):
    done = await run(bench, tree({**PACKAGE, "tests/test_mixed.py": MIXED}))
    assert done.repetitions[0].disagreements == ()
    assert done.repetitions[0].foreign == ()
    assert done.believed
    assert done.assessment.whole
    seen = outcomes(done)
    ids = {name: outcome for name, outcome in seen.items() if name.startswith("test_ids")}
    assert len(ids) == 5
    assert set(ids.values()) == {"passed"}
    assert {name: outcome for name, outcome in seen.items() if name not in ids} == {
        "test_green": "passed",
        "test_red": "failed",
        "test_skipped": "skipped",
        "test_expected": "skipped",
        "test_unexpected": "failed",
        "test_broken": "error",
        "test_leaky": "error",
        "test_doubly": "error",
        "Old::test_method": "passed",
        "Old::test_parts": "failed",
    }
    assert dict(done.loaded)["pkg"] == "/repo/src/pkg/__init__.py"
    red = next(test for test in done.tests if test.test_id.endswith("test_red"))
    assert red.exception.is_a("AssertionError")


async def test_selection_goes_to_pytest_whole(bench, tree):
    checkout = tree({**PACKAGE, "tests/test_mixed.py": MIXED})
    one = await run(bench, checkout, Selection(("tests/test_mixed.py::test_ids[a::b]",)))
    assert outcomes(one) == {"test_ids[a::b]": "passed"}
    some = await run(bench, checkout, Selection(("tests",), keyword="green or method"))
    assert outcomes(some) == {"test_green": "passed", "Old::test_method": "passed"}
    none = await run(bench, checkout, Selection(("-x",)))
    assert none.tests == ()
    assert none.assessment.capability is SuiteCapability.CANNOT_COLLECT


async def test_the_suites_own_configuration_counts(bench, tree):
    done = await run(
        bench,
        tree(
            {
                **PACKAGE,
                "pytest.ini": "[pytest]\naddopts = --strict-markers -n auto --cov=pkg -x -m 'not slow'\n"
                "markers = slow\nfilterwarnings = error\ntestpaths = checks\npython_files = check_*.py\n",
                "checks/check_it.py": "import warnings\nimport pytest\n"
                "def test_fails(): warnings.warn('x')\n"
                "@pytest.mark.slow\ndef test_slow(): pass\n"
                "def test_after(): pass\n",
                "tests/test_not_asked_for.py": "assert False\n",
            }
        ),
    )
    assert done.believed
    assert outcomes(done) == {"test_fails": "failed", "test_after": "passed"}
    assert [line.split(" is left out")[0] for line in done.dropped] == ["-n auto", "--cov=pkg", "-x"]


async def test_what_differs_between_repetitions_is_flaky(bench, tree):
    text = (
        "import os, pytest\n"
        "@pytest.mark.parametrize('i', range(10))\n"
        "def test_coin(i): assert os.urandom(1)[0] % 2\n"
        "def test_steady(): open('/repo/left', 'x')\n"
    )
    done = await run(bench, tree({"test_flaky.py": text}), repetitions=8)
    assert len(done.repetitions) == 8
    assert done.believed
    assert done.flaky
    assert {name.partition("[")[0] for name in done.flaky} == {"test_flaky.py::test_coin"}


async def test_an_edit_is_put_in_place_for_each_repetition(bench, tree):
    checkout = tree({**PACKAGE, "tests/test_it.py": "import pkg\ndef test_it(): assert pkg.f() == 2\n"})
    edit = {"src/pkg/__init__.py": b"def f():\n    return 2\n"}
    done = await run(bench, checkout, edit=edit, repetitions=2)
    assert outcomes(done) == {"test_it": "passed"}
    assert (checkout.path / "src/pkg/__init__.py").read_text().endswith("return 1\n")


async def test_thousands_of_tests_are_one_account(bench, tree):
    text = (
        "import pytest\n"
        "@pytest.mark.parametrize('i', range(3000), ids=lambda i: f'{i:0300d}')\n"
        "def test_many(i): assert i != 1234\n"
    )
    done = await run(bench, tree({"test_many.py": text}))
    assert done.repetitions[0].disagreements == ()
    assert len(done.tests) == 3000
    assert [test.test_id[-5:] for test in done.tests if test.outcome.value == "failed"] == ["1234]"]


@pytest.mark.parametrize(
    ("conftest", "test"),
    [
        ("", "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): assert False\n"),
        ("", "import pytest\ndef test_a(): pytest.exit('x', returncode=0)\ndef test_b(): assert False\n"),
        ("def pytest_sessionfinish(session): session.exitstatus = 0\n", "def test_a(): assert False\n"),
        ("import atexit\n"
         "def pytest_configure(config):\n"
         "    path = config.option.xmlpath\n"
         "    def lie():\n"
         "        text = open(path).read().replace('failure', 'nothing')\n"
         "        open(path, 'w').write(text)\n"
         "    atexit.register(lie)\n", "def test_a(): assert False\n"),
    ],
    ids=["ends the process", "ends the session", "resets the status", "rewrites the report"],
)  # fmt: skip
async def test_a_suite_that_lies_is_not_believed(bench, tree, conftest, test):
    done = await run(bench, tree({"conftest.py": conftest, "test_lie.py": test}))
    assert not done.believed or "failed" in outcomes(done).values(), done


async def test_packages_from_elsewhere_are_not_believed(bench, tree):
    conftest = (
        "import pathlib, sys\n"
        "pathlib.Path('/tmp/other').mkdir()\n"
        "pathlib.Path('/tmp/other/pkg.py').write_text('def f(): return 1')\n"
        "sys.path.insert(0, '/tmp/other')\n"
    )
    files = {
        **PACKAGE,
        "tests/conftest.py": conftest,
        "tests/test_it.py": "import pkg\ndef test_it(): pkg.f()\n",
    }
    done = await run(bench, tree(files))
    assert done.repetitions[0].foreign == (("pkg", "/tmp/other/pkg.py"),)
    assert not done.believed


async def test_a_suite_that_does_not_end_is_ended(bench, tree):
    short = replace(bench, limits=replace(bench.limits, wall_s=4.0))
    done = await run(short, tree({"test_slow.py": "import time\ndef test_a(): time.sleep(600)\n"}))
    assert done.repetitions[0].status.value == "timed_out"
    assert not done.believed


async def test_collecting_runs_no_test(bench, tree):
    text = "def test_a(): open('/repo/ran', 'w')\ndef test_b(): assert False\n"
    checkout = tree({"test_it.py": text})
    found = await collect_suite(bench, checkout, plan_suite(checkout.path, ()))
    assert found.assessment.capability is SuiteCapability.RUNNABLE
    assert found.collected == ("test_it.py::test_a", "test_it.py::test_b")
