"""What a test can ask of a value that is no literal itself: expressions, with the literals that they give.

``{}`` stands for the value: ``{}.name`` for its public attributes, ``{}[0]`` for elements, ``len({})``,
``str({})``. Attributes and elements come first, since they say most; what runs the value's own code is last.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Iterator

from .describe import Taken, literal, state_of

_MOST = 60
_DEPTH = 2
_EACH = 8
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_SIZED = (list, tuple, dict, set, frozenset)


def views(value: Any, *, result: bool) -> dict[str, str]:
    """Expressions over ``value`` and the literals that they give, at most so many.

    A plain result has none, since it is told as it is; of other plain values only those that can change have.
    """
    plain = literal(value)
    if plain:
        return {} if result or type(value) not in (list, dict, set) else {"{}": plain}
    found: dict[str, str] = {}
    for template, part in _looks(value, "{}", 0):
        text = "" if isinstance(part, Taken) else literal(part)
        if text and not _ADDRESS.search(text):
            found.setdefault(template, text)
        if len(found) == _MOST:
            break
    return found


def _looks(value: Any, at: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Expressions and what they give, nearer ones first."""
    kind = type(value)
    if isinstance(value, Taken):
        if not value.end:
            yield f"list({at})", value.items
        return
    if isinstance(value, type):
        yield f"{at}.__name__", value.__name__
        return
    parts = list(_parts(value, kind, at))
    yield from parts
    if isinstance(value, _SIZED):
        yield f"len({at})", len(value)
    if depth + 1 < _DEPTH:
        for place, part in parts:
            if isinstance(part, Taken) or not literal(part):
                yield from _looks(part, place, depth + 1)
    yield from _own_words(value, kind, at)
    if not hasattr(kind, "__next__"):  # which iterator it is, nobody asks
        yield f"type({at}).__name__", kind.__name__


def _parts(value: Any, kind: type, at: str) -> Iterator[tuple[str, Any]]:
    """Elements of containers, and public attributes."""
    if kind in (list, tuple):
        yield from ((f"{at}[{number}]", part) for number, part in enumerate(value[:_EACH]))
    elif kind is dict:
        plain = ((literal(key), part) for key, part in list(value.items())[:_EACH])
        yield from ((f"{at}[{key}]", part) for key, part in plain if key)
    if kind.__module__ != "builtins":
        for name, part in sorted(state_of(value, kind).items()):
            if name.isidentifier() and not name.startswith("_"):
                yield f"{at}.{name}", part


def _own_words(value: Any, kind: type, at: str) -> Iterator[tuple[str, Any]]:
    """What the value says by code of its class."""
    for function, method in ((str, "__str__"), (repr, "__repr__"), (len, "__len__")):
        if kind.__module__ != "builtins" and getattr(kind, method, None) is not getattr(object, method, None):
            with contextlib.suppress(Exception):  # a stranger's code
                said = function(value)
                yield f"{function.__name__}({at})", said
