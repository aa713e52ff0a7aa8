"""How each package ends: from what the scanner found, what the index offers, and how old the database is.

Nothing here asks anyone: it is a function of those three. "Not affected" needs all of them to agree; whatever
is missing makes a package inconclusive, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from repo_guardian.sandbox.toolchain.cutoff import COOLDOWN
from repo_guardian.sandbox.toolchain.index import Offer, Offers
from repo_guardian.tools.advisories.clearing import Clears, lowest_clearing
from repo_guardian.tools.advisories.inside.osv import Affected
from repo_guardian.tools.advisories.interface import (
    Advisory,
    Clearance,
    DatabaseFacts,
    Judgement,
    Status,
    Subject,
)
from repo_guardian.tools.advisories.scanner import Entry, Found, Ranges

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version


@dataclass(frozen=True, slots=True)
class Grounds:
    """What judgements rest on.

    ``offers`` is None when the index was not to be asked; ``failure`` is why the scanner gave no answer.
    """

    facts: DatabaseFacts
    as_of: datetime
    max_age: timedelta
    offers: Offers | None
    failure: str = ""
    cooldown: timedelta = COOLDOWN


def judge(subject: Subject, entry: Entry | None, grounds: Grounds) -> Judgement:
    """One subject's end; ``entry`` is None where nothing was scanned."""
    if entry is None or entry.skipped:
        reason = subject.reason or grounds.failure or (entry.skipped if entry is not None else "")
        return Judgement(subject, Status.INCONCLUSIVE, reason=reason or "was not scanned")
    if entry.advisories:
        return _affected(subject, entry, grounds)
    doubt = database_doubt(grounds) or _index_doubt(subject, grounds.offers)
    if doubt:
        return Judgement(subject, Status.INCONCLUSIVE, reason=doubt)
    return Judgement(subject, Status.NOT_AFFECTED)


def database_doubt(grounds: Grounds) -> str:
    """Why a database in which nothing was found proves nothing; "" when it is fit to."""
    facts = grounds.facts
    if not facts.advisories:
        return "the database holds no advisory for PyPI"
    if facts.date is None:
        return "the database does not say how old it is"
    age = grounds.as_of - facts.date
    if age > grounds.max_age:
        return f"the database is {age.days} days old; older than {grounds.max_age.days} is not trusted"
    return ""


def _index_doubt(subject: Subject, offers: Offers | None) -> str:
    """A name or version that a public index does not know is not what a public database speaks of."""
    from packaging.version import Version

    known = None if offers is None else offers.projects.get(subject.name)
    if known is None:
        return ""
    if not known:
        return "the index does not know it, so a public database cannot"
    public = Version(Version(subject.version).public)
    if not any(_same(offer.version, public) for offer in known):
        return f"the index has no version {subject.version} of it"
    return ""


def _same(text: str, version: Version) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(text) == version
    except InvalidVersion:
        return False


def _affected(subject: Subject, entry: Entry, grounds: Grounds) -> Judgement:
    from packaging.version import Version

    current = Version(subject.version)
    known = grounds.offers.projects.get(subject.name) if grounds.offers is not None else None
    checked = bool(known)
    offers = known or _named(entry, current)
    requirement = _requirement(subject)

    def lowest(advisories: Sequence[Clears]) -> Clearance:
        return lowest_clearing(
            offers,
            advisories,
            current=current,
            requirement=requirement,
            as_of=grounds.as_of,
            cooldown=grounds.cooldown if checked else timedelta(0),
            checked=checked,
        )

    advisories = tuple(_told(found, current, lowest([_clears(found.affected)])) for found in entry.advisories)
    # What is advised must not be affected by an advisory that spares the current version.
    every = [*(_clears(found.affected) for found in entry.advisories), *(_clears([o]) for o in entry.others)]
    doubts = "; ".join(filter(None, [*entry.doubts, database_doubt(grounds)]))
    return Judgement(subject, Status.AFFECTED, advisories, lowest(every), doubts)


def _told(found: Found, current: Version, clearance: Clearance) -> Advisory:
    from packaging.version import Version

    fixed = {text for one in found.affected for text in one.affected().fixed() if Version(text) > current}
    return Advisory(
        id=found.id,
        aliases=tuple(found.aliases),
        summary=found.summary,
        published=found.published[:10],
        fixed=tuple(sorted(fixed, key=Version)),
        clearance=clearance,
    )


def _clears(ranges: Sequence[Ranges]) -> Clears:
    affected: list[Affected] = [one.affected() for one in ranges]

    def clears(version: str) -> bool:
        try:
            return not any(one.affects(version) for one in affected)
        except ValueError:
            return False

    return clears


def _named(entry: Entry, current: Version) -> tuple[Offer, ...]:
    """The versions that advisories themselves call fixed, for want of an index."""
    from packaging.version import Version

    ranges = [*(one for found in entry.advisories for one in found.affected), *entry.others]
    texts = {text for one in ranges for text in one.affected().fixed()}
    return tuple(Offer(text) for text in sorted(texts, key=Version) if Version(text) > current)


def _requirement(subject: Subject) -> SpecifierSet | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(",".join(subject.ranges)) if subject.ranges else None
    except InvalidSpecifier:
        return None
