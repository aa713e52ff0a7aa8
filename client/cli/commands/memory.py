"""``guardian memory``: what earlier cycles of a repository wrote, and whether it is whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repo_guardian.client.cli.home import guardian_home, home_option
from repo_guardian.client.printable import printable

if TYPE_CHECKING:
    from repo_guardian.memory_store.interface import MemoryStore
    from repo_guardian.memory_store.records import GraphSnapshotRecord
    from repo_guardian.memory_store.upkeep.checking import SnapshotCheck
    from repo_guardian.server.session.state_dir import StateDir

_DAMAGE_SHOWN = 20


@click.group()
def command() -> None:
    """Read what earlier cycles wrote, check it, copy it, make it whole again."""


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="Rows to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def show(repository: str, limit: int, as_json: bool, home: Path | None) -> None:
    """List the cycles of PATH_OR_URL, the findings that stand and what humans said, the latest first."""
    memory = _open(home, repository)
    summary = memory.summary()
    cycles, findings = memory.cycles(limit=limit), memory.findings(limit=limit)
    words = memory.all_words(limit=limit)
    if as_json:
        click.echo(json.dumps(_json(summary.cycles, cycles, findings, words), indent=2))
        return
    click.echo(f"{summary.cycles} cycles, {findings.total} findings that stand")
    for cycle in cycles.items:
        base = cycle.base[:12] if cycle.base else "the empty tree"
        click.echo(
            f"  cycle {cycle.number}  {cycle.commit[:12]} against {base}  {cycle.policy}  "
            f"{cycle.sandbox}  {cycle.exit_reason}  {cycle.wall_s:.1f} s"
        )
    for row in findings.items:
        state = row.record
        seen = f", seen again {state.recurrences} times" if state.recurrences else ""
        click.echo(f"  finding  cycle {state.first_cycle}{seen}  {printable(state.record.claim)}")
    for word in words.items:
        said = f"{printable(word.claim)} ({printable(word.reason)})"
        click.echo(f"  {word.word.value}  {word.said_at[:10]}  {said}")
    _say_rest(cycles.total, len(cycles.items), "cycles")
    _say_rest(findings.total, len(findings.items), "findings")
    _say_rest(words.total, len(words.items), "words of humans")


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def check(repository: str, as_json: bool, home: Path | None) -> int:
    """Look whether the memory of PATH_OR_URL is whole; exit with 3 and say the way out where it is not."""
    from dataclasses import asdict

    from repo_guardian.errors import EXIT_ENVIRONMENT
    from repo_guardian.memory_store.upkeep.checking import check as look

    directory = _state(home, repository).memory
    health = look(directory, snapshot_check=_snapshot_check(directory))
    if as_json:
        click.echo(json.dumps({"whole": health.whole, **asdict(health)}, indent=2))
        return 0 if health.whole else EXIT_ENVIRONMENT
    older = ", written by an older version and checked as a migrated copy" if health.older else ""
    state = "whole" if health.whole else "damaged"
    click.echo(
        f"{state}: {health.cycles} cycles, {health.words} words of humans, "
        f"{health.snapshots} graph snapshots{older}"
    )
    for number in health.interrupted:
        click.echo(f"  cycle {number} was interrupted; nothing of it is in the memory")
    for found in health.damage[:_DAMAGE_SHOWN]:
        click.echo(f"  {printable(found.what)}\n    way out: {printable(found.way_out)}")
    if len(health.damage) > _DAMAGE_SHOWN:
        click.echo(f"  … {len(health.damage) - _DAMAGE_SHOWN} more; --json tells all")
    return 0 if health.whole else EXIT_ENVIRONMENT


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@home_option
def backup(repository: str, target: Path, home: Path | None) -> None:
    """Copy the database of PATH_OR_URL's memory to FILE, verified; a cycle may run meanwhile.

    To restore it, copy it over memory/index.sqlite in the state directory and run guardian memory rebuild.
    """
    from repo_guardian.memory_store.upkeep.backing_up import backup as copy

    copied = copy(_state(home, repository).memory, target.absolute())
    click.echo(f"{copied.cycles} cycles and {copied.words} words of humans in {printable(str(target))}")


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("target", metavar="FILE", type=click.Path(path_type=Path))
@home_option
def export(repository: str, target: Path, home: Path | None) -> None:
    """Write all of PATH_OR_URL's memory to FILE, one JSON object per line; a cycle may run meanwhile."""
    from repo_guardian.memory_store.upkeep.archive import export as write

    copied = write(_state(home, repository).memory, target.absolute())
    click.echo(f"{copied.cycles} cycles and {copied.words} words of humans in {printable(str(target))}")


@command.command(name="import")
@click.argument("repository", metavar="PATH_OR_URL")
@click.argument("archive", metavar="FILE", type=click.Path(path_type=Path))
@home_option
def import_(repository: str, archive: Path, home: Path | None) -> None:
    """Make the memory of PATH_OR_URL, which has none yet, out of FILE, an export; numbers are kept."""
    from repo_guardian.memory_store.lock import lock
    from repo_guardian.memory_store.upkeep.importing import import_archive

    state = _state(home, repository, inside_is_refused=True)
    with lock(state.root):
        copied = import_archive(state.memory, archive.absolute())
    click.echo(f"{copied.cycles} cycles and {copied.words} words of humans imported")
    click.echo("graph snapshots are not in an archive: copy memory/graph from the same state directory")


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def rebuild(repository: str, as_json: bool, home: Path | None) -> None:
    """Make a damaged or lost database of PATH_OR_URL's memory anew from the JSON of each cycle.

    What it cannot bring back is named. Where the database is whole, cycles that only have a JSON file are
    added to it, and JSON files that are missing or changed are written anew. What is replaced is kept aside.
    """
    from dataclasses import asdict

    from repo_guardian.memory_store.lock import lock
    from repo_guardian.memory_store.upkeep.reading import no_memory
    from repo_guardian.memory_store.upkeep.rebuilding import rebuild as mend

    state = _state(home, repository)
    if not state.memory.is_dir():
        raise no_memory(state.memory)
    with lock(state.root):
        done = mend(state.memory)
    if as_json:
        click.echo(json.dumps(asdict(done), indent=2, default=str))
        return
    what = "made anew" if done.anew else "whole"
    click.echo(f"the database is {what}: {done.cycles} cycles, {done.words} words of humans")
    click.echo(f"{len(done.added)} cycles put in, {len(done.written)} JSON files written")
    if done.aside is not None:
        click.echo(f"what was replaced is in {printable(str(done.aside))}")
    for loss in done.losses:
        click.echo(f"  lost: {printable(loss)}")


def _snapshot_check(directory: Path) -> SnapshotCheck:
    """Graph snapshots are views in a state directory of their own: verified like any."""
    from repo_guardian.errors import GuardianError
    from repo_guardian.tools.views.maintenance import verify
    from repo_guardian.tools.views.published import read_manifest

    def problem(snapshot: GraphSnapshotRecord) -> str:
        graphs = directory / "graph"
        try:
            entry = read_manifest(graphs, snapshot.commit).views.get("symbol_graph")
            if entry is None or entry.digest != snapshot.digest:
                return "it is not the graph that the cycle recorded"
            found = verify(graphs, snapshot.commit)
        except GuardianError as error:
            return error.message
        return found[0].what if found else ""

    return problem


def _json(total: int, cycles: Any, findings: Any, words: Any) -> dict[str, Any]:
    return {
        "cycles_total": total,
        "cycles": [cycle.model_dump(mode="json") for cycle in cycles.items],
        "findings_total": findings.total,
        "findings": [
            {
                "cycle": row.cycle,
                "first_cycle": row.record.first_cycle,
                "recurrences": row.record.recurrences,
                **row.record.record.model_dump(mode="json"),
            }
            for row in findings.items
        ],
        "words_total": words.total,
        "words": [word.model_dump(mode="json") for word in words.items],
    }


def _say_rest(total: int, shown: int, what: str) -> None:
    if total > shown:
        click.echo(f"  … {total - shown} more {what}; raise --limit to see them")


def _open(home: Path | None, repository: str) -> MemoryStore:
    from repo_guardian.memory_store import open_store

    return open_store(_state(home, repository).memory, read_only=True)


def _state(home: Path | None, repository: str, *, inside_is_refused: bool = False) -> StateDir:
    from repo_guardian.server.session.state_dir import StateDir, refuse_state_inside
    from repo_guardian.tools.git.source import locate

    root, source = (home or guardian_home()).absolute(), locate(repository)
    if inside_is_refused:
        refuse_state_inside(root, source, repository)
    return StateDir(root, source.repository_id)
