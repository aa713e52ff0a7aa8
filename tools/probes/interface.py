"""The records of a probe, before anyone judges them as evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from repo_guardian.sandbox.interface import CommandResult

Edit = Mapping[str, bytes | None]
"""Content by repository-relative path, to be put in place of the checkout's; None removes a file."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class TestSource:
    """A test to run: one function in one file of its own, or a test that the repository has.

    Attributes:
        file_name: name of the file that ``text`` is written to; for a test that the repository has, its
            path in the repository.
        function: name of the test function; for a test that the repository has, the rest of its node id.
        text: the file's whole content; for a test that the repository has, the file's content at the commit.
        digest: hex SHA-256 of ``text`` (of id and text for a test that the repository has); binds ledger
            entries to the same test.
        folder: repository-relative folder that the file is put in, in the throwaway overlay, so that the
            fixtures of its ``conftest.py`` files are there ("." is the root); None keeps it outside of the
            repository and free of its configuration.
        existing: the test is the repository's own; nothing is written.
    """

    __test__ = False

    file_name: str
    function: str
    text: str
    digest: str
    folder: str | None = None
    existing: bool = False

    @property
    def in_repository(self) -> bool:
        """Whether it runs under the repository's own pytest configuration and conftest files."""
        return self.existing or self.folder is not None

    @property
    def test_id(self) -> str:
        """The id that pytest will give it, relative to the root that it runs under."""
        return f"{self.place}::{self.function}"

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        return self.text.encode("utf-8", "surrogateescape")

    @property
    def place(self) -> str:
        """Where its file is: relative to the repository when it runs in it, else to a folder of its own."""
        folder = "" if self.folder in (None, ".") else f"{self.folder}/"
        return f"{folder}{self.file_name}"


class TestOutcome(StrEnum):
    """What one test did; ``ERROR`` is a failure outside the test's own body."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback, as paths inside the sandbox."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class ExceptionFacts:
    """What is known of an exception: dotted type names from the MRO, most derived first.

    ``name`` is ``ImportError.name`` or ``AttributeError.name``; ``owner`` the dotted name of the module
    or class that an AttributeError was raised for.
    """

    types: tuple[str, ...]
    message: str
    name: str | None
    owner: str | None
    frames: tuple[Frame, ...]

    def is_a(self, name: str) -> bool:
        """True when the exception is an instance of the builtin called ``name``."""
        return f"builtins.{name}" in self.types

    @property
    def line(self) -> str:
        """Type and message on one line; addresses are blanked, so that equal failures read equal."""
        kind = self.types[0].removeprefix("builtins.") if self.types else "unknown"
        return f"{kind}: {_ADDRESS.sub('0x…', ' '.join(self.message.split()))}"


@dataclass(frozen=True, slots=True)
class TestReport:
    """One test's outcome in one run, with the exception when it failed.

    ``duration_s`` are the seconds of its call, as pytest measured them; None where it was not called.
    """

    __test__ = False

    test_id: str
    outcome: TestOutcome
    exception: ExceptionFacts | None = None
    duration_s: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FileState:
    """SHA-256 of a watched file before and after the run; None when it was absent."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of pytest in one sandbox.

    ``disagreements`` lists where the accounts contradict each other: any makes the run invalid.
    ``loaded`` maps module names to the files they came from, inside the sandbox. ``collected`` are the ids
    that were collected, in order; ``collect_error_ids`` say where each of ``collect_errors`` arose. ``read``
    is what a test outside of the repository looked at of how the code is written.
    """

    __test__ = False

    result: CommandResult
    tests: tuple[TestReport, ...]
    collect_errors: tuple[ExceptionFacts, ...]
    disagreements: tuple[str, ...]
    loaded: tuple[tuple[str, str], ...]
    files: tuple[FileState, ...]
    pytest_status: int | None
    collected: tuple[str, ...] = ()
    collect_error_ids: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
