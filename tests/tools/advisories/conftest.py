"""A small advisory database that tests write, in the formats that users have."""

import json
import zipfile

import pytest

RECORD = {
    "id": "PYSEC-2024-1",
    "modified": "2024-05-01T00:00:00Z",
    "published": "2024-04-01T00:00:00Z",
    "aliases": ["CVE-2024-1", "GHSA-aaaa-bbbb-cccc"],
    "details": "A long text.\nIn lines.",
    "affected": [
        {
            "package": {"ecosystem": "PyPI", "name": "Planted.Package"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.10"}]}],
            "versions": ["1.0", "1.9"],
        }
    ],
}


def record(identifier="PYSEC-2024-1", *, name="Planted.Package", events=None, versions=(), **changes):
    """One OSV record; ``events`` as pairs, a list of which is one range."""
    ranges = [{"type": "ECOSYSTEM", "events": [{kind: text} for kind, text in events or ()]}]
    affected = {"package": {"ecosystem": "PyPI", "name": name}, "ranges": ranges, "versions": list(versions)}
    base = {"id": identifier, "modified": "2024-05-01T00:00:00Z", "affected": [affected]}
    return {**base, **changes}


@pytest.fixture
def planted(tmp_path):
    """Write records below a folder and return it: a dict becomes JSON, which is YAML too; bytes stay."""

    def write(files, folder="database"):
        root = tmp_path / folder
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return root

    return write


@pytest.fixture
def zipped(tmp_path):
    """Write records to a zip archive as OSV exports them."""

    def write(files):
        path = tmp_path / "all.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
        return path

    return write
