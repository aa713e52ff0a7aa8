"""Calls of a shape that was valid before: does it still bind, and to the same parameters?"""

from __future__ import annotations

import ast

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    arguments,
    dotted,
    expression,
    import_statement,
    quoted,
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
    reached = ", ".join(quoted(dotted(name)) for name in _positions(case)[: shape.positional])
    skip = 1 if detail.receiver.value == "instance" else 0
    return Draft(
        name=f"{_short(detail)}_passes_{shape_words(shape)}_to_the_same_parameters",
        docstring=relied_on_by(case.signal),
        statements=(
            "import inspect",
            import_statement(detail),
            f"bound = inspect.signature({expression(detail)}).bind({arguments(shape, detail.receiver)})",
            f"assert list(bound.arguments)[{skip}:{skip + shape.positional}] == [{reached}]",
        ),
    )


def _positions(case: Case) -> list[str]:
    """The names of the positional parameters at the base; a named tuple has its fields."""
    if case.before is not None:
        return [p.name for p in case.before.parameters if p.kind in POSITIONAL]
    _, bracket, rest = case.signal.before.partition("(")
    try:
        (function,) = ast.parse(f"def f{bracket}{rest}: ...").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise TemplateError("the signature at the base is not known") from error
    if not isinstance(function, ast.FunctionDef):
        raise TemplateError("the signature at the base is not known")
    return [a.arg for a in (*function.args.posonlyargs, *function.args.args)]


def _witness(detail: SymbolDetail) -> CallShape:
    if detail.witness is None:
        raise TemplateError("no witness")
    return detail.witness


def _short(detail: SymbolDetail) -> str:
    return detail.qualname or detail.module
