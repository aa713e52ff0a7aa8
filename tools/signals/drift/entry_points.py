"""Console scripts and other entry points: names that users type or plug-ins are found by.

Read from ``pyproject.toml`` (PEP 621 and Poetry), ``setup.cfg`` and literal ``entry_points`` of ``setup.py``.
An entry point drifts when it is gone, or when what it names was in the repository and no longer is.
"""

from __future__ import annotations

import ast
import configparser
import tomllib
from collections.abc import Callable, Iterator, Mapping

from repo_guardian.tools.signals.drift.comparison import Comparison
from repo_guardian.tools.signals.interface import (
    ChangeKind,
    ContractChange,
    Effect,
    Signal,
    SignalKind,
    SymbolDetail,
    one_line,
    signal_key,
)
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Span, Symbol, SymbolKind

FILES = ("pyproject.toml", "setup.cfg", "setup.py")
SCRIPTS = "console_scripts"

Read = Callable[[str], bytes | None]
"""The content of a file at a commit, None when there is none."""
Entries = dict[tuple[str, str], str]
"""Group and name of each entry point, to the object reference (``module:attribute``) that it stands for."""


def entry_points(read: Read) -> Entries:
    """All entry points that a tree declares in a way that can be read without running anything."""
    found: Entries = {}
    for path, parse in (("setup.py", _setup_py), ("setup.cfg", _setup_cfg), ("pyproject.toml", _pyproject)):
        data = read(path)
        if data is not None:
            found.update(parse(data))
    return found


def detect_entry_points(base: Graph, current: Graph, read_base: Read, read_current: Read) -> Iterator[Signal]:
    """The ``ENTRY_POINT_LOST`` signals between two commits, unranked."""
    before, after = entry_points(read_base), entry_points(read_current)
    comparison: Comparison | None = None
    for key, reference in sorted(before.items()):
        now = after.get(key)
        if now is None:
            yield _signal(key, reference, "", "is gone", _declared(base, reference))
            continue
        comparison = comparison or Comparison(base, current)
        old_id, new_id = _symbol_id(reference), _symbol_id(now)
        was, lost = comparison.at_base(old_id), comparison.now(new_id)
        if isinstance(was, Symbol) and not isinstance(lost, Symbol) and _tops(current, new_id):
            yield _signal(key, reference, now, f"names {now}, which does not exist", was)


def _tops(graph: Graph, name: str) -> bool:
    """Whether the first part of a dotted name is the repository's own."""
    return name.partition(".")[0] in graph.symbols


def _symbol_id(reference: str) -> str:
    module, _, attribute = reference.partition("[")[0].replace(" ", "").partition(":")
    return f"{module}.{attribute}" if attribute else module


def _declared(graph: Graph, reference: str) -> Symbol | None:
    return graph.symbols.get(_symbol_id(reference))


def _signal(key: tuple[str, str], before: str, after: str, what: str, symbol: Symbol | None) -> Signal:
    group, name = key
    kind = "console script" if group == SCRIPTS else f"entry point of {group}"
    text = f"{kind} {name} {what}"
    span = symbol.span if symbol is not None else Span(1, 1, 0, 0)
    path = symbol.path if symbol is not None else FILES[0]
    module, _, qualname = before.partition("[")[0].replace(" ", "").partition(":")
    return Signal(
        key=signal_key(SignalKind.ENTRY_POINT_LOST, f"{group}:{name}", before, after),
        kind=SignalKind.ENTRY_POINT_LOST,
        line=one_line(f"{text} (it was {before})"),
        symbols=(_symbol_id(before),),
        paths=(path,),
        before=f"{name} = {before}",
        after=f"{name} = {after}" if after else "",
        public=True,
        detail=SymbolDetail(
            symbol_kind=symbol.kind if symbol is not None else SymbolKind.FUNCTION,
            module=module,
            qualname=qualname,
            old_id=_symbol_id(before),
            new_id=_symbol_id(after) if after else "",
            base_path=path,
            current_path=path if after else "",
            base_span=span,
            current_span=None,
            effect=Effect.ALTERED,
            changes=(ContractChange(ChangeKind.ENTRY_POINT, text),),
        ),
    )


def _pyproject(data: bytes) -> Entries:
    try:
        document = tomllib.loads(data.decode("utf-8", "replace"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    project = _table(document, "project")
    poetry = _table(_table(document, "tool"), "poetry")
    found = _strings(SCRIPTS, _table(project, "scripts")) | _strings(
        "gui_scripts", _table(project, "gui-scripts")
    )
    for group, entries in _table(project, "entry-points").items():
        found |= _strings(str(group), entries)
    found |= _strings(SCRIPTS, _table(poetry, "scripts"))
    for group, entries in _table(poetry, "plugins").items():
        found |= _strings(str(group), entries)
    return found


def _setup_cfg(data: bytes) -> Entries:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(data.decode("utf-8", "replace"))
    except configparser.Error:
        return {}
    section = "options.entry_points"
    found: Entries = {}
    for group in parser.options(section) if parser.has_section(section) else ():
        found |= _lines(group, parser.get(section, group).split("\n"))
    return found


def _setup_py(data: bytes) -> Entries:
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: Entries = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "entry_points":
            try:
                value = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, RecursionError):
                continue
            for group, lines in value.items() if isinstance(value, dict) else ():
                text = lines.split("\n") if isinstance(lines, str) else lines
                found |= _lines(str(group), [line for line in text if isinstance(line, str)])
    return found


def _table(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _strings(group: str, entries: object) -> Entries:
    pairs = entries.items() if isinstance(entries, dict) else ()
    return {(group, str(name)): value.strip() for name, value in pairs if isinstance(value, str)}


def _lines(group: str, lines: list[str]) -> Entries:
    pairs = [line.partition("=") for line in lines if "=" in line and not line.lstrip().startswith("#")]
    return {(group, name.strip()): reference.strip() for name, _, reference in pairs}
