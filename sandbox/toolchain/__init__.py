"""Makes dependencies ready for the code that runs in sandboxes, and runs none of theirs on the host.

``acquire.py`` takes wheels and nothing else: reading the metadata of a source distribution already runs its
``setup.py``. ``sources.py`` fetches those by address and hash, ``build.py`` builds them, and the watched
repository itself, inside a sandbox, and ``provision.py`` puts the three together. A toolchain is a plain
directory for ``PYTHONPATH``, where Python processes no ``.pth`` file, so a wheel runs nothing either before
its modules are imported. The *harness* is the pinned test runner, the *site* what a repository declares.
"""

from repo_guardian.sandbox.toolchain.acquire import (
    Toolchain,
    acquire,
    acquire_checker,
    acquire_generator,
    acquire_harness,
    acquire_scanner,
    unwritable,
)
from repo_guardian.sandbox.toolchain.build import BuildPlan, Workshop, build_wheel
from repo_guardian.sandbox.toolchain.cutoff import COOLDOWN, NO_CUTOFF, Cutoff, cutoff_for
from repo_guardian.sandbox.toolchain.index import Offer, Offers, index_offers
from repo_guardian.sandbox.toolchain.provision import Wanted, provision

__all__ = [
    "COOLDOWN",
    "NO_CUTOFF",
    "BuildPlan",
    "Cutoff",
    "Offer",
    "Offers",
    "Toolchain",
    "Wanted",
    "Workshop",
    "acquire",
    "acquire_checker",
    "acquire_generator",
    "acquire_harness",
    "acquire_scanner",
    "build_wheel",
    "cutoff_for",
    "index_offers",
    "provision",
    "unwritable",
]
