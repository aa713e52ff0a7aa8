"""One call of one function, and what a caller can notice of it."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import random
import signal
import sys
import warnings
from typing import Any, Callable

from .describe import Taken, blank, describe_whole, literal, name_of, taken
from .effects import Watch
from .inputs import Input
from .mutate import Call
from .sources import written
from .views import views

_ASYNC_ITEMS = 60
_TEXT = 500
_WARNINGS = 5


class _OvertimeError(BaseException):
    """Not an ``Exception``: what the function catches must not stop it."""


def find(module: str, qualname: str) -> tuple[Callable[..., Any], bool]:
    """The function whose own code ``qualname`` names, below decorators, and whether its first argument binds.

    Raises:
        AttributeError: there is none in this version.
    """
    owner: Any = importlib.import_module(module)
    *parents, name = qualname.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    found = inspect.getattr_static(owner, name)
    bound = bool(parents) and not isinstance(found, staticmethod)
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    if isinstance(found, property):
        found = found.fget
    found = getattr(found, "func", found) if type(found).__name__ == "cached_property" else found
    found = inspect.unwrap(found)
    if not inspect.isfunction(found) or found.__code__.co_name != name:
        raise AttributeError(qualname + " is no plain function here")
    return found, bound


def way(module: str, qualname: str) -> str:
    """How a caller comes to a function: ``get`` for a property, ``make`` for a constructor, else ``call``."""
    owner: Any = sys.modules[module]
    *parents, name = qualname.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    if name == "__init__" and parents:
        return "make"
    found = inspect.getattr_static(owner, name)
    is_property = isinstance(found, property) or type(found).__name__ == "cached_property"
    return "get" if is_property else "call"


class Caller:
    """Makes calls; one for each process."""

    def __init__(self, call_s: float) -> None:
        self._call_s = call_s
        self._watch = Watch()
        self._loop = asyncio.new_event_loop()  # before anything is watched, since making one opens sockets
        signal.signal(signal.SIGALRM, _overtime)

    def outcome(self, function: Callable[..., Any], made: Input, call: Call) -> dict[str, Any]:
        """What one call does: value or exception, warnings, changed arguments, and effects beyond them."""
        before = describe_whole((call.args, call.kwargs), iterators=False)
        result: dict[str, Any] = {}
        seen: dict[str, Any] = {str(number): value for number, value in enumerate(call.args)}
        layouts = before.layouts
        error = None
        random.seed(0)
        package = function.__module__.partition(".")[0]
        with warnings.catch_warnings(record=True) as caught, self._watch.during(package) as effects:
            warnings.simplefilter("always")
            signal.setitimer(signal.ITIMER_REAL, self._call_s)
            try:
                given = taken(self._called(function, call))
                value = describe_whole(given)
                result["value"] = value.text
                layouts = {**layouts, **value.layouts}
                result["literal"] = literal(given)
                result["iterator"] = isinstance(given, Taken)
                seen["result"] = given
            except _OvertimeError:
                result["overtime"] = True
            except BaseException as raised:
                error = raised
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        if error is not None:
            result["exception"] = [name_of(type(error)), blank(str(error))[:_TEXT]]
            result["misfit"] = made.misfit(error)
        after = describe_whole((call.args, call.kwargs), iterators=False)
        if after.text != before.text:
            result["arguments"] = after.text
        result["layouts"] = {**layouts, **after.layouts}
        result["warnings"] = [
            [name_of(w.category), blank(str(w.message))[:_TEXT]] for w in caught[:_WARNINGS]
        ]
        result["effects"] = effects
        result["views"] = self._views(seen)
        return {name: part for name, part in result.items() if part or name == "value"}

    def _views(self, seen: dict[str, Any]) -> dict[str, dict[str, str]]:
        """What a test can ask of the result and the arguments, within the time of one call."""
        found: dict[str, dict[str, str]] = {}
        signal.setitimer(signal.ITIMER_REAL, self._call_s)
        try:
            for where, value in seen.items():
                found[where] = views(value, result=where == "result")
        except (_OvertimeError, Exception):  # the values' own code
            return {}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return {where: asked for where, asked in found.items() if asked}

    def source(self, call: Call, bound: bool, way: str, package: str) -> dict[str, Any] | None:
        """A call's parts as source, see ``sources``; None where they have none, or take too long to write."""
        signal.setitimer(signal.ITIMER_REAL, self._call_s)
        try:
            if way == "make":
                call = Call([type(call.args[0]), *call.args[1:]], call.kwargs)
            return written(call, bound, package)
        except _OvertimeError:
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _called(self, function: Callable[..., Any], call: Call) -> Any:
        """The result, awaited where it has to be; of an asynchronous generator the first items."""
        if inspect.iscoroutinefunction(function):
            return self._loop.run_until_complete(function(*call.args, **call.kwargs))
        if inspect.isasyncgenfunction(function):
            return self._loop.run_until_complete(_first(function(*call.args, **call.kwargs)))
        return function(*call.args, **call.kwargs)


async def _first(items: Any) -> list[Any]:
    found: list[Any] = []
    async for item in items:
        found.append(item)
        if len(found) == _ASYNC_ITEMS:
            break
    return found


def _overtime(_number: int, _frame: Any) -> None:
    raise _OvertimeError
