"""What the Python extractor says about one blob."""

from __future__ import annotations

import inspect

import pytest

from repo_guardian.tools.views.facts.interface import ExtractLimits, Ref
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.signature import CallShape


def names(facts):
    out = []
    for definition in facts.definitions:
        parent = facts.definitions[definition.parent].name + "." if definition.parent >= 0 else ""
        out.append((definition.kind, parent + definition.name))
    return out


def calls(facts):
    return [(use.ref.root, use.ref.path, use.shape) for use in facts.uses if use.kind == "call"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass\n", [("function", "f")]),
        ("async def f(): pass\n", [("function", "f")]),
        (
            "class A:\n    x = 1\n    def m(self):\n        def inner(): pass\n",
            [("class", "A"), ("variable", "A.x"), ("function", "A.m"), ("function", "m.inner")],
        ),
        ("if x:\n    def f(): pass\nelse:\n    def f(a): pass\n", [("function", "f"), ("function", "f")]),
        ("a = b = 1\nc, (d, e) = 1, 2\n", [("variable", "a"), ("variable", "b"), ("variable", "c")]),
        ("x: int\ny: int = 1\n", [("variable", "x"), ("variable", "y")]),
        ("type X[T] = list[T]\n", [("type", "X")]),
        ("type X = int\n", [("type", "X")]),
        ("type(x).y = 1\ntype(x)[0] = 1\ntype(x.y).__doc__ = ''\n", []),
        ("def f():\n    x = 1\n    class A: pass\n", [("function", "f"), ("class", "f.A")]),
        ("def f():\n    global g\n    g = 1\n", [("function", "f")]),
        (
            "class A[T: int](B[T]):\n    def m[S](self, x: S) -> T: ...\n",
            [("class", "A"), ("function", "A.m")],
        ),
    ],
)
def test_definitions(extract, source, expected):
    facts = extract(source)
    assert facts.problem == ""
    assert names(facts) == expected


@pytest.mark.parametrize(
    "text",
    [
        "()",
        "(a, b)",
        "(a, /, b, *, c)",
        "(a=1, *args, b, c=2, **kw)",
        "(*, a, b=None)",
        "(a: int, b: 'str' = \"x\", *args: int, **kw: str) -> list[int]",
        "(a, b=(1, 2), c=lambda x, y: x, /)",
        "(self, x: dict[str, int] = {})",
    ],
)
def test_signatures_are_those_of_inspect(extract, text):
    facts = extract(f"def f{text}: pass\n")
    space: dict[str, object] = {}
    exec(f"from __future__ import annotations\ndef f{text}: pass\n", space)
    expected = inspect.signature(space["f"])
    signature = facts.definitions[0].signature
    kinds = [(p.name, p.kind.name, p.default is not p.empty) for p in expected.parameters.values()]
    assert [(p.name, p.kind.name, p.default is not None) for p in signature.parameters] == kinds
    annotations = [
        p.annotation if p.annotation is not p.empty else None for p in expected.parameters.values()
    ]
    assert [p.annotation for p in signature.parameters] == annotations


def test_async_and_generators(extract):
    facts = extract(
        """
        async def a(): pass
        def g(): yield 1
        async def ag(): x = yield
        def no(): return lambda: (yield)
        def outer():
            def inner(): yield 1
        def gf(): yield from g()
        """
    )
    found = {d.name: (d.signature.is_async, d.signature.is_generator) for d in facts.definitions}
    assert found == {
        "a": (True, False),
        "g": (False, True),
        "ag": (True, True),
        "no": (False, False),
        "<lambda1>": (False, True),
        "outer": (False, False),
        "inner": (False, True),
        "gf": (False, True),
    }


def test_roles_decorators_and_spans(extract):
    facts = extract(
        """
        class A:
            @property
            def p(self): return 1

            @p.setter
            def p(self, value): pass

            @staticmethod
            def s(a): pass

            @classmethod
            @other(1, x=2)
            def c(cls): pass

            def __new__(cls): pass
        """
    )
    found = [(d.name, d.role, d.decorators, d.region[:2]) for d in facts.definitions[1:]]
    assert found == [
        ("p", "property", ("property",), (3, 4)),
        ("p", "setter", ("p.setter",), (6, 7)),
        ("s", "staticmethod", ("staticmethod",), (9, 10)),
        ("c", "classmethod", ("classmethod", "other(1, x=2)"), (12, 14)),
        ("__new__", "staticmethod", (), (16, 16)),
    ]


def test_imports(extract):
    facts = extract(
        """
        import a, b.c as d, e.f
        from ..g import h as i, j
        from . import k
        from l import *
        from __future__ import annotations
        if TYPE_CHECKING:
            from t import u
        try:
            import v
        except ImportError:
            v = None
        def f():
            import w
        """
    )
    found = [(i.module, i.level, i.name, i.alias, i.bound) for i in facts.imports]
    assert found == [
        ("a", 0, "", "", "a"),
        ("b.c", 0, "", "d", "d"),
        ("e.f", 0, "", "", "e"),
        ("g", 2, "h", "i", "i"),
        ("g", 2, "j", "", "j"),
        ("", 1, "k", "", "k"),
        ("l", 0, "*", "", ""),
        ("__future__", 0, "annotations", "", "annotations"),
        ("t", 0, "u", "", "u"),
        ("v", 0, "", "", "v"),
        ("w", 0, "", "", "w"),
    ]
    assert [i.type_checking for i in facts.imports] == [i.bound == "u" for i in facts.imports]
    assert [i.guarded for i in facts.imports] == [i.bound == "v" for i in facts.imports]
    assert facts.imports[-1].scope == [d.name for d in facts.definitions].index("f")


@pytest.mark.parametrize(
    ("source", "listed", "certain"),
    [
        ("__all__ = ['a', \"b\"]\n", ("a", "b"), True),
        ("__all__ = ('a',) + ('b',)\n__all__ += ['c']\n", ("a", "b", "c"), True),
        (
            "__all__ = ['a']\n__all__.extend(['b'])\n__all__.append('c')\n__all__.remove('a')\n",
            ("b", "c"),
            True,
        ),
        ("__all__ = [n for n in dir()]\n", (), False),
        ("__all__ = ['a'] + x\n", ("a",), False),
        ("__all__: list[str] = []\n", (), True),
        ("__all__ = ['a', *m.__all__] + n.__all__\n", ("a",), True),
    ],
)
def test_exports(extract, source, listed, certain):
    exports = extract(source).exports
    assert (exports.names, exports.certain) == (listed, certain)


def test_exports_of_other_modules(extract):
    exports = extract("__all__ = ['a', *m.__all__] + n.__all__\n").exports
    assert sorted(ref.path for ref in exports.extends) == ["m", "n"]


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        ("f()", CallShape()),
        ("f(1, 2, x=3)", CallShape(2, ("x",))),
        ("f(*a, 1, **k)", CallShape(1, (), True, True)),
        ("f(x for x in y)", CallShape(1)),
        ("f(\n    1,  # one\n    y=2,\n)", CallShape(1, ("y",))),
        ("f(a := 1)", CallShape(1)),
        ("f(lambda: 0, [1])", CallShape(2)),
    ],
)
def test_call_shapes(extract, call, shape):
    assert calls(extract(f"{call}\n"))[0] == ("global", "f", shape)


def test_chains_and_their_roots(extract):
    facts = extract(
        """
        import m
        class A(Base):
            def method(self, p, q: A):
                local = A()
                self.x.f()
                super().f()
                p.f()
                q.f()
                local.f()
                A().f()
                m.n.f()
                "".f()
                p[0].f()
                def inner(): return self.g()
            @classmethod
            def c(cls): cls.f()
        """
    )
    found = [(root, path) for root, path, _ in calls(facts)]
    assert found == [
        ("global", "A"),
        ("self", "x.f"),
        ("super", "f"),
        ("typed", "f"),
        ("typed", "f"),
        ("typed", "f"),
        ("typed", "f"),
        ("global", "A"),
        ("global", "m.n.f"),
        ("literal", "f"),
        ("typed", "f"),
        ("self", "g"),
        ("cls", "f"),
    ]


def test_a_local_name_hides_the_global_one_everywhere_in_its_scope(extract):
    facts = extract(
        """
        def f(): pass
        def parameter(f): f()
        def later():
            f()
            f = 1
        def loop():
            for f in x: f()
        def caught():
            try: pass
            except E as f: f()
        def opened():
            with x as (f, g): f()
        def comprehension(): return [f() for f in x]
        def matched(x):
            match x:
                case {"k": f}: f()
        def walrus():
            if (f := x): f()
        def lam(): return lambda f: f()
        def closure():
            f = 1
            def inner(): return f()
        def visible(): f()
        class A:
            f = 1
            def method(self): f()
        """
    )
    scopes = [
        facts.definitions[u.scope].name for u in facts.uses if u.kind == "call" and u.ref.root == "global"
    ]
    assert scopes == ["visible", "method"]


def test_class_scope_is_seen_by_the_class_body_and_headers_only(extract):
    facts = extract(
        """
        class A:
            def helper(): pass
            x = helper()
            def m(self, y=helper(), z: helper = 1): helper()
            w = [helper() for _ in helper()]
        """
    )
    found = [(u.kind, u.ref.root, u.region[0]) for u in facts.uses if "helper" in (facts.lines[u.region[0]])]
    helper = 1
    assert ("call", "local", 4) in found
    assert [(k, r) for k, r, line in found if line == 5] == [
        ("call", "local"),
        ("reference", "local"),
        ("call", "global"),
    ]
    assert sorted(r for k, r, line in found if line == 6 and k == "call") == ["global", "local"]
    assert facts.definitions[helper].name == "helper"


def test_global_and_nonlocal(extract):
    facts = extract(
        """
        def f():
            global g
            g = make()
            g()
        def outer():
            x = A()
            def inner():
                nonlocal x
                x = None
                x.m()
        """
    )
    g, m = [use.ref for use in facts.uses if use.kind == "call" and use.ref.root == "typed"]
    assert (g.path, m.path) == ("", "m")
    assert [facts.types[ref.number].ref.path for ref in (g, m)] == ["make", "A"]
    assert facts.other_names == ("g",)


def test_uses_carry_spans_and_lines(extract):
    source = "import m\n\ndef f():\n    return m.g(1,\n        2)\n"
    facts = extract(source)
    use = next(u for u in facts.uses if u.kind == "call")
    first, last, start, end = use.region
    assert (first, last) == (4, 5)
    assert source.encode()[start:end] == b"m.g(1,\n        2)"
    assert facts.lines[4] == "return m.g(1,"
    assert facts.definitions[use.scope].name == "f"


def test_keyword_names_and_attribute_names_are_no_references(extract):
    facts = extract("f(name=1).other\nx.name = 2\nclass A(metaclass=M): pass\n")
    roots = {use.ref.path for use in facts.uses}
    assert roots == {"f", "other", "x", "M"}


def test_base_classes(extract):
    facts = extract("class A(B, m.C[T], Generic[S], f(x), metaclass=M): pass\n")
    definition = facts.definitions[0]
    assert definition.bases == ("B", "m.C[T]", "Generic[S]", "f(x)")
    assert definition.keywords == (("metaclass", "M"),)
    assert [r.path for r in definition.base_refs] == ["B", "m.C", "Generic", ""]
    assert [u.ref.path for u in facts.uses if u.kind == "inherit"] == ["B", "m.C", "Generic"]
    assert {u.ref.path for u in facts.uses if u.kind == "reference"} == {"T", "S", "x", "M"}


def test_match_patterns(extract):
    facts = extract(
        """
        def f(x):
            match x:
                case Point(a, b=c): a(); c()
                case m.CONST | None as d: d()
                case [p, *rest]: rest()
                case other: other()
        """
    )
    assert [u.ref.path for u in facts.uses if u.kind == "reference"] == ["Point", "m.CONST"]
    assert calls(facts) == []


# Traps


def test_bom_form_feed_crlf_and_separators_keep_offsets_and_lines(extract):
    source = b"\xef\xbb\xbfx = '\xe2\x80\xa8'\r\n\x0c\r\ndef f():\r\n    return g(1)\r\n"
    facts = extract(source)
    assert facts.problem == ""
    function = facts.definitions[1]
    assert function.region[:2] == (3, 4)
    assert source[function.region[2] :].startswith(b"def f()")
    use = next(u for u in facts.uses if u.kind == "call")
    assert source[use.region[2] : use.region[3]] == b"g(1)"
    assert facts.region == (1, 4, 0, len(source))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "iso-8859-15", "utf-8", "UTF_8", "utf-8-sig"])
def test_declared_encodings(extract, encoding):
    written = "utf-8" if "8-sig" in encoding else encoding
    source = f"# coding: {encoding}\nä = 'é'\ndef größe(ü): return f(ü)\n".encode(written)
    facts = extract(source)
    assert facts.problem == ""
    assert [d.name for d in facts.definitions] == ["ä", "größe"]
    assert facts.definitions[1].signature.parameters[0].name == "ü"
    use = next(u for u in facts.uses if u.kind == "call")
    assert source[use.region[2] : use.region[3]].decode(encoding) == "f(ü)"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"x = '\xe9'\ndef f(): pass\n", "not valid UTF-8 at byte 5"),
        (b"# coding: nonsense\ndef f(): pass\n", "unknown encoding 'nonsense'"),
        (b"# coding: base64\ndef f(): pass\n", "unknown encoding 'base64'"),
        (b"# -*- coding: utf-16 -*-\ndef f(): pass\n", "unknown encoding 'utf-16'"),
        (b"# coding: ascii\nx = '\xe9'\ndef f(): pass\n", "not valid UTF-8 at byte 21"),
        (b"# coding: shift_jis\nx = '\x81'\ndef f(): pass\n", "not valid SHIFT_JIS at byte 25"),
        (b"# coding: utf-7\ndef f(): pass\n", "unknown encoding 'utf-7'"),
        (b"print 'x'\ndef f(): pass\n", "Python 2 source (line 1)"),
        (b"def f(): pass\nexec 'x' in y\n", "Python 2 source (line 2)"),
        (b"def f():\n    raise E, 'x'\n", "Python 2 source (line 2)"),
        (b"def f(): return `x`\n", "Python 2 source (line 1)"),
        (b"def f(): pass\n)))\n", "syntax error at line 2"),
        (b"def f(): pass\nx = 1\x00\n", "syntax error at line 2"),
    ],
)
def test_a_broken_file_says_why_and_gives_what_it_can(extract, source, problem):
    facts = extract(source)
    assert facts.problem.startswith(problem)
    assert "f" in [d.name for d in facts.definitions]


def test_a_long_sum(extract):
    facts = extract("x = " + " + ".join(f"f({n})" for n in range(5000)) + "\n")
    assert facts.problem == ""
    assert len(facts.uses) == 5000


@pytest.mark.parametrize(
    "source",
    [
        "x = " + "[" * 10_000 + "f()" + "]" * 10_000 + "\n",
        "x = " + "f(" * 10_000 + ")" * 10_000 + "\n",
        "x = a" + ".b" * 10_000 + "()\n",
        "x = f()" + ".b()" * 10_000 + "\n",
        "x = " + "not " * 10_000 + "f()\n",
        "x = y" + " = z" * 5_000 + " = f()\n",
        "".join(f"{' ' * depth}class A:\n" for depth in range(1_500)) + " " * 1_500 + "f()\n",
        "x: " + "Optional[" * 5_000 + "f()" + "]" * 5_000 + "\n",
        "lambda: " * 5_000 + "f()\n",
        "match x:\n  case " + "[" * 5_000 + "a" + "]" * 5_000 + ": f()\n",
    ],
    ids=[
        "lists",
        "calls",
        "attributes",
        "methods",
        "not",
        "targets",
        "classes",
        "annotation",
        "lambdas",
        "match",
    ],
)
def test_deep_nesting(extract, build, source):
    facts = extract(source)
    assert any(use.kind == "call" for use in facts.uses)
    assert list(build({"deep.py": source}).edges())


def test_a_large_file_is_named_and_not_read(extract):
    facts = extract(b"x = 1\n" * 4_000_000)
    assert facts.problem.startswith("too large: 24000000 bytes")
    assert facts.region == (1, 4_000_000, 0, 24_000_000)
    assert facts.definitions == ()


def test_a_slow_parse_is_given_up_and_the_next_one_works():
    extractor = PythonExtractor()
    facts = extractor.extract(b"x = [" + b"1, " * 500_000 + b"]\n", ExtractLimits(parse_s=0.0))
    assert facts.problem.startswith("parsing took more than")
    assert facts.transient
    assert [d.name for d in extractor.extract(b"y = 1\n", ExtractLimits()).definitions] == ["y"]


def test_new_syntax_on_any_interpreter(extract):
    source = """
        class A[T = int, *Ts = *tuple[int, ...]](B[T]):
            def m[S: (int, str) = str, **P = [int,
                "a, b"]](self, x: S == 1 = 2) -> S: return g(x)
        type Y[K=list[dict[str, int]]] = K
        try: pass
        except* E as e: pass
    """
    facts = extract(source)
    assert facts.problem == ""
    assert [d.name for d in facts.definitions] == ["A", "m", "Y"]
    assert facts.definitions[1].signature.parameters[1].default == "2"
    assert [u.ref.path for u in facts.uses if u.kind in ("call", "inherit")] == ["B", "g"]


def test_empty_and_odd_blobs(extract):
    for blob in (
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b"\x00",
        b"\xff" * 100,
        b"#",
        b"\\",
        b"@",
        b"def",
        b"from . import",
    ):
        facts = extract(blob)
        assert facts.region[3] == len(blob)


def test_facts_depend_on_the_bytes_only(extract):
    source = "import a\nclass B(a.C):\n    def f(self): self.g(1)\n"
    assert extract(source) == extract(source) == PythonExtractor().extract(source.encode(), ExtractLimits())
    assert Ref("self", 0, "g") in [u.ref for u in extract(source).uses]
