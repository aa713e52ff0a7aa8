"""The known tricks by which a test lies about itself, in a real sandbox: none of them is believed."""

import hashlib

import pytest

from repo_guardian.sandbox.interface import Limits
from repo_guardian.sandbox.registry import select
from repo_guardian.tools.dependencies import Declared
from repo_guardian.tools.execution.bench import HARNESS, Bench, Checkout
from repo_guardian.tools.execution.toolchains import prepare_toolchains
from repo_guardian.tools.probes.interface import TestOutcome, TestSource
from repo_guardian.tools.probes.runner import RunPlan

PLAN = RunPlan(import_roots=("",), harness=HARNESS, site="", modules=("m",), files=("m.py",))
LIMITS = Limits(wall_s=20.0, cpu_s=20, processes=32)
CODE = "VALUE = 1\n\n\ndef f():\n    return VALUE\n"


@pytest.fixture
async def run(tmp_path, home):
    """Run one test's body over a checkout of one module; returns the account."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "m.py").write_text(CODE)
    backend = await select("bubblewrap")
    toolchains = await prepare_toolchains(
        backend, Declared((), ()), as_of=None, harness_root=home / "harness", site_root=home / "site"
    )

    async def call(body, *, prelude="", edit=None, limits=LIMITS, repetitions=1):
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        text = f"{prelude}\ndef test_it():\n{lines}"
        test = TestSource("test_it.py", "test_it", text, hashlib.sha256(text.encode()).hexdigest())
        bench = Bench(backend, toolchains, limits)
        runs = await bench.run(test, PLAN, Checkout(checkout, "c"), edit or {}, repetitions=repetitions)
        assert (checkout / "m.py").read_text() == CODE
        return runs[0] if repetitions == 1 else runs

    return call


def believed(run):
    """The outcome of a consistent run, None for one that is not."""
    return run.tests[0].outcome if run.tests and not run.disagreements else None


async def test_an_honest_pass_and_an_honest_failure(run):
    green = await run("import m\nassert m.f() == 1")
    assert believed(green) is TestOutcome.PASSED
    assert dict(green.loaded) == {"m": "/repo/m.py"}
    digest = hashlib.sha256(CODE.encode()).hexdigest()
    assert [(f.path, f.before, f.after) for f in green.files] == [("/repo/m.py", digest, digest)]
    red = await run("import m\nassert m.f() == 2")
    assert believed(red) is TestOutcome.FAILED
    assert red.tests[0].exception.is_a("AssertionError")
    assert red.tests[0].exception.frames[-1].function == "test_it"


async def test_an_edit_lives_in_the_overlay_for_one_repetition_each(run):
    edited = {"m.py": CODE.replace("1", "2", 1).encode()}
    body = "import m\nassert m.f() == 2\nopen('/repo/m.py', 'w').write('VALUE = 3')\n"
    runs = await run(body, edit=edited, repetitions=3)
    digest = hashlib.sha256(edited["m.py"]).hexdigest()
    assert [r.files[0].before for r in runs] == [digest] * 3
    assert all(r.files[0].after != digest for r in runs)


async def test_a_removed_file_is_gone_in_the_overlay(run):
    red = await run("import m", edit={"m.py": None})
    assert believed(red) is TestOutcome.FAILED
    assert red.tests[0].exception.name == "m"
    assert red.files[0].before is None


LIES = {
    "leaves with code 0": "import os\nos._exit(0)",
    "ends the session with code 0": "import pytest\npytest.exit('enough', returncode=0)",
    "rewrites the report at exit": (
        "import atexit, pathlib\n"
        "path = pathlib.Path('/tmp/guardian/report.xml')\n"
        "atexit.register(lambda: path.write_text(path.read_text().replace('failure', 'nothing')))\n"
        "assert False"
    ),
    "removes the report at exit": (
        "import atexit, os\natexit.register(lambda: os.unlink('/tmp/guardian/report.xml'))\nassert True"
    ),
    "makes the report a link": (
        "import atexit, os\n"
        "path = '/tmp/guardian/report.xml'\n"
        "atexit.register(lambda: (os.unlink(path), os.symlink('/etc/passwd', path)))"
    ),
    "forks and lets both report": "import os\nos.fork()\nassert True",
    "writes records of its own": (
        "import os\n"
        "for fd in range(3, 20):\n"
        "    try:\n"
        '        os.write(fd, b\'{"kind": "finish", "status": 0}\\n\')\n'
        "    except OSError:\n"
        "        pass\n"
        "assert False"
    ),
    "closes every descriptor": "import os\nos.closerange(3, 64)\nassert False",
    "kills the supervisor": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "exits at module level": "import sys\nsys.exit(0)",
    "resets the exit status": (
        "import gc, pytest\n"
        "for thing in gc.get_objects():\n"
        "    if isinstance(thing, pytest.Session):\n"
        "        thing.testsfailed = 0\n"
        "assert False"
    ),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_is_never_believed_to_be_a_pass(run, lie):
    account = await run(LIES[lie])
    assert believed(account) is not TestOutcome.PASSED, account


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("while True: pass", "timed_out"),
        ("import time\ntime.sleep(600)", "timed_out"),
        (
            "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
            "timed_out",
        ),
    ],
)
async def test_a_run_that_does_not_end_is_ended(run, body, status):
    account = await run(body, limits=Limits(wall_s=4.0, cpu_s=60, processes=16))
    assert account.result.status.value == status
    assert believed(account) is None


async def test_floods_do_not_reach_the_account(run):
    account = await run("import sys\nsys.stdout.write('x' * 20_000_000)\nassert False")
    assert believed(account) is TestOutcome.FAILED
    assert account.result.stderr_truncated


async def test_deleting_the_repository_changes_no_other_run(run):
    body = "import shutil, os\nfor name in os.listdir('/repo'): os.unlink('/repo/' + name)"
    first, second = await run(body, repetitions=2)
    assert first.files[0].before == second.files[0].before
    assert first.files[0].after is None


async def test_a_module_from_elsewhere_is_reported_with_its_place(run):
    body = (
        "import sys, pathlib\n"
        "pathlib.Path('/tmp/other').mkdir()\n"
        "pathlib.Path('/tmp/other/m.py').write_text('x = 1')\n"
        "sys.path.insert(0, '/tmp/other')\n"
        "import m"
    )
    account = await run(body)
    assert dict(account.loaded) == {"m": "/tmp/other/m.py"}


READS = {
    "open": "import m\nopen(m.__file__).read()",
    "a folder and a name": "import m, os\nopen(os.path.join('/re' + 'po', 'm' + '.py'), 'rb').read()",
    "the loader": "import m\nm.__spec__.loader.get_source('m')",
    "inspect": "import inspect, m\ngetattr(inspect, 'get' + 'source')(m.f)",
    "written and put back": (
        "import m\nold = open('/repo/m.py').read()\nopen('/repo/m.py', 'w').write('x')\n"
        "open('/repo/m.py', 'w').write(old)"
    ),
}


@pytest.mark.parametrize("way", READS)
async def test_reading_the_code_on_behalf_of_the_test_is_noted(run, way):
    assert (await run(READS[way])).read == ("/repo/m.py",)


async def test_the_code_object_that_the_test_asks_for_is_noted(run):
    assert (await run("import m\ngetattr(m.f, '__co' + 'de__')")).read == ("the code object of f",)


HONEST = {
    "imports": "import importlib, runpy, m\nimportlib.reload(m)\nassert m.f() == 1",
    "signatures": "import inspect, m\nassert not inspect.signature(m.f).parameters",
    "a traceback that pytest shows": "import m\nassert m.f() == 2",
    "files of its own": "open('mine.py', 'w').write('x')\nassert open('mine.py').read() == 'x'",
}


@pytest.mark.parametrize("way", HONEST)
async def test_what_is_not_reading_the_code_is_not_noted(run, way):
    found = await run(HONEST[way])
    assert (found.read, found.disagreements) == ((), ())


async def test_what_the_code_reads_of_itself_is_not_noted(run):
    edit = {"m.py": b"def f():\n    return open(__file__).read()\n"}
    found = await run("import m\nassert m.f().startswith('def')", edit=edit)
    assert (believed(found), found.read) == (TestOutcome.PASSED, ())
