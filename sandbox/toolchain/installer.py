"""The one call of an installer: ``uv``, wheels only, into a directory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import DEVNULL

import anyio

from repo_guardian.errors import ToolchainError

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
_REASON_CHARACTERS = 500
_DRAWING = " \t\u2570\u251c\u2502\u2500\u25b6\u00d7"


def installer_environment(host: Mapping[str, str]) -> dict[str, str]:
    """The variables for the installer: the user's choices of index, proxy and trust, and no secret else."""
    kept = {name: value for name, value in host.items() if name in _KEPT or name.startswith("UV_INDEX_")}
    for source, target in _FROM_PIP.items():
        if host.get(source) and target not in kept:
            kept[target] = host[source]
    return {**kept, "LC_ALL": "C.UTF-8", "UV_NO_PROGRESS": "1", "NO_COLOR": "1"}


async def install_wheels(
    requirements_file: Path, target: Path, *, python: str, options: Sequence[str], timeout_s: float
) -> None:
    """Fill ``target`` with what ``requirements_file`` asks for.

    Runs in ``/``, so that no configuration file of a watched repository is found on the way up.

    Raises:
        ToolchainError: it could not be resolved or fetched, or took longer than ``timeout_s``.
    """
    command = [
        *(_find_uv(), "pip", "install", "--quiet", "--only-binary", ":all:", "--compile-bytecode"),
        *("--python", python, "--target", str(target), *options, "--requirements", str(requirements_file)),
    ]
    try:
        with anyio.fail_after(timeout_s):
            environment = installer_environment(os.environ)
            done = await anyio.run_process(command, check=False, cwd="/", env=environment, stdin=DEVNULL)
    except TimeoutError:
        raise ToolchainError(
            f"the dependencies were not there after {timeout_s:.0f} s",
            hint="try again, or look at the network",
        ) from None
    except OSError as error:
        raise ToolchainError(
            f"uv cannot be started: {error.strerror}", hint="reinstall the uv package"
        ) from error
    if done.returncode != 0:
        text = done.stderr.decode("utf-8", "replace")
        raise ToolchainError(explain_failure(text), hint=_hint(text))


def explain_failure(text: str) -> str:
    """The explanation that uv draws as a tree over several lines, as one line."""
    lines = [line.strip(_DRAWING) for line in text.splitlines()]
    lines = [line.removeprefix("error: ").removeprefix("cause: ") for line in lines]
    lines = [line for line in lines if line and not line.startswith(("warning:", "hint:", "help:"))]
    return " ".join(lines)[:_REASON_CHARACTERS] or "uv failed and did not say why"


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
        return "check the network, the proxy and the package index (UV_DEFAULT_INDEX or PIP_INDEX_URL)"
    return "the versions asked for do not exist together as wheels for this Python and date"


def _find_uv() -> str:
    import uv

    try:
        return uv.find_uv_bin()
    except FileNotFoundError as error:
        raise ToolchainError("the uv program is missing", hint="reinstall the uv package") from error
