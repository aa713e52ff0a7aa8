"""Acquires dependencies for the code that runs in sandboxes, without running any of it.

Only wheels are taken: reading the metadata of a source distribution already runs its ``setup.py``. A
toolchain is a plain directory for ``PYTHONPATH``, where Python processes no ``.pth`` file, so a wheel runs
nothing either before its modules are imported, which happens in a sandbox only. There are two sets: the
*harness* (the test runner, pinned by hash) and the *site* (what the watched repository declares).
"""

from repo_guardian.sandbox.toolchain.acquire import Toolchain, acquire, acquire_harness

__all__ = ["Toolchain", "acquire", "acquire_harness"]
