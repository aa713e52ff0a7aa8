"""Building blocks of generated tests: safe names, safe notes, and the finished, checked source."""

from __future__ import annotations

import ast
import hashlib
import keyword
import re
from dataclasses import dataclass

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.signals.interface import Receiver, Signal, SymbolDetail
from repo_guardian.tools.views.symbol_graph.signature import CallShape, Signature

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]{1,160}\Z")
_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class Case:
    """What a template works from; ``before`` is the signature at the base, None without one."""

    signal: Signal
    detail: SymbolDetail
    before: Signature | None


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
    lines = [f"def {name}():", f'    """{draft.docstring}"""', *(f"    {s}" for s in draft.statements)]
    text = "\n".join(lines) + "\n"
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise TemplateError(str(error)) from error
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        raise TemplateError("not exactly one function")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return TestSource(file_name=f"{name}.py", function=name, text=text, digest=digest)


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
    named = [f"{d.path}:{d.span.start_line}" for d in lagging if _PLAIN_PATH.match(d.path)]
    if not named:
        return "No use in this repository relies on it; users outside it may."
    more = len(lagging) - 1
    return f"{named[0]}{f' and {more} more' if more else ''} still rel{'y' if more else 'ies'} on it."
