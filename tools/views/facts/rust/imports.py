"""``use``, ``mod`` and ``extern crate``.

Facts of Rust: an import's ``module`` is the path before the last name, with ``::`` (``crate::a``), empty for
a path of one name; ``name`` is the last name, ``*`` for a glob. ``mod m;`` is the import of ``m`` from
``self``.
"""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.interface import Import
from repo_guardian.tools.views.facts.treesitter.scopes import Scope
from repo_guardian.tools.views.facts.treesitter.walk import Walk

_PATHS = ("scoped_identifier", "identifier", "crate", "self", "super")


def path_text(walk: Walk, node: Node | None) -> str:
    """A path as text, without white space and generic arguments."""
    return "" if node is None else "".join(walk.text(node).split()).partition("<")[0]


def on_use(walk: Walk, node: Node) -> None:
    """A ``use`` declaration: one import for each name in its tree."""
    mark_all(walk, node)
    public = any(child.type == "visibility_modifier" for child in node.children)
    argument = node.child_by_field_name("argument")
    stack: list[tuple[Node, str]] = [] if argument is None else [(argument, "")]
    while stack:
        part, prefix = stack.pop()
        if part.type == "scoped_use_list":
            path = join(prefix, path_text(walk, part.child_by_field_name("path")))
            listed = part.child_by_field_name("list")
            stack.extend((child, path) for child in reversed([] if listed is None else listed.named_children))
        elif part.type == "use_list":
            stack.extend((child, prefix) for child in reversed(part.named_children))
        elif part.type == "use_as_clause":
            alias = path_text(walk, part.child_by_field_name("alias"))
            path = join(prefix, path_text(walk, part.child_by_field_name("path")))
            _add(walk, part, path, alias, public=public)
        elif part.type == "use_wildcard":
            inner = part.named_children[0] if part.named_child_count else None
            _add(walk, part, join(prefix, path_text(walk, inner), "*"), "", public=public)
        elif part.type in _PATHS:
            _add(walk, part, join(prefix, path_text(walk, part)), "", public=public)


def join(*parts: str) -> str:
    """Paths joined by ``::``."""
    return "::".join(part for part in parts if part)


def _add(walk: Walk, node: Node, path: str, alias: str, *, public: bool) -> None:
    if path.endswith("::self"):
        path = path.removesuffix("::self")
    module, _, name = path.rpartition("::")
    inside = inline_module(walk)
    if inside is not None and (module == "super" or module.startswith("super::")):
        # Inside an inline module the names of the file around are found by scope.
        module = "self" + module.removeprefix("super")
        if name == "*" and module == "self":
            return
    record = Import(walk.scope.owner, module, 0, name, alias, walk.region(node))
    walk.add_import(record, "" if name == "*" or alias == "_" else alias or name)
    if public and name != "*":
        walk.exports.append(alias or name)
    elif public:
        walk.exports.append("*")


def inline_module(walk: Walk) -> Scope | None:
    """The scope of the innermost ``mod m { }`` around, None at the file's own level."""
    scope: Scope | None = walk.scope
    while scope is not None and scope.parent is not None:
        if scope.owner >= 0 and walk.drafts[scope.owner].kind == "module" and scope.kind == "block":
            return scope
        scope = scope.parent
    return None


def on_extern(walk: Walk, node: Node) -> None:
    """``extern crate a as b;``."""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is not None:
        walk.mark(name, alias)
        text = walk.name(name)
        bound = text if alias is None else walk.name(alias)
        record = Import(-1, "", 0, text, "" if alias is None else bound, walk.region(node))
        walk.add_import(record, bound, walk.module)


def mark_all(walk: Walk, node: Node) -> None:
    """Nothing inside ``node`` is looked at again."""
    stack = [node]
    while stack:
        part = stack.pop()
        walk.mark(part)
        stack.extend(part.named_children)
