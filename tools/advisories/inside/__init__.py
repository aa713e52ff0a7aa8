"""What runs in the sandbox's *tool* profile: pip-audit over a local database, and how that is read.

Imports nothing of ours but its own modules, and those relatively: the sandbox knows this folder as the
package ``PACKAGE``, mounted read-only. ``osv.py`` decides whether an advisory affects a version and is used
on the host, too, so that both sides judge alike; ``database.py`` reads the files; ``scan.py`` is the program.
"""

from pathlib import Path

PACKAGE = "guardian_advisories"
PATH = "/toolchain/advisories"
"""The folder to put on the sandbox's ``PYTHONPATH``; ``PACKAGE`` lies in it."""

INSIDE_SOURCE = Path(__file__).parent
