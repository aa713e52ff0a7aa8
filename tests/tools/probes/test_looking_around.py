"""Imports and scripts over hostile trees, and uses in odd files: each is an answer, whatever it is."""

from __future__ import annotations

import pytest

from repo_guardian.errors import AdmissionError
from repo_guardian.sandbox.interface import Limits, ProcessStatus
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.probes.call_sites import CallSiteLimits, find_call_sites
from repo_guardian.tools.probes.imports import ImportLimits, import_modules, touched_modules
from repo_guardian.tools.probes.script import check_script, run_script
from repo_guardian.tools.probes.type_check import TypeReport, new_errors
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link

LIMITS = ImportLimits(each_s=5.0, total_s=60.0)
TREE = {
    "pkg/__init__.py": "",
    "pkg/good.py": "print('noise')\n",
    "pkg/exits.py": "import os\nos._exit(0)\n",
    "pkg/hangs.py": "while True:\n    pass\n",
    "pkg/forks.py": "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n",
    "pkg/killed.py": "import os\nos.kill(os.getpid(), 9)\n",
    "pkg/shouts.py": "raise ValueError('\\udcff\\u2028' * 100_000)\n",
    "pkg/odd.py": "class E(Exception):\n    def __str__(self):\n        raise KeyError\nraise E\n",
    "pkg/deep.py": "from pkg import inner\n",
    "pkg/inner.py": "import nowhere\n",
    "pkg/reads.py": "import sys\nassert not [n for n in sys.modules if n.startswith('pkg.')][1:]\n",
}


@pytest.fixture
def checkout(tmp_path):
    def make(files):
        for name, text in files.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Checkout(tmp_path / "tree", "f" * 40)

    return make


def graph(files):
    facts = {p: PythonExtractor().extract(t.encode(), ExtractLimits()) for p, t in files.items()}
    return link("0" * 40, facts)


async def test_every_module_has_an_answer_of_its_own(bench, checkout):
    modules = [
        path.removesuffix(".py").replace("/", ".") for path in TREE if not path.endswith("__init__.py")
    ]
    answers, result = await import_modules(bench, checkout(TREE), modules, LIMITS, bench.limits)
    assert result.status is ProcessStatus.EXITED
    told = {answer.module.partition(".")[2]: answer for answer in answers}
    assert [told[name].error for name in ("good", "forks", "reads")] == ["", "", ""]
    assert told["exits"].error == "the process ended with status 0 while it was imported"
    assert told["killed"].error == "the process ended with status -9 while it was imported"
    assert told["hangs"].error == "it was not imported in time"
    assert told["shouts"].error.startswith("ValueError: ") and len(told["shouts"].error) < 600
    assert told["odd"].error == "E: <unprintable: KeyError>"
    assert told["deep"].error == "ModuleNotFoundError: No module named 'nowhere'"
    assert (told["deep"].name, told["deep"].places) == ("nowhere", ("pkg/deep.py", "pkg/inner.py"))


async def test_a_tree_that_ends_the_driver_gives_no_answers(bench, checkout):
    files = {"pkg/__init__.py": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"}
    answers, result = await import_modules(bench, checkout(files), ["pkg"], LIMITS, bench.limits)
    assert answers == ()
    assert result.status is not ProcessStatus.EXITED


def test_modules_that_a_change_touches_and_those_that_import_them():
    base = {
        "pkg/__init__.py": "",
        "pkg/core.py": "def f(): ...\nX = 1\n",
        "pkg/by_name.py": "from pkg.core import X\n",
        "pkg/whole.py": "import pkg.core as c\n",
        "pkg/lazy.py": "def g():\n    from pkg import core\n",
        "pkg/apart.py": "",
        "pkg/gone.py": "import pkg.apart\n",
        "pkg/__main__.py": "import pkg.core\n",
        "tests/test_core.py": "import pkg.core\n",
        "setup.py": "import pkg.core\n",
    }
    current = {**base, "pkg/core.py": "X = 2\n", "pkg/new.py": "import pkg.whole\n"}
    del current["pkg/gone.py"]
    changed = [
        "pkg/core.py",
        "pkg/gone.py",
        "pkg/new.py",
        "pkg/__main__.py",
        "README.md",
        "tests/test_core.py",
    ]
    found = touched_modules(graph(base), graph(current), changed)
    assert list(found) == ["pkg.core", "pkg.gone", "pkg.new", "pkg.by_name", "pkg.lazy", "pkg.whole"]
    assert found["pkg.gone"] == "pkg/gone.py"


async def test_a_script_that_does_not_end_is_stopped_and_leaves_nothing(bench, checkout):
    tree = checkout({"pkg/__init__.py": "VALUE = 3\n"})
    endless = "import pkg\nprint(pkg.VALUE, flush=True)\nwhile True:\n    pass\n"
    ran = await run_script(bench, tree, endless, Limits(wall_s=3.0, cpu_s=3))
    assert (ran.status, ran.stdout) == (ProcessStatus.TIMED_OUT, b"3\n")
    shadow = "import os, pkg\nopen('pkg/__init__.py', 'w').write('')\nprint(os.getcwd(), pkg.__file__)\n"
    ran = await run_script(bench, tree, shadow, Limits())
    assert ran.stdout == b"/repo /repo/pkg/__init__.py\n"
    assert (tree.path / "pkg/__init__.py").read_text() == "VALUE = 3\n"


@pytest.mark.parametrize(
    "source", ["", "  \n", "x = (\n", "\0", "x = '\udcff'", "(" * 10_000, "a\n" * 20_000]
)
def test_what_is_no_script(source):
    with pytest.raises(AdmissionError):
        check_script(source)


def test_mentions_of_odd_files_and_of_names_that_mean_something_else():
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "def run(x):\n    return x\n\n\ndef again():\n    return run(1)\n",
        "pkg/b.py": "class Other:\n    def run(self):\n        return 'run', self.run()\n\n\n# run it\n",
    }
    others = {
        "docs/x.rst": b"``run`` and rerun\n\nrun\r\nRUN run_it\n",
        "data.bin": b"\xff\xfe run \x00\n",
        "conf/.env": b"run=1\n",
        "notes.md": b"run with ghp_" + b"aB3dE6gH9jKlMn" * 2 + b"oP5qR8sT" + b"\n",
    }
    contents = {**{path: text.encode() for path, text in files.items()}, **others}
    found = find_call_sites(graph(files), "pkg.a.run", contents, contents.get)
    certain = [(site.path, site.start_line) for site in found.sites if site.how not in ("text", "unresolved")]
    assert certain == [("pkg/a.py", 6)]
    mentions = [(site.path, site.start_line, site.text) for site in found.sites if site.how == "text"]
    assert mentions == [
        ("pkg/b.py", 6, "# run it"),
        ("docs/x.rst", 1, "``run`` and rerun"),
        ("docs/x.rst", 3, "run"),
        ("data.bin", 1, "\ufffd\ufffd run \x00"),
        ("notes.md", 1, "run with " + "*" * 40),
    ]
    assert (found.text_total, found.unread) == (5, 1)
    cut = find_call_sites(graph(files), "a.run", contents, contents.get, CallSiteLimits(listed=2, files=3))
    assert (cut.symbol, len(cut.sites), cut.unread) == ("pkg.a.run", 2, 4)
    nothing = find_call_sites(graph(files), "pkg.a.no_such", [], contents.get)
    assert (nothing.sites, nothing.total) == ((), 0)


def test_errors_that_moved_are_not_new():
    base = TypeReport((("a.py", 3, "one"), ("a.py", 9, "two"), ("b.py", 1, "one")))
    current = TypeReport((("a.py", 4, "one"), ("a.py", 5, "one"), ("b.py", 7, "one"), ("c.py", 1, "two")))
    assert new_errors(base, current) == ("a.py:5: one", "c.py:1: two")
