"""Which test files a change selects."""

from __future__ import annotations

import pytest

from repo_guardian.tools.deltas.select import reachable_tests

FILES = {
    "pkg/__init__.py": "from pkg.core import Base, helper\n",
    "pkg/core.py": (
        "LIMIT = 3\n"
        "def helper(x):\n    return x\n"
        "class Base:\n    def run(self):\n        return self.step()\n    def step(self):\n        return 0\n"
        "    def __len__(self):\n        return 1\n"
    ),
    "pkg/child.py": "from pkg import Base\nclass Child(Base):\n    def step(self):\n        return 1\n",
    "pkg/alone.py": "def alone():\n    return 1\n",
    "pkg/plugin.py": (
        "def hook(x):\n    return x.odd_name()\nclass P:\n    def odd_name(self):\n        return 1\n"
    ),
    "tests/test_helper.py": "import pkg\ndef test_it():\n    assert pkg.helper(1)\n",
    "tests/test_base.py": "from pkg import Base\ndef test_it():\n    assert Base().run() == 0\n",
    "tests/test_child.py": "from pkg.child import Child\ndef test_it():\n    assert Child().step()\n",
    "tests/test_limit.py": "from pkg.core import LIMIT\ndef test_it():\n    assert LIMIT\n",
    "tests/test_hook.py": "from pkg.plugin import hook\ndef test_it(thing):\n    hook(thing)\n",
    "tests/sub/conftest.py": (
        "import pytest\nfrom pkg.alone import alone\n@pytest.fixture\ndef one():\n    return alone()\n"
    ),
    "tests/sub/test_fixture.py": "def test_it(one):\n    assert one\n",
}  # fmt: skip


def select(graph, changes: dict[str, tuple[str, str]], **others: str):
    after = dict(FILES)
    for path, (old, new) in changes.items():
        assert old in after[path]
        after[path] = after[path].replace(old, new)
    after |= others
    changed = [path for path in after if after[path] != FILES.get(path)]
    read = [
        lambda path, files=files: files[path].encode() if path in files else None for files in (FILES, after)
    ]
    return reachable_tests(graph("old", FILES), graph("new", after), changed, *read)


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("pkg/core.py", "return x", "return x + 1", {"tests/test_helper.py"}),
        ("pkg/core.py", "return 0", "return 7", {"tests/test_base.py", "tests/test_child.py"}),
        ("pkg/child.py", "return 1", "return 2", {"tests/test_base.py", "tests/test_child.py"}),
        ("pkg/alone.py", "return 1", "return 2", {"tests/sub/test_fixture.py"}),
        ("pkg/plugin.py", "return 1", "return 2", {"tests/test_hook.py"}),
        ("tests/test_limit.py", "assert LIMIT", "assert LIMIT > 1", {"tests/test_limit.py"}),
        ("pkg/core.py", "    return x\n", "    return x  # the same\n", set()),
    ],
)
def test_a_change_selects_what_can_reach_it(graph, path, old, new, expected):
    found = select(graph, {path: (old, new)})
    assert not found.everything
    assert expected <= set(found.files)
    unrelated = {"tests/test_limit.py", "tests/sub/test_fixture.py"} - expected
    assert not unrelated & set(found.files)


def test_a_constant_selects_what_uses_the_module(graph):
    found = select(graph, {"pkg/core.py": ("LIMIT = 3", "LIMIT = 4")})
    assert "tests/test_limit.py" in found.files


def test_a_dunder_method_selects_users_of_its_class(graph):
    found = select(graph, {"pkg/core.py": ("return 1", "return 2")})
    assert {"tests/test_base.py", "tests/test_child.py"} <= set(found.files)


@pytest.mark.parametrize("path", ["pkg/data.json", "tests/data.txt", "tests/run.sh"])
def test_what_the_graph_cannot_see_selects_everything(graph, path):
    found = select(graph, {}, **{path: "changed = 1\n"})
    assert found.everything
    assert path in found.reason


@pytest.mark.parametrize(
    ("path", "text", "everything"),
    [
        (
            "pyproject.toml",
            "[project]\nversion = '2'\ndescription = 'x'\n[tool.ruff]\nline-length = 3\n",
            False,
        ),
        ("pyproject.toml", "[project]\ndependencies = ['x']\n", False),
        ("pyproject.toml", "[dependency-groups]\ndocs = ['sphinx']\n", False),
        ("pyproject.toml", "[dependency-groups]\ntests = ['sphinx']\n", False),
        ("pyproject.toml", "[build-system]\nbuild-backend = 'x'\n", True),
        ("pyproject.toml", "[project.scripts]\nx = 'pkg:helper'\n", True),
        ("requirements.txt", "anything\n", False),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-x'\n", True),
        ("pyproject.toml", "not = = toml", True),
        ("tox.ini", "[testenv]\ncommands = pytest\n", False),
        ("tox.ini", "[pytest]\naddopts = -x\n", True),
        ("setup.cfg", "[metadata]\nversion = 2\n", False),
        ("uv.lock", "anything\n", False),
        (".github/workflows/tests.yaml", "anything\n", False),
        (".coveragerc", "anything\n", False),
        ("LICENSE", "anything\n", False),
        ("docs/_static/style.css", "anything\n", False),
        ("requirements/docs.txt", "anything\n", False),
        ("pkg/core.pyi", "def helper(x: int) -> int: ...\n", False),
    ],
)
def test_settings_select_everything_only_where_tests_read_them(graph, path, text, everything):
    found = select(graph, {}, **{path: text})
    assert (found.everything, found.files) == (everything, ())


def test_a_changed_conftest_selects_what_is_below_it(graph):
    found = select(graph, {}, **{"tests/sub/conftest.py": "print('changed')\n"})
    assert found.files == ("tests/sub/test_fixture.py",)
    assert not found.everything


def test_prose_selects_nothing(graph):
    found = select(graph, {}, **{"README.md": "changed\n", "docs/guide.rst": "changed\n"})
    assert (found.files, found.everything) == ((), False)


def test_tests_are_selected_by_their_ids(graph):
    tests = {
        "tests/test_many.py": (
            "import pytest\nfrom pkg.alone import alone\nfrom pkg.core import helper\n"
            "def use():\n    return alone()\n"
            "@pytest.fixture\ndef made():\n    return use()\n"
            "def test_near():\n    assert use()\n"
            "def test_far():\n    assert helper(1)\n"
            "def test_asks(made):\n    pass\n"
            "class TestIt:\n    def test_in(self, made): pass\n    def test_out(self): pass\n"
            "@pytest.mark.usefixtures('made')\nclass TestAll:\n    def test_one(self): pass\n"
            "def test_by_value(request):\n    request.getfixturevalue('made')\n"
        )
    }
    both = {**FILES, **tests}
    after = {**both, "pkg/alone.py": "def alone():\n    return 2\n"}
    read = [lambda path, files=files: files.get(path, "").encode() for files in (both, after)]
    found = reachable_tests(graph("a", both), graph("b", after), ["pkg/alone.py"], *read)
    assert [test for test in found.arguments if "many" in test] == [
        f"tests/test_many.py::{name}"
        for name in ("TestAll", "TestIt::test_in", "test_asks", "test_by_value", "test_near")
    ]
    assert found.includes("tests/test_many.py::TestAll::test_one")
    assert found.includes("tests/test_many.py::test_near[1::2]")
    assert not found.includes("tests/test_many.py::test_far")
    assert not found.includes("tests/test_many.py::test_nearer")


@pytest.mark.parametrize(
    ("test", "whole"),
    [
        ("import pytest, pkg.core\n"
         "@pytest.mark.parametrize('f', [pkg.core.helper])\ndef test_it(f): pass\n", False),
        ("import importlib\ndef test_it():\n    importlib.import_module('pkg.core').helper(1)\n", False),
        ("from pkg.table import TABLE\ndef test_it():\n    TABLE.copy()['helper'](1)\n", False),
        ("from pkg.core import *\ndef test_it():\n    helper(1)\n", False),
        ("from pkg.core import helper\ndef test_it():\n    globals()['helper'](1)\n", False),
        ("import unittest, pkg.core\npkg.core.helper(1)\n"
         "class T(unittest.TestCase):\n    def test_it(self): pass\n", True),
        ("import unittest, pkg\nclass T(unittest.TestCase):\n    def setUp(self): pkg.helper(1)\n"
         "    def test_it(self): pass\n", False),
        ("import pkg\ndef setup_module(): pkg.helper(1)\ndef test_it(): pass\n", True),
        ("import pkg, pytest\n"
         "@pytest.fixture(autouse=True)\ndef always(): pkg.helper(1)\ndef test_it(): pass\n", True),
    ],
)  # fmt: skip
def test_ways_to_reach_a_function(graph, test, whole):
    table = "from pkg.core import helper\nTABLE = {'helper': helper}\n"
    before = {**FILES, "pkg/table.py": table, "tests/test_way.py": test}
    after = {**before, "pkg/core.py": FILES["pkg/core.py"].replace("return x", "return x + 1")}
    read = [lambda path, files=files: files.get(path, "").encode() for files in (before, after)]
    found = reachable_tests(graph("a", before), graph("b", after), ["pkg/core.py"], *read)
    assert "tests/test_way.py" in found.files
    assert found.includes(
        "tests/test_way.py::T::test_it" if "class T(" in test else "tests/test_way.py::test_it"
    )
    assert ("tests/test_way.py" in found.arguments) == whole
