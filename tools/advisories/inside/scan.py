"""The program: pip-audit's auditor over pins from stdin and a database folder, its answer on stdout as JSON.

pip-audit asks an online service what affects a version; ``VulnerabilityService`` is where another service is
plugged in, and ``LocalService`` is one that reads the folder. Pins go in by ``DependencySource``. What
remains pip-audit's is the audit itself: which pins are audited or skipped, and that one vulnerability known
under several ids is told once. A pin about which the database cannot be asked is *skipped with a reason*,
never passed with no result.

Input: ``[[name, version], ...]``. Output: see ``tools/advisories/scanner.py``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version as installed
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pip_audit._audit import Auditor
from pip_audit._dependency_source.interface import DependencySource
from pip_audit._fix import ResolvedFixVersion
from pip_audit._service.interface import (
    Dependency,
    ResolvedDependency,
    SkippedDependency,
    VulnerabilityResult,
    VulnerabilityService,
)

from .database import Database, read_database
from .osv import Affected, affected_of

_SUMMARY_CHARS = 200
_REASON_CHARS = 300
_DOUBTS = 10


class Pins(DependencySource):
    """The pins to audit, in order. A version that is none by PEP 440 is skipped, as pip-audit does."""

    def __init__(self, pins: Sequence[tuple[str, str]]) -> None:
        self._pins = pins

    def collect(self) -> Iterator[Dependency]:
        """Each pin as pip-audit's dependency."""
        for name, text in self._pins:
            try:
                yield ResolvedDependency(name, Version(text))
            except InvalidVersion:
                yield SkippedDependency(name, f"{text[:80]!a} is no version by PEP 440")

    def fix(self, fix_version: ResolvedFixVersion) -> None:
        """Part of the interface, for ``pip-audit --fix``: here it changes nothing, whatever is asked."""


class LocalService(VulnerabilityService):
    """Answers pip-audit from a database that was read before."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def query(self, spec: Dependency) -> tuple[Dependency, list[VulnerabilityResult]]:
        """What affects ``spec``; a skipped dependency in its place where that cannot be said."""
        if spec.is_skipped():
            return spec, []
        assert isinstance(spec, ResolvedDependency)  # noqa: S101 - pip-audit has no third kind
        found, doubts = self.look_up(spec.canonical_name, str(spec.version))
        if doubts and not found:
            return SkippedDependency(spec.name, _joined(doubts)), []
        return spec, found

    def look_up(self, name: str, version: str) -> tuple[list[VulnerabilityResult], list[str]]:
        """What affects a version of ``name`` (canonical), and a line on each record that may."""
        found: list[VulnerabilityResult] = []
        doubts = self._unreadable(name)
        for record in self._database.records.get(name, []):
            affected = affected_of(record, name)
            try:
                if affected is not None and affected.affects(version):
                    found.append(_result(record, affected))
            except ValueError as error:
                doubts.append(f"{record['id']} {error}")
        return found, doubts

    def _unreadable(self, name: str) -> list[str]:
        return [f"{one.path} {one.reason}" for one in self._database.unreadable if one.may_concern(name)]


def _result(record: Mapping[str, object], affected: Affected) -> VulnerabilityResult:
    ids = [str(record["id"]), *_strings(record.get("aliases"))]
    fixes = [Version(text) for text in affected.fixed()]
    return VulnerabilityResult.create(ids, _summary(record), fixes, _moment(record.get("published")))


def _summary(record: Mapping[str, object]) -> str:
    text = next((value for key in ("summary", "details") if isinstance(value := record.get(key), str)), "")
    line = " ".join(text[: 4 * _SUMMARY_CHARS].split())
    if len(line) <= _SUMMARY_CHARS:
        return line
    return line[:_SUMMARY_CHARS].rpartition(" ")[0] + " …"


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value)[:19].replace(" ", "T"))
    except ValueError:
        return None


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _joined(doubts: Sequence[str]) -> str:
    more = f" (and {len(doubts) - 1} more)" if len(doubts) > 1 else ""
    return doubts[0][:_REASON_CHARS] + more


def audit(pins: Sequence[tuple[str, str]], database: Database) -> list[dict[str, object]]:
    """One entry for each of ``pins``, in order."""
    service = LocalService(database)
    answers = Auditor(service).audit(Pins(pins))
    entries: list[dict[str, object]] = []
    for (name, text), (dependency, results) in zip(pins, answers, strict=True):
        entry: dict[str, object] = {"name": name, "version": text, "others": [], "doubts": []}
        if isinstance(dependency, SkippedDependency):
            entries.append({**entry, "skipped": dependency.skip_reason, "advisories": []})
            continue
        canonical = str(canonicalize_name(name))
        records = database.records.get(canonical, [])
        advisories = [_told(result, records, canonical) for result in results]
        entry |= {"skipped": "", "advisories": advisories}
        if results:
            known = {one for result in results for one in (result.id, *result.aliases)}
            others = [record for record in records if record["id"] not in known]
            _, doubts = service.look_up(canonical, text)
            entry |= {"others": _ranges(others, canonical), "doubts": doubts[:_DOUBTS]}
        entries.append(entry)
    return entries


def _told(
    result: VulnerabilityResult, records: Sequence[Mapping[str, object]], name: str
) -> dict[str, object]:
    """A result with what its records say of the package, joined over all ids that it is known by."""
    ids = {result.id, *result.aliases}
    mine = [record for record in records if record["id"] in ids]
    return {
        "id": result.id,
        "aliases": sorted(result.aliases),
        "summary": result.description,
        "published": result.published.isoformat() if result.published is not None else "",
        "affected": _ranges(mine, name),
    }


def _ranges(records: Sequence[Mapping[str, object]], name: str) -> list[dict[str, object]]:
    affected = [affected_of(record, name) for record in records]
    return [{"versions": one.versions, "ranges": one.ranges} for one in affected if one is not None]


def main() -> None:
    """Read pins from stdin and the folder named as the first argument; write the answer to stdout."""
    pins = [(str(name), str(text)) for name, text in json.load(sys.stdin)]
    database = read_database(Path(sys.argv[1]))
    answer = {
        "scanner": f"pip-audit {installed('pip-audit')}",
        "database": {
            "advisories": database.advisories,
            "packages": len(database.records),
            "withdrawn": database.withdrawn,
            "elsewhere": database.elsewhere,
            "modified": database.modified,
            "unreadable": [f"{one.path} {one.reason}"[:_REASON_CHARS] for one in database.unreadable[:20]],
            "unreadable_count": len(database.unreadable),
        },
        "packages": audit(pins, database),
    }
    # A record may hold half a surrogate pair, which is no Unicode and would spoil the whole answer.
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
