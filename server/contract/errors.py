"""How a deliberate error crosses MCP: as a text that a model can act on and a client can read back.

The form is ``[ClassName] message`` and, on a second line, ``To mend: hint``. Only classes of
``repo_guardian.errors`` are read back; anything else becomes a plain ``GuardianError``.
"""

from __future__ import annotations

import re

from repo_guardian import errors
from repo_guardian.errors import GuardianError

_FORM = re.compile(r"\[(?P<name>[A-Za-z]+)\] (?P<message>[^\n]*)(?:\nTo mend: (?P<hint>[^\n]*))?\Z")


def encode_error(error: GuardianError) -> str:
    """The text of ``error``; newlines inside message and hint become spaces."""
    message = " ".join(error.message.split())
    hint = " ".join(error.hint.split())
    text = f"[{type(error).__name__}] {message}"
    return f"{text}\nTo mend: {hint}" if hint else text


def decode_error(text: str) -> GuardianError:
    """The error that ``encode_error`` wrote; never raises."""
    match = _FORM.match(text)
    if match is None:
        return GuardianError(" ".join(text.split()))
    kind = getattr(errors, match["name"], None)
    if not (isinstance(kind, type) and issubclass(kind, GuardianError)):
        kind = GuardianError
    return kind(match["message"], hint=match["hint"] or "")
