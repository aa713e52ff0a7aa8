"""Imports and exports: ES modules, CommonJS and TypeScript's own forms.

Facts of JavaScript and TypeScript say by ``Import`` what a file takes and gives:

- ``module`` is the specifier; empty means the file itself (``export { a as b }``, ``module.exports = a``);
- ``name`` is the exported name, ``default`` included; empty means the module's namespace (``import * as``,
  ``require``), ``*`` all of its names (``export * from``);
- ``alias`` is the name that is bound or exported.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.facts.treesitter.walk import Walk, first_child

DEFAULT = "default"


def string_value(walk: Walk, node: Node | None) -> str | None:
    """The value of a plain string literal, None for anything else."""
    if node is None or node.type != "string":
        return None
    return walk.source.name(node.start_byte + 1, node.end_byte - 1)


def required(walk: Walk, node: Node | None) -> tuple[str, str] | None:
    """Module and name of ``require("m")`` and ``require("m").name``."""
    if node is None:
        return None
    if node.type == "member_expression":
        inner = required(walk, node.child_by_field_name("object"))
        name = node.child_by_field_name("property")
        return (inner[0], walk.name(name)) if inner is not None and not inner[1] and name else None
    if node.type == "await_expression":
        inner_node = first_child(node)
        return required(walk, inner_node)
    if node.type != "call_expression":
        return None
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count != 1:
        return None
    if function.type != "import" and walk.name(function) != "require":
        return None
    module = string_value(walk, arguments.named_children[0])
    return None if module is None else (module, "")


def add(walk: Walk, node: Node, module: str, name: str, alias: str, *, types: bool = False) -> None:
    """Add an import that binds ``alias``, or else ``name``."""
    bound = alias or (name if name != "*" else "")
    scope = walk.scope
    record = Import(scope.owner, module, 0, name, alias, walk.region(node), types)
    walk.add_import(record, bound)


def export(walk: Walk, node: Node, module: str, name: str, alias: str) -> None:
    """Add an export of what is called ``name`` in ``module`` under the name ``alias``."""
    walk.imports.append(Import(-1, module, 0, name, alias, walk.region(node)))
    if alias:
        walk.exports.append(alias)


def on_import(walk: Walk, node: Node) -> None:
    """``import d, { a as b } from "m"``, ``import * as n from "m"``, ``import n = require("m")``."""
    walk.mark(*_names_below(node))
    module = string_value(walk, node.child_by_field_name("source"))
    types = any(child.type == "type" for child in node.children[:2])
    clause = next((c for c in node.named_children if c.type.endswith("_clause")), None)
    if clause is None:
        if module is not None:
            add(walk, node, module, "", "", types=types)
        return
    if clause.type == "import_require_clause":
        module = string_value(walk, clause.child_by_field_name("source"))
    if module is None:
        return
    for part in clause.named_children:
        if part.type == "identifier":
            name = "" if clause.type == "import_require_clause" else DEFAULT
            add(walk, part, module, name, walk.name(part), types=types)
        elif part.type == "namespace_import":
            add(walk, part, module, "", walk.name(part.named_children[-1]), types=types)
        elif part.type == "named_imports":
            _specifiers(walk, part, module, types=types)


def _specifiers(walk: Walk, listed: Node, module: str, *, types: bool) -> None:
    for part in listed.named_children:
        name = walk.field_text(part, "name")
        if part.type == "import_specifier" and name:
            alias = walk.field_text(part, "alias") or ""
            only_type = types or any(child.type == "type" for child in part.children[:1])
            add(walk, part, module, name.strip("'\""), alias, types=only_type)


def _names_below(node: Node) -> list[Node]:
    found, stack = list[Node](), [node]
    while stack:
        part = stack.pop()
        if part.type in ("identifier", "type_identifier"):
            found.append(part)
        stack.extend(part.named_children)
    return found


def on_export_clause(walk: Walk, node: Node, clause: Node, module: str) -> None:
    """``export { a as b }``, with or without ``from``."""
    walk.mark(*_names_below(clause))
    for part in clause.named_children:
        name = walk.field_text(part, "name")
        if part.type != "export_specifier" or not name:
            continue
        alias = walk.field_text(part, "alias") or name
        if module or alias != name:
            export(walk, part, module, name, alias)
        else:
            walk.exports.append(name)


def on_export_from(walk: Walk, node: Node, module: str) -> None:
    """``export * from "m"`` and ``export * as n from "m"``."""
    named = next((c for c in node.named_children if c.type == "namespace_export"), None)
    if named is None:
        walk.imports.append(Import(-1, module, 0, "*", "", walk.region(node)))
        return
    walk.mark(*_names_below(named))
    export(walk, node, module, "", walk.name(named.named_children[-1]))


def exported_member(walk: Walk, node: Node | None) -> str | None:
    """The exported name of ``exports.x`` and ``module.exports.x``, ``default`` for ``module.exports``."""
    if node is None or node.type != "member_expression":
        return None
    text = walk.text(node)
    if text == "module.exports":
        return DEFAULT
    owner, _, name = text.rpartition(".")
    return name if owner in ("exports", "module.exports") and name.isidentifier() else None
