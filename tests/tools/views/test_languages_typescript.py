"""TypeScript: types, overloads, namespaces, re-exports, TSX."""

from __future__ import annotations

import pytest

TREE = {
    "src/types.d.ts": """\
export interface Opts { depth?: number; run(a: string): Thing }
declare global { interface Window { x: string } }
export declare function over(a: string): void;
export declare function over(a: number, b?: string): void;
""",
    "src/app.ts": """\
import type { Opts } from './types'
import { over } from './types.js'
import def, { Kind as K, type Thing } from '@/nowhere'
export type Alias = Service<string>
export enum Color { Red, Green = 2 }
export abstract class Service<T> implements Opts {
  constructor(private readonly store: Store, protected opts?: Opts) { over('x') }
  abstract fetch(id: string): Promise<Store>
  async load(id: string, ...more: T[]): Promise<void> {
    const s = await this.fetch(id)
    s.put(1)
    this.store.put(2)
    this.opts?.run('a')
    Service.create().load('b')
    Color.Red
  }
  static create(): Service<string> { return null! }
  private hidden(): void {}
}
class Store { put(x: number): this { return this } }
export namespace Inner { export function deep(): Store { return new Store() } }
export const make = (opts: Opts = {}): Alias => { Inner.deep().put(1); return null! }
function generic<Thing>(x: Thing): Thing { return x }
function a(x: string): void
function a(x: number): void
function a(x: any) { make().load('c') }
export default make
""",
    "src/index.ts": "export * from './app'; export { default } from './app'; export * as ns from './app'",
    "src/use.tsx": """\
import make, { ns, Service, Color } from '.'
import * as all from './index'
export class Sub extends Service<number> { fetch(id: string) { return super.load(id) } }
const v = <T,>(x: T) => <Box kind={Color.Green}>{make()}</Box>
all.Inner.deep(); ns.make()
function f(s: Sub | null, t: Service<string>) { s.load(''); t.load(''); }
""",
}

SYMBOLS = """
    src/app.ts module public
    src/app.ts.Alias type public
    src/app.ts.Color class public
    src/app.ts.Color.Green constant public
    src/app.ts.Color.Red constant public
    src/app.ts.Inner module public
    src/app.ts.Inner.deep function public () -> Store
    src/app.ts.K alias hidden = typescript://@/nowhere.Kind
    src/app.ts.Opts alias hidden = src/types.d.ts.Opts
    src/app.ts.Service class public (store: Store, opts: Opts = undefined) (Opts)
    src/app.ts.Service.constructor method public (store: Store, opts: Opts = undefined)
    src/app.ts.Service.create method public () -> Service<string>
    src/app.ts.Service.fetch method public (id: string) -> Promise<Store>
    src/app.ts.Service.hidden method hidden () -> void
    src/app.ts.Service.load method public (id: string, *more: T[]) -> Promise<void>
    src/app.ts.Store class hidden
    src/app.ts.Store.put method hidden (x: number) -> this
    src/app.ts.Thing alias hidden = typescript://@/nowhere.Thing
    src/app.ts.a function hidden (x: any)
    src/app.ts.def alias hidden = typescript://@/nowhere.default
    src/app.ts.default alias public = src/app.ts.make
    src/app.ts.generic function hidden (x: Thing) -> Thing
    src/app.ts.make function public (opts: Opts = {}) -> Alias
    src/app.ts.over alias hidden = src/types.d.ts.over
    src/index.ts module public
    src/index.ts.default alias public = src/app.ts.default
    src/index.ts.ns alias public = src/app.ts
    src/types.d.ts module public
    src/types.d.ts.Opts interface public
    src/types.d.ts.Opts.depth constant public
    src/types.d.ts.Opts.run method public (a: string) -> Thing
    src/types.d.ts.Window interface hidden
    src/types.d.ts.Window.x constant hidden
    src/types.d.ts.over function public (a: number, b: string = undefined) -> void
    src/use.tsx module public
    src/use.tsx.Color alias hidden = src/app.ts.Color
    src/use.tsx.Service alias hidden = src/app.ts.Service
    src/use.tsx.Sub class public (Service)
    src/use.tsx.Sub.fetch method public (id: string)
    src/use.tsx.all alias hidden = src/index.ts
    src/use.tsx.f function hidden (s: Sub | null, t: Service<string>)
    src/use.tsx.make alias hidden = src/index.ts.default
    src/use.tsx.ns alias hidden = src/index.ts.ns
    src/use.tsx.v function hidden (x: T)
"""

CALLS = """
    src/app.ts.Service.constructor -> src/types.d.ts.over import (_)
    src/app.ts.Service.load -> src/app.ts.Service.fetch self (_)
    src/app.ts.Service.load -> src/app.ts.Store.put return (_)
    src/app.ts.Service.load -> src/app.ts.Store.put annotation (_)
    src/app.ts.Service.load -> src/types.d.ts.Opts.run annotation (_)
    src/app.ts.Service.load -> src/app.ts.Service.create local ()
    src/app.ts.Service.load -> src/app.ts.Service.load return (_)
    src/app.ts.Inner.deep -> src/app.ts.Store constructor ()
    src/app.ts.make -> src/app.ts.Inner.deep local ()
    src/app.ts.make -> src/app.ts.Store.put return (_)
    src/app.ts.a -> src/app.ts.make local ()
    src/app.ts.a -> src/app.ts.Service.load return (_)
    src/use.tsx.Sub.fetch -> src/app.ts.Service.load mro (_)
    src/use.tsx.v -> src/use.tsx.Box unresolved (_)
    src/use.tsx.v -> src/app.ts.make import ()
    src/use.tsx -> src/app.ts.Inner.deep import ()
    src/use.tsx -> src/app.ts.make import ()
    src/use.tsx.f -> src/app.ts.Service.load annotation (_)
    src/use.tsx.f -> src/app.ts.Service.load annotation (_)
"""

OTHERS = """
    import src/app.ts -> src/types.d.ts import
    import src/app.ts -> src/types.d.ts.Opts import
    import src/app.ts -> src/types.d.ts.over import
    import src/app.ts -> typescript://@/nowhere unresolved
    import src/app.ts -> typescript://@/nowhere.default unresolved
    import src/app.ts -> typescript://@/nowhere.Kind unresolved
    import src/app.ts -> typescript://@/nowhere.Thing unresolved
    reference src/app.ts.Alias -> src/app.ts.Service local
    inherit src/app.ts.Service -> src/types.d.ts.Opts import
    reference src/app.ts.Service.constructor -> src/app.ts.Store local
    reference src/app.ts.Service.constructor -> src/types.d.ts.Opts import
    reference src/app.ts.Service.fetch -> src/app.ts.Store local
    reference src/app.ts.Service.load -> src/app.ts.Service local
    reference src/app.ts.Service.load -> src/app.ts.Color local
    reference src/app.ts.Service.load -> src/app.ts.Color.Red local
    reference src/app.ts.Service.create -> src/app.ts.Service local
    reference src/app.ts.Inner.deep -> src/app.ts.Store local
    reference src/app.ts.make -> src/types.d.ts.Opts import
    reference src/app.ts.make -> src/app.ts.Alias local
    import src/app.ts -> src/app.ts.make import
    reference src/app.ts -> src/app.ts.make local
    import src/index.ts -> src/app.ts import
    import src/index.ts -> src/app.ts.make import
    import src/use.tsx -> src/app.ts.make import
    import src/use.tsx -> src/index.ts import
    import src/use.tsx -> src/app.ts import
    import src/use.tsx -> src/app.ts.Service import
    import src/use.tsx -> src/app.ts.Color import
    inherit src/use.tsx.Sub -> src/app.ts.Service import
    override src/use.tsx.Sub.fetch -> src/app.ts.Service.fetch mro
    reference src/use.tsx.v -> src/app.ts.Color import
    reference src/use.tsx.v -> src/app.ts.Color.Green import
    reference src/use.tsx.f -> src/use.tsx.Sub local
    reference src/use.tsx.f -> src/app.ts.Service import
"""


@pytest.fixture(scope="module")
def graph(link_tree):
    return link_tree(TREE)


def test_symbols(graph, as_lines):
    assert as_lines.symbols(graph) == as_lines.of(SYMBOLS)


def test_calls(graph, as_lines):
    assert as_lines.edges(graph, "call") == as_lines.of(CALLS)


def test_other_edges(graph, as_lines):
    kinds = ("import", "inherit", "override", "reference")
    assert as_lines.edges(graph, *kinds) == as_lines.of(OTHERS)
