"""Lock files: which versions the repository's own developers test with, as ``name==version`` pins.

Read: ``pylock.toml`` (PEP 751, by ``packaging``), ``uv.lock``, ``poetry.lock``, ``pdm.lock`` and
``Pipfile.lock``. Only releases of an index are pinned; a name that is locked in several versions (for
several Pythons or platforms) is left free, since which one counts depends on markers.
"""

from __future__ import annotations

import json
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
