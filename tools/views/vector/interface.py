"""What an embedding model is: the plug point of the vector view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One row for each text, of length 1; a row of zeros for a text without meaning to the model."""


class Passage(NamedTuple):
    """A chunk as a model sees it: the dotted name or the title that it stands under, and its text."""

    heading: str
    text: str


class Embedder(Protocol):
    """A model. Equal passages give equal rows whatever stands beside them in the call."""

    @property
    def identity(self) -> str:
        """Everything that the vectors depend on; a view of another identity is built anew."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a row."""
        ...

    def embed(self, passages: Sequence[Passage]) -> Vectors:
        """The vectors of chunks, ``[len(passages), dimensions]``.

        Raises:
            EmbeddingError: the model cannot be had.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query, ``[dimensions]``.

        Raises:
            EmbeddingError: the model cannot be had.
        """
        ...


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """Which model, and how to reach it; everything but ``name`` is for endpoints.

    Attributes:
        name: ``wordllama``, or ``openai`` for any endpoint that speaks OpenAI's API.
        base_url: what comes before ``/embeddings``.
        model: the endpoint's name of the model.
        dimensions: the length of the model's vectors.
        key_variable: the environment variable that holds the API key; empty when none is sent.
        batch: texts sent in one request.
        text_chars: characters of a text that are sent.
        retries: how often a failed request is made again, with growing pauses or as the server asks.
        timeout_s: seconds until an answer has begun.
        cache_file: where paid vectors are kept beyond the views; None keeps none.
    """

    name: str = "wordllama"
    base_url: str = ""
    model: str = ""
    dimensions: int = 0
    key_variable: str = "OPENAI_API_KEY"
    batch: int = 64
    text_chars: int = 8_000
    retries: int = 4
    timeout_s: float = 60.0
    cache_file: Path | None = None
