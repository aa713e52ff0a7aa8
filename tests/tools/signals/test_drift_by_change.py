"""Drift costs what the change costs: the same signals as a comparison of everything, and no file read for
nothing."""

from __future__ import annotations

import random
import re
import textwrap
from collections import Counter
from collections.abc import Iterator

import pytest

from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.interface import SignalKind
from repo_guardian.tools.signals.lifetimes import lifetimes
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link
from repo_guardian.tools.views.symbol_graph.model import GUESSES, Resolution

EXTRACTOR = PythonExtractor()

Blocks = dict[str, list[str]]
"""A tree: path to the top-level statements of the file."""

SEED: dict[str, str] = {
    "shop/__init__.py": """
        from .cart import Cart, total as total_of
        from ._money import Money
        from .rates import *
        from . import store
        __all__ = ["Cart", "total_of", "Money", "store"]
        """,
    "shop/_money.py": """
        from dataclasses import dataclass
        @dataclass
        class Money:
            amount: int
            currency: str = "EUR"
            def times(self, factor, digits=2): return Money(self.amount * factor)
        ZERO = Money(0)
        def convert(money, rate, *, digits=2): return money.times(rate, digits)
        """,
    "shop/rates.py": """
        RATES = {"EUR": 1}
        def rate(currency, day=None): return RATES[currency]
        def _cached(currency): return rate(currency)
        async def fetch(url, timeout=10): return url
        """,
    "shop/base.py": """
        class Base:
            def __init__(self, name, parent=None): self.name = name
            def save(self, force=False): return self._key()
            def _key(self): return self.name
            @property
            def title(self): return self.name
        class Mixin(Base):
            def load(self, key): return key
        """,
    "shop/store.py": """
        import shop.base
        from .base import Base, Mixin as Loading
        from . import rates
        class Store(Base):
            def find(self, key, default=None): return default
        class Shelf(Store, Loading):
            def find(self, key, default=None): return super().find(key)
        def open_store(name): return Store(name)
        def __getattr__(name): raise AttributeError(name)
        """,
    "shop/cart.py": """
        from shop._money import Money, convert
        from shop.store import Store, Shelf
        class Cart:
            limit = 10
            def __init__(self, store: Store, owner="me"): self.store = store
            def add(self, key, count=1):
                def inner(x): return x
                return inner(self.store.find(key, None))
            def pay(self): return convert(Money(1), 2, digits=3)
        def total(carts, start=0): return sum(cart.pay() for cart in carts)
        """,
    "app.py": """
        import shop
        import shop.base
        from shop import Cart, total_of, store
        from shop.rates import rate as rate_of, _cached
        def main():
            cart = Cart(store.open_store("x"), "you")
            cart.add("k", 2)
            print(total_of([cart], 3), rate_of("EUR"), _cached("EUR"))
            return shop.Money(1, "USD").times(2, 3)
        """,
    "tests/test_shop.py": """
        from shop.store import Shelf, Store
        from shop.base import Base
        from shop import rates
        def test_find():
            shelf = Shelf("s")
            assert shelf.find("k", 1) is None
            assert shelf.save(True) == shelf.title
            assert shelf.load("k") == Base("b").save()
        async def test_fetch(): assert await rates.fetch("u", 3)
        """,
}  # fmt: skip

NAMES = re.compile(
    r"\b(Cart|Money|Base|Mixin|Loading|Store|Shelf|total_of|total|rate|rates|fetch|find|save|load|add|pay"
    r"|times|convert|open_store|_cached|_key|title|limit|store|base|key|count|default|digits|force)\b"
)


def blocks(tree: dict[str, str]) -> Blocks:
    """Statements that begin at the left margin, decorators with what they decorate."""
    found: Blocks = {}
    for path, text in tree.items():
        lines = textwrap.dedent(text).strip().split("\n")
        found[path] = []
        open_decorator = False
        for line in lines:
            if line[:1] == " " or open_decorator:
                found[path][-1] += f"\n{line}"
            else:
                found[path].append(line)
            open_decorator = line.startswith("@")
    return found


def graph(tree: Blocks):
    facts = {
        path: EXTRACTOR.extract("\n".join((*parts, "")).encode(), ExtractLimits())
        for path, parts in tree.items()
    }
    return link("0" * 40, facts)


# -- edits: each takes a tree apart a little, as a commit does


def _any_block(tree: Blocks, rng: random.Random) -> tuple[list[str], int]:
    path = rng.choice([path for path, parts in tree.items() if parts])
    return tree[path], rng.randrange(len(tree[path]))


def drop_block(tree: Blocks, rng: random.Random) -> None:
    parts, index = _any_block(tree, rng)
    del parts[index]


def move_block(tree: Blocks, rng: random.Random) -> None:
    parts, index = _any_block(tree, rng)
    target = tree[rng.choice(list(tree))]
    target.insert(rng.randint(0, len(target)), parts.pop(index))


def copy_block(tree: Blocks, rng: random.Random) -> None:
    parts, index = _any_block(tree, rng)
    tree[rng.choice(list(tree))].append(parts[index])


def drop_line(tree: Blocks, rng: random.Random) -> None:
    parts, index = _any_block(tree, rng)
    lines = parts[index].split("\n")
    if len(lines) > 2:
        del lines[rng.randrange(1, len(lines))]
        parts[index] = "\n".join(lines)


def rename_here(tree: Blocks, rng: random.Random) -> None:
    parts, index = _any_block(tree, rng)
    found = NAMES.findall(parts[index])
    if found:
        old = rng.choice(found)
        new = rng.choice([f"{old}_2", f"_{old}", rng.choice(found)])
        parts[index] = re.sub(rf"\b{old}\b", new, parts[index], count=rng.choice([0, 1]))


def change_parameters(tree: Blocks, rng: random.Random) -> None:
    parts, index = _any_block(tree, rng)
    old, new = rng.choice(
        [("=None)", ")"), ("=2)", ")"), ("=1)", ")"), ("(self, ", "(self, extra, "), ("(self, key", "(self"),
         (", *, ", ", "), ("key, default", "default, key"), ("def ", "async def "), ("async def ", "def "),
         ("return", "yield"), ("    def ", "    @property\n    def "), ("@property", "@cached"),
         ("(Base)", "(object)"), ("(Store, Loading)", "(Loading)"), ("class Cart:", "class Cart(dict):"),
         ("(currency", "(*currency"), ("import *", "import rate"), (" as total_of", ""), ("@dataclass", "@d")]
    )  # fmt: skip
    parts[index] = parts[index].replace(old, new)


def drop_file(tree: Blocks, rng: random.Random) -> None:
    del tree[rng.choice(list(tree))]


def move_file(tree: Blocks, rng: random.Random) -> None:
    path = rng.choice(list(tree))
    folder = rng.choice(["", "shop/", "shop/inner/", "src/"])
    tree[folder + rng.choice(["", "new_"]) + path.rpartition("/")[2]] = tree.pop(path)


def add_block(tree: Blocks, rng: random.Random) -> None:
    text = rng.choice(
        ["def __getattr__(name): ...", "globals().update(RATES)", "from shop.base import *", "import shop.x",
         "from lib import Store", "class Late(Base): ...", "def rate(currency): ...", "setattr(Base, 'x', 1)",
         "from shop.store import Store as Store", "Base = object", "def f(: broken"]
    )  # fmt: skip
    parts = tree[rng.choice(list(tree))]
    parts.insert(rng.randint(0, len(parts)), text)


EDITS = (drop_block, move_block, copy_block, drop_line, rename_here, rename_here, change_parameters,
         change_parameters, drop_file, move_file, add_block)  # fmt: skip


def histories(seed: int, commits: int) -> Iterator[tuple[Blocks, Blocks]]:
    """Pairs of neighbouring commits, each a few edits away from the one before."""
    rng = random.Random(seed)
    tree = blocks(SEED)
    for _ in range(commits):
        after = {path: list(parts) for path, parts in tree.items()}
        for _ in range(rng.randint(1, 4)):
            rng.choice(EDITS)(after, rng)
            after = after or blocks(SEED)
        yield tree, after
        tree = after


@pytest.mark.parametrize("seed", range(60))
def test_a_change_is_told_the_same_when_every_file_counts_as_changed(seed, both_ways):
    for before, after in histories(seed, 5):
        base, current = graph(before), graph(after)
        both_ways(base, current)
        both_ways(current, base)


def test_the_edits_of_that_test_find_every_kind_of_drift():
    kinds = Counter(
        signal.kind
        for seed in range(20)
        for before, after in histories(seed, 5)
        for signal in detect_drift(graph(before), graph(after))
    )
    assert set(kinds) == {
        SignalKind.CONTRACT_CHANGED,
        SignalKind.SYMBOL_REMOVED,
        SignalKind.SYMBOL_MOVED,
        SignalKind.DEFINITION_ALTERED,
        SignalKind.EXPORT_REMOVED,
    }
    breaking = (SignalKind.CONTRACT_CHANGED, SignalKind.SYMBOL_REMOVED, SignalKind.SYMBOL_MOVED)
    assert min(kinds[kind] for kind in breaking) >= 5


# -- what is read


class Reading:
    """A graph that keeps account of the files that were read whole, and refuses to give everything."""

    def __init__(self, graph) -> None:
        self._graph = graph
        self.read: set[str] = set()
        self.symbols = Lookup(graph.symbols)

    def __getattr__(self, name):
        return getattr(self._graph, name)

    def edges(self):
        raise AssertionError("all edges were asked for")

    def symbols_in(self, path):
        self.read.add(path)
        return self._graph.symbols_in(path)

    def edges_in(self, path):
        self.read.add(path)
        return self._graph.edges_in(path)


class Lookup(dict):
    """Symbols by id, one at a time."""

    def __iter__(self):
        raise AssertionError("all symbols were asked for")

    keys = values = items = __iter__


CHANGED: dict[str, str] = {
    "shop/base.py": """
        class Base:
            def __init__(self, name, parent): self.name = name
            def save(self): return self._key()
            def _key(self): return self.name
            def title(self): return self.name
        class Mixin(Base): ...
        """,
    "shop/_money.py": """
        from dataclasses import dataclass
        from .rates import rate as convert
        @dataclass
        class Money:
            amount: int
            currency: str
            def times(self, factor): return Money(self.amount * factor)
        """,
    "shop/rates.py": """
        RATES = {"EUR": 1}
        def rate(currency, *, day=None): return RATES[currency]
        def fetch(url, timeout=10): return url
        """,
    "shop/cart.py": "from .cart2 import *\n",
    "shop/cart2.py": SEED["shop/cart.py"].replace("total", "sum_up").replace("store: Store, ", ""),
}


def test_two_versions_of_a_package_beside_two_hundred_modules_that_stay(both_ways):
    others = {f"other/m{i}.py": f"import other.m{i // 2}\ndef f{i}(x): return x\n" for i in range(200)}
    base = graph(blocks({**SEED, **others}))
    current = graph(blocks({**SEED, **CHANGED, **others}))
    signals = both_ways(base, current)
    assert {(s.symbols[0], s.kind, s.lagging_total) for s in signals} == DRIFT
    before, now = Reading(base), Reading(current)
    assert detect_drift(before, now) == signals
    assert not [path for path in before.read | now.read if path.startswith("other/")]


DRIFT = {
    ("shop.base.Base", SignalKind.CONTRACT_CHANGED, 3),
    ("shop.base.Base.save", SignalKind.CONTRACT_CHANGED, 1),
    ("shop.base.Base.title", SignalKind.CONTRACT_CHANGED, 1),
    ("shop.base.Mixin.load", SignalKind.SYMBOL_REMOVED, 1),
    ("shop.Money", SignalKind.CONTRACT_CHANGED, 2),
    ("shop.Money.times", SignalKind.CONTRACT_CHANGED, 1),
    ("shop.cart.Cart", SignalKind.CONTRACT_CHANGED, 1),
    ("shop.cart.total", SignalKind.SYMBOL_REMOVED, 3),
    ("shop.rates.rate", SignalKind.CONTRACT_CHANGED, 0),
    ("shop.rates.fetch", SignalKind.CONTRACT_CHANGED, 0),
    ("shop.rates._cached", SignalKind.SYMBOL_REMOVED, 2),
}


def test_a_use_that_led_nowhere_at_the_base_already_is_not_left_by_a_removal(both_ways):
    before = {"pkg/__init__.py": "", "pkg/m.py": "class C: ...\ndef f(): ...\n", "app.py": "import pkg.m\n"}
    before["app.py"] += "print(pkg.m.C.missing)\nprint(pkg.m.C)\n"
    after = {**before, "pkg/m.py": "def f(): ...\n"}
    (signal,) = both_ways(graph(blocks(before)), graph(blocks(after)))
    assert [d.text for d in signal.dependents] == ["print(pkg.m.C)"]


def test_what_came_and_went_is_the_difference_of_all_there_is():
    for seed in range(20):
        for before, after in histories(seed, 5):
            base, current = graph(before), graph(after)
            found = lifetimes(base, current)
            born, died = (named(a) - named(b) for a, b in ((current, base), (base, current)))
            assert ({s.id for s in found.born}, {s.id for s in found.died}) == (born, died)
            began, ceased = (relations(a) - relations(b) for a, b in ((current, base), (base, current)))
            assert (set(found.began), set(found.ceased)) == (began, ceased)


def named(graph):
    return {name for name in graph.symbols if "<" not in name}


def relations(graph):
    unknown = (*GUESSES, Resolution.UNRESOLVED)
    known = (e for e in graph.edges() if e.resolution not in unknown and e.target in graph.symbols)
    return {(e.source.partition(".<")[0], e.target, e.kind) for e in known if "<" not in e.target}
