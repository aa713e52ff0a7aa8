"""What a looking-around probe found, as text: the part of its entry that the memory and the reports keep."""

from __future__ import annotations

from collections.abc import Sequence

from repo_guardian.server.contract.probes import CallSites, ImportCheck, ImportResult, ScriptResult

TEXT_CHARS = 2000


def call_sites_text(found: CallSites) -> str:
    """A line for each site, most certain first, as far as there is room."""
    lines = [f"{found.total} uses and mentions of {found.symbol}, {found.text_total} of them by text alone"]
    for site in found.sites:
        place = f"{site.location.path}:{site.location.start_line}"
        lines.append(f"{place}: {' '.join(site.location.text.split())} ({site.how})")
    return _fitting(lines)


def imports_text(found: ImportCheck) -> str:
    """A line for each module that fails on either commit, then what the type checker says."""
    lines = [f"{found.total} modules"]
    lines += [_import_line(one) for one in found.modules if one.base or one.current]
    lines += [f"types: {line}" for line in found.checker]
    lines += [f"types: {found.checker_note}"] if found.checker_note else []
    return _fitting(lines)


def scripts_text(found: Sequence[ScriptResult]) -> str:
    """What each side printed, standard output before error."""
    room = TEXT_CHARS // max(1, len(found))
    parts = []
    for ran in found:
        how = f"exit code {ran.exit_code}" if ran.exit_code is not None else ran.process_status
        parts.append(f"{ran.side.value}, {how}:\n{ran.stdout}{ran.stderr}"[:room].rstrip())
    return "\n".join(parts)


def _import_line(one: ImportResult) -> str:
    base, now = ("absent" if error is None else error or "imports" for error in (one.base, one.current))
    return f"{one.module}: at the base {base}; now {now}"


def _fitting(lines: Sequence[str]) -> str:
    kept: list[str] = []
    left = TEXT_CHARS
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            kept.append("…")
            break
        kept.append(line)
    return "\n".join(kept)
