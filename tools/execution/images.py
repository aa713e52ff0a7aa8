"""The runtime image of the ``container`` sandbox, for the command that makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_guardian.sandbox.container.image import Image


def build_runtime_image(
    engine: str | None, *, compiler: bool, base: str | None, say: Callable[[str], None]
) -> tuple[str, Image]:
    """Make the image on ``engine`` (``podman``, ``docker``, None for the first found); returns its name too.

    Raises:
        SandboxUnavailableError: there is no engine, or nothing to make the image from.
        SandboxError: the engine refuses.
    """
    from repo_guardian.sandbox.container.backend import ContainerBackend
    from repo_guardian.sandbox.container.image import build_image

    backend = ContainerBackend(engine)
    try:
        found = backend.engine()
        return found.name, build_image(found, compiler=compiler, base=base, say=say)
    finally:
        backend.stop()
