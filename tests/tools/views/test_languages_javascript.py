"""JavaScript: ES modules and CommonJS, classes and prototypes, JSX."""

from __future__ import annotations

import pytest

TREE = {
    "package.json": '{"name":"@x/tree","main":"lib/index.js"}',
    "lib/index.js": """\
export * from './a.js'
export { default as Widget, helper as aid } from './widget'
export default function main(options = {}) { return start(options) }
import * as util from './util'
import { start } from './a'
util.pad(1, 2)
util.gone()
""",
    "lib/a.js": """\
import Base from './widget'
export async function start(a, ...rest) { const w = new Widget2(a); w.open(); w.close(); later() }
export class Widget2 extends Base {
  static count = 0
  #secret = 1
  constructor(size) { super(size); this.inner = new Inner() }
  open() { this.close(); super.open(); this.inner.run(); this.missing() }
  get size() { return 1 }
  *items() { yield this.size }
  handler = (event) => this.close(event)
}
class Inner { run() {} }
const later = () => { function nested() {} nested() }
export const LIMIT = 10, { p, q: r } = LIMIT
""",
    "lib/widget/index.jsx": """\
export default class Widget { open() {} close(x) { return <Panel title={x}><div/></Panel> } }
export function helper() {}
function Panel() {}
""",
    "lib/util.js": """\
const fs = require('fs')
const { helper } = require('./widget')
module.exports = { pad, trim: strip, join(a) { return pad(a) } }
function pad(x, y) { return fs.readFileSync(x) }
function strip() { helper() }
""",
    "lib/app.js": """\
var app = exports = module.exports = {}
app.use = function use(fn) { this.lazy(); return this }
app.lazy = function lazyrouter() { app.use(1) }
exports.extra = function () {}
function Old(x) { this.x = x; this.go() }
Old.prototype.go = function () { this.stop() }
Old.prototype.stop = () => {}
""",
    "user.js": """\
const tree = require('@x/tree')
const app = require('./lib/app')
const { start: begin, Widget2 } = require('./lib/a')
tree.start(1)
tree.aid()
tree.main()
tree()
app.use(2); app.extra(); app.nothing()
begin(...args)
new Widget2(1).open()
obj.uniqueThing(); obj.stop(); obj.push(1)
describe('x', () => { begin() })
function shadow(begin) { begin() }
""",
}

SYMBOLS = """
    lib/a.js module public
    lib/a.js.Base alias hidden = lib/widget/index.jsx.default
    lib/a.js.Inner class hidden
    lib/a.js.Inner.run method hidden ()
    lib/a.js.LIMIT constant public
    lib/a.js.Widget2 class public (size) (Base)
    lib/a.js.Widget2.#secret constant hidden
    lib/a.js.Widget2.constructor method public (size)
    lib/a.js.Widget2.count constant public
    lib/a.js.Widget2.handler method public (event)
    lib/a.js.Widget2.items method public ()
    lib/a.js.Widget2.open method public ()
    lib/a.js.Widget2.size property public ()
    lib/a.js.later function hidden ()
    lib/a.js.later.nested function hidden ()
    lib/a.js.p constant public
    lib/a.js.r constant public
    lib/a.js.start function public (a, *rest)
    lib/app.js module public
    lib/app.js.Old function hidden (x)
    lib/app.js.Old.go method hidden ()
    lib/app.js.Old.stop method hidden ()
    lib/app.js.app constant public
    lib/app.js.app.lazy method public ()
    lib/app.js.app.use method public (fn)
    lib/app.js.default alias public = lib/app.js.app
    lib/app.js.extra function public ()
    lib/index.js module public
    lib/index.js.Widget alias public = lib/widget/index.jsx.default
    lib/index.js.aid alias public = lib/widget/index.jsx.helper
    lib/index.js.default alias public = lib/index.js.main
    lib/index.js.main function public (options={})
    lib/index.js.start alias hidden = lib/a.js.start
    lib/index.js.util alias hidden = lib/util.js
    lib/util.js module public
    lib/util.js.fs alias hidden = javascript://fs
    lib/util.js.helper alias hidden = lib/widget/index.jsx.helper
    lib/util.js.join function public (a)
    lib/util.js.pad function public (x, y)
    lib/util.js.strip function public ()
    lib/util.js.trim alias public = lib/util.js.strip
    lib/widget/index.jsx module public
    lib/widget/index.jsx.Panel function hidden ()
    lib/widget/index.jsx.Widget class public
    lib/widget/index.jsx.Widget.close method public (x)
    lib/widget/index.jsx.Widget.open method public ()
    lib/widget/index.jsx.default alias public = lib/widget/index.jsx.Widget
    lib/widget/index.jsx.helper function public ()
    ./user.js module public
    ./user.js.Widget2 alias hidden = lib/a.js.Widget2
    ./user.js.app alias hidden = lib/app.js
    ./user.js.begin alias hidden = lib/a.js.start
    ./user.js.shadow function hidden (begin)
    ./user.js.tree alias hidden = lib/index.js
"""

CALLS = """
    lib/a.js.start -> lib/a.js.Widget2 constructor (_)
    lib/a.js.start -> lib/a.js.Widget2.open assignment ()
    lib/a.js.start -> lib/widget/index.jsx.Widget.close assignment ()
    lib/a.js.start -> lib/a.js.later local ()
    lib/a.js.Widget2.constructor -> lib/widget/index.jsx.Widget constructor (_)
    lib/a.js.Widget2.constructor -> lib/a.js.Inner constructor ()
    lib/a.js.Widget2.open -> lib/widget/index.jsx.Widget.close mro ()
    lib/a.js.Widget2.open -> lib/widget/index.jsx.Widget.open mro ()
    lib/a.js.Widget2.open -> lib/a.js.Inner.run assignment ()
    lib/a.js.Widget2.open -> lib/a.js.Widget2.missing unresolved ()
    lib/a.js.Widget2.handler -> lib/widget/index.jsx.Widget.close mro (_)
    lib/a.js.later -> lib/a.js.later.nested local ()
    lib/app.js.app.use -> lib/app.js.app.lazy self ()
    lib/app.js.app.lazy -> lib/app.js.app.use local (_)
    lib/app.js.Old -> lib/app.js.Old.go self ()
    lib/app.js.Old.go -> lib/app.js.Old.stop self ()
    lib/index.js.main -> lib/a.js.start import (_)
    lib/index.js -> lib/util.js.pad import (_, _)
    lib/index.js -> lib/util.js.gone unresolved ()
    lib/util.js.join -> lib/util.js.pad local (_)
    lib/util.js.pad -> javascript://fs.readFileSync unresolved (_)
    lib/util.js.strip -> lib/widget/index.jsx.helper import ()
    lib/widget/index.jsx.Widget.close -> lib/widget/index.jsx.Panel local (_)
    ./user.js -> lib/a.js.start import (_)
    ./user.js -> lib/widget/index.jsx.helper import ()
    ./user.js -> ?.main unresolved ()
    ./user.js -> lib/index.js.main import ()
    ./user.js -> lib/app.js.app.use import (_)
    ./user.js -> lib/app.js.extra import ()
    ./user.js -> ?.nothing unresolved ()
    ./user.js -> lib/a.js.start import (*_)
    ./user.js -> lib/a.js.Widget2 constructor (_)
    ./user.js -> lib/a.js.Widget2.open assignment ()
    ./user.js -> ?.uniqueThing unresolved ()
    ./user.js -> ?.stop unresolved ()
    ./user.js -> ?.push unresolved (_)
    ./user.js -> builtins.describe unresolved (_, _)
    ./user.js -> lib/a.js.start import ()
"""

OTHERS = """
    import lib/a.js -> lib/widget/index.jsx import
    import lib/a.js -> lib/widget/index.jsx.Widget import
    inherit lib/a.js.Widget2 -> lib/widget/index.jsx.Widget import
    override lib/a.js.Widget2.open -> lib/widget/index.jsx.Widget.open mro
    import lib/app.js -> lib/app.js.app import
    import lib/index.js -> lib/a.js import
    import lib/index.js -> lib/widget/index.jsx import
    import lib/index.js -> lib/widget/index.jsx.Widget import
    import lib/index.js -> lib/widget/index.jsx.helper import
    import lib/index.js -> lib/index.js.main import
    import lib/index.js -> lib/util.js import
    import lib/index.js -> lib/a.js.start import
    import lib/util.js -> javascript://fs unresolved
    import lib/util.js -> lib/widget/index.jsx import
    import lib/util.js -> lib/widget/index.jsx.helper import
    import lib/util.js -> lib/util.js.strip import
    import lib/widget/index.jsx -> lib/widget/index.jsx.Widget import
    import ./user.js -> lib/index.js import
    import ./user.js -> lib/app.js import
    import ./user.js -> lib/a.js import
    import ./user.js -> lib/a.js.start import
    import ./user.js -> lib/a.js.Widget2 import
"""


@pytest.fixture(scope="module")
def graph(link_tree):
    return link_tree(TREE)


def test_symbols(graph, as_lines):
    assert as_lines.symbols(graph) == as_lines.of(SYMBOLS)


def test_calls(graph, as_lines):
    assert as_lines.edges(graph, "call") == as_lines.of(CALLS)


def test_other_edges(graph, as_lines):
    kinds = ("import", "inherit", "override", "decorate")
    assert as_lines.edges(graph, *kinds) == as_lines.of(OTHERS)
