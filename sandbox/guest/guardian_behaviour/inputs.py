"""Recorded calls as bytes and back again, and whether an object made at one version fits another.

Functions and classes that no import reaches (lambdas, what a test defines inside) are kept by their parts and
code, which the same Python reads back; locks are made anew. An object is kept by its state; where a version
stores an attribute that the recorded state has not, a call with it shows nothing about behaviour.
"""

from __future__ import annotations

import dis
import importlib
import io
import marshal
import pickle
import sys
import threading
import types
from typing import Any

from .mutate import Call


class _TooLargeError(Exception):
    pass


class _Bounded(io.BytesIO):
    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self._limit:
            raise _TooLargeError
        return super().write(data)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """By parts for what its name does not lead to; as usual for everything else."""
        kind = type(value)
        if kind is types.ModuleType:
            return importlib.import_module, (value.__name__,)
        if kind is type(_LOCK):
            return threading.Lock, ()
        if kind is type(_RLOCK):
            return threading.RLock, ()
        if kind is types.FunctionType and not _importable(value):
            return _by_code(value)
        if kind is type and not _importable(value):
            parts = {name: part for name, part in value.__dict__.items() if name not in _OF_EACH_CLASS}
            return type, (value.__name__, value.__bases__, parts)
        return NotImplemented


_LOCK, _RLOCK = threading.Lock(), threading.RLock()
_OF_EACH_CLASS = ("__dict__", "__weakref__")


def _by_code(value: types.FunctionType) -> Any:
    cells = [cell.cell_contents for cell in value.__closure__ or ()]
    names = value.__module__, value.__qualname__
    return make_function, (
        marshal.dumps(value.__code__),
        names,
        (value.__defaults__, value.__kwdefaults__, cells),
    )


def _importable(named: Any) -> bool:
    """Whether a function or class is what its module has under its name."""
    found: Any = sys.modules.get(named.__module__)
    for name in named.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is named


def make_function(
    code: bytes, names: tuple[str, str], parts: tuple[Any, Any, list[Any]]
) -> types.FunctionType:
    """A function again; its globals are those of its module where that can be imported."""
    module, qualname = names
    defaults, keywords, cells = parts
    try:
        scope = importlib.import_module(module).__dict__
    except Exception:
        scope = {"__builtins__": __builtins__, "__name__": module}
    loaded = marshal.loads(code)  # noqa: S302  this runs in a sandbox, where it may do what it likes
    closure = tuple(types.CellType(content) for content in cells)
    function = types.FunctionType(loaded, scope, loaded.co_name, defaults, closure)
    function.__kwdefaults__, function.__qualname__, function.__module__ = keywords, qualname, module
    return function


class Bare:
    """Stands in a recording for an object that its ``__init__`` has not set up yet."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __reduce__(self) -> Any:
        """Such an object again, whatever the class says about pickling."""
        return bare, (self._kind,)


def bare(kind: type) -> Any:
    """An object of a class before its ``__init__``, made by the builtin that the class derives from."""
    builtin: Any = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    return builtin.__new__(kind)


def dumps(arguments: Any, limit: int) -> bytes | None:
    """The arguments as bytes; None when they are more than ``limit``.

    Raises:
        Exception: whatever the pickling of a stranger's object raises.
    """
    buffer = _Bounded(limit)
    try:
        _Pickler(buffer, protocol=4).dump(arguments)
    except _TooLargeError:
        return None
    return buffer.getvalue()


class Input:
    """One recorded call, read from its bytes; its arguments are nobody else's."""

    def __init__(self, data: bytes) -> None:
        unpickler = pickle.Unpickler(io.BytesIO(data))  # noqa: S301  this runs in a sandbox
        self.call = Call(*unpickler.load())
        self._objects: set[int] = {id(value) for value in unpickler.memo.copy().values()}

    def misfit(self, error: BaseException | None) -> str:
        """The attribute, as ``Class.name``, that this version stores and a recorded object has not."""
        for _ in range(5):
            if error is None:
                break
            owner, name = getattr(error, "obj", None), getattr(error, "name", None)
            if isinstance(error, AttributeError) and id(owner) in self._objects and isinstance(name, str):
                kind = type(owner)
                if _stores(kind, name):
                    return f"{kind.__qualname__}.{name}"
            error = error.__context__
        return ""


def _stores(kind: type, name: str) -> bool:
    """Whether code of the class sets an attribute of that name, or its declaration lists it."""
    fields = [
        getattr(kind, "__dataclass_fields__", {}),
        *(c.__dict__.get("__slots__", ()) for c in kind.__mro__),
    ]
    fields.append([field.name for field in getattr(kind, "__attrs_attrs__", ())])
    if any(name in listed for listed in fields if not isinstance(listed, str)):
        return True
    functions = [f for c in kind.__mro__ for f in c.__dict__.values() if isinstance(f, types.FunctionType)]
    return any(
        step.opname == "STORE_ATTR" and step.argval == name
        for function in functions
        for step in dis.get_instructions(function)
    )
