"""The tables of JavaScript and TypeScript, and their extractors.

JavaScript that its own grammar cannot read is tried as TSX, which reads most of Flow's annotations;
TypeScript is tried as TSX, since facts may not depend on whether a file is called ``.tsx``.
"""

from __future__ import annotations

from repo_guardian.tools.views.facts.javascript import classes, definitions, expressions
from repo_guardian.tools.views.facts.treesitter.extractor import TreeSitterExtractor
from repo_guardian.tools.views.facts.treesitter.records import Grammar
from repo_guardian.tools.views.facts.treesitter.scopes import SUPER, THIS

GRAMMAR = Grammar(
    handlers={**classes.HANDLERS, **definitions.HANDLERS, **expressions.HANDLERS},
    names=frozenset({"identifier", "type_identifier", "shorthand_property_identifier"}),
    members={
        "member_expression": ("object", "property"),
        "nested_type_identifier": ("module", "name"),
        "nested_identifier": ("object", "property"),
    },
    calls={"call_expression": "function", "new_expression": "constructor"},
    transparent={
        "parenthesized_expression": "",
        "non_null_expression": "",
        "await_expression": "",
        "satisfies_expression": "",
        "type_annotation": "",
        "flow_maybe_type": "",
        "parenthesized_type": "",
        "generic_type": "name",
        "instantiation_expression": "",
    },
    hoists=True,
    special={"this": THIS, "super": SUPER},
    literals=frozenset({"string", "number", "array", "object", "template_string", "regex", "true", "false"}),
    optional={"union_type": frozenset({"null", "undefined"})},
    wrappers=frozenset({"Promise", "Readonly", "Partial", "Required"}),
)


def javascript() -> TreeSitterExtractor:
    """The extractor of JavaScript (ES modules, CommonJS, JSX, Flow as far as TSX reads it)."""
    import tree_sitter_javascript
    import tree_sitter_typescript

    dialects = (tree_sitter_javascript.language, tree_sitter_typescript.language_tsx)
    return TreeSitterExtractor("javascript", GRAMMAR, dialects)


def typescript() -> TreeSitterExtractor:
    """The extractor of TypeScript, TSX included."""
    import tree_sitter_typescript as grammars

    dialects = (grammars.language_typescript, grammars.language_tsx)
    return TreeSitterExtractor("typescript", GRAMMAR, dialects)
