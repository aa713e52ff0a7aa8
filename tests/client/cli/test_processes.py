"""The command line as a process: quiet in a pipe, killed at any point, and without a sandbox."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

GOOD = {"m.py": "def f(a=1):\n    return a\n", "n.py": "from m import f\n\nf()\n", "o.py": ""}
BROKEN = {"m.py": "def f(a):\n    return a\n", "o.py": "x = 1\n"}


@pytest.fixture
def broken(repository):
    repository.commit(GOOD)
    repository.commit(BROKEN)
    return repository


def test_a_pipe_gets_the_result_and_nothing_else(broken, guardian_process):
    ran = guardian_process("cycle", broken.path, "--json")
    assert (ran.code, ran.err) == (0, "")
    assert len(ran.report["findings"]) == 1


def test_a_terminal_sees_progress(broken, guardian_process):
    ran = guardian_process(
        "cycle", broken.path, wrapper=("script", "--quiet", "--return", "--command"), tty=True
    )
    assert "running the test at this commit" in ran.out or "linking the symbol graphs" in ran.out


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide a program from one process")
def test_without_a_sandbox_nothing_is_run_and_the_cycle_says_so(broken, guardian_process):
    # Container engines are hidden with their sockets.
    hide = (
        "unshare",
        "--mount",
        "sh",
        "-c",
        'mount --bind /dev/null "$(command -v bwrap)" && mount -t tmpfs none /run && exec "$@"',
        "sh",
    )
    ran = guardian_process("cycle", broken.path, "--json", wrapper=hide)
    assert ran.code == 0, ran.err
    report = ran.report
    assert report["cycle"]["exit_reason"] == "no_execution"
    assert report["findings"] == []
    assert [h["grade"] for h in report["other_hypotheses"]] == ["deferred"]
    assert "bwrap is not installed" in report["other_hypotheses"][0]["history"][0]["reason"]
    named = guardian_process("cycle", broken.path, "--sandbox", "bubblewrap", wrapper=hide)
    assert named.code == 3
    assert "apt-get install bubblewrap" in named.err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take the network from one process")
def test_a_runner_that_cannot_be_had_defers_and_does_not_cost_the_cycle(broken, guardian_process, tmp_path):
    environment = {"GUARDIAN_HOME": str(tmp_path / "new"), "UV_CACHE_DIR": str(tmp_path / "empty")}
    ran = guardian_process(
        "cycle", broken.path, "--json", wrapper=("unshare", "--net"), environment=environment
    )
    assert ran.code == 0, ran.err
    (hypothesis,) = ran.report["other_hypotheses"]
    assert hypothesis["grade"] == "deferred"
    assert ran.report["findings"] == []
    assert "check the network" in hypothesis["history"][0]["reason"]


@pytest.mark.parametrize("after", ["mirror.git", "views", "memory", "harness"])
def test_a_killed_cycle_is_named_by_the_next_and_leaves_nothing(broken, guardian_process, home, after):
    """Kill as soon as a part of the state appears; "harness" means while tests run."""
    process = start(broken, home)
    wait_for(home, after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not leftovers(home))
    report = guardian_process("cycle", broken.path, "--json").report
    begun = report["cycle"]["number"] - 1
    assert [i["number"] for i in report["cycle"]["interrupted"]] == list(range(1, begun + 1))
    assert len(report["findings"]) == 1
    assert report["memory"]["past_cycles"] == 0
    assert not list(home.glob("watched-*/checkouts/*"))
    memory = json.loads(guardian_process("memory", "show", broken.path, "--json").out)
    assert memory["cycles_total"] == 1


def test_a_second_cycle_at_the_same_time_is_refused(broken, guardian_process, home):
    process = start(broken, home)
    wait_for(home, "views")
    ran = guardian_process("cycle", broken.path)
    assert process.wait() == 0
    assert ran.code == 3
    assert str(process.pid) in ran.err


def start(repository, home):
    command = [Path(sys.executable).with_name("guardian"), "cycle", repository.path]
    return subprocess.Popen(
        command,
        env={**os.environ, "GUARDIAN_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for(home, part):
    if part == "harness":
        wait_until(lambda: leftovers(home))
    else:
        wait_until(lambda: any(home.glob(f"watched-*/{part}")))


def leftovers(home):
    """Processes whose command line or root speaks of this state directory, or that run our supervisor."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if str(home).encode() in command and b"guardian\0cycle" not in command:
            found.append(entry.name)
    return found


def wait_until(condition, limit_s=30):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
