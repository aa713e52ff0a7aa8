"""Whether an advisory affects a version: the evaluation algorithm of the OSV schema, for PyPI.

Source: https://ossf.github.io/osv-schema/#evaluation. Versions are ordered by ``packaging`` (PEP 440). What
the schema leaves open is decided for the side of caution: a version that cannot be compared is not "not
affected" but ``ValueError``. A local version (``1.0+cu117``) is judged as the release that it was built
from, since advisories name releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

_COMPARABLE = ("ECOSYSTEM", "SEMVER")
_KINDS = ("fixed", "introduced", "last_affected", "limit")
"""Of events; at one version, an introduction counts after a fix, so that doubt is not resolved to safety."""


@dataclass(frozen=True)
class Affected:
    """What one advisory says of one package.

    ``versions`` are affected as spelled; each of ``ranges`` is a list of ``(kind, version)`` events, where
    kind is introduced, fixed, last_affected or limit and ``"0"`` comes before every version.
    """

    versions: tuple[str, ...] = ()
    ranges: tuple[tuple[tuple[str, str], ...], ...] = ()

    def affects(self, version: str) -> bool:
        """True when ``version`` is listed, or lies in a range.

        Raises:
            ValueError: neither is said, or it cannot be compared; why, in half a sentence.
        """
        parsed = _parsed(version)
        if _listed(self.versions, version, parsed):
            return True
        if parsed is None:
            raise ValueError(f"{version[:80]!a} is no version by PEP 440")
        if not self.versions and not self.ranges:
            raise ValueError("names neither versions nor a range of them")
        doubts: list[str] = []
        for events in self.ranges:
            try:
                if _in_range(parsed, events):
                    return True
            except InvalidVersion as error:
                doubts.append(f"its range cannot be compared: {str(error)[:80]}")
        if doubts:
            raise ValueError(doubts[0])
        return False

    def fixed(self) -> list[str]:
        """The versions that its ranges call fixed, as spelled, lowest first; unreadable ones are left out."""
        found = {text for events in self.ranges for kind, text in events if kind == "fixed"}
        return sorted((text for text in found if _parsed(text) is not None), key=Version)


def affected_of(record: Mapping[str, object], name: str) -> Affected | None:
    """What an OSV record says of the PyPI package ``name`` (canonical), None when it is about others.

    Several entries of one package are joined: the schema lets a version be affected by any of them.
    """
    versions: list[str] = []
    ranges: list[tuple[tuple[str, str], ...]] = []
    found = False
    for entry in _tables(record.get("affected")):
        if package_of(entry) != name:
            continue
        found = True
        versions += [item for item in _items(entry.get("versions")) if isinstance(item, str)]
        for one in _tables(entry.get("ranges")):
            if one.get("type") in _COMPARABLE:
                ranges.append(tuple(_events(one)))
    return Affected(tuple(versions), tuple(filter(None, ranges))) if found else None


def package_of(entry: Mapping[str, object]) -> str:
    """The canonical name of the PyPI package that an ``affected`` entry is about, "" for any other."""
    from packaging.utils import canonicalize_name

    package = entry.get("package")
    if not isinstance(package, Mapping):
        return ""
    ecosystem, name = package.get("ecosystem"), package.get("name")
    if not isinstance(ecosystem, str) or not isinstance(name, str):
        return ""
    return str(canonicalize_name(name.strip())) if ecosystem.partition(":")[0] == "PyPI" else ""


def packages_of(record: Mapping[str, object]) -> list[str]:
    """The canonical names of all PyPI packages that a record is about."""
    return [name for entry in _tables(record.get("affected")) if (name := package_of(entry))]


def _tables(value: object) -> list[Mapping[str, object]]:
    return [item for item in _items(value) if isinstance(item, Mapping)]


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def _events(one: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    for event in _tables(one.get("events")):
        for kind in _KINDS:
            text = event.get(kind)
            if isinstance(text, str):
                yield kind, text


def _parsed(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _listed(versions: Sequence[str], version: str, parsed: Version | None) -> bool:
    if version in versions:
        return True
    if parsed is None:
        return False
    public = Version(parsed.public)
    return any(_parsed(one) in (parsed, public) for one in versions)


def _in_range(version: Version, events: Sequence[tuple[str, str]]) -> bool:
    public = Version(version.public)
    ordered = sorted((_place(kind, text), kind) for kind, text in events)
    limits = [place for place, kind in ordered if kind == "limit"]
    if limits and not any(place is None or public < place[1] for place in map(_bound, limits)):
        return False
    inside = False
    for place, kind in ordered:
        bound = place[1]
        if kind == "introduced" and (place[0] == 0 or public >= bound):
            inside = True
        elif (kind == "fixed" and public >= bound) or (kind == "last_affected" and public > bound):
            inside = False
    return inside


def _place(kind: str, text: str) -> tuple[int, Version, int]:
    """Where an event stands: the start of everything, or at its version; a tie goes by ``_KINDS``."""
    if kind == "introduced" and text == "0":
        return (0, Version("0"), 0)
    if kind == "limit" and text == "*":
        return (2, Version("0"), 0)
    return (1, Version(text), _KINDS.index(kind))


def _bound(place: tuple[int, Version, int]) -> tuple[int, Version, int] | None:
    return None if place[0] == 2 else place
