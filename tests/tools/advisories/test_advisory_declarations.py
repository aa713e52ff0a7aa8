"""Which packages in which versions a tree asks for, wherever it says so."""

import json

from repo_guardian.tools.advisories.declared import ADDRESS, UNPINNED, UNRESOLVED, gather_declarations

PYPROJECT = """
[build-system]
requires = ["setuptools==65.0"]
[project]
name = "Own.Project"
version = "1"
dependencies = ["alpha>=1,<3", "beta==2.0", "gamma~=1.0", 'delta<2; python_version < "3.9"', "delta>=2"]
[project.optional-dependencies]
docs = ["sphinx==4.0", "own-project[more]"]
"""
UV = """
version = 1
[[package]]
name = "own-project"
source = { editable = "." }
[[package]]
name = "alpha"
version = "1.5"
source = { registry = "x" }
[[package]]
name = "alpha"
version = "2.5"
source = { registry = "x" }
[[package]]
name = "forked"
version = "1"
source = { git = "x" }
"""


def of_tree(texts, **options):
    contents = {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}
    return gather_declarations(contents.get, contents, **options)


def pairs(found):
    return [(one.name, one.version) for one in found.subjects]


def test_everything_that_is_declared_pinned_or_locked():
    found = of_tree({
        "pyproject.toml": PYPROJECT,
        "uv.lock": UV,
        "requirements/dev.txt": "--no-binary x\nBeta[x]==2.1 --hash=sha256:aa  # why\nzeta\n",
        "docs/requirements.txt": "eta==1.0+local\nalpha!=1.2\n",
    })  # fmt: skip
    assert pairs(found) == [
        ("alpha", "1.5"), ("alpha", "2.5"), ("beta", "2.0"), ("beta", "2.1"), ("delta", ""),
        ("eta", "1.0+local"), ("forked", ""), ("gamma", ""),
        ("setuptools", "65.0"), ("sphinx", "4.0"), ("zeta", ""),
    ]  # fmt: skip
    by_name = {one.name: one for one in found.subjects}
    assert by_name["alpha"].ranges == ("<3,>=1", "!=1.2")
    assert by_name["delta"].ranges == (">=2",), "a range for some environments only says nothing in general"
    assert by_name["gamma"].reason == UNPINNED
    assert by_name["forked"].reason == ADDRESS
    assert by_name["eta"].mentions[0].source == "docs/requirements.txt"
    assert any("--no-binary" in line for line in found.problems)


def test_test_data_is_named_and_not_read_unless_asked_for():
    tree = {
        "tests/data/requirements.txt": "a==1",
        "examples/app/uv.lock": UV,
        "tests/requirements.txt": "b==1",
        "requirements/ci/x.txt": "c==1",
    }
    found = of_tree(tree)
    assert pairs(found) == [("b", "1")]
    assert found.unread == ("examples/app/uv.lock", "tests/data/requirements.txt")
    assert ("a", "1") in pairs(of_tree(tree, everywhere=True))


def test_every_group_and_environment_and_not_those_for_tests_only():
    pyproject = """
[project]
name = "own"
[dependency-groups]
test = ["a==1"]
typing = ["b==1", {include-group = "test"}]
broken = [{include-group = "nowhere"}]
[tool.poetry.group.docs.dependencies]
c = "1.0"
d = "^1"
[tool.pdm.dev-dependencies]
lint = ["e==1"]
[tool.hatch.envs.style]
dependencies = ["f==1"]
"""
    found = of_tree(
        {
            "pyproject.toml": pyproject,
            "setup.py": "from setuptools import setup\nsetup(install_requires=['g==1'])\n",
        }
    )
    assert pairs(found) == [
        ("a", "1"),
        ("b", "1"),
        ("c", "1.0"),
        ("d", ""),
        ("e", "1"),
        ("f", "1"),
        ("g", "1"),
    ]
    assert any("broken" in line for line in found.problems)


def test_pinned_output_of_a_compiler_under_another_name():
    found = of_tree({"requirements.lock": "a==1 \\\n    --hash=sha256:aa\n    # via b\n"})
    assert pairs(found) == [("a", "1")]


def test_every_kind_of_lock():
    pipfile = {
        "default": {"a": {"version": "==1.0"}, "b": {"git": "x"}},
        "develop": {"c": {"version": "==2"}},
    }
    pylock = """
lock-version = "1.0"
created-by = "x"
[[packages]]
name = "e"
version = "1"
sdist = { name = "e-1.tar.gz", url = "https://example.invalid/e-1.tar.gz", hashes = { sha256 = "aa" } }
"""
    found = of_tree({
        "Pipfile.lock": json.dumps(pipfile),
        "poetry.lock": '[[package]]\nname = "d"\nversion = "3"\n',
        "pylock.dev.toml": pylock,
    })  # fmt: skip
    assert pairs(found) == [("a", "1.0"), ("b", ""), ("c", "2"), ("d", "3"), ("e", "1")], found.problems


def test_hostile_files_are_told():
    found = of_tree({
        "pyproject.toml": b"\xff",
        "uv.lock": b"\xff",
        "poetry.lock": "x = " + "[" * 5000,
        "Pipfile.lock": '["default"]',
        "requirements.txt": "a b c\n-r ../../etc/passwd\nhttps://example.invalid/x.whl\nok==1\n",
        "requirements-dev.txt": b"\xff",
    })  # fmt: skip
    assert pairs(found) == [("ok", "1")]
    told = "\n".join(found.problems)
    for name in ("pyproject.toml", "uv.lock", "poetry.lock", "Pipfile.lock", "passwd", "x.whl", "'a b c'"):
        assert name in told, name
    assert "requirements-dev.txt" in told


def test_what_a_toolchain_resolved_stands_in_for_what_is_not_pinned():
    tree = {"pyproject.toml": PYPROJECT}
    resolved = {"alpha": "2.9", "beta": "9", "transitive": "1", "own-project": "1"}
    found = of_tree(tree, resolved=resolved)
    by_name = {one.name: one for one in found.subjects}
    assert (by_name["alpha"].version, by_name["alpha"].resolved) == ("2.9", True)
    assert (by_name["beta"].version, by_name["beta"].resolved) == ("2.0", False)
    assert (by_name["transitive"].version, by_name["transitive"].resolved) == ("1", True)
    assert by_name["gamma"].reason == UNRESOLVED
    assert "own-project" not in by_name


def test_an_exact_pin_is_one_without_a_wildcard():
    found = of_tree({"requirements.txt": "a==1.*\nb===odd\nc==1,!=2\nd>=1,==1.5\n"})
    assert pairs(found) == [("a", ""), ("b", "odd"), ("c", "1"), ("d", "1.5")]
