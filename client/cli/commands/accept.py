"""``guardian accept``: a human says that a finding is true and known."""

from __future__ import annotations

from repo_guardian.client.cli.speaking import speaking_command
from repo_guardian.server.contract.hypotheses import Word

command = speaking_command(
    Word.ACCEPTED,
    """Say that what ID names is true and known, and why. Reports set it apart, and it is not proven again
    until a file that it is about changes. ID is printed by guardian check and guardian cycle: a key or six
    characters of its beginning, h1 of the last check, or 12:h1 of cycle 12. REPO is the current directory
    unless named; nothing in it is changed.
    """,
)
