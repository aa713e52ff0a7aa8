"""What runs inside the sandbox on our behalf, mounted read-only; it imports nothing of ours.

The outcome of a test leaves the sandbox through three accounts. ``guardian_witness.py`` is a pytest
plugin in the interpreter that runs the tests and streams one record per event. ``supervisor.py`` runs
outside that interpreter: it starts it, collects the stream, reads the final report and hashes the files
under test. The host (``tools/probes/account.py``) accepts a run only where all of them agree.
"""

from pathlib import Path

GUEST = "/guardian"
"""Where this folder is mounted in a sandbox."""

GUEST_SOURCE = Path(__file__).parent
