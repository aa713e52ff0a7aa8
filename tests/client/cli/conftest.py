"""Running the command line: in this process for speed, or as a process of its own where that matters."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from repo_guardian.client.cli.main import cli, run

GUARDIAN = Path(sys.executable).with_name("guardian")


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def report(self):
        assert self.out, self.err
        return json.loads(self.out)


@pytest.fixture
def guardian(home, capfd):
    """Run ``guardian ARGS --home HOME`` in this process."""

    def call(*arguments):
        capfd.readouterr()
        given = [*map(str, arguments), "--home", str(home)]
        code = run(lambda: cli.main(args=given, prog_name="guardian", standalone_mode=False))
        captured = capfd.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def guardian_process(home):
    """Run ``guardian ARGS`` as a process of its own, under ``wrapper`` and on a terminal if asked."""

    def call(*arguments, wrapper=(), environment=None, tty=False):
        variables = {**os.environ, "GUARDIAN_HOME": str(home), **(environment or {})}
        command = [str(GUARDIAN), *map(str, arguments)]
        if tty:
            command = [shlex.join(command), "/dev/null"]
        done = subprocess.run(
            [*wrapper, *command], check=False, capture_output=True, text=True, env=variables
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call
