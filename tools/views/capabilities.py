"""What is known of each covered language: the table that a manifest carries.

A reader of a view sees from it what an answer can mean: where names are resolved by name and import alone, a
missing caller proves less than it does in Python.
"""

from __future__ import annotations

_BY_NAME = (
    "resolved by name and import: scopes of the file, imports, {places}, members of declared and constructed "
    "types, then the one method of that name in the tree (marked unique_name); no type inference"
)

CAPABILITIES: dict[str, str] = {
    "python": "definitions, signatures, exports, imports, calls with shapes, references, inheritance; "
    "resolved through scopes, imports, re-exports, classes and assigned types",
    "javascript": "definitions, signatures, exports (ES modules and CommonJS), imports, calls with counts of "
    "arguments, references, inheritance; JSX, and Flow as far as TSX reads it; "
    + _BY_NAME.format(places="re-exports, packages of the tree by package.json"),
    "typescript": "definitions, signatures, overloads, exports, imports, calls with counts of arguments, "
    "references, inheritance; TSX; no tsconfig.json paths; "
    + _BY_NAME.format(places="re-exports, packages of the tree by package.json"),
    "go": "definitions, signatures, visibility, imports, calls with counts of arguments, references, "
    "embedding; build constraints are not evaluated; "
    + _BY_NAME.format(places="the package's files, packages of the tree by go.mod"),
    "rust": "definitions, signatures, visibility, use and mod trees, calls with counts of arguments, "
    "references, implementations; macros are read as tokens, cfg is not evaluated; "
    + _BY_NAME.format(places="globs, crates of the tree by Cargo.toml"),
    "java": "definitions, signatures, overloads as one symbol, visibility, imports, calls with counts of "
    "arguments, references, inheritance; " + _BY_NAME.format(places="the package, enclosing classes"),
    "project": "the name under which go.mod, package.json and Cargo.toml let other projects import this one",
}
"""Language to what is extracted, and how it is resolved."""
