"""Values that flow: through variables, containers, calls, parameters, decorators and attributes."""

from __future__ import annotations

import pytest

from repo_guardian.tools.views.symbol_graph.model import EdgeKind


def called(graph, source):
    """The targets of the calls in ``source``, with how each was found; those outside the tree left out."""
    return {
        e.target: e.resolution.value
        for e in graph.edges()
        if e.kind is EdgeKind.CALL and e.source == source and e.target in graph.symbols
    }


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("f = a\nf()", "assignment"),
        ("f = g = a\ng()", "assignment"),
        ("f, g = b, a\ng()", "assignment"),
        ("d = {'x': a, 'y': b}\nd['x']()", "assignment"),
        ("d = {'x': b}\nd['x'] = a\nd['x']()", "assignment"),
        ("ls = [b, a]\nls[1]()", "assignment"),
        ("def give(): return a\ngive()()", "return"),
        ("def give():\n    f = a\n    return f\nx = give()\nx()", "return"),
        ("def run(f): pass\nrun(a)\nC().m(a)()", "argument"),
        ("def each(): yield a\nfor f in each(): f()", "return"),
        ("def id_(f): return f\nid_(a)()", "argument"),
        ("C.attribute = a\nC.attribute()", "assignment"),
        ("c = C()\nc.late = a\nc.late()", "assignment"),
        ("C().kept()", "assignment"),
        ("C()['k']()", "return"),
        ("with C() as f: f()", "return"),
        ("C().prop()", "return"),
    ],
)
def test_a_function_is_found_wherever_it_went(build, body, how):
    source = f"""
def a(): pass
def b(): pass
class C:
    def __init__(self): self.kept = a
    def m(self, f): return f
    def __getitem__(self, k): return a
    def __enter__(self): return a
    @property
    def prop(self): return a
{body}
"""
    found = called(build({"m.py": source}), "m")
    assert "m.a" in found
    assert found["m.a"] == how
    assert "m.b" not in found


def test_a_parameter_is_what_callers_in_other_files_pass(build):
    graph = build(
        {
            "lib.py": """
            def apply(how, *rest, **named):
                how(1)
                rest[0](2)
                named["key"](3)
            class Box:
                def __init__(self, make): self.make = make
                def fill(self): self.make()
            """,
            "user.py": """
            import lib
            from lib import Box as Crate
            def one(x): pass
            def two(x): pass
            def three(x): pass
            def four(): pass
            lib.apply(one, two, key=three)
            Crate(four).fill()
            """,
        }
    )
    assert set(called(graph, "lib.apply")) == {"user.one", "user.two", "user.three"}
    assert set(called(graph, "lib.apply").values()) == {"argument"}
    assert set(called(graph, "lib.Box.fill")) == {"user.four"}


def test_a_call_of_a_decorated_function_runs_the_wrapper_too(build):
    graph = build(
        {
            "m.py": """
            def logged(f):
                def inner(*args): return f(*args)
                return inner
            def named(name):
                def wrap(f):
                    def inner(): return f()
                    return inner
                return wrap
            def kept(f): return f
            @logged
            def one(): pass
            @named("x")
            def two(): pass
            @kept
            def three(): pass
            one(); two(); three()
            """
        }
    )
    assert {"m.one", "m.logged.inner", "m.two", "m.named.wrap.inner", "m.three"} <= set(called(graph, "m"))
    assert set(called(graph, "m.logged.inner")) == {"m.one"}
    assert set(called(graph, "m.named.wrap.inner")) == {"m.two"}
    decorates = {(e.source, e.target) for e in graph.edges() if e.kind is EdgeKind.DECORATE}
    assert {("m", "m.logged"), ("m", "m.named"), ("m", "m.kept")} <= decorates


def test_self_is_what_a_method_was_called_on(build):
    graph = build(
        {
            "m.py": """
            class Base:
                def where(self): return self
                @classmethod
                def make(cls): return cls()
                def run(self): self.hook()
            class Sub(Base):
                def hook(self): pass
                def only(self): pass
            Sub().where().where().only()
            Sub.make().only()
            """
        }
    )
    assert called(graph, "m")["m.Sub.only"] in ("return", "mro")
    uses = [e for e in graph.uses("m.Sub.only") if e.kind is EdgeKind.CALL]
    assert len(uses) == 2
    assert set(called(graph, "m.Base.run")) == {"m.Sub.hook"}


def test_overrides_lead_to_the_nearest_method_that_they_replace(build):
    graph = build(
        {
            "m.py": """
            class A:
                def f(self): pass
                def g(self): pass
            class B(A):
                def f(self): pass
            class C(B):
                def f(self): pass
                def g(self): pass
            """
        }
    )
    found = {(e.source, e.target) for e in graph.edges() if e.kind is EdgeKind.OVERRIDE}
    assert found == {("m.B.f", "m.A.f"), ("m.C.f", "m.B.f"), ("m.C.g", "m.A.g")}


def test_a_star_import_makes_aliases(build):
    graph = build(
        {
            "p/__init__.py": "from ._api import *\nfrom ._api import _hidden\n",
            "p/_api.py": "def get(): pass\ndef _hidden(): pass\nfrom ._more import *\n",
            "p/_more.py": "from ._api import *\ndef put(): pass\n",
            "u.py": "import p\np.get(); p.put()\n",
        }
    )
    assert graph.symbols["p.get"].target == "p._api.get"
    assert graph.symbols["p.put"].target == "p._api.put"
    assert [e.via for e in graph.edges_in("u.py") if e.kind is EdgeKind.CALL] == [
        ("u.p", "p.get"),
        ("u.p", "p.put", "p._api.put"),
    ]


def test_alternatives_of_a_conditional_import_are_all_called(build):
    graph = build(
        {
            "u.py": "try:\n    from fast import f\nexcept ImportError:\n    from slow import f\nf()\n",
            "fast.py": "def f(): pass\n",
            "slow.py": "def f(): pass\n",
        }
    )
    assert set(called(graph, "u")) == {"fast.f", "slow.f"}


def test_cycles_of_every_kind_end(build):
    graph = build(
        {
            "m.py": """
            a = b = 1
            a = b
            b = a
            def f(x): return g(x)
            def g(x): return f(x)
            class C(C2): pass
            class C2(C): pass
            class N:
                def next(self): return self.next()
                def loop(self):
                    self.here = self.here.there
                    return self.here
            f(g)()
            a()
            N().next().loop().loop()
            def y(h): return y(y)(h(h))
            y(y)(y)
            """
        }
    )
    assert "m.f" in called(graph, "m")


def test_lambdas_are_private_functions(build):
    graph = build({"m.py": "def f(): pass\ndef g():\n    return lambda: f()\nkey = lambda x: g()\nkey(1)\n"})
    assert graph.symbols["m.g.<lambda1>"].kind.value == "function"
    assert not graph.symbols["m.<lambda1>"].public
    assert set(called(graph, "m.g.<lambda1>")) == {"m.f"}
    assert set(called(graph, "m.<lambda1>")) == {"m.g"}
    assert "m.<lambda1>" in called(graph, "m")


def test_overloads_are_kept_on_their_implementation(build):
    graph = build(
        {
            "m.py": """
            from typing import overload
            class A:
                @overload
                def f(self, a: int) -> int: ...
                @overload
                def f(self, a: str) -> str: ...
                def f(self, a): pass
            """
        }
    )
    overloads = [signature.render() for signature in graph.symbols["m.A.f"].overloads]
    assert overloads == ["(a: int) -> int", "(a: str) -> str"]


def test_an_attribute_of_a_type_alias_is_not_known(build):
    graph = build({"m.py": "type X = Y\nX.a\ndef f():\n    X.b.c()\n"})
    assert [e.target for e in graph.edges() if e.source == "m.f" and e.kind is EdgeKind.CALL] == ["?.c"]
