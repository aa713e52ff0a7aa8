"""Where a file passes values to what it calls: calls with arguments, and decorators.

Both the linker and the summaries read this, so that what a flow may look at and what makes it stale are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from repo_guardian.tools.views.facts.interface import FileFacts, Ref

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.namespace import Module

INDIRECT: Final = "()"
"""The name of calls through something that is no definition and no import of the file."""


class Site(NamedTuple):
    """A call of ``ref`` with ``arguments``, or the decoration of the definition ``decorated`` by it.

    ``is_factory`` says that what is called is the result of calling ``ref``, as in ``@decorator(option)``.
    """

    ref: Ref
    arguments: tuple[tuple[str, int], ...] = ()
    decorated: int = -1
    is_factory: bool = False


Sites = Mapping[str, tuple[Site, ...]]


def sites_of(module: Module) -> Sites:
    """The sites of a module by the last name of what is called, and all indirect ones under ``INDIRECT``."""
    if module.sites is None:
        module.sites = find_sites(module.facts)
    return module.sites


def find_sites(facts: FileFacts) -> Sites:
    """As ``sites_of``, for facts alone."""
    found: dict[str, list[Site]] = {}
    direct = {d.name for d in facts.definitions if d.kind != "variable"}
    direct |= {record.bound for record in facts.imports}
    renamed = {record.alias: record.name for record in facts.imports if record.alias and record.name}
    for site in _all_sites(facts):
        name = last_name(facts, site.ref)
        names = {name, renamed.get(name, name)} if site.ref.root == "global" else {name}
        for known in sorted(names - {""}):
            found.setdefault(known, []).append(site)
        if name not in direct:
            found.setdefault(INDIRECT, []).append(site)
    return {name: tuple(sites) for name, sites in found.items()}


def _all_sites(facts: FileFacts) -> Iterator[Site]:
    for use in facts.uses:
        if use.arguments and use.kind == "call":
            yield Site(use.ref, use.arguments)
    for index, definition in enumerate(facts.definitions):
        for text, ref in zip(definition.decorators, definition.decorator_refs, strict=False):
            if ref.root != "unknown":
                yield Site(ref, (), index, "(" in text)


def last_name(facts: FileFacts, ref: Ref) -> str:
    """The last name of a reference: of its path, else of the definition or import that it is."""
    if ref.path:
        return ref.path.rpartition(".")[2]
    if ref.root == "local":
        return facts.definitions[ref.number].name
    if ref.root == "import":
        record = facts.imports[ref.number]
        return record.name or record.bound
    return ""
