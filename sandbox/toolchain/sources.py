"""Source distributions: found in the index and fetched by address and hash, never through an installer.

An installer reads the metadata of a source distribution by running it. Here the archive stays closed: its
bytes are counted and hashed on the way to a file, and it is unpacked in a sandbox only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from repo_guardian.errors import NoWheelError, ToolchainError
from repo_guardian.sandbox.toolchain.installer import NETWORK_HINT

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from pypi_simple import DistributionPackage, PyPISimple

ARCHIVE_BYTES = 128 * 1024**2
"""The largest archive that is fetched."""

_INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
TIMEOUT_S = (20.0, 60.0)
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class SourceArchive:
    """A fetched source distribution, named as the index names it."""

    path: Path
    name: str
    version: str
    sha256: str


def index_address(host: Mapping[str, str]) -> str | None:
    """The address of the index that the user's variables name; None when they forbid one.

    Only indexes that speak HTTP can be asked; a folder given with ``--find-links`` is not one.
    """
    if host.get("UV_NO_INDEX") or host.get("UV_OFFLINE") or host.get("PIP_NO_INDEX"):
        return None
    from pypi_simple import PYPI_SIMPLE_ENDPOINT

    address = next((host[name] for name in _INDEX_VARIABLES if host.get(name)), PYPI_SIMPLE_ENDPOINT)
    address = address.partition("=")[2] if address.partition("=")[0].isidentifier() else address
    return address if address.startswith(("https://", "http://")) else None


def fetch_source(
    name: str, specifier: SpecifierSet, folder: Path, *, until: datetime | None
) -> SourceArchive:
    """Fetch the newest source distribution of ``name`` within ``specifier`` into ``folder``; blocks.

    Args:
        until: releases uploaded from then on do not exist, nor do those whose date the index does not say.

    Raises:
        NoWheelError: the index offers no such source distribution either, or cannot be asked.
        ToolchainError: it cannot be fetched, has no SHA-256, does not match it, or is too large.
    """
    address = index_address(os.environ)
    if address is None:
        raise NoWheelError(f"{name} has no wheel, and no index can be asked for its source", names=(name,))
    with index_client(address) as client:
        package = _newest(client, name, specifier, until)
        path = folder / f"{name}-{package.version}{_suffix(package.filename)}"
        digest = _download(client, package, path)
    return SourceArchive(path, name, str(package.version), digest)


@contextmanager
def index_client(address: str) -> Iterator[PyPISimple]:
    """A client of the index at ``address``, trusting whom the user's variables name.

    Raises:
        ToolchainError: the index could not be asked.
    """
    import requests
    from pypi_simple import PyPISimple

    trust = os.environ.get("SSL_CERT_FILE") or os.environ.get("PIP_CERT")
    with requests.Session() as session:
        if trust:
            session.verify = trust
        try:
            yield PyPISimple(endpoint=address, session=session)
        except requests.RequestException as error:
            raise ToolchainError(
                f"the package index cannot be asked: {type(error).__name__}",
                hint=NETWORK_HINT,
            ) from error


def _newest(
    client: PyPISimple, name: str, specifier: SpecifierSet, until: datetime | None
) -> DistributionPackage:
    from packaging.version import InvalidVersion, Version
    from pypi_simple import NoSuchProjectError, UnsupportedContentTypeError, UnsupportedRepoVersionError

    try:
        packages = client.get_project_page(name, timeout=TIMEOUT_S).packages
    except NoSuchProjectError:
        packages = []
    except (UnsupportedContentTypeError, UnsupportedRepoVersionError, ValueError) as error:
        raise ToolchainError(f"the index's page of {name} cannot be read: {type(error).__name__}") from error
    found: list[tuple[Version, DistributionPackage]] = []
    for package in packages:
        try:
            version = Version(package.version or "")
        except InvalidVersion:
            continue
        dated = until is None or (package.upload_time is not None and package.upload_time < until)
        usable = package.package_type == "sdist" and bool(_suffix(package.filename)) and not package.is_yanked
        if usable and dated:
            found.append((version, package))
    # Pre-releases only where there is nothing else, as PEP 440 says.
    fitting = set(specifier.filter(version for version, _ in found))
    if not fitting:
        raise NoWheelError(f"{name} has neither a wheel nor a source distribution that fits", names=(name,))
    return next(package for version, package in found if version == max(fitting))


def _suffix(filename: str) -> str:
    return next((end for end in (".tar.gz", ".zip", ".tar.bz2", ".tgz") if filename.endswith(end)), "")


def _download(client: PyPISimple, package: DistributionPackage, path: Path) -> str:
    expected = package.digests.get("sha256")
    if expected is None:
        raise ToolchainError(f"the index gives no SHA-256 of {package.filename!a}", hint="it is not taken")
    digest, size = hashlib.sha256(), 0
    with client.s.get(package.url, stream=True, timeout=TIMEOUT_S) as response, path.open("wb") as stream:
        response.raise_for_status()
        for chunk in response.iter_content(_CHUNK):
            size += len(chunk)
            if size > ARCHIVE_BYTES:
                raise ToolchainError(
                    f"{package.filename!a} is larger than {ARCHIVE_BYTES} bytes",
                    hint="replace that requirement in guardian.toml",
                )
            digest.update(chunk)
            stream.write(chunk)
    if digest.hexdigest() != expected:
        raise ToolchainError(
            f"{package.filename!a} does not have the hash that the index states",
            hint="try again; if it stays so, do not trust that index",
        )
    return expected
