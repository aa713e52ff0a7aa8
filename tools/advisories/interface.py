"""The frozen values of a look at dependency advisories. Moments carry a time zone; versions are texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Status(StrEnum):
    """How a package ends. There is no fourth, and ``INCONCLUSIVE`` is never ``NOT_AFFECTED``."""

    AFFECTED = "affected"
    NOT_AFFECTED = "not_affected"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Mention:
    """One place that asks for a package: the requirement as written there, and the file, and table in it."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Subject:
    """One package in one version, or in none where no place says which.

    Attributes:
        name: canonical (PEP 503).
        version: as pinned, "" when it is not known.
        mentions: where the version stands; for an unknown one, where the package is asked for.
        ranges: specifiers (PEP 440) that are declared elsewhere for the package, none of them an exact pin.
        resolved: the version is not written down; it is what the toolchain of the commit's date installed.
        reason: why the version is not known; "" when it is.
    """

    name: str
    version: str
    mentions: tuple[Mention, ...]
    ranges: tuple[str, ...] = ()
    resolved: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Declarations:
    """What a tree depends on, sorted by name and version.

    ``problems`` is what could not be read, a line each; ``unread`` are files that look like declarations and
    lie where a tree's own do not, such as test data.
    """

    subjects: tuple[Subject, ...]
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clearance:
    """The lowest eligible version that clears something, and what has to give way for it.

    Attributes:
        version: as the index spells it; "" when there is none.
        uploaded: when its first file came to the index, None when that is not known.
        requires_python: which Pythons it supports, as it says.
        widens: the declared requirement does not admit it and has to be widened.
        cooldown_yields: it is younger than the cooldown, or its age is not known, and nothing older clears.
        checked: the versions came from a package index; else from the advisories' own words.
        words: all of this in a sentence.
    """

    version: str = ""
    uploaded: datetime | None = None
    requires_python: str = ""
    widens: bool = False
    cooldown_yields: bool = False
    checked: bool = True
    words: str = ""


@dataclass(frozen=True, slots=True)
class Advisory:
    """One advisory that affects a package, told once for all ids that it is known by.

    ``fixed`` are the versions above the current one that it calls fixed, lowest first; ``clearance`` is what
    clears this one.
    """

    id: str
    aliases: tuple[str, ...]
    summary: str
    published: str
    fixed: tuple[str, ...]
    clearance: Clearance


@dataclass(frozen=True, slots=True)
class Judgement:
    """How one subject ends.

    ``reason`` says why it is inconclusive, and for an affected one what else may be missing; ``clearance``
    clears all of ``advisories``, None unless affected.
    """

    subject: Subject
    status: Status
    advisories: tuple[Advisory, ...] = ()
    clearance: Clearance | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What is known of the database that was asked.

    Attributes:
        location: the path as given by the user.
        kind: clone, folder or archive.
        commit: of a clone, full id; "" else.
        date: the commit's, else the newest modification that an advisory states; None when none does.
        advisories, packages: those for PyPI that are in force, and how many packages they are about.
        withdrawn: those for PyPI that were taken back; they are ignored.
        elsewhere: records of other ecosystems.
        unreadable: files that could not be read, at most 20, of ``unreadable_count``.
    """

    location: str
    kind: str
    commit: str = ""
    date: datetime | None = None
    advisories: int = 0
    packages: int = 0
    withdrawn: int = 0
    elsewhere: int = 0
    unreadable: tuple[str, ...] = ()
    unreadable_count: int = 0


@dataclass(frozen=True, slots=True)
class AdvisoryReport:
    """Everything that is told.

    Attributes:
        scanner: name and version of the program that ran; "" when it failed.
        sandbox: the backend that it ran in.
        as_of: the moment of which is spoken: releases after it do not exist, and the database's age counts
            from it.
        index: "" when the package index was asked, else why not.
        failure: why the scanner gave no answer, "" when it did. All judgements are inconclusive then.
    """

    repository: str
    commit: str
    committed_at: datetime
    as_of: datetime
    database: DatabaseFacts
    judgements: tuple[Judgement, ...]
    scanner: str = ""
    sandbox: str = ""
    index: str = ""
    failure: str = ""
    problems: tuple[str, ...] = ()
    unread: tuple[str, ...] = field(default=())

    def of(self, status: Status) -> tuple[Judgement, ...]:
        """The judgements that end so."""
        return tuple(one for one in self.judgements if one.status is status)
