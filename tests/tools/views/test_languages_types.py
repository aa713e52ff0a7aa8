"""What declared types give to calls in each language, and dialects that a file's name does not tell."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for

CASES = {
    "a generic parameter has its bound's members (Java)": (
        "a/A.java",
        "class A { <T extends B> void f(T t) { T v = t; v.only(); } } class B { void only() {} }",
        {"a/A.java.B.only annotation"},
    ),
    "a generic parameter has its bound's members (Rust)": (
        "a/m.rs",
        "trait Tr { fn m(&self); } struct S<T: Tr> { t: T } impl<T: Tr> S<T> { fn g(&self) { self.t.m() } }",
        {"a/m.rs.Tr.m annotation"},
    ),
    "a generic parameter has its bound's members (Go)": (
        "a/m.go",
        "package a\ntype I interface{ M() }\nfunc f[T I, U any](t T, u U) { t.M(); u.M() }\n",
        {"a/m.go.I.M annotation", "?.M unresolved"},
    ),
    "a generic parameter has its bound's members (TypeScript)": (
        "a/m.ts",
        "interface D { m(): void } class C<K extends D> { k: K; g(x: K | null) { this.k.m(); x?.m() } }",
        {"a/m.ts.D.m annotation"},
    ),
    "a promise stands for what it gives": (
        "a/m.ts",
        "class D { m(): void {} }\n"
        "async function f(): Promise<D> { (await f()).m(); const d = await f(); d.m() }",
        {"a/m.ts.f local", "a/m.ts.D.m return"},
    ),
    "a type beside a builtin value": (
        "a/m.ts",
        "type Error = { code: string }\nfunction f() { throw new Error('x') }",
        {"builtins.Error unresolved"},
    ),
    "a field assigned in the constructor": (
        "a/m.js",
        "class D { m() {} }\nclass C { constructor() { this.d = new D() } f() { this.d.m() } }",
        {"a/m.js.D constructor", "a/m.js.D.m assignment"},
    ),
    "a constructor function and its prototype": (
        "a/m.js",
        "function C() { this.m() }\nC.prototype.m = function () { this.n() }\n"
        "C.prototype.n = () => {}\nnew C().n()",
        {"a/m.js.C.m self", "a/m.js.C.n self", "a/m.js.C local", "a/m.js.C.n assignment"},
    ),
    "a variable bound anew stands for what it holds then (Rust)": (
        "a/m.rs",
        "struct A; struct B;\nimpl A { fn a(&self) -> B { B } } impl B { fn b(&self) {} }\n"
        "fn f(x: A) { let x = x.a(); x.b(); let x = x; x.b() }",
        {"a/m.rs.A.a annotation", "a/m.rs.B.b return"},
    ),
    "a shadowed name is not the module's": (
        "a/m.go",
        "package a\nfunc g() {}\nfunc f(g func()) { g() }\n"
        "func h() { if g := f; g != nil { g(nil) }; g() }\n",
        {"a/m.go.g local", "a/m.go.f assignment"},
    ),
    "several results give the first": (
        "a/m.go",
        "package a\ntype T struct{}\nfunc (t *T) M() {}\nfunc n() (*T, error) { return nil, nil }\n"
        "func f() { t, err := n(); t.M(); err.Error() }\n",
        {"a/m.go.n local", "a/m.go.T.M return", "?.Error unresolved"},
    ),
    "a var takes the type of its value (Java)": (
        "a/A.java",
        "class A { A a() { var x = this.a(); x.a().a(); return new A().a(); } }",
        {"a/A.java.A.a self", "a/A.java.A.a return", "a/A.java.A constructor", "a/A.java.A.a assignment"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_calls(link_tree, case):
    path, source, expected = CASES[case]
    edges = [edge for edge in link_tree({path: source}).edges() if edge.kind == "call"]
    assert {f"{edge.target} {edge.resolution}" for edge in edges} == expected


def test_flow_annotations_and_jsx_are_read_as_javascript():
    source = b"""// @flow
        import type { T } from './t';
        export function f(x: ?T, ...rest: Array<T>): Promise<string> { return g(x) }
        const g = (x: T) => <div a={x}>{f(x)}</div>;
    """
    facts = extractor_for("javascript").extract(source, ExtractLimits())
    assert facts.problem == ""
    assert [d.name for d in facts.definitions] == ["f", "g"]
    assert facts.definitions[0].signature.render() == "(x: ?T, *rest: Array<T>) -> Promise<string>"
    assert [(r.name, r.type_checking) for r in facts.imports] == [("T", True)]


def test_typescript_is_read_as_tsx_where_it_is():
    casts, elements = b"const a = <T>b;\n", b"const a = <T>{b}</T>;\n"
    extractor = extractor_for("typescript")
    assert [extractor.extract(source, ExtractLimits()).problem for source in (casts, elements)] == ["", ""]


def test_real_files_link_without_loose_ends(link_tree):
    roots = [Path(sys.prefix), Path("/usr/share/javascript"), Path("/usr/share/doc")]
    found = sorted(path for root in roots if root.is_dir() for path in root.rglob("*.js"))[:60]
    if not found:
        pytest.skip("no JavaScript is installed here")
    texts = {f"{number}/{path.name}": path.read_text("utf-8", "replace") for number, path in enumerate(found)}
    graph = link_tree({path: text for path, text in texts.items() if len(text) < 400_000})
    loose = [
        e.target for e in graph.edges() if e.resolution != "unresolved" and e.target not in graph.symbols
    ]
    assert loose == []
    assert all(graph.module_of(identity) is not None for identity in graph.symbols)
