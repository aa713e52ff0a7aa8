"""Linking again only what read a changed key gives what linking everything gives, and links little."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.changes import changed_keys
from repo_guardian.tools.views.symbol_graph.corpus import LinkedFile
from repo_guardian.tools.views.symbol_graph.linker import Linker
from repo_guardian.tools.views.symbol_graph.memory import MemoryCorpus

Tree = Mapping[str, str]
_EXTRACTOR = PythonExtractor()
_KNOWN: dict[str, object] = {}


def corpus(tree: Tree) -> MemoryCorpus:
    for text in tree.values():
        if text not in _KNOWN:
            _KNOWN[text] = _EXTRACTOR.extract(text.encode(), ExtractLimits())
    return MemoryCorpus({path: _KNOWN[text] for path, text in tree.items()})


def cold(files: MemoryCorpus) -> dict[str, LinkedFile]:
    linker = Linker(files)
    return {path: linker.link(path) for path in files.paths()}


def warm(
    before: MemoryCorpus, links: Mapping[str, LinkedFile], after: MemoryCorpus
) -> tuple[dict[str, LinkedFile], set[str]]:
    """The links of ``after`` with those of ``before`` kept where they hold, and the files linked again."""
    paths = set(before.paths()) | set(after.paths())
    touched = {
        path
        for path in paths
        if path not in before.paths() or path not in after.paths() or before.facts(path) != after.facts(path)
    }
    changed = changed_keys(before, after, touched)
    linker = Linker(after)
    found, again = {}, set()
    for path in after.paths():
        if path in touched or links[path].reads & changed:
            found[path] = linker.link(path)
            again.add(path)
        else:
            found[path] = links[path]
    return found, again


BASE: dict[str, str] = {
    "shop/__init__.py": """
        from .models import Item, Order
        from .store import *
        from . import pricing
        __version__ = "1"
        """,
    "shop/models.py": """
        from dataclasses import dataclass
        from .base import Model, register
        @dataclass
        class Item:
            name: str
            price: int = 0
            def total(self): return self.price
        @register("order")
        class Order(Model):
            rate = 3
            def __init__(self, items):
                super().__init__()
                self.items = items
                self.head = Item("x")
            def lines(self):
                for item in self.items: yield item
            def save(self):
                self.validate()
                return self.store().put(self)
            @property
            def first(self): return self.head
            def fluent(self): return self
        """,
    "shop/base.py": """
        REGISTRY = {}
        def register(name):
            def wrap(cls):
                REGISTRY[name] = cls
                return cls
            return wrap
        class Model:
            def __init__(self): self.hooks = []
            def validate(self): return check(self)
            def store(self): return connect()
            def run(self, callback): return callback(self)
        def check(model): return model.is_valid_model()
        from .store import connect
        """,
    "shop/store.py": """
        __all__ = ["connect", "Store", "Cached"]
        class Store:
            def put(self, model): return self.write_row(model)
            def write_row(self, row): pass
            def __enter__(self): return self
            def __exit__(self, *rest): pass
        class Cached(Store):
            def write_row(self, row): super().write_row(row)
        def connect() -> Store: return Cached()
        def helper(): return connect()
        """,
    "shop/pricing.py": """
        import shop
        from shop import Order, connect
        def discount(order, how): return how(order)
        def half(order): return order.first.total()
        def price(order: Order):
            with connect() as store: store.put(order)
            return discount(order, half)
        TABLE = {"half": half, "other": lambda order: order.save()}
        def dispatch(name): return TABLE[name](Order([]))
        """,
    "tests/test_shop.py": """
        import shop
        from shop.models import Order
        def test_order():
            order = shop.Order([shop.Item("a")])
            order.fluent().fluent().save()
            order.run(after)
            shop.pricing.price(order)
            order.first.total()
            shop.connect().put(order)
            order.mark = after
            order.mark(order)
        def after(order): order.write_down()
        def loose(thing): thing.write_down()
        """,
    "scripts/run.py": """
        from shop.pricing import *
        import helper_module
        dispatch("half")
        price(helper_module.make())
        """,
    "scripts/helper_module.py": """
        try:
            from shop.models import Order as Made
        except ImportError:
            from shop.base import Model as Made
        def make(): return Made([])
        """,
}
BASE |= {
    "zoo/__init__.py": """
        from .birds import *
        from .beasts import *
        from .cage import Cage
        """,
    "zoo/birds.py": """
        from .cage import Cage
        __all__ = ["hatch", "Bird"]
        class Bird(Cage):
            wings = 2
            def sing(self): return self.voice()
            class Egg:
                def crack(self): return Bird()
        def hatch(): return Bird()
        def crow(): return Bird()
        """,
    "zoo/beasts.py": """
        from .birds import *
        def roar(): return hatch()
        def crow(): return None
        """,
    "zoo/cage.py": """
        from dataclasses import dataclass
        @dataclass
        class Cage:
            width: int
            label: str = ""
            def open(self): return self.inside().leave()
            def inside(self): return self.keeper
            def adopt(self, keeper): self.keeper = keeper
        class Keeper:
            def leave(self): pass
        """,
    "visit.py": """
        import zoo
        from zoo import *
        def visit():
            bird = hatch()
            bird.sing(); bird.open(); bird.swim(); bird.wings
            Bird.Egg().crack().sing()
            bird.adopt(zoo.cage.Keeper())
            bird.keeper.leave()
            zoo.crow(); roar(); zoo.moult()
            return Cage(3, label="x"), Bird(4)
        """,
    "alone.py": """
        import zoo
        def alone(): return zoo.roar()
        """,
}
BASE = {path: dedent(text) for path, text in BASE.items()}


def replaced(path, old, new):
    def edit(tree):
        if path in tree and old in tree[path]:
            return {**tree, path: tree[path].replace(old, new)}
        return dict(tree)

    return edit


def added(path, text):
    return lambda tree: {**tree, path: tree.get(path, "") + dedent(text)}


def without(path):
    return lambda tree: {known: text for known, text in tree.items() if known != path}


def renamed(old, new):
    return lambda tree: {new if known == old else known: text for known, text in tree.items()}


EDITS = {
    "a body": replaced("shop/base.py", "return check(self)", "check(self); print(1); return check(self)"),
    "a new private function": added("shop/base.py", "def _later(): pass\n"),
    "a duplicate of a unique method": added("other.py", "class A:\n    def write_down(self): pass\n"),
    "a second one": added("other.py", "class B:\n    def is_valid_model(self): pass\n"),
    "a shadowing module": added("shop/Item.py", "def nothing(): pass\n"),
    "a shadowing root": added("src/shop/__init__.py", "class Order: pass\n"),
    "a module beside a script": added("scripts/shop.py", "Order = 1\n"),
    "a new method on a base": added("shop/store.py", "class Late(Cached):\n    def put(self, m): pass\n"),
    "a method moves up": replaced(
        "shop/base.py", "    def run(", "    def fluent(self): return 1\n    def run("
    ),
    "another class returned": replaced("shop/store.py", "-> Store: return Cached()", ": return Store()"),
    "another value returned": replaced("shop/models.py", "return self\n", "return self.head\n"),
    "another value yielded": replaced("shop/models.py", "yield item", "yield Item('y')"),
    "another default": replaced(
        "shop/pricing.py", "def discount(order, how)", "def discount(order, how=half)"
    ),
    "an annotation of a return": replaced("shop/store.py", "-> Store", "-> Cached"),
    "a base changes": replaced("shop/models.py", "class Order(Model)", "class Order(object)"),
    "exports grow": replaced("shop/store.py", '"Cached"]', '"Cached", "helper"]'),
    "exports go": replaced("shop/store.py", "__all__", "names"),
    "a parameter's annotation": replaced("shop/pricing.py", "order: Order", "order: shop.Item"),
    "another function passed": replaced("tests/test_shop.py", "order.run(after)", "order.run(shop.helper)"),
    "one more function passed": added("more.py", "import shop\nshop.Order([]).run(lambda m: m.save())\n"),
    "another function stored": replaced("tests/test_shop.py", "mark = after", "mark = test_order"),
    "a function stored elsewhere": added("more.py", "import shop\nshop.Order([]).mark = shop.connect\n"),
    "a property is a method": replaced("shop/models.py", "    @property\n", ""),
    "a file goes": without("shop/store.py"),
    "a package is dissolved": without("shop/__init__.py"),
    "a package is made": added("scripts/__init__.py", ""),
    "tests are a package": added("tests/__init__.py", "from shop import *\n"),
    "a rename": renamed("shop/pricing.py", "shop/prices.py"),
    "a file moves out": renamed("scripts/helper_module.py", "helper_module.py"),
    "a stub": added("shop/store.pyi", "class Store: ...\n"),
    "a broken file": replaced("shop/models.py", "class Item:", "class Item(:"),
    "mutual stars": added("shop/store.py", "from shop.models import *\n"),
    "a lambda before": replaced("shop/pricing.py", "TABLE =", "first = lambda: connect()\nTABLE ="),
    "a decorator": replaced("shop/store.py", "def connect()", "@register\ndef connect()"),
    "a cycle": added("shop/base.py", "Model.again = Model\nloop = two = Model().again\ntwo = loop.again\n"),
    "a starred name is added": replaced("zoo/birds.py", '"Bird"]', '"Bird", "crow"]'),
    "a starred name goes": replaced("zoo/birds.py", '["hatch", ', "["),
    "a starred module has no list": replaced("zoo/birds.py", "__all__", "names"),
    "a starred module gets a list": added("zoo/beasts.py", "__all__ = ['crow', 'moult']\n"),
    "a starred list grows by another": added(
        "zoo/beasts.py", "from . import birds\n__all__ = birds.__all__\n"
    ),
    "a name is bound in a starred module": added("zoo/beasts.py", "def moult(): pass\n"),
    "a starred module shadows another": added("zoo/beasts.py", "def Bird(size): pass\n"),
    "one more star": added("zoo/__init__.py", "from .late import *\n"),
    "what one more star finds": added("zoo/late.py", "def moult(): pass\ndef roar(): pass\n"),
    "a base gets a member looked up in vain": replaced(
        "zoo/cage.py", "    def open", "    def swim(self): pass\n    def open"
    ),
    "a base gets a member of a heir's": replaced(
        "zoo/cage.py", "def inside", "def sing(self): pass\n    def inside"
    ),
    "a base answers any name": replaced(
        "zoo/cage.py", "    def open", "    def __getattr__(self, name): pass\n    def open"
    ),
    "a metaclass": replaced("zoo/birds.py", "Bird(Cage)", "Bird(Cage, metaclass=Made)"),
    "a method is a property": replaced("zoo/cage.py", "    def inside", "    @property\n    def inside"),
    "a class in a class": replaced("zoo/birds.py", "def crack(self): return Bird()", "crack = 1"),
    "a class in a class goes": replaced("zoo/birds.py", "class Egg", "class Shell"),
    "another field": replaced("zoo/cage.py", "label: str", "size: int = 0\n    label: str"),
    "a field's default": replaced("zoo/cage.py", 'str = ""', "str"),
    "no dataclass": replaced("zoo/cage.py", "@dataclass\n", ""),
    "a constructor": replaced("zoo/cage.py", "    def open", "    def __init__(self, a): pass\n    def open"),
    "a heir's constructor": replaced("zoo/birds.py", "wings = 2", "def __init__(self): pass"),
    "an allocator": replaced("zoo/cage.py", "    def open", "    def __new__(cls, a): pass\n    def open"),
    "another attribute": replaced("zoo/cage.py", "self.keeper = keeper", "self.keeper = Cage(1)"),
    "an attribute goes": replaced("zoo/cage.py", "self.keeper = keeper", "pass"),
    "an attribute is a method": replaced("zoo/birds.py", "wings = 2", "def keeper(self): pass"),
    "a method is imported": replaced("zoo/birds.py", "wings = 2", "from .beasts import roar as sing"),
    "a class is a function": replaced("zoo/birds.py", "class Bird(Cage):", "def Bird(size):"),
    "a class is twice": added("zoo/birds.py", "class Bird:\n    def swim(self): pass\n"),
    "a module takes a class's name": added("zoo/Bird.py", "def sing(): pass\n"),
    "four more who pass": lambda tree: {
        **tree,
        **{f"more{n}.py": "import zoo\nzoo.Cage(1).adopt(zoo.Bird(2))\n" for n in range(4)},
    },
    "four more who store": lambda tree: {
        **tree,
        **{f"set{n}.py": "import zoo\nzoo.Cage(1).swim = zoo.roar\n" for n in range(4)},
    },
    "Python 2": added("shop/models.py", 'print "x"\n'),
}
LATER = {
    "one of them goes": without("more0.py"),
    "two of them go": lambda tree: without("set0.py")(without("set1.py")(tree)),
}
"""Edits that do something only after others."""


@pytest.mark.parametrize("name", EDITS)
def test_each_edit_and_back(name):
    trees = [BASE, EDITS[name](BASE), BASE]
    assert trees[0] != trees[1]
    files = [corpus(tree) for tree in trees]
    links = cold(files[0])
    for before, after in itertools.pairwise(files):
        links, _ = warm(before, links, after)
        assert links == cold(after)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(sorted(EDITS | LATER)), min_size=1, max_size=3), min_size=1, max_size=5)
)
def test_any_history(steps):
    tree = BASE
    files = corpus(tree)
    links = cold(files)
    for step in steps:
        for name in step:
            tree = (EDITS | LATER)[name](tree)
        after = corpus(tree)
        links, _ = warm(files, links, after)
        files = after
        assert links == cold(files)


def relinked(name):
    before, after = corpus(BASE), corpus(EDITS[name](BASE))
    return warm(before, cold(before), after)[1]


def test_an_edit_of_a_body_links_one_file():
    assert relinked("a body") == {"shop/base.py"}


def test_a_new_private_function_links_one_file():
    assert relinked("a new private function") == {"shop/base.py"}


def test_a_duplicate_of_a_unique_name_links_those_who_guessed():
    assert relinked("a duplicate of a unique method") == {"other.py", "tests/test_shop.py"}


def test_a_name_in_a_starred_module_links_those_who_look_for_it():
    assert relinked("a name is bound in a starred module") == {"zoo/beasts.py", "zoo/__init__.py", "visit.py"}


def test_a_list_of_names_links_those_who_look_for_them():
    assert "alone.py" not in relinked("a starred name is added")


def test_a_member_links_those_who_look_for_it():
    again = relinked("a base gets a member looked up in vain")
    assert "visit.py" in again
    assert "alone.py" not in again


def test_a_method_that_nobody_asks_for_links_one_file():
    before = corpus(BASE)
    edited = replaced("zoo/cage.py", "    def open", "    def polish(self): pass\n    def open")(BASE)
    assert warm(before, cold(before), corpus(edited))[1] == {"zoo/cage.py"}


def test_one_more_of_many_callers_links_itself():
    many = corpus(EDITS["four more who pass"](BASE))
    more = corpus({**EDITS["four more who pass"](BASE), "last.py": "import zoo\nzoo.Cage(1).adopt(2)\n"})
    assert warm(many, cold(many), more)[1] == {"last.py"}


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_linking_does_not_matter(seed):
    files = corpus({**BASE, **EDITS["a cycle"](BASE)})
    expected = {path: Linker(files).link(path) for path in files.paths()}
    paths = list(files.paths())
    random.Random(seed).shuffle(paths)
    linker = Linker(files)
    assert {path: linker.link(path) for path in paths} == expected
    assert linker.link(paths[0]) == expected[paths[0]]
