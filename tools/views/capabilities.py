"""What is known of each covered language: the table that a manifest carries.

A reader of a view sees from it what an answer can mean: where names are resolved by name and import alone, a
missing caller proves less than it does in Python.
"""

from __future__ import annotations

CAPABILITIES: dict[str, str] = {
    "python": "definitions, signatures, exports, imports, calls with shapes, references, inheritance; "
    "resolved through scopes, imports, re-exports, classes and assigned types",
}
"""Language to what is extracted, and how it is resolved."""
