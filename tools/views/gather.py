"""The tree of a commit as view builders want it: its files, their facts and contents, and what was left out.

Facts come from the store where they are there already; the blobs of the others are read in batches, extracted
and kept. Secrets stop here: a file that looks like one is in no list and is only counted, and the secret
characters in source code are overwritten before anything else sees them.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from repo_guardian.tools.views.builders import TreeFile
from repo_guardian.tools.views.decoded import DECODED
from repo_guardian.tools.views.facts.interface import ExtractLimits, FileFacts
from repo_guardian.tools.views.facts.registry import extractor_for, identity_of, language_of
from repo_guardian.tools.views.facts.store import FactsStore
from repo_guardian.tools.views.interface import Coverage, TreeSource
from repo_guardian.tools.views.secrets import looks_secret, looks_secret_path, mask
from repo_guardian.tools.views.symbol_graph.model import SkippedFile

_REGULAR = ("100644", "100755", "100664")
_BATCH = 256
"""Blobs that are asked for at once, so that not all of a tree is in memory."""
_FACTS_KEPT = 1024
"""Files whose facts are kept in memory for who asks next (about 200 KB each on SQLAlchemy)."""

_MISSING = "its blob is not in the repository"


def path_text(path: bytes) -> str:
    """A path as text that any output can hold: bytes that are not UTF-8 become hexadecimal escapes."""
    return path.decode("utf-8", "backslashreplace")


@lru_cache(maxsize=1 << 16)
def _by_name(path: str) -> tuple[str, bool, str]:
    """What a path says: the language, whether it has an extractor, and why it looks like a secret ("")."""
    language = language_of(path) or ""
    return language, bool(identity_of(language)), looks_secret_path(path)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of the files of an earlier commit, as far as it holds for equal blobs at equal paths.

    Attributes:
        files: its files by path.
        partial: files whose facts hold less than the file, with the reason.
        left_out: files whose content kept them out, with the reason.
    """

    files: Mapping[str, TreeFile] = field(default_factory=dict)
    partial: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


class ViewTree:
    """A ``CommitTree`` as the builder of one view sees it: remembers what was read, and spares known misses.

    Args:
        tree: the commit.
        in_vain: files whose content is known to give nothing to this view.

    Attributes:
        read: files whose content was read or known, by this view's builder.
    """

    def __init__(self, tree: CommitTree, in_vain: Collection[str]) -> None:
        self._tree = tree
        self._in_vain = in_vain
        self.read = set(in_vain)
        self.files = tree.files
        self.facts = tree.facts
        self.outline = tree.outline
        self.has_facts = tree.has_facts
        self.facts_of = tree.facts_of

    def blobs(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """As ``CommitTree.blobs``, without what would be in vain."""
        for path, blob in self._tree.blobs([path for path in paths if path not in self._in_vain]):
            self.read.add(path)
            yield path, blob


class CommitTree:
    """``BuildTree`` over a ``TreeSource``.

    Args:
        source: the commit.
        store: where facts are kept.
        limits: of extraction, and of the size of blobs that are read.
        earlier: what an earlier build saw, by the same versions.
    """

    def __init__(
        self, source: TreeSource, store: FactsStore, limits: ExtractLimits, earlier: Earlier | None = None
    ) -> None:
        self.source = source
        self._store = store
        self._limits = limits
        self._seen = 0
        self._uncovered: Counter[str] = Counter()
        self._withheld: dict[str, str] = {}
        self._skipped: dict[str, str] = {}
        self._problems: dict[str, str] = {}
        self._facts: OrderedDict[tuple[str, str], FileFacts] = OrderedDict()
        self._outlines: dict[tuple[str, str], FileFacts] = {}
        self._clean: set[str] = set()
        self._too_large = f"larger than {limits.blob_bytes} bytes"
        self.left_out: dict[str, str] = {}
        self.transient: dict[str, FileFacts] = {}
        self.extracted = 0
        self._absent: set[tuple[str, str]] = set()
        self.files: Mapping[str, TreeFile] = self._sort_out()
        self._carry(earlier or Earlier())

    def facts(self, path: str) -> FileFacts | None:
        """The facts of a source file, from the store or extracted and kept; None where there are none."""
        file = self.files[path]
        if path in self.transient:
            return self.transient[path]
        facts = self._known(file)
        if facts is None:
            self._outlines.pop((file.language, file.oid), None)
            self.prepare([path])
            facts = self._facts.get((file.language, file.oid))
        if facts is None:
            if identity_of(file.language):
                self._skipped.setdefault(path, _MISSING)
            return None
        self._problems[path] = facts.problem
        if facts.transient:
            self.transient[path] = facts
        return facts

    def outline(self, path: str) -> FileFacts | None:
        """Of the facts of a source file its definitions; the rest need not be read again for them."""
        file = self.files[path]
        outline = self._outlines.get((file.language, file.oid))
        if outline is None:
            return self.facts(path)
        self._problems[path] = outline.problem
        return outline

    def release(self) -> None:
        """Let go of facts that the store has, but for their outlines: who asked for them is done."""
        self._facts = OrderedDict((key, facts) for key, facts in self._facts.items() if facts.transient)

    def has_facts(self, path: str) -> bool:
        """Whether ``facts(path)`` gives some, as far as ``prepare`` found out: without reading them."""
        file = self.files[path]
        return bool(identity_of(file.language)) and (file.language, file.oid) not in self._absent

    def facts_of(self, file: TreeFile) -> FileFacts | None:
        """The facts of a file of another commit, when the store still has them."""
        return self._known(file)

    def blobs(self, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Path and content of files, in batches; one that cannot be had, is too large or turns out to look
        like a secret is left out and counted. In source code and prose, secrets are overwritten.
        """
        wanted = [path for path in paths if path not in self.left_out]
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            blobs = dict(self.source.read(sorted({self.files[path].oid for path in batch})))
            for path in batch:
                blob = blobs.get(self.files[path].oid)
                if blob is None:
                    self._skipped.setdefault(path, _MISSING)
                elif self._admits(path, blob):
                    yield path, self._masked(self.files[path].oid, blob)

    def prepare(self, paths: Iterable[str]) -> None:
        """Extract what the store lacks of ``paths``, in batches: asking one by one would read one by one."""
        files = [self.files[path] for path in paths]
        wanted = {(f.language, f.oid): f for f in files if identity_of(f.language)}
        seen = self._absent | self._outlines.keys()
        keys = [key for key, file in wanted.items() if key not in seen and self._known(file) is None]
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            blobs = dict(self.source.read(sorted({oid for _, oid in batch})))
            for key in batch:
                self._extract(key, blobs.get(key[1]))

    def finish(self) -> None:
        """Look at the facts of source files that no builder asked for, so that the coverage is whole."""
        paths = [path for path in self._covered() if path not in self._problems and path not in self._skipped]
        self.prepare(paths)
        for path in paths:
            self.facts(path)

    def coverage(self) -> Coverage:
        """What of the tree was seen; whole after ``finish``."""
        partial = tuple(
            SkippedFile(p, self._problems[p]) for p in sorted(self._problems) if self._problems[p]
        )
        return Coverage(
            self._seen,
            len(self._problems) - len(partial),
            partial,
            tuple(SkippedFile(path, self._skipped[path]) for path in sorted(self._skipped)),
            tuple(sorted((name, count) for name, count in self._uncovered.items() if name)),
            self._uncovered[""],
            tuple(sorted(Counter(self._withheld.values()).items())),
        )

    @property
    def reused(self) -> int:
        """How many blobs of source code were not read, because their facts or their shards were there."""
        keys = {(file.language, file.oid) for file in map(self.files.__getitem__, self._covered())}
        return len(keys) - len(keys & self._absent) - self.extracted

    def extractors(self) -> dict[str, str]:
        """The identities of the extractors of the tree's languages."""
        languages = sorted({file.language for file in self.files.values()})
        return {language: identity for language in languages if (identity := identity_of(language))}

    def _covered(self) -> Iterator[str]:
        return (path for path, file in self.files.items() if identity_of(file.language))

    def _sort_out(self) -> dict[str, TreeFile]:
        files: dict[str, TreeFile] = {}
        for raw, oid, mode in sorted(self.source.files()):
            self._seen += 1
            path = path_text(raw)
            language, covered, secret = _by_name(path)
            if secret:
                self._withheld[path] = secret
                continue
            if not covered:
                self._uncovered[language] += 1
            if mode not in _REGULAR:
                problem = "a symbolic link or submodule, not followed"
            elif path in files:
                problem = "its name reads like another file's"
            else:
                files[path] = TreeFile(path, oid, language)
                continue
            if covered:
                self._skipped.setdefault(path, problem)
        return dict(sorted(files.items()))

    def _carry(self, earlier: Earlier) -> None:
        """Take over what an earlier build found out about files that are the same."""
        for path, file in self.files.items():
            if earlier.files.get(path) != file:
                continue
            if earlier.left_out.get(path) == self._too_large:
                self._leave_out(path, self._too_large)
            if identity_of(file.language):
                self._problems[path] = earlier.partial.get(path, "")

    def _admits(self, path: str, blob: bytes) -> bool:
        if len(blob) > self._limits.blob_bytes:
            self._leave_out(path, self._too_large)
            return False
        reason = "" if self.files[path].oid in self._clean else looks_secret(path, blob)
        if reason:
            self._leave_out(path, reason)
        return not reason

    def _masked(self, oid: str, blob: bytes) -> bytes:
        """``mask(blob)``; a blob without secrets is searched once, however many views read it."""
        if oid in self._clean:
            return blob
        masked = mask(blob)
        if masked is blob:
            self._clean.add(oid)
        return masked

    def _leave_out(self, path: str, reason: str) -> None:
        self.left_out[path] = reason
        if reason == self._too_large:
            if not identity_of(self.files[path].language):
                self._skipped[path] = reason
        else:
            self._withheld[path] = reason

    def _known(self, file: TreeFile) -> FileFacts | None:
        """Facts from memory or the store; None when neither has them."""
        key = file.language, file.oid
        if key in self._facts:
            self._facts.move_to_end(key)
            return self._facts[key]
        identity = identity_of(file.language)
        facts = DECODED.get(self._store, file.oid, identity) if identity else None
        if facts is not None:
            self._remember(key, facts)
        return facts

    def _extract(self, key: tuple[str, str], blob: bytes | None) -> None:
        extractor = extractor_for(key[0])
        if blob is None or extractor is None:
            self._absent.add(key)
            return
        facts = extractor.extract(self._masked(key[1], blob), self._limits)
        DECODED.put(self._store, key[1], facts)
        self.extracted += 1
        self._remember(key, facts)

    def _remember(self, key: tuple[str, str], facts: FileFacts) -> None:
        self._facts[key] = facts
        if not facts.transient:
            self._outlines[key] = FileFacts(
                facts.extractor, facts.region, facts.definitions, problem=facts.problem
            )
        if len(self._facts) > _FACTS_KEPT:
            self._facts.popitem(last=False)
