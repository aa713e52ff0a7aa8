"""Running tests against trees: what this machine can execute, with which toolchain, in which sandbox.

The rest of the program reaches the sandbox only through this package: ``capability.py`` chooses a backend,
``toolchains.py`` makes runner and dependencies ready, ``bench.py`` runs one test against one checkout. The
names below are the sandbox's own values that others have to speak of.
"""

from repo_guardian.sandbox.interface import REPO, Limits, ProcessStatus, SelfCheck

__all__ = ["REPO", "Limits", "ProcessStatus", "SelfCheck"]
