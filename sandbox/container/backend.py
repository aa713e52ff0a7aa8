"""The ``container`` backend: one container for each open sandbox, on Podman or on Docker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
import anyio.to_thread

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.bubblewrap.namespace import is_root
from repo_guardian.sandbox.container.engine import CONTROLLERS, DOCKER, Engine, find_engine, no_engine
from repo_guardian.sandbox.container.ground import sweep_grounds
from repo_guardian.sandbox.container.image import Image, find_image
from repo_guardian.sandbox.container.ownership import LABEL, Owner
from repo_guardian.sandbox.container.rootless import demand_rootless
from repo_guardian.sandbox.container.service import PodmanService, podman_program
from repo_guardian.sandbox.container.session import ContainerSandbox
from repo_guardian.sandbox.interface import PythonRuntime, Sandbox, SandboxSpec, SelfCheck

NAME = "container"


class ContainerBackend:
    """Isolation by a container engine.

    ``only`` restricts it to ``podman`` or ``docker``. Where no engine runs and Podman is installed, a
    service of our own is started with the first use, if ``start``, and ends with this program. The disk
    limits of ``SandboxSpec.limits`` hold for a sandbox as a whole; every other limit may differ by command
    where the container's control group can be changed, which root can. An ordinary user gets a Podman service
    of our own, whatever else runs; without a delegated control group, memory is then bounded by process.
    """

    name = NAME
    isolates = True

    def __init__(self, only: str | None = None, *, start: bool = True) -> None:
        self._only = only
        self._start = start
        self._service: PodmanService | None = None
        self._engine: Engine | None = None
        self._controllers = CONTROLLERS
        self._image: Image | None = None
        self._proof: SelfCheck | None = None
        self._lock = anyio.Lock()

    @property
    def image_digest(self) -> str:
        """``sha256:…`` of the runtime image, for the report; empty before the first self-check or sandbox."""
        return self._image.digest if self._image else ""

    @property
    def engine_name(self) -> str:
        """``podman`` or ``docker``; empty before the first self-check or sandbox."""
        return self._engine.name if self._engine else ""

    @property
    def python(self) -> str:
        """The interpreter inside: it lies in the image, not on the host."""
        return self._ready()[1].python

    def python_version(self) -> tuple[int, int]:
        """``(major, minor)`` of that interpreter."""
        return self._ready()[1].version

    def interpreters(self) -> tuple[PythonRuntime, ...]:
        """The one Python of the image."""
        image = self._ready()[1]
        return (PythonRuntime(image.version, image.python),)

    def engine(self) -> Engine:
        """The engine, found or started at the first call; what dead owners left on it is swept then.

        Raises:
            SandboxUnavailableError: there is none.
            SandboxError: it does not answer.
        """
        if self._engine is None:
            found = None
            if is_root():
                found = find_engine(self._only)
            else:
                self._check_user()
            if found is None and self._start and self._only != DOCKER and podman_program():
                self._service = PodmanService()
                found = self._service.engine
            if found is None:
                raise no_engine(self._only)
            self._controllers = CONTROLLERS if is_root() else found.controllers()
            sweep(found)
            self._engine = found
        return self._engine

    def _check_user(self) -> None:
        """Check that an ordinary user may go on: only with a Podman service of our own, made for that.

        Any other engine that such a user reaches does not see the mounts made for a sandbox.
        """
        if self._only == DOCKER or not self._start:
            raise SandboxUnavailableError(
                "for an ordinary user, containers run on Podman by a service of our own only",
                hint="use --sandbox container:podman or bubblewrap, or run as root",
            )
        if podman_program():
            demand_rootless()

    def _ready(self) -> tuple[Engine, Image]:
        engine = self.engine()
        if self._image is None:
            self._image = find_image(engine)
        return engine, self._image

    async def self_check(self) -> SelfCheck:
        """Try, inside a real sandbox, that each promised limit is enforced; remembered once it passes.

        Raises:
            SandboxUnavailableError: there is no engine or no image; the hint says what to do.
        """
        from repo_guardian.sandbox.conformance.suite import self_check

        if self._proof is None or not self._proof.passed:
            self._proof = await self_check(self)
        return self._proof

    def open(self, spec: SandboxSpec) -> AbstractAsyncContextManager[Sandbox]:
        """Open a sandbox over ``spec.checkout``; see ``Backend.open``."""
        return self._open(spec)

    @asynccontextmanager
    async def _open(self, spec: SandboxSpec) -> AsyncIterator[Sandbox]:
        async with self._lock:
            engine, image = await anyio.to_thread.run_sync(self._ready)
        if spec.python not in (None, image.version):
            wanted, there = (".".join(map(str, version or ())) for version in (spec.python, image.version))
            raise SandboxUnavailableError(
                f"Python {wanted} is not available to the sandbox",
                hint=f"use {there}, or `guardian sandbox build --base IMAGE@sha256:…` with another",
            )
        sandbox = ContainerSandbox(spec, engine, image, self._controllers)
        await sandbox.start()
        try:
            yield sandbox
        finally:
            with anyio.CancelScope(shield=True):
                await sandbox.close()

    def stop(self) -> None:
        """End the service that was started for this program, if one was."""
        if self._service is not None:
            self._service.stop()
        self._service = self._engine = self._image = self._proof = None


def sweep(engine: Engine) -> list[str]:
    """Remove containers and grounds of owners that are gone; returns the containers' identifiers."""
    swept: list[str] = []
    for found in engine.labelled(LABEL):
        owner = Owner.parse(found.labels)
        if owner is None or owner.gone():
            engine.remove(found.identifier)
            swept.append(found.identifier)
    sweep_grounds()
    return swept


def podman_backend() -> ContainerBackend:
    """The backend on Podman only."""
    return ContainerBackend("podman")


def docker_backend() -> ContainerBackend:
    """The backend on Docker only."""
    return ContainerBackend("docker")


def running_backend() -> ContainerBackend:
    """The backend on an engine that runs already; starts none."""
    return ContainerBackend(start=False)
