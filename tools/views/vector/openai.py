"""Embeddings from an endpoint that speaks OpenAI's API (``POST {base_url}/embeddings``), if configured.

The API: https://platform.openai.com/docs/api-reference/embeddings. A failed connection, a 429 and a 5xx are
tried again by urllib3's ``Retry``, which waits longer each time or as long as ``Retry-After`` says.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from repo_guardian.errors import EmbeddingError, UsageError
from repo_guardian.tools.views.vector.interface import EmbedderOptions, Passage, Vectors
from repo_guardian.tools.views.vector.kept import KeptVectors

if TYPE_CHECKING:
    import requests

_TRIED_AGAIN = (408, 409, 429, 500, 502, 503, 504)
_BACKOFF_S = 0.5
_LONGEST_PAUSE_S = 30


class OpenAIEmbedder:
    """``Embedder`` over an endpoint.

    Args:
        options: with ``base_url``, ``model`` and ``dimensions``.

    Raises:
        UsageError: one of them is missing, or the address is not HTTP.
    """

    def __init__(self, options: EmbedderOptions) -> None:
        address = urlsplit(options.base_url)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise UsageError(
                f"the embeddings endpoint {options.base_url!r} is no HTTP address",
                hint="give one like https://host/v1",
            )
        if not options.model or options.dimensions < 1:
            raise UsageError(
                "the embeddings endpoint needs a model and its dimensions", hint="name both in the options"
            )
        self._options = options
        self._kept = KeptVectors(options.cache_file, options.dimensions) if options.cache_file else None

    @property
    def identity(self) -> str:
        """The model, not the address: a model is the same wherever it is served."""
        return f"openai/{self._options.model}/{self._options.dimensions}/chars-{self._options.text_chars}"

    @property
    def dimensions(self) -> int:
        """As the options say."""
        return self._options.dimensions

    def embed(self, passages: Sequence[Passage]) -> Vectors:
        """The vectors of chunks, from the file of kept vectors where they are there already.

        Raises:
            EmbeddingError: the endpoint failed for good, or its answer is not one vector for each text.
            StateDirError: the kept vectors cannot be read or written.
        """
        return self._embed([f"{heading}\n{text}" if heading else text for heading, text in passages])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query. Raises as ``embed`` does."""
        row: Vectors = self._embed([text])[0]
        return row

    def _embed(self, texts: Sequence[str]) -> Vectors:
        texts = [text[: self._options.text_chars] or " " for text in texts]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        missing = list(range(len(texts)))
        if self._kept is not None:
            kept = self._kept.get(self.identity, texts)
            for number, row in kept.items():
                vectors[number] = row
            missing = [number for number in missing if number not in kept]
        for start in range(0, len(missing), self._options.batch):
            numbers = missing[start : start + self._options.batch]
            asked = [texts[number] for number in numbers]
            vectors[numbers] = made = self._ask(asked)
            if self._kept is not None:
                self._kept.put(self.identity, asked, made)
        return vectors

    def _ask(self, texts: list[str]) -> Vectors:
        import requests

        url = f"{self._options.base_url.rstrip('/')}/embeddings"
        body = {"model": self._options.model, "input": texts, "encoding_format": "float"}
        try:
            answer = self._session.post(
                url, json=body, headers=self._headers(), timeout=self._options.timeout_s
            )
            content = answer.json() if answer.ok else None
        except (requests.RequestException, ValueError) as error:
            raise self._failed(type(error).__name__) from error
        if not answer.ok:
            raise self._failed(f"HTTP {answer.status_code}")
        return self._rows(content, len(texts))

    def _headers(self) -> dict[str, str]:
        name = self._options.key_variable
        if not name:
            return {}
        key = os.environ.get(name, "")
        if not key:
            raise EmbeddingError(f"the environment variable {name} holds no API key", hint=f"set {name}")
        return {"Authorization": f"Bearer {key}"}

    def _rows(self, content: Any, count: int) -> Vectors:
        """The vectors of an answer in the order of the texts, scaled to length 1."""
        try:
            entries = sorted(content["data"], key=lambda entry: int(entry["index"]))
            rows = np.array([entry["embedding"] for entry in entries], np.float32)
            places = [entry["index"] for entry in entries]
        except (KeyError, TypeError, ValueError) as error:
            raise self._failed("an answer without vectors") from error
        if (
            places != list(range(count))
            or rows.shape != (count, self.dimensions)
            or not np.isfinite(rows).all()
        ):
            raise self._failed(f"vectors of shape {rows.shape}, not {(count, self.dimensions)}")
        scaled: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return scaled

    def _failed(self, what: str) -> EmbeddingError:
        host = urlsplit(self._options.base_url).netloc.rpartition("@")[2]
        return EmbeddingError(
            f"the embeddings endpoint {host} failed: {what}",
            hint="check its address, model and key, or unset it to use the model that is installed",
        )

    @cached_property
    def _session(self) -> requests.Session:
        import requests
        from requests.adapters import HTTPAdapter
        from urllib3.util.retry import Retry

        retry = Retry(
            self._options.retries,
            redirect=0,
            status_forcelist=_TRIED_AGAIN,
            allowed_methods=("POST",),
            backoff_factor=_BACKOFF_S,
            backoff_max=_LONGEST_PAUSE_S,
            retry_after_max=_LONGEST_PAUSE_S,
            raise_on_status=False,
        )
        session = requests.Session()
        session.trust_env = False
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=retry))
        return session
