"""One error tree: the drawing in ``core/errors.py`` is the real one, and deliberate errors come from it."""

from __future__ import annotations

import ast
import builtins
import re

import pytest

from repo_guardian import errors

ERRORS = "core/errors.py"
BUILTIN = {
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
}

# What Python's own protocols ask for: a validator's ValueError, a mapping's KeyError, and so on.
PROTOCOL = {
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "StopIteration",
    "StopAsyncIteration",
}

# Errors of the frameworks at the two edges: what a client of the server and what the command line shows.
EDGES = {
    "client/cli/": re.compile(r"click\..*|SystemExit"),
    "server/": re.compile(r"(fastmcp|mcp)\..*"),
    "sandbox/guest/": re.compile(r"SystemExit"),
}


def drawn(text: str) -> dict[str, str]:
    """Reads the drawing: class name -> the name of the class it hangs under ("" for the root)."""
    parents: dict[str, str] = {}
    path: list[str] = []
    for line in text.splitlines():
        match = re.match(r"    (?P<lead>[│├└─ ]*)(?P<name>[A-Z]\w*)(\s|$)", line)
        if match is None:
            continue
        depth = len(match["lead"]) // 4
        path[depth:] = [match["name"]]
        parents[match["name"]] = path[depth - 1] if depth else ""
    return parents


def real(base: type[BaseException]) -> dict[str, str]:
    """The same mapping from the classes themselves; private ones never leave their module."""
    tree = {base.__name__: ""}
    for kind in base.__subclasses__():
        if kind.__name__.startswith("_"):
            continue
        tree |= {name: parent or base.__name__ for name, parent in real(kind).items()}
    return tree


def test_the_drawing_is_the_tree():
    tree = real(errors.GuardianError)
    assert drawn(errors.__doc__) == tree
    defined = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
    assert set(defined) == set(tree)
    assert list(drawn(errors.__doc__)) == list(tree), "drawn in another order than defined"


def test_the_drawn_exit_codes_are_the_real_ones():
    codes = dict(re.findall(r"(\w+)\s+exit (\d)", errors.__doc__))
    assert codes
    assert {name: str(vars(errors)[name].exit_code) for name in codes} == codes


def test_a_difference_in_the_drawing_is_seen():
    assert drawn("    A\n    ├── B    text\n    │   └── C\n    └── D\n") == {
        "A": "",
        "B": "A",
        "C": "B",
        "D": "A",
    }
    assert drawn(errors.__doc__.replace("└── NoBaseError", "└── Other")) != real(errors.GuardianError)


def imported_names(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for, as a dotted name."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            names |= {alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names}
    return names


def exception_name(node: ast.expr | None, names: dict[str, str]) -> str:
    """The dotted name of the class that is raised; "" for a re-raise, a variable or a helper's result."""
    text = ast.unparse(node.func if isinstance(node, ast.Call) else node) if node is not None else ""
    head, _, rest = text.partition(".")
    resolved = names.get(head, head) + (f".{rest}" if rest else "")
    return resolved if resolved.rpartition(".")[2][:1].isupper() else ""


def deliberate(name: str, path: str, local: set[str]) -> bool:
    """Whether a module at ``path`` may raise the class called ``name``."""
    if not name or name in PROTOCOL or name.startswith("_") or name in local:
        return True
    if name.startswith("repo_guardian.errors."):
        return hasattr(errors, name.rpartition(".")[2])
    return any(path.startswith(folder) and edge.fullmatch(name) for folder, edge in EDGES.items())


def runs_by_itself(module) -> bool:
    """A script that a sandbox starts: it cannot import ours, and its errors never leave its process."""
    return module.path.parts[0] == "sandbox" and any(
        isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"
        for node in module.tree.body
    )


def violations(modules) -> list[str]:
    """One line per raise, or per public exception class, outside the tree."""
    found = []
    for module in modules:
        if str(module.path) == ERRORS or runs_by_itself(module):
            continue
        names = imported_names(module.tree)
        classes = [node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
        private = {kind.name for kind in classes if kind.name.startswith("_")}
        for kind in classes:
            bases = [exception_name(base, names) for base in kind.bases]
            exceptional = [
                base for base in bases if base in BUILTIN or base.startswith("repo_guardian.errors.")
            ]
            if exceptional and kind.name not in private:
                found.append(f"{module.at(kind)} defines {kind.name} outside {ERRORS}")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Raise):
                name = exception_name(node.exc, names)
                if not deliberate(name, str(module.path), private):
                    found.append(f"{module.at(node)} raises {name}, which is not in {ERRORS}")
    return found


def test_deliberate_errors_come_from_the_tree(modules):
    found = violations(modules)
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(
    "source",
    [
        "raise Exception('x')",
        "raise RuntimeError",
        "raise OSError(1, 'x') from None",
        "import subprocess\nraise subprocess.SubprocessError('x')",
        "from repo_guardian.errors import Missing\nraise Missing('x')",
        "class OddError(Exception):\n    pass",
        "from repo_guardian import errors\nclass OddError(errors.GitError):\n    pass",
        "import click\nraise click.UsageError('x')",
        "raise SystemExit(1)",
    ],
)
def test_an_error_outside_the_tree_is_seen(make_module, source):
    assert violations([make_module("tools/git/a.py", source)])


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("tools/a.py", "from repo_guardian.errors import GitError\nraise GitError('x', hint='y')"),
        ("tools/a.py", "from repo_guardian import errors as e\nraise e.GitError('x')"),
        ("tools/a.py", "try:\n    f()\nexcept KeyError as missing:\n    raise missing\nraise fault(1)"),
        ("tools/a.py", "class _Stop(Exception):\n    pass\nraise _Stop"),
        ("sandbox/a.py", "class Failed(Exception):\n    pass\nif __name__ == '__main__':\n    raise Failed"),
        ("client/cli/a.py", "import click\nraise click.BadParameter('x')"),
        ("server/a.py", "from fastmcp.exceptions import ToolError\nraise ToolError('x')"),
    ],
)
def test_an_error_of_the_tree_or_of_an_edge_is_left_alone(make_module, path, source):
    assert violations([make_module(path, source)]) == []
