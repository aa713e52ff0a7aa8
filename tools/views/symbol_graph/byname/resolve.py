"""What references mean: scopes were settled by the extractor, names of modules are looked up here.

The order for a name is: the file itself, what it imports, its package, and what the language has without an
import. A member is looked up on the definition, on what it inherits, and where a language allows members away
from the type (Go, Rust), in the files of the package. Every walk is bounded in steps, so cyclic imports,
aliases and bases end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_guardian.tools.views.facts.interface import MODULE_SCOPE, Definition, Ref
from repo_guardian.tools.views.symbol_graph.byname.files import Bound, File
from repo_guardian.tools.views.symbol_graph.byname.names import BUILTINS, COMMON_METHODS
from repo_guardian.tools.views.symbol_graph.byname.reader import Reader
from repo_guardian.tools.views.symbol_graph.byname.values import EXTERNAL, UNKNOWN, Value
from repo_guardian.tools.views.symbol_graph.model import Resolution

if TYPE_CHECKING:
    from repo_guardian.tools.views.symbol_graph.byname.language import Rules

HOPS = 48
"""How many imports, aliases, types and bases one answer may rest on, one after the other."""

_TYPED = {
    "annotation": Resolution.ANNOTATION,
    "call": Resolution.RETURN,
    "value": Resolution.ASSIGNMENT,
}
_HOLDERS = ("class", "interface", "module", "type", "variable", "function")


class Resolver:
    """Resolves the references of one file.

    Args:
        reader: the way to files.
        rules: what is particular to the file's language.
    """

    def __init__(self, reader: Reader, rules: Rules) -> None:
        self.reader = reader
        self.rules = rules
        self._types: dict[tuple[str, int], Value] = {}

    def resolve(self, file: File, ref: Ref, hops: int = HOPS) -> Value:
        """What ``ref``, a reference of ``file``, means."""
        if hops <= 0:
            return UNKNOWN
        path = ref.path.split(".") if ref.path else []
        if ref.root == "global":
            value, path = self._global(file, path, hops)
        else:
            value = self._root(file, ref, hops)
            if ref.root == "self" and path:
                value, path = self._own(file, ref, value, path, hops)
        for name in path:
            value = self.step(value, name, hops - 1)
        return value

    def _root(self, file: File, ref: Ref, hops: int) -> Value:
        if ref.root == "local":
            return Value("definition", file.path, ref.number)
        if ref.root == "import":
            return self.bound(file, Bound(True, ref.number), hops - 1)
        if ref.root == "self":
            return Value("instance", file.path, ref.number, how=Resolution.SELF)
        if ref.root == "super":
            return self._super(file, ref.number, hops)
        if ref.root == "typed":
            return self.typed(file, ref.number, hops - 1)
        return EXTERNAL if ref.root == "literal" else UNKNOWN

    def _super(self, file: File, index: int, hops: int) -> Value:
        bases = self.bases(file, index, hops - 1)
        known = next((base for base in bases if base.kind == "definition"), None)
        if known is not None:
            return known._replace(kind="instance", how=Resolution.MRO, via=())
        return EXTERNAL

    def _own(self, file: File, ref: Ref, value: Value, path: list[str], hops: int) -> tuple[Value, list[str]]:
        """A member of the own class; where that has none, a bare name may come from further out (Java)."""
        found = self.step(value, path[0], hops - 1)
        if found.kind in ("definition", "instance", "module"):
            return found, path[1:]
        outer = file.facts.definitions[ref.number].parent
        while outer >= 0 and self.rules.outer_members:
            further = self.step(Value("instance", file.path, outer, how=Resolution.SELF), path[0], hops - 1)
            if further.kind == "definition":
                return further, path[1:]
            outer = file.facts.definitions[outer].parent
        if self.rules.outer_members:
            named = self.name(file, path[0], hops - 1)
            if named.kind == "definition":
                return named, path[1:]
        return found, path[1:]

    def _global(self, file: File, path: list[str], hops: int) -> tuple[Value, list[str]]:
        if not path:
            return UNKNOWN, path
        value = self.name(file, path[0], hops)
        if value.kind == "gone" and len(path) > 1:
            further = self.rules.dotted(self, file, path, hops)
            if further is not None:
                return further
        return value, path[1:]

    def name(self, file: File, name: str, hops: int) -> Value:
        """What ``name`` means at module level of ``file``."""
        if hops <= 0:
            return UNKNOWN
        value = self.inside(file, name, hops)
        if value is not None and not self._is_type_of_builtin(file, value, name):
            return value
        value = self.rules.outside(self, file, name, hops - 1)
        if value is not None:
            return value
        if name in BUILTINS[file.family]:
            return Value("external", name=f"builtins.{name}", how=Resolution.UNRESOLVED)
        return Value("gone", name=f"{file.id}.{name}", how=Resolution.UNRESOLVED)

    def _is_type_of_builtin(self, file: File, value: Value, name: str) -> bool:
        """``type Error = …`` beside the value ``Error``: types and values have names of their own."""
        if file.family != "ecmascript" or value.kind != "definition" or name not in BUILTINS[file.family]:
            return False
        return self.definition(value).kind in ("type", "interface")

    def inside(self, file: File, name: str, hops: int) -> Value | None:
        """What the file itself binds ``name`` to; None when it does not. Definitions go before imports."""
        bounds = self.reader.file(file.path, name).names.get(name, ())
        if not bounds:
            return None
        chosen = next((b for b in reversed(bounds) if not b.is_import), bounds[-1])
        return self.bound(file, chosen, hops - 1)

    def bound(self, file: File, bound: Bound, hops: int) -> Value:
        """What a definition or an import of ``file`` is."""
        if not bound.is_import:
            return Value("definition", file.path, bound.number)
        if hops <= 0:
            return UNKNOWN
        record = file.facts.imports[bound.number]
        value = self.rules.imported(self, file, record, hops - 1)
        if value.kind in ("definition", "instance"):
            value = value.found(Resolution.IMPORT)
        if self.rules.aliases and record.scope == MODULE_SCOPE and (record.alias or record.name):
            value = value.through(f"{file.id}.{record.alias or record.name}")
        return value

    def step(self, value: Value, name: str, hops: int) -> Value:
        """The member ``name`` of a value."""
        if hops <= 0:
            return UNKNOWN
        if value.kind in ("module", "package"):
            return self.rules.exported(self, value.path, name, hops - 1).through(*value.via)
        if value.kind == "external":
            return value._replace(name=f"{value.name}.{name}") if value.name else EXTERNAL
        if value.kind in ("definition", "instance"):
            return self._step(value, name, hops)
        return EXTERNAL if value.kind == "gone" else UNKNOWN

    def _step(self, value: Value, name: str, hops: int) -> Value:
        found = self.member(value, name, hops - 1)
        if found is not None:
            return found
        held = self.held(value, hops - 1)
        return self._missing(value, name, hops) if held is None else self.step(held, name, hops - 2)

    def _missing(self, value: Value, name: str, hops: int) -> Value:
        """A member that no known class has: gone when all bases are known, else nothing is known."""
        file = self.reader.file(value.path, self._key(value))
        definition = file.facts.definitions[value.number]
        if self.rules.wrappers and value.how is not Resolution.SELF and name.lower() in COMMON_METHODS:
            return EXTERNAL
        if definition.kind in ("variable", "function") or not self._all_known(file, value.number, hops):
            return UNKNOWN
        target = f"{file.symbol_id(value.number)}.{name}"
        return Value("gone", name=target, how=Resolution.UNRESOLVED)

    def _all_known(self, file: File, index: int, hops: int) -> bool:
        definition = file.facts.definitions[index]
        if definition.kind in ("type", "module") or any("derive" in d for d in definition.decorators):
            return False
        return all(
            base.kind == "definition" and self._all_known(self._file(base), base.number, hops - 1)
            for base in self.bases(file, index, hops - 1)
        ) if hops > 0 else False  # fmt: skip

    def _file(self, value: Value) -> File:
        return self.reader.file(value.path, self._key(value))

    def _key(self, value: Value) -> str:
        """The module-level name under which a definition of another file is read."""
        if value.path == self.reader.path or value.number < 0:
            return "*"
        return self.reader.facts_of_mentioned(value.path).qualified[value.number]

    def member(self, value: Value, name: str, hops: int) -> Value | None:
        """The member of a definition or of an instance of it, inherited ones included."""
        if hops <= 0:
            return None
        file = self._file(value)
        definition = file.facts.definitions[value.number]
        if name == "<init>" or (name == "constructor" and value.how is Resolution.MRO):
            return Value("definition", value.path, value.number, how=value.how)
        own = file.scopes.get(value.number, {}).get(name, ())
        found = next((bound for bound in reversed(own)), None)
        if found is not None and definition.kind in _HOLDERS:
            return self.bound(file, found, hops - 1).found(value.how)
        attribute = file.attributes.get((value.number, name), -1)
        if attribute >= 0:
            return self.typed(file, attribute, hops - 1)
        foreign = self.rules.foreign(self, file, file.qualified[value.number], name)
        if foreign is not None:
            return foreign.found(value.how)
        for base in self.bases(file, value.number, hops - 1):
            if base.kind == "definition" and (base.path, base.number) != (value.path, value.number):
                how = Resolution.MRO if value.how in (Resolution.SELF, Resolution.MRO) else value.how
                inherited = self.member(base.found(how), name, hops - 2)
                if inherited is not None:
                    return inherited
        return None

    def definition(self, value: Value) -> Definition:
        """The definition of a value that is one, or an instance of one."""
        return self._file(value).facts.definitions[value.number]

    def target_id(self, value: Value) -> str:
        """The id, or the name, that an edge to a value leads to; empty when there is none."""
        if value.kind in ("definition", "instance"):
            return self._file(value).symbol_id(value.number)
        if value.kind == "module":
            return self.reader.facts_of_mentioned(value.path).id
        return value.name

    def bases(self, file: File, index: int, hops: int) -> list[Value]:
        """The bases of a class, as they are written."""
        if hops <= 0:
            return []
        refs = file.facts.definitions[index].base_refs
        return [self.plain(self.resolve(file, ref, hops - 1), hops - 1) for ref in refs]

    def plain(self, value: Value, hops: int) -> Value:
        """A module that stands for its default export (CommonJS) as that, a type alias as its type."""
        if hops <= 0:
            return value
        if value.kind == "module":
            default = self.rules.default(self, value.path, hops - 1)
            return value if default is None else self.plain(default.through(*value.via), hops - 2)
        if value.kind == "definition":
            definition = self._file(value).facts.definitions[value.number]
            if definition.kind in ("variable", "type") and definition.type >= 0:
                fact = self._file(value).facts.types[definition.type]
                if fact.source == "value" or definition.kind == "type":
                    further = self.resolve(self._file(value), fact.ref, hops - 2)
                    if further.kind == "definition" and further[1:3] != value[1:3]:
                        alias = self._file(value).symbol_id(value.number)
                        further = further._replace(via=(*value.via, alias, *further.via), how=value.how)
                        return self.plain(further, hops - 3)
        return value

    def held(self, value: Value, hops: int) -> Value | None:
        """What a variable (or an instance of an alias) holds; None when nothing is known."""
        if hops <= 0:
            return None
        file = self._file(value)
        definition = file.facts.definitions[value.number]
        if definition.kind not in ("variable", "type") or definition.type < 0:
            return None
        held = self.typed(file, definition.type, hops - 1)
        return None if held.kind == "unknown" or held[:3] == value[:3] else held

    def typed(self, file: File, index: int, hops: int) -> Value:
        """The value of type ``index`` of ``file``; what was found with steps to spare is kept."""
        if hops <= 0 or index < 0:
            return UNKNOWN
        key = file.path, index
        known = self._types.get(key)
        if known is None:
            known = self._typed(file, index, hops)
            if known.kind != "unknown" or hops > HOPS // 2:
                self._types[key] = known
        return known

    def _typed(self, file: File, index: int, hops: int) -> Value:
        fact = file.facts.types[index]
        value = self.plain(self.resolve(file, fact.ref, hops - 1), hops - 1)
        if fact.source == "value":
            return value.found(_TYPED["value"]) if value.kind in ("definition", "instance") else value
        if fact.source == "call":
            return self._result(value, hops - 1)
        if value.kind == "definition":
            return value._replace(kind="instance", how=_TYPED["annotation"], via=())
        if value.kind == "instance":
            return value
        return value._replace(via=()) if "://" in value.name else EXTERNAL

    def _result(self, value: Value, hops: int) -> Value:
        """What calling a value gives."""
        if value.kind != "definition":
            return EXTERNAL if value.kind in ("external", "gone") else UNKNOWN
        file = self._file(value)
        definition = file.facts.definitions[value.number]
        if definition.kind in ("class", "interface", "type"):
            return value._replace(kind="instance", how=Resolution.ASSIGNMENT, via=())
        if definition.kind == "function" and definition.returns >= 0:
            held = self.typed(file, definition.returns, hops - 1)
            return held.found(Resolution.RETURN) if held.kind == "instance" else held
        if definition.kind == "function" and definition.name[:1].isupper() and file.family == "ecmascript":
            return value._replace(kind="instance", how=Resolution.ASSIGNMENT, via=())
        if definition.kind == "variable" and definition.parent >= 0:
            # A variant of an enumeration that is called makes a value of it (Rust).
            return self.held(value, hops - 1) or UNKNOWN
        return UNKNOWN
