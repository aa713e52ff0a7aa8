r"""What an extractor is, and the facts that it returns for one blob.

Facts are a function of a blob's bytes and the extractor's version, and of nothing else: not of the path,
the commit, the clock or the interpreter that runs us. Everything that needs a second file to be known is
left to the linker. What one file can settle alone, lexical scoping above all, is settled here: a *reference*
(``Ref``) says what its first name is bound to, so that the linker only follows module-level names.

Records are named tuples because a commit holds hundreds of thousands of them: they are cheap to make and
they serialize as plain arrays. Indexes point into the sequences of the same ``FileFacts``; -1 means "none",
and as a scope or parent it means the module itself. Lines are 1-based and counted by ``\n`` alone; byte
offsets count from the start of the blob, whatever its encoding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

Region = tuple[int, int, int, int]
"""First line, last line, first byte, byte past the end."""

RootKind = Literal["global", "local", "import", "self", "cls", "super", "typed", "literal", "unknown"]
DefinitionKind = Literal["class", "function", "variable", "interface", "type", "module"]
"""Python has the first three. ``interface`` is a Rust trait too, ``class`` a struct or an enum too, ``type``
an alias of a type, ``module`` a module or namespace inside a file.
"""
Role = Literal["", "property", "setter", "staticmethod", "classmethod", "overload"]
UseKind = Literal["call", "reference", "inherit", "decorate", "implicit"]
TypeSource = Literal[
    "call", "annotation", "value", "param", "any", "display", "element", "iterate", "await", "enter"
]

MODULE_SCOPE = -1


@dataclass(frozen=True, slots=True)
class ExtractLimits:
    """Bounds of one extraction: blobs above ``blob_bytes`` are not read, a parse ends after ``parse_s``."""

    blob_bytes: int = 4 * 1024**2
    parse_s: float = 30.0


class Ref(NamedTuple):
    """A dotted expression after lexical scoping.

    ``root`` says what the first name is bound to and ``number`` where:

    - ``global``: a name of the module, a builtin, or nothing; ``path`` begins with the name itself;
    - ``local``: the definition ``number`` of an enclosing function or class;
    - ``import``: the import ``number``, made inside a function or class;
    - ``self``, ``cls``, ``super``: the instance, the class, or ``super()`` in class ``number``;
    - ``typed``: a value of type ``number``;
    - ``literal``: a string, number, list, … display;
    - ``unknown``: a variable or expression of which nothing is known.

    ``path`` is the dotted rest (``"b.c"``), empty when there is none.
    """

    root: RootKind
    number: int
    path: str


NO_REF = Ref("unknown", -1, "")
"""The ``ref`` of a ``TypeFact`` whose ``source`` needs none."""


class TypeFact(NamedTuple):
    """What is known of a variable's or an expression's value, by ``source``:

    - ``call``: the result of calling ``ref``;
    - ``annotation``: an instance of the class that the annotation ``ref`` names;
    - ``value``: the value of ``ref`` itself;
    - ``param``: what callers pass, ``ref`` being ``Ref("local", function, parameter name)``;
    - ``any``: one of ``items`` (several assignments, ``a or b``, ``a if c else b``), without unknown ones, so
      that a single item means that there are others;
    - ``display``: a list, tuple, set or dict display of ``items``; ``keys`` are their literal keys or
      positions as text (a string that reads like a number in quotes), "" where not literal, "**" where
      ``items`` holds a container that is spread; what is a literal itself, or unknown, is left out;
    - ``element``: the element of container ``items[0]`` under the literal key ``keys[0]``, "" for any;
    - ``iterate``: what iterating over ``items[0]`` gives;
    - ``await``: what awaiting ``items[0]`` gives; ``enter``: what ``with items[0] as`` binds.

    ``items`` are indexes of other types of the same file.
    """

    source: TypeSource
    ref: Ref = NO_REF
    items: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()


class Definition(NamedTuple):
    """A class, a function, or a variable assigned at module or class level, in source order.

    ``decorators`` and ``bases`` are source text without ``@``; ``keywords`` are a class statement's keyword
    arguments. ``signature`` is as written, ``self`` included. ``value`` is a variable's right-hand side as
    source text, cut at 200 characters, and ``type`` what is known of it.

    A function's ``returns`` and ``yields`` are the types of what it returns and yields, -1 when nothing is
    known, and ``defaults`` those of its parameters' default values. A lambda is a function named
    ``<lambda1>``, ``<lambda2>``, … in the order of its scope.

    ``modifiers`` are keywords such as ``export``, ``pub``, ``static``, in source order; Python has none. A
    method whose type is not defined in the same file (Go, Rust) has the dotted name ``Type.method``.
    ``conditional`` says that it is made under an ``if``, in a ``try``, a loop or a ``match`` of its scope.
    """

    kind: DefinitionKind
    parent: int
    name: str
    region: Region
    role: Role = ""
    decorators: tuple[str, ...] = ()
    decorator_refs: tuple[Ref, ...] = ()
    signature: Signature | None = None
    bases: tuple[str, ...] = ()
    base_refs: tuple[Ref, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    value: str | None = None
    type: int = -1
    annotation: str | None = None
    returns: int = -1
    yields: int = -1
    defaults: tuple[tuple[str, int], ...] = ()
    modifiers: tuple[str, ...] = ()
    conditional: bool = False


class Import(NamedTuple):
    """One imported name. ``import a.b`` has an empty ``name``; a star import's ``name`` is ``*``.

    ``level`` counts the leading dots. ``alias`` is the text after ``as``, empty without one. ``guarded``
    says that it stands in a ``try``, ``type_checking`` in an ``if TYPE_CHECKING`` block.
    """

    scope: int
    module: str
    level: int
    name: str
    alias: str
    region: Region
    type_checking: bool = False
    guarded: bool = False

    @property
    def bound(self) -> str:
        """The name that the import binds in its scope (``a`` for ``import a.b``); empty for a star."""
        if self.name == "*":
            return ""
        return self.alias or self.name or self.module.partition(".")[0]


class Use(NamedTuple):
    """One use of a name by the definition ``scope``; ``shape`` is set for calls, as written.

    ``arguments`` are the types of those arguments that may hold a function, a class or an instance, under
    their position ("0") or keyword, spread ones under ``*`` and ``**``; literals and unknown values are left
    out, and so are positions after a spread.

    ``decorate`` is the application of a decorator by the scope that the definition stands in: of ``x`` in
    ``@x``, with the definition as argument "0", and of ``x`` in ``@x(...)``, whose call is a ``call`` too. In
    neither case is there a ``reference`` to the decorator.

    ``implicit`` is a call that no call expression shows, and that is one only if it leads to a definition:
    ``__iter__`` and ``__next__`` of what is iterated over, ``__enter__`` and ``__exit__`` of what ``with``
    enters, a class that is raised, and what ``x(...)`` gave in ``@x(...)``.
    """

    kind: UseKind
    scope: int
    ref: Ref
    region: Region
    shape: CallShape | None = None
    arguments: tuple[tuple[str, int], ...] = ()


class Attribute(NamedTuple):
    """An attribute assigned on ``self`` or ``cls`` in class ``owner``; ``type`` -1 when not known."""

    owner: int
    name: str
    type: int


class Store(NamedTuple):
    """An assignment to the attribute ``name`` of anything but ``self`` or ``cls``: ``ref.name = <type>``."""

    scope: int
    ref: Ref
    name: str
    type: int


class Exports(NamedTuple):
    """``__all__`` as far as it is literal: its names, and the ``other.__all__`` lists added to it.

    ``certain`` is False when something else was done to it.
    """

    names: tuple[str, ...]
    extends: tuple[Ref, ...] = ()
    certain: bool = True


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything that one blob says by itself.

    Attributes:
        extractor: ``language/version`` of the extractor.
        region: the whole blob.
        other_names: module-level names bound by something that is no definition (a loop, ``with``, …).
        lines: the text of each line that holds a use, stripped, cut at 200 characters.
        problem: why the facts hold less than the file does, one line; empty when they do not.
        transient: the problem may not come back (a time limit), so the facts are not to be kept.
        stores: assignments to attributes of modules, classes and instances other than ``self``.
        package: the package that the file says it belongs to (Java, Go, a project file); Python has none.
    """

    extractor: str
    region: Region
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: Exports | None = None
    uses: tuple[Use, ...] = ()
    types: tuple[TypeFact, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    other_names: tuple[str, ...] = ()
    lines: Mapping[int, str] = field(default_factory=dict)
    problem: str = ""
    transient: bool = False
    stores: tuple[Store, ...] = ()
    package: str = ""


class Extractor(Protocol):
    """Reads one language. ``identity`` is ``language/version``; a change of output changes the version."""

    @property
    def identity(self) -> str:
        """``language/version``, part of the key under which facts are kept."""
        ...

    def extract(self, source: bytes, limits: ExtractLimits) -> FileFacts:
        """The facts of one blob. Never raises for any input: what could not be read is the ``problem``."""
        ...
