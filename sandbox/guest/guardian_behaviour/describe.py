"""Values as text that is equal for equal behaviour: no addresses, no order where there is none, bounded."""

from __future__ import annotations

import enum
import hashlib
import re
import types
from typing import Any

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_MAX_DEPTH = 6
_MAX_ITEMS = 60
_MAX_TEXT = 300
_MAX_TOTAL = 4000
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
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)


def describe(value: Any) -> str:
    """``value`` as bounded text; a digest stands for what is cut, so that a difference there still shows."""
    text = _Describer().text(value, 0)
    return text if len(text) <= _MAX_TOTAL else text[:_MAX_TOTAL] + "… " + _digest(text)


def blank(text: str) -> str:
    """``text`` without memory addresses."""
    return _ADDRESS.sub("0x…", text)


def name_of(kind: Any) -> str:
    """The dotted name of a class or function; without the module for builtins."""
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", None) or getattr(kind, "__name__", "?")
    return str(name) if module in (None, "builtins") else f"{module}.{name}"


class _Describer:
    def __init__(self) -> None:
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
        if hasattr(kind, "__next__"):
            return "iterator[" + ", ".join(self._items(value, depth)) + "]"
        return self._object(value, kind, depth)

    def _container(self, value: Any, kind: type, depth: int) -> str:
        if kind is dict:
            return "{" + ", ".join(self._pairs(value, depth)) + "}"
        items = self._items(value, depth)
        if kind in (list, tuple):
            left, right = ("[", "]") if kind is list else ("(", ")")
            return left + ", ".join(items) + right
        return name_of(kind) + "{" + ", ".join(sorted(items)) + "}"

    def _items(self, values: Any, depth: int) -> list[str]:
        found: list[str] = []
        for value in values:
            if len(found) == _MAX_ITEMS:
                rest = f", {len(values)} in all" if hasattr(values, "__len__") else ""
                found.append("…" + rest)
                break
            found.append(self.text(value, depth))
        return found

    def _pairs(self, values: dict[Any, Any], depth: int) -> list[str]:
        keys = sorted(((self.text(key, depth), key) for key in values), key=lambda pair: pair[0])
        shown = [f"{text}: {self.text(values[key], depth)}" for text, key in keys[:_MAX_ITEMS]]
        return shown + ([f"… {len(keys)} in all"] if len(keys) > _MAX_ITEMS else [])

    def _object(self, value: Any, kind: type, depth: int) -> str:
        state = dict(getattr(value, "__dict__", {}))
        for owner in kind.__mro__:
            slots = owner.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if hasattr(value, name):
                    state[name] = getattr(value, name)
        content = None
        for base, left, right in ((dict, "{", "}"), (list, "[", "]"), (tuple, "(", ")"), (set, "{", "}")):
            if isinstance(value, base):
                plain = base(value)
                content = (
                    left
                    + ", ".join(
                        self._pairs(plain, depth) if isinstance(plain, dict) else self._items(plain, depth)
                    )
                    + right
                )
        if content is None and isinstance(value, (str, bytes, int, float)):
            content = _long(repr(str(value) if isinstance(value, str) else value))
        if content is None and not state:
            content = _long(blank(repr(value)))
        fields = [f"{name}={self.text(state[name], depth)}" for name in sorted(state, key=str)]
        return "{}({})".format(name_of(kind), ", ".join(([content] if content else []) + fields))


def _long(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "… " + _digest(text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
