"""Does a definition still mean what it meant: its defaults, its value, how it is bound and assigned to?"""

from __future__ import annotations

import ast
import builtins

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    dotted,
    equals,
    expression,
    import_from,
    import_statement,
    literal,
    quoted,
    relied_on_by,
)
from repo_guardian.tools.signals.drift.protocol import decorator_name
from repo_guardian.tools.signals.drift.texts import value_type
from repo_guardian.tools.signals.interface import ContractChange
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol
from repo_guardian.tools.views.symbol_graph.signature import Signature


def same_default(case: Case, change: ContractChange) -> Draft:
    """The parameter has the default that it had, a literal or a name of the function's own module."""
    name = dotted(change.parameter)
    old = _default(case.before, name)
    target = expression(case.detail)
    given = f"inspect.signature({target}).parameters[{quoted(name)}].default"
    imports = [import_statement(case.detail)]
    if _is_literal(old):
        now = _default(case.new.signature, name)
        check = equals(given, literal(old), now if _is_literal(now) else None)
    else:
        module, constant = _constant_of_module(case, old)
        imports.append(import_from(module, constant))
        check = f"{given} is {constant}"
    return Draft(
        name=f"{target}_still_defaults_{name}_to_{old}",
        docstring=relied_on_by(case.signal),
        statements=("import inspect", *imports, f"assert {check}"),
    )


def same_value(case: Case, change: ContractChange) -> Draft:
    """The constant, class attribute or member of an enumeration has the value that it had."""
    wanted = literal(case.old.value or "")
    target = expression(case.detail)
    given = f"{target}.value" if _is_enum_member(case) else target
    now = case.new.value
    check = equals(given, wanted, now if now is not None and _is_literal(now) else None)
    return Draft(
        name=f"{target}_is_still_{wanted}",
        docstring=relied_on_by(case.signal),
        statements=(import_statement(case.detail), f"assert {check}"),
    )


def same_type(case: Case, change: ContractChange) -> Draft:
    """The constant is of the builtin type that it was of."""
    wanted = value_type(case.old.value or "")
    target = expression(case.detail)
    given = f"{target}.value" if _is_enum_member(case) else target
    if wanted == "NoneType":
        words, check = "None", f"{given} is None"
    elif isinstance(getattr(builtins, wanted or " ", None), type):
        words, check = wanted, f"type({given}) is {wanted}"
    else:
        raise TemplateError("no builtin type")
    return Draft(
        name=f"{target}_is_still_of_type_{words}",
        docstring=relied_on_by(case.signal),
        statements=(import_statement(case.detail), f"assert {check}"),
    )


def same_binding(case: Case, change: ContractChange) -> Draft:
    """The method is still an instance, class or static method."""
    owner, method = case.attribute()
    static = f"inspect.getattr_static({owner}, {quoted(method)})"
    names = {decorator_name(text) for text in case.old.decorators}
    kind = next((name for name in ("staticmethod", "classmethod") if name in names), "")
    check = f"isinstance({static}, {kind})" if kind else f"inspect.isfunction({static})"
    return Draft(
        name=f"{owner}_{method}_is_still_a_{kind or 'plain_method'}",
        docstring=relied_on_by(case.signal),
        statements=("import inspect", import_statement(case.detail), f"assert {check}"),
    )


def still_assignable(case: Case, change: ContractChange) -> Draft:
    """The property has a setter."""
    owner, name = case.attribute()
    return Draft(
        name=f"{owner}_{name}_can_still_be_assigned_to",
        docstring=relied_on_by(case.signal),
        statements=(
            "import inspect",
            import_statement(case.detail),
            f"assert inspect.getattr_static({owner}, {quoted(name)}).fset is not None",
        ),
    )


def still_its_own(case: Case, change: ContractChange) -> Draft:
    """The class defines the member itself; what it inherits may be something else."""
    owner, name = case.attribute()
    return Draft(
        name=f"{owner}_still_defines_{name}_itself",
        docstring=relied_on_by(case.signal),
        statements=(import_statement(case.detail), f"assert {quoted(name)} in vars({owner})"),
    )


def same_annotation(case: Case, change: ContractChange) -> Draft:
    """What the function is said to return is what it was said to return.

    Under ``from __future__ import annotations`` an annotation is its text; otherwise only those that need no
    name but builtins are compared.
    """
    returns = case.before.returns if case.before is not None else None
    parsed = _expression(returns or "")
    target = expression(case.detail)
    given = f"inspect.signature({target}).return_annotation"
    if _annotations_are_texts(case):
        check = f"{given} == {ast.unparse(parsed)!r}"
    elif isinstance(parsed, ast.Constant) and isinstance(parsed.value, str):
        check = f"{given} == {parsed.value!r}"
    elif isinstance(parsed, ast.Constant) and parsed.value is None:
        check = f"{given} is None"
    elif _needs_builtins_only(parsed):
        check = f"{given} == {ast.unparse(parsed)}"
    else:
        raise TemplateError("the annotation needs names of the module")
    return Draft(
        name=f"{target}_is_still_said_to_return_{ast.unparse(parsed)}",
        docstring=relied_on_by(case.signal),
        statements=("import inspect", import_statement(case.detail), f"assert {check}"),
    )


def _default(signature: Signature | None, name: str) -> str:
    parameters = signature.parameters if signature is not None else ()
    found = next((p.default for p in parameters if p.name == name), None)
    if found is None:
        raise TemplateError(f"no default of {name} is known")
    return found


def _is_literal(text: str) -> bool:
    try:
        literal(text)
    except TemplateError:
        return False
    return True


def _constant_of_module(case: Case, text: str) -> tuple[str, str]:
    """The module of the definition at the base, and ``text`` where it is a name of that module."""
    module = case.material.base.module_of(case.detail.old_id)
    if module is None or not text.isidentifier() or f"{module.id}.{text}" not in case.material.base.symbols:
        raise TemplateError("neither a literal nor a name of the module")
    return module.id, text


def _is_enum_member(case: Case) -> bool:
    """Whether the class of an attribute derives from an enumeration, as far as the base's graph tells."""
    graph = case.material.base
    waiting, seen = [case.detail.old_id.rpartition(".")[0]], set()
    while waiting:
        name = waiting.pop()
        owner: Symbol | None = graph.symbols.get(name)
        if owner is None or name in seen:
            continue
        seen.add(name)
        if any(base.rpartition(".")[2].endswith(("Enum", "Flag")) for base in owner.bases):
            return True
        edges = graph.edges_in(owner.path)
        waiting += [e.target for e in edges if e.source == name and e.kind is EdgeKind.INHERIT]
    return False


def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise TemplateError("no expression") from error


def _annotations_are_texts(case: Case) -> bool:
    source = case.material.read_base(case.old.path)
    return source is not None and b"from __future__ import annotations" in source


def _needs_builtins_only(node: ast.expr) -> bool:
    allowed = (ast.Name, ast.Subscript, ast.Tuple, ast.BinOp, ast.BitOr, ast.Load, ast.Constant)
    inner = list(ast.walk(node))
    names = [part.id for part in inner if isinstance(part, ast.Name)]
    known = all(isinstance(getattr(builtins, name, None), type) for name in names)
    plain = all(not isinstance(p, ast.Constant) or p.value in (None, Ellipsis) for p in inner)
    return known and plain and all(isinstance(part, allowed) for part in inner)
