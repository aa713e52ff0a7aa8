"""Signatures and call shapes, and whether one binds to the other without running anything.

``Signature.bind`` follows the rules of ``inspect.Signature.bind`` (Python language reference, section
"Calls") for what can be decided from counts and names alone; a call with ``*args`` or ``**kwargs`` of
unknown content is reported as undecided rather than guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ParameterKind(StrEnum):
    """The five kinds of ``inspect.Parameter``."""

    POSITIONAL_ONLY = "positional_only"
    POSITIONAL_OR_KEYWORD = "positional_or_keyword"
    VAR_POSITIONAL = "var_positional"
    KEYWORD_ONLY = "keyword_only"
    VAR_KEYWORD = "var_keyword"


POSITIONAL = (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)
NAMED = (ParameterKind.POSITIONAL_OR_KEYWORD, ParameterKind.KEYWORD_ONLY)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; ``default`` and ``annotation`` are source text, None when absent."""

    name: str
    kind: ParameterKind
    default: str | None = None
    annotation: str | None = None

    @property
    def required(self) -> bool:
        """True when a call has to supply a value."""
        variadic = self.kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
        return self.default is None and not variadic

    def render(self) -> str:
        """The parameter as it would stand in a ``def``."""
        prefix = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}.get(self.kind, "")
        text = prefix + self.name
        if self.annotation is not None:
            text += f": {self.annotation}"
        if self.default is not None:
            text += f" = {self.default}" if self.annotation is not None else f"={self.default}"
        return text


@dataclass(frozen=True, slots=True)
class CallShape:
    """How a call passes its arguments, without their values.

    ``star`` and ``double_star`` say that ``*x`` or ``**x`` was passed, so counts are lower bounds.
    """

    positional: int = 0
    keywords: tuple[str, ...] = ()
    star: bool = False
    double_star: bool = False

    def render(self) -> str:
        """The shape as a call's argument list, e.g. ``(_, _, key=_)``."""
        parts = ["_"] * self.positional
        parts += ["*_"] if self.star else []
        parts += [f"{name}=_" for name in self.keywords]
        parts += ["**_"] if self.double_star else []
        return f"({', '.join(parts)})"


class Binding(StrEnum):
    """Whether a call shape fits a signature."""

    FITS = "fits"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class BindResult:
    """The outcome of a static bind and, when it fails, which argument does not fit."""

    binding: Binding
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """A callable's parameters in order (``self`` or ``cls`` already removed for bound use)."""

    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    is_async: bool = False
    is_generator: bool = False

    def render(self) -> str:
        """The signature as source text, e.g. ``(stream, Loader=None) -> Any``."""
        parts: list[str] = []
        seen_star = False
        for index, parameter in enumerate(self.parameters):
            if parameter.kind is ParameterKind.VAR_POSITIONAL:
                seen_star = True
            if parameter.kind is ParameterKind.KEYWORD_ONLY and not seen_star:
                parts.append("*")
                seen_star = True
            parts.append(parameter.render())
            following = self.parameters[index + 1 : index + 2]
            ends = not following or following[0].kind is not ParameterKind.POSITIONAL_ONLY
            if parameter.kind is ParameterKind.POSITIONAL_ONLY and ends:
                parts.append("/")
        text = f"({', '.join(parts)})"
        return f"{text} -> {self.returns}" if self.returns is not None else text

    def bind(self, call: CallShape) -> BindResult:
        """Decide whether ``call`` binds; see the module docstring for the source of the rules."""
        positional = [p for p in self.parameters if p.kind in POSITIONAL]
        named = {p.name for p in self.parameters if p.kind in NAMED}
        variadic = any(p.kind is ParameterKind.VAR_POSITIONAL for p in self.parameters)
        open_keywords = any(p.kind is ParameterKind.VAR_KEYWORD for p in self.parameters)
        if call.positional > len(positional) and not variadic:
            return _fails(f"takes {len(positional)} positional arguments, {call.positional} are given")
        taken = {p.name for p in positional[: call.positional]}
        for keyword in call.keywords:
            if keyword in taken and keyword in named:
                return _fails(f"argument {keyword!r} is given twice")
            if keyword not in named and not open_keywords:
                return _fails(f"has no parameter {keyword!r}")
        supplied = taken | set(call.keywords)
        missing = [p for p in self.parameters if p.required and p.name not in supplied]
        # A positional-only name given by keyword lands in **kwargs and supplies nothing.
        missing += [
            p for p in positional[call.positional :]
            if p.kind is ParameterKind.POSITIONAL_ONLY and p.required and p.name in call.keywords
        ]  # fmt: skip
        for parameter in missing:
            by_star = call.star and parameter.kind in POSITIONAL
            by_double_star = call.double_star and parameter.kind in NAMED
            if by_star or by_double_star:
                continue
            return _fails(f"misses the required argument {parameter.name!r}")
        undecided = call.star or call.double_star
        return BindResult(Binding.UNDECIDED if undecided else Binding.FITS)


def _fails(reason: str) -> BindResult:
    return BindResult(Binding.FAILS, reason)
