"""A test of the repository that passed and no longer does: itself, then a copy with its one failing check.

The copy lies beside the original, so that the fixtures of its folder are there, and is what remains of its
file when everything that the failing check does not need is left out (``reduction``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from repo_guardian.tools.deltas.interface import DeltaKind, TestDelta
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.tools.probes.templates.material import Material
from repo_guardian.tools.probes.templates.reduction import reduced
from repo_guardian.tools.signals.executed import TestDetail

_REPO = "/repo/"
_SHOWN = (DeltaKind.NEWLY_FAILING, DeltaKind.VANISHED)
"""A skipped test fails nowhere, and a new one has nothing to be compared with."""


def existing_tests(detail: TestDetail, material: Material) -> Iterator[TestSource]:
    """The test where both commits hold the same file, and its reduced copy where it fails inside itself."""
    delta = detail.delta
    found = _file_and_name(delta.test_id, material)
    if found is None or delta.kind not in _SHOWN:
        return
    path, name = found
    base, current = material.read_base(path), material.read_current(path)
    if base is not None and base == current:
        text = base.decode("utf-8", "surrogateescape")
        yield TestSource(path, name, text, _digest(f"{delta.test_id}\0{text}"), existing=True)
    if current is not None:
        copy = _copy(path, name, current, delta)
        if copy is not None:
            yield copy


def _file_and_name(test_id: str, material: Material) -> tuple[str, str] | None:
    """Path and the rest of a test's id; parameters and odd folders may hold ``::`` too."""
    position = test_id.find("::")
    while position >= 0:
        path = test_id[:position]
        if material.read_base(path) is not None or material.read_current(path) is not None:
            return path, test_id[position + 2 :]
        position = test_id.find("::", position + 2)
    return None


def _copy(path: str, name: str, content: bytes, delta: TestDelta) -> TestSource | None:
    exception = delta.after.exception if delta.after is not None else None
    frames = exception.frames if exception is not None else ()
    lines = [frame.line for frame in frames if frame.path == f"{_REPO}{path}"]
    text = reduced(content.decode("utf-8", "surrogateescape"), name, lines)
    if text is None:
        return None
    folder, _, file = path.rpartition("/")
    return TestSource(
        file_name=f"{file.removesuffix('.py')}_reduced.py",
        function=name,
        text=text,
        digest=_digest(f"{folder}\0{text}"),  # where it lies decides which fixtures it has
        folder=folder or ".",
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
