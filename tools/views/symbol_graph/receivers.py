"""``self`` beyond the method that says it: a method that returns ``self`` returns what it was called on."""

from __future__ import annotations

from repo_guardian.tools.views.symbol_graph.classes import Hierarchy
from repo_guardian.tools.views.symbol_graph.values import Value, Values


def received(value: Value, found: Values) -> Values:
    """Methods keep the object or class that they were reached through, since they may return it."""
    return tuple([item._replace(receiver=value) if item.is_function else item for item in found])


def substituted(classes: Hierarchy, value: Value, found: Values) -> Values:
    """What a method returns when it is called on its receiver: for ``self`` the receiver itself."""
    if not any(_is_self(item) for item in found):
        return found
    return tuple(
        [_in_place_of_self(classes, item, value.receiver) if _is_self(item) else item for item in found]
    )


def _is_self(item: Value) -> bool:
    return item.unbound and item.module is not None and not item.is_function


def _in_place_of_self(classes: Hierarchy, item: Value, receiver: Value | None) -> Value:
    """The receiver, when its class inherits from that of the method; else an ordinary instance or class."""
    if receiver is None or receiver.module is None or item.module is None:
        return item._replace(unbound=False)
    if receiver.kind != "instance" and not receiver.is_class:
        return item._replace(unbound=False)
    if not classes.is_subclass(receiver.module, receiver.number, (item.module, item.number)):
        return item._replace(unbound=False)
    return item._replace(module=receiver.module, number=receiver.number, unbound=receiver.unbound)
