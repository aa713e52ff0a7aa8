"""Go: packages, methods in several files, embedding, receivers, results."""

from __future__ import annotations

import pytest

TREE = {
    "go.mod": """\
module example.org/app/v2

go 1.22
""",
    "main.go": """\
package main

import (
	"fmt"
	"example.org/app/v2/internal/store"
	api "example.org/app/v2/go-api"
	. "example.org/app/v2/dots"
)

const Limit = 10

type Server struct {
	*Base
	Store store.Store
	hooks []func(int)
	log   Logger
}

type Logger interface {
	fmt.Stringer
	Log(format string, args ...any) error
}

func NewServer(s store.Store) (*Server, error) {
	fmt.Println(Limit)
	return &Server{Store: s}, nil
}

func (s *Server) Serve(addr string, retries int) error {
	s.start()
	s.log.Log("x", addr)
	s.Store.Put("k", s.helper())
	s.hooks[0](1)
	for _, h := range s.hooks {
		h(1)
	}
	go func(n int) { s.start() }(2)
	defer s.stop()
	Dotted()
	c, err := api.Connect(pair())
	c.Close()
	x := api.Client{}
	x.Ping()
	var y api.Client
	y.Ping()
	if z := api.New(); z != nil {
		z.Ping()
	}
	_ = err
	unknown.thing.uniqueOne()
	return Gone()
}

func (s *Server) helper() string { return string(Limit) }

func pair() (int, int) { return 1, 2 }
""",
    "base.go": """\
package main

type Base struct{}

func (b *Base) start() {}
func (s *Server) stop() { s.start() }
func generic[T any](x T) *Box[T] { return &Box[T]{} }
type Box[T any] struct{ v T }
func (b Box[T]) Get() T { return b.v }
func use() { generic(1).Get() }
""",
    "main_test.go": """\
package main

import "testing"

func TestServe(t *testing.T) { s, _ := NewServer(nil); s.Serve("a", 1); t.Log(1) }
""",
    "internal/store/store.go": """\
package store

type Store interface { Put(k string, v string) }

type memory map[string]string

func (m memory) Put(k, v string) { m[k] = v }

func Open() Store { return memory{} }
""",
    "go-api/client.go": """\
package api

type Client struct{}
type Alias = Client

func New() *Alias { return nil }
func Connect(a, b int) (*Client, error) { return nil, nil }
func (c *Client) Ping() {}
func (c *Client) Close() error { c.uniqueOne(); return nil }
func (c *Client) uniqueOne() {}
""",
    "dots/d.go": """\
package dots

func Dotted() {}
""",
}

SYMBOLS = """
    ./base.go module public
    ./base.go.Base class public
    ./base.go.Base.start method hidden ()
    ./base.go.Box class public
    ./base.go.Box.Get method public () -> T
    ./base.go.Box.v constant hidden
    ./base.go.Server.stop method hidden ()
    ./base.go.generic function hidden (x: T) -> *Box[T]
    ./base.go.use function hidden ()
    dots/d.go module public
    dots/d.go.Dotted function public ()
    go-api/client.go module public
    go-api/client.go.Alias type public
    go-api/client.go.Client class public
    go-api/client.go.Client.Close method public () -> error
    go-api/client.go.Client.Ping method public ()
    go-api/client.go.Client.uniqueOne method hidden ()
    go-api/client.go.Connect function public (a: int, b: int) -> (*Client, error)
    go-api/client.go.New function public () -> *Alias
    internal/store/store.go module public
    internal/store/store.go.Open function hidden () -> Store
    internal/store/store.go.Store interface hidden
    internal/store/store.go.Store.Put method hidden (k: string, v: string)
    internal/store/store.go.memory type hidden
    internal/store/store.go.memory.Put method hidden (k: string, v: string)
    ./main.go module public
    ./main.go.Limit constant public
    ./main.go.Logger interface public (fmt.Stringer)
    ./main.go.Logger.Log method public (format: string, *args: any) -> error
    ./main.go.NewServer function public (s: store.Store) -> (*Server, error)
    ./main.go.Server class public (Base)
    ./main.go.Server.Base constant public
    ./main.go.Server.Serve method public (addr: string, retries: int) -> error
    ./main.go.Server.Store constant public
    ./main.go.Server.helper method hidden () -> string
    ./main.go.Server.hooks constant hidden
    ./main.go.Server.log constant hidden
    ./main.go.pair function hidden () -> (int, int)
    ./main_test.go module hidden
    ./main_test.go.TestServe function hidden (t: *testing.T)
"""

CALLS = """
    ./base.go.Server.stop -> ./base.go.Base.start annotation ()
    ./base.go.use -> ./base.go.generic local (_)
    ./base.go.use -> ./base.go.Box.Get return ()
    go-api/client.go.Client.Close -> go-api/client.go.Client.uniqueOne annotation ()
    ./main.go.NewServer -> go://fmt.Println unresolved (_)
    ./main.go.Server.Serve -> ./base.go.Base.start annotation ()
    ./main.go.Server.Serve -> ./main.go.Logger.Log annotation (_, _)
    ./main.go.Server.Serve -> internal/store/store.go.Store.Put annotation (_, _)
    ./main.go.Server.Serve -> ./main.go.Server.helper annotation ()
    ./main.go.Server.Serve -> ./base.go.Base.start annotation ()
    ./main.go.Server.Serve -> ./base.go.Server.stop annotation ()
    ./main.go.Server.Serve -> dots/d.go.Dotted import ()
    ./main.go.Server.Serve -> go-api/client.go.Connect import (*_)
    ./main.go.Server.Serve -> ./main.go.pair local ()
    ./main.go.Server.Serve -> go-api/client.go.Client.Close return ()
    ./main.go.Server.Serve -> go-api/client.go.Client.Ping assignment ()
    ./main.go.Server.Serve -> go-api/client.go.Client.Ping annotation ()
    ./main.go.Server.Serve -> go-api/client.go.New import ()
    ./main.go.Server.Serve -> go-api/client.go.Client.Ping return ()
    ./main.go.Server.Serve -> ?.uniqueOne unresolved ()
    ./main.go.Server.Serve -> ./main.go.Gone unresolved ()
    ./main.go.Server.helper -> builtins.string unresolved (_)
    ./main_test.go.TestServe -> ./main.go.NewServer name (_)
    ./main_test.go.TestServe -> ./main.go.Server.Serve return (_, _)
    ./main_test.go.TestServe -> go://testing.T.Log unresolved (_)
"""

OTHERS = """
    reference ./base.go.generic -> ./base.go.Box local
    reference ./base.go.Box.Get -> ./base.go.Box.v annotation
    reference go-api/client.go.Alias -> go-api/client.go.Client local
    reference go-api/client.go.New -> go-api/client.go.Alias local
    reference go-api/client.go.Connect -> go-api/client.go.Client local
    reference internal/store/store.go.Open -> internal/store/store.go.Store local
    reference internal/store/store.go.Open -> internal/store/store.go.memory local
    import ./main.go -> go://fmt unresolved
    import ./main.go -> internal/store/store.go import
    import ./main.go -> go-api/client.go import
    import ./main.go -> dots/d.go import
    inherit ./main.go.Server -> ./base.go.Base name
    reference ./main.go.Server -> internal/store/store.go.Store import
    reference ./main.go.Server -> ./main.go.Logger local
    inherit ./main.go.Logger -> go://fmt.Stringer unresolved
    reference ./main.go.NewServer -> internal/store/store.go.Store import
    reference ./main.go.NewServer -> ./main.go.Server local
    reference ./main.go.NewServer -> ./main.go.Limit local
    reference ./main.go.Server.Serve -> ./main.go.Server.hooks annotation
    reference ./main.go.Server.Serve -> go-api/client.go.Client import
    reference ./main.go.Server.helper -> ./main.go.Limit local
    import ./main_test.go -> go://testing unresolved
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
