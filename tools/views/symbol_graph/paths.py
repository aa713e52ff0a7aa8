"""Names of a file's definitions that do not depend on where they stand, and of what is kept under them.

What other files can see of a file is cut into *units*, each with a key of its own: a module-level name, and
for classes each member (``Class.member``, ``Class.Inner.member``). What is inside a function belongs to the
unit of the function.
"""

from __future__ import annotations

from typing import NamedTuple

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, FileFacts


def definition_paths(facts: FileFacts) -> list[str]:
    """For each definition its dotted path, with a number for each further definition of one path."""
    paths: list[str] = []
    seen: dict[str, int] = {}
    for definition in facts.definitions:
        parent = "" if definition.parent == MODULE_SCOPE else paths[definition.parent]
        path = f"{parent}.{definition.name}"
        count = seen[path] = seen.get(path, 0) + 1
        paths.append(path if count == 1 else f"{path}#{count}")
    return paths


def result_name(path: str) -> str:
    """The name under which ``local_key`` stands for what a function returns, yields and takes by default."""
    return f"{path}()"


def site_name(name: str) -> str:
    """The name under which ``local_key`` stands for what a file passes to callees called ``name``."""
    return f"({name})"


def store_name(name: str) -> str:
    """The name under which ``local_key`` stands for what a file stores to attributes called ``name``."""
    return f"={name}"


def methods_name(name: str) -> str:
    """The name under which ``local_key`` stands for which classes of a file define a method ``name``."""
    return f"def {name}"


class Units(NamedTuple):
    """For each definition its unit, and whether it is a class whose members have units of their own."""

    names: list[str]
    split: list[bool]

    def member(self, index: int, name: str) -> str:
        """The unit of the member ``name`` of the class ``index``."""
        return f"{self.names[index]}.{name}" if self.split[index] else self.names[index]

    def fields(self, index: int) -> str:
        """The name of what the annotated variables of the class ``index`` are, in their order."""
        return f"{self.names[index]}.*" if self.split[index] else self.names[index]


def definition_units(facts: FileFacts) -> Units:
    """The units of a file's definitions."""
    units = Units([], [])
    for definition in facts.definitions:
        parent = definition.parent
        top = parent == MODULE_SCOPE
        units.names.append(definition.name if top else units.member(parent, definition.name))
        units.split.append(definition.kind == "class" and (top or units.split[parent]))
    return units
