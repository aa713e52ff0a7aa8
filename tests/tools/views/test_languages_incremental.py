"""Languages linked by name: after any history of edits, what is kept and what is linked again equal a cold
link of the same tree.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for, language_of
from repo_guardian.tools.views.symbol_graph.changes import changed_keys
from repo_guardian.tools.views.symbol_graph.linker import Linker
from repo_guardian.tools.views.symbol_graph.memory import MemoryCorpus

TREES = {
    "javascript": {
        "package.json": ['{"name": "tree", "main": "lib/index.js"}', '{"name": "other"}', "{}"],
        "lib/index.js": [
            "export * from './a'; export { g as h } from './b.js'; export default function main() { f() }",
            "export { f } from './a'; export * from './b';",
            "module.exports = require('./a'); exports.x = function x() {};",
        ],
        "lib/a.js": [
            "export function f(x) {} export class C { m() { this.n() } n() {} }",
            (
                "import { C as B } from './b'; export class C extends B { only() {} } "
                "export const f = () => new C()"
            ),
            "exports.f = function (a, b) {}; exports.C = class { m() {} };",
            "export function f(x, y) {} export class C { m() {} only() {} }",
        ],
        "lib/b.js": [
            "export function g() {} export class C { n() {} }",
            "import { f } from './a'; export function g() { f(1) } export class C { n(a) {} m() {} }",
        ],
        "lib/b/index.ts": ["export function g(): void {}", "export class C { n(): void {} }"],
        "lib/a.ts": ["export function f(x: number): void {}"],
        "user.js": [
            "import main, { f, h, C } from './lib'; f(1); h(); main(); const c = new C(); c.m(); v.only(1);",
            (
                "const t = require('tree'); t.f(2); t.C; import { C } from './lib/a'; "
                "class D extends C { n() {} }"
            ),
            "import * as all from './lib/index.js'; all.f(); all.h(); all.missing(); new all.C().n();",
        ],
    },
    "go": {
        "go.mod": ["module example.org/m\n", "module example.org/n\n"],
        "a.go": [
            (
                "package m\ntype R struct{ s S }\nfunc New() *R { return nil }\nfunc "
                "(r *R) Run() { r.walk(); help() }\n"
            ),
            (
                "package m\ntype R struct{ S }\nfunc New() *S { return nil }\nfunc (r "
                "*R) Run(x int) { r.only() }\n"
            ),
        ],
        "b.go": [
            "package m\ntype S struct{}\nfunc (r *R) walk() {}\nfunc (s *S) only() {}\nfunc help() {}\n",
            "package m\ntype S struct{}\nfunc (r *R) only() {}\nfunc (s *S) walk() { New().Run() }\n",
            "package other\nfunc help() {}\n",
        ],
        "c_test.go": ["package m\nfunc help() {}\nfunc TestX() { New().Run(); help() }\n"],
        "sub/s.go": [
            'package sub\nimport "example.org/m"\nfunc F() { m.New().Run(); m.Gone(); v.walk() }\n',
            (
                'package sub\nimport x "example.org/n"\ntype T struct{ *x.R }\nfunc '
                "F(t T) { t.Run(); x.New() }\n"
            ),
        ],
        "sub/t.go": ["package sub\nfunc G() { F() }\n", "package sub\nfunc F() {}\nfunc only() {}\n"],
    },
    "rust": {
        "Cargo.toml": ['[package]\nname = "the-crate"\n', '[package]\nname = "x"\n'],
        "src/lib.rs": [
            "mod a; pub mod b; pub use a::S; pub fn top() { a::f(); S::new().go(); }",
            "mod a; mod b; pub use crate::b::*; fn top(s: S) { s.go(); b::g(1) }",
            "pub mod a { pub fn f() {} pub struct S; } use a::*; fn top() { f(); S; }",
        ],
        "src/a.rs": [
            (
                "pub struct S; impl S { pub fn new() -> Self { S } pub fn go(&self) { "
                "self.only() } } pub fn f() {}"
            ),
            (
                "use super::b::T; pub struct S { t: T } impl S { fn go(&self) { "
                "self.t.only(); } } pub fn f(x: u8) {}"
            ),
        ],
        "src/b.rs": [
            "use crate::S; impl S { pub fn only(&self) {} } pub fn g(x: u8) { x.only() }",
            "pub struct T; impl T { pub fn only(&self) {} } pub struct S; impl S { pub fn new() -> T { T } }",
        ],
        "src/b/mod.rs": ["pub fn g() {} pub struct T;"],
        "tests/t.rs": ["use the_crate::S; use the_crate::b::g; fn t() { S::new().only(); g(1); v.only() }"],
    },
    "java": {
        "a/A.java": [
            (
                "package a; public class A extends B { int f; void m() { n(); b.n(); "
                "new In(); } class In {} B b; }"
            ),
            "package a; import b.*; public class A { static void s() {} void m(C c) { c.only(1); s(); } }",
            "package b; public class A { void only(int x) {} }",
        ],
        "a/B.java": [
            "package a; class B { void n() {} void only(int x) {} }",
            "package a; class B extends b.C { void n(int x) { only(x); super.n(x); } }",
        ],
        "b/C.java": [
            "package b; public class C { public void only(int x) {} void n(int x) {} static int K = 1; }",
            (
                "package b; import a.A; import static a.A.s; public class C extends A "
                "{ void q() { s(); m(null); } }"
            ),
        ],
        "b/D.java": ["package b; class D { void q(C c, Object o) { c.only(1); o.only(2); int x = C.K; } }"],
    },
}


def corpus(tree):
    return MemoryCorpus(
        {p: extractor_for(language_of(p)).extract(t.encode(), ExtractLimits()) for p, t in tree.items()}
    )


def cold(tree):
    found = corpus(tree)
    linker = Linker(found)
    return {path: linker.link(path) for path in found.paths()}


def warm(before, links, after):
    """Links of ``after`` from those of ``before``, and how many were made again."""
    old, new = corpus(before), corpus(after)
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    changed = changed_keys(old, new, touched)
    linker, result, again = Linker(new), {}, 0
    for path in new.paths():
        keep = path not in touched and not links[path].reads & changed
        result[path] = links[path] if keep else linker.link(path)
        again += not keep
    return result, again


@pytest.mark.parametrize("language", TREES)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_warm_equals_cold(language, seed):
    random_ = random.Random(seed)
    texts = TREES[language]
    tree = {path: random_.choice(texts[path]) for path in texts if random_.random() < 0.8}
    links = cold(tree)
    for _ in range(4):
        after = dict(tree)
        for path in random_.sample(sorted(texts), random_.randint(1, 2)):
            if path in after and random_.random() < 0.4:
                del after[path]
            else:
                after[path] = random_.choice(texts[path])
        links, _again = warm(tree, links, after)
        tree = after
        assert links == cold(tree)


def test_an_edit_inside_a_function_links_only_its_own_file():
    tree = {path: texts[0] for path, texts in TREES["javascript"].items()}
    after = {**tree, "lib/a.js": tree["lib/a.js"].replace("f(x) {}", "f(x) { return x + 1 }")}
    links, again = warm(tree, cold(tree), after)
    assert again == 1
    assert links == cold(after)


def test_a_new_signature_links_those_that_read_it():
    tree = {path: texts[0] for path, texts in TREES["java"].items()}
    after = {**tree, "b/C.java": tree["b/C.java"].replace("only(int x)", "only(int x, int y)")}
    _, again = warm(tree, cold(tree), after)
    assert again == 2
