"""Each kind of file that declares dependencies, read without running anything of it."""

import json

import pytest

from repo_guardian.tools.dependencies import BuildSystem, declared_dependencies


def of_tree(texts):
    contents = {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}
    return declared_dependencies(contents.get)


def texts(items):
    return [item.text for item in items]


PEP_621 = """
[build-system]
requires = ["hatchling>=1", "hatch-vcs"]
build-backend = "hatchling.build"
[project]
name = "Some.Pkg"
dynamic = ["version"]
requires-python = ">=3.9"
dependencies = ["alpha>=1", 'beta; python_version < "3.9"']
[project.optional-dependencies]
fast = ["gamma"]
tests = ["pytest", "some-pkg[fast, Extra_One]"]
extra-one = ["delta", "some_pkg"]
docs = ["sphinx"]
dev = ["ruff"]
[tool.hatch.version]
source = "vcs"
"""


def test_pep_621_with_extras_that_name_each_other():
    found = of_tree({"pyproject.toml": PEP_621})
    assert texts(found.requirements) == ["alpha>=1", 'beta; python_version < "3.9"']
    assert texts(found.tests) == ["pytest", "gamma", "delta"]
    assert {item.source for item in found.tests} == {
        f"pyproject.toml extra {name}" for name in ("tests", "fast", "extra-one")
    }
    assert (found.name, found.version, found.version_source) == ("Some.Pkg", "", "hatch-vcs")
    assert found.requires_python == ">=3.9"
    assert found.build.backend == "hatchling.build"
    assert texts(found.build.requires) == ["hatchling>=1", "hatch-vcs"]
    assert found.problems == ()


def test_development_extras_count_only_without_test_extras():
    text = '[project]\nname = "p"\n[project.optional-dependencies]\ndev = ["pytest"]\ndocs = ["sphinx"]\n'
    assert texts(of_tree({"pyproject.toml": text}).tests) == ["pytest"]


def test_dependency_groups_include_others():
    text = """
[dependency-groups]
base = ["pytest>=7"]
test = [{include-group = "base"}, "coverage"]
loop = [{include-group = "loop"}]
tests = [{include-group = "loop"}]
"""
    found = of_tree({"pyproject.toml": text})
    assert texts(found.tests) == ["pytest>=7", "coverage"]
    assert len(found.problems) == 1 and "tests" in found.problems[0]
    assert found.build is None, "no project is built from a tree that names none"


def test_dynamic_dependencies_are_found_in_the_files_they_come_from():
    text = """
[project]
name = "p"
dynamic = ["dependencies", "optional-dependencies", "version"]
[tool.setuptools.dynamic]
dependencies = {file = ["deps.txt"]}
version = {attr = "p.__version__"}
[tool.setuptools.dynamic.optional-dependencies]
test = {file = ["more.txt"]}
"""
    found = of_tree({"pyproject.toml": text, "deps.txt": "alpha\n", "more.txt": "pytest\n"})
    assert (texts(found.requirements), texts(found.tests)) == (["alpha"], ["pytest"])
    assert found.version_source == "attr"
    computed = of_tree({"pyproject.toml": '[project]\nname = "p"\ndynamic = ["dependencies"]\n'})
    assert "computed" in computed.problems[0]


POETRY = """
[tool.poetry]
name = "p"
version = "1.2"
[tool.poetry.dependencies]
python = "^3.8"
alpha = "^1.2.3"
beta = {version = "~0.4", extras = ["x"], markers = "sys_platform == 'linux'", python = ">=3.9"}
gamma = {git = "https://example.invalid/g.git"}
delta = {version = "*", optional = true}
epsilon = [{version = "1.*", python = "<3.9"}, {version = ">=2, <3", python = ">=3.9"}]
[tool.poetry.extras]
test = ["delta"]
[tool.poetry.group.test.dependencies]
pytest = "^0.0.3"
[tool.poetry.dev-dependencies]
coverage = "5.1"
"""


def test_poetry_tables_are_translated():
    found = of_tree({"pyproject.toml": POETRY})
    assert texts(found.requirements) == [
        "alpha>=1.2.3,<2",
        "beta[x]>=0.4,<0.5 ; (sys_platform == 'linux') and (python_version >= \"3.9\")",
        'epsilon==1.* ; (python_version < "3.9")',
        'epsilon>=2,<3 ; (python_version >= "3.9")',
    ]
    assert texts(found.tests) == ["pytest>=0.0.3,<0.0.4", "coverage==5.1", "delta"]
    assert (found.requires_python, found.version) == (">=3.8,<4", "1.2")
    assert len(found.problems) == 1 and "gamma" in found.problems[0]


@pytest.mark.parametrize(
    ("written", "translated"),
    [
        ("^0", ">=0,<1"),
        ("^0.0", ">=0.0,<0.1"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^1.0b2", ">=1.0b2,<2"),
        ("~1", ">=1,<2"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~=1.2", "~=1.2"),
        ("1.2", "==1.2"),
        ("=1.2", "==1.2"),
        (">= 1.0 , < 2", ">=1.0,<2"),
        ("!=1.5", "!=1.5"),
        ("^1 || ^2", ""),
        ("*", ""),
    ],
)
def test_version_ranges(written, translated):
    text = f'[tool.poetry]\nname = "p"\n[tool.poetry.dependencies]\nalpha = "{written}"\n'
    assert texts(of_tree({"pyproject.toml": text}).requirements) == [f"alpha{translated}"]


def test_setup_cfg():
    text = """
[metadata]
name = p
version = attr: p.__version__
[options]
install_requires =
    alpha>=1
    # a comment
    beta
tests_require = nose
python_requires = >=3.7
[options.extras_require]
testing = pytest
  p[more]
more = gamma
"""
    found = of_tree({"setup.cfg": text, "setup.py": "import setuptools\nsetuptools.setup()\n"})
    assert texts(found.requirements) == ["alpha>=1", "beta"]
    assert texts(found.tests) == ["pytest", "gamma"]
    assert (found.name, found.version_source, found.requires_python) == ("p", "attr", ">=3.7")
    assert found.build == BuildSystem()


SETUP_PY = """
import os
from setuptools import setup
open("/tmp/never", "w")
BASE = ["alpha", "beta"]
MORE = ("gamma",)
CHANGED = ["x"]
CHANGED.append("y")
TWICE = ["x"]
TWICE = ["y"]
COMMON = dict(python_requires=">=3.6", version="1" + ".2")
extras = {"test": ["pytest", *MORE], "dev": BASE + ["ruff"]}
if __name__ == "__main__":
    setup(name="p", install_requires=BASE + ["delta; python_version < '3'"], extras_require=extras, **COMMON)
"""


def test_setup_py_is_read_by_its_syntax_tree():
    found = of_tree({"setup.py": SETUP_PY})
    assert texts(found.requirements) == ["alpha", "beta", "delta; python_version < '3'"]
    assert texts(found.tests) == ["pytest", "gamma"]
    assert (found.name, found.version, found.requires_python) == ("p", "1.2", ">=3.6")
    assert found.problems == ()


@pytest.mark.parametrize(
    "value", ["CHANGED", "TWICE", "open('r').read().split()", "LOOP", "[x for x in BASE]"]
)
def test_what_setup_py_computes_is_a_problem(value):
    text = SETUP_PY.replace("BASE + [\"delta; python_version < '3'\"]", value) + "LOOP = LOOP\n"
    found = of_tree({"setup.py": text})
    assert found.requirements == ()
    assert found.problems == ("setup.py computes install_requires; it is not run to find out",)


def test_requirements_files_include_files_of_the_tree_only():
    tree = {
        "requirements.txt": (
            "\ufeffalpha==1 --hash=sha256:00 # why\n-r requirements/base.txt\n-c pins.txt\n"
            "--index-url example.invalid\n-e .\nbeta \\\n  >=2\n-r ../../etc/passwd\n"
            "-r https://example.invalid/x\n-rmissing.txt\n-r requirements.txt\n"
        ),
        "requirements/base.txt": "gamma\n--requirement=more.txt\n",
        "requirements/more.txt": "delta ; python_version > '3'\n",
        "pins.txt": "gamma==4\n",
        "requirements-dev.txt": "ruff\n",
    }
    found = of_tree(tree)
    assert texts(found.requirements) == ["alpha==1", "gamma", "delta ; python_version > '3'", "beta    >=2"]
    assert [item.source for item in found.requirements][1] == "requirements/base.txt"
    assert texts(found.constraints) == ["gamma==4"]
    assert texts(found.tests) == ["ruff"]
    assert [line for line in found.problems if "leads out" in line and "passwd" in line]
    assert [line for line in found.problems if "missing.txt" in line]
    assert [line for line in found.problems if "--index-url" in line]
    assert len(found.problems) == 5


def test_test_files_and_tox():
    assert texts(of_tree({"test/requirements.txt": "a\n", "requirements-dev.txt": "b\n"}).tests) == ["a"]
    tox = "[testenv]\ndeps =\n  pytest\n  py37: mock\n  -r{toxinidir}/t.txt\n  {env:X}\nextras = more\n"
    project = '[project]\nname = "p"\n[project.optional-dependencies]\nmore = ["gamma"]\n'
    found = of_tree({"tox.ini": tox, "t.txt": "delta\n", "pyproject.toml": project})
    assert texts(found.tests) == ["pytest", "delta", "gamma"]


def test_a_root_file_beside_declared_requirements_is_for_those_who_work_on_it():
    project = {"setup.py": "from setuptools import setup\nsetup(name='p', install_requires=['alpha'])\n"}
    found = of_tree({**project, "requirements.txt": "requests\npytest\n"})
    assert texts(found.requirements) == ["alpha"]
    assert texts(found.tests) == ["requests", "pytest"]
    kept = of_tree({**project, "requirements.txt": "requests\n", "requirements-test.txt": "pytest\n"})
    assert texts(kept.tests) == ["pytest"]
    alone = of_tree({"requirements.txt": "requests\n"})
    assert texts(alone.requirements) == ["requests"] and not alone.tests


LOCKS = {
    "uv.lock": """
[[package]]
name = "Alpha_x"
version = "1.0"
source = { registry = "https://example.invalid" }
[[package]]
name = "p"
version = "0"
source = { editable = "." }
[[package]]
name = "two"
version = "1"
source = { registry = "r" }
[[package]]
name = "two"
version = "2"
source = { registry = "r" }
""",
    "poetry.lock": """
[[package]]
name = "alpha-x"
version = "1.0"
[[package]]
name = "g"
version = "3"
[package.source]
type = "git"
url = "https://example.invalid"
""",
    "pdm.lock": """
[[package]]
name = "alpha-x"
version = "1.0"
[[package]]
name = "p"
version = "0"
path = "."
""",
    "pylock.toml": """
lock-version = "1.0"
created-by = "x"
[[packages]]
name = "alpha-x"
version = "1.0"
[[packages.wheels]]
url = "https://example.invalid/alpha_x-1.0-py3-none-any.whl"
hashes = {sha256 = "00"}
[[packages]]
name = "d"
[packages.directory]
path = "d"
""",
    "Pipfile.lock": json.dumps(
        {
            "default": {"alpha-x": {"version": "==1.0"}, "g": {"git": "x"}, "odd": {"version": ">=1"}},
            "develop": {"alpha-x": {"version": "==1.0"}},
        }
    ),
}


@pytest.mark.parametrize("name", LOCKS)
def test_lock_files_pin_releases(name):
    found = of_tree({name: LOCKS[name]})
    assert texts(found.constraints) == ["alpha-x==1.0"]
    assert found.constraints[0].source == name
    assert found.problems == ()


def test_pipfile():
    found = of_tree({"Pipfile": '[packages]\nalpha = "*"\nbeta = ">=1"\n[dev-packages]\npytest = "~=7.0"\n'})
    assert (texts(found.requirements), texts(found.tests)) == (["alpha", "beta>=1"], ["pytest~=7.0"])


HOSTILE = [b"\xff\xfe", b"\0", b"[" * 100_000, b"a = " + b"[" * 5000, b"((" * 50_000, b"[project]\n" * 3, b""]
NAMES = (
    *("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "tox.ini", "Pipfile", "uv.lock"),
    *("pylock.toml", "Pipfile.lock", "poetry.lock", "requirements-test.txt"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_no_content_makes_a_reader_raise(name, content):
    found = of_tree({name: content})
    assert found.constraints == ()
    assert all("\n" not in problem for problem in found.problems)


WRONG_TYPES = [
    "project = 1",
    "[project]\nname = 1\nversion = []\ndependencies = 'a'\noptional-dependencies = [1]\ndynamic = 3",
    "[project]\nname = 'p'\ndependencies = [1, {}, 'alpha']\n[project.optional-dependencies]\ntest = 5",
    "[tool.poetry]\ndependencies = 3\ngroup = []",
    "[tool.poetry.dependencies]\na = 1\nb = [1]\nc = {version = 2}\npython = []",
    "[dependency-groups]\ntest = 'x'\ntests = [1]",
    "[build-system]\nrequires = 1\nbuild-backend = 2\nbackend-path = 'x'",
    "[tool.hatch.envs]\ntest = 1",
    "[[package]]\nname = 1",
    "package = 3",
    "[packages]\na = 1",
]


@pytest.mark.parametrize("text", WRONG_TYPES)
@pytest.mark.parametrize("name", ["pyproject.toml", "uv.lock", "Pipfile"])
def test_values_of_a_wrong_type_are_left_out(name, text):
    found = of_tree({name: text})
    assert all(isinstance(item.text, str) for item in (*found.requirements, *found.tests))


def test_includes_are_bounded():
    tree = {f"r{n}.txt": f"-r r{n + 1}.txt\na{n}\n" for n in range(200)}
    found = of_tree({**tree, "requirements.txt": "-r r0.txt\n"})
    assert len(found.requirements) == 31
    assert any("one too many" in problem for problem in found.problems)
