"""Reads a test that an agent wrote, and says what keeps it from being a fair witness.

The text is parsed, never run. What is looked for are honest mistakes and obvious ways out: two tests in one
file, nothing of the repository imported, the network, other processes, files outside of the temporary folder,
the text of the code instead of what it does. None of this is a barrier: a test can hide what it calls. The
barrier is the sandbox that it runs in, without a network and with nothing durable to write to; and what a
test proves is decided by running it on both commits.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from repo_guardian.errors import UsageError
from repo_guardian.tools.probes.interface import TestSource

MOST_CHARS = 20_000
_TOLD = 5
_NAME = re.compile(r"test_[A-Za-z0-9_]{1,120}\Z")

_NETWORK = "a test may not use the network"
_PROCESS = "a test may not start or end processes"
_TEXT = "a test looks at what the code does, not at how it is written"
_FILES = "a test may write only below tmp_path"
_HIDES = "a test may not run text that is not written out"

_MODULES: Mapping[str, str] = {
    **dict.fromkeys(
        ("socket", "ssl", "socketserver", "urllib.request", "urllib3", "http.client", "http.server",
         "requests", "httpx", "aiohttp", "ftplib", "smtplib", "poplib", "imaplib", "nntplib", "telnetlib",
         "xmlrpc", "websockets", "paramiko"),
        _NETWORK,
    ),
    **dict.fromkeys(("subprocess", "multiprocessing", "pty", "ctypes", "cffi", "concurrent.futures.process"),
                    _PROCESS),
    **dict.fromkeys(("dis", "linecache", "tokenize", "inspect.getsource", "inspect.getsourcelines",
                     "inspect.getsourcefile", "inspect.getfile"), _TEXT),
}  # fmt: skip
"""Dotted names that a test may not use, with all below them."""

_CALLS = re.compile(
    r"os\.(system|popen|fork\w*|exec\w+|spawn\w+|posix_spawn\w*|_exit|kill|killpg|abort)|sys\.exit|pytest\.exit"
    r"|exit|quit|asyncio\.create_subprocess_\w+"
)
_OPENS = ("open", "io.open", "os.open", "pathlib.Path", "os.remove", "os.unlink", "shutil.rmtree")
_RUNS = ("eval", "exec", "compile", "__import__")
_ATTRIBUTES = {"__code__": _TEXT, "__file__": _TEXT}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a test has to be about.

    Attributes:
        modules: import names of the modules of the locus.
        packages: top-level names that the repository offers.
        files: paths of the locus that are no modules.
    """

    modules: Collection[str]
    packages: Collection[str] = ()
    files: Collection[str] = ()


def read_own_test(text: str, subject: Subject) -> TestSource:
    """The test, when nothing speaks against it.

    Args:
        text: a Python module with one test function at its top level; helpers, constants and fixtures of its
            own are welcome.
        subject: what it has to reach.

    Raises:
        UsageError: it is no such module; says everything that is wrong with it, and what would be right.
    """
    tree = _parse(text)
    function, problems = _function(tree)
    problems += _problems(tree, subject)
    if not _reaches(tree, subject):
        problems.append(_unbound(subject))
    if problems:
        told = list(dict.fromkeys(problems))
        raise UsageError("; ".join(told[:_TOLD]), hint="write the test again without that")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return TestSource(file_name=f"{function}.py", function=function, text=text, digest=digest)


def names_used(text: str) -> frozenset[str]:
    """Every name that valid Python text uses: variables, attributes, imports, and words of its strings.

    Documentation strings say what is meant, and use nothing.
    """
    tree = ast.parse(text)
    idle = {
        id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found |= {*node.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            found |= {*(node.module or "").split(".")}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in idle:
            found |= {*re.findall(r"\w+", node.value)}
    return frozenset(found)


def _parse(text: str) -> ast.Module:
    if len(text) > MOST_CHARS:
        raise UsageError(f"the test is longer than {MOST_CHARS} characters", hint="test one thing")
    try:
        text.encode()
        return ast.parse(text)
    except SyntaxError as error:
        raise UsageError(
            f"the test is not valid Python: {error.msg} (line {error.lineno})", hint="mend the syntax"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UsageError("the test is not valid Python", hint="write plain UTF-8 text") from error


def _function(tree: ast.Module) -> tuple[str, list[str]]:
    """The name of the one test function, and what is wrong with how it is written."""
    tests = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")
    ]
    problems = []
    if any(isinstance(node, ast.ClassDef) and node.name.startswith("Test") for node in tree.body):
        problems.append("tests are functions here, not methods of a class")
    if len(tests) != 1:
        problems.append(f"there have to be one test function at the top level, not {len(tests)}")
        return "", problems
    (test,) = tests
    if not _NAME.match(test.name):
        problems.append("the test's name has to be test_ and up to 120 letters, digits and underscores")
    if isinstance(test, ast.AsyncFunctionDef):
        problems.append("the test may not be async: call asyncio.run in it")
    if any("parametrize" in ast.unparse(decorator) for decorator in test.decorator_list):
        problems.append("the test may not be parametrized: one test shows one thing")
    return test.name, problems


def _problems(tree: ast.AST, subject: Subject) -> list[str]:
    aliases = dict(_aliases(tree))
    own = {*subject.packages, *(module.partition(".")[0] for module in subject.modules)}
    found: list[str] = []
    for name in dict.fromkeys([*aliases.values(), *_used(tree, aliases)]):
        if name.partition(".")[0] in own:
            continue
        found += [f"{why} ({name})" for prefix, why in _MODULES.items() if _is_below(name, prefix)]
        found += [f"{_PROCESS} ({name})"] if _CALLS.fullmatch(name) else []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += _call_problems(node, _dotted(node.func, aliases), subject)
        elif isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
            found.append(f"{_ATTRIBUTES[node.attr]} ({node.attr})")
        elif isinstance(node, ast.Name) and node.id == "__file__":
            found.append(f"{_TEXT} (__file__)")
    return found


def _call_problems(call: ast.Call, name: str, subject: Subject) -> list[str]:
    first = call.args[0] if call.args else None
    constant = first.value if isinstance(first, ast.Constant) else None
    if name in _OPENS and isinstance(constant, str) and (constant.startswith(("/", "~")) or ".." in constant):
        return [f"{_FILES} ({name}({constant[:40]!r}))"]
    if name not in _RUNS:
        return []
    if not isinstance(constant, str):
        return [f"{_HIDES} ({name})"]
    try:
        return _problems(ast.parse(constant), subject)
    except (SyntaxError, ValueError, RecursionError):
        return []


def _reaches(tree: ast.Module, subject: Subject) -> bool:
    """Whether something of the repository is imported, or a file of the locus named."""
    imported = {*_imports(tree)}
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    texts = [value for value in constants if isinstance(value, str)]
    imported |= {text for text in texts if text.isascii() and text.replace(".", "").isidentifier()}
    tops = {*subject.packages, *(module.partition(".")[0] for module in subject.modules)}
    if any(name.partition(".")[0] in tops for name in imported):
        return True
    return any(path.rpartition("/")[2] in text for path in subject.files for text in texts)


def _unbound(subject: Subject) -> str:
    names = ", ".join([*subject.modules, *subject.files][:3])
    return f"the test reaches nothing that the hypothesis is about: import {names} in it"


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _aliases(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What each imported name stands for, dotted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
                yield alias.name, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _used(tree: ast.AST, aliases: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Call):
            yield _dotted(node if isinstance(node, ast.Attribute) else node.func, aliases)


def _dotted(node: ast.AST, aliases: Mapping[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([aliases.get(node.id, node.id), *reversed(parts)])


def _is_below(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")
