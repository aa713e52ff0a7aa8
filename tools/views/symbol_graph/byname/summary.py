"""What other files can see of a file: the digests that decide which files are linked again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, FileFacts, Ref
from repo_guardian.tools.views.symbol_graph.byname.files import File, family_of

_DIGEST_BYTES = 16
_REF_DEPTH = 100
"""Far more steps than the resolver takes."""


def mentions(facts: FileFacts) -> list[tuple[str, str]]:
    """Kind and name of the global keys that a file belongs to, those of ``summary``, without digests."""
    if family_of(facts) == "project":
        return [("project", facts.package)] if facts.package else []
    file = File("", facts)
    found = {key for number in range(len(facts.definitions)) for key in _keys(file, number)}
    return sorted(found)


def _keys(file: File, number: int) -> Iterator[tuple[str, str]]:
    """The global keys of one definition: its dotted name, and a member's or macro's last name."""
    facts, family = file.facts, file.family
    definition, dotted = facts.definitions[number], file.qualified[number]
    if definition.kind != "variable" or definition.parent == MODULE_SCOPE:
        yield family, f"{facts.package}.{dotted}" if family == "java" and facts.package else dotted
    if definition.kind == "function" and ("." in dotted or dotted.endswith("!")):
        yield f"name:{family}", dotted.rpartition(".")[2]


def summary(facts: FileFacts) -> dict[tuple[str, str], bytes]:
    """What other files can see of a file; see ``LanguageLinker.summary``.

    Under ``l`` stands what each name of the module is, with all that lies below it, and under ``*`` what
    holds for the module as a whole; other kinds say where names are defined: ``name:FAMILY`` for methods and
    macros by their last name, ``FAMILY`` for definitions by their dotted name (in Java with the package),
    ``project`` for the name of a project.
    """
    file = File("", facts)
    if file.family == "project":
        entry = [record.module for record in facts.imports]
        found = {("l", "*"): _digest(facts.package, entry)}
        if facts.package:
            found["project", facts.package] = _digest(entry)
        return found
    parts: dict[tuple[str, str], list[object]] = {("l", "*"): [facts.package, *_stars(file)]}
    exported = frozenset(facts.exports.names) if facts.exports is not None else None
    for name, bounds in file.names.items():
        rows = parts.setdefault(("l", name), [exported is None or name in exported])
        rows.extend(tuple(facts.imports[b.number])[1:5] for b in bounds if b.is_import)
    for name in exported or ():
        parts.setdefault(("l", name), [True])
    for number, definition in enumerate(facts.definitions):
        row = _row(file, number, definition)
        parts.setdefault(("l", file.qualified[number].partition(".")[0]), []).append(row)
        for key in _keys(file, number):
            parts.setdefault(key, []).append([facts.package, row])
    return {key: _digest(*rows) for key, rows in parts.items()}


def _stars(file: File) -> Iterator[object]:
    for number in file.stars:
        yield tuple(file.facts.imports[number])[1:5]
    yield file.facts.exports is None
    yield "*" in (file.facts.exports.names if file.facts.exports is not None else ())


def _row(file: File, number: int, definition: Definition) -> object:
    """A definition without its place: all that a link from elsewhere can rest on."""
    attributes = [(name, _type(file, known)) for name, known in file.attributes_of.get(number, ())]
    return (
        file.qualified[number],
        definition.parent >= 0,
        definition.kind,
        definition.role,
        repr(definition.signature),
        [_ref(file, ref) for ref in definition.base_refs],
        definition.modifiers,
        _type(file, definition.type),
        _type(file, definition.returns),
        attributes,
    )


def _ref(file: File, ref: Ref, depth: int = 0) -> object:
    """A reference without indexes."""
    if ref.root == "typed":
        return (_type(file, ref.number, depth + 1), ref.path)
    if ref.root == "import":
        return (tuple(file.facts.imports[ref.number])[1:5], ref.path)
    if ref.root in ("local", "self", "super"):
        return (ref.root, file.qualified[ref.number], ref.path)
    return (ref.root, ref.path)


def _type(file: File, index: int, depth: int = 0) -> object:
    if index < 0 or depth > _REF_DEPTH:
        return None
    fact = file.facts.types[index]
    return (fact.source, _ref(file, fact.ref, depth + 1))


def _digest(*rows: object) -> bytes:
    data = repr(rows).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()
