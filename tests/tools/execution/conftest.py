"""Trees made of texts."""

import pytest

from repo_guardian.tools.execution.bench import Checkout


@pytest.fixture
def tree(tmp_path):
    """Write a tree of texts and return its checkout."""

    def write(files):
        path = tmp_path / "checkout"
        for name, text in files.items():
            file = path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Checkout(path, "c")

    return write
