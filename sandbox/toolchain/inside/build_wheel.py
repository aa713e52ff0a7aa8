"""Builds one wheel by PEP 517; runs inside a sandbox, on Python 3.7 and later.

    build_wheel.py pyproject SOURCE OUT RESULT ARCHIVE    unpack, copy pyproject.toml (or nothing) to RESULT
    build_wheel.py wheel SOURCE OUT RESULT [ARCHIVE]      a wheel in OUT, or in RESULT what it needs besides

ARCHIVE is unpacked into SOURCE. Standard input is a JSON object: ``backend``, ``backend_path``, ``provided``
(requirements that are there). Exit codes: 0 done, 75 the backend needs what stands in RESULT, anything else
is its failure, explained on the output.
"""

# As light as can be, and old Pythons have less of pathlib.
# ruff: noqa: PTH113, PTH118, PTH123, PTH208
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

NEEDS_MORE = 75


def unpack(archive: str, folder: str) -> str:
    """Unpack ``archive`` into ``folder``, return the one directory at its top."""
    if archive.endswith(".zip"):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)  # noqa: S202 - inside the sandbox
    else:
        with tarfile.open(archive) as tar:
            if hasattr(tarfile, "data_filter"):
                tar.extractall(folder, filter="data")
            else:
                tar.extractall(folder)  # noqa: S202 - inside the sandbox
    names = os.listdir(folder)
    return os.path.join(folder, names[0]) if len(names) == 1 else folder


def call_backend(source: str, out: str, result: str) -> int:
    """Ask the backend for its needs, then for the wheel."""
    from pyproject_hooks import BuildBackendHookCaller

    task = json.load(sys.stdin)
    hooks = BuildBackendHookCaller(source, task["backend"], task["backend_path"] or None)
    needs = [need for need in hooks.get_requires_for_build_wheel({}) if need not in task["provided"]]
    if needs:
        with open(result, "w") as stream:
            json.dump(needs, stream)
        return NEEDS_MORE
    hooks.build_wheel(out, {})
    return 0


def main() -> int:
    """See the module."""
    verb, source, out, result, *archive = sys.argv[1:]
    if archive:
        source = unpack(archive[0], source)
    if verb == "wheel":
        try:
            return call_backend(source, out, result)
        except subprocess.CalledProcessError as failure:
            # The backend has said why; a traceback of ours would come after it.
            code = failure.returncode if failure.returncode > 0 else 128 - failure.returncode
            return 1 if code == NEEDS_MORE else code
    project = os.path.join(source, "pyproject.toml")
    shutil.copyfile(project if os.path.isfile(project) else os.devnull, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
