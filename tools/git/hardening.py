"""What a git process may read: the fixed options and the clean environments that every one of ours gets.

No ``GIT_*`` variable of the caller's environment survives, the transport settings in ``_USER_GIT`` apart.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

FIXED = (
    "--no-pager",
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "protocol.ext.allow=never"),
    *("-c", "log.showSignature=false"),
    *("-c", "submodule.recurse=false"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "advice.detachedHead=false"),
)
# attr.tree: git 2.43 and later look into HEAD's tree for .gitattributes in a bare repository, where a
# stranger's `-diff` would hide lines from the counts. A tree that does not exist means "no attributes".
MIRROR_ONLY = ("-c", "attr.tree=refs/guardian/no-attributes", "-c", "core.bigFileThreshold=32m")
WORK_TREE = ("-c", "core.bigFileThreshold=32m", "-c", "core.autocrlf=false", "-c", "core.symlinks=true")

_KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "SUDO_UID"),
    *("SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "SYSTEMROOT"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
)
_USER_GIT = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH")
_ALWAYS = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "SSH_ASKPASS_REQUIRE": "never",
}
_NO_CONFIGURATION = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
}
REMOTE_PROTOCOLS = ("file", "git", "http", "https", "ssh")

# git hands this to a shell and appends the quoted path. The caller has passed git's ownership check in
# `locate_repository`, with the user's own safe.directory; git would otherwise ask a second time for the
# inner directory, in other words.
UPLOAD_PACK = shlex.join(
    [
        "env",
        *(
            "GIT_NO_LAZY_FETCH=1",
            "GIT_ALLOW_PROTOCOL=none",
            "GIT_NO_REPLACE_OBJECTS=1",
            "GIT_OPTIONAL_LOCKS=0",
        ),
        "git",
        *FIXED,
        *("-c", "safe.directory=*", "upload-pack", "--strict"),
    ]
)


def isolated(*, index: Path | None = None, borrowed: Path | None = None) -> dict[str, str]:
    """For commands on the mirror: neither system nor user configuration, and no protocol at all.

    Args:
        index: the index file to use in place of the repository's own.
        borrowed: an object directory to read besides the repository's own.
    """
    environment = {**_base(), **_NO_CONFIGURATION, "GIT_ALLOW_PROTOCOL": "none"}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    if borrowed is not None:
        # One entry of a list that git splits at colons, unless the entry is quoted as in C.
        text = str(borrowed).replace("\\", "\\\\").replace('"', '\\"')
        environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = f'"{text}"'
    return environment


def with_user_configuration() -> dict[str, str]:
    """For locating a repository: the user's configuration (``safe.directory``), and no protocol."""
    return {**_base(), "GIT_ALLOW_PROTOCOL": "none"}


def with_transports(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """For reading a source: the user's configuration, transport settings and the usual protocols."""
    user = {name: os.environ[name] for name in _USER_GIT if name in os.environ}
    return {**_base(), **user, "GIT_ALLOW_PROTOCOL": ":".join(REMOTE_PROTOCOLS), **(extra or {})}


def _base() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_ALWAYS}
