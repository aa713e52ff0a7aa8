"""The project's own build: its metadata is there, its compiled parts are, and the code is that of /repo."""

import hashlib
import io
import platform
import shutil
import tarfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from repo_guardian.errors import BuildFailedError, EnvironmentFault
from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.toolchain import NO_CUTOFF, Workshop
from repo_guardian.sandbox.toolchain.acquire import acquire_pinned
from repo_guardian.sandbox.toolchain.sources import fetch_source
from repo_guardian.tools.dependencies import Declared, declared_dependencies
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout
from repo_guardian.tools.execution.project import NO_VERSION, PROJECT, prepare_project
from repo_guardian.tools.execution.projects import needs_build, reader, with_projects
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.probes.interface import TestOutcome, TestSource
from repo_guardian.tools.probes.runner import RunPlan

BUILD = Path(__file__).parents[3] / "build"
BACKEND = BubblewrapBackend()
RUNTIME = BACKEND.interpreters()[0]

PROJECT_TOML = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["build_tools"]
[project]
name = "Some.Pkg"
dynamic = ["version"]
"""
BACKEND_PY = """
import os, subprocess, sys, sysconfig, zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    version = os.environ["SETUPTOOLS_SCM_PRETEND_VERSION"]
    info = f"some_pkg-{version}.dist-info"
    file = f"some_pkg-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as archive:
        archive.write("src/pkg/__init__.py", "pkg/__init__.py")
        archive.writestr("pkg/changed.py", "VALUE = 'of the build'")
        archive.writestr("pkg/_version.py", f"version = {version!r}")
        archive.writestr("pkg/_version.pyc", "x")
        archive.writestr("added/__init__.py", "VALUE = 'added'")
        archive.writestr(f"some_pkg-{version}.data/purelib/pkg/pure.py", "VALUE = 'pure'")
        archive.writestr(f"some_pkg-{version}.data/scripts/run", "#!python")
        facts = f"Metadata-Version: 2.1\\nName: Some.Pkg\\nVersion: {version}\\n"
        archive.writestr(f"{info}/METADATA", facts)
        archive.writestr(f"{info}/entry_points.txt", "[some.group]\\nname = pkg:changed\\n")
        if os.path.exists("native.c"):
            suffix = sysconfig.get_config_var("EXT_SUFFIX")
            flags = ["-shared", "-fPIC", "-I" + sysconfig.get_path("include")]
            subprocess.run(["gcc", *flags, "native.c", "-o", "/tmp/n.so"], check=True)
            archive.write("/tmp/n.so", f"pkg/native{suffix}")
    return file
"""
TREE = {
    "pyproject.toml": PROJECT_TOML,
    "build_tools/backend.py": BACKEND_PY,
    "src/pkg/__init__.py": "",
    "src/pkg/changed.py": "VALUE = 'of the tree'\n",
    "tests/test_it.py": "",
}
NATIVE_C = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "native", "", -1, methods};
PyMODINIT_FUNC PyInit_native(void) { return PyModule_Create(&module); }
"""


@pytest.fixture
async def workshop(tmp_path):
    """A workshop over an empty folder that shares what calls build backends."""
    root = tmp_path / "toolchain"
    root.mkdir()
    hooks = await acquire_pinned(
        "builder.lock", ("pyproject-hooks",), runtime=RUNTIME, root=BUILD / "harness"
    )
    (root / hooks.digest).symlink_to(hooks.path.parent)
    return Workshop(BACKEND, RUNTIME, root)


@pytest.fixture
def lay(tmp_path):
    """Write a tree of texts; returns its folder."""

    def write(files, name="tree"):
        for path, text in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return tmp_path / name

    return write


async def build(workshop, checkout, **more):
    declared = declared_dependencies(reader(checkout))
    return await prepare_project(workshop, checkout, declared, root=checkout.parent / "projects", **more)


async def test_only_what_the_checkout_lacks_is_taken_from_the_build(workshop, lay):
    built = await build(workshop, lay(TREE), version="3.2")
    assert (built.name, built.version) == ("some_pkg", "3.2")
    assert {path: content.read_text() for path, content in built.generated} == {
        "src/pkg/_version.py": "version = '3.2'",
        "src/pkg/pure.py": "VALUE = 'pure'",
    }
    there = {path.relative_to(built.path).as_posix() for path in built.path.rglob("*") if path.is_file()}
    assert there == {
        "added/__init__.py",
        "some_pkg-3.2.dist-info/METADATA",
        "some_pkg-3.2.dist-info/entry_points.txt",
    }


async def test_a_build_is_made_once_for_equal_trees(workshop, lay):
    first = await build(workshop, lay(TREE))
    assert first.version == NO_VERSION
    place = first.path.parent.parent
    (first.path / "mark").write_text("")
    other = lay({**TREE, "tests/test_it.py": "changed", "docs/x.rst": "x"}, "other")
    assert (await build(workshop, other)).digest == first.digest
    changed = await build(workshop, lay({**TREE, "src/pkg/changed.py": "VALUE = 2"}, "changed"))
    assert changed.digest != first.digest
    assert {entry.name for entry in place.iterdir()} == {first.digest, changed.digest}


async def test_the_version_of_a_release_is_its_own(workshop, lay):
    info = "Metadata-Version: 2.1\nName: Some.Pkg\nVersion: 7.1\n"
    assert (await build(workshop, lay({**TREE, "PKG-INFO": info}))).version == "7.1"


async def run_one(bench, checkout, body):
    text = "def test_it():\n" + "".join(f"    {line}\n" for line in body.splitlines())
    test = TestSource("test_it.py", "test_it", text, hashlib.sha256(text.encode()).hexdigest())
    plan = RunPlan(("src", ""), HARNESS, bench.site, ("pkg", "pkg.changed"), ("src/pkg/changed.py",))
    (run,) = await bench.run(test, plan, checkout, {}, repetitions=1)
    return run


@pytest.fixture
async def bench(home, workshop):
    """A bench without dependencies."""
    toolchains = await prepare_toolchains(
        BACKEND, Declared(), as_of=None, harness_root=home / "harness", site_root=workshop.root
    )
    return Bench(BACKEND, toolchains, replace(workshop.limits, wall_s=30.0))


async def test_tests_see_metadata_and_extensions_and_the_code_of_the_tree(bench, lay, tmp_path):
    if shutil.which("gcc", path="/usr/bin") is None:
        pytest.skip("no C compiler under /usr")
    checkout = Checkout(lay({**TREE, "native.c": NATIVE_C}), "c")
    before = sorted((path, path.stat().st_mtime_ns) for path in checkout.path.rglob("*"))
    ready = await with_projects(bench, [checkout], root=tmp_path / "projects", always=True)
    assert ready.toolchains.problems == ()
    assert ready.site.split(":")[0] == PROJECT
    body = (
        "from importlib.metadata import entry_points, version\n"
        "import added, pkg.changed, pkg._version, pkg.native\n"
        "assert version('some-pkg') == pkg._version.version\n"
        "assert pkg.changed.VALUE == 'of the tree'\n"
        "assert pkg.native.answer() == 42\n"
        "assert [e.name for e in entry_points(group='some.group')] == ['name']\n"
    )
    run = await run_one(ready, checkout, body)
    assert [(test.outcome, test.exception) for test in run.tests] == [(TestOutcome.PASSED, None)]
    assert dict(run.loaded)["pkg.changed"] == "/repo/src/pkg/changed.py"
    assert sorted((path, path.stat().st_mtime_ns) for path in checkout.path.rglob("*")) == before


async def test_without_a_compiler_the_build_says_so(workshop, lay):
    backend = BACKEND_PY.replace('"gcc"', '"/nowhere/gcc"')
    checkout = lay({**TREE, "native.c": NATIVE_C, "build_tools/backend.py": backend})
    with pytest.raises(BuildFailedError, match="no C compiler in the sandbox"):
        await build(workshop, checkout)
    assert not list((checkout.parent / "projects").iterdir())


async def test_a_failed_build_is_a_problem_and_no_error(bench, lay, tmp_path):
    checkout = Checkout(lay({**TREE, "build_tools/backend.py": "raise ValueError('no')"}), "c0ffee")
    ready = await with_projects(bench, [checkout], root=tmp_path / "projects", always=True)
    assert ready.projects == {}
    assert len(ready.toolchains.problems) == 1
    assert ready.toolchains.problems[0].startswith("c0ffee: cannot build")


async def test_a_build_cannot_touch_the_checkout_or_the_host(workshop, lay, tmp_path):
    marker = tmp_path / "marker"
    prelude = (
        f"import os\nfor path in ({str(marker)!r}, '/repo/src/pkg/planted.py', '/toolchain/build/x'):\n"
        "    try:\n        open(path, 'w').write('x')\n    except OSError:\n        pass\n"
    )
    checkout = lay({**TREE, "build_tools/backend.py": prelude + BACKEND_PY})
    await build(workshop, checkout)
    assert not marker.exists()
    assert not (checkout / "src/pkg/planted.py").exists()


async def test_an_unwritable_folder_is_an_error_of_the_tree(workshop, lay, tmp_path):
    (tmp_path / "file").write_text("")
    checkout = lay(TREE)
    with pytest.raises(EnvironmentFault):
        await prepare_project(
            workshop, checkout, declared_dependencies(reader(checkout)), root=tmp_path / "file" / "below"
        )


async def test_a_tree_that_is_no_project_is_not_built(workshop, lay):
    assert await build(workshop, lay({"m.py": ""})) is None


@pytest.mark.parametrize(
    ("files", "needed"),
    [
        ({}, False),
        ({"p/__init__.py": "from importlib.metadata import version"}, True),
        ({"p/__init__.py": "import pkg_resources"}, True),
        ({"tests/test_x.py": "import pkg_resources"}, False),
        ({"setup.py": "from setuptools import Extension\nx = Extension('a', [])"}, True),
        ({"pyproject.toml": '[project]\nname="p"\n[build-system]\nrequires=["Cython>=3"]'}, True),
        ({"pyproject.toml": '[project]\nname="p"\n[build-system]\nrequires=["setuptools-scm"]'}, True),
    ],
)
def test_a_build_is_made_where_something_of_it_is_needed(files, needed, lay):
    checkout = lay({"pyproject.toml": '[project]\nname = "p"\n', **files})
    assert needs_build(checkout, declared_dependencies(reader(checkout))) is needed


def test_the_reader_of_a_checkout_follows_no_link(lay, tmp_path):
    checkout = lay({"a": "x", "d/b": "y"})
    (checkout / "link").symlink_to("/etc/passwd")
    (checkout / "folder").symlink_to(tmp_path)
    read = reader(checkout)
    assert (read("a"), read("d/b")) == (b"x", b"y")
    hostile = ("link", "folder/tree/a", "../tree/a", "/etc/passwd", "d", "a\0b", "n" * 5000, "", "d/../a")
    assert [name for name in hostile if read(name) is not None] == []


async def test_a_real_extension_is_built_from_its_release(tmp_path, bench):
    """markupsafe 3.0.2 with the setuptools that it asks for: needs the network the first time only."""
    if shutil.which("gcc", path="/usr/bin") is None:
        pytest.skip("no C compiler under /usr")
    kept = BUILD / "sources"
    kept.mkdir(parents=True, exist_ok=True)
    archive = kept / "markupsafe-3.0.2.tar.gz"
    if not archive.is_file():
        fetch_source("markupsafe", SpecifierSet("==3.0.2"), kept, until=datetime(2025, 1, 1, tzinfo=UTC))
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as opened:
        opened.extractall(tmp_path / "u", filter="data")
    checkout = Checkout(tmp_path / "u" / "markupsafe-3.0.2", "c")
    cache = Workshop(BACKEND, RUNTIME, BUILD / "toolchain", NO_CUTOFF)
    bench = replace(bench, toolchains=replace(bench.toolchains, workshop=cache))
    ready = await with_projects(bench, [checkout], root=tmp_path / "projects")
    assert ready.toolchains.problems == ()
    ((name, content),) = ready.projects["c"].generated
    assert name.startswith("src/markupsafe/_speedups.") and platform.machine() in name
    assert content.stat().st_size > 1000
    body = "import markupsafe\nassert markupsafe._escape_inner.__module__ == 'markupsafe._speedups'\n"
    run = await run_one(ready, checkout, body)
    assert [test.outcome for test in run.tests] == [TestOutcome.PASSED], run
