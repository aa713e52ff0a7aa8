"""What the Python extractor says of values: each construct in a few lines, and the types written out."""

from __future__ import annotations

import pytest

from repo_guardian.tools.views.facts.interface import Ref, TypeFact

DEPTH = 6


def shown_ref(facts, ref, depth=0):
    """A reference as text: ``self.a``, ``<call A>.b``, ``f`` for a definition of the file."""
    if ref.root == "typed":
        root = f"<{shown(facts, ref.number, depth + 1)}>"
    elif ref.root in ("local", "import"):
        name = (
            (facts.definitions[ref.number].name) if ref.root == "local" else facts.imports[ref.number].bound
        )
        root = f"{ref.root} {name}"
    else:
        root = "" if ref.root == "global" else ref.root
    return ".".join(part for part in (root, ref.path) if part)


def shown(facts, number, depth=0):
    """A type as text: ``any(call A, param f.x)``, ``display(0: value f)``, ``element[k](...)``."""
    if number < 0 or depth > DEPTH:
        return "-" if number < 0 else "…"
    source, ref, items, keys = facts.types[number]
    if source == "param":
        return f"param {facts.definitions[ref.number].name}.{ref.path}"
    if ref != Ref("unknown", -1, ""):
        return f"{source} {shown_ref(facts, ref, depth)}"
    inner = [shown(facts, item, depth + 1) for item in items]
    if source == "display":
        inner = [f"{key or '?'}: {text}" for key, text in zip(keys, inner, strict=True)]
    key = f"[{keys[0] or '?'}]" if source == "element" else ""
    return f"{source}{key}({', '.join(inner)})"


def called(facts, name="t"):
    """What ``t`` and ``….t`` stand for where they are called, in the order of the source."""
    refs = [use.ref for use in facts.uses if use.kind == "call"]
    return [shown_ref(facts, ref) for ref in refs if ref.path.rpartition(".")[2] == name]


def held(facts, name):
    """The types of the variables called ``name``."""
    return [shown(facts, d.type) for d in facts.definitions if d.name == name and d.kind == "variable"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("x = A()", "<call A>"),
        ("x = a.b", "<value a.b>"),
        ("x = A(); x = B()", "<any(call A, call B)>"),
        ("x = A(); x = None", "<call A>"),
        ("x = A(); x = 1", "<call A>"),
        ("x = A(); x = u + v", "<any(call A)>"),
        ("x = 'text'", "literal"),
        ("x = None", "unknown"),
        ("x = A() if c else B()", "<any(call A, call B)>"),
        ("x = A() if c else None", "<call A>"),
        ("x = p or A()", "<any(param f.p, call A)>"),
        ("x = p and A()", "<call A>"),
        ("x = [A(), 1, f]", "<display(0: call A, 2: value f)>"),
        ("x = {'k': f, j: A(), **d}", "<display(k: value f, ?: call A, **: value d)>"),
        ("x = {f, A()}", "<display(?: value f, ?: call A)>"),
        ("x = [*d, f]", "<display(**: value d, ?: value f)>"),
        ("x = d['k'][0]", "<element[0](element[k](value d))>"),
        ("x = d[j]", "<element[?](value d)>"),
        ("x = d[1:]", "<display(**: value d)>"),
        ("x = d[-1]", "<element[-1](value d)>"),
        ("x, y = A(), B()", "<call A>"),
        ("y, x = d", "<element[1](value d)>"),
        ("y, *x = d", "<display(**: value d)>"),
        ("*y, x = d", "<element[?](value d)>"),
        ("(y, (z, x)) = d", "<element[1](element[1](value d))>"),
        ("for x in d: pass", "<iterate(value d)>"),
        ("for i, x in enumerate(d): pass", "<element[1](iterate(display(?: display(1: iterate(value d)))))>"),
        (
            "for y, x in zip(c, d): pass",
            "<element[1](iterate(display(?: display(0: iterate(value c), 1: iterate(value d)))))>",
        ),
        ("with A() as x: pass", "<enter(call A)>"),
        ("async with A() as (y, x): pass", "<element[1](enter(call A))>"),
        ("x = await A()", "<await(call A)>"),
        ("if (x := A()): pass", "<call A>"),
        ("try: pass\n    except A as x: pass", "<annotation A>"),
        ("try: pass\n    except (A, b.B) as x: pass", "<any(annotation A, annotation b.B)>"),
        ("x = d; x += [f]", "<value d>"),
        ("x = []; x += [f]", "<any(display(), display(?: value f))>"),
        ("x = []; x.append(f)", "<any(display(), display(?: value f))>"),
        ("x = set(); x.add(f)", "<any(display(), display(?: value f))>"),
        ("x = []; x.extend(d)", "<any(display(), display(**: value d))>"),
        ("x = {}; x['k'] = f", "<any(display(), display(k: value f))>"),
        ("x = {}; x['k']['l'] = f", "<any(display(), display(k: display(l: value f)))>"),
        ("x = {1: f, '1': g}", "<display(1: value f, '1': value g)>"),
        ("x = {}; x.update({'k': f})", "<any(display(), display(k: value f))>"),
        ("x = {}; x.update(d, k=f)", "<any(display(), display(**: value d, k: value f))>"),
        ("x = {}; x.setdefault('k', f)", "<any(display(), display(k: value f))>"),
        ("x = A(); x['k'] = f", "<call A>"),
        ("x = dict(k=f)", "<display(k: value f)>"),
        ("x = list(d)", "<display(**: value d)>"),
        ("x = [f(y) for y in d]", "<display(?: call f)>"),
        ("x = {y: y.b for y in d}", "<display(?: value <iterate(value d)>.b)>"),
        ("x = next(iter(d))", "<iterate(display(**: value d))>"),
        ("x = map(A, d)", "<display(?: call A)>"),
        ("x = partial(A, 1)", "<call partial>"),
        ("x = getattr(d, 'b')", "<value d.b>"),
        ("x = getattr(d, n)", "<call getattr>"),
        ("x = getattr(d, n, d.default)", "<any(value d.default)>"),
        ("x = type(p)()", "<call <param f.p>.__class__>"),
        ("x = y = A()", "<call A>"),
        ("x: A = make()", "<annotation A>"),
        ("x: A", "<annotation A>"),
        ("x = A().b(1).c", "<value <call <call A>.b>.c>"),
        ("x = (lambda: A())()", "<call <value local <lambda1>>>"),
        ("x = lambda: A()", "<value local <lambda1>>"),
        ("assert isinstance(p, A); x = p", "<any(param f.p, annotation A)>"),
        ("x = x", "unknown"),
        ("match p:\n        case A(b=1) as x: pass", "<annotation A>"),
    ],
)  # fmt: skip
def test_variables(extract, lines, expected):
    facts = extract(f"def f(p):\n    {lines}\n    x.t()\n")
    assert facts.problem == ""
    assert called(facts) == [f"{expected}.t"]


def test_variables_that_are_assigned_each_other(extract):
    facts = extract("def f():\n    x = y\n    y = x\n    x.t()\n")
    (use,) = [use for use in facts.uses if use.kind == "call"]
    assert (use.ref.root, use.ref.path) == ("typed", "t")
    assert facts.types == (TypeFact("value", Ref("typed", 0, "")),)


def test_module_and_class_variables(extract):
    facts = extract(
        """
        a = A()
        if c:
            a = B()
        b: "list[B]" = []
        c, d = C(), f
        e = {}
        e["k"] = f
        g = None
        def start():
            global g
            g = G()
            e["l"] = h
        class K:
            a = A()
            b: B
            c = []
            c.append(f)
        """
    )
    assert held(facts, "a") == ["call A", "call B", "call A"]
    assert held(facts, "b") == ["display(?: annotation B)", "annotation B"]
    assert held(facts, "c") == ["call C", "any(display(), display(?: value f))"]
    assert held(facts, "d") == ["value f"]
    assert held(facts, "e") == ["any(display(), display(k: value f), display(l: value h))"]
    assert held(facts, "g") == ["call G"]
    assert [d.conditional for d in facts.definitions if d.name == "a"] == [False, True, False]


def test_names_of_a_module_that_are_no_definitions(extract):
    facts = extract(
        """
        for x in [f, g]:
            x.t()
        with A() as y:
            y.t()
        [z.t() for z in d]
        def use():
            x.t()
        """
    )
    each = "<iterate(display(0: value f, 1: value g))>.t"
    assert called(facts) == [each, "<enter(call A)>.t", "<iterate(value d)>.t", each]
    assert facts.other_names == ("x", "y")


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("A", "annotation A"),
        ("a.B", "annotation a.B"),
        ("'a.B'", "annotation a.B"),
        ("Optional[A]", "annotation A"),
        ("Optional['A']", "annotation A"),
        ("'A | None'", "annotation A"),
        ("A | B | None", "any(annotation A, annotation B)"),
        ("t.Union[A, 'B', None]", "any(annotation A, annotation B)"),
        ("Annotated[A, 1]", "annotation A"),
        ("type[A]", "value A"),
        ("Type['A']", "value A"),
        ("list[A]", "display(?: annotation A)"),
        ("t.Iterable[A | B]", "display(?: any(annotation A, annotation B))"),
        ("dict[str, A]", "display(?: annotation A)"),
        ("tuple[A, B]", "display(0: annotation A, 1: annotation B)"),
        ("tuple[A, ...]", "display(?: annotation A)"),
        ("Generic[A]", "annotation Generic"),
        ("Callable[[A], B]", "param f.p"),
        ("Any", "param f.p"),
        ("Literal['a']", "param f.p"),
        ("A[(", "param f.p"),
        ("'" + "Optional[" * 40 + "A" + "]" * 40 + "'", "param f.p"),
    ],
)
def test_parameters(extract, annotation, expected):
    facts = extract(f"def f(p: {annotation}): p.t()\n")
    assert called(facts) == [f"<{expected}>.t"] or facts.problem


def test_parameters_without_annotation_and_defaults(extract):
    facts = extract(
        """
        def f(a, b=g, *c, d=H(), e=1, f=None, **h):
            a.t(); b.t(); c.t(); d.t(); h.t()
        class K:
            def m(self, a, *b: A, c=lambda: 1, **d: B): self.t(); a.t(); b.t(); d.t()
        """
    )
    assert called(facts) == [
        "<param f.a>.t", "<param f.b>.t", "<param f.c>.t", "<param f.d>.t", "<param f.h>.t",
        "self.t", "<param m.a>.t", "<display(?: annotation A)>.t", "<display(?: annotation B)>.t",
    ]  # fmt: skip
    defaults = {d.name: [(key, shown(facts, n)) for key, n in d.defaults] for d in facts.definitions}
    assert defaults["f"] == [("b", "value g"), ("d", "call H")]
    assert defaults["m"] == [("c", "value local <lambda1>")]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f()()", "<call f>"),
        ("x[0]()", "<element[0](value x)>"),
        ("(a or b)()", "<any(value a, value b)>"),
        ("(lambda: 1)()", "<value local <lambda1>>"),
        ("getattr(x, 'm')()", "x.m"),
        ("a().b().c()", "<call <call a>.b>.c"),
        ("a.b[0].c()()", "<call <element[0](value a.b)>.c>"),
        ("(await f()).g()", "<await(call f)>.g"),
        ("[f, g][1]()", "<element[1](display(0: value f, 1: value g))>"),
        ("next(iter(d))()", "<iterate(display(**: value d))>"),
        ("type(x).m()", "x.__class__.m"),
        ("''.join()", "literal.join"),
    ],
)
def test_what_is_called(extract, call, expected):
    facts = extract(f"def main():\n    {call}\n")
    first = min(
        (use for use in facts.uses if use.kind == "call"), key=lambda use: (use.region[2], -use.region[3])
    )
    assert shown_ref(facts, first.ref) == expected


def test_arguments(extract):
    facts = extract(
        """
        class A:
            def m(self, p):
                f(g, 1, p, "s", k=self, l=A(), m=None, n=[g], *d, o=u + v, **e)
                f(*d, g)
                f(h for h in d)
                f(lambda: 0, (1, 2))
        """
    )
    found = [[(k, shown(facts, n)) for k, n in use.arguments] for use in facts.uses if use.ref.path == "f"]
    assert found == [
        [
            ("0", "value g"), ("2", "param m.p"), ("k", "value self"), ("l", "call A"),
            ("n", "display(0: value g)"), ("*", "value d"), ("**", "value e"),
        ],
        [("*", "value d")],
        [("0", "display(?: iterate(value d))")],
        [("0", "value local <lambda1>"), ("1", "display()")],
    ]  # fmt: skip


def test_returns_and_yields(extract):
    facts = extract(
        """
        def a(p):
            if p: return f
            return A()
        def b():
            def inner(): return 1
            return inner
        def c(): return
        def d():
            if c: return None
            return A()
        def e():
            if c: return u + v
            return A()
        def g():
            yield A()
            yield from b()
            return f
        async def h(): return A()
        def i(): return f, 1
        j = lambda x: x
        """
    )
    found = {d.name: (shown(facts, d.returns), shown(facts, d.yields)) for d in facts.definitions}
    del found["j"]
    assert found == {
        "a": ("any(value f, call A)", "-"),
        "b": ("value local inner", "-"),
        "inner": ("-", "-"),
        "c": ("-", "-"),
        "d": ("call A", "-"),
        "e": ("any(call A)", "-"),
        "g": ("value f", "any(call A, iterate(call b))"),
        "h": ("call A", "-"),
        "i": ("display(0: value f)", "-"),
        "<lambda1>": ("param <lambda1>.x", "-"),
    }


def test_lambdas_are_functions_of_their_scope(extract):
    facts = extract(
        """
        a = lambda: f()
        def g():
            h(lambda x, *y, z=1: (x, lambda: i()), lambda: 0)
        """
    )
    found = [
        (d.name, d.parent, [p.name for p in d.signature.parameters]) for d in facts.definitions if d.signature
    ]
    assert found == [
        ("<lambda1>", -1, []),
        ("g", -1, []),
        ("<lambda1>", 2, ["x", "y", "z"]),
        ("<lambda1>", 3, []),
        ("<lambda2>", 2, []),
    ]
    scopes = {use.ref.path: facts.definitions[use.scope].name for use in facts.uses if use.kind == "call"}
    assert scopes == {"f": "<lambda1>", "h": "g", "i": "<lambda1>"}


def test_decorators_are_neither_lost_nor_counted_twice(extract):
    facts = extract(
        """
        @a.b
        @c(1, x)
        def f(): pass
        @(lambda f: f)
        class K: pass
        """
    )
    found = [
        (use.kind, shown_ref(facts, use.ref), [(key, shown(facts, n)) for key, n in use.arguments])
        for use in facts.uses
        if use.region[0] < 5
    ]
    assert found == [
        ("decorate", "a.b", [("0", "value local f")]),
        ("decorate", "c", []),
        ("implicit", "<call c>", [("0", "value local f")]),
        ("call", "c", [("1", "value x")]),
        ("reference", "x", []),
    ]
    assert [shown_ref(facts, u.ref) for u in facts.uses if u.kind == "decorate"][2:] == [
        "<value local <lambda1>>"
    ]


def test_attributes_and_stores(extract):
    facts = extract(
        """
        class A:
            def __init__(self, x):
                self.a = B()
                self.b = x
                self.c = None
                self.d: D = x
                self.e = []
                self.f, self.g = x, C()
                x.h = f
                m.i = f
                x.j["k"] = f
                self.k.l = f
                for self.n in x: pass
            @classmethod
            def other(cls, y):
                cls.c = C()
                cls.a = E()
                cls.e.append(f)
                cls.o.append(f)
        A.p = f
        """
    )
    assert {a.name: shown(facts, a.type) for a in facts.attributes} == {
        "a": "any(call B, call E)",
        "b": "param __init__.x",
        "c": "call C",
        "d": "annotation D",
        "e": "any(display(), display(?: value f))",
        "f": "param __init__.x",
        "g": "call C",
        "n": "iterate(param __init__.x)",
    }
    assert [(shown_ref(facts, s.ref), s.name, shown(facts, s.type)) for s in facts.stores] == [
        ("<param __init__.x>", "h", "value f"),
        ("m", "i", "value f"),
        ("<param __init__.x>", "j", "display(k: value f)"),
        ("self.k", "l", "value f"),
        ("A", "p", "value f"),
    ]


def test_calls_that_no_expression_shows(extract):
    facts = extract(
        """
        async def f(p):
            for a in p: pass
            async for b in c.d: pass
            for e in [1, 2]: pass
            [g for g in h()]
            with i() as j, k: pass
            async with l: pass
            raise m.N
        """
    )
    implicit = [use for use in facts.uses if use.kind == "implicit"]
    assert [(shown_ref(facts, use.ref), use.shape.positional) for use in implicit] == [
        ("<param f.p>.__iter__", 0),
        ("<call <param f.p>.__iter__>.__next__", 0),
        ("c.d.__aiter__", 0),
        ("<call c.d.__aiter__>.__anext__", 0),
        ("<call h>.__iter__", 0),
        ("<call <call h>.__iter__>.__next__", 0),
        ("<call i>.__enter__", 0),
        ("<call i>.__exit__", 3),
        ("k.__enter__", 0),
        ("k.__exit__", 3),
        ("l.__aenter__", 0),
        ("l.__aexit__", 3),
        ("m.N", 0),
    ]


def test_isinstance_narrows(extract):
    facts = extract(
        """
        def f(p, q, r):
            if isinstance(p, A) and c:
                p.t()
            elif isinstance(p, (B, m.C)):
                p.t()
            else:
                p.t()
            if not isinstance(q, A):
                return
            q.t()
            if isinstance(r, A):
                r = B()
                r.t()
        """
    )
    assert called(facts) == [
        "<annotation A>.t",
        "<any(annotation B, annotation m.C)>.t",
        "<param f.p>.t",
        "<any(param f.q, annotation A)>.t",
        "<any(param f.r, call B)>.t",
    ]


def test_getattr_with_a_literal_name_is_a_reference(extract):
    facts = extract("getattr(m, 'x')\ngetattr(m, 'y')()\ngetattr(m, n)\n")
    found = [(use.kind, use.ref.path) for use in facts.uses if use.ref.path != "m"]
    assert found == [
        ("call", "getattr"), ("reference", "m.x"), ("call", "m.y"), ("call", "getattr"), ("call", "getattr"),
        ("reference", "n"),
    ]  # fmt: skip


def test_displays_and_alternatives_are_bounded(extract):
    facts = extract("x = [" + ", ".join(f"f{n}" for n in range(100_000)) + "]\n")
    assert len(facts.types[facts.definitions[0].type].items) == 64
    facts = extract("x = " + " or ".join(f"f{n}" for n in range(1_000)) + "\n")
    assert len(facts.types[facts.definitions[0].type].items) == 16
    lines = "".join(f"    x = f{n}\n" for n in range(1_000))
    facts = extract(f"def g():\n{lines}    x.t()\n")
    assert max(len(fact.items) for fact in facts.types) == 16


def test_a_global_statement_may_name_what_the_module_never_binds(extract):
    facts = extract(
        """
        def f(x):
            global elsewhere
            elsewhere.append(x)
            return elsewhere(x)
        """
    )
    assert [shown_ref(facts, use.ref) for use in facts.uses if "elsewhere" in use.ref.path] == [
        "elsewhere.append",
        "elsewhere",
    ]
