"""A divergence as a test that holds the old outcome, in one check.

Calls are written from literals or, for methods and for arguments that are none, from the source that the
sandbox wrote. An outcome is held by its literal, by the type of an exception or warning, or by a question
that the two commits answer differently: an attribute of the result, or of an argument after the call.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from repo_guardian.errors import TemplateError
from repo_guardian.tools.behaviour.interface import CallSource, Check, Divergence, Outcome, Target, Witness
from repo_guardian.tools.behaviour.written import brought, expression, imports_of
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.templates.source import Draft, dotted, equals, finish, literal

_TOLD_CHARS = 200
_MOST = 3
_VARIABLES = ("value", "target", "given")
_BUILTIN_WARNINGS = frozenset(
    [
        *("Warning", "UserWarning", "DeprecationWarning", "PendingDeprecationWarning", "SyntaxWarning"),
        *("RuntimeWarning", "FutureWarning", "ImportWarning", "UnicodeWarning", "BytesWarning"),
        *("ResourceWarning", "EncodingWarning"),
    ]
)
_SPELLED = {
    "__str__": "str({0})",
    "__repr__": "repr({0})",
    "__len__": "len({0})",
    "__hash__": "hash({0})",
    "__iter__": "iter({0})",
    "__bool__": "bool({0})",
    "__contains__": "({1} in {0})",
    "__getitem__": "{0}[{1}]",
    "__eq__": "({0} == {1})",
    "__ne__": "({0} != {1})",
    "__and__": "({0} & {1})",
    "__or__": "({0} | {1})",
    "__add__": "({0} + {1})",
    "__sub__": "({0} - {1})",
}
"""Special methods as they are called, by receiver and argument."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call in parts: what it needs, and its text with every part in place.

    ``receiver`` is empty for a function, and for a constructor.
    """

    imports: tuple[str, ...]
    receiver: str
    positional: tuple[str, ...]
    keywords: tuple[str, ...]
    callee: str
    way: str = "call"
    awaited: bool = False

    def text(self, receiver: str | None = None, positional: tuple[str, ...] | None = None) -> str:
        """The whole expression, with other words for the receiver or the positional arguments where given."""
        held = receiver or self.receiver
        given = self.positional if positional is None else positional
        name = self.callee.rpartition(".")[2]
        spelled = _SPELLED.get(name)
        if held and self.way == "get":
            return f"{held}.{name}"
        if held and spelled and not self.keywords and len(given) == spelled.count("{1}"):
            return spelled.replace("{0}", held).replace("{1}", "".join(given))
        words = ", ".join([*given, *self.keywords])
        made = f"{f'{held}.{name}' if held else self.callee}({words})"
        return f"asyncio.run({made})" if self.awaited else made


def render(divergence: Divergence) -> TestSource | None:
    """The test that holds the old outcome; None when no call and outcome can be written down."""
    return next(iter(renderings(divergence)), None)


def renderings(divergence: Divergence) -> tuple[TestSource, ...]:
    """The tests that hold the old outcome, of the smallest calls first; at most three."""
    own = Witness(divergence.arguments, None, divergence.old, divergence.new)
    found: dict[str, TestSource] = {}
    for witness in divergence.witnesses or (own,):
        try:
            test = finish(_draft(divergence.target, witness))
        except TemplateError:
            continue
        found.setdefault(test.text, test)
        if len(found) == _MOST:
            break
    return tuple(found.values())


def _draft(target: Target, witness: Witness) -> Draft:
    call = _call(target, witness)
    statements, words = _check(witness, call)
    return Draft(
        name=f"{dotted(target.qualname).removesuffix('.__init__')} {words}".replace(".", "_"),
        docstring=_told(witness),
        statements=(*call.imports, *statements),
    )


def _call(target: Target, witness: Witness) -> _Call:
    """The call of a witness, from literals where it has them.

    Raises:
        TemplateError: it cannot be written.
    """
    module, qualname = dotted(target.module), dotted(target.qualname)
    imported = f"from {module} import {qualname.partition('.')[0]}"
    if witness.arguments and not qualname.endswith(".__init__"):
        positional, keywords = _literals(witness.arguments)
        awaited = witness.source is not None and witness.source.awaited
        return _whole(_Call((imported,), "", positional, keywords, qualname, awaited=awaited))
    if witness.source is None:
        raise TemplateError("no source")
    return _whole(_from_source(module, qualname, imported, witness.source))


def _from_source(module: str, qualname: str, imported: str, source: CallSource) -> _Call:
    imports = imports_of(source, module.partition(".")[0])
    names = brought(imports)
    receiver = expression(source.receiver, names) if source.receiver else ""
    callee = qualname
    if source.way == "make":
        callee, receiver = receiver, ""
    elif not receiver:
        imports = (*imports, imported)
    return _Call(
        imports,
        receiver,
        tuple(expression(text, names) for text in source.positional),
        tuple(f"{dotted(name)}={expression(text, names)}" for name, text in source.keywords),
        callee,
        source.way,
        source.awaited,
    )


def _whole(call: _Call) -> _Call:
    if not call.awaited:
        return call
    return _Call(
        (*call.imports, "import asyncio"), call.receiver, call.positional, call.keywords, call.callee,
        call.way, awaited=True,
    )  # fmt: skip


def _told(witness: Witness) -> str:
    """Both outcomes as one line that no docstring can be left by."""
    old, new = (_plain(outcome.render()) for outcome in (witness.old, witness.new))
    return f"At the base this call {old}. Now it {new}."


def _plain(text: str) -> str:
    shown = text.encode("ascii", "backslashreplace").decode().replace("\\", "\\\\").replace('"', "'")
    return " ".join(shown.split())[:_TOLD_CHARS].rstrip("\\")


def _literals(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Positional and keyword arguments as source.

    Raises:
        TemplateError: they are not a pair of literals, or a keyword is no identifier.
    """
    try:
        args, kwargs = ast.literal_eval(text)
        named = tuple(f"{dotted(name)}={value!r}" for name, value in kwargs.items())
        return tuple(repr(value) for value in args), named
    except (ValueError, TypeError, SyntaxError, AttributeError, MemoryError, RecursionError) as error:
        raise TemplateError("arguments") from error


def _check(witness: Witness, call: _Call) -> tuple[tuple[str, ...], str]:
    """The statements of the one check, and what it claims in words fit for a name.

    Raises:
        TemplateError: the outcomes differ in nothing that can be written down.
    """
    old, new = witness.old, witness.new
    if old.fate or new.fate:
        raise TemplateError("fate")
    if old.exception is not None:
        return _raises(old.exception[0], new, call.text())
    if new.exception is not None or old.value != new.value:
        shown = _shown(witness, call)
        if shown is not None:
            return shown
    if witness.checks:
        return _asks(witness.checks[0], call)
    before, after = ({category for category, _ in outcome.warnings} for outcome in (old, new))
    for category in sorted(before ^ after):
        if category in _BUILTIN_WARNINGS:
            return _warns(category, call.text(), before=category in before)
    raise TemplateError("nothing to tell them apart by")


def _shown(witness: Witness, call: _Call) -> tuple[tuple[str, ...], str] | None:
    """The check of a result that differs, or is not given any more; None when the result does not show it."""
    old, new = witness.old, witness.new
    if old.literal and call.way != "make":
        return _gives(old, new, call.text())
    if call.way != "make" and witness.checks and witness.checks[0].where == "result":
        return _asks(witness.checks[0], call)
    return ((call.text(),), "is possible") if new.exception is not None else None


def _raises(name: str, new: Outcome, call: str) -> tuple[tuple[str, ...], str]:
    if new.exception is not None and new.exception[0] == name:
        raise TemplateError("the same exception")
    module, _, kind = dotted(name).rpartition(".")
    imports = (f"from {module} import {kind}",) if module else ()
    return ("import pytest", *imports, f"with pytest.raises({kind}):", f"    {call}"), f"raises {kind}"


def _gives(old: Outcome, new: Outcome, call: str) -> tuple[tuple[str, ...], str]:
    """The value itself is compared, and its representation where an equal one is something else."""
    value = ast.literal_eval(old.literal)
    imports: tuple[str, ...] = ()
    given = call
    if old.iterator:
        imports = ("from itertools import islice",)
        given = f"list(islice({call}, {len(value) + 1}))"
    words = f"gives {value!r}" if value is None or isinstance(value, bool) else "gives what it gave"
    if not new.literal and new.exception is None and value is not None and not isinstance(value, bool):
        return (*imports, f"assert repr({given}) == {repr(value)!r}"), words
    other = new.literal if new.iterator == old.iterator else None
    return (*imports, f"assert {equals(given, repr(value), other or None)}"), words


def _asks(check: Check, call: _Call) -> tuple[tuple[str, ...], str]:
    """One question about the result, or about an argument after the call."""
    place = check.where
    if place == "result" or (place == "0" and call.way == "make"):
        variable = "value"
        statements: tuple[str, ...] = (f"value = {call.text()}",)
    elif place == "0" and call.receiver:
        variable, statements = "target", (f"target = {call.receiver}", call.text(receiver="target"))
    else:
        number = int(place) - bool(call.receiver or call.way == "make")
        if not 0 <= number < len(call.positional):
            raise TemplateError("no such argument")
        others = (*call.positional[:number], "given", *call.positional[number + 1 :])
        variable, statements = "given", (f"given = {call.positional[number]}", call.text(positional=others))
    asked = expression(check.template.replace("{}", variable, 1), frozenset(_VARIABLES))
    told = "leaves what it left" if variable != "value" else "gives what it gave"
    return (*statements, f"assert {equals(asked, literal(check.old))}"), told


def _warns(category: str, call: str, *, before: bool) -> tuple[tuple[str, ...], str]:
    if before:
        return ("import pytest", f"with pytest.warns({category}):", f"    {call}"), f"warns {category}"
    quiet = (
        "import warnings",
        "with warnings.catch_warnings():",
        f"    warnings.simplefilter('error', {category})",
        f"    {call}",
    )
    return quiet, f"does not warn {category}"
