"""Does a function still raise the exception that its callers catch, for arguments that it turns away?

The arguments are found by reading the function at the base (``reading``): those for which it raises the old
exception by what its first checks say. A method would need an instance, and so functions, static and class
methods are called alone.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.calls import callable_alone, function_of
from repo_guardian.tools.probes.templates.reading import raised
from repo_guardian.tools.probes.templates.samples import EDGES, sample
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    dotted,
    expression,
    import_from,
    import_statement,
    relied_on_by,
)
from repo_guardian.tools.signals.interface import ContractChange
from repo_guardian.tools.views.symbol_graph.model import EdgeKind
from repo_guardian.tools.views.symbol_graph.signature import Parameter, ParameterKind, Signature

_WAS = re.compile(r"\(was (\w+)\)\Z")
_TRIES_MAX = 200


def still_raises(case: Case, change: ContractChange) -> Draft:
    """A call that the function turned away at the base raises what it raised."""
    found = _WAS.search(change.text)
    if found is None or case.before is None or not callable_alone(case.old):
        raise TemplateError("no function that can be called alone")
    exception = dotted(found[1])
    imports = _import_exception(case, exception)
    target = expression(case.detail)
    call = _call_that_raises(case, case.before, exception)
    return Draft(
        name=f"{target}_still_raises_{exception}",
        docstring=relied_on_by(case.signal),
        statements=(
            "import pytest",
            *imports,
            import_statement(case.detail),
            f"with pytest.raises({exception}):",
            f"    {target}({call})",
        ),
    )


def _call_that_raises(case: Case, signature: Signature, exception: str) -> str:
    """The arguments of the first call tried that reading the base says raises it."""
    body = function_of(case).body
    for arguments in islice(_arguments(signature), _TRIES_MAX):
        values = {name: ast.literal_eval(text) for name, text in _values(signature, arguments).items()}
        try:
            expected = raised(body, values)
        except TemplateError:
            continue
        if expected is not None and _name(expected) == exception:
            by_name = {p.name: p for p in signature.parameters}
            return ", ".join(_passed(by_name[name], text) for name, text in arguments.items())
    raise TemplateError("no call is known that raises it")


def _arguments(signature: Signature) -> Iterator[dict[str, str]]:
    """Arguments for the required parameters: the samples, then each parameter in turn at the edges."""
    variadic = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
    parameters = [p for p in signature.parameters if p.kind not in variadic]
    required = [p for p in parameters if p.required]
    usual = {p.name: _sample(p) for p in required}
    yield usual
    for parameter in (*required, *(p for p in parameters if not p.required)):
        for edge in _edges(_sample(parameter)):
            yield {p.name: edge if p is parameter else usual[p.name] for p in required} | {
                parameter.name: edge
            }


def _edges(usual: str) -> list[str]:
    """The values at the edges, those of the usual one's type first."""
    wanted = type(ast.literal_eval(usual))
    return sorted(EDGES, key=lambda edge: type(ast.literal_eval(edge)) is not wanted)


def _sample(parameter: Parameter) -> str:
    try:
        text = sample(parameter)
        ast.literal_eval(text)
    except (TemplateError, ValueError):
        return "'a'"
    return text


def _values(signature: Signature, arguments: dict[str, str]) -> dict[str, str]:
    """What each parameter holds: an argument, or a default that is a literal."""
    defaults = {}
    for parameter in signature.parameters:
        try:
            ast.literal_eval(parameter.default or "")
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        defaults[parameter.name] = parameter.default or ""
    return defaults | arguments


def _passed(parameter: Parameter, text: str) -> str:
    by_position = parameter.kind is ParameterKind.POSITIONAL_ONLY or (
        parameter.kind is ParameterKind.POSITIONAL_OR_KEYWORD and parameter.required
    )
    return text if by_position else f"{dotted(parameter.name)}={text}"


def _name(node: ast.expr) -> str:
    """The last name of what is raised, called or not."""
    called = node.func if isinstance(node, ast.Call) else node
    match called:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _import_exception(case: Case, name: str) -> Sequence[str]:
    """How the exception is imported at both commits; nothing for a builtin.

    Raises:
        TemplateError: it cannot be told where it is defined, or it is no longer there.
    """
    if isinstance(getattr(builtins, name, None), type):
        return ()
    base, current = case.material.base, case.material.current
    uses = (e for e in base.edges_in(case.old.path) if e.source == case.old.id)
    wanted = (EdgeKind.CALL, EdgeKind.REFERENCE)
    targets = [e.target for e in uses if e.kind in wanted and e.target.rpartition(".")[2] == name]
    if not targets or targets[0].startswith("?"):
        raise TemplateError("the exception is not resolved")
    if targets[0] not in base.symbols:
        return (import_from(targets[0].rpartition(".")[0], name),)
    module = base.module_of(targets[0])
    if module is None or targets[0] not in current.symbols or targets[0] != f"{module.id}.{name}":
        raise TemplateError("the exception is no longer where it was")
    return (import_from(module.id, name),)
