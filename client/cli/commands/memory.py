"""``guardian memory``: what earlier cycles of a repository wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repo_guardian.client.cli.home import guardian_home, home_option
from repo_guardian.client.printable import printable

if TYPE_CHECKING:
    from repo_guardian.memory_store.interface import MemoryStore


@click.group()
def command() -> None:
    """Read what earlier cycles wrote."""


@command.command()
@click.argument("repository", metavar="PATH_OR_URL")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="Rows to show.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@home_option
def show(repository: str, limit: int, as_json: bool, home: Path | None) -> None:
    """List the cycles of PATH_OR_URL, the findings that stand and what humans said, the latest first."""
    memory = _open((home or guardian_home()).absolute(), repository)
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


def _open(home: Path, repository: str) -> MemoryStore:
    from repo_guardian.memory_store import open_store
    from repo_guardian.server.session.state_dir import StateDir
    from repo_guardian.tools.git.source import locate

    source = locate(repository)
    return open_store(StateDir(home, source.repository_id).memory, read_only=True)
