"""What uses resolve to: small trees in, edges out."""

from __future__ import annotations

import pytest

from repo_guardian.tools.views.symbol_graph.model import EdgeKind, Resolution

CALL, REFERENCE, IMPORT, INHERIT = EdgeKind.CALL, EdgeKind.REFERENCE, EdgeKind.IMPORT, EdgeKind.INHERIT


def calls(graph, source=None):
    """(target, how, shape) of every call, builtins left out."""
    return [
        (e.target, e.resolution.value, e.shape.render())
        for e in graph.edges()
        if e.kind is CALL and not e.target.startswith("builtins.") and (source is None or e.source == source)
    ]


def targets(graph, source):
    return [target for target, _, _ in calls(graph, source)]


PACKAGE = {
    "pkg/__init__.py": "from .loader import load\nfrom . import loader\nVERSION = '1'\n",
    "pkg/loader.py": "def load(stream, Loader=None): pass\nclass Loader:\n    def __init__(self, a): pass\n",
}


@pytest.mark.parametrize(
    ("user", "target", "how", "via"),
    [
        ("import pkg\npkg.load(1)\n", "pkg.loader.load", "import", ("pkg.load",)),
        ("from pkg import load\nload(1)\n", "pkg.loader.load", "import", ("user.load", "pkg.load")),
        ("from pkg import load as l\nl(1)\n", "pkg.loader.load", "import", ("user.l", "pkg.load")),
        ("import pkg.loader\npkg.loader.load(1)\n", "pkg.loader.load", "import", ("user.pkg",)),
        ("import pkg.loader as x\nx.load(1)\n", "pkg.loader.load", "import", ("user.x",)),
        ("from pkg import loader\nloader.load(1)\n", "pkg.loader.load", "import", ("user.loader",)),
        ("from pkg.loader import load\nload(1)\n", "pkg.loader.load", "import", ("user.load",)),
        ("from pkg import *\nload(1)\n", "pkg.loader.load", "import", ("pkg.load",)),
        ("from pkg import *\nloader.load(1)\n", "pkg.loader.load", "import", ()),
        ("def f():\n    import pkg\n    pkg.loader.Loader(1)\n", "pkg.loader.Loader", "constructor", ()),
        ("import pkg\nf = pkg.load\nf(1)\n", "pkg.loader.load", "assignment", ("user.f",)),
        ("from pkg import gone\ngone(1)\n", "pkg.gone", "unresolved", ("user.gone",)),
        ("import pkg\npkg.gone(1)\n", "pkg.gone", "unresolved", ("user.pkg",)),
        ("import pkg\npkg.Gone.make(1)\n", "pkg.Gone.make", "unresolved", ("pkg.Gone",)),
        ("from pkg.loader import Gone\nGone().make(1)\n", "pkg.loader.Gone.make", "unresolved", ()),
        ("from pkg.gone import f\nf(1)\n", "pkg.gone.f", "unresolved", ("user.f",)),
        ("import os.path\nos.path.join(1)\n", "os.path.join", "unresolved", ("user.os",)),
        ("import os.path as p\np.join(1)\n", "os.path.join", "unresolved", ("user.p",)),
        ("missing(1)\n", "user.missing", "unresolved", ()),
        ("from os import *\nmissing(1)\n", "os.missing", "unresolved", ()),
        ("print(1)\n", "builtins.print", "unresolved", ()),
        ("def f(x):\n    x.anything(1)\n", "?.anything", "unresolved", ()),
        ("''.join(1)\n", "?.join", "unresolved", ()),
    ],
)
def test_a_call_from_another_module(build, user, target, how, via):
    graph = build({**PACKAGE, "user.py": user})
    edges = [e for e in graph.edges() if e.path == "user.py" and e.kind is CALL and e.shape.positional == 1]
    (edge,) = edges
    assert (edge.target, edge.resolution.value) == (target, how)
    assert set(via) <= set(edge.via)
    if how != "unresolved":
        assert target in graph.symbols


def test_uses_of_an_alias_are_found_under_its_name_and_under_the_definition(build):
    graph = build(
        {
            **PACKAGE,
            "a.py": "import pkg\ndef f(): pkg.load(1, 2)\n",
            "b.py": "from pkg.loader import load\nload(1)\n",
            "c.py": "from pkg import load\n",
        }
    )
    through = graph.uses("pkg.load")
    assert [(e.source, e.kind, e.target) for e in through] == [
        ("a.f", CALL, "pkg.loader.load"),
        ("c", IMPORT, "pkg.loader.load"),
    ]
    assert through[0].shape.render() == "(_, _)"
    everything = {(e.source, e.kind) for e in graph.uses("pkg.loader.load")}
    assert {("a.f", CALL), ("b", CALL), ("b", IMPORT), ("c", IMPORT), ("pkg", IMPORT)} == everything
    alias = graph.symbols["pkg.load"]
    assert (alias.kind.value, alias.target, alias.public) == ("alias", "pkg.loader.load", True)


def test_chains_of_re_exports_name_the_next_alias(build):
    graph = build(
        {
            "p/__init__.py": "from .a import f\n",
            "p/a.py": "from .b import f as f\n",
            "p/b.py": "def f(): pass\n",
            "u.py": "from p import f\nf()\n",
        }
    )
    assert graph.symbols["p.f"].target == "p.a.f"
    assert graph.symbols["p.a.f"].target == "p.b.f"
    (edge,) = [e for e in graph.edges() if e.kind is CALL]
    assert (edge.target, edge.via) == ("p.b.f", ("u.f", "p.f", "p.a.f"))


@pytest.mark.parametrize(
    "shadow",
    [
        "def g(f): f()",
        "def g():\n    f = other\n    f()",
        "def g():\n    for f in x: f()",
        "def g():\n    with x as f: f()",
        "def g(): return [f() for f in x]",
        "def g(): return lambda f: f()",
        "def g():\n    import f\n    f.f()",
        "def g():\n    f()\n    del f",
    ],
)
def test_what_a_local_name_hides_is_not_resolved_to_the_global(build, shadow):
    graph = build({"m.py": f"def f(): pass\n{shadow}\n", "n.py": ""})
    reached = [e for e in graph.uses("m.f") if e.kind is CALL]
    assert bool(reached) == ("del f" in shadow)


def test_nested_functions_and_closures(build):
    graph = build(
        {
            "m.py": """
            def helper(): pass
            def outer():
                def helper(a): pass
                def inner(): helper(1)
                inner()
                class Local:
                    def m(self): helper(2)
                Local().m()
            def other(): helper()
            """
        }
    )
    assert calls(graph, "m.outer.inner") == [("m.outer.helper", "local", "(_)")]
    assert calls(graph, "m.outer.Local.m") == [("m.outer.helper", "local", "(_)")]
    assert targets(graph, "m.outer") == ["m.outer.inner", "m.outer.Local", "m.outer.Local.m"]
    assert calls(graph, "m.other") == [("m.helper", "local", "()")]


CLASSES = {
    "base.py": """
    class Base:
        def __init__(self, a, b=1): pass
        def greet(self, name): pass
        def only_base(self): self.greet(1)
        @classmethod
        def make(cls, x): return cls(x)
        @staticmethod
        def util(x): pass
        @property
        def size(self): return 1
    """,
    "sub.py": """
    import base
    class Sub(base.Base):
        def greet(self, name): super().greet(name)
        def run(self):
            self.greet(1)
            self.only_base()
            self.make(2)
            self.util(3)
            self.size
            self.size()
            self.gone(4)
            type(self).make(5)
            base.Base.greet(self, 6)
            Sub.greet(self, 7)
            Sub.util(8)
    def use():
        s = Sub(1)
        s.only_base()
        s.greet(2)
        Sub(3).greet(4)
        Sub.make(5).greet(6)
    """,
}


def test_methods_through_self_super_and_the_class(build):
    graph = build(CLASSES)
    assert calls(graph, "sub.Sub.greet") == [("base.Base.greet", "mro", "(_)")]
    assert calls(graph, "base.Base.only_base") == [("base.Base.greet", "self", "(_)")]
    assert calls(graph, "base.Base.make") == [("base.Base", "constructor", "(_)")]
    assert [c for c in calls(graph, "sub.Sub.run") if not c[0].startswith("?")] == [
        ("sub.Sub.greet", "self", "(_)"),
        ("base.Base.only_base", "mro", "()"),
        ("base.Base.make", "mro", "(_)"),
        ("base.Base.util", "mro", "(_)"),
        ("base.Base.gone", "unresolved", "(_)"),
        ("sub.Sub.gone", "unresolved", "(_)"),
        ("base.Base.make", "mro", "(_)"),
        ("base.Base.greet", "import", "(_)"),
        ("sub.Sub.greet", "local", "(_)"),
        ("base.Base.util", "import", "(_)"),
    ]
    assert [(e.kind, e.shape) for e in graph.uses("base.Base.size")] == [(REFERENCE, None)] * 2


def test_methods_of_values_whose_class_is_known(build):
    graph = build(CLASSES)
    assert calls(graph, "sub.use") == [
        ("sub.Sub", "constructor", "(_)"),
        ("base.Base.only_base", "mro", "()"),
        ("sub.Sub.greet", "mro", "(_)"),
        ("sub.Sub", "constructor", "(_)"),
        ("sub.Sub.greet", "mro", "(_)"),
        ("base.Base.make", "import", "(_)"),
        ("sub.Sub.greet", "return", "(_)"),
    ]
    (inherit,) = [e for e in graph.edges() if e.kind is INHERIT]
    assert (inherit.source, inherit.target, inherit.resolution) == ("sub.Sub", "base.Base", Resolution.IMPORT)


def test_attribute_annotation_and_return_types(build):
    graph = build(
        {
            "m.py": """
            from __future__ import annotations
            import typing as t
            class Engine:
                def start(self): pass
                def __call__(self, x): pass
            class Car:
                spare: Engine
                def __init__(self, other):
                    self.engine = Engine()
                    self.other = other
                def go(self):
                    self.engine.start()
                    self.other.start2()
                    self.spare.start()
                    self.engine(1)
                @property
                def motor(self) -> Engine: return self.engine
            def annotated(e: Engine, o: "t.Optional[Engine]", q: t.Optional[Engine]):
                e.start(); q.start()
            def make() -> Engine: return Engine()
            def returned():
                e = make()
                e.start()
                make().start()
                Car(1).motor.start()
            engine = Engine()
            def module_level(): engine.start()
            """
        }
    )
    for source, count in [("go", 2), ("annotated", 2), ("returned", 3), ("module_level", 1)]:
        identity = "m.Car.go" if source == "go" else f"m.{source}"
        assert [t for t in targets(graph, identity) if t == "m.Engine.start"] == ["m.Engine.start"] * count
    assert ("m.Engine.__call__", "mro", "(_)") in calls(graph, "m.Car.go")
    assert "?.start2" in targets(graph, "m.Car.go")


def test_diamond_follows_the_method_resolution_order(build):
    graph = build(
        {
            "m.py": """
            class A:
                def f(self): pass
            class B(A): pass
            class C(A):
                def f(self): pass
            class D(B, C):
                def g(self):
                    self.f()
                    super().f()
            """
        }
    )
    assert targets(graph, "m.D.g") == ["m.C.f", "m.C.f"]


def test_a_unique_method_name_is_a_marked_guess(build):
    files = {
        "m.py": "class A:\n    def frobnicate(self): pass\n    def append(self, x): pass\n",
        "n.py": "def f(x):\n    x.frobnicate()\n    x.append(1)\n    ''.frobnicate()\n",
    }
    graph = build(files)
    assert calls(graph, "n.f") == [
        ("m.A.frobnicate", "unique_name", "()"),
        ("?.append", "unresolved", "(_)"),
        ("?.frobnicate", "unresolved", "()"),
    ]
    twice = build({**files, "o.py": "class B:\n    def frobnicate(self): pass\n"})
    assert targets(twice, "n.f") == ["?.frobnicate", "?.append", "?.frobnicate"]


def test_mutual_star_imports_end(build):
    graph = build(
        {
            "a.py": "from b import *\ndef fa(): fb(); fc(); nowhere()\n",
            "b.py": "from a import *\nfrom c import *\ndef fb(): fa()\n",
            "c.py": "from a import *\nfrom b import *\n_private = 1\ndef fc(): fb(); fa()\n",
        }
    )
    assert targets(graph, "a.fa") == ["b.fb", "c.fc", "a.nowhere"]
    assert targets(graph, "b.fb") == ["a.fa"]
    assert targets(graph, "c.fc") == ["b.fb", "a.fa"]


def test_star_imports_respect_exports_and_underscores(build):
    graph = build(
        {
            "a.py": "__all__ = ['listed', '_also']\ndef listed(): pass\ndef _also(): pass\n"
            "def other(): pass\n",
            "b.py": "def public(): pass\ndef _private(): pass\n",
            "u.py": "from a import *\nfrom b import *\nlisted(); _also(); other(); public(); _private()\n",
        }
    )
    assert targets(graph, "u") == ["a.listed", "a._also", "u.other", "b.public", "u._private"]


def test_relative_imports_of_every_level(build):
    graph = build(
        {
            "p/__init__.py": "",
            "p/top.py": "def f(): pass\n",
            "p/q/__init__.py": "from ..top import f\n",
            "p/q/deep.py": "from . import f\nfrom .. import top\nfrom ...outside import g\n"
            "f(); top.f(); g()\n",
        }
    )
    assert targets(graph, "p.q.deep") == ["p.top.f", "p.top.f", "...outside.g"]


def test_a_function_and_a_module_of_one_name(build):
    graph = build(
        {
            "p/__init__.py": "from .load import load\n",
            "p/load.py": "def load(): pass\n",
            "u.py": "from p import load\nload()\nimport p.load\n",
        }
    )
    assert targets(graph, "u") == ["p.load.load"]
    assert graph.symbols["p.load"].kind.value == "module"
    assert graph.symbols["p:load"].target == "p.load.load"
    assert [e.via for e in graph.uses("p:load") if e.kind is CALL] == [("u.load", "p:load")]


def test_an_import_from_outside_does_not_hide_a_definition(build):
    graph = build(
        {"m.py": "def f(): pass\ntry:\n    from _m import f\nexcept ImportError:\n    pass\ndef g(): f()\n"}
    )
    assert targets(graph, "m.g") == ["m.f"]
    assert (graph.symbols["m.f"].kind.value, graph.symbols["m.f"].definitions) == ("function", 2)


def test_every_use_of_a_class_through_a_path_is_a_reference_to_it(build):
    graph = build({"m.py": "class Color:\n    RED = 1\ndef f(): return Color.RED\n"})
    assert [(e.target, e.kind) for e in graph.edges()] == [("m.Color", REFERENCE), ("m.Color.RED", REFERENCE)]


def test_decorators_defaults_and_annotations_are_uses_by_the_definition_or_its_scope(build):
    graph = build(
        {
            "m.py": """
            def deco(f): return f
            class T: pass
            DEFAULT = 1
            @deco
            def f(a: T = DEFAULT) -> T: pass
            """
        }
    )
    found = {(e.source, e.target) for e in graph.edges()}
    assert found == {("m", "m.deco"), ("m.f", "m.T"), ("m.f", "m.DEFAULT")}


def test_missing_members_are_missing_from_every_class_that_might_have_had_them(build):
    graph = build(
        {
            "m.py": """
            class A: pass
            class B(A):
                def f(self): self.lost(1)
            class Open:
                def __getattr__(self, name): pass
                def f(self): self.anything()
            """
        }
    )
    assert sorted(targets(graph, "m.B.f")) == ["m.A.lost", "m.B.lost"]
    assert targets(graph, "m.Open.f") == ["?.anything"]


@pytest.mark.parametrize("count", [3_000])
def test_no_chain_exhausts_the_stack(build, count):
    aliases = "".join(f"    a{n} = a{n - 1}\n" for n in range(1, count))
    classes = "".join(f"class C{n}(C{n - 1}.Inner): pass\n" for n in range(1, count))
    bases = "".join(f"class D{n}(D{n - 1}): pass\n" for n in range(1, count))
    variables = "".join(f"v{n} = v{n - 1}\n" for n in range(1, count))
    returns = "".join(f"def r{n}() -> r{n - 1}: pass\n" for n in range(1, count))
    modules = {
        f"m{n}.py": f"from m{n - 1} import *\nfrom m{n - 1} import x as y\n__all__ = m{n - 1}.__all__\nx()\n"
        for n in range(1, count // 10)
    }
    graph = build(
        {
            "a.py": f"def f(a0):\n{aliases}    a{count - 1}.m()\n",
            "c.py": f"class C0: pass\n{classes}class D0: pass\n{bases}"
            f"D{count - 1}().m()\nC{count - 1}().m()\n",
            "v.py": f"v0 = 1\n{variables}v{count - 1}()\n{returns}r{count - 1}().m()\n",
            **modules,
        }
    )
    assert f"c.C{count - 1}" in graph.symbols
