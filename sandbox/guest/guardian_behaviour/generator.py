"""Makes inputs for functions from their annotations, with Hypothesis, always the same ones.

A process of its own, started by the driver with a JSON task on standard input: ``{"targets": [{"key",
"module", "qualname"}, ...], "path": [folder, ...], "examples": int, "input_bytes": int, "target_s": float}``.
Prints one JSON line for each function: ``{"key", "inputs": [base64 pickle, ...]}``, or ``{"key", "why":
text}`` where an annotation is missing or names something that cannot be made safely. Values are of builtin
types, of a few plain ones of the standard library, enumerations, and the repository's own classes whose
constructors are annotated with these.
"""

from __future__ import annotations

import base64
import collections.abc
import contextlib
import datetime
import decimal
import enum
import fractions
import inspect
import json
import os
import signal
import sys
import types
import typing
import uuid
from typing import Any, Callable

from .calling import find
from .inputs import dumps

_PLAIN = (
    *(bool, int, float, complex, str, bytes, bytearray, type(None)),
    *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta),
    *(decimal.Decimal, fractions.Fraction, uuid.UUID, range, slice),
)
_CONTAINERS = (
    *(list, tuple, set, frozenset, dict),
    *(collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection),
    *(collections.abc.Mapping, collections.abc.Set, collections.abc.MutableSequence),
    *(collections.abc.MutableMapping, collections.abc.MutableSet),
)
_UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
_DEPTH = 2
_ELLIPSIS = type(Ellipsis)


class _UnsafeError(Exception):
    """An annotation is missing, or names something that cannot be made safely; the message says which."""


class _OvertimeError(BaseException):
    pass


def check(annotation: Any, package: str, depth: int = 0) -> None:
    """Whether values for an annotation can be made.

    Raises:
        _UnsafeError: they cannot.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation in _PLAIN or annotation is None or origin is typing.Literal:
        return
    if origin in _UNIONS or (origin in _CONTAINERS and parts):
        for part in parts:
            if not isinstance(part, _ELLIPSIS):
                check(part, package, depth)
        return
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return
    own = getattr(annotation, "__module__", "").partition(".")[0] == package
    if isinstance(annotation, type) and own and depth < _DEPTH and not inspect.isabstract(annotation):
        constructor: Callable[..., Any] = inspect.getattr_static(annotation, "__init__")
        parameters(constructor, package, skip_first=True, depth=depth + 1)
        return
    what = "what has no annotation" if annotation is inspect.Parameter.empty else _text(annotation)
    raise _UnsafeError(f"values of {what} are not made")


def parameters(
    function: Callable[..., Any], package: str, *, skip_first: bool, depth: int = 0
) -> tuple[list[Any], dict[str, Any]]:
    """Annotations by position and by keyword of what a call has to give, and of optional ones where known.

    Raises:
        _UnsafeError: one that a call has to give cannot be made.
    """
    hints = typing.get_type_hints(function)
    listed = list(inspect.signature(function).parameters.values())[int(skip_first) :]
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter in listed:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        try:
            check(hints.get(parameter.name, parameter.empty), package, depth)
        except _UnsafeError:
            if parameter.default is parameter.empty:
                raise
            continue
        required = parameter.default is parameter.empty
        by_keyword = parameter.kind is parameter.KEYWORD_ONLY or not required
        if parameter.kind is parameter.POSITIONAL_ONLY and not required:
            continue
        if by_keyword:
            keywords[parameter.name] = hints[parameter.name]
        else:
            positional.append(hints[parameter.name])
    return positional, keywords


def examples(module: str, qualname: str, count: int, limit: int) -> list[bytes]:
    """Calls of one function as they are recorded: distinct ones, the same in every run.

    Raises:
        _UnsafeError: they cannot be made.
        Exception: whatever a stranger's module or constructor raises.
    """
    from hypothesis import strategies as st

    function, bound = find(module, qualname)
    package = module.partition(".")[0]
    positional, keywords = parameters(function, package, skip_first=bound)
    if bound:
        positional.insert(0, _receiver(module, qualname, package))
    if not positional and not keywords:
        raise _UnsafeError("it takes nothing")
    made = [hint if isinstance(hint, st.SearchStrategy) else st.from_type(hint) for hint in positional]
    named = {name: st.from_type(hint) for name, hint in keywords.items()}
    found: dict[bytes, None] = {}

    def keep(arguments: Any) -> None:
        with contextlib.suppress(Exception):  # what cannot be pickled is no input
            data = dumps((list(arguments[0]), arguments[1]), limit)
            if data is not None:
                found.setdefault(data)

    _run(st.tuples(st.tuples(*made), st.fixed_dictionaries({}, optional=named)), keep, count)
    return list(found)[:count]


def _run(strategy: Any, keep: Callable[[Any], None], count: int) -> None:
    """Hand ``count`` values of a strategy over, the same in every run."""
    from hypothesis import HealthCheck, Phase, given, settings

    options = settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    options(given(strategy)(keep))()  # type: ignore[no-untyped-call]


def _warm_up() -> None:
    """Let Hypothesis make its tables of characters, which takes seconds, on nobody's time."""
    from hypothesis import strategies as st

    _run(st.text(), lambda _: None, 1)


def _receiver(module: str, qualname: str, package: str) -> Any:
    """A strategy for ``self`` or ``cls``."""
    from hypothesis import strategies as st

    owner: Any = sys.modules[module]
    *parents, name = qualname.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    if isinstance(inspect.getattr_static(owner, name), classmethod):
        return st.just(owner)
    if name in ("__init__", "__new__"):
        raise _UnsafeError("its receiver is not set up")
    check(owner, package)
    return st.from_type(owner)


def _text(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)[:80]


def _one(target: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    signal.setitimer(signal.ITIMER_REAL, task["target_s"])
    try:
        made = examples(target["module"], target["qualname"], task["examples"], task["input_bytes"])
        return {"key": target["key"], "inputs": [base64.b64encode(data).decode("ascii") for data in made]}
    except _UnsafeError as error:
        return {"key": target["key"], "why": str(error)[:200]}
    except BaseException as error:  # importing a stranger's module, and its constructors, may raise anything
        return {"key": target["key"], "why": f"{type(error).__name__}: {str(error)[:200]}"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _overtime(_number: int, _frame: Any) -> None:
    raise _OvertimeError("it took too long")


def main() -> None:
    """Answer the task from standard input."""
    task = json.load(sys.stdin)
    out = os.fdopen(os.dup(1), "w")
    devnull = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(devnull, descriptor)
    sys.path.extend(task["path"])
    signal.signal(signal.SIGALRM, _overtime)
    _warm_up()
    for target in task["targets"]:
        out.write(json.dumps(_one(target, task)) + "\n")
        out.flush()
    os._exit(0)  # no exit handler of the repository's is worth waiting for


if __name__ == "__main__":
    main()
