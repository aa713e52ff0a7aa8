"""Gathering: the facts of every file of a tree, from the store where they are there already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts
from repo_guardian.tools.views.facts.registry import extractor_for, language_of
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.interface import Coverage, TreeSource
from repo_guardian.tools.views.symbol_graph.model import SkippedFile

_REGULAR = ("100644", "100755", "100664")
_BATCH = 256
"""Blobs that are asked for at once, so that not all of a tree is in memory."""

_Key = tuple[str, str]
"""Language and object id."""


@dataclass(slots=True)
class Gathered:
    """Facts by path, and how they came about."""

    files: dict[str, FileFacts] = field(default_factory=dict)
    skipped: list[SkippedFile] = field(default_factory=list)
    coverage: Coverage = field(default_factory=Coverage)
    reused: int = 0
    extracted: int = 0


def path_text(path: bytes) -> str:
    """A path as text that any output can hold: bytes that are not UTF-8 become hexadecimal escapes."""
    return path.decode("utf-8", "backslashreplace")


def gather(source: TreeSource, store: FactsStore, limits: ExtractLimits) -> Gathered:
    """The facts of all covered files of ``source``; new blobs are extracted and kept in ``store``.

    Raises:
        DiskFullError, StateDirError: the store cannot be written.
    """
    result = Gathered()
    entries = source.files()
    wanted, uncovered = _sort_out(entries, result)
    missing = _from_store(store, wanted, result)
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        blobs = dict(source.read(sorted({oid for _, oid in batch})))
        for key in batch:
            blob, extractor = blobs.get(key[1]), extractor_for(key[0])
            if blob is None or extractor is None:
                reason = "its blob is not in the repository"
                result.skipped.extend(SkippedFile(path, reason) for path in wanted[key])
                continue
            facts = extractor.extract(blob, limits)
            store.put(key[1], facts)
            result.extracted += 1
            result.files.update(dict.fromkeys(wanted[key], facts))
    partial = sorted((p, facts.problem) for p, facts in result.files.items() if facts.problem)
    result.coverage = Coverage(
        len(entries),
        len(result.files) - len(partial),
        tuple(SkippedFile(*pair) for pair in partial),
        tuple(sorted(result.skipped, key=lambda entry: entry.path)),
        tuple(sorted((name, count) for name, count in uncovered.items() if name)),
        uncovered[""],
    )
    return result


def _sort_out(
    entries: Sequence[tuple[bytes, str, str]], result: Gathered
) -> tuple[dict[_Key, list[str]], Counter[str]]:
    """The paths of each covered blob, and how many files of each other language there are ("" for none)."""
    wanted: dict[_Key, list[str]] = {}
    uncovered: Counter[str] = Counter()
    taken: set[str] = set()
    for raw, oid, mode in sorted(entries):
        path = path_text(raw)
        language = language_of(path) or ""
        if extractor_for(language) is None:
            uncovered[language] += 1
        elif mode not in _REGULAR:
            result.skipped.append(SkippedFile(path, "a symbolic link or submodule, not followed"))
        elif path in taken:
            result.skipped.append(SkippedFile(path, "its name reads like another file's"))
        else:
            taken.add(path)
            wanted.setdefault((language, oid), []).append(path)
    return wanted, uncovered


def _from_store(store: FactsStore, wanted: Mapping[_Key, list[str]], result: Gathered) -> list[_Key]:
    """Take what the store has; returns what it has not."""
    missing: list[_Key] = []
    for key, paths in wanted.items():
        language, oid = key
        extractor = extractor_for(language)
        facts = None if extractor is None else store.get(oid, extractor.identity)
        if facts is None:
            missing.append(key)
            continue
        result.reused += 1
        result.files.update(dict.fromkeys(paths, facts))
    return missing
