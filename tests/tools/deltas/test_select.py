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


@pytest.mark.parametrize(
    "path", ["tests/sub/conftest.py", "pyproject.toml", "pkg/data.json", "requirements.txt"]
)
def test_what_the_graph_cannot_see_selects_everything(graph, path):
    found = select(graph, {}, **{path: "changed = 1\n"})
    assert found.everything
    assert path in found.reason


def test_prose_selects_nothing(graph):
    found = select(graph, {}, **{"README.md": "changed\n", "docs/guide.rst": "changed\n"})
    assert (found.files, found.everything) == ((), False)
