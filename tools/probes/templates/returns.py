"""Does a call still return the same kind of thing: a plain value, a coroutine, a generator?"""

from __future__ import annotations

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    expression,
    import_statement,
    relied_on_by,
)
from repo_guardian.tools.signals.interface import ChangeKind

_CHECKS = {
    ChangeKind.BECAME_ASYNC: ("is_not_a_coroutine_function", "not inspect.iscoroutinefunction({})"),
    ChangeKind.BECAME_SYNC: ("is_a_coroutine_function", "inspect.iscoroutinefunction({})"),
    ChangeKind.BECAME_GENERATOR: ("is_not_a_generator_function", "not inspect.isgeneratorfunction({})"),
    ChangeKind.CEASED_GENERATOR: ("is_a_generator_function", "inspect.isgeneratorfunction({})"),
}


def same_kind(case: Case) -> Draft:
    """What the call gives is what it gave at the base."""
    detail = case.detail
    kinds = [change.kind for change in detail.changes if change.kind in _CHECKS]
    if not kinds:
        raise TemplateError("no such change")
    words, check = _CHECKS[kinds[0]]
    return Draft(
        name=f"{detail.qualname}_{words}",
        docstring=relied_on_by(case.signal),
        statements=(
            "import inspect",
            import_statement(detail),
            f"assert {check.format(expression(detail))}",
        ),
    )
