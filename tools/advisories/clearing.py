"""The lowest eligible version that clears advisories: a pure function of what an index offers.

Eligible is a version that is not below the current one, was uploaded by the moment asked about, is not
yanked, is no pre-release unless the current one is, and has been in the index for a cooldown (72 hours,
``sandbox/toolchain/cutoff.py``). Two of these can give way, in this order, because a known vulnerability
weighs more than a possible one:

1. within the declared requirement, and old enough;
2. within the declared requirement, younger than the cooldown: the cooldown yields;
3. outside the requirement, old enough: the requirement has to be widened;
4. outside, and younger.

The requirement goes before the cooldown because it is the repository's own statement of what works with it.
Whatever gives way is told in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from repo_guardian.sandbox.toolchain.cutoff import COOLDOWN
from repo_guardian.sandbox.toolchain.index import Offer
from repo_guardian.tools.advisories.interface import Clearance

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

Clears = Callable[[str], bool]
"""True when an advisory can be shown not to affect a version, given as text."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    version: Version
    offer: Offer
    widens: bool
    young: bool

    def rank(self) -> tuple[bool, bool, Version]:
        return (self.widens, self.young, self.version)


def lowest_clearing(
    offers: Iterable[Offer],
    advisories: Sequence[Clears],
    *,
    current: Version,
    requirement: SpecifierSet | None,
    as_of: datetime,
    cooldown: timedelta = COOLDOWN,
    checked: bool = True,
) -> Clearance:
    """The lowest eligible of ``offers`` that clears *all* of ``advisories``.

    Args:
        offers: what there is, in any order; those that are no versions by PEP 440 are passed over.
        advisories: one predicate for each.
        current: the version in use.
        requirement: what the repository declares, exact pins apart; None when it declares nothing.
        as_of: the moment of which is spoken, with a time zone. What was uploaded later does not exist; what
            has no date does, and counts as younger than any cooldown.
        cooldown: how long a release must have been in the index; zero to ask for no age.
        checked: whether ``offers`` are an index's; only copied into the answer and its words.
    """
    candidates = [
        candidate
        for offer in offers
        if (candidate := _candidate(offer, current, requirement, as_of, cooldown)) is not None
        and all(clears(offer.version) for clears in advisories)
    ]
    if not candidates:
        return Clearance(checked=checked, words=_none(checked=checked))
    best = min(candidates, key=_Candidate.rank)
    found = Clearance(
        version=best.offer.version,
        uploaded=best.offer.uploaded,
        requires_python=best.offer.requires_python,
        widens=best.widens,
        cooldown_yields=best.young,
        checked=checked,
    )
    return replace(found, words=_words(found, requirement, as_of, cooldown))


def _candidate(
    offer: Offer, current: Version, requirement: SpecifierSet | None, as_of: datetime, cooldown: timedelta
) -> _Candidate | None:
    from packaging.version import InvalidVersion, Version

    try:
        version = Version(offer.version)
    except InvalidVersion:
        return None
    exists = offer.uploaded is None or offer.uploaded <= as_of
    release = current.is_prerelease or not version.is_prerelease
    # A local build (1.0+cu117) stands for its release: that one itself is not below it.
    if not (exists and release) or offer.yanked or version < Version(current.public):
        return None
    widens = requirement is not None and not requirement.contains(version, prereleases=True)
    aged = offer.uploaded is not None and offer.uploaded <= as_of - cooldown
    return _Candidate(version, offer, widens, young=bool(cooldown) and not aged)


def _words(found: Clearance, requirement: SpecifierSet | None, as_of: datetime, cooldown: timedelta) -> str:
    parts = []
    if found.widens:
        parts.append(f"the declared {requirement} has to be widened: nothing within it clears")
    if found.cooldown_yields:
        within = "" if requirement is None or found.widens else f" within {requirement}"
        parts.append(
            f"{_age(found.uploaded, as_of)}, and the cooldown of {_hours(cooldown)} h yields to a known"
            f" vulnerability: nothing older{within} clears"
        )
    if not found.checked:
        parts.append("not checked against the index")
    return "; ".join(parts)


def _age(uploaded: datetime | None, as_of: datetime) -> str:
    if uploaded is None:
        return "the index does not say when it was uploaded"
    age = as_of - uploaded
    day = uploaded.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    return f"it was uploaded {_hours(age)} h ago ({day} UTC)"


def _hours(span: timedelta) -> int:
    return int(span.total_seconds() // 3600)


def _none(*, checked: bool) -> str:
    where = "the index offers" if checked else "the advisories name (not checked against the index)"
    return f"no version that {where} clears it"
