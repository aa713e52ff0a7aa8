"""Where state is kept: ``GUARDIAN_HOME``, else the XDG state directory."""

from __future__ import annotations

import os
from pathlib import Path

import click


def guardian_home() -> Path:
    """The state directory, absolute; it is not created here."""
    named = os.environ.get("GUARDIAN_HOME", "")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return platformdirs.user_state_path("repo-guardian")


home_option = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="State directory.  [default: GUARDIAN_HOME, else the XDG state directory]",
)
