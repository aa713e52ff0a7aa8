"""The environment that commands start with: a short fixed allow-list, never the host's."""

from __future__ import annotations

from collections.abc import Mapping

BYTECODE = "/run/guardian/bytecode"
"""The only place where Python looks for bytecode: read-only, with that of trusted libraries or nothing.

So no ``.pyc`` that lies in a checkout, stale or planted, is ever loaded, and none is written."""

_FIXED: Mapping[str, str] = {
    "HOME": "/tmp",  # noqa: S108 - inside the sandbox
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPYCACHEPREFIX": BYTECODE,
    "PYTHONNOUSERSITE": "1",
    "SOURCE_DATE_EPOCH": "315532800",  # 1980-01-01, the oldest date that a zip file can hold
}


def command_environment(python: str, *additions: Mapping[str, str] | None) -> dict[str, str]:
    """The allow-list, with ``PATH`` led by the folder of ``python``, then each mapping of ``additions``."""
    path = "/usr/local/bin:/usr/bin:/bin"
    folder = python.rpartition("/")[0]
    if folder and folder not in path.split(":"):
        path = f"{folder}:{path}"
    environment = {"PATH": path, **_FIXED}
    for mapping in additions:
        environment.update(mapping or {})
    return environment
