"""The one call of an installer: ``uv``, wheels only, into a directory."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL

import anyio
import anyio.to_thread

from repo_guardian.errors import NoWheelError, ToolchainError
from repo_guardian.sandbox.interface import PythonRuntime

FILE_BYTES = 3 * 1024**3
"""The largest single file that an installation may write."""

TOTAL_BYTES = 8 * 1024**3
TOTAL_FILES = 200_000
"""What a toolchain may hold."""

_KEPT = frozenset({
    *("PATH", "HOME", "NETRC", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "SSL_CLIENT_CERT", "http_proxy", "https_proxy", "all_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "no_proxy"),
    *("UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_NO_INDEX"),
    *("UV_INDEX_STRATEGY", "UV_KEYRING_PROVIDER", "UV_INSECURE_HOST", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS"),
    *("UV_CACHE_DIR", "UV_OFFLINE", "UV_HTTP_TIMEOUT", "UV_CONFIG_FILE"),
})  # fmt: skip
"""Which index, through which proxy, trusting whom, is the user's choice; nothing else is passed on."""

_FROM_PIP = {
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_EXTRA_INDEX_URL": "UV_INDEX",
    "PIP_FIND_LINKS": "UV_FIND_LINKS",
    "PIP_CERT": "SSL_CERT_FILE",
}
"""The same choices where they were made for pip only."""

_NETWORK = ("error sending request", "failed to fetch", "dns error", "connect", "timed out", "offline")
NETWORK_HINT = "check the network, the proxy and the package index (UV_DEFAULT_INDEX or PIP_INDEX_URL)"
"""Marks a failure that may be gone the next time."""

_NO_WHEEL = re.compile(
    r"Wheels are required for `([A-Za-z0-9._-]+)`"
    r"|([A-Za-z0-9][A-Za-z0-9._-]*)(?:[=<>!~]=?[^\s,]+)? ha(?:s|ve) no (?:usable )?wheels"
)
"""How uv names a package that has releases but no wheel, or none for this Python and platform."""

_REASON_CHARACTERS = 500
_DRAWING = " \t\u2570\u251c\u2502\u2500\u25b6\u00d7"


def installer_environment(host: Mapping[str, str]) -> dict[str, str]:
    """The variables for the installer: the user's choices of index, proxy and trust, and no secret else."""
    kept = {name: value for name, value in host.items() if name in _KEPT or name.startswith("UV_INDEX_")}
    for source, target in _FROM_PIP.items():
        if host.get(source) and target not in kept:
            kept[target] = host[source]
    return {**kept, "LC_ALL": "C.UTF-8", "UV_NO_PROGRESS": "1", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Request:
    """One installation: the file to read, the directory to fill, the Python it is for, uv's options."""

    requirements: Path
    target: Path
    runtime: PythonRuntime
    options: tuple[str, ...] = ()


def platform_of(runtime: PythonRuntime) -> str:
    """What wheels must fit: this machine's own tags when the interpreter is here, else a common Linux."""
    if runtime.host_path is not None:
        return sysconfig.get_platform()
    return f"{platform.machine()}-manylinux_2_28"


async def install_wheels(request: Request, *, timeout_s: float) -> None:
    """Fill ``request.target`` with what ``request.requirements`` asks for, without running any of it.

    Runs in ``/``, so that no configuration file of a watched repository is found on the way up, and with a
    limit on the size of a file, so that a bomb in an archive ends. uv itself drops members of a wheel that
    lead out of the target.

    Raises:
        NoWheelError: there are releases, but no wheel of them.
        ToolchainError: it could not be resolved or fetched, took longer than ``timeout_s``, or is too large.
    """
    command = [
        *_bounded(),
        *(_find_uv(), "pip", "install", "--quiet", "--only-binary", ":all:"),
        *_python_options(request.runtime),
        *("--target", str(request.target), *request.options, "--requirements", str(request.requirements)),
    ]
    try:
        with anyio.fail_after(timeout_s):
            environment = installer_environment(os.environ)
            done = await anyio.run_process(command, check=False, cwd="/", env=environment, stdin=DEVNULL)
    except TimeoutError:
        raise ToolchainError(
            f"the dependencies were not there after {timeout_s:.0f} s",
            hint=NETWORK_HINT,
        ) from None
    except OSError as error:
        raise ToolchainError(
            f"uv cannot be started: {error.strerror}", hint="reinstall the uv package"
        ) from error
    if done.returncode == -signal.SIGXFSZ:
        raise ToolchainError(
            f"a file of the dependencies is larger than {FILE_BYTES} bytes",
            hint="replace that requirement in guardian.toml",
        )
    if done.returncode != 0:
        raise _failure(done.stderr.decode("utf-8", "replace"))
    await anyio.to_thread.run_sync(_check_size, request.target)


def _python_options(runtime: PythonRuntime) -> list[str]:
    """Uv reads an interpreter's facts by running it: one of the host, and never with a package's code."""
    if runtime.host_path is not None:
        return ["--python", runtime.host_path, "--compile-bytecode"]
    version = ".".join(map(str, runtime.version))
    return [
        "--python",
        sys.executable,
        "--python-version",
        version,
        "--python-platform",
        platform_of(runtime),
    ]


def _bounded() -> list[str]:
    prlimit = shutil.which("prlimit", path=f"{os.defpath}:/usr/sbin:/sbin")
    return [prlimit, f"--fsize={FILE_BYTES}", "--"] if prlimit is not None else []


def _check_size(target: Path) -> None:
    total = count = 0
    for folder, _, names in os.walk(target):
        count += len(names)
        total += sum((Path(folder) / name).lstat().st_size for name in names)
    if total > TOTAL_BYTES or count > TOTAL_FILES:
        raise ToolchainError(
            f"the dependencies are too large: {count} files, {total} bytes",
            hint=f"at most {TOTAL_FILES} files and {TOTAL_BYTES} bytes are kept; name fewer in guardian.toml",
        )


def _failure(text: str) -> ToolchainError:
    reason = _one_line(text)
    names = tuple(dict.fromkeys(name for pair in _NO_WHEEL.findall(reason) for name in pair if name))
    if names:
        return NoWheelError(explain_failure(text), names=names, hint=_hint("no wheel"))
    return ToolchainError(explain_failure(text), hint=_hint(text))


def explain_failure(text: str) -> str:
    """The explanation that uv draws as a tree over several lines, as one line."""
    lines = [line for line in text.splitlines() if not line.strip(_DRAWING).startswith(("hint:", "help:"))]
    return _one_line("\n".join(lines))[:_REASON_CHARACTERS] or "uv failed and did not say why"


def _one_line(text: str) -> str:
    lines = [line.strip(_DRAWING) for line in text.splitlines()]
    lines = [line.removeprefix("error: ").removeprefix("cause: ") for line in lines]
    return " ".join(line for line in lines if line and not line.startswith("warning:"))


def _hint(text: str) -> str:
    lowered = text.lower()
    if (
        "no wheel" in lowered
        or "no usable wheel" in lowered
        or "no-build" in lowered
        or "only-binary" in lowered
    ):
        return "dependencies are taken from wheels only, since building runs their code"
    if any(word in lowered for word in _NETWORK):
        return NETWORK_HINT
    return "the versions asked for do not exist together as wheels for this Python and date"


def _find_uv() -> str:
    import uv

    try:
        return uv.find_uv_bin()
    except FileNotFoundError as error:
        raise ToolchainError("the uv program is missing", hint="reinstall the uv package") from error
