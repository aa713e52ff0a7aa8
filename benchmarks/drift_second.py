"""A second reading of a sample, by rule, that knows neither the first nor the detector.

    python benchmarks/drift_second.py --repositories DIR --from DIR --sample FILE --seed N --out FILE

The sample is taken in another order (``--seed``), and every statement is decided anew from the two texts with
``ast`` and ``inspect`` alone: the parameter lists bind, or do not, the call that the signal shows and the
calls that are said to lag; a name is bound, or not, in its module or class; a base, decorator, default, value
or annotation is, or is not, written otherwise; a word stands in more files or fewer. What such a rule cannot
decide is ``undecided``.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import random
import re
from collections.abc import Callable
from pathlib import Path

from drift_labels import read_rows, write_labels
from drift_population import Record, Site, read
from drift_reading import Function, Place, binds, calls, constructor, definition, is_method, signature

from repo_guardian.errors import GuardianError
from repo_guardian.tools.git.command import Git

Verdict = tuple[str, str]
"""``true``, ``noise`` or ``undecided``, and why."""
UNDECIDED: Verdict = ("undecided", "no rule decides it")


class Sides:
    """The definitions of one signal at both commits."""

    def __init__(self, repository: Path, record: Record) -> None:
        self.repository, self.record = repository, record
        path = record.current_path or record.base_path
        self.places = (
            Place(repository, record.base, record.base_path),
            Place(repository, record.current, path),
        )
        old = record.old_id.rpartition(".")[2] or record.symbol.rpartition(".")[2]
        self.names = old, record.new_id.rpartition(".")[2] or old
        lines = record.base_line, record.current_line
        self.nodes = [
            definition(place, line, name) or definition(place, line, "__init__")
            for place, line, name in zip(self.places, lines, self.names, strict=True)
        ]

    def signatures(self, *, bound: bool | None = None) -> list[inspect.Signature | None]:
        """What a call passes, at both."""
        return [
            signature(constructor(node), bound=is_method(place, node) if bound is None else bound)
            for place, node in zip(self.places, self.nodes, strict=True)
        ]


def of_contract(sides: Sides) -> Verdict:
    """Its change, and where uses lag the first that is certain."""
    changed = _contract_changed(sides)
    if changed[0] != "true" or not sides.record.lagging:
        return changed
    certain = [site for site in sides.record.lagging if not site.guessed] or list(sides.record.lagging)
    return _lags(sides, certain[0])


def _contract_changed(sides: Sides) -> Verdict:
    effect = sides.record.effect
    if effect in ("returns", "access"):
        kinds = [_protocol(node) for node in sides.nodes]
        return ("true", f"{kinds[0]} is {kinds[1]} now") if kinds[0] != kinds[1] else ("noise", "no change")
    before, after = sides.signatures()
    if before is None or after is None:
        return UNDECIDED
    call = _call(sides.record.witness)
    fitted, fits = binds(before, call), binds(after, call)
    if effect == "unbinds":
        good = fitted == "yes" and fits != "yes"
        return ("true" if good else "noise"), f"{sides.record.witness}: {fitted}, then {fits}"
    names = [list(found.parameters)[: len(call.args)] for found in (before, after)]
    return ("true" if names[0] != names[1] else "noise"), f"positions {names[0]}, then {names[1]}"


def _lags(sides: Sides, site: Site) -> Verdict:
    """Whether the call at a place binds to the base's parameters and not to the current ones."""
    where = Place(sides.repository, sides.record.current, site.path)
    names = {*sides.names, sides.record.symbol.rpartition(".")[2], "__init__"}
    shapes = sides.signatures(), sides.signatures(bound=False)
    for call in calls(where, site.line, names):
        for before, after in shapes:
            if before is None or after is None:
                continue
            fitted, fits = binds(before, call), binds(after, call)
            if fitted.startswith("yes") and not fits.startswith("yes"):
                return "true", f"the call binds no more: {fits}"
            slots = [list(found.parameters)[: len(call.args)] for found in (before, after)]
            if fitted == fits == "yes" and slots[0] != slots[1]:
                return "true", f"its positions are {slots[1]} now, and were {slots[0]}"
    return UNDECIDED


def _call(text: str) -> ast.Call:
    return ast.parse(f"f{text or '()'}", mode="eval").body  # type: ignore[return-value]


def _protocol(node: ast.AST | None) -> str:
    if not isinstance(node, Function):
        return type(node).__name__
    inner = [n for statement in node.body for n in _own(statement)]
    generator = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in inner)
    prop = any("property" in ast.unparse(d) for d in node.decorator_list)
    return f"{'property ' * prop}{'generator ' * generator}{type(node).__name__}"


def _own(node: ast.AST) -> list[ast.AST]:
    """What runs in the function itself, not in those defined in it."""
    if isinstance(node, Function | ast.Lambda | ast.ClassDef):
        return []
    return [node, *(n for child in ast.iter_child_nodes(node) for n in _own(child))]


def of_altered(sides: Sides) -> Verdict:
    """Whether any part that is said to differ is written otherwise, type parameters of bases aside."""
    before, after = (_parts(node) for node in sides.nodes)
    if not before and not after:
        before, after = (
            {"value": _value(place, name)} for place, name in zip(sides.places, sides.names, strict=True)
        )
    different = sorted(name for name in before if before[name] != after.get(name))
    told = {
        "default_changed": "defaults", "return_changed": "returns", "base_added": "bases",
        "base_removed": "bases", "bases_reordered": "bases", "decorator_added": "decorators",
        "decorator_removed": "decorators", "binding_changed": "decorators", "value_changed": "value",
        "type_changed": "value",
    }  # fmt: skip
    wanted = {told.get(change, "") for change in sides.record.changes}
    if "" in wanted:
        return UNDECIDED
    return (
        "true" if wanted & set(different) else "noise"
    ), f"written otherwise: {', '.join(different) or 'nothing'}"


def _parts(node: ast.AST | None) -> dict[str, str]:
    if isinstance(node, ast.ClassDef):
        bases = [
            re.sub(r"\[.*", "", ast.unparse(base), flags=re.DOTALL).rpartition(".")[2] for base in node.bases
        ]
        found = {"bases": str([base for base in bases if base != "Generic"])}
    elif isinstance(node, Function):
        given = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        returns = "" if node.returns is None else ast.unparse(node.returns).strip("'")
        found = {"defaults": str([ast.unparse(d) for d in given]), "returns": returns}
    else:
        return {}
    return {**found, "decorators": str([ast.unparse(d) for d in node.decorator_list])}


def _value(place: Place, name: str) -> str:
    found = [
        ast.unparse(node.value)
        for node in ast.walk(ast.parse(place.text() or "pass"))
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and node.value is not None
        and name in ast.unparse(node).split("=")[0]
    ]
    return str(found)


def of_gone(sides: Sides) -> Verdict:
    """Whether the name is bound no more where it was, and is bound at the new place if there is one."""
    owner = sides.record.old_id.split(".")[-2:-1]
    old, new = (_bound(place.text(), owner[0] if owner else "") for place in sides.places)
    name = sides.names[0]
    if (
        sides.record.base_path.endswith(f"/{name}.py")
        or name == sides.record.base_path.rpartition("/")[2][:-3]
    ):
        gone = not Place(sides.repository, sides.record.current, sides.record.base_path).text()
        return ("true", "the file is gone") if gone else UNDECIDED
    if sides.record.kind == "symbol_moved" and sides.record.current_path != sides.record.base_path:
        new = _bound(Place(sides.repository, sides.record.current, sides.record.base_path).text(), "")
    return (
        ("true", "bound no more")
        if name in old and name not in new
        else ("noise", "still bound, or never was")
    )


def _bound(text: str, owner: str) -> set[str]:
    """Names that a module binds, or a class in it when it has the owner's name."""
    try:
        tree: ast.AST = ast.parse(text)
    except SyntaxError:
        return set()
    inside = next((n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == owner), tree)
    found: set[str] = set()
    for node in (n for statement in getattr(inside, "body", ()) for n in _statements(statement)):
        if isinstance(node, Function | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def _statements(node: ast.AST) -> list[ast.AST]:
    """A statement and those in its branches; not what functions and classes hold."""
    if isinstance(node, Function | ast.ClassDef):
        return [node]
    return [node, *(n for child in ast.iter_child_nodes(node) for n in _statements(child))]


def of_override(sides: Sides) -> Verdict:
    """Whether the override refuses the call shown, or the member is abstract now and was not."""
    record = sides.record
    if "abstract" in record.after:
        name = record.line.partition(" for ")[2].partition(",")[0]
        found = [_is_abstract(place.text(), record.old_id.rpartition(".")[2], name) for place in sides.places]
        return ("true" if found == [False, True] else "noise"), f"abstract: {found}"
    after = sides.signatures()[1]
    if after is None:
        return UNDECIDED
    fits = binds(after, _call(record.witness))
    return ("true" if fits != "yes" else "noise"), f"{record.witness}: {fits}"


def _is_abstract(text: str, owner: str, name: str) -> bool:
    classes = (
        n for n in ast.walk(ast.parse(text or "pass")) if isinstance(n, ast.ClassDef) and n.name == owner
    )
    methods = (m for c in classes for m in c.body if isinstance(m, Function) and m.name == name)
    marked = any("abstractmethod" in ast.unparse(d) for m in methods for d in m.decorator_list)
    return marked and "ABC" in text


def of_reach(sides: Sides) -> Verdict:
    """Files that have the word, or words in the body: more now where users or calls came, else fewer."""
    record, name = sides.record, sides.names[0]
    if "is used in" in record.line:
        counts = [_files(sides.repository, commit, name) for commit in (record.base, record.current)]
        told = [int(number) for number in re.findall(r"\d+", record.line.partition("is used in")[2])]
        grew, grows = counts[1] - counts[0], told[0] - told[1]
        good = grew * grows > 0 and abs(grew) * 2 >= abs(grows)
        return (
            "true" if good else "noise"
        ), f"the word stands in {counts[1]} files, and stood in {counts[0]}"
    texts = [ast.unparse(node) if node is not None else "" for node in sides.nodes]
    for verb, fewer, more in (("now calls ", 0, 1), ("no longer calls ", 1, 0)):
        for target in re.findall(rf"{verb}(.*?)(?: and no longer|$)", record.line):
            words = [word.rpartition(".")[2] for word in target.split(", ")]
            if any(_count(texts[more], w) > _count(texts[fewer], w) for w in words):
                return "true", f"{verb}{', '.join(words)}: by the words of the body"
    return "noise", "the words of the body are the same"


def _files(repository: Path, commit: str, word: str) -> int:
    try:
        return len(
            Git(repository)
            .run("grep", "-l", "-w", "-F", "-e", word, commit, "--", "*.py", "*.pyi")
            .splitlines()
        )
    except GuardianError:
        return 0


def _count(text: str, word: str) -> int:
    return len(re.findall(rf"\b{re.escape(word)}\b", text))


RULES: dict[str, Callable[[Sides], Verdict]] = {
    "contract_changed": of_contract,
    "definition_altered": of_altered,
    "symbol_removed": of_gone,
    "symbol_moved": of_gone,
    "override_mismatch": of_override,
    "reach_changed": of_reach,
}


def main() -> None:
    """Write the reading."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--from", type=Path, required=True)
    parser.add_argument("--sample", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    known = {record.id: record for record in read(sorted(getattr(options, "from").glob("*.jsonl")))}
    ids = [row["id"] for row in read_rows(options.sample)]
    random.Random(options.seed).shuffle(ids)
    rows = []
    for record in map(known.__getitem__, ids):
        rule = RULES.get(record.kind)
        repository = options.repositories.resolve() / f"{record.repository}.git"
        label, reason = rule(Sides(repository, record)) if rule is not None else UNDECIDED
        command = f"python benchmarks/drift_second.py: {rule.__name__ if rule is not None else 'no rule'}"
        rows.append(
            {"id": record.id, "kind": record.kind, "label": label, "reason": reason[:200], "command": command}
        )
    write_labels(options.out, rows)


if __name__ == "__main__":
    main()
