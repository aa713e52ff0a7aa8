"""Turns a root file system into an image whose digest follows from its content alone.

An engine that imports a tar stamps the image with the time. An archive in the format of ``docker save``
(https://github.com/moby/moby/blob/master/image/spec/v1.2.md) carries its own configuration instead, and an
image's identifier is the SHA-256 of that: the same on Podman and on Docker, today and tomorrow.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

EPOCH = 315532800
"""No file in an image is younger: 1980-01-01, as ``SOURCE_DATE_EPOCH`` inside."""

LEFT_OUT = frozenset(
    {"boot", "home", "media", "mnt", "opt", "srv", "sys", "var", "dev", "proc", ".dockerenv"}
)
"""Top-level names of a distribution that no sandbox needs; engines make the last ones anew."""

_PRIVATE = frozenset({
    *("etc/shadow", "etc/shadow-", "etc/gshadow", "etc/gshadow-", "etc/hostname", "etc/machine-id"),
    *("etc/resolv.conf", "etc/subuid", "etc/subgid"),
})  # fmt: skip

_CREATED = "1980-01-01T00:00:00Z"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_CHUNK = 1 << 20


def normalize_layer(source: IO[bytes], target: IO[bytes]) -> None:
    """Copy a tar of a root file system from one stream to the other, so that equal trees give equal bytes.

    Members are sorted, times set, owners by number only. Dropped are ``LEFT_OUT``, devices, set-id bits,
    extended attributes and bytecode beside its source. ``source`` must be seekable.
    """
    with (
        tarfile.open(fileobj=source, mode="r:") as reader,
        tarfile.open(fileobj=target, mode="w:", format=tarfile.GNU_FORMAT) as writer,
    ):
        members = {_plain(member.name): member for member in reader}
        # A hard link comes after what it is a link to.
        for name in sorted(members, key=lambda name: (members[name].islnk(), name)):
            member = members[name]
            if not _wanted(name) or not (
                member.isreg() or member.isdir() or member.issym() or member.islnk()
            ):
                continue
            content = reader.extractfile(member) if member.isreg() else None
            writer.addfile(_normal(member, name), content)


def _plain(name: str) -> str:
    return "" if name in (".", "./") else name.removeprefix("./").strip("/")


def _wanted(name: str) -> bool:
    parts = name.split("/")
    return bool(name) and parts[0] not in LEFT_OUT and "__pycache__" not in parts and name not in _PRIVATE


def _normal(member: tarfile.TarInfo, name: str) -> tarfile.TarInfo:
    copy = tarfile.TarInfo(name)
    copy.type, copy.mode, copy.size = member.type, member.mode & 0o777, member.size
    copy.uid, copy.gid, copy.mtime = member.uid, member.gid, EPOCH
    copy.linkname = _plain(member.linkname) if member.islnk() else member.linkname
    return copy


def configuration(layer_digest: str, labels: Mapping[str, str]) -> bytes:
    """The image's configuration as canonical JSON; its SHA-256 is the image's identifier."""
    machine = platform.machine()
    document = {
        "architecture": _ARCHITECTURES.get(machine, machine),
        "config": {"Labels": dict(labels)},
        "created": _CREATED,
        "history": [{"created": _CREATED, "created_by": "guardian sandbox build"}],
        "os": "linux",
        "rootfs": {"diff_ids": [f"sha256:{layer_digest}"], "type": "layers"},
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def write_archive(layer: Path, tag: str, labels: Mapping[str, str], target: Path) -> str:
    """Wrap the tar ``layer`` as the image ``tag`` in the archive ``target``; returns ``sha256:…`` of it."""
    with layer.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    config = configuration(digest, labels)
    identifier = hashlib.sha256(config).hexdigest()
    manifest = [{"Config": f"{identifier}.json", "RepoTags": [tag], "Layers": [f"{digest}/layer.tar"]}]
    with tarfile.open(target, mode="w:", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in (
            (f"{identifier}.json", config),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            archive.addfile(_member(name, len(content)), io.BytesIO(content))
        with layer.open("rb") as stream:
            archive.addfile(_member(f"{digest}/layer.tar", layer.stat().st_size), stream)
    return f"sha256:{identifier}"


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o644, EPOCH
    return member
