r"""Validated field types: the one place where strangers' text is made fit to be stored.

Table models validate nothing, so every value passes through these types first. Text from repositories
may hold NUL characters and lone surrogates (file names that are not UTF-8, decoded with
``surrogateescape``). Both are **escaped, never rejected**: a repository must not be able to stop its own
cycle from being recorded. NUL becomes the four characters ``\x00``, an escaped byte ``\xNN``, any other
surrogate ``\uNNNN``. The same function runs over the arguments of every read, so look-ups match. The
escape is readable rather than reversible: a file literally named ``a\xff`` shares its name with the
byte.

Over-long text is bounded the same way in both directions: identifiers keep a digest of the whole, so that
two long ones stay apart; excerpts say how much was cut; documents and detail, which only this program
writes, are refused instead.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

MAX_INT = 2**63 - 1
"""The largest integer that SQLite (and a BIGINT) can hold."""

MAX_IDENTIFIER_CHARS = 1_000
MAX_EXCERPT_CHARS = 16_384
MAX_DOCUMENT_CHARS = 1_048_576
MAX_JSON_CHARS = 1_048_576
MAX_JSON_DEPTH = 50

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def escape(text: str) -> str:
    """``text`` without NUL and lone surrogates; see the module docstring for the form."""
    return _UNSTORABLE.sub(_escape_one, text)


def _escape_one(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point == 0:
        return "\\x00"
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    return f"\\u{point:04x}"


def identifier(text: str) -> str:
    """``text`` as a key: escaped and, past ``MAX_IDENTIFIER_CHARS``, cut with a digest of the whole."""
    clean = escape(text)
    if len(clean) <= MAX_IDENTIFIER_CHARS:
        return clean
    digest = hashlib.sha256(clean.encode()).hexdigest()[:16]
    return f"{clean[: MAX_IDENTIFIER_CHARS - 18]}…#{digest}"


def excerpt(text: str) -> str:
    """``text`` escaped and, past ``MAX_EXCERPT_CHARS``, cut with a note of how much is missing."""
    clean = escape(text)
    if len(clean) <= MAX_EXCERPT_CHARS:
        return clean
    kept = MAX_EXCERPT_CHARS - 40
    return f"{clean[:kept]}\n[… {len(clean) - kept} characters cut]"


def canonical_json(value: object) -> str:
    """``value`` as JSON text with sorted keys: equal values give equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def utc_now() -> str:
    """The present as ISO 8601 in UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _text_first(clean: Any) -> Any:
    def validate(value: Any) -> Any:
        plain = value.value if isinstance(value, Enum) else value
        return clean(plain) if isinstance(plain, str) else plain

    return validate


def _clean_json(value: object, depth: int = 0) -> Any:
    if depth > MAX_JSON_DEPTH:
        raise ValueError(f"nested deeper than {MAX_JSON_DEPTH}")
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return _clean_number(value)
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, Mapping):
        # Sorted, as the database keeps it: the JSON file of a cycle is then the same from either.
        return {
            key: _clean_json(item, depth + 1)
            for key, item in sorted(_clean_items(value).items(), key=itemgetter(0))
        }
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_clean_json(item, depth + 1) for item in value]
    raise ValueError(f"{type(value).__name__} is not a JSON value")


def _clean_number(value: int | float) -> int | float:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a finite number")
    if isinstance(value, int) and abs(value) > MAX_INT:
        raise ValueError("an integer that does not fit 64 bits")
    return value


def _clean_items(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {_clean_key(key): item for key, item in value.items()}


def _clean_key(key: object) -> str:
    plain = key.value if isinstance(key, Enum) else key
    if not isinstance(plain, str):
        # pydantic reports ValueError, not TypeError, as a validation error.
        raise ValueError(f"an object's key is a {type(plain).__name__}, not text")  # noqa: TRY004
    return escape(plain)


def _clean_object(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    clean = _clean_json(value)
    if len(canonical_json(clean)) > MAX_JSON_CHARS:
        raise ValueError(f"longer than {MAX_JSON_CHARS} characters as JSON")
    return clean


def _aware_instant(value: str) -> str:
    if datetime.fromisoformat(value).tzinfo is None:
        raise ValueError("an instant needs its offset from UTC")
    return value


def _relative_path(value: str) -> str:
    path = PurePosixPath(value)
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise ValueError("not a path below the memory's directory")
    return value


Identifier = Annotated[str, BeforeValidator(_text_first(identifier)), Field(min_length=1)]
"""A key, name, path or test id: never empty, at most ``MAX_IDENTIFIER_CHARS``."""

Word = Annotated[str, BeforeValidator(_text_first(identifier))]
"""Like ``Identifier``, and may be empty."""

Excerpt = Annotated[str, BeforeValidator(_text_first(excerpt))]
"""Free text, at most ``MAX_EXCERPT_CHARS``; the rest is cut and the cut is said."""

Document = Annotated[str, BeforeValidator(_text_first(escape)), Field(max_length=MAX_DOCUMENT_CHARS)]
"""Text that has to stay whole, such as a test's source; refused past ``MAX_DOCUMENT_CHARS``."""

CommitId = Annotated[str, Field(pattern=r"\A[0-9a-f]{40}(?:[0-9a-f]{24})?\z")]
"""A full object id, SHA-1 or SHA-256."""

Instant = Annotated[str, Field(max_length=40), AfterValidator(_aware_instant)]
"""A moment as ISO 8601 text with its offset from UTC."""

RelativePath = Annotated[str, BeforeValidator(_text_first(escape)), AfterValidator(_relative_path)]
"""A POSIX path below the memory's directory."""

Count = Annotated[int, Field(ge=0, le=MAX_INT)]
"""A number of things."""

CycleNumber = Annotated[int, Field(ge=1, le=MAX_INT)]
"""The number of a cycle, counted from 1."""

Seconds = Annotated[float, Field(ge=0)]
"""A duration in seconds."""

Share = Annotated[float, Field(ge=0, le=1)]
"""A stated probability."""

JsonObject = Annotated[dict[str, Any], BeforeValidator(_clean_object)]
"""Kind-specific detail: finite numbers, 64-bit integers, storable text, bounded in depth and length."""
