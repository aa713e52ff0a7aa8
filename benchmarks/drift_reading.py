"""What a reader needs to judge one drift signal: both definitions, each use that lags, and what became of it.

    python benchmarks/drift_reading.py --repositories DIR --from DIR --sample FILE [--seed N] [--skip N]

Prints, per signal of a sample, the definitions at both commits, each lagging use with the lines around it,
what the whole commit did to that line (for a half one), and whether Python's own ``inspect`` binds the call
that stands there to the one and to the other parameter list. None of it comes from the detector but the
places. ``--seed`` shuffles, for a second reading.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import random
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from drift_labels import read_rows
from drift_population import Record, Site, read

from repo_guardian.errors import GuardianError
from repo_guardian.tools.git.command import Git

SHOWN_LINES = 14
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Place:
    """A file of a commit."""

    repository: Path
    commit: str
    path: str

    def text(self) -> str:
        """Its content, empty when there is no such file."""
        return _content(self.repository, self.commit, self.path)

    def lines(self, first: int, last: int) -> str:
        """Some of its lines with their numbers."""
        found = self.text().split("\n")
        return "\n".join(f"    {n:5} {found[n - 1]}" for n in range(max(1, first), min(last, len(found)) + 1))

    def command(self, first: int, last: int) -> str:
        """How to see them."""
        return f"git show {self.commit[:12]}:{self.path} | sed -n {max(1, first)},{last}p"


@lru_cache(maxsize=512)
def _content(repository: Path, commit: str, path: str) -> str:
    try:
        data = Git(repository).run("cat-file", "-p", f"{commit}:{path}")
    except GuardianError:
        return ""
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


@lru_cache(maxsize=512)
def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.Module([], [])


def definition(place: Place, line: int, name: str) -> ast.AST | None:
    """The function or class called ``name`` whose text, decorators included, begins nearest to a line."""
    found = [
        node
        for node in ast.walk(_tree(place.text()))
        if isinstance(node, Function | ast.ClassDef) and node.name == name
    ]
    return min(found, key=lambda node: abs(_first(node) - line), default=None)


def _first(node: Function | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def signature(node: ast.AST | None, *, bound: bool) -> inspect.Signature | None:
    """What a call passes to a function, by ``inspect``: of its parameters alone, nothing else is run."""
    if not isinstance(node, Function):
        return None
    given = node.args
    parameters = []
    plain = [*given.posonlyargs, *given.args]
    optional = len(plain) - len(given.defaults)
    for index, argument in enumerate(plain):
        named = index >= len(given.posonlyargs)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if named else inspect.Parameter.POSITIONAL_ONLY
        default = None if index >= optional else inspect.Parameter.empty
        parameters.append(inspect.Parameter(argument.arg, kind, default=default))
    if given.vararg:
        parameters.append(inspect.Parameter(given.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        default = inspect.Parameter.empty if value is None else None
        parameters.append(inspect.Parameter(argument.arg, inspect.Parameter.KEYWORD_ONLY, default=default))
    if given.kwarg:
        parameters.append(inspect.Parameter(given.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    static = any(ast.unparse(decorator) == "staticmethod" for decorator in node.decorator_list)
    if bound and not static and parameters:
        del parameters[0]
    return inspect.Signature(parameters)


def calls(place: Place, line: int, names: set[str]) -> list[ast.Call]:
    """The calls of one of ``names`` that begin, or go on, on a line."""
    return [
        node
        for node in ast.walk(_tree(place.text()))
        if isinstance(node, ast.Call)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
        and (node.lineno == line or getattr(node.func, "end_lineno", 0) == line)
        and (ast.unparse(node.func).rpartition(".")[2] in names)
    ]


def binds(found: inspect.Signature, call: ast.Call) -> str:
    """``yes``, ``open`` for one with stars that leave it open, or Python's own words."""
    positional = [a for a in call.args if not isinstance(a, ast.Starred)]
    keywords = [k.arg for k in call.keywords if k.arg is not None]
    stars = len(positional) < len(call.args) or len(keywords) < len(call.keywords)
    try:
        found.bind(*positional, **dict.fromkeys(keywords))
    except TypeError as error:
        return f"open ({error})" if stars and "missing" in str(error) else str(error)
    return "yes, and stars" if stars else "yes"


def judged(repository: Path, record: Record, site: Site) -> list[str]:
    """Whether the calls that stand at a place bind to the definition of the base, and to the current one."""
    name = record.old_id.rpartition(".")[2] or record.symbol.rpartition(".")[2]
    now = record.new_id.rpartition(".")[2] or name
    sides = (
        (Place(repository, record.base, record.base_path), record.base_line, name),
        (Place(repository, record.current, record.current_path), record.current_line, now),
    )
    nodes = [definition(*side) for side in sides]
    if any(node is None for node in nodes):  # a constructor is known by its class, and by its __init__
        nodes = [node or definition(place, line, "__init__") or definition(place, line, "__new__")
                 for node, (place, line, _) in zip(nodes, sides, strict=True)]  # fmt: skip
    found = []
    where = Place(repository, record.current, site.path)
    for call in calls(
        where, site.line, {name, now, record.symbol.rpartition(".")[2], "cls", "super", "__init__"}
    ):
        said = []
        for node, (place, _, _) in zip(nodes, sides, strict=True):
            bound = is_method(place, node)
            shape = signature(constructor(node), bound=bound)
            said.append("unknown" if shape is None else binds(shape, call))
        found.append(f"{ast.unparse(call)[:150]}\n        base: {said[0]}; current: {said[1]}")
    return found


def constructor(node: ast.AST | None) -> ast.AST | None:
    """The ``__init__`` of a class; anything else is itself."""
    if not isinstance(node, ast.ClassDef):
        return node
    return next((n for n in node.body if isinstance(n, Function) and n.name == "__init__"), None)


def is_method(place: Place, node: ast.AST | None) -> bool:
    """Whether a call leaves the first parameter out."""
    if isinstance(node, ast.ClassDef):
        return True
    owners = (n for n in ast.walk(_tree(place.text())) if isinstance(n, ast.ClassDef))
    return any(node in owner.body for owner in owners)


def fate(git: Git, record: Record, site: Site) -> str:
    """What the whole commit did to the line of a use that lags in its half; empty for other commits."""
    if record.source != "half":
        return ""
    diff = git.run("diff", "-U0", record.current, record.names[1], "--", site.path).decode("utf-8", "replace")
    for hunk in diff.split("\n@@ ")[1:]:
        start, _, count = hunk.split()[0].lstrip("-").partition(",")
        if int(start) <= site.line < int(start) + int(count or 1):
            return hunk[:900]
    return "(the whole commit leaves this line as it is)"


def print_dossier(folder: Path, record: Record, sites: int) -> None:
    """All of one signal."""
    repository = folder / f"{record.repository}.git"
    print(f"\n{'=' * 100}\n{record.id}  [{record.source}] {' -> '.join(record.names)}  {record.kind}")
    print(f"  {record.line}\n  effect {record.effect}  witness {record.witness}  public {record.public}")
    sides = (
        (Place(repository, record.base, record.base_path), record.base_line),
        (Place(repository, record.current, record.current_path or record.base_path), record.current_line),
    )
    for (place, line), text in zip(sides, (record.before, record.after), strict=True):
        print(f"  {text[:400]}\n  $ {place.command(line, line + SHOWN_LINES)}")
        if line:
            print(place.lines(line, line + SHOWN_LINES))
    for site in record.lagging[:sites]:
        where = Place(repository, record.current, site.path)
        print(f"  lags: {site.path}:{site.line} in {site.symbol}: {site.reason}{' (guess)' * site.guessed}")
        print(
            f"  $ {where.command(site.line - 3, site.line + 4)}\n{where.lines(site.line - 3, site.line + 4)}"
        )
        print("\n".join(f"      {text}" for text in judged(repository, record, site)))
        print(f"      fate: {fate(Git(repository), record, site)}")


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--from", type=Path, required=True)
    parser.add_argument("--sample", type=Path, required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--take", type=int, default=1000)
    parser.add_argument("--sites", type=int, default=2)
    options = parser.parse_args()
    known = {record.id: record for record in read(sorted(getattr(options, "from").glob("*.jsonl")))}
    ids = [row["id"] for row in read_rows(options.sample)]
    if options.seed is not None:
        random.Random(options.seed).shuffle(ids)
    for name in ids[options.skip : options.skip + options.take]:
        print_dossier(options.repositories.resolve(), known[name], options.sites)


if __name__ == "__main__":
    main()
