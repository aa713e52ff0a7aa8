"""Values as text that is equal for equal behaviour: no addresses, no order where there is none, bounded.

An object shows by its public attributes, as a caller sees it; one that has none shows by its private ones.
The names of what it shows, of private ones with their types, are its class's *layout*: where two versions lay
a class out differently, such an object says nothing about behaviour. Iterators are shown by what they give,
and are used up by it.
"""

from __future__ import annotations

import ast
import enum
import hashlib
import re
import types
from typing import Any, Iterable, NamedTuple

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_MAX_DEPTH = 6
_MAX_ITEMS = 60
_MAX_TEXT = 300
_MAX_TOTAL = 4000
_MAX_LITERAL = 500
_PLAIN = (bool, int, float, complex, type(None))
_BY_REPR = frozenset(
    (
        "datetime",
        "decimal",
        "fractions",
        "pathlib",
        "uuid",
        "re",
        "ipaddress",
        "collections",
        "zoneinfo",
        "numpy",
    )
)
"""Modules whose types show their whole value in their ``repr``."""
_BUILTIN_CONTAINERS = (list, tuple, set, frozenset, dict)
_BRACKETS: tuple[tuple[Any, str, str], ...] = (
    (list, "[", "]"),
    (tuple, "(", ")"),
    (set, "{", "}"),
    (frozenset, "{", "}"),
)
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)


class Description(NamedTuple):
    """``text`` of a value; ``layouts`` has names of attributes, ``name:type`` of private ones, by class."""

    text: str
    layouts: dict[str, str]


class Taken:
    """What an iterator gives: its first ``items``, and how it ended: "" by itself, cut off, or raising."""

    def __init__(self, iterator: Any) -> None:
        self.items: list[Any] = []
        self.end = ""
        try:
            for item in iterator:
                if len(self.items) == _MAX_ITEMS:
                    self.end = "…"
                    break
                self.items.append(item)
        except Exception as error:
            self.end = "raises " + name_of(type(error))


def taken(value: Any) -> Any:
    """An iterator's items, taken; a tuple or list with those of its own; any other value as it is."""
    if type(value) in (tuple, list) and any(hasattr(type(part), "__next__") for part in value[:_MAX_ITEMS]):
        return type(value)(Taken(part) if hasattr(type(part), "__next__") else part for part in value)
    return Taken(value) if hasattr(type(value), "__next__") else value


def literal(value: Any) -> str:
    """``value`` as Python source that gives an equal one of equal types back; empty when there is none."""
    if isinstance(value, Taken):
        return literal(value.items) if not value.end else ""
    try:
        text = repr(value)
        if len(text) <= _MAX_LITERAL and text == repr(ast.literal_eval(text)) and _builtin(value):
            return text
    except Exception:  # a repr of the repository's own making may raise anything
        return ""
    return ""


def _builtin(value: Any) -> bool:
    """Whether a value is of builtin types only, down to its elements."""
    kind = type(value)
    if kind is dict:
        return all(_builtin(part) for pair in value.items() for part in pair)
    if kind in (list, tuple, set):
        return all(map(_builtin, value))
    return kind in (*_PLAIN, str, bytes)


def describe(value: Any) -> str:
    """``value`` as bounded text; a digest stands for what is cut, so that a difference there still shows."""
    return describe_whole(value).text


def describe_whole(value: Any, *, iterators: bool = True, private: bool = False) -> Description:
    """The same with layouts; without ``iterators`` these are not touched and all look the same.

    ``private`` shows every attribute of every object.
    """
    describer = _Describer(iterators, private)
    text = describer.text(value, 0)
    if len(text) > _MAX_TOTAL:
        text = text[:_MAX_TOTAL] + "… " + _digest(text)
    return Description(text, describer.layouts)


def blank(text: str) -> str:
    """``text`` without memory addresses."""
    return _ADDRESS.sub("0x…", text)


def name_of(kind: Any) -> str:
    """The dotted name of a class or function; without the module for builtins."""
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", None) or getattr(kind, "__name__", "?")
    return str(name) if module in (None, "builtins") else f"{module}.{name}"


class _Describer:
    def __init__(self, iterators: bool, private: bool) -> None:
        self.layouts: dict[str, str] = {}
        self._iterators = iterators
        self._private = private
        self._open: set[int] = set()
        self._budget = 2000

    def text(self, value: Any, depth: int) -> str:
        self._budget -= 1
        if self._budget < 0 or depth > _MAX_DEPTH:
            return "…"
        kind = type(value)
        if kind in _PLAIN:
            return repr(value)
        if kind in (str, bytes):
            return _long(repr(value))
        if isinstance(value, _NAMED):
            return f"<{name_of(value)}>"
        if id(value) in self._open:
            return "<cycle>"
        self._open.add(id(value))
        try:
            return self._compound(value, kind, depth + 1)
        except Exception as error:  # a value of the repository's own making, with code of its own
            return f"<{name_of(kind)} that cannot be shown: {type(error).__name__}>"
        finally:
            self._open.discard(id(value))

    def _compound(self, value: Any, kind: type, depth: int) -> str:
        if kind in _BUILTIN_CONTAINERS:
            return self._container(value, kind, depth)
        if isinstance(value, enum.Enum):
            return f"{name_of(kind)}.{value.name}"
        if isinstance(value, BaseException):
            return f"{name_of(kind)}{self.text(value.args, depth)}"
        if kind.__module__.partition(".")[0] in _BY_REPR:
            return _long(blank(repr(value)))
        if isinstance(value, (types.CoroutineType, types.AsyncGeneratorType)):
            return f"<{name_of(kind)}>"
        if kind is Taken or hasattr(kind, "__next__"):
            return self._iterator(value, depth)
        return self._object(value, kind, depth)

    def _iterator(self, value: Any, depth: int) -> str:
        """What is left of it, and the exception that ends it, if one does."""
        if not self._iterators:
            return "iterator"
        got = value if isinstance(value, Taken) else Taken(value)
        found = [self.text(item, depth) for item in got.items]
        return "iterator[" + ", ".join(found + ([got.end] if got.end else [])) + "]"

    def _container(self, value: Any, kind: type, depth: int) -> str:
        if kind is dict:
            return "{" + ", ".join(self._pairs(value, depth)) + "}"
        items = self._items(value, depth)
        if kind in (list, tuple):
            left, right = ("[", "]") if kind is list else ("(", ")")
            return left + ", ".join(items) + right
        return name_of(kind) + "{" + ", ".join(sorted(items)) + "}"

    def _items(self, values: Any, depth: int) -> list[str]:
        """At most so many; what is sorted afterwards is shown whole, since its order is chance."""
        if isinstance(values, (set, frozenset)):
            return self._unordered(values, depth)
        most = _MAX_ITEMS
        found = [self.text(value, depth) for value in list(values)[:most]]
        return found + ([f"… {len(values)} in all"] if len(values) > most else [])

    def _unordered(self, values: Any, depth: int) -> list[str]:
        """Each with an equal share of what may still be shown, so that the set's order decides nothing."""
        whole, share = self._budget, self._budget // max(1, len(values))
        found = []
        for value in values:
            self._budget = share
            found.append(self.text(value, depth))
        self._budget = whole - share * len(values)
        return found

    def _pairs(self, values: dict[Any, Any], depth: int) -> list[str]:
        keys = sorted(((self.text(key, depth), key) for key in values), key=lambda pair: pair[0])
        shown = [f"{text}: {self.text(values[key], depth)}" for text, key in keys[:_MAX_ITEMS]]
        return shown + ([f"… {len(keys)} in all"] if len(keys) > _MAX_ITEMS else [])

    def _object(self, value: Any, kind: type, depth: int) -> str:
        content = self._content(value, depth)
        state = state_of(value, kind)
        public = {name: part for name, part in state.items() if self._private or not name.startswith("_")}
        if public or content is not None:
            self.layouts.setdefault(name_of(kind), " ".join(sorted(public)))
        else:
            public = state
            shape = sorted(f"{name}:{name_of(type(part))}" for name, part in state.items())
            self.layouts.setdefault(name_of(kind), " ".join(shape))
        if content is None and not public:
            content = _long(blank(repr(value)))
        fields = [f"{name}={self.text(public[name], depth)}" for name in sorted(public)]
        return "{}({})".format(name_of(kind), ", ".join(([content] if content is not None else []) + fields))

    def _content(self, value: Any, depth: int) -> Any:
        """What a subclass of a builtin holds; None for other objects."""
        if isinstance(value, dict):
            return "{" + ", ".join(self._pairs(dict(dict.items(value)), depth)) + "}"
        for base, left, right in _BRACKETS:
            if isinstance(value, base):
                items = self._items(base(base.__iter__(value)), depth)
                shown = sorted(items) if left == "{" else items
                return left + ", ".join(shown) + right
        for base in (str, bytes, int, float):
            if isinstance(value, base):
                return _long(base.__repr__(value))
        return None


def state_of(value: Any, kind: type) -> dict[str, Any]:
    """Attributes that the object itself holds, in ``__dict__`` or in slots, by name."""
    state = {str(name): part for name, part in getattr(value, "__dict__", {}).items()}
    for owner in kind.__mro__:
        slots: Iterable[str] = owner.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                state[name] = getattr(value, name)
    return state


def _long(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "… " + _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
