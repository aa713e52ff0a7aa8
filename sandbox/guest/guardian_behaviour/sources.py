"""Source text that makes a value again: literals, names that an import reaches, objects by their constructor.

An object is written as a call of its class, with arguments read from its own attributes. That is a guess, and
so it is tried at once: what the text makes has to be the same down to private attributes, or the value has no
source. Names come from the package under test and from a few modules of the standard library.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import importlib
import inspect
import io
import keyword
import pathlib
import re
import sys
import types
import uuid
from typing import Any, Iterator

from .describe import describe_whole, literal, state_of

_LONGEST = 600
_DEPTH = 4
_BY_REPR: dict[type, tuple[str, str]] = {
    **{kind: ("datetime", "") for kind in (datetime.date, datetime.time, datetime.datetime)},
    **{kind: ("datetime", "") for kind in (datetime.timedelta, datetime.timezone)},
    decimal.Decimal: ("decimal", "Decimal"),
    fractions.Fraction: ("fractions", "Fraction"),
    uuid.UUID: ("uuid", "UUID"),
    re.Pattern: ("re", ""),
    **{
        kind: ("pathlib", kind.__name__)
        for kind in (pathlib.PurePosixPath, pathlib.PosixPath, pathlib.PureWindowsPath)
    },
}
"""Types whose ``repr`` is their source, with what that needs: a module, or a name of one."""
_STANDARD = frozenset((
    "abc", "collections", "collections.abc", "datetime", "decimal", "enum", "fractions", "functools", "io",
    "itertools", "json", "math", "numbers", "operator", "pathlib", "re", "string", "types", "typing", "uuid",
))  # fmt: skip
_CONTAINERS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}
_VALUES: tuple[type, ...] = (str, bytes, int, float, dict, list, tuple, set, frozenset)
_NO_DEFAULT = inspect.Parameter.empty
_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class _UnwritableError(Exception):
    """A value has no source."""


class Writer:
    """Writes values of one call; names that two modules share are used for the first only.

    Args:
        package: the top-level package that names may be imported from, besides the standard library's.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._names: dict[str, tuple[str, str]] = {}
        self._scope: dict[str, Any] = {}

    @property
    def imports(self) -> tuple[str, ...]:
        """The import statements for all that was written."""
        return tuple(
            f"from {module} import {name}" if name else f"import {module}"
            for module, name in self._names.values()
        )

    def write(self, value: Any, depth: int = 0) -> str:
        """An expression for ``value``.

        Raises:
            _UnwritableError: there is none.
        """
        text = self._of(value, depth)
        if len(text) > _LONGEST:
            raise _UnwritableError("too long")
        return text

    def _of(self, value: Any, depth: int) -> str:
        kind = type(value)
        plain = literal(value) or _simple(value, kind)
        if plain:
            return plain
        if depth > _DEPTH:
            raise _UnwritableError("too deep")
        if kind in (*_CONTAINERS, tuple, dict):
            return self._container(value, kind, depth + 1)
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return self._named(value)
        if isinstance(value, enum.Enum):
            return f"{self._named(kind)}.{value.name}"
        if kind in _BY_REPR:
            return self._by_repr(value, kind)
        if kind in (io.StringIO, io.BytesIO) and not value.tell():
            return f"{self._named(kind)}({value.getvalue()!r})"
        return self._made(value, kind, depth + 1)

    def _container(self, value: Any, kind: type, depth: int) -> str:
        if kind is dict:
            pairs = (f"{self.write(key, depth)}: {self.write(part, depth)}" for key, part in value.items())
            return "{" + ", ".join(pairs) + "}"
        items = [self.write(item, depth) for item in value]
        if kind is tuple:
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        if not items and kind is not list:
            return f"{kind.__name__}()"
        left, right = _CONTAINERS[kind]
        return left + ", ".join(sorted(items) if kind is not list else items) + right

    def _named(self, value: Any) -> str:
        """The name of a class or function, imported."""
        module, qualname = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        if module is None or not all(map(_is_name, [*module.split("."), *qualname.split(".")])):
            raise _UnwritableError("it has no name")
        found: Any = sys.modules.get(module)
        for name in qualname.split("."):
            found = getattr(found, name, None)
        if found is not value:
            raise _UnwritableError("its name leads elsewhere")
        if module == "builtins":
            return str(qualname)
        return self._import(module, qualname)

    def _import(self, module: str, qualname: str) -> str:
        if module.partition(".")[0] != self._package:
            module = module.lstrip("_")  # ``_io.StringIO`` is ``io.StringIO``
            if module not in _STANDARD:
                raise _UnwritableError("it is from elsewhere")
        name = qualname.partition(".")[0]
        known = self._names.setdefault(name or module, (module, name))
        if known != (module, name):
            raise _UnwritableError("two modules share its name")
        loaded = importlib.import_module(known[0])
        self._scope[name or module] = getattr(loaded, name) if name else loaded
        return qualname

    def _by_repr(self, value: Any, kind: type) -> str:
        module, name = _BY_REPR[kind]
        self._import(module, name)
        return self._tried(repr(value), value)

    def _made(self, value: Any, kind: type, depth: int) -> str:
        """A call of the class that makes an equal object."""
        named = self._named(kind)
        if isinstance(value, BaseException):
            return self._tried(f"{named}({', '.join(self.write(a, depth) for a in value.args)})", value)
        for attempt in (self._by_signature, self._by_content, self._by_nothing):
            try:
                return self._tried(f"{named}({attempt(value, kind, depth)})", value)
            except _UnwritableError:
                continue
        raise _UnwritableError("its constructor does not make it again")

    def _by_signature(self, value: Any, kind: type, depth: int) -> str:
        try:
            parameters = list(inspect.signature(kind).parameters.values())
        except (ValueError, TypeError) as error:
            raise _UnwritableError("its constructor has no signature") from error
        held = _Held(value, kind)
        parts: list[str] = []
        named = False
        for parameter in parameters:
            for key, part in _given(parameter, held):
                named = named or bool(key)
                if named and not key:
                    raise _UnwritableError("a position after a keyword")
                parts.append(f"{key}={self.write(part, depth)}" if key else self.write(part, depth))
            named = named or parameter.kind is parameter.KEYWORD_ONLY
        return ", ".join(parts)

    def _by_content(self, value: Any, _kind: type, depth: int) -> str:
        """What a class that derives from a builtin one holds."""
        for base in _VALUES:
            if isinstance(value, base):
                return self.write(_content(value, base), depth)
        raise _UnwritableError("it holds nothing")

    def _by_nothing(self, _value: Any, _kind: type, _depth: int) -> str:
        return ""

    def _tried(self, text: str, value: Any) -> str:
        try:
            made = eval(text, dict(self._scope))  # noqa: S307  this runs in a sandbox; the text is ours
        except Exception as error:
            raise _UnwritableError("its source raises") from error
        if type(made) is not type(value) or _whole(made) != _whole(value):
            raise _UnwritableError("its source makes something else")
        return text


def _content(value: Any, base: type) -> Any:
    """A plain value of ``base`` with what ``value`` holds, whatever its class overrides."""
    if base is dict:
        return dict(dict.items(value))
    if base is list:
        return list(list.__iter__(value))
    return base.__new__(base, value)


def _simple(value: Any, kind: type) -> str:
    """A builtin value that is no literal."""
    if kind is float:
        return f"float({str(value)!r})"
    return repr(value) if kind in (range, bytearray, slice) else ""


class _Held:
    """What an object has under a parameter's name: an attribute, a private one, or a property."""

    def __init__(self, value: Any, kind: type) -> None:
        self._value = value
        self._kind = kind
        self._state = state_of(value, kind)

    def get(self, name: str) -> Any:
        """The value; ``Parameter.empty`` without one."""
        for spelled in (name, f"_{name}", f"_{self._kind.__name__.lstrip('_')}__{name}"):
            if spelled in self._state:
                return self._state[spelled]
        if isinstance(inspect.getattr_static(self._kind, name, None), property):
            try:
                return getattr(self._value, name)
            except Exception:
                return _NO_DEFAULT
        return _NO_DEFAULT


def _given(parameter: inspect.Parameter, held: _Held) -> Iterator[tuple[str, Any]]:
    """Keyword, empty for a position, and value of what one parameter is to be given."""
    value = held.get(parameter.name)
    if parameter.kind is parameter.VAR_POSITIONAL:
        yield from (("", part) for part in (value if isinstance(value, (list, tuple)) else ()))
    elif parameter.kind is parameter.VAR_KEYWORD:
        yield from (value.items() if isinstance(value, dict) and all(map(_is_name, value)) else ())
    elif value is _NO_DEFAULT:
        if parameter.default is _NO_DEFAULT:
            raise _UnwritableError(f"nothing is known of {parameter.name}")
    elif parameter.default is _NO_DEFAULT and parameter.kind in _BY_POSITION:
        yield "", value
    elif parameter.default is _NO_DEFAULT or _whole(parameter.default) != _whole(value):
        if parameter.kind is parameter.POSITIONAL_ONLY:
            yield "", value
        else:
            yield parameter.name, value


def written(call: Any, bound: bool, package: str) -> dict[str, Any] | None:
    """A call's parts as source: ``receiver``, ``args``, ``kwargs`` and the ``imports`` of all; None without.

    Args:
        call: a ``mutate.Call`` that nobody has made.
        bound: its first argument is the receiver.
    """
    writer = Writer(package)
    try:
        receiver = writer.write(call.args[0]) if bound else ""
        args = [writer.write(value) for value in call.args[int(bound) :]]
        kwargs = [[name, writer.write(value)] for name, value in call.kwargs.items()]
    except _UnwritableError:
        return None
    except Exception:  # attributes, constructors and representations are a stranger's code
        return None
    if not all(_is_name(name) for name, _ in kwargs):
        return None
    return {"receiver": receiver, "args": args, "kwargs": kwargs, "imports": list(writer.imports)}


def _whole(value: Any) -> str:
    return describe_whole(value, iterators=False, private=True).text


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text)
