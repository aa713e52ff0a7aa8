"""What differs between two commits, as keys: found from the changed files alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from repo_guardian.tools.views.symbol_graph.corpus import Corpus, global_key, key_hash, local_key
from repo_guardian.tools.views.symbol_graph.languages import LanguageLinker, language_linker


def changed_keys(before: Corpus, after: Corpus, paths: Collection[str]) -> frozenset[int]:
    """Hashes of all keys whose content differs between two corpora.

    Args:
        before: the corpus that earlier links were made from.
        after: the corpus that is linked now.
        paths: the files whose blobs were changed, added or removed; all others are the same in both.
    """
    changed: set[str] = set()
    touched: dict[LanguageLinker, list[str]] = {}
    for path in sorted(set(paths)):
        old, new = _summary(before, path), _summary(after, path)
        for kind, name in old.keys() | new.keys():
            if old.get((kind, name)) != new.get((kind, name)):
                changed.add(local_key(path, name) if kind == "l" else global_key(kind, name))
        for linker in {_linker(before, path), _linker(after, path)} - {None}:
            if linker is not None:
                touched.setdefault(linker, []).append(path)
    for linker, of_language in touched.items():
        changed |= linker.moved(before, after, of_language)
    return frozenset(key_hash(key) for key in changed)


def _linker(corpus: Corpus, path: str) -> LanguageLinker | None:
    return language_linker(corpus.language(path)) if path in corpus.paths() else None


def _summary(corpus: Corpus, path: str) -> Mapping[tuple[str, str], bytes]:
    linker = _linker(corpus, path)
    return {} if linker is None else linker.summary(corpus.facts(path))
