"""Building blocks of generated tests: safe names, safe notes, and the finished, checked source."""

from __future__ import annotations

import ast
import hashlib
import keyword
import re
from collections import defaultdict
from dataclasses import dataclass

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.templates.material import Material
from repo_guardian.tools.signals.interface import Dependent, Receiver, Signal, SymbolDetail
from repo_guardian.tools.views.symbol_graph.model import Symbol
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]{1,160}\Z")
_PLAIN = re.compile(r"[A-Za-z0-9_.:-]+\Z")
_IMPORTS = ("import ", "from ")
_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class Case:
    """What a template works from."""

    signal: Signal
    detail: SymbolDetail
    material: Material

    @property
    def before(self) -> Signature | None:
        """The signature at the base, None without one."""
        return self.material.before

    @property
    def old(self) -> Symbol:
        """The definition at the base.

        Raises:
            TemplateError: the graph does not hold it.
        """
        return _held(self.material.base.symbols.get(self.detail.old_id))

    @property
    def new(self) -> Symbol:
        """The definition at the current commit.

        Raises:
            TemplateError: the graph does not hold it.
        """
        return _held(self.material.current.symbols.get(self.detail.new_id))

    def attribute(self) -> tuple[str, str]:
        """The expression of the class that the symbol is a member of, and its name there.

        Raises:
            TemplateError: it is no member of a class.
        """
        owner, _, name = expression(self.detail).rpartition(".")
        if not owner or not self.detail.qualname:
            raise TemplateError("not a member of a class")
        return owner, name


@dataclass(frozen=True, slots=True)
class Draft:
    """A test before it is laid out: its name without ``test_``, a docstring, and its statements."""

    name: str
    docstring: str
    statements: tuple[str, ...]


def finish(draft: Draft) -> TestSource:
    """Lay the draft out and check it.

    Raises:
        TemplateError: the text is not exactly one plain test function.
    """
    name = re.sub(r"\W+", "_", f"test_{draft.name}", flags=re.ASCII).strip("_").lower()[:_NAME_CHARS]
    lines = [f'"""{draft.docstring}"""', *_laid_out(draft.statements)]
    text = "\n".join([f"def {name}():", *(f"    {line}".rstrip() for line in lines)]) + "\n"
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise TemplateError(str(error)) from error
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise TemplateError("not exactly one function")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return TestSource(file_name=f"{name}.py", function=name, text=text, digest=digest)


def _laid_out(statements: tuple[str, ...]) -> list[str]:
    """The imports, one for each module and sorted, and the rest after an empty line."""
    whole: set[str] = set()
    names: dict[str, set[str]] = defaultdict(set)
    count = next((i for i, s in enumerate(statements) if not s.startswith(_IMPORTS)), len(statements))
    for statement in statements[:count]:
        module, _, listed = statement.removeprefix("from ").partition(" import ")
        if listed:
            names[module] |= set(listed.split(", "))
        else:
            whole.add(statement)
    imports = [*sorted(whole), *(f"from {m} import {', '.join(sorted(names[m]))}" for m in sorted(names))]
    rest = statements[count:]
    return [*imports, *([""] if imports and rest else []), *rest]


def quoted(name: str) -> str:
    """A dotted name, or an object reference, as a string literal.

    Raises:
        TemplateError: it has characters that neither has.
    """
    if not _PLAIN.match(name):
        raise TemplateError("no plain text")
    return f'"{name}"'


def dotted(text: str) -> str:
    """``text`` when all of its parts are identifiers.

    Raises:
        TemplateError: they are not.
    """
    parts = text.split(".")
    if not all(part.isidentifier() and part.isascii() and not keyword.iskeyword(part) for part in parts):
        raise TemplateError(text)
    return text


def import_statement(detail: SymbolDetail) -> str:
    """The import that reaches the symbol's outermost name, as its users write it."""
    module = dotted(detail.module)
    if not detail.qualname:
        return f"import {module}"
    return f"from {module} import {dotted(detail.qualname).partition('.')[0]}"


def expression(detail: SymbolDetail) -> str:
    """The expression that stands for the symbol after ``import_statement``."""
    return dotted(detail.qualname) if detail.qualname else dotted(detail.module)


def arguments(shape: CallShape, receiver: Receiver) -> str:
    """An argument list of the shape, every value an ``object()``; an instance's receiver comes first.

    Raises:
        TemplateError: the shape unpacks something of unknown content.
    """
    if shape.star or shape.double_star:
        raise TemplateError("unpacking")
    implicit = 1 if receiver is Receiver.INSTANCE else 0
    values = ["object()"] * (shape.positional + implicit)
    values += [f"{dotted(name)}=object()" for name in shape.keywords]
    return ", ".join(values)


def shape_words(shape: CallShape) -> str:
    """The shape in words fit for a function's name."""
    parts = []
    if shape.positional:
        parts.append(f"{shape.positional}_positional_argument{'s' if shape.positional > 1 else ''}")
    parts += [dotted(name) for name in shape.keywords]
    return "_and_".join(parts) or "no_arguments"


def relied_on_by(signal: Signal) -> str:
    """Who relies on the old form, for a docstring; only plain paths are named."""
    lagging = signal.lagging
    if named := _named(lagging):
        more = max(signal.lagging_total, len(lagging)) - 1
        return f"{named}{f' and {more} more' if more else ''} still rel{'y' if more else 'ies'} on it."
    if named := _named(signal.dependents):
        more = max(signal.dependents_total, len(signal.dependents)) - 1
        return f"{named}{f' and {more} more use' if more else ' uses'} it."
    return "No use in this repository relies on it; users outside it may."


def literal(text: str) -> str:
    """Source text that is a literal, in one layout.

    Raises:
        TemplateError: it is none.
    """
    try:
        ast.literal_eval(text.strip())
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise TemplateError("no literal") from error


def equals(given: str, wanted: str, other: str | None = None) -> str:
    """The comparison that holds for the literal ``wanted`` and not for the literal ``other``.

    Values that are equal and are not the same (``1``, ``1.0``, ``True``) are told apart by how they print.
    """
    value = ast.literal_eval(wanted)
    if value is None or isinstance(value, bool):
        return f"{given} is {wanted}"
    if other is not None and _equal(value, other):
        return f"repr({given}) == {repr(value)!r}"
    return f"{given} == {wanted}"


def import_from(module: str, *names: str) -> str:
    """``from module import a, b``, all of them checked.

    Raises:
        TemplateError: something is no identifier.
    """
    return f"from {dotted(module)} import {', '.join(sorted({dotted(name) for name in names}))}"


def _equal(value: object, other: str) -> bool:
    try:
        return bool(ast.literal_eval(other) == value)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return False


def _held(symbol: Symbol | None) -> Symbol:
    if symbol is None:
        raise TemplateError("the graph does not hold the symbol")
    return symbol


def _named(dependents: tuple[Dependent, ...]) -> str:
    """The first one that has a plain path, as ``path:line``."""
    plain = (d for d in dependents if _PLAIN_PATH.match(d.path))
    return next((f"{d.path}:{d.span.start_line}" for d in plain), "")
