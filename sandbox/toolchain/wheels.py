"""Looks at a wheel that a stranger's build left, before anything is done with it."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from repo_guardian.errors import BuildFailedError

UNPACKED_BYTES = 2 * 1024**3
MEMBERS = 50_000
"""What a wheel may unpack to."""

_LINK = 0o120000


def check_wheel(path: Path) -> str:
    """The name of the wheel's ``.dist-info`` folder.

    Raises:
        BuildFailedError: its file name is none of a wheel, it is no zip archive, has a member that leads
            out of it, a link, two members of one name, or no such folder, or would unpack to too much.
    """
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    try:
        name, version, _, _ = parse_wheel_filename(path.name)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (InvalidWheelFilename, zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BuildFailedError(f"the build left no wheel: {type(error).__name__}") from error
    if len(members) > MEMBERS or sum(member.file_size for member in members) > UNPACKED_BYTES:
        raise BuildFailedError("the build left a wheel that unpacks to too much")
    seen: set[str] = set()
    for member in members:
        pure = PurePosixPath(member.filename)
        leads_out = pure.is_absolute() or ".." in pure.parts or "\\" in member.filename
        if leads_out or member.external_attr >> 16 & 0o170000 == _LINK or member.filename in seen:
            raise BuildFailedError(f"the build left a wheel with an unfit member {member.filename[:120]!a}")
        seen.add(member.filename)
    infos = {name.partition("/")[0] for name in seen if name.partition("/")[0].endswith(".dist-info")}
    if len(infos) != 1 or f"{min(infos)}/METADATA" not in seen:
        raise BuildFailedError(f"the wheel of {name} {version} has no metadata, or several")
    return min(infos)
