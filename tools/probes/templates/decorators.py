"""Is a function or class still decorated the way it was? Shown by what the decorator leaves behind.

What well-known decorators of the standard library make is asked for by name. Of any other, a function that
had no decorator is the plain function of its own code, and a wrapped one is not; a decorator that gives the
function back as it was shows nothing, and its test passes at both commits.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    expression,
    import_statement,
    quoted,
    relied_on_by,
)
from repo_guardian.tools.signals.drift.protocol import BINDINGS, decorator_name
from repo_guardian.tools.signals.drift.texts import normal
from repo_guardian.tools.signals.interface import ChangeKind, ContractChange
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind


@dataclass(frozen=True, slots=True)
class _Trace:
    """What a decorator leaves behind: words and an expression with it, and without it."""

    words: tuple[str, str]
    checks: tuple[str, str]
    needs: str = ""


_KEEPS = _Trace(
    ("keeps_its_results", "does_not_keep_its_results"),
    ('hasattr({}, "cache_info")', 'not hasattr({}, "cache_info")'),
)
_KNOWN = {
    "lru_cache": _KEEPS,
    "cache": _KEEPS,
    "contextmanager": _Trace(
        ("is_a_context_manager", "is_a_generator_function"),
        ("not inspect.isgeneratorfunction({})", "inspect.isgeneratorfunction({})"),
        "import inspect",
    ),
    "asynccontextmanager": _Trace(
        ("is_an_async_context_manager", "is_an_async_generator_function"),
        ("not inspect.isasyncgenfunction({})", "inspect.isasyncgenfunction({})"),
        "import inspect",
    ),
    "dataclass": _Trace(
        ("is_a_dataclass", "is_not_a_dataclass"),
        ("dataclasses.is_dataclass({})", "not dataclasses.is_dataclass({})"),
        "import dataclasses",
    ),
    "total_ordering": _Trace(
        ("has_all_comparisons", "has_only_its_own_comparisons"),
        ('{"__lt__", "__le__", "__gt__", "__ge__"} <= vars({}).keys()',
         'not {"__lt__", "__le__", "__gt__", "__ge__"} <= vars({}).keys()'),
    ),
    "singledispatch": _Trace(
        ("dispatches_by_type", "does_not_dispatch_by_type"),
        ('hasattr({}, "registry")', 'not hasattr({}, "registry")'),
    ),
    "runtime_checkable": _Trace(
        ("can_be_checked_with_isinstance", "cannot_be_checked_with_isinstance"),
        ('getattr({}, "_is_runtime_protocol", False)', 'not getattr({}, "_is_runtime_protocol", False)'),
    ),
}  # fmt: skip
"""By the decorator's last name; ``final`` and the like leave nothing that a caller could meet."""
_DATACLASS_DEFAULTS = {
    "eq": True, "frozen": False, "init": True, "order": False, "repr": True, "unsafe_hash": False,
}  # fmt: skip


def same_decorator(case: Case, change: ContractChange) -> Draft:
    """What the decorator that came or went leaves behind is there as it was."""
    added = change.kind is ChangeKind.DECORATOR_ADDED
    came, went = _only_in(case.new, case.old), _only_in(case.old, case.new)
    found = came if added else went
    if not found:
        raise TemplateError("no decorator came or went")
    name = decorator_name(found[0])
    if name == "dataclass" and any(decorator_name(text) == name for text in (went if added else came)):
        return _same_dataclass(case)
    trace = _KNOWN.get(name)
    return _known(case, trace, added=added) if trace is not None else _plain_function(case, added=added)


def _known(case: Case, trace: _Trace, *, added: bool) -> Draft:
    target = expression(case.detail)
    return Draft(
        name=f"{target}_{trace.words[added]}",
        docstring=relied_on_by(case.signal),
        statements=(
            *filter(None, [trace.needs]),
            import_statement(case.detail),
            f"assert {trace.checks[added].replace('{}', target)}",
        ),
    )


def _same_dataclass(case: Case) -> Draft:
    """One option of ``@dataclass`` that differs between the commits."""
    old, new = (_DATACLASS_DEFAULTS | _options(symbol) for symbol in (case.old, case.new))
    shown = next((name for name in _DATACLASS_DEFAULTS if old[name] != new[name]), "")
    if not shown:
        raise TemplateError("no option that the class would tell")
    target = expression(case.detail)
    return Draft(
        name=f"{target}_is_still_a_dataclass_with_{shown}_{old[shown]}",
        docstring=relied_on_by(case.signal),
        statements=(
            import_statement(case.detail),
            f"assert {target}.__dataclass_params__.{shown} is {old[shown]}",
        ),
    )


def _options(symbol: Symbol) -> dict[str, bool]:
    text = next((t for t in symbol.decorators if decorator_name(t) == "dataclass"), "")
    try:
        node = ast.parse(text.lstrip("@").strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise TemplateError("no expression") from error
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return {
        k.arg: k.value.value
        for k in keywords
        if k.arg is not None and isinstance(k.value, ast.Constant) and isinstance(k.value.value, bool)
    }


def _plain_function(case: Case, *, added: bool) -> Draft:
    """The name leads to the function of its own code, or to something that a decorator made of it."""
    plain = case.old if added else case.new
    told = [text for text in plain.decorators if decorator_name(text) not in BINDINGS]
    if told or plain.kind not in (SymbolKind.FUNCTION, SymbolKind.METHOD):
        raise TemplateError("nothing is known of what the decorator makes")
    target = expression(case.detail)
    name = quoted(case.detail.qualname.rpartition(".")[2])
    return Draft(
        name=f"{target}_is_{'not' if added else 'still'}_wrapped",
        docstring=relied_on_by(case.signal),
        statements=(
            import_statement(case.detail),
            f'code = getattr({target}, "__code__", None)',
            f'assert getattr(code, "co_name", None) {"==" if added else "!="} {name}',
        ),
    )


def _only_in(here: Symbol, there: Symbol) -> list[str]:
    known = {normal(text.lstrip("@")) for text in there.decorators}
    return [t.lstrip("@") for t in here.decorators if normal(t.lstrip("@")) not in known]
