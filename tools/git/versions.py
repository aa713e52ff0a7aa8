"""The version that a commit has by its history, for builds whose plugins would ask git for it.

A checkout holds no ``.git``, so the answer is worked out on the mirror and handed to the build.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.reader import OBJECT_ID

if TYPE_CHECKING:
    from packaging.version import Version

_DESCRIBED = re.compile(rb"(?P<tag>.+)-(?P<distance>\d+)-g[0-9a-f]+\n?\Z", re.DOTALL)
_NUMBER = re.compile(r"(?<![0-9.])\d")


def version_by_tags(git: Git, commit: str) -> str:
    """The nearest tag's version, with ``.postN`` for N commits since; empty without such a tag.

    After the tag of a development release it is a later one of these.

    A tag counts when what follows its prefix (``v``, ``release-``, a package's name) is a version by
    PEP 440; ``commit`` is a full id. Never raises for what tags are called.
    """
    if OBJECT_ID.fullmatch(commit) is None:
        return ""
    described = git.attempt("describe", "--tags", "--long", "--first-parent", commit)
    match = _DESCRIBED.match(described.stdout) if described.code == 0 else None
    if match is None:
        return ""
    tag, distance = match["tag"].decode("utf-8", "replace"), int(match["distance"])
    version = _version_in(tag)
    if version is None:
        return ""
    if not distance or version.is_postrelease:
        return version.public
    if version.dev is not None:  # there is no post release of a development release
        return f"{version.public.rpartition('.dev')[0]}.dev{version.dev + distance}"
    return f"{version.public}.post{distance}"


def _version_in(tag: str) -> Version | None:
    """The longest end of ``tag`` that is a version: prefixes may hold digits themselves."""
    from packaging.version import InvalidVersion, Version

    for number in _NUMBER.finditer(tag):
        try:
            return Version(tag[number.start() :])
        except InvalidVersion:
            continue
    return None
