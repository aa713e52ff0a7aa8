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
    return in_tests or configures or _TEST_FILE.fullmatch(name) is not None
