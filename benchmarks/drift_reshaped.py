"""Which commits change what some function takes, by ``ast`` alone: the ones worth a comparison.

Most commits change no parameter list, and comparing them would say so at length. Looked at are the parameters
(without annotations), decorators and annotated fields of every function, method and class, by name, in each
modified file that is neither a test nor a document. What only adds optional ones at the end is left out, and
so is what no other file mentions by name. Nothing of the detector takes part.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from repo_guardian.errors import GitError
from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.objects import read_blobs

SOURCE_FILES = ("*.py", ":(exclude,icase)*test*", ":(exclude)docs", ":(exclude)examples")
"""What a commit has to touch to be drawn."""


def drawn_commits(
    git: Git, name: str, count: int, seed: int, since: str
) -> Iterator[tuple[str, str, list[str]]]:
    """Of all commits that are no merges, in an order that the seed gives, ``count`` that change a definition.

    Yields the first parent, the commit, and the files of such definitions; the oldest commit first.
    """
    options = ("--no-merges", "--min-parents=1", f"--since={since}", "--reverse")
    every = git.run("rev-list", *options, "HEAD", "--", *SOURCE_FILES).decode().split()
    place = {commit: index for index, commit in enumerate(every)}
    random.Random(f"{seed}:{name}").shuffle(every)
    found = []
    for commit in every:
        paths = sorted(
            path for path, names in reshaped(git, commit).items() if used_elsewhere(git, commit, path, names)
        )
        if paths:
            found.append((git.run("rev-parse", "--verify", f"{commit}^1").decode().strip(), commit, paths))
        if len(found) == count:
            break
    yield from sorted(found, key=lambda entry: place[entry[1]])


def reshaped(git: Git, commit: str) -> dict[str, set[str]]:
    """The modified source files in which some definition is declared otherwise, and the names of those.

    A constructor goes by the name of its class.
    """
    options = ("-r", "-z", "--diff-filter=M", "--no-renames")
    listed = git.run("diff-tree", *options, f"{commit}^1", commit, "--", *SOURCE_FILES)
    fields = listed.decode("utf-8", "replace").split("\0")
    files = [(row.split()[2:4], path) for row, path in zip(fields[::2], fields[1::2], strict=False)]
    wanted = [oid for oids, _ in files for oid in oids]
    contents = {blob.oid: blob.data or b"" for blob in read_blobs(git, wanted)} if wanted else {}
    found: dict[str, set[str]] = {}
    for (old, new), path in files:
        before, after = (declared(contents.get(oid, b"")) for oid in (old, new))
        changed = [
            name for name, shape in before.items() if name in after and not extends(shape, after[name])
        ]
        names = {name.removesuffix(".__init__").rpartition(".")[2] for name in changed}
        if names:
            found[path] = names
    return found


def used_elsewhere(git: Git, commit: str, path: str, names: Iterable[str]) -> bool:
    """Whether another Python file of the parent mentions one of the names: else no use can lag there."""
    words = [option for name in sorted(names) for option in ("-e", name)]
    try:
        listed = git.run("grep", "-l", "-w", "-F", *words, f"{commit}^1", "--", "*.py")
    except GitError:
        return False
    return any(line.partition(":")[2] != path for line in listed.decode("utf-8", "replace").splitlines())


@dataclass(frozen=True)
class Shape:
    """How a function or class is declared: what stands before its name, and what it takes.

    ``positional`` and ``named`` are parameter names with whether they have a default; ``open`` are the names
    of ``*args`` and ``**kwargs``. A class takes its annotated fields.
    """

    kind: str
    positional: tuple[tuple[str, bool], ...] = ()
    named: tuple[tuple[str, bool], ...] = ()
    open: tuple[bool, bool] = (False, False)


def extends(before: Shape, after: Shape) -> bool:
    """Whether the later declaration only adds parameters that need not be given, at the end."""
    if before.kind != after.kind:
        return False
    kept = after.positional[: len(before.positional)]
    if [name for name, _ in kept] != [name for name, _ in before.positional]:
        return False
    required = {name for name, default in (*after.positional, *after.named) if not default}
    once = {name for name, default in (*before.positional, *before.named) if not default}
    names = {name for name, _ in (*after.positional, *after.named)}
    lost = {name for name, _ in before.named} - names
    return (
        required <= once
        and not lost
        and all(new for old, new in zip(before.open, after.open, strict=True) if old)
    )


def declared(source: bytes) -> dict[str, Shape]:
    """How each function, method and class of a module is declared; empty for what does not compile."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, Shape] = {}
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}.{child.name}"
                found[name] = _shape(child)
            waiting.append((name, child))
    return found


def _shape(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Shape:
    kind = f"{type(node).__name__} {[ast.unparse(decorator) for decorator in node.decorator_list]}"
    if isinstance(node, ast.ClassDef):
        fields = [n for n in node.body if isinstance(n, ast.AnnAssign)]
        return Shape(kind, tuple((ast.unparse(n.target), n.value is not None) for n in fields))
    given = node.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    optional = len(names) - len(given.defaults)
    named = [
        (a.arg, default is not None) for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return Shape(
        kind,
        tuple((name, index >= optional) for index, name in enumerate(names)),
        tuple(named),
        (given.vararg is not None, given.kwarg is not None),
    )
