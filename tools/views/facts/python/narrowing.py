"""What ``isinstance`` tells of a variable: in the block that it guards, or after an ``assert``."""

from __future__ import annotations

from tree_sitter import Node

from repo_guardian.tools.views.facts.python import fields
from repo_guardian.tools.views.facts.python.displays import first_child
from repo_guardian.tools.views.facts.python.scopes import NOTHING_KNOWN, Binding, Scope
from repo_guardian.tools.views.facts.python.values import plain_chain
from repo_guardian.tools.views.facts.python.walk import MAX_ALTERNATIVES, Walk

_MAX_OPERANDS = 32
_FIXED = ("self", "cls", "definition", "import")


def instances(walk: Walk, node: Node | None, scope: Scope) -> int:
    """An instance of the class, or of one of the tuple of classes, that an expression names."""
    while node is not None and node.type == "parenthesized_expression":
        node = first_child(node)
    if node is None:
        return NOTHING_KNOWN
    classes = node.named_children if node.type == "tuple" else [node]
    chains = [plain_chain(walk, child) for child in classes[:MAX_ALTERNATIVES] if child.type != "comment"]
    return walk.any_of(
        [NOTHING_KNOWN if chain is None else walk.of("annotation", chain, scope) for chain in chains]
    )


def narrowed(walk: Walk, condition: Node | None, scope: Scope) -> Scope:
    """The scope of statements that run when ``condition`` holds: ``scope``, or one that knows more.

    When the condition is ``not isinstance(x, C)``, it is what follows that is likely to have a ``C``.
    """
    home = scope.statement_scope()
    if condition is None or home.kind not in ("function", "lambda"):
        return scope
    if condition.type == "not_operator":
        told_after(walk, condition.child_by_field_id(fields.ARGUMENT), scope)
        return scope
    inside: Scope | None = None
    for test in _operands(condition):
        found = _test(walk, test, scope)
        if found is not None:
            inside = inside or Scope("narrow", scope, scope.owner)
            inside.bindings[found[0]] = [Binding("variable", -1, found[1])]
    return inside or scope


def told_after(walk: Walk, condition: Node | None, scope: Scope) -> None:
    """From here on the variable may be an instance: one more of its values, whatever else it has."""
    if condition is None or scope.statement_scope().kind not in ("function", "lambda"):
        return
    for test in _operands(condition):
        found = _test(walk, test, scope)
        if found is not None:
            scope.home(found[0]).bindings[found[0]].append(Binding("variable", -1, found[1]))


def _operands(node: Node) -> list[Node]:
    """The operands of ``a and b and c``, which nests to the left."""
    found: list[Node] = []
    step: Node | None = node
    for _ in range(_MAX_OPERANDS):
        while step is not None and step.type == "parenthesized_expression":
            step = first_child(step)
        if step is None or step.type != "boolean_operator":
            break
        operator = step.child_by_field_id(fields.OPERATOR)
        if operator is None or operator.type != "and":
            return found
        found += [child for child in [step.child_by_field_id(fields.RIGHT)] if child is not None]
        step = step.child_by_field_id(fields.LEFT)
    return [*found, *([step] if step is not None else [])]


def _test(walk: Walk, node: Node, scope: Scope) -> tuple[str, int] | None:
    """The variable of ``isinstance(x, C)`` and what it is then; None for anything else."""
    function, arguments = node.child_by_field_id(fields.FUNCTION), node.child_by_field_id(fields.ARGUMENTS)
    if node.type != "call" or function is None or arguments is None or walk.name(function) != "isinstance":
        return None
    given = [child for child in arguments.named_children if child.type != "comment"]
    if len(given) != 2 or given[0].type != "identifier":
        return None
    name = walk.name(given[0])
    known = scope.home(name).bindings.get(name)
    if not known or known[0].kind in _FIXED:
        return None
    value = instances(walk, given[1], scope)
    return (name, value) if value >= 0 else None
