"""Nothing that is committed knows the machine it was written on, or where packages come from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

# Each is built so that this file does not match itself.
HOME = re.compile(rb"(?<![\w.])/(?:root|work)/[\w.]|/(?:home|Users)/\w+/|[A-Z]:\\+Users\\")
INDEX = re.compile(
    rb"(?i)\b[\w-]*pypi[\w-]*\.(?:org|com|net|io|local|internal)\b|pythonhosted[.]org|://[^\s\"'<>]*/simple\b"
    rb"|\b(?:index|extra-index|find-links)[_-]?url\s*=?\s*[\"']?(?:https?|file)://"
)


def tracked(root: Path) -> list[Path]:
    """Every committed file, symbolic links left out."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    paths = [root / name.decode() for name in listing.split(b"\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def mentions(content: bytes, root: Path) -> list[bytes]:
    """What in a file belongs to one machine."""
    own = [place for place in (bytes(root), bytes(Path.home())) if len(place) > 6 and place in content]
    return own + [match.group() for pattern in (HOME, INDEX) for match in pattern.finditer(content)]


def test_no_committed_file_names_a_machine(root):
    if not (root / ".git").exists():
        pytest.skip("not a git work tree: nothing says what is committed")
    files = tracked(root)
    assert len(files) > 20
    found = {str(path.relative_to(root)): mentions(path.read_bytes(), root) for path in files}
    assert {path: hits for path, hits in found.items() if hits} == {}


@pytest.mark.parametrize(
    "parts",
    [
        ("cd /ro", "ot/project"),
        ("see /wo", "rk/main/x.py"),
        ("/ho", "me/someone/x"),
        ("/Us", "ers/someone/x"),
        ("https://py", "pi.org/project/x"),
        ("https://mirror.example/py", "pi/sim", "ple"),
        ("files.python", "hosted.org"),
        ("--index", "-url https://mirror.example/a"),
    ],
)
def test_a_mention_is_seen(parts, root):
    assert mentions("".join(parts).encode(), root)


def test_what_only_looks_alike_is_left_alone(root):
    text = b"a network/route, tests/work/x.py, https://example.org/simplest, /repo, the package index PyPI"
    assert mentions(text, root) == []
