"""Which backend a name leads to, and what is said when none works."""

from __future__ import annotations

import subprocess
import sys

import pytest

from repo_guardian.errors import SandboxUnavailableError, UsageError
from repo_guardian.sandbox.registry import backend_names, load, select


async def test_auto_picks_one_that_isolates_and_has_proved_it():
    backend = await select("auto")
    assert backend.isolates
    report = await backend.self_check()
    assert report.passed
    names = {check.name for check in report.checks}
    assert {"memory", "processes", "network", "file_size", "disk_bytes"} <= names


async def test_what_was_proved_is_remembered():
    backend = load("bubblewrap")
    assert await select("bubblewrap") is backend
    assert await backend.self_check() is await backend.self_check()


async def test_worktree_is_chosen_by_name_only():
    backend = await select("worktree")
    assert not backend.isolates
    assert not (await backend.self_check()).passed


async def test_an_unknown_name_is_a_usage_error_that_lists_the_names():
    with pytest.raises(UsageError) as caught:
        await select("chroot")
    assert all(name in caught.value.hint for name in backend_names())


def test_python_is_named_for_choosing_dependencies():
    for name in ("bubblewrap", "worktree"):
        backend = load(name)
        code = "import sys; print(*sys.version_info[:2])"
        printed = subprocess.run([backend.python, "-c", code], capture_output=True, check=True).stdout
        assert tuple(map(int, printed.split())) == backend.python_version() == sys.version_info[:2]


async def test_without_the_program_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr("repo_guardian.sandbox.bubblewrap.namespace.SEARCH_PATH", str(tmp_path))
    # A container engine may well be running on the machine of the test.
    monkeypatch.setattr("repo_guardian.sandbox.registry._BY_STRENGTH", ("bubblewrap",))
    load.cache_clear()
    with pytest.raises(SandboxUnavailableError, match="bwrap is not installed") as caught:
        await select("auto")
    assert "apt-get install bubblewrap" in caught.value.hint
