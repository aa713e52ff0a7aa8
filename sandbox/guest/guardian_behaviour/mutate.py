"""Other arguments made of recorded ones, keeping types or moving to a neighbouring one.

The list of mutations is a function of the recorded values alone, so that two versions of a function get the
same calls. Each changes one argument, or one element of a container argument.
"""

from __future__ import annotations

import enum
import math
import re
from typing import Any, Callable, Iterator, NamedTuple, Union

Key = Union[int, str]
_EDGE = re.compile(r"\b")
_MARKS = "/<>='\"&\\\0"
_DERIVABLE: tuple[type, ...] = (str, bytes, int, float, list, dict, set, frozenset)
_UNICODE = "\u00e9\u6f22\U0001f40d"


class Call(NamedTuple):
    """The arguments of one call: ``args`` by position, ``kwargs`` by name."""

    args: list[Any]
    kwargs: dict[str, Any]


class Mutation(NamedTuple):
    """One change: the argument's position or keyword, the element's key or None, what is done, how."""

    argument: Key
    element: Any
    label: str
    change: Callable[[Any], Any]

    def apply(self, call: Call) -> Call:
        """``call`` with the change made in place."""
        holder: Any = call.args if isinstance(self.argument, int) else call.kwargs
        value = holder[self.argument]
        if self.element is None:
            holder[self.argument] = self.change(value)
        elif isinstance(value, tuple):
            parts = list(value)
            parts[self.element] = self.change(parts[self.element])
            holder[self.argument] = tuple(parts)
        else:
            value[self.element] = self.change(value[self.element])
        return call


def mutations(call: Call, skip_first: bool, limit: int) -> list[Mutation]:
    """At most ``limit`` mutations, taken in turn from all arguments.

    Args:
        skip_first: the first argument is ``self`` or ``cls`` and stays, unless it is a value itself: an
            object of a class that derives from a builtin one of text, numbers or a container.
    """
    places: list[tuple[Key, Any]] = []
    places += list(enumerate(call.args))[int(skip_first) :]
    places += sorted(call.kwargs.items())
    queues = [list(_of_argument(key, value)) for key, value in places]
    if skip_first and call.args:
        queues.insert(0, [Mutation(0, None, f"receiver {label}", do) for label, do in _changes(call.args[0])])
    found: list[Mutation] = []
    while len(found) < limit and any(queues):
        for queue in queues:
            if queue and len(found) < limit:
                found.append(queue.pop(0))
    return found


def _of_argument(key: Key, value: Any) -> Iterator[Mutation]:
    for label, change in _changes(value):
        yield Mutation(key, None, label, change)
    pairs: list[tuple[Any, Any]] = []
    if type(value) in (list, tuple):
        pairs = list(enumerate(value[:3]))
    elif type(value) is dict:
        pairs = list(value.items())[:3]
    for element, inner in pairs:
        for label, change in list(_changes(inner))[:3]:
            yield Mutation(key, element, label, change)
    if value is not None:
        yield Mutation(key, None, "None", lambda _: None)


def _changes(value: Any) -> list[tuple[str, Callable[[Any], Any]]]:
    """What may be done to a value of a builtin type, or of a class that derives from one; else nothing."""
    exact = _BY_TYPE.get(type(value))
    if exact is not None:
        return exact(value)
    if isinstance(value, enum.Enum):
        return []
    for base in _DERIVABLE:
        if isinstance(value, base):
            return [(label, _within(base, do)) for label, do in _BY_TYPE[base](base(value))]
    return []


def _within(base: type, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The change made to the builtin value, in an object of the derived class."""

    def changed(value: Any) -> Any:
        return type(value)(change(base(value)))

    return changed


def _of_bool(value: bool) -> list[tuple[str, Callable[[Any], Any]]]:
    return [("negated", lambda v: not v)]


def _of_int(value: int) -> list[tuple[str, Callable[[Any], Any]]]:
    changes: list[tuple[str, Callable[[Any], Any]]] = [
        ("zero", lambda _: 0),
        ("negative", lambda v: -v if v else -1),
        ("one more", lambda v: v + 1),
        ("a float", float),
        ("a fraction", lambda v: v + 0.5),
        ("beyond 32 bits", lambda _: 2**31),
        ("beyond 64 bits", lambda _: 2**63),
    ]
    return changes[1:] if value == 0 else changes


def _of_float(value: float) -> list[tuple[str, Callable[[Any], Any]]]:
    changes: list[tuple[str, Callable[[Any], Any]]] = [
        ("zero", lambda _: 0.0),
        ("negative", lambda v: -v),
        ("a little more", lambda v: v + 0.5),
        ("infinite", lambda _: math.inf),
        ("not a number", lambda _: math.nan),
    ]
    if abs(value) < 2**53:  # neither infinite nor "not a number"
        changes.insert(1, ("an integer", int))
    return changes


def _of_text(value: Any) -> list[tuple[str, Callable[[Any], Any]]]:
    changes: list[tuple[str, Callable[[Any], Any]]] = [
        ("empty", lambda v: v[:0]),
        ("twice", lambda v: v + v),
        ("without its end", lambda v: v[:-1]),
        ("other case", lambda v: v.swapcase()),
        ("reversed", lambda v: v[::-1]),
    ]
    if isinstance(value, str):
        changes += [
            ("not ASCII", lambda v: v + _UNICODE),
            ("with spaces around", lambda v: " " + v + " "),
            ("with a newline", lambda v: v + "\n"),
            ("with marks", lambda v: v + _MARKS),
            ("spaced out", lambda v: _EDGE.sub(" ", v)),
        ]
    return changes if value else changes[1:2] + changes[5:]


def _of_sequence(value: Any) -> list[tuple[str, Callable[[Any], Any]]]:
    if not value:
        return []
    return [
        ("empty", lambda v: v[:0]),
        ("reversed", lambda v: v[::-1]),
        ("first only", lambda v: v[:1]),
        ("twice", lambda v: v + v),
        ("rotated", lambda v: v[1:] + v[:1]),
    ]


def _of_dict(value: dict[Any, Any]) -> list[tuple[str, Callable[[Any], Any]]]:
    if not value:
        return []
    return [
        ("empty", lambda _: {}),
        ("reversed", lambda v: dict(reversed(list(v.items())))),
        ("without its first", lambda v: dict(list(v.items())[1:])),
        ("marks in its keys", lambda v: {k + _MARKS if isinstance(k, str) else k: x for k, x in v.items()}),
    ]


def _of_set(value: Any) -> list[tuple[str, Callable[[Any], Any]]]:
    return [("empty", lambda v: type(v)())] if value else []


_BY_TYPE: dict[type, Callable[[Any], list[tuple[str, Callable[[Any], Any]]]]] = {
    bool: _of_bool,
    int: _of_int,
    float: _of_float,
    str: _of_text,
    bytes: _of_text,
    list: _of_sequence,
    tuple: _of_sequence,
    dict: _of_dict,
    set: _of_set,
    frozenset: _of_set,
}
