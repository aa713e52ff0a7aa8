"""Can a name that was there still be imported and reached?"""

from __future__ import annotations

from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    expression,
    import_statement,
    relied_on_by,
)


def still_reachable(case: Case) -> Draft:
    """Importing it, or reaching it through its class, raises nothing."""
    detail = case.detail
    statements = [import_statement(detail)]
    if "." in detail.qualname:
        # The expression alone is the check: an AttributeError names the attribute and its owner.
        statements.append(f"{expression(detail)}  # noqa: B018")
    return Draft(
        name=f"{detail.qualname or detail.module}_is_still_in_{detail.module}"
        if detail.qualname
        else f"{detail.module}_can_still_be_imported",
        docstring=relied_on_by(case.signal),
        statements=tuple(statements),
    )
