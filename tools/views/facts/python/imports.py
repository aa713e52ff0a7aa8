"""Import statements: what they name, under which condition, and the names that they bind."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Import
from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.scopes import Binding, Scope
from repo_guardian.tools.views.facts.python.walk import IN_TRY, TYPE_CHECKING, Handler, Walk


def on_import(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``import a.b, c as d``."""
    for child in node.children_by_field_id(fields.NAME):
        module, alias = _imported(walk, child)
        _add_import(walk, _import(walk, node, flags)._replace(module=module, alias=alias), scope)


def on_import_from(walk: Walk, node: Node, scope: Scope, flags: int) -> None:
    """``from ..a import b as c``, ``from a import *``, ``from __future__ import d``."""
    source = node.child_by_field_id(fields.MODULE_NAME)
    text = "__future__" if source is None else "".join(walk.name(source).split())
    module = text.lstrip(".")
    record = _import(walk, node, flags)._replace(module=module, level=len(text) - len(module))
    for child in node.children_by_field_id(fields.NAME):
        name, alias = _imported(walk, child)
        _add_import(walk, record._replace(name=name, alias=alias), scope)
    if any(child.type == "wildcard_import" for child in node.named_children):
        _add_import(walk, record._replace(name="*"), scope)


def _imported(walk: Walk, node: Node) -> tuple[str, str]:
    name, alias = node, ""
    if node.type == "aliased_import":
        name = node.child_by_field_id(fields.NAME) or node
        alias_node = node.child_by_field_id(fields.ALIAS)
        alias = walk.name(alias_node) if alias_node is not None else ""
    return "".join(walk.name(name).split()), alias


def _import(walk: Walk, node: Node, flags: int) -> Import:
    """The record of an import statement, its names still empty."""
    marks = bool(flags & TYPE_CHECKING), bool(flags & IN_TRY)
    return Import(MODULE_SCOPE, "", 0, "", "", walk.region(node), *marks)


def _add_import(walk: Walk, record: Import, scope: Scope) -> None:
    if scope.home(record.bound).kind != "module":
        record = record._replace(scope=scope.owner)
    if record.bound:
        scope.bind(record.bound, Binding("import", len(walk.imports)))
    walk.imports.append(record)


HANDLERS: dict[str, Handler] = {
    "import_statement": on_import,
    "import_from_statement": on_import_from,
    "future_import_statement": on_import_from,
}
