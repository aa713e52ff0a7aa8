"""What a package index offers of a project: its versions, when they were uploaded, and which are yanked.

Part of *acquire*, and less than the rest of it: the index's pages are read (PEP 691), no file is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from repo_guardian.errors import ToolchainError
from repo_guardian.sandbox.toolchain.sources import TIMEOUT_S, index_address, index_client

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, PyPISimple

_AT_ONCE = 8
_MOST_PROJECTS = 2000


@dataclass(frozen=True, slots=True)
class Offer:
    """One version in the index, as spelled there.

    ``uploaded`` is the moment of its first file, with a time zone, None where the index does not say.
    ``yanked`` means every file of it; ``requires_python`` is a specifier as written, "" where none is.
    """

    version: str
    uploaded: datetime | None = None
    yanked: bool = False
    requires_python: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """What an index said.

    ``projects`` has an entry for every name that was answered: its versions, none where the index does not
    know it. ``problems`` says why a name has no entry, by name; ``problem`` why no name has one.
    """

    projects: Mapping[str, tuple[Offer, ...]] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def index_offers(names: Iterable[str]) -> Offers:
    """Ask the user's index (``UV_DEFAULT_INDEX``, ``PIP_INDEX_URL``, else PyPI) about projects; blocks.

    Never raises for an index that cannot be asked: that is in the answer. At most 2000 names are asked.
    """
    address = index_address(os.environ)
    if address is None:
        return Offers(problem="no index may be asked by the variables of the environment")
    wanted = list(dict.fromkeys(names))
    projects: dict[str, tuple[Offer, ...]] = {}
    problems = dict.fromkeys(wanted[_MOST_PROJECTS:], f"not asked: more than {_MOST_PROJECTS} names")
    wanted = wanted[:_MOST_PROJECTS]
    try:
        with index_client(address) as client, ThreadPoolExecutor(_AT_ONCE) as pool:
            for name, answer in zip(wanted, pool.map(lambda one: _ask(client, one), wanted), strict=True):
                if isinstance(answer, str):
                    problems[name] = answer
                else:
                    projects[name] = answer
    except ToolchainError as error:
        return Offers(problem=error.message)
    if problems and not projects:
        return Offers(problems=problems, problem=next(iter(problems.values())))
    return Offers(projects, problems)


def _ask(client: PyPISimple, name: str) -> tuple[Offer, ...] | str:
    import requests
    from pypi_simple import NoSuchProjectError, UnsupportedContentTypeError, UnsupportedRepoVersionError

    try:
        packages = client.get_project_page(name, timeout=TIMEOUT_S).packages
    except NoSuchProjectError:
        return ()
    except requests.RequestException as error:
        return f"the index cannot be asked: {type(error).__name__}"
    except (UnsupportedContentTypeError, UnsupportedRepoVersionError, ValueError) as error:
        return f"the index's page cannot be read: {type(error).__name__}"
    return _offers(packages)


def _offers(packages: Iterable[DistributionPackage]) -> tuple[Offer, ...]:
    by_version: dict[str, list[DistributionPackage]] = {}
    for package in packages:
        if package.version and package.package_type in ("sdist", "wheel"):
            by_version.setdefault(package.version, []).append(package)
    return tuple(_offer(version, files) for version, files in by_version.items())


def _offer(version: str, files: list[DistributionPackage]) -> Offer:
    stamps = [_aware(one.upload_time) for one in files if one.upload_time is not None]
    return Offer(
        version=version,
        uploaded=min(stamps, default=None),
        yanked=all(one.is_yanked for one in files),
        requires_python=next((one.requires_python for one in files if one.requires_python), ""),
    )


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
