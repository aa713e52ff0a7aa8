"""Files in pip's requirements format, with what they include; and ``tox.ini``, whose lists look the same.

Each requirement is left for ``packaging`` to parse. The files themselves are not: the libraries that read
this format open included paths and addresses by themselves, whereas an include here may only name another
file of the same tree. Format: https://pip.pypa.io/en/stable/reference/requirements-file-format/
"""

from __future__ import annotations

import configparser
import posixpath
import re

from repo_guardian.tools.dependencies.interface import Read, Requested

RUNTIME_FILES = ("requirements.txt", "requirements/base.txt", "requirements/main.txt", "requirements.in")
TEST_FILES = (
    *("requirements-test.txt", "requirements-tests.txt", "requirements-testing.txt", "requirements_test.txt"),
    *("requirements_tests.txt", "test-requirements.txt", "test_requirements.txt", "tests-requirements.txt"),
    *(
        "requirements/test.txt",
        "requirements/tests.txt",
        "requirements/testing.txt",
        "tests/requirements.txt",
    ),
    *("test/requirements.txt", "tests/requirements-test.txt", "testing/requirements.txt"),
)
DEVELOPMENT_FILES = (
    *("requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "dev_requirements.txt"),
    *("requirements/dev.txt", "requirements/development.txt", "requirements-dev.in"),
)

_MOST_FILES = 32
_MOST_LINES = 5000
_INCLUDE = re.compile(r"(?:-r|--requirement|-c|--constraint)(?:\s+|=|(?<=-[rc]))(?P<path>.+)")
_TRAILING_OPTION = re.compile(r"\s+--(?:hash|config-settings?|global-option|install-option)\b.*")
_COMMENT = re.compile(r"(^|\s+)#.*$")


class RequirementFiles:
    """Reads requirements files of one tree, each once.

    ``constraints`` collects the lines of files included with ``-c``; ``problems`` what was left out.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._seen: set[str] = set()
        self.constraints: list[Requested] = []
        self.problems: list[str] = []

    def of(self, path: str) -> list[Requested] | None:
        """The requirements of the file at ``path`` and of those it includes; None where it is not there."""
        if path in self._seen:
            return []
        content = self._read(path)
        if content is None:
            return None
        self._seen.add(path)
        try:
            lines = content.decode("utf-8-sig").replace("\\\r\n", " ").replace("\\\n", " ").split("\n")
        except UnicodeDecodeError:
            self.problems.append(f"{path!a} is not UTF-8 and is left out")
            return []
        if len(lines) > _MOST_LINES:
            self.problems.append(f"{path!a} has more than {_MOST_LINES} lines; the rest is left out")
        return self.lines(lines[:_MOST_LINES], path, posixpath.dirname(path))

    def lines(self, lines: list[str], source: str, folder: str) -> list[Requested]:
        """The requirements in ``lines`` of the file ``source``; includes are relative to ``folder``."""
        found: list[Requested] = []
        for line in lines:
            entry = _COMMENT.sub("", line).strip()
            if not entry:
                continue
            include = _INCLUDE.fullmatch(entry)
            if include is not None:
                self._include(entry, include["path"].strip().strip("\"'"), folder, found)
            elif entry.startswith("-"):
                self.problems.append(f"{source!a}: the option {entry[:80]!a} is left out")
            else:
                found.append(Requested(_TRAILING_OPTION.sub("", entry), source))
        return found

    def _include(self, entry: str, path: str, folder: str, found: list[Requested]) -> None:
        target = posixpath.normpath(posixpath.join(folder, path))
        outside = target.startswith(("../", "/")) or target == ".." or "://" in path
        if outside or len(self._seen) >= _MOST_FILES:
            reason = "leads out of the tree" if outside else "is one too many"
            self.problems.append(f"the included file {path[:80]!a} {reason} and is left out")
            return
        included = self.of(target)
        if included is None:
            self.problems.append(f"the included file {target[:80]!a} does not exist")
        elif entry.startswith(("-c", "--constraint")):
            self.constraints += included
        else:
            found += included


def tox_requirements(files: RequirementFiles, read: Read) -> tuple[list[Requested], list[str]]:
    """``deps`` and the names of ``extras`` of ``[testenv]`` in ``tox.ini``.

    Lines for some environments only (``py37: x``), and those that substitute anything but ``{toxinidir}``,
    are left out.
    """
    content = read("tox.ini")
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(content.decode("utf-8") if content is not None else "")
    except (configparser.Error, UnicodeDecodeError) as error:
        files.problems.append(f"tox.ini cannot be read: {type(error).__name__}")
        return [], []
    deps = parser.get("testenv", "deps", fallback="").replace("{toxinidir}/", "").split("\n")
    plain = [line for line in deps if "{" not in line and not re.match(r"\s*[\w!,{}.-]+\s*:(?!//)", line)]
    extras = re.split(r"[\s,]+", parser.get("testenv", "extras", fallback=""))
    return files.lines(plain, "tox.ini [testenv]", ""), [extra for extra in extras if extra]
