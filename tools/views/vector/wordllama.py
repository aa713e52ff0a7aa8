"""The default model: WordLlama's static vectors, word by word, with no network and no accelerator.

WordLlama (https://github.com/dleemiller/WordLlama, MIT) ships in its wheel a vector for each of Llama 2's
32,000 tokens, and means a text to be the mean of its tokens' vectors. Measured on docstring-to-function
retrieval, that is a poor use of it for code: a long chunk is mostly punctuation, indentation and
``self``. Here a text is the weighted sum of its *words*: identifiers are split into their parts, each part's
vector is the mean of its tokens' vectors scaled to length 1, scaled to length 1 again, and counts by the
square root of how often it occurs; the words of the heading count more. That doubled the mean reciprocal rank
(docs/decisions/0013), and is faster, since each distinct word is tokenized once.

The package itself is not imported: doing so configures the root logger and brings an HTTP client. Its two
files are read with the libraries that it uses, ``tokenizers`` and ``safetensors``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from repo_guardian.errors import EmbeddingError
from repo_guardian.tools.views.lexical.words import WORDS_VERSION, identifier_parts, identifiers
from repo_guardian.tools.views.vector.interface import Passage, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TENSOR = "embedding.weight"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_DIMENSIONS = 256
_POOLING = "1"
"""Changes when the same words give another vector."""

_HEADING_WEIGHT = 5.0
_WORDS_KEPT = 40_000
"""Distinct words whose vectors are kept, 1 KiB each; then they are forgotten and made again."""


class WordLlamaEmbedder:
    """``Embedder`` over the files of the installed package ``wordllama``."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._words = np.zeros((1024, _DIMENSIONS), np.float32)

    @cached_property
    def identity(self) -> str:
        """The package's version, and how words become a text."""
        return f"{_PACKAGE}/{_installed_version()}/words-{WORDS_VERSION}/pooling-{_POOLING}"

    @property
    def dimensions(self) -> int:
        """256."""
        return _DIMENSIONS

    def embed(self, passages: Sequence[Passage]) -> Vectors:
        """The vectors of chunks.

        Raises:
            EmbeddingError: the package's files are not there.
        """
        weighed = [_weights(passage) for passage in passages]
        self._learn(word for weights in weighed for word in weights)
        vectors = np.zeros((len(passages), _DIMENSIONS), np.float32)
        for number, weights in enumerate(weighed):
            if weights:
                rows = self._words[[self._rows[word] for word in weights]]
                # Not a matrix product: its sums may depend on how the rows lie in memory.
                rows *= np.array(list(weights.values()), np.float32)[:, None]
                vectors[number] = rows.sum(axis=0)
        return _unit(vectors)

    def embed_query(self, text: str) -> Vectors:
        """The vector of a query. Raises as ``embed`` does."""
        row: Vectors = self.embed([Passage("", text)])[0]
        return row

    def _learn(self, words: Iterable[str]) -> None:
        """Make sure that the vectors of all ``words`` are at hand."""
        if len(self._rows) > _WORDS_KEPT:
            self._rows.clear()
        new = [word for word in dict.fromkeys(words) if word not in self._rows]
        if not new:
            return
        needed = len(self._rows) + len(new)
        if needed > len(self._words):
            grown = np.zeros((max(needed, 2 * len(self._words)), _DIMENSIONS), np.float32)
            grown[: len(self._rows)] = self._words[: len(self._rows)]
            self._words = grown
        for word, encoding in zip(
            new, self._tokenizer.encode_batch(new, add_special_tokens=False), strict=True
        ):
            row = len(self._rows)
            tokens = _unit(self._tokens[encoding.ids].astype(np.float32))
            self._words[row] = _unit(tokens.sum(axis=0, keepdims=True))[0]
            self._rows[word] = row

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(_file(_TOKENIZER)))

    @cached_property
    def _tokens(self) -> np.ndarray[tuple[int, int], np.dtype[np.float16]]:
        from safetensors import safe_open

        with safe_open(_file(_WEIGHTS), framework="np") as tensors:
            weights: np.ndarray[tuple[int, int], np.dtype[np.float16]] = tensors.get_tensor(_TENSOR)
        return weights


def _weights(passage: Passage) -> dict[str, float]:
    """How much each word of a passage counts."""
    times: dict[str, int] = {}
    for identifier, count in identifiers(passage.text).items():
        for word in _meaningful(identifier):
            times[word] = times.get(word, 0) + count
    weights = {word: sqrt(count) for word, count in times.items()}
    for identifier, count in identifiers(passage.heading).items():
        for word in _meaningful(identifier):
            weights[word] = weights.get(word, 0.0) + _HEADING_WEIGHT * count
    return weights


@lru_cache(maxsize=1 << 16)
def _meaningful(identifier: str) -> tuple[str, ...]:
    """The words of an identifier without numbers and single letters."""
    return tuple([w for w in identifier_parts(identifier) if len(w) > 1 and not w.isdigit()])


def _unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return scaled


def _installed_version() -> str:
    """The package's version, from the name of the folder beside it that installers write (PEP 376, PEP 427).

    ``importlib.metadata`` brings the parser of mail headers, whose import is two thirds of the time of a
    refresh that finds everything done; it is asked only when no such folder says it.
    """
    prefix, suffix = f"{_PACKAGE}-", ".dist-info"
    found = [path.name for folder in _folders() for path in folder.parent.glob(f"{prefix}*{suffix}")]
    if len(found) == 1:
        return found[0].removeprefix(prefix).removesuffix(suffix)
    import importlib.metadata

    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError as error:
        raise _missing() from error


def _file(name: str) -> Path:
    for folder in _folders():
        if (folder / name).is_file():
            return folder / name
    raise _missing()


def _folders() -> list[Path]:
    """Where the package is; found without importing it."""
    spec = importlib.util.find_spec(_PACKAGE)
    return [] if spec is None else [Path(folder) for folder in spec.submodule_search_locations or ()]


def _missing() -> EmbeddingError:
    return EmbeddingError(
        "the embedding model WordLlama is not installed whole", hint="run `pip install 'wordllama>=0.4,<0.5'`"
    )
