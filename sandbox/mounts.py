"""Which further directories a sandbox may be given, and where."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from repo_guardian.errors import SandboxError
from repo_guardian.sandbox.interface import OUT, REPO, SandboxSpec

WRITABLE = (REPO, OUT, "/tmp")  # noqa: S108 - inside
"""The folders that commands may write, and so the ones that files can be written to and read from."""

_RESERVED = frozenset({
    *("bin", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "out", "proc", "python", "repo"),
    *("root", "run", "sbin", "sys", "tmp", "usr", "var"),
})  # fmt: skip


def checked_mounts(spec: SandboxSpec) -> tuple[tuple[str, Path], ...]:
    """``(target, source)`` of each mount of ``spec``.

    Raises:
        SandboxError: a target is relative, not normal, or in a place that the sandbox needs itself; a
            source is not a directory; two targets overlap.
    """
    mounts: list[tuple[str, Path]] = []
    for mount in spec.mounts:
        target = PurePosixPath(mount.target)
        if not target.is_absolute() or ".." in target.parts or len(target.parts) < 2:
            raise SandboxError(f"{mount.target!r} is not a place to mount at", hint="use an absolute path")
        if target.parts[1] in _RESERVED:
            raise SandboxError(f"/{target.parts[1]} belongs to the sandbox", hint="mount elsewhere")
        others = [PurePosixPath(other) for other, _ in mounts]
        if any(target.is_relative_to(other) or other.is_relative_to(target) for other in others):
            raise SandboxError(f"two mounts overlap at {target}")
        if not mount.source.is_dir():
            raise SandboxError(f"{mount.source} is not a directory", hint="mounts are directories")
        mounts.append((str(target), mount.source))
    return tuple(mounts)


def writable_path(path: str) -> str:
    """``path``, when it lies in a folder that commands may write.

    Raises:
        SandboxError: it is relative, not normal, or elsewhere.
    """
    pure = PurePosixPath(path)
    normal = pure.is_absolute() and ".." not in pure.parts and "\0" not in path and str(pure) not in WRITABLE
    if not normal or not any(pure.is_relative_to(folder) for folder in WRITABLE):
        raise SandboxError(f"{path!r} is no file in {', '.join(WRITABLE)}", hint="use an absolute path there")
    return str(pure)
