"""The corpus: which regression, where it is, and what says so.

Data only, in our own words. A case names two commits of a public repository (the one before and the one that
broke it), the commit that repaired it, and the functions that it is about: those that the repair changed, and
where the break came from elsewhere those as well. ``told`` is the place that admits it, and words to be found
there. ``reproduction`` ends in an expression whose value differs between the two commits.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One documented regression.

    Attributes:
        name: how the tables call it.
        repository: ``owner/name`` on GitHub.
        setting: ``commit`` when ``current`` is the commit that broke it and ``base`` its first parent,
            ``release`` when they are two neighbouring releases.
        base, current, fix: full commit ids.
        released, repaired: versions that had it first, and no longer; ``unreleased`` when there is none yet.
        package, releases: its name in the package index, and the source releases before and after that are
            there; where the first one after was withdrawn, the next.
        functions: dotted names; a finding on one of them, or on its class or a member of it, is the case's.
        kind: ``api`` when a call or name stopped fitting, else ``behaviour``.
        where, words: ``REV:PATH`` of a changelog, or empty for the message of ``fix``, and words in it.
        reproduction: a few lines of Python; the last is an expression.
        seen: Guardian was run on it before the corpus was drawn.
        add: requirements of its suite that are declared where Guardian does not look: what a user would write
            in a ``guardian.toml``.
        excluded: why it cannot be executed here, one typed word and a colon first; empty when it can.
    """

    name: str
    repository: str
    setting: str
    base: str
    current: str
    fix: str
    released: str
    repaired: str
    package: str
    releases: tuple[str, ...]
    functions: tuple[str, ...]
    kind: str
    where: str
    words: str
    reproduction: str
    seen: bool = False
    add: tuple[str, ...] = ()
    excluded: str = ""

    @property
    def decided_by(self) -> str:
        """The command that shows that it is documented."""
        shown = f"git show {self.where}" if self.where else f"git show -s {self.fix[:10]}"
        return f"{shown} | grep -n -F '{self.words}'"

    @property
    def settings(self) -> str:
        """The ``guardian.toml`` of the case, empty where it needs none."""
        return f"[requirements]\nadd = {json.dumps(self.add)}\n" if self.add else ""

    def concerns(self, symbol: str) -> bool:
        """Whether a symbol is one of the functions, the class of one, or lies in one."""
        return any(
            symbol == name or symbol.startswith(name + ".") or symbol == _class_of(name)
            for name in self.functions
        )


def _class_of(name: str) -> str:
    """The class that a dotted name is a member of, by the convention for the names of classes; else empty."""
    owner = name.rpartition(".")[0]
    return owner if owner.rpartition(".")[2].lstrip("_")[:1].isupper() else ""


def load(path: Path = HERE / "corpus.toml") -> list[Case]:
    """All cases, in the order of the file."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    lists = ("functions", "releases", "add")
    return [
        Case(**{**entry, **{name: tuple(entry.get(name, ())) for name in lists}}) for entry in content["case"]
    ]


def frozen(path: Path = HERE / "split.toml") -> frozenset[str]:
    """Names of the half that is run once, at the end."""
    return frozenset(tomllib.loads(path.read_text(encoding="utf-8"))["frozen"])
