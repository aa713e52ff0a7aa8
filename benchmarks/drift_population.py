"""What ``guardian drift`` says about real histories: every signal between releases, and between commits.

A repository is a bare clone (``git clone --bare URL NAME.git``). Its *releases* are the tags that are final
versions, in order of version; neighbours are compared. Its *commits* are drawn by ``drift_reshaped``, each
compared with its first parent, and *halves* are made of such commits by ``drift_halves``. Nothing is set per
repository. Each signal becomes one record, with every dependent that lags: what a sample is drawn from, and
what a label is about.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec
from packaging.version import InvalidVersion, Version

from repo_guardian.server.session.drift import measure_drift
from repo_guardian.server.session.reading import Repository, open_repository
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.signals.interface import Dependent, Signal, SymbolDetail
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.maintenance import gc
from repo_guardian.tools.views.publish import refresh

_TAG = re.compile(r"\A\D*?(\d+(?:[._]\d+)*)\Z")
_KEPT = 6
"""Commits whose views stay on disk while the next are built from them."""


class Site(msgspec.Struct, frozen=True):
    """One dependent that lags, at the current commit; ``text`` is its line and is never committed."""

    path: str
    line: int
    symbol: str
    reason: str
    guessed: bool
    use: str
    shape: str
    text: str


class Record(msgspec.Struct, frozen=True):
    """One signal between two commits (full ids); lines count from 1, 0 where there is none.

    ``source`` is ``release``, ``commit`` or ``half``; ``names`` are the tags, or of a half the whole commit.
    """

    repository: str
    source: str
    names: tuple[str, str]
    base: str
    current: str
    key: str
    kind: str
    symbol: str
    old_id: str
    new_id: str
    public: bool
    intended: bool
    changes: tuple[str, ...]
    effect: str
    witness: str
    line: str
    before: str
    after: str
    base_path: str
    base_line: int
    current_path: str
    current_line: int
    lagging: tuple[Site, ...]
    dependents: int

    @property
    def id(self) -> str:
        """What a label refers to: the same signal between the same commits."""
        return f"{self.repository}:{self.current[:10]}:{self.key}"


def releases(git: Git, count: int) -> list[tuple[str, str]]:
    """The last ``count`` final releases as (tag, commit), the oldest first."""
    found: dict[Version, tuple[str, str]] = {}
    listed = git.run("for-each-ref", "--format=%(refname:strip=2) %(objectname) %(*objectname)", "refs/tags")
    for row in listed.decode("utf-8", "replace").splitlines():
        tag, *objects = row.split()
        match = _TAG.match(tag)
        if match is None:
            continue
        try:
            found[Version(match[1].replace("_", "."))] = tag, objects[-1]
        except InvalidVersion:
            continue
    return [found[version] for version in sorted(found)[-count:]]


@dataclass(frozen=True)
class Pair:
    """Two revisions to compare, their names, and where they come from: ``release``, ``commit`` or ``half``.

    Of a half, ``current_name`` is the whole commit.
    """

    source: str
    base: str
    current: str
    base_name: str
    current_name: str


def collect(repository: Repository, name: str, pairs: Sequence[Pair]) -> Iterator[Record]:
    """All signals between pairs of revisions; views of older ones are dropped on the way."""
    root = repository.state.root
    previous = None
    for done, pair in enumerate(pairs):
        before = repository.at(pair.base)
        refresh(before.source(), root, BuildOptions(views=("symbol_graph",), since=previous))
        drift = measure_drift(repository, pair.base, pair.current)
        ids = drift.before.tree.label, drift.after.tree.label
        previous = ids[0]
        for signal, evidence in drift.judged:
            yield _record(signal, evidence.intended, name, pair, ids)
        if done % 20 == 19:
            gc(root, _KEPT)
            print(f"{name}: {done + 1} of {len(pairs)}", file=sys.stderr, flush=True)


def release_pairs(git: Git, count: int) -> Iterator[Pair]:
    """Neighbouring releases."""
    for (base_name, base), (name, current) in pairwise(releases(git, count)):
        yield Pair("release", base, current, base_name, name)


def opened(home: Path, path: Path) -> Repository:
    """A repository as ``guardian drift`` opens it."""
    return open_repository(home, str(path))


def write(path: Path, records: Iterable[Record]) -> int:
    """One JSON object per line, written as they come; how many."""
    count = 0
    with path.open("wb") as file:
        for record in records:
            file.write(msgspec.json.encode(record) + b"\n")
            file.flush()
            count += 1
    return count


def read(paths: Sequence[Path]) -> list[Record]:
    """The records of several files, each signal once, in order of id."""
    decoder = msgspec.json.Decoder(Record)
    found: dict[str, Record] = {}
    for path in paths:
        for line in path.read_bytes().splitlines():
            record = decoder.decode(line)
            found.setdefault(record.id, record)
    return [found[name] for name in sorted(found)]


def _record(signal: Signal, intended: bool, name: str, pair: Pair, ids: tuple[str, str]) -> Record:
    detail = signal.detail
    known = detail if isinstance(detail, SymbolDetail) else None
    return Record(
        repository=name,
        source=pair.source,
        names=(pair.base_name, pair.current_name),
        base=ids[0],
        current=ids[1],
        key=signal.key,
        kind=signal.kind.value,
        symbol=signal.symbols[0] if signal.symbols else "",
        old_id=known.old_id if known else "",
        new_id=known.new_id if known else "",
        public=signal.public,
        intended=intended,
        changes=tuple(change.kind.value for change in known.changes) if known else (),
        effect=known.effect.value if known else "",
        witness=known.witness.render() if known and known.witness else "",
        line=signal.line,
        before=signal.before,
        after=signal.after,
        base_path=known.base_path if known else "",
        base_line=known.base_span.start_line if known else 0,
        current_path=known.current_path if known else "",
        current_line=known.current_span.start_line if known and known.current_span else 0,
        lagging=tuple(_site(d) for d in signal.dependents if d.lagging),
        dependents=signal.dependents_total,
    )


def _site(dependent: Dependent) -> Site:
    return Site(
        path=dependent.path,
        line=dependent.span.start_line,
        symbol=dependent.symbol,
        reason=dependent.reason,
        guessed=dependent.guessed,
        use=dependent.use.value,
        shape=dependent.shape.render() if dependent.shape else "",
        text=dependent.text,
    )
