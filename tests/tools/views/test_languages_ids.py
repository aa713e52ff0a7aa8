"""Ids of modules and symbols: readable, unique over all languages, found again by ``module_of``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.tools.views.publish import load, refresh
from repo_guardian.tools.views.symbol_graph.byname.ids import external, module_id
from repo_guardian.tools.views.symbol_graph.modules import Layout

NAMES = ["a", "b.js", "js", "ts", "c.ts", "go", "x:y", "%2E", "", "d.test", "\n", "node_modules", "é"]
PATHS = st.tuples(
    st.lists(st.sampled_from([n for n in NAMES if n]), max_size=2),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.sampled_from([".js", ".ts", ".d.ts", ".go", ".rs", ".java", ".js.ts"]),
).map(lambda parts: "/".join([*parts[0], ".".join(parts[1]) + parts[2]]))
MEMBERS = st.lists(st.sampled_from(["a", "ts", "js", "go", "C", "d"]), max_size=3)


@pytest.mark.parametrize(
    ("path", "identity"),
    [
        ("web/src/app.ts", "web/src/app.ts"),
        ("app.ts", "./app.ts"),
        ("a/types.d.ts", "a/types.d.ts"),
        ("a/app.component.ts", "a/app.component.ts"),
        ("a.js/b.js", "a.js/b.js"),
        ("a/x.js.ts", "a/x.js%2Ets"),
        ("a/x:y.go", "a/x%3Ay.go"),
        ("a/100%.rs", "a/100%25.rs"),
        ("a/x\ny.java", "a/x%0Ay.java"),
    ],
)
def test_an_id_is_the_path_where_it_can_be(path, identity):
    assert module_id(path) == identity


@given(PATHS, MEMBERS, PATHS, MEMBERS)
def test_no_two_places_share_an_id(path, members, other, others):
    first = ".".join([module_id(path), *members])
    second = ".".join([module_id(other), *others])
    assert (first == second) == ((path, members) == (other, others))


@given(PATHS, MEMBERS, st.lists(PATHS, max_size=4))
def test_no_python_id_looks_like_one(path, members, pythons):
    identity = ".".join([module_id(path), *members])
    assert "/" in identity
    assert ":" not in identity
    layout = Layout([f"{python}.py" for python in pythons] + ["lib/a.py", "src/a.py", "a/__init__.py"])
    for file in layout.files.values():
        assert file.id != identity
        assert ":" in file.id or "/" not in file.id


def test_what_is_outside_never_looks_like_an_id():
    name = external("go", "github.com/x/y.F")
    assert name == "go://github.com/x/y.F"
    assert "://" not in module_id("go://github.com/x/y.go")


def test_a_published_graph_of_several_languages(source, state):
    tree = source(
        {
            "pkg/__init__.py": "from .m import f\n",
            "pkg/m.py": "def f(): pass\n",
            "pkg/m.js": "import { g } from './n'\nexport function f() { g(1) }\n",
            "pkg/n.ts": "export class K { m(): void {} }\nexport function g(x: any): K { return new K() }\n",
            "m.go": "package m\n\nfunc F() { g() }\nfunc g() {}\n",
            "src/lib.rs": "pub mod a { pub fn f() { super::g() } }\nfn g() {}\n",
            "A.java": "class A { void m() { m(); } }\n",
            "package.json": '{"name": "m"}',
        }
    )
    handle = refresh(tree, state)
    assert handle.coverage.partial == ()
    assert handle.coverage.not_covered == ()
    graph = load(state, tree.commit)
    modules = {
        "pkg.m.f": "pkg.m",
        "pkg/m.js.f": "pkg/m.js",
        "pkg/n.ts.K.m": "pkg/n.ts",
        "./m.go.F": "./m.go",
        "src/lib.rs.a.f": "src/lib.rs.a",
        "./A.java.A.m": "./A.java",
    }
    assert {name: graph.module_of(name).id for name in modules} == modules
    assert [symbol.id for symbol in graph.members("pkg/n.ts")] == ["pkg/n.ts.K", "pkg/n.ts.g"]
    assert [symbol.id for symbol in graph.members("./A.java")] == ["./A.java.A"]
    assert [(edge.source, edge.kind) for edge in graph.uses("pkg/n.ts.g")] == [
        ("pkg/m.js", "import"),
        ("pkg/m.js.f", "call"),
    ]
    assert [edge.source for edge in graph.uses("src/lib.rs.g")] == ["src/lib.rs.a.f"]


def test_a_warm_build_extracts_and_links_what_changed(source, state):
    before = {"a.go": "package m\nfunc F() { g() }\n", "b.go": "package m\nfunc g() {}\n"}
    after = {**before, "b.go": "package m\nfunc g(x int) {}\n"}
    refresh(source(before, commit="one"), state)
    warm = refresh(source(after, commit="two"), state)
    assert warm.facts_extracted == 1
    cold = refresh(source(after, commit="two"), state.parent / "cold")
    assert warm.digest == cold.digest
