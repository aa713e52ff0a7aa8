"""Lock files: which versions the repository's own developers test with, as ``name==version`` pins.

Read: ``pylock.toml`` (PEP 751, by ``packaging``), ``uv.lock``, ``poetry.lock``, ``pdm.lock`` and
``Pipfile.lock``. Only releases of an index are pinned; a name that is locked in several versions (for
several Pythons or platforms) is left free, since which one counts depends on markers.
"""

from __future__ import annotations

import json
import posixpath
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping

from repo_guardian.tools.dependencies.interface import Read, Requested, normalized, table, text

_ELSEWHERE = frozenset({"git", "url", "path", "directory", "editable", "virtual", "hg", "svn", "bzr"})
_TOML = ("uv.lock", "poetry.lock", "pdm.lock")


def locked_versions(read: Read, problems: list[str]) -> list[Requested]:
    """The pins of the first lock file that the tree has."""
    for path in ("pylock.toml", *_TOML, "Pipfile.lock"):
        content = read(path)
        if content is None:
            continue
        try:
            pairs = list(_pairs(path, content))
        except (ValueError, RecursionError) as error:
            problems.append(f"{path} cannot be read: {type(error).__name__}")
            continue
        return _unambiguous(pairs, path)
    return []


def every_pin(path: str, content: bytes) -> tuple[list[Requested], list[str]]:
    """All releases of an index that a lock file pins, a name in several versions included, and other names.

    Args:
        path: of the file, in any folder; its last part says the format, ``pylock.NAME.toml`` included.

    Returns:
        The pins, and the names of what is locked from elsewhere: a repository, an address, a folder.

    Raises:
        ValueError: it cannot be read.
    """
    name = posixpath.basename(path)
    name = "pylock.toml" if name.startswith("pylock.") else name
    try:
        pins = {(normalized(one), version) for one, version in _pairs(name, content) if one and version}
        document = json.loads(content) if name == "Pipfile.lock" else tomllib.loads(content.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("is no table")  # noqa: TRY004 - of a stranger's file, not of a caller
    rest = _names(document) - {one for one, _ in pins}
    return [Requested(f"{one}=={version}", path) for one, version in sorted(pins)], sorted(rest)


def _names(document: Mapping[str, object]) -> set[str]:
    """The names of all entries of a lock file, whatever they are."""
    lists = [document.get(key) for key in ("package", "packages")]
    entries = [entry for found in lists if isinstance(found, list) for entry in found]
    names = {text(table(entry).get("name")) for entry in entries}
    names |= {str(key) for section in ("default", "develop") for key in table(document, section)}
    return {normalized(name) for name in names if name}


def _pairs(path: str, content: bytes) -> Iterable[tuple[str, str]]:
    if path == "Pipfile.lock":
        return _pipfile(json.loads(content))
    document = tomllib.loads(content.decode("utf-8"))
    return _pylock(document) if path == "pylock.toml" else _packages(document)


def _pylock(document: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    from packaging.pylock import Pylock, PylockValidationError

    try:
        lock = Pylock.from_dict(document)
    except PylockValidationError as error:
        raise ValueError from error
    for package in lock.packages:
        if package.version is not None and not (package.vcs or package.directory or package.archive):
            yield package.name, str(package.version)


def _packages(document: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    entries = document.get("package")
    for entry in entries if isinstance(entries, list) else []:
        source = table(entry, "source")
        elsewhere = _ELSEWHERE & {*table(entry), *source, text(source.get("type"))}
        if not elsewhere:
            yield text(table(entry).get("name")), text(table(entry).get("version"))


def _pipfile(document: object) -> Iterable[tuple[str, str]]:
    for section in ("default", "develop"):
        for name, entry in table(document, section).items():
            version = text(table(entry).get("version"))
            if version.startswith("==") and not _ELSEWHERE & table(entry).keys():
                yield name, version.removeprefix("==")


def _unambiguous(pairs: Iterable[tuple[str, str]], path: str) -> list[Requested]:
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for name, version in pairs:
        if name and version:
            versions[normalized(name)].add(version)
    return [Requested(f"{name}=={min(of)}", path) for name, of in sorted(versions.items()) if len(of) == 1]
