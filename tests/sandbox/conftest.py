"""A checkout with awkward properties, and sandboxes opened over it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from repo_guardian.sandbox.bubblewrap.backend import BubblewrapBackend
from repo_guardian.sandbox.conformance.frame import LIMITS, make_checkout
from repo_guardian.sandbox.interface import Sandbox, SandboxSpec


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with private files, below a private folder whose name has option separators."""
    parent = tmp_path / "a,b:c=d 'e"
    parent.mkdir(mode=0o700)
    folder = make_checkout(parent / "checkout")
    (folder / "private").write_bytes(b"p")
    (folder / "private").chmod(0o600)
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def opened(checkout: Path) -> Callable[..., AbstractAsyncContextManager[Sandbox]]:
    """Opens a bubblewrap sandbox over the checkout; keywords change the specification."""

    def open_one(**changes) -> AbstractAsyncContextManager[Sandbox]:
        spec = SandboxSpec(checkout, commit="c" * 40, limits=LIMITS)
        return BubblewrapBackend().open(replace(spec, **changes))

    return open_one
