"""What differs between two commits, as keys: found from the changed files alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from repo_guardian.tools.views.symbol_graph.corpus import Corpus, global_key, key_hash, local_key
from repo_guardian.tools.views.symbol_graph.languages import LanguageLinker, language_linker

_Entries = Mapping[tuple[str, str], bytes]


def changed_keys(before: Corpus, after: Corpus, paths: Collection[str]) -> frozenset[int]:
    """Hashes of all keys whose content differs between two corpora.

    Args:
        before: the corpus that earlier links were made from.
        after: the corpus that is linked now.
        paths: the files whose blobs were changed, added or removed; all others are the same in both.
    """
    changed: set[str] = set()
    mentioned: dict[str, int] = {}
    touched: dict[LanguageLinker, list[str]] = {}
    for path in sorted(set(paths)):
        for linker, (old, new) in _entries(before, after, path).items():
            touched.setdefault(linker, []).append(path)
            for kind, name in _differing(old, new):
                if kind == "l":
                    changed.add(local_key(path, name))
                else:
                    key = global_key(kind, name)
                    mentioned[key] = min(mentioned.get(key, linker.most_files), linker.most_files)
    changed |= {key for key, most in mentioned.items() if _matters(before, after, key, most)}
    for linker, of_language in touched.items():
        changed |= linker.moved(before, after, of_language)
    return frozenset(key_hash(key) for key in changed)


def _entries(before: Corpus, after: Corpus, path: str) -> dict[LanguageLinker, tuple[_Entries, _Entries]]:
    """The summaries of a file in both corpora, by what links it."""
    old, new = _linker(before, path), _linker(after, path)
    found: dict[LanguageLinker, tuple[_Entries, _Entries]] = {}
    for linker in {old, new}:
        if linker is not None:
            had = linker.summary(before.facts(path)) if linker is old else {}
            has = linker.summary(after.facts(path)) if linker is new else {}
            found[linker] = had, has
    return found


def _differing(old: _Entries, new: _Entries) -> list[tuple[str, str]]:
    return [entry for entry in old.keys() | new.keys() if old.get(entry) != new.get(entry)]


def _matters(before: Corpus, after: Corpus, key: str, most: int) -> bool:
    """Whether a global key's change can be seen by linkers that look at ``most`` files at most."""
    if most <= 0:
        return True
    return len(before.mentions(key)) <= most or len(after.mentions(key)) <= most


def _linker(corpus: Corpus, path: str) -> LanguageLinker | None:
    return language_linker(corpus.language(path)) if path in corpus.paths() else None
