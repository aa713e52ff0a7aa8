"""From a builder's answers to packs: what is the same stays where it is, the rest becomes one small pack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from repo_guardian.tools.views.builders import Kept
from repo_guardian.tools.views.opened import OpenedView
from repo_guardian.tools.views.packs.container import write_arrays
from repo_guardian.tools.views.packs.interface import PackLayout, Placement, ShardDraft
from repo_guardian.tools.views.packs.merge import Live, merge_packs, plan_merge
from repo_guardian.tools.views.packs.reader import MappedPack, pack_path
from repo_guardian.tools.views.packs.writer import PackWriter, layout_document

_NEW = -1
"""The pack of shards that are not written yet."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """A view's packs by name, with their sizes, its placements, and how they came about (``ViewEntry``)."""

    packs: tuple[tuple[str, int], ...]
    placements: dict[str, Placement]
    kept: int
    made: int
    changed: int
    new_bytes: int


def assemble(
    folder: Path,
    layout: PackLayout,
    answers: Iterable[tuple[str, Kept | ShardDraft]],
    previous: OpenedView | None,
) -> Assembled:
    """Write the shards of ``answers`` that ``previous`` does not have, and merge packs when it is time.

    Args:
        folder: where packs are.
        previous: the view that kept shards are of.

    Raises:
        DiskFullError, StateDirError: no pack is half-written.
    """
    writer = PackWriter(layout)
    placements, kept, made = _place(writer, answers, previous)
    packs = list(previous.packs) if previous is not None else []
    changed = sum(place.pack == _NEW for place in placements.values())
    fresh = bool(len(writer))
    if fresh:
        packs.append(MappedPack(pack_path(folder, "new"), writer.arrays(), layout))
        placements = {p: Placement(len(packs) - 1, s) if k == _NEW else Placement(k, s)
                      for p, (k, s) in placements.items()}  # fmt: skip
    del writer  # its pieces are in the arrays now: keeping both would double a view's memory
    written, placements = _settle(folder, layout, packs, placements, fresh=fresh)
    new_bytes = sum(size for _, size, is_new in written if is_new)
    names = tuple((name, size) for name, size, _ in written)
    return Assembled(names, placements, kept, made, changed, new_bytes)


def _place(
    writer: PackWriter, answers: Iterable[tuple[str, Kept | ShardDraft]], previous: OpenedView | None
) -> tuple[dict[str, Placement], int, int]:
    """Where each file's shard is; equal shards are stored once."""
    placements: dict[str, Placement] = {}
    known: dict[bytes, Placement] = {}
    earlier = {} if previous is None else previous.placements
    kept = made = 0
    for path, answer in answers:
        if isinstance(answer, Kept):
            placements[path] = earlier[answer.path]
            kept += 1
            continue
        made += 1
        ready, digest = writer.prepare(answer)
        old = earlier.get(path)
        if old is not None and previous is not None and previous.packs[old.pack].digest(old.shard) == digest:
            placements[path] = old
        elif digest in known:
            placements[path] = known[digest]
        else:
            placements[path] = known[digest] = Placement(_NEW, writer.add(ready, digest))
    return placements, kept, made


def _settle(
    folder: Path,
    layout: PackLayout,
    packs: list[MappedPack],
    placements: dict[str, Placement],
    *,
    fresh: bool,
) -> tuple[list[tuple[str, int, bool]], dict[str, Placement]]:
    """Drop packs that no file needs, merge those that the policy names, write what is new.

    Returns:
        Name, size and newness of the packs that are left, and the placements in them.
    """
    lives = _lives(packs, placements)
    sizes = [
        int(pack.size * live.mean()) if live.any() else 0 for pack, live in zip(packs, lives, strict=True)
    ]
    used = [index for index, live in enumerate(lives) if live.any()]
    merged = [used[index] for index in plan_merge([sizes[index] for index in used])]
    left = [index for index in used if index not in merged]
    written: list[tuple[str, int, bool]] = []
    moves: dict[int, tuple[int, list[int]]] = {}
    for index in left:
        moves[index] = len(written), list(range(packs[index].count))
        if fresh and index == len(packs) - 1:
            written.append((*write_arrays(folder, packs[index].arrays(), layout_document(layout)), True))
        else:
            written.append((packs[index].name, packs[index].size, False))
    if merged:
        name, size, numbers = merge_packs(folder, [(packs[i], lives[i]) for i in merged], layout)
        for index, new in zip(merged, numbers, strict=True):
            moves[index] = len(written), new.tolist()
        written.append((name, size, True))
    return written, {
        path: Placement(moves[pack][0], moves[pack][1][shard]) for path, (pack, shard) in placements.items()
    }


def _lives(packs: list[MappedPack], placements: dict[str, Placement]) -> list[Live]:
    lives = [np.zeros(pack.count, bool) for pack in packs]
    for pack, shard in placements.values():
        lives[pack][shard] = True
    return lives
