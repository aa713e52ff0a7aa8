"""A container engine behind its Docker-compatible socket, and where sockets are looked for.

Podman and Docker answer the same requests through docker-py. What is asked of them is little: images, one
container a sandbox, and the list of containers that carry our label. All methods block; callers use threads.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repo_guardian.errors import SandboxError, SandboxUnavailableError

if TYPE_CHECKING:
    from docker import DockerClient

PODMAN, DOCKER = "podman", "docker"

CONTROLLERS = frozenset({"cpu", "memory", "pids"})
"""Of the kernel's controllers of control groups, those that are used."""

_API = "1.40"
"""Spoken by Docker since 19.03 and by Podman since 3.0; naming it saves asking (0.4 s on Podman)."""

_LIBPOD = "/v4.0.0/libpod"
_TIMEOUT_S = 60
_PING_S = 5
_REMOVE_S = 15.0
_STEP_S = 0.02
_LOAD_S = 600
_CHUNK = 1 << 20
_REASON_CHARACTERS = 400


def sockets(environment: Mapping[str, str]) -> Iterator[Path]:
    """Unix sockets where an engine may listen: those that the environment names, then the usual places."""
    for name in ("CONTAINER_HOST", "DOCKER_HOST"):
        scheme, _, rest = environment.get(name, "").partition("://")
        if scheme == "unix" and rest.startswith("/"):
            yield Path(rest)
    runtime = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    yield Path("/run/podman/podman.sock")
    yield Path(runtime) / "podman" / "podman.sock"
    yield Path("/var/run/docker.sock")
    yield Path(runtime) / "docker.sock"


def find_engine(only: str | None = None, environment: Mapping[str, str] | None = None) -> Engine | None:
    """A running engine: one that the environment names, else Podman, else Docker; None when none answers.

    ``only`` restricts to ``podman`` or ``docker``. A socket on which nobody answers, or that may not be
    opened, is passed over: a client without a daemon is common.
    """
    for path in dict.fromkeys(sockets(os.environ if environment is None else environment)):
        with suppress(OSError):
            if not stat.S_ISSOCK(path.stat().st_mode):
                continue
            engine = connect(path)
            if engine is not None and only in (None, engine.name):
                return engine
    return None


def connect(path: Path) -> Engine | None:
    """The engine that answers on ``path``, or None."""
    import docker
    import requests

    client = docker.DockerClient(base_url=f"unix://{path}", version=_API, timeout=_PING_S)
    try:
        # docker-py has no public way to the headers of a ping, and they say which engine it is.
        answer = client.api.get(f"http+docker://localhost/v{_API}/_ping")
        answer.raise_for_status()
    except (requests.exceptions.RequestException, docker.errors.DockerException, OSError):
        client.close()
        return None
    client.api.timeout = _TIMEOUT_S
    return Engine(PODMAN if "Libpod-API-Version" in answer.headers else DOCKER, path, client)


@dataclass(frozen=True, slots=True)
class Found:
    """One of our containers, whoever made it."""

    identifier: str
    labels: Mapping[str, str]


class Engine:
    """One engine; ``name`` is ``podman`` or ``docker``, ``socket`` where it listens."""

    def __init__(self, name: str, socket: Path, client: DockerClient) -> None:
        self.name = name
        self.socket = socket
        self._client = client
        # Rootless Podman reads the subordinate identities for each container through libsubid, which several
        # threads of its service must not enter at once: it then finds none, or ends with the service.
        self._creating: AbstractContextManager[object] = (
            nullcontext() if os.geteuid() == 0 else threading.Lock()
        )

    def rootless(self) -> bool:
        """Whether the engine itself runs without root's rights."""
        info = self._client.info()
        return bool(info.get("Rootless")) or "name=rootless" in (info.get("SecurityOptions") or [])

    def controllers(self) -> frozenset[str]:
        """The controllers that a container's control group can have: of a user's only what is delegated.

        Raises:
            SandboxError: the engine does not answer.
        """
        if not self.rootless():
            return CONTROLLERS
        with _translated("ask for the control groups"):
            # The Docker-compatible answer tells what the kernel has, not what was delegated.
            answer = self._client.api.get(f"http+docker://localhost{_LIBPOD}/info")
            answer.raise_for_status()
            return CONTROLLERS & frozenset(answer.json()["host"].get("cgroupControllers") or ())

    def image(self, tag: str) -> tuple[str, Mapping[str, str]] | None:
        """``(digest, labels)`` of the image called ``tag``, or None.

        Raises:
            SandboxError: the engine does not answer.
        """
        import docker

        with _translated("look for an image"):
            try:
                found = self._client.images.get(tag)
            except docker.errors.ImageNotFound:
                return None
            return str(found.id), dict(found.labels)

    def load(self, archive: Path) -> None:
        """Load an image archive.

        Raises:
            SandboxError: the engine refuses it.
        """
        with _translated("load the image"), archive.open("rb") as stream, self._patience():
            self._client.images.load(stream)

    def pull(self, reference: str) -> str:
        """Pull an image; returns why it could not be had, empty when it is there."""
        try:
            with _translated("pull"), self._patience():
                self._client.images.pull(reference)
        except SandboxError as error:
            return error.message.removeprefix("cannot pull: ")
        return ""

    def run_and_export(self, reference: str, command: Sequence[str], target: Path) -> None:
        """Run ``command``, ours and with a network, as root in a container of an image; export its files.

        Raises:
            SandboxError: it failed.
        """
        with _translated("prepare the image"), self._patience():
            container = self._client.containers.create(reference, list(command), user="0", entrypoint=[])
            try:
                container.start()
                status = int(container.wait()["StatusCode"])
                if status != 0:
                    said = container.logs(tail=1).decode("utf-8", "replace").strip()
                    raise SandboxError(f"preparing the image failed: {said or status}")
                with target.open("wb") as stream:
                    for chunk in container.export(chunk_size=_CHUNK):
                        stream.write(chunk)
            finally:
                container.remove(force=True, v=True)

    def start(self, image: str, command: Sequence[str], options: Mapping[str, Any]) -> str:
        """Create and start a container; returns its identifier.

        Raises:
            SandboxError: the engine refuses.
        """
        with _translated("start a container"):
            with self._creating:
                container = self._client.containers.create(image, list(command), **options)
            try:
                container.start()
            except BaseException:
                with suppress(Exception):
                    container.remove(force=True, v=True)
                raise
            return str(container.id)

    def remove(self, identifier: str) -> None:
        """Kill and remove a container; one that is gone already is fine.

        Raises:
            SandboxError: it resists.
        """
        import docker

        deadline = time.monotonic() + _REMOVE_S
        while True:
            with _translated("remove a container"):
                try:
                    self._client.api.remove_container(identifier, force=True, v=True)
                except docker.errors.NotFound:
                    return
                except docker.errors.APIError:
                    # A container that ends by itself is being removed by its engine at the same time: the
                    # answer is an error of some kind, and soon there is no such container.
                    if time.monotonic() > deadline:
                        raise
                else:
                    return
            time.sleep(_STEP_S)

    def labelled(self, label: str) -> list[Found]:
        """Containers that carry ``label``, stopped ones included.

        Raises:
            SandboxError: the engine does not answer.
        """
        with _translated("list containers"):
            rows = self._client.api.containers(all=True, filters={"label": label})
            return [Found(str(row["Id"]), dict(row.get("Labels") or {})) for row in rows]

    def close(self) -> None:
        """Drop the connections."""
        self._client.close()

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """Widens the time-out for requests that move whole images."""
        self._client.api.timeout = _LOAD_S
        try:
            yield
        finally:
            self._client.api.timeout = _TIMEOUT_S


@contextmanager
def _translated(what: str) -> Iterator[None]:
    """Turns the engine's and the transport's errors into ours, in one line."""
    import docker
    import requests

    try:
        yield
    except docker.errors.APIError as error:
        raise _failure(what, str(error.explanation or error)) from error
    except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as error:
        raise _failure(what, str(error)) from error


def _failure(what: str, said: str) -> SandboxError:
    line = " ".join(said.split())[:_REASON_CHARACTERS]
    return SandboxError(f"cannot {what}: {line}", hint="see the engine's log")


def no_engine(only: str | None) -> SandboxUnavailableError:
    """The error that says that no engine is there, with how to get one."""
    what = only or "container engine"
    package = "docker.io" if only == DOCKER else "podman"
    return SandboxUnavailableError(f"no {what} is running or installed", hint=f"apt-get install {package}")
