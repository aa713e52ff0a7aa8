"""Imports modules of one tree, each in a process of its own, in one sandbox.

Which ones: those whose file the change touched, then those that import them. What the processes report is
untrusted: it shows where to look, and a test shows whether it is so.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from anyio import to_thread

from repo_guardian.sandbox.guest import GUEST
from repo_guardian.sandbox.interface import REPO, CommandResult, Limits, ProcessStatus
from repo_guardian.tools.execution.bench import Bench, Checkout, apply_edit
from repo_guardian.tools.execution.suite import plan_suite, suite_environment
from repo_guardian.tools.signals.places import is_production, is_python
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Symbol, SymbolKind

_MAIN = "__main__"


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Bounds: modules imported, seconds for each and for all of one tree."""

    modules: int = 100
    each_s: float = 20.0
    total_s: float = 180.0


@dataclass(frozen=True, slots=True)
class Imported:
    """How importing one module went.

    ``error`` is empty for success, else type and message on one line; ``name`` the module that an ImportError
    misses; ``places`` files of the traceback relative to the tree, those of the tree only, innermost last.
    """

    module: str
    error: str
    name: str | None = None
    places: tuple[str, ...] = ()


def touched_modules(base: Graph, current: Graph, changed_paths: Collection[str]) -> dict[str, str]:
    """Import names with their paths: modules whose file changed, then those that import them, each by name.

    Production code only; ``__main__`` modules, which run when they are imported, are left out. A module that
    only one commit has is among them.

    Args:
        base, current: the graphs of both commits.
        changed_paths: files that differ in any way.
    """
    touched: dict[str, str] = {}
    using: dict[str, str] = {}
    for graph in (current, base):
        found = [module for path in changed_paths if (module := _module_of(graph, path)) is not None]
        touched.update({module.id: module.path for module in found if module.id not in touched})
        for module in found:
            using.update(_importers(graph, module))
    rest = {name: using[name] for name in sorted(using) if name not in touched}
    return {**{name: touched[name] for name in sorted(touched)}, **rest}


def _module_of(graph: Graph, path: str) -> Symbol | None:
    if not is_python(path) or path.endswith(".pyi") or not is_production(path):
        return None
    module = next((s for s in graph.symbols_in(path) if s.kind is SymbolKind.MODULE), None)
    importable = module is not None and all(part.isidentifier() for part in module.id.split("."))
    return module if importable and module is not None and module.id.rpartition(".")[2] != _MAIN else None


def _importers(graph: Graph, module: Symbol) -> dict[str, str]:
    """The modules that import a module, or a name that it defines."""
    names = [module.id, *(symbol.id for symbol in graph.symbols_in(module.path))]
    edges = (edge for name in names for edge in graph.uses(name) if edge.kind is EdgeKind.IMPORT)
    paths = dict.fromkeys(edge.path for edge in edges if edge.path != module.path)
    users = (_module_of(graph, path) for path in paths)
    return {user.id: user.path for user in users if user is not None}


async def import_modules(
    bench: Bench, checkout: Checkout, modules: Sequence[str], limits: ImportLimits, commands: Limits
) -> tuple[tuple[Imported, ...], CommandResult]:
    """Import ``modules`` of the tree at ``checkout``; those that gave no answer are left out.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    plan = await to_thread.run_sync(plan_suite, checkout.path, bench.site_packages)
    project = bench.projects.get(checkout.label)
    built = await to_thread.run_sync(project.edit) if project is not None else {}
    task = {
        "modules": list(modules)[: limits.modules],
        "environment": {**suite_environment(bench, plan), "PYTHONHASHSEED": "0"},
        "each_s": limits.each_s,
        "total_s": limits.total_s,
    }
    async with bench.open(checkout) as sandbox:
        await apply_edit(sandbox, built)
        result = await sandbox.run(
            [sandbox.python, "-I", f"{GUEST}/run_imports.py"],
            cwd=REPO,
            stdin=json.dumps(task).encode(),
            limits=commands,
        )
    return tuple(_read(result, frozenset(modules))), result


def _read(result: CommandResult, asked: Collection[str]) -> Iterable[Imported]:
    if result.status is not ProcessStatus.EXITED:
        return
    seen: set[str] = set()
    for line in result.stdout.split(b"\n"):
        try:
            record = json.loads(line)
            module, error = str(record["module"]), " ".join(str(record["error"]).split())
            name = record["name"]
            places = [str(place) for place in record["places"]]
        except (ValueError, KeyError, TypeError):
            continue
        if module in asked and module not in seen:
            seen.add(module)
            inside = (place.removeprefix(f"{REPO}/") for place in places if place.startswith(f"{REPO}/"))
            yield Imported(module, error, name if isinstance(name, str) else None, tuple(inside))
