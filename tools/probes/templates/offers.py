"""Does a module still offer its names to a star import, and the project its entry points?"""

from __future__ import annotations

import re

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    dotted,
    import_statement,
    quoted,
    relied_on_by,
)
from repo_guardian.tools.signals.interface import ContractChange

_NAMES_MAX = 8
_ENTRY = re.compile(r"(?P<name>[\w.-]+) = (?P<reference>[\w.]+(?::[\w.]+)?)(?: *\[.*\])?\Z")
_GROUP = re.compile(r"(?:console script|entry point of (?P<group>[\w.-]+)) ")


def still_exported(case: Case, change: ContractChange) -> Draft:
    """``from module import *`` brings the names that it brought."""
    module = dotted(case.detail.module)
    names = [dotted(name) for name in case.detail.names[:_NAMES_MAX]]
    if not names or case.detail.qualname:
        raise TemplateError("no names")
    wanted = f"{quoted(names[0])} in namespace" if len(names) == 1 else f"{_set(names)} <= namespace.keys()"
    return Draft(
        name=f"star_import_of_{module}_still_brings_{'_and_'.join(names)}",
        docstring=relied_on_by(case.signal),
        statements=(
            "namespace = {}",
            f'exec("from {module} import *", namespace)',
            f"assert {wanted}",
        ),
    )


def target_still_there(case: Case, change: ContractChange) -> Draft:
    """What an entry point names can be imported; for one that names now what it named at the base."""
    name, reference = _entry(case.signal.before)
    now = case.signal.after
    if not now or _entry(now)[1] != reference:
        raise TemplateError("the entry point names something else now, or is gone")
    return Draft(
        name=f"{name}_can_be_started",
        docstring=f"The entry point {name} names it.",
        statements=(import_statement(case.detail),),
    )


def still_declared(case: Case, change: ContractChange) -> Draft:
    """The installed project has the entry point, and it names what it named."""
    name, reference = _entry(case.signal.before)
    found = _GROUP.match(change.text)
    if found is None:
        raise TemplateError("of no known group")
    group = found["group"] or "console_scripts"
    return Draft(
        name=f"{name}_still_starts_{reference}",
        docstring="Users run it, or look it up, by this name.",
        statements=(
            "from importlib.metadata import entry_points",
            import_statement(case.detail),
            f"found = entry_points(group={quoted(group)}, name={quoted(name)})",
            f"assert [entry.value for entry in found] == [{quoted(reference)}]",
        ),
    )


def _entry(text: str) -> tuple[str, str]:
    """Name and object reference of an entry point, both of plain characters."""
    found = _ENTRY.match(text)
    if found is None:
        raise TemplateError("no plain entry point")
    dotted(found["reference"].replace(":", "."))
    return found["name"], found["reference"]


def _set(names: list[str]) -> str:
    return "{" + ", ".join(quoted(name) for name in names) + "}"
