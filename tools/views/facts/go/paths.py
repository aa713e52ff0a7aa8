"""Go's import paths."""

from __future__ import annotations

from repo_guardian.tools.views.facts.interface import Import


def bound_name(record: Import) -> str:
    """The name that an import binds when its package is called like the end of its path."""
    if record.name == "*" or record.alias:
        return "" if record.alias == "_" else record.alias
    parts = record.module.split("/")
    last = parts[-1]
    if last[:1] == "v" and last[1:].isdigit() and len(parts) > 1:
        last = parts[-2]
    last = last.partition(".v")[0]
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go").rpartition("-")[2]
