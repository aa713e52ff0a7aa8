"""The fields of ``collections.namedtuple`` and ``typing.NamedTuple``: what their constructors take, in order.

Their order is contract twice: for calls by position, and for whoever unpacks one.
"""

from __future__ import annotations

import ast

from repo_guardian.tools.signals.drift.texts import expression
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature


def field_parameter(name: str, default: str | None = None) -> Parameter:
    """One field; ``default`` is source text."""
    return Parameter(name, ParameterKind.POSITIONAL_OR_KEYWORD, default)


def namedtuple_fields(text: str) -> Signature | None:
    """The fields that a ``namedtuple("Name", "a b")`` names literally; None for any other expression.

    With ``defaults`` or ``rename``, whose effect the text need not tell, it is None too.
    """
    call = expression(text) if "namedtuple(" in text else None
    if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords:
        return None
    if ast.unparse(call.func).rpartition(".")[2] != "namedtuple":
        return None
    try:
        names = ast.literal_eval(call.args[1])
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
    found = names.replace(",", " ").split() if isinstance(names, str) else names
    if not isinstance(found, (list, tuple)) or not all(
        isinstance(n, str) and n.isidentifier() for n in found
    ):
        return None
    return Signature(tuple(field_parameter(name) for name in found))
