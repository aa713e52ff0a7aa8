"""Which paths are tests or configuration: a corroborating revert may not touch those."""

from __future__ import annotations

import re

_TEST_DIRECTORIES = {"test", "tests", "testing"}
_CONFIGURATION = {
    "conftest.py",
    "setup.py",
    "noxfile.py",
    "setup.cfg",
    "tox.ini",
    "pytest.ini",
    "pyproject.toml",
    "makefile",
}
_CONFIGURATION_SUFFIX = re.compile(r"\.(toml|cfg|ini|ya?ml|json|lock|txt)\Z")
_TEST_FILE = re.compile(r"(test_.*|.*_test|tests?)\.py\Z")


def is_test_or_configuration(path: str) -> bool:
    """True for tests (pytest's and unittest's naming) and for files that configure how they run."""
    *directories, name = path.lower().split("/")
    in_tests = any(directory in _TEST_DIRECTORIES for directory in directories)
    configures = name in _CONFIGURATION or _CONFIGURATION_SUFFIX.search(name) is not None
    return in_tests or configures or is_test_file(path)


def is_test_file(path: str) -> bool:
    """True for a file that is named like tests."""
    return _TEST_FILE.fullmatch(path.lower().rpartition("/")[2]) is not None


def folder_of_tests(path: str) -> str:
    """The outermost folder of tests that a file is in; empty when it is in none."""
    parts = path.split("/")[:-1]
    depth = next((i for i, part in enumerate(parts, 1) if part.lower() in _TEST_DIRECTORIES), 0)
    return "/".join(parts[:depth])
