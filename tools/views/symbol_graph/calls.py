"""What calls give: instances, what function bodies return, and what decorators make of functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from repo_guardian.tools.views.facts.interface import Definition, Ref
from repo_guardian.tools.views.symbol_graph.namespace import Module
from repo_guardian.tools.views.symbol_graph.pynames import SELF_TYPES
from repo_guardian.tools.views.symbol_graph.receivers import substituted
from repo_guardian.tools.views.symbol_graph.values import (
    ANNOTATED,
    NOTHING,
    PASSED,
    RETURNED,
    Value,
    Values,
    marked,
    union,
)

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.resolve import Resolver

_DOTTED: Final = re.compile(r"""["']?([^\W\d]\w*(?:\.[^\W\d]\w*)*)["']?\Z""")


class Calls:
    """The results of calls."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def results(self, values: Values, fuel: int) -> Values:
        """What calling each of ``values`` gives."""
        return union([found for value in values for found in self._result(value, fuel)])

    def _result(self, value: Value, fuel: int) -> Values:
        if value.kind == "gone" or value.is_class:
            return self._resolver.instance(value, fuel)
        if value.kind == "instance":
            return self.results(self.callable(value, fuel), fuel)
        if value.kind == "container":
            return self._resolver.protocols.result(value, fuel)
        if value.kind != "definition" or value.module is None:
            return NOTHING
        if value.is_variable or value.is_property:
            return self.results(self._resolver.contents(value, fuel), fuel)
        return self._function_result(value, value.module, fuel)

    def _function_result(self, value: Value, module: Module, fuel: int) -> Values:
        signature = module.facts.definitions[value.number].signature
        if signature is None:
            return NOTHING
        if signature.is_generator or signature.is_async:
            return (Value("generator" if signature.is_generator else "coroutine", module, value.number),)
        return substituted(self._resolver.classes, value, self.returned(value, fuel))

    def wrappers(self, value: Value, fuel: int) -> Values:
        """The functions of the tree that a decorator puts in the place of a function."""
        module = value.module
        if not value.is_function or module is None or not module.facts.definitions[value.number].decorators:
            return NOTHING
        found: Values = self._resolver.memo.ask(module.wrapped, value.number, fuel, self._wrappers, module)
        return found

    def _wrappers(self, module: Module, index: int, fuel: int) -> Values:
        """What the outermost decorator makes that makes something; what it was given is not made."""
        definition = module.facts.definitions[index]
        for text, ref in zip(definition.decorators, definition.decorator_refs, strict=False):
            made = self.results(self._resolver.ref(module, ref, fuel), fuel)
            if "(" in text:
                made = self.results(made, fuel)
            found = [value for value in made if value.is_function and value.how != PASSED]
            if found:
                return union(found)
        return NOTHING

    def callable(self, value: Value, fuel: int) -> Values:
        """The ``__call__`` of an instance, as far as it is a function; names that are missing for it."""
        if value.module is None:
            return NOTHING
        found = self._resolver.step(value.module, (value,), "__call__", fuel)
        return tuple([item for item in found if item.kind == "gone" or item.is_function])

    def returned(self, value: Value, fuel: int) -> Values:
        """What a function's body returns, awaited or not."""
        module, ask = value.module, self._resolver.memo.ask
        if module is None:
            return NOTHING
        found: Values = ask(module.returned, value.number, fuel, self._returned, module)
        return found

    def _returned(self, module: Module, index: int, fuel: int) -> Values:
        """By the return annotation where it names a class, and by the values of ``return`` statements."""
        definition = module.facts.definitions[index]
        self._resolver.memo.read.append(module.result_key(index))
        by_body = NOTHING
        if definition.returns >= 0:
            by_body = marked(self._resolver.type(module, definition.returns, fuel), RETURNED)
        annotated = self._annotated_return(module, index, definition, fuel)
        if not annotated:
            return by_body
        narrower = [value for value in by_body if value.kind == "instance"]
        if narrower and not any(value.kind == "gone" for value in by_body):
            return union(narrower)
        return annotated

    def _annotated_return(self, module: Module, index: int, definition: Definition, fuel: int) -> Values:
        signature = definition.signature
        match = _DOTTED.match((signature.returns if signature is not None else None) or "")
        if match is None:
            return NOTHING
        text = match.group(1)
        owner = self._resolver.classes.method_of(module, index)
        if owner >= 0 and text in SELF_TYPES:
            return (Value("instance", module, owner, unbound=True, how=ANNOTATED),)
        return marked(self._resolver.instances(module, Ref("global", -1, text), fuel), ANNOTATED)
