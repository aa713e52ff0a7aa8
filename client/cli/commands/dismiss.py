"""``guardian dismiss``: a human says that a finding is not worth telling."""

from __future__ import annotations

from repo_guardian.client.cli.speaking import speaking_command
from repo_guardian.server.contract.hypotheses import Word

command = speaking_command(
    Word.DISMISSED,
    """Say that what ID names is not worth telling, and why. It stays silent until a file that it is about
    changes. ID is printed by guardian check and guardian cycle: a key or six characters of its beginning, h1
    of the last check, or 12:h1 of cycle 12. REPO is the current directory unless named; nothing in it is
    changed.
    """,
)
