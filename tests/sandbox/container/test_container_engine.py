"""Which engine is found or started, and which image a sandbox runs."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from repo_guardian.errors import SandboxUnavailableError
from repo_guardian.sandbox.container import image as image_module
from repo_guardian.sandbox.container.archive import normalize_layer, write_archive
from repo_guardian.sandbox.container.backend import ContainerBackend
from repo_guardian.sandbox.container.engine import DOCKER, PODMAN, connect, find_engine, sockets
from repo_guardian.sandbox.container.image import build_image, find_image
from repo_guardian.sandbox.container.service import PodmanService, configuration
from repo_guardian.sandbox.registry import backend_names, load, select

_SERVICE = """
import time
from repo_guardian.sandbox.container.service import PodmanService
service = PodmanService()
print(service.engine.socket, flush=True)
time.sleep(60)
"""


def test_the_environment_s_sockets_come_first():
    given = {"DOCKER_HOST": "unix:///a/docker.sock", "CONTAINER_HOST": "unix:///a/podman.sock"}
    found = [str(path) for path in sockets({**given, "XDG_RUNTIME_DIR": "/run/user/7"})]
    assert found[:3] == ["/a/podman.sock", "/a/docker.sock", "/run/podman/podman.sock"]
    assert "/run/user/7/podman/podman.sock" in found
    assert "/var/run/docker.sock" in found


def test_an_engine_on_another_machine_is_not_used():
    for address in ("tcp://192.0.2.1:2375", "ssh://user@host", "unix://relative.sock", ""):
        assert Path("/run/podman/podman.sock") == next(iter(sockets({"DOCKER_HOST": address})))


def test_a_socket_on_which_nobody_answers_is_passed_over(tmp_path):
    silent, deaf = tmp_path / "silent.sock", tmp_path / "file"
    deaf.write_text("")
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(silent))
    assert connect(silent) is None
    for path in (silent, deaf, tmp_path / "none"):
        found = find_engine(environment={"DOCKER_HOST": f"unix://{path}"})
        assert found is None or found.socket != path


def test_the_engine_says_what_it_is(backend):
    assert backend.engine_name in (PODMAN, DOCKER)
    found = connect(backend.engine().socket)
    assert found is not None
    assert found.name == backend.engine_name
    assert found.rootless() is False
    found.close()


@pytest.mark.usefixtures("podman")
def test_a_service_is_started_and_stopped():
    service = PodmanService()
    path = service.engine.socket
    assert connect(path) is not None
    service.stop()
    assert not path.exists()
    assert not path.parent.exists()
    assert connect(path) is None


@pytest.mark.usefixtures("podman")
def test_a_service_ends_with_a_program_that_is_killed():
    with subprocess.Popen([sys.executable, "-c", _SERVICE], stdout=subprocess.PIPE, text=True) as program:
        path = Path(program.stdout.readline().strip())
        assert connect(path) is not None
        program.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 15
    while connect(path) is not None:
        assert time.monotonic() < deadline, "the service outlived its program"
        time.sleep(0.05)


def test_the_configuration_of_a_service_stays_within_the_hard_limits():
    import resource
    import tomllib

    settings = tomllib.loads(configuration())
    for text in settings["containers"]["default_ulimits"]:
        name, _, amounts = text.partition("=")
        soft, hard = map(int, amounts.split(":"))
        ceiling = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
        assert soft <= hard
        assert ceiling == resource.RLIM_INFINITY or hard <= ceiling


async def test_without_an_image_it_says_how_to_make_one(backend, monkeypatch):
    monkeypatch.setattr(image_module, "_recipe", lambda: "none")
    fresh = ContainerBackend(backend.engine_name)
    fresh._engine = backend.engine()
    with pytest.raises(SandboxUnavailableError, match="no runtime image") as caught:
        await fresh.self_check()
    assert "guardian sandbox build" in caught.value.hint
    assert fresh.image_digest == ""


def test_the_image_is_known_by_its_digest(backend):
    found = find_image(backend.engine())
    assert backend.python_version() == found.version
    assert backend.python == found.python
    assert backend.image_digest == found.digest
    assert found.digest.startswith("sha256:")
    assert [(one.version, one.path, one.host_path) for one in backend.interpreters()] == [
        (found.version, found.python, None)
    ]


def test_a_base_that_cannot_be_had_is_said_in_one_line(backend):
    said = []
    with pytest.raises(SandboxUnavailableError, match="cannot pull") as caught:
        build_image(backend.engine(), base="localhost/no-such-image:1", say=said.append)
    assert "\n" not in caught.value.message
    assert said == ["pulling localhost/no-such-image:1"]


async def test_every_engine_has_a_name_in_the_registry():
    assert {"container", "container:podman", "container:docker"} <= set(backend_names())
    assert load("container:podman") is not load("container:docker")
    assert load("container").name == load("container:docker").name == "container"


async def test_auto_starts_no_engine(monkeypatch):
    monkeypatch.setattr(
        "repo_guardian.sandbox.container.backend.PodmanService", lambda: pytest.fail("a service was started")
    )
    monkeypatch.setattr("repo_guardian.sandbox.container.engine.sockets", lambda _: iter(()))
    load.cache_clear()
    assert (await select("auto")).name == "bubblewrap"


async def test_a_named_engine_that_is_not_there_is_an_error_with_a_hint(monkeypatch):
    monkeypatch.setattr("repo_guardian.sandbox.container.backend.find_engine", lambda _: None)
    with pytest.raises(SandboxUnavailableError, match=r"no docker|for an ordinary user") as caught:
        await ContainerBackend("docker").self_check()
    assert "apt-get install docker.io" in caught.value.hint or os.geteuid() != 0


def _tree(names: list[str], stamp: int) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.mtime, member.uname, member.mode = stamp, f"user{stamp}", 0o4755
            content = b"" if name.endswith("d") else name.strip("./").encode()
            member.type = tarfile.DIRTYPE if name.endswith("d") else tarfile.REGTYPE
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("./a-link")
        link.type, link.linkname = tarfile.LNKTYPE, "./z"
        archive.addfile(link)
        device = tarfile.TarInfo("./null")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    stream.seek(0)
    return stream


def test_equal_trees_give_equal_images(tmp_path):
    digests = set()
    for stamp, names in enumerate((["./d", "./z", "./home/x"], ["z", "d"])):
        layer = tmp_path / f"layer{stamp}.tar"
        with layer.open("wb") as target:
            normalize_layer(_tree(names, stamp), target)
        digests.add(write_archive(layer, "localhost/x:1", {"a": "b"}, tmp_path / "image.tar"))
    assert len(digests) == 1
    with tarfile.open(layer) as tree:
        # The link is last: what it links to has to be there when it is unpacked.
        assert [(member.name, member.mode, member.mtime) for member in tree] == [
            ("d", 0o755, 315532800),
            ("z", 0o755, 315532800),
            ("a-link", 0o644, 315532800),
        ]
