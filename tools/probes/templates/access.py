"""Is an attribute still of the kind that it was: called, or read?"""

from __future__ import annotations

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    dotted,
    expression,
    import_statement,
    relied_on_by,
)
from repo_guardian.tools.signals.interface import ChangeKind

_CHECKS = {
    ChangeKind.BECAME_PROPERTY: ("is_still_called", "not isinstance({}, property)"),
    ChangeKind.BECAME_METHOD: ("is_still_read", "isinstance({}, property)"),
}


def same_access(case: Case) -> Draft:
    """The attribute is still a property, or still none."""
    detail = case.detail
    kinds = [change.kind for change in detail.changes if change.kind in _CHECKS]
    owner, _, attribute = expression(detail).rpartition(".")
    if not kinds or not owner:
        raise TemplateError("no such change")
    words, check = _CHECKS[kinds[0]]
    looked_up = f"inspect.getattr_static({owner}, {dotted(attribute)!r})"
    return Draft(
        name=f"{detail.qualname}_{words}",
        docstring=relied_on_by(case.signal),
        statements=("import inspect", import_statement(detail), f"assert {check.format(looked_up)}"),
    )
