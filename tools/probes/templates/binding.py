"""Calls of a shape that was valid before: does it still bind, and to the same parameters?"""

from __future__ import annotations

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    arguments,
    dotted,
    expression,
    import_statement,
    relied_on_by,
    shape_words,
)
from repo_guardian.tools.signals.interface import SymbolDetail
from repo_guardian.tools.views.symbol_graph.signature import POSITIONAL, CallShape


def still_binds(case: Case) -> Draft:
    """The call binds; when it does not, ``bind`` raises the TypeError that the caller would see."""
    detail = case.detail
    shape = _witness(detail)
    target = expression(detail)
    return Draft(
        name=f"{_short(detail)}_still_accepts_{shape_words(shape)}",
        docstring=relied_on_by(case.signal),
        statements=(
            "import inspect",
            import_statement(detail),
            f"inspect.signature({target}).bind({arguments(shape, detail.receiver)})",
        ),
    )


def same_parameters(case: Case) -> Draft:
    """Each positional argument reaches the parameter that it reached at the base."""
    detail = case.detail
    shape = _witness(detail)
    if case.before is None:
        raise TemplateError("the signature at the base is not known")
    names = [p.name for p in case.before.parameters if p.kind in POSITIONAL]
    reached = [dotted(name) for name in names[: shape.positional]]
    skip = 1 if detail.receiver.value == "instance" else 0
    return Draft(
        name=f"{_short(detail)}_passes_{shape_words(shape)}_to_the_same_parameters",
        docstring=relied_on_by(case.signal),
        statements=(
            "import inspect",
            import_statement(detail),
            f"bound = inspect.signature({expression(detail)}).bind({arguments(shape, detail.receiver)})",
            f"assert list(bound.arguments)[{skip}:{skip + shape.positional}] == {reached!r}",
        ),
    )


def _witness(detail: SymbolDetail) -> CallShape:
    if detail.witness is None:
        raise TemplateError("no witness")
    return detail.witness


def _short(detail: SymbolDetail) -> str:
    return detail.qualname or detail.module
