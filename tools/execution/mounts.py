"""Where a sandbox finds what a repository's tests need besides its own files."""

from __future__ import annotations

HARNESS = "/toolchain/harness"
"""The pinned test runner."""

SITE = "/toolchain/site"
"""The repository's dependencies."""
