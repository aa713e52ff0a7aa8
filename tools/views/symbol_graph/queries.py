"""Queries and their memory: how answers are shared between files and stay functions of the corpus alone.

The linker asks three layers of questions, each of which only asks itself and those above it:

1. *Names*: what a module-level name is bound to. A search over imports with a set of what it has seen,
   so that it ends on any input; only the answers to whole questions are kept, never those on the way.
2. *Classes*: bases and method resolution orders, over names alone.
3. *Values*: what expressions hold and calls return.

Layers 2 and 3 are recursive, and their recursion is bounded by *fuel*: a question is asked with a number,
asks others with a smaller one, and is answered "nothing known" at zero. So each answer is defined by
induction on its fuel, cycles included, and there is no such thing as a query "in progress" whose provisional
answer could depend on who asked first.

An answer that met no limit is the same for all fuel that is at least its *height*, the fuel that it needed;
it is kept once and used wherever the fuel suffices. An answer that met the limit is kept for its own fuel
only. What is used is therefore always what would have been computed, whatever was asked before: a file's
links are a function of the corpus and its path.

Each answer keeps what it rests on: keys, and other answers. They form a directed acyclic graph (of two
questions that need each other, one is asked with less fuel), from which a file's reads are collected at the
end, those of answers that other files had asked for included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

ENDLESS: Final = 1 << 20
"""The height of an answer that met the limit."""

FUEL: Final = 12
"""The fuel of questions about values that a file's own uses ask."""

FLOW_STEP: Final = 5
"""Following arguments to callers, or attributes to stores, goes down to the next multiple of this."""


class Node:
    """An answer, its height, and what it rests on: keys as text, and other answers.

    ``seen`` says which walk of ``keys_of`` has been here.
    """

    __slots__ = ("height", "rests_on", "seen", "value")

    def __init__(self, value: Any, height: int, rests_on: list[Any]) -> None:
        self.value = value
        self.height = height
        self.rests_on = rests_on
        self.seen: object = None


class Table:
    """The answers to one kind of question about one module: those for any fuel, and those for one."""

    __slots__ = ("cut", "whole")

    def __init__(self) -> None:
        self.whole: dict[Any, Node] = {}
        self.cut: dict[Any, Node] = {}


class Memo:
    """What the question that is being answered has read so far, and how much fuel it has needed."""

    __slots__ = ("height", "read")

    def __init__(self) -> None:
        self.read: list[Any] = []
        self.height = 0

    def ask(
        self, table: Table, question: Any, fuel: int, answer: Callable[[Any, Any, int], Any], about: Any
    ) -> Any:
        """The answer to ``question``: ``answer(about, question, fuel - 1)``, or what is known of it.

        Without fuel it is the empty tuple.
        """
        node = table.whole.get(question)
        if node is None or node.height > fuel:
            node = table.cut.get((question, fuel))
            if node is None:
                if fuel <= 0:
                    self.height = ENDLESS
                    return ()
                node = self._answer(table, question, fuel, answer, about)
        self.read.append(node)
        self.height = max(self.height, node.height)
        return node.value

    def _answer(
        self, table: Table, question: Any, fuel: int, answer: Callable[[Any, Any, int], Any], about: Any
    ) -> Node:
        read, height = self.read, self.height
        self.read, self.height = [], 0
        value = answer(about, question, fuel - 1)
        node = Node(value, min(self.height + 1, ENDLESS), self.read)
        if node.height < ENDLESS:
            table.whole[question] = node
        else:
            table.cut[question, fuel] = node
        self.read, self.height = read, height
        return node

    def ask_once(self, known: dict[Any, Node], question: Any, answer: Callable[..., Any], *about: Any) -> Any:
        """The answer to a question that needs no fuel."""
        node = known.get(question)
        if node is None:
            read, self.read = self.read, []
            node = known[question] = Node(answer(*about), 0, self.read)
            self.read = read
        self.read.append(node)
        return node.value

    def deeper(self, fuel: int, follow: Callable[[int], Any]) -> Any:
        """``follow`` with one less fuel; for recursion that needs no memory of its own."""
        if fuel <= 0:
            self.height = ENDLESS
            return ()
        height, self.height = self.height, 0
        value = follow(fuel - 1)
        self.height = max(height, min(self.height + 1, ENDLESS))
        return value

    def far(self, fuel: int, follow: Callable[[int], Any]) -> Any:
        """``follow`` with the fuel that remains beyond a flow, in steps so that few fuels occur there."""
        beyond = (fuel - 1) // FLOW_STEP * FLOW_STEP
        if beyond <= 0:
            self.height = ENDLESS
            return ()
        height, self.height = self.height, 0
        value = follow(beyond)
        needed = self.height
        if needed < ENDLESS:
            needed = -(-needed // FLOW_STEP) * FLOW_STEP + 1
        self.height = max(height, needed)
        return value


def keys_of(nodes: Iterable[Any]) -> set[str]:
    """All keys that answers rest on, directly or through others."""
    keys: set[str] = set()
    mark = object()  # that the nodes of this walk carry, which costs less than a set of them
    stack: list[Any] = list(nodes)
    while stack:
        item = stack.pop()
        if type(item) is str:
            keys.add(item)
        elif item.seen is not mark:
            item.seen = mark
            stack += item.rests_on
    return keys
