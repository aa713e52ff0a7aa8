"""Structural drift beside griffe's breaking changes, release by release, each disagreement with its class.

    python benchmarks/drift_griffe.py --griffe PYTHON --from DIR --read FILE NAME.git ...

``--griffe`` names a Python that has griffe (2.4.1 was measured), and ``--from`` the folder that
``drift_histories.py collect`` wrote. Both read the same trees of the same releases. Griffe looks at the
import packages that lie at the top or under ``src``; of our signals those count that are public, of an API
kind and in these packages. Two agree when they name the same symbol, or a class and a member of it.
``--read`` is written: every disagreement, with the class that a rule gave it. Prints three Markdown tables.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from drift_population import Pair, Record, read, release_pairs

from repo_guardian.tools.git.command import Git
from repo_guardian.tools.git.objects import list_tree, read_blobs

API_KINDS = ("contract_changed", "definition_altered", "symbol_removed", "symbol_moved", "export_removed")
OUTSIDE = re.compile(r"\A(tests?|testing|docs?|examples?|scripts?|tools?|benchmarks?|\..*)\Z")
"""Top folders that no user imports; by name alone, the same for all repositories."""

GRIFFE = """
import json, logging, sys
import griffe
logging.disable(logging.CRITICAL)
def load(name, root):
    return griffe.load(name, search_paths=[root], allow_inspection=False, force_inspection=False)
for name, base, current in json.load(sys.stdin):
    said = []
    try:
        before, after = load(name, base), load(name, current)
        for b in griffe.find_breaking_changes(before, after):
            obj = b.obj
            try:
                canonical = obj.canonical_path
            except Exception:
                canonical = obj.path
            labels = sorted(obj.labels) if not obj.is_alias else []
            said.append({"kind": b.kind.name.lower(), "path": obj.path, "canonical": canonical,
                         "alias": obj.is_alias, "of": obj.kind.value, "labels": labels,
                         "old": str(b.old_value)[:160], "new": str(b.new_value)[:160]})
    except Exception as error:
        said.append({"kind": "failed", "path": name, "canonical": name, "alias": False, "of": "",
                     "labels": [], "old": type(error).__name__, "new": str(error)[:160]})
    print(json.dumps(said), flush=True)
"""


@dataclass(frozen=True)
class Breakage:
    """What griffe says of one object; what is inherited or imported has another ``canonical`` path."""

    kind: str
    path: str
    canonical: str
    alias: bool
    of: str
    labels: tuple[str, ...]
    old: str
    new: str

    @property
    def names(self) -> set[str]:
        """The symbols that it may be known by; of ``f(x)`` the function."""
        return {re.sub(r"\(.*", "", name).removesuffix(".__init__") for name in (self.path, self.canonical)}


@dataclass(frozen=True)
class Compared:
    """One pair of releases: what both say, what only one says."""

    repository: str
    pair: Pair
    both: list[tuple[Breakage, Record]]
    only_griffe: list[Breakage]
    only_ours: list[Record]
    dynamic: set[str]


def write_packages(git: Git, commit: str, root: Path) -> list[str]:
    """The import packages of a commit's tree as files; their names."""
    entries = {entry.path.decode("utf-8", "replace"): entry for entry in list_tree(git, commit)}
    homes = {
        PurePosixPath(path).parent
        for path in entries
        if path.endswith("/__init__.py") and path.count("/") - path.startswith("src/") == 1
    }
    homes = {home for home in homes if not OUTSIDE.match(home.name)}
    wanted = [
        (path, entry.oid)
        for path, entry in entries.items()
        if path.endswith((".py", ".pyi")) and homes & set(PurePosixPath(path).parents)
    ]
    contents = {blob.oid: blob.data or b"" for blob in read_blobs(git, [oid for _, oid in wanted])}
    for path, oid in wanted:
        target = root / path.removeprefix("src/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(contents[oid])
    return sorted(home.name for home in homes)


def ask(python: str, jobs: Sequence[tuple[str, str, str]]) -> list[list[Breakage]]:
    """Griffe's answer to each job: a package, and the folders that hold it before and after."""
    done = subprocess.run(
        [python, "-c", GRIFFE], input=json.dumps(jobs).encode(), capture_output=True, check=True
    )
    return [
        [Breakage(**{**found, "labels": tuple(found["labels"])}) for found in json.loads(line)]
        for line in done.stdout.splitlines()
    ]


def compare(folder: Path, records: Sequence[Record], python: str, count: int) -> Iterator[Compared]:
    """All neighbouring releases of one repository."""
    git, name = Git(folder), folder.name.removesuffix(".git")
    for pair in release_pairs(git, count):
        with tempfile.TemporaryDirectory() as scratch:
            roots = Path(scratch, "base"), Path(scratch, "current")
            found = [
                write_packages(git, commit, root)
                for commit, root in zip((pair.base, pair.current), roots, strict=True)
            ]
            packages = sorted(set(found[0]) & set(found[1]))
            dynamic = dynamic_modules(roots[1])
            answers = ask(python, [(package, str(roots[0]), str(roots[1])) for package in packages])
        ours = [
            r for r in records
            if (r.repository, r.source, r.names) == (name, "release", (pair.base_name, pair.current_name))
            and r.public and r.kind in API_KINDS and r.symbol.partition(".")[0] in packages
        ]  # fmt: skip
        yield _match(name, pair, [b for some in answers for b in some], ours, dynamic)


def _match(
    name: str, pair: Pair, breakages: list[Breakage], ours: list[Record], dynamic: set[str]
) -> Compared:
    both, only_griffe, matched = [], [], set()
    for breakage in breakages:
        partners = [
            r for r in ours if any(_related(n, s) for n in breakage.names for s in (r.symbol, r.old_id))
        ]
        both += [(breakage, partners[0])] if partners else []
        only_griffe += [] if partners else [breakage]
        matched |= {partner.id for partner in partners}
    only_ours = [r for r in ours if r.id not in matched]
    return Compared(name, pair, both, only_griffe, only_ours, dynamic)


def _related(name: str, symbol: str) -> bool:
    return bool(symbol) and (name == symbol or name.startswith(f"{symbol}.") or symbol.startswith(f"{name}."))


def griffe_class(found: Breakage, dynamic: set[str]) -> str:
    """Why we are silent on what griffe tells; the first rule that fits."""
    parts = found.canonical.split(".")
    served = any(".".join(parts[:end]) in dynamic for end in range(1, len(parts)))
    rules = {
        "griffe could not read the package": found.kind == "failed",
        "private by name": any(part.startswith("_") and not part.startswith("__") for part in parts),
        "a special method: nobody calls it by name": parts[-1].startswith("__"),
        "the module has a __getattr__ that may serve it": served,
        "inherited or imported: another name of what is told once, or of somebody else's": found.alias,
        "a return type that narrowed, or came": found.kind == "return_changed_type",
        "made under a condition or by a call: its kind is not certain": found.kind == "object_changed_kind",
        "a list that is not certain, or a change that no call can tell": found.kind.startswith("parameter"),
        "an attribute that a base or an instance may have, or a type variable": found.of == "attribute",
    }
    return next((why for why, fits in rules.items() if fits), "other")


def dynamic_modules(root: Path) -> set[str]:
    """Import names of the modules that define ``__getattr__``."""
    found = set()
    for path in root.rglob("*.py"):
        if re.search(rb"^(?:def|async def) __getattr__\(", path.read_bytes(), re.MULTILINE):
            found.add(".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"))
    return found


def our_class(record: Record) -> str:
    """What griffe is silent on; by our kinds of change."""
    return f"{record.kind}: {', '.join(sorted(set(record.changes)))}" if record.changes else record.kind


def main() -> None:
    """Print the tables, write the disagreements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--griffe", required=True, metavar="PYTHON")
    parser.add_argument("--from", type=Path, required=True)
    parser.add_argument("--read", type=Path, required=True)
    parser.add_argument("--releases", type=int, default=10)
    options = parser.parse_args()
    records = read(sorted(getattr(options, "from").glob("*.release.jsonl")))
    by_kind: dict[str, Counter[str]] = {}
    theirs, ours = Counter[str](), Counter[str]()
    with options.read.open("w") as out:
        for folder in options.repositories:
            for one in compare(folder.resolve(), records, options.griffe, options.releases):
                title = f"{one.repository} {one.pair.base_name} -> {one.pair.current_name}"
                for breakage, _ in one.both:
                    by_kind.setdefault(breakage.kind, Counter())["both"] += 1
                for breakage in one.only_griffe:
                    by_kind.setdefault(breakage.kind, Counter())["griffe"] += 1
                    kind = griffe_class(breakage, one.dynamic)
                    theirs[kind] += 1
                    print(f"[griffe: {kind}] {title}: {breakage}", file=out)
                for record in one.only_ours:
                    ours[our_class(record)] += 1
                    print(f"[ours: {our_class(record)}] {title}: {record.line}", file=out)
    print("| griffe's kind | reports | we tell it too | only griffe |\n|---|---|---|---|")
    for kind, counts in sorted(by_kind.items()):
        print(f"| {kind} | {counts.total()} | {counts['both']} | {counts['griffe']} |")
    for title, counted in (("only griffe, why", theirs), ("only we", ours)):
        print(f"\n| {title} | count |\n|---|---|")
        for kind, number in counted.most_common():
            print(f"| {kind} | {number} |")


if __name__ == "__main__":
    main()
