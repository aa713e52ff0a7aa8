"""Which words of ``addopts`` stay, by file, by plugin, by meaning; and where a tree's packages lie."""

import pytest

from repo_guardian.tools.execution.suite_layout import find_layout
from repo_guardian.tools.execution.suite_options import read_addopts, suite_options


def overriding(options):
    """The ``addopts`` that are put in place of the suite's, None when they are left alone."""
    found = [word.removeprefix("addopts=") for word in options.argv if word.startswith("addopts=")]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -a 'b c'\n"),
        (".pytest.ini", "[pytest]\naddopts =\n    -a\n    'b c'\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-a 'b c'\"\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["-a", "b c"]\n'),
        ("pyproject.toml", '[tool.pytest]\naddopts = ["-a", "b c"]\n'),
        ("pytest.toml", '[pytest]\naddopts = ["-a", "b c"]\n'),
        ("tox.ini", "[tox]\n[pytest]\naddopts = -a 'b c'\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = -a 'b c'\n"),
    ],
)
def test_options_are_read_from_where_pytest_reads_them(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_addopts(tmp_path) == ["-a", "b c"]


def test_the_first_file_wins_and_an_empty_ini_counts(tmp_path):
    (tmp_path / "pytest.ini").write_text("")
    (tmp_path / "tox.ini").write_text("[pytest]\naddopts = -a\n")
    assert read_addopts(tmp_path) == []


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[pytest\n", b"[pytest]\naddopts = 'open\n", b"[a]\n" * 3])
@pytest.mark.parametrize("name", ["pytest.ini", "pyproject.toml", "setup.cfg"])
def test_a_file_that_cannot_be_read_changes_nothing(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert overriding(suite_options(tmp_path, ())) is None


@pytest.mark.parametrize(
    ("written", "installed", "kept"),
    [
        ("-ra --strict-markers", (), None),
        ("--cov --cov-report term-missing -q", (), "-q"),
        ("--cov pkg --cov-fail-under=90", ("pytest-cov==5",), ""),
        ("-n auto --dist loadgroup -v", (), "-v"),
        ("-nauto -n4 -v", (), "-v"),
        ("-x --maxfail 3 --pdb -v", (), "-v"),
        ("--asyncio-mode=auto -v", (), "-v"),
        ("--asyncio-mode auto", ("pytest_asyncio==1",), None),
        ("--timeout 10 -v", (), "-v"),
        ("--benchmark-skip -v", (), "-v"),
        ("--benchmark-skip", ("pytest-benchmark==4",), None),
        ("--runslow --own=1", (), None),
        ("-p no:warnings -p xdist", (), None),
        ("-k 'a and b' -x", (), "-k 'a and b'"),
    ],
)
def test_options_that_take_part(tmp_path, written, installed, kept):
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {written}\n")
    options = suite_options(tmp_path, installed)
    assert overriding(options) == kept
    assert (kept is None) == (options.dropped == ())


def test_distribution_is_off_where_its_plugin_is_there(tmp_path):
    options = suite_options(tmp_path, ("pytest-xdist==3.6.1",))
    assert "-n0" in options.argv
    assert "pytest-xdist" in options.dropped[0]


@pytest.mark.parametrize(
    ("files", "roots", "packages"),
    [
        (["pkg/__init__.py", "setup.py", "tests/__init__.py"], ("",), ("pkg",)),
        (["src/pkg/__init__.py", "setup.py", "docs/conf.py"], ("src",), ("pkg",)),
        (["src/ns/part/__init__.py", "src/one.py", "src/ns/a.py"], ("src",), ("ns", "one")),
        (["single.py", "conftest.py"], ("",), ("single",)),
        (["src/a/__init__.py", "b/__init__.py"], ("src", ""), ("a", "b")),
        (["README"], ("",), ()),
        (["not-a-name/__init__.py", "we ird.py"], ("",), ()),
    ],
)
def test_packages_are_found(tmp_path, files, roots, packages):
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    layout = find_layout(tmp_path)
    assert (layout.roots, layout.packages) == (roots, packages)


@pytest.mark.parametrize(
    "text",
    [
        '[tool.setuptools.package-dir]\n"" = "code"\n',
        '[tool.setuptools.packages.find]\nwhere = ["code"]\n',
        '[[tool.poetry.packages]]\ninclude = "pkg"\nfrom = "code"\n',
        '[tool.hatch.build.targets.wheel]\npackages = ["code/pkg"]\n',
    ],
)
def test_declared_roots_are_found(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "code" / "pkg").mkdir(parents=True)
    (tmp_path / "code" / "pkg" / "__init__.py").touch()
    assert find_layout(tmp_path).roots == ("code",)


@pytest.mark.parametrize("value", ['"../elsewhere"', '"/etc"', "3", "[1]", '["../x"]'])
def test_roots_outside_the_tree_are_not_followed(tmp_path, value):
    inside = tmp_path / "tree"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "m.py").touch()
    inside.mkdir()
    (inside / "src").symlink_to(tmp_path / "elsewhere")
    (inside / "pyproject.toml").write_text(f"[tool.setuptools.packages.find]\nwhere = {value}\n")
    assert find_layout(inside).roots == ("",)
