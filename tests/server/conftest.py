"""The command line's answers, to be compared with those of the server."""

import json

import pytest

from repo_guardian.client.cli.main import cli, run


@pytest.fixture
def guardian_json(home, capfd):
    """Run ``guardian ARGS --json --home HOME`` in this process; the object that it prints."""

    def call(*arguments):
        capfd.readouterr()
        given = [*map(str, arguments), "--json", "--home", str(home)]
        run(lambda: cli.main(args=given, prog_name="guardian", standalone_mode=False))
        captured = capfd.readouterr()
        assert captured.out, captured.err
        return json.loads(captured.out)

    return call
