"""Which exception a function raises for arguments that are literals, as far as reading it tells.

A small interpreter for the checks at the head of a function (``if not x: raise …``). It follows what it can
evaluate from literals alone and gives up at everything else, so that nothing of a repository runs here.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

from repo_guardian.errors import TemplateError

_STEPS_MAX = 200
_TYPES: dict[str, type] = {
    t.__name__: t for t in (bool, bytes, complex, dict, float, frozenset, int, list, set, str, tuple)
}
_DISPLAYS: dict[type[ast.expr], Callable[[Iterable[object]], object]] = {
    ast.List: list,
    ast.Set: set,
    ast.Tuple: tuple,
}


def _same(one: object, other: object) -> bool:
    """Whether they are one object: known where one of them exists once, up to the compiler elsewhere.

    Raises:
        TemplateError: neither is a singleton.
    """
    if not any(value is None or value is ... or isinstance(value, bool) for value in (one, other)):
        raise TemplateError("not told by literals")
    return one is other


_COMPARE: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]  # what cannot be ordered raises, and is given up
    ast.LtE: operator.le,  # type: ignore[dict-item]  # as above
    ast.Gt: operator.gt,  # type: ignore[dict-item]  # as above
    ast.GtE: operator.ge,  # type: ignore[dict-item]  # as above
    ast.Is: _same,
    ast.IsNot: lambda a, b: not _same(a, b),
    ast.In: lambda a, b: operator.contains(b, a),  # type: ignore[arg-type]  # as above
    ast.NotIn: lambda a, b: not operator.contains(b, a),  # type: ignore[arg-type]  # as above
}


def raised(body: Sequence[ast.stmt], values: Mapping[str, object]) -> ast.expr | None:
    """The expression that is raised for those values of the parameters; None when the end is reached.

    Raises:
        TemplateError: something before that cannot be told from literals.
    """
    known = dict(values)
    steps = 0
    waiting = list(body)
    while waiting:
        steps += 1
        statement = waiting.pop(0)
        if steps > _STEPS_MAX:
            raise TemplateError("not told by literals")
        if isinstance(statement, ast.Raise) and statement.exc is not None:
            return statement.exc
        if isinstance(statement, ast.If):
            waiting = [*(statement.body if evaluate(statement.test, known) else statement.orelse), *waiting]
        elif isinstance(statement, ast.Assign):
            _assign(statement, known)
        elif not _does_nothing(statement):
            raise TemplateError("not told by literals")
    return None


def evaluate(node: ast.expr, known: Mapping[str, object]) -> object:
    """The value of an expression over literals and ``known`` names.

    Raises:
        TemplateError: it is not made of those alone, or evaluating it raises.
    """
    try:
        return _evaluate(node, known)
    except TemplateError:
        raise
    except Exception as error:  # whatever an operation on two literals raises, it is not told here
        raise TemplateError("not told by literals") from error


def _evaluate(node: ast.expr, known: Mapping[str, object]) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _evaluate(operand, known)
        case ast.BoolOp(op=op, values=values):
            return _either(values, known, stop=isinstance(op, ast.Or))
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compared(left, ops, others, known)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            return _DISPLAYS[type(node)](_evaluate(item, known) for item in items)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _called(name, arguments, known)
        case ast.UnaryOp(op=ast.USub()):
            return ast.literal_eval(node)
    raise TemplateError("not told by literals")


def _either(values: Sequence[ast.expr], known: Mapping[str, object], *, stop: bool) -> object:
    found: object = not stop
    for value in values:
        found = _evaluate(value, known)
        if bool(found) is stop:
            break
    return found


def _compared(
    left: ast.expr, ops: Sequence[ast.cmpop], others: Sequence[ast.expr], known: Mapping[str, object]
) -> bool:
    here = _evaluate(left, known)
    for op, other in zip(ops, others, strict=True):
        there = _evaluate(other, known)
        if not _COMPARE[type(op)](here, there):
            return False
        here = there
    return True


def _called(name: str, arguments: Sequence[ast.expr], known: Mapping[str, object]) -> object:
    if name in known:
        raise TemplateError("not told by literals")
    if name == "len" and len(arguments) == 1:
        value = _evaluate(arguments[0], known)
        if isinstance(value, (str, bytes, list, tuple, dict, set)):
            return len(value)
    if name == "isinstance" and len(arguments) == 2:
        wanted = arguments[1].elts if isinstance(arguments[1], ast.Tuple) else [arguments[1]]
        types = tuple(_TYPES[part.id] for part in wanted if isinstance(part, ast.Name) and part.id in _TYPES)
        if len(types) == len(wanted):
            return isinstance(_evaluate(arguments[0], known), types)
    raise TemplateError("not told by literals")


def _assign(statement: ast.Assign, known: dict[str, object]) -> None:
    (target,) = statement.targets if len(statement.targets) == 1 else (None,)
    if not isinstance(target, ast.Name):
        raise TemplateError("not told by literals")
    known[target.id] = evaluate(statement.value, known)


def _does_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )
