"""Rust: module trees, use, globs, traits, crates of a workspace, macros."""

from __future__ import annotations

import pytest

TREE = {
    "Cargo.toml": """\
[workspace]
members = ["crates/*"]
""",
    "core/Cargo.toml": """\
[package]
name = "my-core"
""",
    "core/src/lib.rs": """\
//! doc
pub mod engine;
mod util;
pub use engine::{Engine, run as start};
pub use self::util::*;

pub trait Plugin: Named {
    fn apply(&self, x: u32) -> Outcome;
    fn twice(&self) { self.apply(1); self.name(); }
}
pub trait Named { fn name(&self) -> String; }
pub struct Outcome { pub ok: bool, pub(crate) engine: Engine }
pub enum Mode { Fast, Slow(u32) }
impl Mode { pub fn parse(s: &str) -> Option<Mode> { Some(Mode::Slow(1)) } }
pub const LIMIT: usize = 3;
#[macro_export] macro_rules! ensure { ($x:expr) => { $x } }
""",
    "core/src/engine/mod.rs": """\
use crate::{Outcome, Plugin, Mode};
use super::util::helper;
mod inner;
pub struct Engine { mode: Mode, plug: Box<dyn Plugin> }
impl Engine {
    pub fn new(mode: Mode) -> Self { Self { mode, plug: todo!() } }
    pub fn go(&mut self, n: u32) -> Result<Outcome, String> {
        self.step(n);
        self.plug.apply(n);
        helper(n);
        inner::deep();
        ensure!(self.step(2));
        println!("{}", helper(3));
        let out = Self::new(Mode::Fast).go(1)?;
        out.engine.finish();
        Engine::step(self, 4);
        match self.mode { Mode::Fast => {} Mode::Slow(k) => { k.to_string(); } }
        Ok(out)
    }
    fn step(&self, n: u32) {}
}
impl Plugin for Engine { fn apply(&self, x: u32) -> Outcome { self.missing() } }
pub fn run(e: &mut Engine) { e.go(1).unwrap().engine.go(2); }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { let mut e = Engine::new(Mode::Fast); e.go(1); super::run(&mut e); assert!(check()); }
    fn check() -> bool { true }
}
""",
    "core/src/engine/inner.rs": """\
use super::super::LIMIT;
pub fn deep() { super::run(LIMIT); crate::helper(1); }
impl super::Engine { pub fn finish(&self) {} }
""",
    "core/src/util.rs": """\
pub fn helper(n: u32) {}
fn hidden() {}
""",
    "app/Cargo.toml": """\
[package]
name = "app"
""",
    "app/src/main.rs": """\
use my_core::{self, Engine, start, Mode as M};
use my_core::engine;
use std::collections::HashMap;
fn main() {
    let mut e: Engine = Engine::new(M::parse("x").unwrap());
    start(&mut e);
    e.go(1);
    my_core::helper(2);
    engine::run(&mut e);
    my_core::ensure!(true);
    let m: HashMap<u8, u8> = HashMap::new();
    m.insert(1, 2);
    let f = |x: Engine| x.finish();
    for q in e.list() { q.distinct_method() }
}
""",
}

SYMBOLS = """
    app/src/main.rs module public
    app/src/main.rs.Engine alias hidden = core/src/lib.rs.Engine
    app/src/main.rs.HashMap alias hidden = rust://std.collections.HashMap
    app/src/main.rs.M alias hidden = core/src/lib.rs.Mode
    app/src/main.rs.engine alias hidden = core/src/lib.rs.engine
    app/src/main.rs.main function hidden ()
    app/src/main.rs.my_core alias hidden = core/src/lib.rs
    app/src/main.rs.start alias hidden = core/src/lib.rs.start
    core/src/engine/inner.rs module public
    core/src/engine/inner.rs.Engine.finish method public ()
    core/src/engine/inner.rs.LIMIT alias hidden = core/src/lib.rs.LIMIT
    core/src/engine/inner.rs.deep function public ()
    core/src/engine/mod.rs module public
    core/src/engine/mod.rs.Engine class public (Plugin)
    core/src/engine/mod.rs.Engine.apply method hidden (x: u32) -> Outcome
    core/src/engine/mod.rs.Engine.go method public (n: u32) -> Result<Outcome, String>
    core/src/engine/mod.rs.Engine.mode constant hidden
    core/src/engine/mod.rs.Engine.new method public (mode: Mode) -> Self
    core/src/engine/mod.rs.Engine.plug constant hidden
    core/src/engine/mod.rs.Engine.step method hidden (n: u32)
    core/src/engine/mod.rs.Mode alias hidden = core/src/lib.rs.Mode
    core/src/engine/mod.rs.Outcome alias hidden = core/src/lib.rs.Outcome
    core/src/engine/mod.rs.Plugin alias hidden = core/src/lib.rs.Plugin
    core/src/engine/mod.rs.helper alias hidden = core/src/util.rs.helper
    core/src/engine/mod.rs.inner alias hidden = core/src/engine/inner.rs
    core/src/engine/mod.rs.run function public (e: &mut Engine)
    core/src/engine/mod.rs.tests module hidden
    core/src/engine/mod.rs.tests.check function hidden () -> bool
    core/src/engine/mod.rs.tests.works function hidden ()
    core/src/lib.rs module public
    core/src/lib.rs.Engine alias public = core/src/engine/mod.rs.Engine
    core/src/lib.rs.LIMIT constant public
    core/src/lib.rs.Mode class public
    core/src/lib.rs.Mode.Fast constant public
    core/src/lib.rs.Mode.Slow constant public
    core/src/lib.rs.Mode.parse method public (s: &str) -> Option<Mode>
    core/src/lib.rs.Named interface public
    core/src/lib.rs.Named.name method public () -> String
    core/src/lib.rs.Outcome class public
    core/src/lib.rs.Outcome.engine constant hidden
    core/src/lib.rs.Outcome.ok constant public
    core/src/lib.rs.Plugin interface public (Named)
    core/src/lib.rs.Plugin.apply method public (x: u32) -> Outcome
    core/src/lib.rs.Plugin.twice method public ()
    core/src/lib.rs.engine alias public = core/src/engine/mod.rs
    core/src/lib.rs.ensure! function hidden
    core/src/lib.rs.start alias public = core/src/engine/mod.rs.run
    core/src/lib.rs.util alias hidden = core/src/util.rs
    core/src/util.rs module public
    core/src/util.rs.helper function public (n: u32)
    core/src/util.rs.hidden function hidden ()
"""

CALLS = """
    app/src/main.rs.main -> core/src/engine/mod.rs.Engine.new import (_)
    app/src/main.rs.main -> core/src/lib.rs.Mode.parse import (_)
    app/src/main.rs.main -> ?.unwrap unresolved ()
    app/src/main.rs.main -> core/src/engine/mod.rs.run import (_)
    app/src/main.rs.main -> core/src/engine/mod.rs.Engine.go annotation (_)
    app/src/main.rs.main -> core/src/util.rs.helper import (_)
    app/src/main.rs.main -> core/src/engine/mod.rs.run import (_)
    app/src/main.rs.main -> core/src/lib.rs.ensure! import
    app/src/main.rs.main -> rust://std.collections.HashMap.new unresolved ()
    app/src/main.rs.main -> rust://std.collections.HashMap.insert unresolved (_, _)
    app/src/main.rs.main -> core/src/engine/inner.rs.Engine.finish annotation ()
    app/src/main.rs.main -> core/src/engine/mod.rs.Engine.list unresolved ()
    app/src/main.rs.main -> ?.distinct_method unresolved ()
    core/src/engine/inner.rs.deep -> core/src/engine/mod.rs.run import (_)
    core/src/engine/inner.rs.deep -> core/src/util.rs.helper import (_)
    core/src/engine/mod.rs.Engine.new -> builtins.todo! unresolved
    core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine.step self (_)
    core/src/engine/mod.rs.Engine.go -> core/src/lib.rs.Plugin.apply annotation (_)
    core/src/engine/mod.rs.Engine.go -> core/src/util.rs.helper import (_)
    core/src/engine/mod.rs.Engine.go -> core/src/engine/inner.rs.deep import ()
    core/src/engine/mod.rs.Engine.go -> core/src/lib.rs.ensure! unique_name
    core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine.step self (*_)
    core/src/engine/mod.rs.Engine.go -> builtins.println! unresolved
    core/src/engine/mod.rs.Engine.go -> core/src/util.rs.helper import (*_)
    core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine.new assignment (_)
    core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine.go return (_)
    core/src/engine/mod.rs.Engine.go -> core/src/engine/inner.rs.Engine.finish annotation ()
    core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine.step local (_)
    core/src/engine/mod.rs.Engine.go -> ?.to_string unresolved ()
    core/src/engine/mod.rs.Engine.go -> builtins.Ok unresolved (_)
    core/src/engine/mod.rs.Engine.apply -> core/src/engine/mod.rs.Engine.missing unresolved ()
    core/src/engine/mod.rs.run -> core/src/engine/mod.rs.Engine.go annotation (_)
    core/src/engine/mod.rs.run -> ?.unwrap unresolved ()
    core/src/engine/mod.rs.run -> core/src/engine/mod.rs.Engine.go annotation (_)
    core/src/engine/mod.rs.tests.works -> core/src/engine/mod.rs.Engine.new local (_)
    core/src/engine/mod.rs.tests.works -> core/src/engine/mod.rs.Engine.go return (_)
    core/src/engine/mod.rs.tests.works -> core/src/engine/mod.rs.run local (_)
    core/src/engine/mod.rs.tests.works -> builtins.assert! unresolved
    core/src/engine/mod.rs.tests.works -> core/src/engine/mod.rs.tests.check local (*_)
    core/src/lib.rs.Plugin.twice -> core/src/lib.rs.Plugin.apply self (_)
    core/src/lib.rs.Plugin.twice -> core/src/lib.rs.Named.name mro ()
    core/src/lib.rs.Mode.parse -> builtins.Some unresolved (_)
    core/src/lib.rs.Mode.parse -> core/src/lib.rs.Mode.Slow local (_)
"""

OTHERS = """
    reference app/src/main.rs.main -> core/src/engine/mod.rs.Engine import
    reference app/src/main.rs.main -> core/src/lib.rs.Mode import
    reference core/src/engine/inner.rs.deep -> core/src/lib.rs.LIMIT import
    reference core/src/engine/inner.rs -> core/src/engine/mod.rs.Engine import
    reference core/src/engine/mod.rs.Engine -> core/src/lib.rs.Mode import
    reference core/src/engine/mod.rs.Engine -> core/src/lib.rs.Plugin import
    reference core/src/engine/mod.rs -> core/src/engine/mod.rs.Engine local
    reference core/src/engine/mod.rs.Engine.new -> core/src/lib.rs.Mode import
    reference core/src/engine/mod.rs.Engine.go -> core/src/lib.rs.Outcome import
    reference core/src/engine/mod.rs.Engine.go -> core/src/lib.rs.Mode import
    reference core/src/engine/mod.rs.Engine.go -> core/src/lib.rs.Mode.Fast import
    reference core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine local
    reference core/src/engine/mod.rs.Engine.go -> core/src/engine/mod.rs.Engine.mode self
    reference core/src/engine/mod.rs.Engine.go -> core/src/lib.rs.Mode.Slow import
    inherit core/src/engine/mod.rs.Engine -> core/src/lib.rs.Plugin import
    override core/src/engine/mod.rs.Engine.apply -> core/src/lib.rs.Plugin.apply mro
    reference core/src/engine/mod.rs.Engine.apply -> core/src/lib.rs.Outcome import
    reference core/src/engine/mod.rs.run -> core/src/engine/mod.rs.Engine local
    reference core/src/engine/mod.rs.tests.works -> core/src/engine/mod.rs.Engine local
    reference core/src/engine/mod.rs.tests.works -> core/src/lib.rs.Mode import
    reference core/src/engine/mod.rs.tests.works -> core/src/lib.rs.Mode.Fast import
    inherit core/src/lib.rs.Plugin -> core/src/lib.rs.Named local
    reference core/src/lib.rs.Plugin.apply -> core/src/lib.rs.Outcome local
    reference core/src/lib.rs.Outcome -> core/src/engine/mod.rs.Engine import
    reference core/src/lib.rs -> core/src/lib.rs.Mode local
    reference core/src/lib.rs.Mode.parse -> core/src/lib.rs.Mode local
"""


@pytest.fixture(scope="module")
def graph(link_tree):
    return link_tree(TREE)


def test_symbols(graph, as_lines):
    assert as_lines.symbols(graph) == as_lines.of(SYMBOLS)


def test_calls(graph, as_lines):
    assert as_lines.edges(graph, "call") == as_lines.of(CALLS)


def test_other_edges(graph, as_lines):
    kinds = ("inherit", "override", "reference")
    assert as_lines.edges(graph, *kinds) == as_lines.of(OTHERS)
