"""The base of all wire models, and the two small values that several of them share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """Frozen and closed: an unknown field is an error, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Location(Wire):
    """A place in a tree: repository-relative path, 1-based inclusive lines, and the line's text."""

    path: str
    start_line: int
    end_line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.start_line}"


class Locus(Wire):
    """What a claim is about: files and symbols; often the relation between two of them."""

    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
