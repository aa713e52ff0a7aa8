"""Retrieval: docstring to function by route and fused, beside bm25s and FTS5; and what is off topic.

    pip install bm25s
    python benchmarks/retrieval.py [--questions 400] [--calibrate] FOLDER...

Each folder holds the sources of one package (an unpacked release). Only its Python files are used, without
the docstrings of functions: the first sentence of each is a question whose answer is the function
(``retrieval_data``). The questions of a package are an even sample. MRR is over the first 100 places.

The second table asks every package the queries of ``retrieval_offtopic.txt`` and of
``retrieval_offtopic_programming.txt``, which are about other things, and says how many come back empty, and
what recall at 10 costs for it. ``--calibrate`` prints the evidence on each query as lines of fields instead,
from which the constants of ``tools/retrieval/relevance.py`` were derived.

Times are CPU milliseconds a query, the index at hand; nothing here asserts anything.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from retrieval_baselines import Bm25s, Fts5
from retrieval_data import Question, take_questions
from trees import DirectorySource

from repo_guardian.tools.retrieval.fusion import Ranking, fuse
from repo_guardian.tools.retrieval.interface import Route, SearchLimits
from repo_guardian.tools.retrieval.relevance import Evidence, why_off_topic
from repo_guardian.tools.retrieval.search import gather
from repo_guardian.tools.retrieval.views import CommitViews, open_commit
from repo_guardian.tools.views.chunks.live import ChunkPlace
from repo_guardian.tools.views.interface import VIEWS, BuildOptions
from repo_guardian.tools.views.publish import refresh

_DEEP = SearchLimits(hits=100, candidates=100)
_HERE = Path(__file__).parent


@dataclass
class Score:
    """Ranks of the first right answer of each question, 0 where there is none, and CPU seconds."""

    ranks: list[int] = field(default_factory=list)
    cpu_s: float = 0.0

    def line(self, name: str) -> str:
        """A line of the table."""
        count = max(len(self.ranks), 1)
        mrr = sum(1 / rank for rank in self.ranks if rank) / count
        recall = sum(0 < rank <= 10 for rank in self.ranks) / count
        return f"| {name} | {mrr:.3f} | {recall:.3f} | {1000 * self.cpu_s / count:.1f} |"


@dataclass
class Gate:
    """How many queries of a kind came back empty, and right answers in the first ten with and without."""

    empty: int = 0
    asked: int = 0
    kept: int = 0
    found: int = 0


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--questions", type=int, default=400, help="at most so many of a package")
    parser.add_argument("--calibrate", action="store_true", help="print the evidence on each query")
    options = parser.parse_args()
    off_topic = {name: _queries(name) for name in ("retrieval_offtopic", "retrieval_offtopic_programming")}
    pooled: dict[str, Score] = {}
    gates: dict[str, dict[str, Gate]] = {}
    for folder in options.folders:
        with tempfile.TemporaryDirectory() as scratch:
            questions = take_questions(folder, Path(scratch) / "source")
            questions = questions[:: max(1, -(-len(questions) // options.questions))]
            views = _views(Path(scratch))
            if options.calibrate:
                _print_evidence(folder.name, views, questions, off_topic)
                continue
            scores, gates[folder.name] = _measure(views, Path(scratch) / "source", questions)
            for kind, queries in off_topic.items():
                gates[folder.name][kind] = _ask(views, queries)
        _print_scores(
            f"{folder.name}: {views.lexical.chunks.total} chunks, {len(questions)} questions", scores
        )
        for name, score in scores.items():
            pool = pooled.setdefault(name, Score())
            pool.ranks += score.ranks
            pool.cpu_s += score.cpu_s
    if not options.calibrate:
        _print_scores("all questions of all packages", pooled)
        _print_gates(gates)


def _queries(name: str) -> list[str]:
    return (_HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def _views(scratch: Path) -> CommitViews:
    refresh(DirectorySource(scratch / "source", "package"), scratch / "state", BuildOptions(views=VIEWS))
    return open_commit(scratch / "state", "package")


def _measure(
    views: CommitViews, source: Path, questions: Sequence[Question]
) -> tuple[dict[str, Score], dict[str, Gate]]:
    places, texts = _chunks(views, source)
    scores: dict[str, Score] = {}
    for name, index in (("bm25s, split identifiers", Bm25s(texts)), ("FTS5, split identifiers", Fts5(texts))):
        _score(scores, name, views, questions, lambda text, i=index: [places[n] for n in i.search(text, 100)])
    for route in (Route.LEXICAL, Route.VECTOR):
        _score(scores, route.value, views, questions, lambda text, r=route: _places(_route(views, text, r)))
    _score(scores, "fused", views, questions, lambda text: [p for p, _, _ in fuse(_all(views, text)[0])])
    gate = Gate()
    for question, rank in zip(questions, scores["fused"].ranks, strict=True):
        gate.asked += 1
        empty = bool(why_off_topic(_all(views, question.text)[1]))
        gate.empty += empty
        gate.found += 0 < rank <= 10
        gate.kept += 0 < rank <= 10 and not empty
    return scores, {"questions": gate}


def _route(views: CommitViews, text: str, route: Route) -> Ranking:
    if route is Route.LEXICAL:
        return views.lexical.search(text, _DEEP.candidates).places
    return views.vector.search(text, _DEEP.candidates).places


def _all(views: CommitViews, text: str) -> tuple[dict[Route, Ranking], Evidence]:
    return gather(views, text, _DEEP, tuple(Route))


def _places(ranking: Ranking) -> list[ChunkPlace]:
    return [place for place, _ in ranking]


def _score(
    scores: dict[str, Score],
    name: str,
    views: CommitViews,
    questions: Sequence[Question],
    search: Callable[[str], list[ChunkPlace]],
) -> None:
    score = scores[name] = Score()
    for question in questions:
        before = time.process_time()
        found = search(question.text)
        score.cpu_s += time.process_time() - before
        right = (rank for rank, place in enumerate(found, 1) if _answers(views, question, place))
        score.ranks.append(next(right, 0))


def _answers(views: CommitViews, question: Question, place: ChunkPlace) -> bool:
    if place.path != question.path:
        return False
    span = views.lexical.chunks.span(place)
    return question.answered_by(place.path, span.start_line, span.end_line)


def _chunks(views: CommitViews, source: Path) -> tuple[list[ChunkPlace], list[str]]:
    """Every chunk of the package with its text, for the indexes beside ours."""
    places, texts = [], []
    for path in sorted(views.lexical.chunks.view.placements):
        content = (source / path).read_bytes()
        for number in range(views.lexical.chunks.count(path)):
            place = ChunkPlace(path, number)
            span = views.lexical.chunks.span(place)
            places.append(place)
            texts.append(content[span.start_byte : span.end_byte].decode("utf-8", "replace"))
    return places, texts


def _ask(views: CommitViews, queries: Sequence[str]) -> Gate:
    return Gate(sum(bool(why_off_topic(_all(views, query)[1])) for query in queries), len(queries))


def _print_scores(title: str, scores: Mapping[str, Score]) -> None:
    print(f"\n{title}\n\n| route | MRR | recall@10 | CPU ms |\n|---|---|---|---|")
    for name, score in scores.items():
        print(score.line(name))


def _print_gates(gates: Mapping[str, Mapping[str, Gate]]) -> None:
    print("\nEmpty answers, and recall@10 without and with them\n")
    print("| package | off topic | programming | questions | recall@10 | with |\n|---|---|---|---|---|---|")
    pool: dict[str, Gate] = {}
    for name, kinds in gates.items():
        print(_gate_line(name, kinds))
        for kind, gate in kinds.items():
            total = pool.setdefault(kind, Gate())
            total.empty += gate.empty
            total.asked += gate.asked
            total.kept += gate.kept
            total.found += gate.found
    print(_gate_line("all", pool))


def _gate_line(name: str, kinds: Mapping[str, Gate]) -> str:
    asked = kinds["questions"]
    cells = [f"{gate.empty}/{gate.asked}" for kind, gate in kinds.items() if kind != "questions"]
    recall = f"{asked.found / asked.asked:.3f} | {asked.kept / asked.asked:.3f}"
    return f"| {name} | {' | '.join(cells)} | {asked.empty}/{asked.asked} | {recall} |"


def _print_evidence(
    name: str, views: CommitViews, questions: Sequence[Question], off_topic: Mapping[str, Sequence[str]]
) -> None:
    for question in questions:
        for kind, text in (("sentence", question.text), ("name", question.name)):
            rankings, evidence = _all(views, text)
            found = [place for place, _, _ in fuse(rankings)][:10]
            right = any(_answers(views, question, place) for place in found)
            print(name, f"{kind} right" if right else f"{kind} missed", *_numbers(evidence), text, sep="\t")
    for kind, queries in off_topic.items():
        for query in queries:
            print(name, kind, *_numbers(_all(views, query)[1]), query, sep="\t")


def _numbers(evidence: Evidence) -> Iterator[str]:
    lexical, vector = evidence.lexical, evidence.vector
    best = vector.places[0][1] if vector.places else 0.0
    score = lexical.places[0][1] if lexical.places else 0.0
    numbers = (lexical.coverage, lexical.known, lexical.words, score, best, vector.mean, vector.deviation)
    yield from (f"{number:.4f}" for number in numbers)
    yield str(evidence.named)


if __name__ == "__main__":
    main()
