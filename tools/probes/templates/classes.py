"""Does a class still derive from what it did, can it still be made, and does it still fit its base?"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import (
    Case,
    Draft,
    arguments,
    dotted,
    expression,
    import_from,
    import_statement,
    quoted,
    relied_on_by,
    shape_words,
)
from repo_guardian.tools.signals.drift.annotations import normal_annotation
from repo_guardian.tools.signals.drift.protocol import BINDINGS, decorator_name
from repo_guardian.tools.signals.interface import ContractChange, Receiver
from repo_guardian.tools.signals.places import is_production
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind

_BASE = re.compile(r"[\w.]+")


def still_derives(case: Case, change: ContractChange) -> Draft:
    """It is a subclass of the base that it lost, where that can still be imported."""
    target = expression(case.detail)
    name = _lost(case)[0]
    module, base = _importable(case, name)
    imports = () if module == "builtins" else (import_from(module, base.partition(".")[0]),)
    return Draft(
        name=f"{target}_still_derives_from_{base}",
        docstring=relied_on_by(case.signal),
        statements=(import_statement(case.detail), *imports, f"assert issubclass({target}, {base})"),
    )


def still_lists_base(case: Case, change: ContractChange) -> Draft:
    """A class of the name of the base that it lost is among those that it looks members up in."""
    return _by_name(case, _lost(case)[0], "still_derives_from", "in")


def still_without_base(case: Case, change: ContractChange) -> Draft:
    """No class of the name of the base that it gained is among those that it looks members up in."""
    old, new = _bases(case.old), _bases(case.new)
    gained = [name for name in new if name not in old]
    if not gained:
        raise TemplateError("no base was gained by name")
    return _by_name(case, gained[0], "does_not_derive_from", "not in")


def same_order(case: Case, change: ContractChange) -> Draft:
    """Members are looked up in the bases in the order that they stood in."""
    target = expression(case.detail)
    wanted = [dotted(name) for name in _bases(case.old)]
    return Draft(
        name=f"{target}_looks_up_members_in_{'_before_'.join(wanted)}",
        docstring=relied_on_by(case.signal),
        statements=(
            import_statement(case.detail),
            f"assert [base.__name__ for base in {target}.__bases__] == [{', '.join(map(quoted, wanted))}]",
        ),
    )


def child_can_be_made(case: Case, change: ContractChange) -> Draft:
    """A subclass in the repository that did not follow is not abstract."""
    graph = case.material.current
    lagging = [d.symbol for d in case.signal.lagging if is_production(d.path)]
    found = next((graph.symbols[name] for name in lagging if name in graph.symbols), None)
    module = graph.module_of(found.id) if found is not None else None
    if found is None or module is None or found.kind is not SymbolKind.CLASS:
        raise TemplateError("no subclass in the repository lags")
    name = dotted(found.id.removeprefix(f"{module.id}."))
    return Draft(
        name=f"{name}_can_still_be_instantiated",
        docstring=f"It does not define {dotted(change.parameter)}, which {expression(case.detail)} asks for.",
        statements=(
            "import inspect",
            import_statement(case.detail),
            import_from(module.id, name.partition(".")[0]),
            f"assert not inspect.isabstract({name})",
        ),
    )


def asks_for_no_more(case: Case, change: ContractChange) -> Draft:
    """The member is none of those that keep the class from being instantiated."""
    target, member = expression(case.detail), dotted(change.parameter)
    return Draft(
        name=f"{target}_does_not_ask_for_{member}",
        docstring=relied_on_by(case.signal),
        statements=(
            import_statement(case.detail),
            f"assert {quoted(member)} not in {target}.__abstractmethods__",
        ),
    )


def takes_what_base_takes(case: Case, change: ContractChange) -> Draft:
    """The override takes the call, unless the method that it overrides does not take it either."""
    shape = case.detail.witness
    if shape is None or len(case.signal.symbols) < 2:
        raise TemplateError("no witness")
    module, base = _in_module(case.signal.symbols[1], case.material.current)
    override = expression(case.detail)
    heads = [name.partition(".")[0] for name in (base, override)]
    imports = (
        [import_from(module, *heads)]
        if module == case.detail.module
        else [import_from(module, heads[0]), import_statement(case.detail)]
    )
    return Draft(
        name=f"{override}_takes_{shape_words(shape)}_as_{base}_does",
        docstring=f"Whoever holds one as its base {base.rpartition('.')[0]} may call it so.",
        statements=(
            "import inspect",
            *imports,
            "def takes(method):",
            "    try:",
            f"        inspect.signature(method).bind({arguments(shape, _receiver(case.new))})",
            "    except TypeError:",
            "        return False",
            "    return True",
            "",
            f"assert takes({override}) or not takes({base})",
        ),
    )


BASE_REMOVED: tuple[Callable[[Case, ContractChange], Draft], ...] = (still_derives, still_lists_base)


def _by_name(case: Case, name: str, words: str, operator: str) -> Draft:
    target = expression(case.detail)
    last = dotted(name)
    return Draft(
        name=f"{target}_{words}_{last}",
        docstring=relied_on_by(case.signal),
        statements=(
            import_statement(case.detail),
            f"assert {quoted(last)} {operator} [base.__name__ for base in {target}.__mro__]",
        ),
    )


def _bases(symbol: Symbol) -> list[str]:
    """The last names of the bases, in order; parameters of generics are left out."""
    found = (_BASE.match(normal_annotation(text)) for text in symbol.bases)
    return [match[0].rpartition(".")[2] for match in found if match is not None]


def _lost(case: Case) -> list[str]:
    new = _bases(case.new)
    lost = [name for name in _bases(case.old) if name not in new and not _implied(name, new)]
    if not lost:
        raise TemplateError("no base was lost by name")
    return lost


def _implied(name: str, bases: list[str]) -> bool:
    """Whether one of the bases derives from the one of that name; told for builtins, exceptions mostly."""
    wanted, *given = (getattr(builtins, base, None) for base in (name, *bases))
    return isinstance(wanted, type) and any(isinstance(g, type) and issubclass(g, wanted) for g in given)


def _importable(case: Case, last: str) -> tuple[str, str]:
    """Module and name that a base of that last name can be imported by at both commits."""
    graph = case.material.base
    edges = graph.edges_in(case.old.path)
    targets = [e.target for e in edges if e.source == case.old.id and e.kind is EdgeKind.INHERIT]
    name = next((t for t in targets if t.rpartition(".")[2] == last and not t.startswith("?")), "")
    if name in graph.symbols:
        if name not in case.material.current.symbols:
            raise TemplateError("the base itself is gone")
        return _in_module(name, graph)
    module, _, attribute = name.rpartition(".")
    if not module or last in ("NamedTuple", "TypedDict", "Generic", "Protocol"):
        raise TemplateError("the base cannot be imported as a class")
    return dotted(module), dotted(attribute)


def _in_module(symbol_id: str, graph: Graph) -> tuple[str, str]:
    module = graph.module_of(symbol_id)
    if module is None or module.id == symbol_id:
        raise TemplateError("no module holds it")
    return dotted(module.id), dotted(symbol_id.removeprefix(f"{module.id}."))


def _receiver(method: Symbol) -> Receiver:
    names = {decorator_name(text) for text in method.decorators}
    return Receiver.NONE if names & BINDINGS else Receiver.INSTANCE
