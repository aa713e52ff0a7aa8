"""Which embedding models there are. A new one is one more entry here and one more module beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from repo_guardian.errors import UsageError
from repo_guardian.tools.views.vector.interface import Embedder, EmbedderOptions

MODELS = ("wordllama", "openai")

_PREFIX = "GUARDIAN_EMBEDDINGS_"


def embedder(options: EmbedderOptions) -> Embedder:
    """The model that the options name; nothing is loaded, and nobody called, before it is used.

    Raises:
        UsageError: there is no such model, or the options do not say where it is.
    """
    if options.name == "wordllama":
        from repo_guardian.tools.views.vector.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if options.name == "openai":
        from repo_guardian.tools.views.vector.openai import OpenAIEmbedder

        return OpenAIEmbedder(options)
    raise UsageError(
        f"there is no embedding model {options.name!r}", hint=f"it is one of {', '.join(MODELS)}"
    )


def options_from(environment: Mapping[str, str] = os.environ) -> EmbedderOptions:
    """The model that the environment asks for: ``wordllama`` unless an endpoint is named.

    Read are ``GUARDIAN_EMBEDDINGS_URL``, ``_MODEL``, ``_DIMENSIONS``, ``_KEY_VARIABLE`` (the *name* of the
    variable that holds the key) and ``_CACHE`` (a file).

    Raises:
        UsageError: the dimensions are no number.
    """
    given = {
        key.removeprefix(_PREFIX): value for key, value in environment.items() if key.startswith(_PREFIX)
    }
    if not given.get("URL"):
        return EmbedderOptions()
    dimensions = given.get("DIMENSIONS", "")
    if not dimensions.isascii() or not dimensions.isdigit():
        raise UsageError(
            f"{_PREFIX}DIMENSIONS is {dimensions!r}", hint="give the length of the model's vectors, as 1536"
        )
    cache = given.get("CACHE")
    return EmbedderOptions(
        "openai",
        given["URL"],
        given.get("MODEL", ""),
        int(dimensions),
        given.get("KEY_VARIABLE", EmbedderOptions().key_variable),
        cache_file=Path(cache) if cache else None,
    )
