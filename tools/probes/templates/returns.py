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
from repo_guardian.tools.views.symbol_graph.signature import Signature

_COROUTINE = ("a_coroutine_function", "inspect.iscoroutinefunction({})")
_GENERATOR = ("a_generator_function", "inspect.isgeneratorfunction({})")
_ASYNC_GENERATOR = ("an_async_generator_function", "inspect.isasyncgenfunction({})")
_USUAL = {
    ChangeKind.BECAME_ASYNC: (None, _COROUTINE),
    ChangeKind.BECAME_SYNC: (_COROUTINE, None),
    ChangeKind.BECAME_GENERATOR: (None, _GENERATOR),
    ChangeKind.CEASED_GENERATOR: (_GENERATOR, None),
}
"""What a function was and is, where the graphs do not tell."""


def same_kind(case: Case) -> Draft:
    """What the call gives is what it gave at the base."""
    detail = case.detail
    kinds = [change.kind for change in detail.changes if change.kind in _USUAL]
    if not kinds:
        raise TemplateError("no such change")
    before, after = _USUAL[kinds[0]]
    if case.before is not None:
        before = _protocol(case.before)
        now = case.material.current.symbols.get(detail.new_id)
        after = _protocol(now.signature) if now is not None and now.signature is not None else after
    words, check = before or after or ("", "")
    if before == after or not check:
        raise TemplateError("nothing to tell them apart by")
    negated = ("_not", "not ") if before is None else ("", "")
    return Draft(
        name=f"{detail.qualname}_is{negated[0]}_{words}",
        docstring=relied_on_by(case.signal),
        statements=(
            "import inspect",
            import_statement(detail),
            f"assert {negated[1]}{check.format(expression(detail))}",
        ),
    )


def _protocol(signature: Signature) -> tuple[str, str] | None:
    """What the function is in words, and the check for it; None for a plain function."""
    if signature.is_async:
        return _ASYNC_GENERATOR if signature.is_generator else _COROUTINE
    return _GENERATOR if signature.is_generator else None
