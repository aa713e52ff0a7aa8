"""Symbols: ids, kinds, signatures as callers see them, what is public and what is certain."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from repo_guardian.tools.views.symbol_graph.modules import Layout


def rendered(graph, identity):
    signature = graph.symbols[identity].signature
    return None if signature is None else signature.render()


def test_kinds_and_ids(build):
    graph = build(
        {
            "m.py": """
            import os
            X = 1
            class A:
                y = 2
                def m(self): pass
                @property
                def p(self): pass
                @p.setter
                def p(self, value): pass
                class Inner:
                    def n(self): pass
            def f():
                def g(): pass
            """
        }
    )
    assert {s.id: s.kind.value for s in graph.symbols.values()} == {
        "m": "module",
        "m.os": "alias",
        "m.X": "constant",
        "m.A": "class",
        "m.A.y": "constant",
        "m.A.m": "method",
        "m.A.p": "property",
        "m.A.Inner": "class",
        "m.A.Inner.n": "method",
        "m.f": "function",
        "m.f.g": "function",
    }
    assert graph.symbols["m.A.p"].definitions == 1
    assert graph.symbols["m.os"].target == "os"
    assert graph.symbols["m.X"].value == "1"


def test_signatures_as_callers_see_them(build):
    graph = build(
        {
            "m.py": """
            class A:
                def plain(self, a, *, b=1): pass
                @staticmethod
                def static(a): pass
                @classmethod
                def cls(cls, a): pass
                def __new__(cls, a): pass
                def star(*args): pass
                def positional_only(self, /, a): pass
                async def co(self): pass
            """
        }
    )
    assert rendered(graph, "m.A.plain") == "(a, *, b=1)"
    assert rendered(graph, "m.A.static") == "(a)"
    assert rendered(graph, "m.A.cls") == "(a)"
    assert rendered(graph, "m.A.__new__") == "(a)"
    assert rendered(graph, "m.A.star") == "(*args)"
    assert rendered(graph, "m.A.positional_only") == "(a)"
    assert graph.symbols["m.A.co"].signature.is_async


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("class A: pass", "()"),
        ("class A(object): pass", "()"),
        ("class A:\n    def __init__(self, a, b=1): pass", "(a, b=1)"),
        ("class B:\n    def __init__(self, b): pass\nclass A(B): pass", "(b)"),
        ("class B: pass\nclass A(B):\n    def __init__(self): pass", "()"),
        ("class A(Unknown): pass", None),
        ("class A(Unknown):\n    def __init__(self, a): pass", "(a)"),
        ("class B:\n    def __init__(self, b): pass\nclass A(Unknown, B): pass", None),
        ("class A(metaclass=M): pass", None),
        ("class A:\n    def __new__(cls, a): pass", None),
        ("class B:\n    def __new__(cls, a): pass\nclass A(B):\n    def __init__(self): pass", None),
        ("class A(Exception): pass", None),
        ("import enum\nclass A(enum.Enum):\n    def __init__(self, a): pass", None),
        ("import abc\nclass A(abc.ABC):\n    def __init__(self, a): pass", "(a)"),
        ("from abc import ABCMeta\nclass A(metaclass=ABCMeta): pass", "()"),
        ("from typing import Generic\nclass A(Generic[T]):\n    x = 1", "()"),
    ],
)
def test_constructors(build, body, expected):
    assert rendered(build({"m.py": body + "\n"}), "m.A") == expected


DATACLASSES = [
    "@dataclass\nclass A:\n    a: int\n    b: str = 'x'\n",
    "@dataclass(frozen=True)\nclass A:\n    a: int = field(default=3)\n"
    "    b: list = field(default_factory=list)\n",
    "@dataclass(kw_only=True)\nclass A:\n    a: int\n    b: int = 2\n",
    "@dataclass\nclass A:\n    a: int\n    _: KW_ONLY\n    b: int\n    c: int = 1\n",
    "@dataclass\nclass A:\n    a: int\n    b: int = field(init=False)\n    c: ClassVar[int] = 3\n    d = 4\n",
    "@dataclass\nclass A:\n    a: InitVar[int]\n    b: int = field(kw_only=True)\n    c: int = 2\n",
    "@dataclass\nclass B:\n    a: int\n    b: int = 1\n"
    "@dataclass\nclass A(B):\n    c: int = 2\n    a: str = 'y'\n",
    "@dataclass\nclass B:\n    a: int\nclass A(B):\n    c: int = 2\n",
    "@dataclass\nclass A:\n    a: int\n    def __init__(self, z): pass\n",
    "class B:\n    def __init__(self, q): pass\n@dataclass\nclass A(B):\n    a: int\n",
]


@pytest.mark.parametrize("body", DATACLASSES)
def test_dataclass_constructors_are_those_of_python(build, body):
    header = "from dataclasses import dataclass, field, KW_ONLY, InitVar\nfrom typing import ClassVar\n"
    space: dict[str, object] = {"__name__": "m"}
    exec(compile(header + body, "m", "exec", dont_inherit=True), space)
    expected = [
        (p.name, p.kind.name, p.default is not p.empty)
        for p in inspect.signature(space["A"]).parameters.values()
    ]
    signature = build({"m.py": header + body}).symbols["m.A"].signature
    found = [(p.name, p.kind.name, p.default is not None) for p in signature.parameters]
    assert found == expected
    assert dataclasses.is_dataclass(space["A"])


def test_a_class_decorator_that_is_no_dataclass_does_not_make_one(build):
    graph = build({"m.py": "from attr import dataclass\n@dataclass\nclass A:\n    a: int\n"})
    assert not graph.symbols["m.A"].signature_certain


@pytest.mark.parametrize(
    ("decorator", "certain"),
    [
        ("functools.wraps(g)", True),
        ("functools.lru_cache(maxsize=None)", True),
        ("contextmanager", True),
        ("staticmethod", True),
        ("unknown", False),
        ("click.command()", False),
        ("cache", False),
        ("typing.overload", False),
    ],
)
def test_unknown_decorators_make_a_signature_uncertain(build, decorator, certain):
    source = f"""
import functools, click, typing
from contextlib import contextmanager
def cache(f): return None
class A:
    @{decorator}
    def m(self, a): pass
class B:
    @{decorator}
    def __init__(self, a): pass
"""
    graph = build({"m.py": source})
    assert graph.symbols["m.A.m"].signature_certain is certain
    assert graph.symbols["m.B"].signature_certain is certain


def test_the_last_definition_wins_and_all_are_counted(build):
    graph = build({"m.py": "def f(a): pass\ndef f(b): pass\nif x:\n    f = 1\nelse:\n    def f(c): pass\n"})
    symbol = graph.symbols["m.f"]
    assert (symbol.kind.value, symbol.definitions, symbol.span.start_line) == ("function", 4, 6)


def test_overloads_are_one_symbol_with_the_signature_of_the_implementation(build):
    graph = build(
        {
            "m.py": """
            from typing import overload
            @overload
            def f(a: int) -> int: ...
            @overload
            def f(a: str) -> str: ...
            def f(a, b=None): pass
            """
        }
    )
    assert rendered(graph, "m.f") == "(a, b=None)"
    assert graph.symbols["m.f"].signature_certain
    assert graph.symbols["m.f"].definitions == 3


def public(graph):
    return {s.id for s in graph.symbols.values() if s.public}


def test_public_by_underscores(build):
    graph = build(
        {
            "p/__init__.py": "from .a import f, _g\nimport os\n",
            "p/a.py": """
            import os
            from . import b
            def f():
                def inner(): pass
            def _g(): pass
            class C:
                def m(self): pass
                def _n(self): pass
                def __init__(self): pass
            class _D:
                def m(self): pass
            X = 1
            """,
            "p/_b.py": "def f(): pass\n",
            "p/b.py": "",
        }
    )
    assert public(graph) == {"p", "p.f", "p.a", "p.a.f", "p.a.C", "p.a.C.m", "p.a.X", "p.b"}


def test_public_by_exports(build):
    graph = build(
        {
            "p/__init__.py": "from .a import *\nfrom .a import other\n"
            "__all__ = a.__all__ + ['other']\nfrom . import a\n",
            "p/a.py": """
            __all__ = ["f", "_g", "C"]
            def f(): pass
            def _g(): pass
            def h(): pass
            def other(): pass
            class C:
                def m(self): pass
                def _n(self): pass
            """,
        }
    )
    exported = {"p.f", "p._g", "p.C", "p.other"}
    assert public(graph) == {"p", "p.a", "p.a.f", "p.a._g", "p.a.C", "p.a.C.m", *exported}


def test_tests_examples_and_docs_are_in_the_graph_but_not_public(build):
    graph = build(
        {f"{place}/x.py": "def f(): pass\n" for place in ("tests", "examples", "docs", "benchmarks")}
    )
    assert len(graph.symbols) == 8
    assert public(graph) == set()


# Modules and import roots


def ids(*paths, python2=()):
    layout = Layout(paths, set(python2))
    return {path: file.id for path, file in layout.files.items()}


def test_import_roots():
    paths = (
        "src/pkg/__init__.py",
        "src/pkg/sub/__init__.py",
        "src/pkg/sub/m.py",
        "setup.py",
        "tests/test_a.py",
    )
    assert ids(*paths) == {
        "src/pkg/__init__.py": "pkg",
        "src/pkg/sub/__init__.py": "pkg.sub",
        "src/pkg/sub/m.py": "pkg.sub.m",
        "setup.py": "setup",
        "tests/test_a.py": "test_a",
    }
    assert Layout(paths).roots == ("src", "", "tests")


def test_one_name_in_two_roots():
    assert ids("lib/yaml/__init__.py", "lib3/yaml/__init__.py", "lib3/yaml/a.py") == {
        "lib/yaml/__init__.py": "yaml",
        "lib3/yaml/__init__.py": "lib3:yaml",
        "lib3/yaml/a.py": "yaml.a",
    }
    found = ids("lib/yaml/__init__.py", "lib3/yaml/__init__.py", python2=["lib/yaml/__init__.py"])
    assert found == {"lib/yaml/__init__.py": "lib:yaml", "lib3/yaml/__init__.py": "yaml"}
    assert ids("a/conftest.py", "b/conftest.py", "conftest.py") == {
        "a/conftest.py": "conftest",
        "b/conftest.py": "b:conftest",
        "conftest.py": ".:conftest",
    }
    assert ids("tests/p/__init__.py", "p/__init__.py")["p/__init__.py"] == "p"


def test_one_name_in_one_root():
    assert ids("m.py", "m.pyi", "m/__init__.py") == {
        "m/__init__.py": "m",
        "m.py": "m.py:m",
        "m.pyi": "m.pyi:m",
    }


def test_ids_do_not_depend_on_the_order_of_the_paths():
    paths = ["a/x.py", "b/x.py", "x.py", "src/x/__init__.py", "tests/x.py", "x/y.py"]
    expected = ids(*paths)
    assert ids(*reversed(paths)) == expected
    assert len(set(expected.values())) == len(paths)


def test_namespace_packages_and_scripts_find_each_other(build):
    graph = build(
        {
            "ns/part/mod.py": "def f(): pass\n",
            "user.py": "import ns.part.mod\nns.part.mod.f()\nfrom ns.part import mod\nmod.f()\n",
            "scripts/a.py": "import b\nb.g()\n",
            "scripts/b.py": "def g(): pass\n",
            "other/b.py": "def g(): pass\n",
        }
    )
    calls = [(e.source, e.target) for e in graph.edges() if e.kind.value == "call"]
    assert calls == [("a", "scripts:b.g"), ("user", "mod.f"), ("user", "mod.f")]
