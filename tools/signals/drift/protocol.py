"""What a call gives back, as far as the definition alone decides it: a value, a coroutine, a generator.

A change between these breaks callers although every argument still binds. Annotations and decorators that
make the two sides equivalent (a function annotated to return an iterator became a generator) are no
change.
"""

from __future__ import annotations

import re
from enum import StrEnum

from repo_guardian.tools.signals.interface import ChangeKind, ContractChange
from repo_guardian.tools.views.symbol_graph.model import Symbol

_AWAITABLE = re.compile(r"\b(Awaitable|Coroutine|Future|Task)\b")
_ITERABLE = re.compile(r"\b(Iterator|Iterable|Generator|AsyncIterator|AsyncIterable|AsyncGenerator)\b")

SYNTAX = frozenset({"property", "cached_property", "setter", "getter", "deleter", "overload"})
"""Decorators, by their last name, whose coming and going is told as a change of the definition's kind."""


BINDINGS = frozenset({"classmethod", "staticmethod"})
"""Decorators that say what a method is passed by itself."""


class Protocol(StrEnum):
    """What calling the function returns at once."""

    PLAIN = "plain function"
    COROUTINE = "async function"
    GENERATOR = "generator"
    ASYNC_GENERATOR = "async generator"
    CONTEXT = "context manager"


def protocol(symbol: Symbol) -> Protocol:
    """The protocol of a function, method or property; PLAIN when its signature is unknown."""
    if any(decorator_name(d) in ("contextmanager", "asynccontextmanager") for d in symbol.decorators):
        return Protocol.CONTEXT
    signature = symbol.signature
    if signature is None:
        return Protocol.PLAIN
    if signature.is_async:
        return Protocol.ASYNC_GENERATOR if signature.is_generator else Protocol.COROUTINE
    return Protocol.GENERATOR if signature.is_generator else Protocol.PLAIN


def protocol_change(before: Symbol, after: Symbol) -> ContractChange | None:
    """The change of protocol between two definitions, or None when there is none that callers see."""
    old, new = protocol(before), protocol(after)
    if old is new or Protocol.CONTEXT in (old, new) or _abstract(before) or _abstract(after):
        return None
    if _equivalent(before, old, new) or _equivalent(after, new, old):
        return None
    kind = _change_kind(old, new)
    article = "an" if new.value[0] in "aeiou" else "a"
    return ContractChange(kind, f"became {article} {new} (was {old})")


def binding(method: Symbol) -> str:
    """What kind of method it is, with an article."""
    names = {decorator_name(text) for text in method.decorators}
    if "staticmethod" in names:
        return "a static method"
    return "a class method" if "classmethod" in names else "an instance method"


def decorator_name(text: str) -> str:
    """The last name of a decorator's expression: ``functools.lru_cache(maxsize=1)`` is ``lru_cache``."""
    return text.lstrip("@").partition("(")[0].strip().rpartition(".")[2]


def _equivalent(plain: Symbol, protocol_here: Protocol, protocol_there: Protocol) -> bool:
    """Whether a plain function is annotated to return what the other side's protocol returns."""
    if protocol_here is not Protocol.PLAIN or plain.signature is None or plain.signature.returns is None:
        return False
    pattern = _AWAITABLE if protocol_there is Protocol.COROUTINE else _ITERABLE
    return pattern.search(plain.signature.returns) is not None


def _abstract(symbol: Symbol) -> bool:
    """An abstract definition only stands for its overrides: its own body says nothing."""
    return any(decorator_name(d) == "abstractmethod" for d in symbol.decorators)


def _change_kind(old: Protocol, new: Protocol) -> ChangeKind:
    if new is Protocol.COROUTINE:
        return ChangeKind.BECAME_ASYNC
    if new in (Protocol.GENERATOR, Protocol.ASYNC_GENERATOR):
        return ChangeKind.BECAME_GENERATOR
    return ChangeKind.BECAME_SYNC if old is Protocol.COROUTINE else ChangeKind.CEASED_GENERATOR
