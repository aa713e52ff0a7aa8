"""A suite that cannot be collected is a typed answer with its reasons, never an error."""

from dataclasses import replace

import pytest

from repo_guardian.sandbox.toolchain import Toolchain
from repo_guardian.tools.execution.suite import collect_suite, plan_suite, run_suite
from repo_guardian.tools.execution.suite_model import SuiteCapability

GOOD = "def test_good(): pass\n"


async def collected(bench, checkout, **changes):
    return await collect_suite(bench, checkout, replace(plan_suite(checkout.path, ()), **changes))


@pytest.mark.parametrize(
    ("files", "capability", "missing"),
    [
        ({"m.py": "x = 1\n"}, "no_tests", ()),
        ({"tests/test_x.py": "import yaml.loader\n"}, "missing_dependencies", ("yaml",)),
        ({"tests/conftest.py": "import yaml\n", "tests/test_x.py": GOOD}, "missing_dependencies", ("yaml",)),
        ({"conftest.py": "import yaml\n", "test_x.py": GOOD}, "missing_dependencies", ("yaml",)),
        ({"conftest.py": "1 / 0\n", "test_x.py": GOOD}, "cannot_collect", ()),
        ({"test_x.py": "def test(:\n"}, "cannot_collect", ()),
        ({"pkg/__init__.py": "", "test_x.py": "import pkg.gone\n"}, "cannot_collect", ()),
        ({"test_x.py": "import sys\nsys.exit(0)\n"}, "cannot_collect", ()),
        ({"pytest.ini": "[pytest]\naddopts = --no-such-option\n", "test_x.py": GOOD}, "cannot_collect", ()),
        ({"pytest.ini": "[pytest]\naddopts = -p no_such_plugin\n", "test_x.py": GOOD},
         "missing_dependencies", ("no_such_plugin",)),
        ({"pytest.ini": "[pytest]\nrequired_plugins = pytest-a pytest-b>=1\n", "test_x.py": GOOD},
         "missing_dependencies", ("pytest-a", "pytest-b>=1")),
        ({"pytest.ini": "[pytest]\nstrict_config = true\nasyncio_mode = auto\n", "test_x.py": GOOD},
         "missing_dependencies", ("pytest-asyncio",)),
    ],
    ids=["no tests", "a test", "an inner conftest", "the conftest", "broken conftest", "syntax", "own module",
         "exits", "option", "plugin", "required plugins", "strict configuration"],
)  # fmt: skip
async def test_what_stands_in_the_way_is_named(bench, tree, files, capability, missing):
    found = await collected(bench, tree(files))
    assert found.assessment.capability.value == capability
    assert found.assessment.missing == missing
    assert capability == "no_tests" or found.assessment.problems[0].reason


async def test_an_unknown_option_is_the_reason(bench, tree):
    files = {"pytest.ini": "[pytest]\naddopts = --no-such-option\n", "test_x.py": GOOD}
    found = await collected(bench, tree(files))
    assert "--no-such-option" in found.assessment.problems[0].reason


async def test_one_file_that_cannot_be_collected_stops_no_other(bench, tree):
    checkout = tree({"test_a.py": GOOD, "test_b.py": "import yaml\n"})
    done = await run_suite(bench, checkout, plan_suite(checkout.path, ()))
    assert done.assessment.capability is SuiteCapability.RUNNABLE
    assert not done.assessment.whole
    assert [(p.node_id, p.missing) for p in done.assessment.problems] == [("test_b.py", "yaml")]
    assert done.believed
    assert [test.test_id for test in done.tests] == ["test_a.py::test_good"]


async def test_a_build_that_failed_is_the_reason_when_nothing_is_collected(bench, tree):
    checkout = tree({"pkg/__init__.py": "from pkg import _speedups\n", "test_x.py": "import pkg\n"})
    found = await collected(bench, checkout, build_problem="no compiler: cc is missing")
    assert found.assessment.capability is SuiteCapability.BUILD_FAILED
    assert found.assessment.problems[0].reason == "no compiler: cc is missing"


async def test_without_a_runner_nothing_can_run(bench, tree, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    bare = replace(bench, toolchains=replace(bench.toolchains, harness=Toolchain(empty, "0", (), ())))
    found = await collected(bare, tree({"test_x.py": GOOD}))
    assert found.assessment.capability is SuiteCapability.NO_RUNNER
