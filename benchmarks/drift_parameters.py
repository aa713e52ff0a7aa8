"""Mutation operators on what a function takes and gives; see ``drift_operators``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from drift_operators import Function, Module, Mutant, bare, changed, functions, operator, with_functions


def _defaults_from(node: Function) -> int:
    """The index of the first positional parameter with a default."""
    return len(node.args.args) - len(node.args.defaults)


def _plain(node: Function, own: int) -> bool:
    return not node.args.posonlyargs and len(node.args.args) > own


def _removed(node: Function, own: int) -> bool:
    """Where nothing else takes the argument: ``**kwargs`` may well go on serving it."""
    if not _plain(node, own) or node.args.vararg or node.args.kwarg:
        return False
    node.args.args.pop()
    del node.args.defaults[len(node.args.defaults) - bool(node.args.defaults) :]
    return True


def _added(node: Function, own: int) -> bool:
    at = _defaults_from(node)
    if not _plain(node, own) or at < own:
        return False
    node.args.args.insert(at, ast.arg("added_parameter"))
    return True


def _inserted(node: Function, own: int) -> bool:
    at = max(_defaults_from(node), own)
    if not _plain(node, own) or not node.args.defaults:
        return False
    node.args.args.insert(at, ast.arg("inserted_option"))
    node.args.defaults.insert(
        at - _defaults_from(node) if at > _defaults_from(node) else 0, ast.Constant(None)
    )
    return True


def _renamed(node: Function, own: int) -> bool:
    if not _plain(node, own):
        return False
    node.args.args[own].arg += "_renamed"
    return True


def _reordered(node: Function, own: int) -> bool:
    names = node.args.args
    if not _plain(node, own) or len(names) < own + 2 or _defaults_from(node) == own + 1:
        return False
    names[own], names[own + 1] = names[own + 1], names[own]
    return True


def _required(node: Function, own: int) -> bool:
    if not _plain(node, own) or not node.args.defaults:
        return False
    node.args.defaults.pop(0)
    return True


def _keyword_only(node: Function, own: int) -> bool:
    if not _plain(node, own) or node.args.vararg is not None:
        return False
    node.args.kwonlyargs.insert(0, node.args.args.pop())
    node.args.kw_defaults.insert(0, node.args.defaults.pop() if node.args.defaults else None)
    return True


def _positional_only(node: Function, own: int) -> bool:
    if not _plain(node, own):
        return False
    node.args.posonlyargs, node.args.args = node.args.args, []
    return True


def _args_removed(node: Function, own: int) -> bool:
    had, node.args.vararg = node.args.vararg, None
    return had is not None


def _kwargs_removed(node: Function, own: int) -> bool:
    had, node.args.kwarg = node.args.kwarg, None
    return had is not None


def _default_changed(node: Function, own: int) -> bool:
    for index, default in enumerate(node.args.defaults):
        if isinstance(default, ast.Constant) and default.value in (None, True, False):
            node.args.defaults[index] = ast.Constant(not default.value)
            return True
    return False


def _return_changed(node: Function, own: int) -> bool:
    if node.returns is None or ast.unparse(node.returns) not in ("str", "int", "bool", "bytes"):
        return False
    node.returns = ast.parse("list[float]", mode="eval").body
    return True


def _is_generator(node: Function) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node))


def _generator(node: Function, own: int) -> bool:
    if _is_generator(node) or isinstance(node, ast.AsyncFunctionDef):
        return False
    if node.returns is not None and "Itera" in ast.unparse(node.returns):
        return False
    node.body.append(ast.Expr(ast.Yield(ast.Constant(None))))
    return True


def _not_generator(node: Function, own: int) -> bool:
    if not _is_generator(node) or isinstance(node, ast.AsyncFunctionDef):
        return False
    node.body = [ast.Return(ast.List([], ast.Load()))]
    node.returns = ast.Name("list")
    return True


PARAMETERS = (
    with_functions("parameter_removed", _removed),
    with_functions("parameter_added", _added),
    with_functions("parameter_inserted", _inserted),
    with_functions("parameter_renamed", _renamed),
    with_functions("parameter_reordered", _reordered),
    with_functions("parameter_required", _required),
    with_functions("parameter_keyword_only", _keyword_only),
    with_functions("parameter_positional_only", _positional_only),
    with_functions("args_removed", _args_removed),
    with_functions("kwargs_removed", _kwargs_removed),
    with_functions("default_changed", _default_changed),
    with_functions("return_changed", _return_changed, constructors=False),
    with_functions("became_generator", _generator, constructors=False),
    with_functions("ceased_generator", _not_generator, constructors=False),
)


@operator
def became_async(module: Module) -> Iterator[Mutant]:
    """``def`` is ``async def``."""
    for place in functions(module):
        node, _, _ = bare(place)
        if isinstance(node, ast.FunctionDef) and node.name != "__init__" and not _is_generator(node):
            yield changed("became_async", place, _as(ast.AsyncFunctionDef, node))


@operator
def became_sync(module: Module) -> Iterator[Mutant]:
    """``async def`` is ``def``, and raises at once."""
    for place in functions(module):
        node, _, _ = bare(place)
        if isinstance(node, ast.AsyncFunctionDef) and not _is_generator(node):
            node.body = [ast.Raise(ast.Name("NotImplementedError"))]
            yield changed("became_sync", place, _as(ast.FunctionDef, node))


@operator
def private_parameter_removed(module: Module) -> Iterator[Mutant]:
    """A helper that the module itself calls by position takes one argument less."""
    for place in functions(module, private=True):
        node, names, own = bare(place)
        calls = [n for n in ast.walk(module.tree) if isinstance(n, ast.Call) and _called(n) == node.name]
        full = [c for c in calls if len(c.args) == len(names) - own and not any(map(_starred, c.args))]
        if place.owner is None and full and not node.args.vararg and _removed(node, own):
            yield changed("private_parameter_removed", place, node)


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _starred(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Starred)


def _as(kind: type[ast.FunctionDef] | type[ast.AsyncFunctionDef], node: Function) -> Function:
    return kind(**{name: getattr(node, name) for name in node._fields if hasattr(node, name)})


@operator
def raises_changed(module: Module) -> Iterator[Mutant]:
    """The only exception that a function raises is another one."""
    for place in functions(module):
        node, _, _ = bare(place)
        found = [n.exc for n in ast.walk(node) if isinstance(n, ast.Raise)]
        calls = [e for e in found if isinstance(e, ast.Call) and isinstance(e.func, ast.Name)]
        if len(calls) == len(found) == 1 and calls[0].func.id in ("ValueError", "TypeError", "RuntimeError"):
            calls[0].func = ast.Name("BufferError")
            yield changed("raises_changed", place, node)
