"""No bytes make an extractor of another language, the store's encoding or the linker fail."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views.facts.codec import decode, encode
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import LANGUAGES, extractor_for, identity_of, language_of
from repo_guardian.tools.views.symbol_graph.linker import Linker
from repo_guardian.tools.views.symbol_graph.memory import MemoryCorpus

SOURCES = {
    "a/m.js": b"""
        import d, { a as b } from './n'; export * from './o'; const { q, r: [s = 1] } = require('./p');
        export default class A extends d.B { static #x = 1; get v() { return this.#x } async *g(...z) {} }
        module.exports = { f() {}, g: function () {}, h }; A.prototype.k = async (y) => super.k?.(`${y}`);
        var w = exports = module.exports = () => <A.B c={d}>{...e}</A.B>; label: for (let i of j) new
          i.k(...l);
    """,
    "a/m.ts": b"""
        import type { T } from './t'; export abstract class C<T extends D = E> implements F<T>, G {
          constructor(private readonly a: A, b?: B) { super() } abstract m(this: C): Promise<T>; @dec()
          y!: Z }
        declare module 'm' { export function k(x: number): void; } namespace N.M { export enum E { A =
          1, B } }
        type U<V> = V extends infer W ? W : never; function f(x: string): void; function f(x: any) {}
          export = f;
    """,
    "a/m.go": b"""
        package m
        import ( . "fmt"; x "a/b"; _ "c" )
        type T[K comparable] struct { *E; x.F; a, b int `json:"a"`; f func(int) (string, error) }
        func (t *T[K]) M(a int, b ...string) (n int, err error) { go func() { t.a.b()[0].c(d...) }(); return }
        type I interface { ~int | string; M() }
        var a, b = x.F{Y: 1}, []T{{1}, {2}}
    """,
    "a/m.rs": b"""
        use a::{self, b::{c as d, *}}; pub(crate) mod m { use super::*; } extern crate e; mod n;
        impl<'a, T: Tr + ?Sized> Tr for S<'a, T> where T: X { const K: u8 = 1; fn f(&mut self, (a, b):
          (u8, u8)) {
          if let Some(x @ 1..=5) = self.g::<u8>()? { m!(x.y(), z); } match q { A::B { c, .. } => {}, _
          => ||{} } } }
        macro_rules! m { ($($x:expr),*) => { $($x)* } } pub async unsafe fn h() -> impl Fn() { 'a: loop
          { break 'a } }
    """,
    "a/M.java": b"""
        package a.b; import static c.D.*; @A(b = 1) public sealed class M<T extends N & O> extends
          P.Q<T> permits R {
          M() { this(1); } { init(); } enum E { X(1) { void f() {} }; E(int i) {} } record S(int a, T...
          b) { S {} }
          @Override <U> U m(final T a, int... b) throws V { for (var x : y) x.z(M::new, (p, q) ->
          p.r()); return null; }
          int a[], c = switch (d) { case E e when e.f() -> 1; default -> { yield 2; } }; @interface W {
          int v() default 1; } }
    """,
    "go.mod": b"module a/b\n",
    "package.json": b'{"name": "n", "main": "./a/m.js"}',
}
TOKENS = [
    b"(",
    b")",
    b"{",
    b"}",
    b"<",
    b">",
    b"\n",
    b";",
    b"=>",
    b"class ",
    b"import ",
    b"export ",
    b"'",
    b'"',
    b"`",
]
TOKENS += [
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"::",
    b"impl ",
    b"func ",
    b"//",
    b"/*",
    b"@",
    b"#",
    b"\\",
    b"\r",
]
COVERED = sorted({language for language in LANGUAGES.values() if extractor_for(language)} - {"python"})


def facts_of(path, blob, limits=None):
    return extractor_for(language_of(path)).extract(blob, limits or ExtractLimits())


@st.composite
def damaged(draw):
    """A file with a few pieces cut out, doubled, or replaced by other tokens; its end may be missing."""
    path = draw(st.sampled_from(sorted(SOURCES)))
    source = SOURCES[path]
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(source)))
        end = min(len(source), start + draw(st.sampled_from([0, 1, 3, 20, 400])))
        piece = draw(st.sampled_from([*TOKENS, b"", source[start:end] * 2]))
        source = source[:start] + piece + source[end:]
    return path, source[: draw(st.integers(0, len(source)))] if draw(st.booleans()) else source


@settings(max_examples=250, deadline=None)
@given(st.lists(damaged() | st.tuples(st.sampled_from(sorted(SOURCES)), st.binary(max_size=60)), max_size=4))
def test_nothing_fails(files):
    facts = {}
    for path, blob in files:
        found = facts[path] = facts_of(path, blob)
        assert decode(encode(found)) == found
        for use in found.uses:
            assert 0 <= use.region[2] <= use.region[3] <= len(blob)
            assert 1 <= use.region[0] <= use.region[1] <= blob.count(b"\n") + 1
    corpus = MemoryCorpus(facts)
    linker = Linker(corpus)
    links = [linker.link(path) for path in corpus.paths()]
    identities = [symbol.id for linked in links for symbol in linked.symbols]
    assert len(identities) == len(set(identities))
    known = set(identities)
    for linked in links:
        assert [e for e in linked.edges if e.resolution != "unresolved" and e.target not in known] == []
        keys = [(e.span.start_byte, e.span.end_byte, e.kind, e.target) for e in linked.edges]
        assert keys == sorted(keys)


@pytest.mark.parametrize("path", sorted(SOURCES))
def test_representative_sources_are_read_whole(path):
    assert facts_of(path, SOURCES[path]).problem == ""


DEEP = {
    "a.js": [b"x = " + b"(\n" * 20_000 + b"1" + b")" * 20_000, b"a" + b"\n.b()" * 5_000, b"[\n" * 20_000],
    "a.ts": [b"let x: " + b"A<\n" * 5_000 + b"B" + b">" * 5_000, b"{\n" * 20_000, b"a" + b"\n.b" * 20_000],
    "a.go": [b"package a\nvar x = " + b"1 +\n" * 20_000 + b"1", b"package a\nfunc f() {" + b"{\n" * 20_000],
    "a.rs": [b"fn f() { " + b"!\n" * 20_000 + b"x }", b"use " + b"a::{\n" * 10_000, b"mod a {\n" * 5_000],
    "A.java": [
        b"class A { int x = " + b"-\n" * 20_000 + b"1; }",
        b"class A {\n" * 5_000,
        b"x" + b"\n.a()" * 5_000,
    ],
}


@pytest.mark.parametrize(
    ("path", "number"), [(path, n) for path, blobs in DEEP.items() for n in range(len(blobs))]
)
def test_depth_costs_no_stack_and_no_squares(path, number):
    begun = time.process_time()
    facts = facts_of(path, DEEP[path][number])
    assert not facts.problem.startswith("minified")
    decode(encode(facts))
    corpus = MemoryCorpus({path: facts})
    assert Linker(corpus).link(path).path == path
    assert time.process_time() - begun < 60


@pytest.mark.parametrize("language", [name for name in COVERED if name != "project"])
def test_what_cannot_be_read_says_why(language):
    extractor = extractor_for(language)
    limits = ExtractLimits(blob_bytes=10_000)
    assert extractor.extract(b"x" * 10_001, limits).problem == "too large: 10001 bytes, the limit is 10000"
    minified = b"a(b);c.d(e);" * 700
    assert extractor.extract(minified, limits).problem.startswith("minified")
    assert extractor.extract("x = 1\n".encode("utf-16"), limits).problem == "UTF-16 text, which is not read"
    assert extractor.extract(b"a\0b", limits).problem.startswith("binary")
    slow = extractor.extract(b"{\n" * 100_000, ExtractLimits(parse_s=0.0))
    assert slow.transient
    assert slow.problem == "parsing took more than 0 s"


def test_bytes_that_are_no_utf8_keep_their_places():
    facts = facts_of("a.js", b"// caf\xe9 \x80\r\nfunction f() { return g('\xff') }\r\nfunction g() {}\r\n")
    assert facts.problem == "not valid UTF-8 at byte 6"
    assert [(d.name, d.region) for d in facts.definitions] == [("f", (2, 2, 11, 41)), ("g", (3, 3, 43, 58))]
    assert [use.ref.path for use in facts.uses] == ["g"]


def test_a_byte_order_mark_and_carriage_returns():
    facts = facts_of("A.java", b"\xef\xbb\xbfclass A {\r\n  void m() {}\r\n}\r\n")
    assert facts.problem == ""
    assert [(d.name, d.region[:2]) for d in facts.definitions] == [("A", (1, 3)), ("m", (2, 2))]


def test_a_syntax_error_leaves_the_rest():
    facts = facts_of("a.go", b"package a\n\nfunc f() { g( }\n\nfunc h() {}\n")
    assert facts.problem == "syntax error at line 3"
    assert {"h"} <= {d.name for d in facts.definitions}


def test_identities_are_known_without_loading():
    assert {name: identity_of(name) for name in COVERED} == {
        name: extractor_for(name).identity for name in COVERED
    }
    assert identity_of("cobol") == ""


def test_generated_code_is_read_and_says_so():
    facts = facts_of("a.go", b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\nfunc F() {}\n")
    assert facts.problem == "generated code, read in full"
    assert [d.name for d in facts.definitions] == ["F"]


def test_a_long_literal_is_not_minified_code():
    facts = facts_of("a.js", b"const data = '" + b"Zm9v" * 5000 + b"';\nfunction f() {}\n")
    assert facts.problem == ""
    assert [d.name for d in facts.definitions] == ["data", "f"]
