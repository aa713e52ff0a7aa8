"""Java: packages, nested classes, overloads, static imports, enums, records."""

from __future__ import annotations

import pytest

TREE = {
    "ex/Shop.java": """\
package org.ex;

import java.util.*;
import org.ex.model.Item;
import org.ex.model.Item.Builder;
import static org.ex.util.Texts.pad;
import static org.ex.util.Texts.*;

@Deprecated
public class Shop<T extends Item> extends Base implements Sink, Comparable<Shop> {
    private final List<T> items = new ArrayList<>();
    protected Item first;
    public static final int LIMIT = 10;
    private Handler handler = new Handler() {
        @Override public void handle(String s) { put(null); handle(s); }
    };

    public Shop(Item first) { this(first, 1); }
    Shop(Item first, int n) { super(n); this.first = first; }

    public <U> U put(Item item, String... names) throws Oops {
        items.add(null);
        first.price(1).rename("x");
        this.first.price(2);
        base(3);
        super.base(4);
        pad("x", 1); trim("y");
        Item made = new Builder().name("n").build();
        made.price(3);
        var copy = made.rename("z");
        copy.price(4);
        Inner in = new Inner();
        in.touch();
        Kind.BIG.weight();
        Item.Builder.fresh();
        org.ex.util.Texts.trim("q");
        Runnable r = () -> accept(item);
        items.forEach(this::accept);
        for (Item each : list()) { each.price(5); }
        if (item instanceof Item other) { other.price(6); }
        Object o = item; o.uniqueJob(); o.toString();
        ((Item) o).price(7);
        return null;
    }
    private void accept(Item i) {}
    List<Item> list() { return null; }
    @Override public int compareTo(Shop o) { return 0; }
    class Inner { void touch() { accept(first); outerOnly(); } void outerOnly() {} }
    enum Kind {
        SMALL(1), BIG(2) { int weight() { return 3; } };
        Kind(int w) {}
        int weight() { return 1; }
    }
    record Pair(Item left, int right) { Pair { check(left); } static void check(Item i) {} }
}
""",
    "ex/Base.java": """\
package org.ex;
abstract class Base {
  Base(int n) {}
  void base(int x) {}
  protected void sink(Item2 i) { i.gone(); }
  public int compareTo(Shop o) { return 1; }
}
class Item2 {}
""",
    "ex/Sink.java": """\
package org.ex;
public interface Sink { int MAX = 1; void base(int x); default void flush() { base(MAX); } }
""",
    "ex/model/Item.java": """\
package org.ex.model;
public class Item {
  public Item price(int p) { return this; }
  public Item price(int p, String c) { return this; }
  public Item rename(String n) { uniqueJob(); return this; }
  void uniqueJob() {}
  public static class Builder {
    public Builder name(String n) { return this; }
    public Item build() { return new Item(); }
    static Builder fresh() { return new Builder(); }
  }
}
""",
    "ex/util/Texts.java": """\
package org.ex.util;
public final class Texts {
  private Texts() {}
  public static String pad(String s, int n) { return s; }
  public static String trim(String s) { return s; }
}
""",
}

SYMBOLS = """
    ex/Base.java module public
    ex/Base.java.Base class hidden (n: int)
    ex/Base.java.Base.<init> method hidden (n: int)
    ex/Base.java.Base.base method hidden (x: int) -> void
    ex/Base.java.Base.compareTo method hidden (o: Shop) -> int
    ex/Base.java.Base.sink method hidden (i: Item2) -> void
    ex/Base.java.Item2 class hidden
    ex/Shop.java module public
    ex/Shop.java.Shop class public (first: Item, n: int) (Base, Sink, Comparable<Shop>)
    ex/Shop.java.Shop.<init> method hidden (first: Item, n: int)
    ex/Shop.java.Shop.Inner class hidden
    ex/Shop.java.Shop.Inner.outerOnly method hidden () -> void
    ex/Shop.java.Shop.Inner.touch method hidden () -> void
    ex/Shop.java.Shop.Kind class hidden (w: int)
    ex/Shop.java.Shop.Kind.<init> method hidden (w: int)
    ex/Shop.java.Shop.Kind.BIG constant hidden
    ex/Shop.java.Shop.Kind.SMALL constant hidden
    ex/Shop.java.Shop.Kind.weight method hidden () -> int
    ex/Shop.java.Shop.LIMIT constant public
    ex/Shop.java.Shop.Pair class hidden (left: Item, right: int)
    ex/Shop.java.Shop.Pair.<init> method hidden (left: Item, right: int)
    ex/Shop.java.Shop.Pair.check method hidden (i: Item) -> void
    ex/Shop.java.Shop.Pair.left constant hidden
    ex/Shop.java.Shop.Pair.right constant hidden
    ex/Shop.java.Shop.accept method hidden (i: Item) -> void
    ex/Shop.java.Shop.compareTo method public (o: Shop) -> int
    ex/Shop.java.Shop.first constant public
    ex/Shop.java.Shop.handler constant hidden
    ex/Shop.java.Shop.items constant hidden
    ex/Shop.java.Shop.list method hidden () -> List<Item>
    ex/Shop.java.Shop.put method public (item: Item, *names: String) -> U
    ex/Sink.java module public
    ex/Sink.java.Sink interface public
    ex/Sink.java.Sink.MAX constant public
    ex/Sink.java.Sink.base method public (x: int) -> void
    ex/Sink.java.Sink.flush method public () -> void
    ex/model/Item.java module public
    ex/model/Item.java.Item class public
    ex/model/Item.java.Item.Builder class public
    ex/model/Item.java.Item.Builder.build method public () -> Item
    ex/model/Item.java.Item.Builder.fresh method hidden () -> Builder
    ex/model/Item.java.Item.Builder.name method public (n: String) -> Builder
    ex/model/Item.java.Item.price method public (p: int, c: String) -> Item
    ex/model/Item.java.Item.rename method public (n: String) -> Item
    ex/model/Item.java.Item.uniqueJob method hidden () -> void
    ex/util/Texts.java module public
    ex/util/Texts.java.Texts class public ()
    ex/util/Texts.java.Texts.<init> method hidden ()
    ex/util/Texts.java.Texts.pad method public (s: String, n: int) -> String
    ex/util/Texts.java.Texts.trim method public (s: String) -> String
"""

CALLS = """
    ex/Base.java.Base.sink -> ex/Base.java.Item2.gone unresolved ()
    ex/Shop.java.Shop -> ex/Shop.java.ArrayList unresolved ()
    ex/Shop.java.Shop -> ex/Shop.java.Handler unresolved ()
    ex/Shop.java.Shop -> ex/Shop.java.Shop.put local (_)
    ex/Shop.java.Shop.<init> -> ex/Shop.java.Shop constructor (_, _)
    ex/Shop.java.Shop.<init> -> ex/Base.java.Base constructor (_)
    ex/Shop.java.Shop.put -> ?.add unresolved (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price annotation (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.rename return (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price annotation (_)
    ex/Shop.java.Shop.put -> ex/Base.java.Base.base mro (_)
    ex/Shop.java.Shop.put -> ex/Base.java.Base.base mro (_)
    ex/Shop.java.Shop.put -> ex/util/Texts.java.Texts.pad import (_, _)
    ex/Shop.java.Shop.put -> ex/util/Texts.java.Texts.trim import (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.Builder constructor ()
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.Builder.name assignment (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.Builder.build return ()
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price annotation (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.rename annotation (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price return (_)
    ex/Shop.java.Shop.put -> ex/Shop.java.Shop.Inner constructor ()
    ex/Shop.java.Shop.put -> ex/Shop.java.Shop.Inner.touch annotation ()
    ex/Shop.java.Shop.put -> ex/Shop.java.Shop.Kind.weight annotation ()
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.Builder.fresh import ()
    ex/Shop.java.Shop.put -> ex/util/Texts.java.Texts.trim import (_)
    ex/Shop.java.Shop.put -> ex/Shop.java.Shop.accept local (_)
    ex/Shop.java.Shop.put -> ?.forEach unresolved (_)
    ex/Shop.java.Shop.put -> ex/Shop.java.Shop.list local ()
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price annotation (_)
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price annotation (_)
    ex/Shop.java.Shop.put -> ?.uniqueJob unresolved ()
    ex/Shop.java.Shop.put -> ?.toString unresolved ()
    ex/Shop.java.Shop.put -> ex/model/Item.java.Item.price import (_)
    ex/Shop.java.Shop.Inner.touch -> ex/Shop.java.Shop.accept local (_)
    ex/Shop.java.Shop.Inner.touch -> ex/Shop.java.Shop.Inner.outerOnly local ()
    ex/Shop.java.Shop.Kind -> ex/Shop.java.Shop.Kind constructor (_)
    ex/Shop.java.Shop.Kind -> ex/Shop.java.Shop.Kind constructor (_)
    ex/Shop.java.Shop.Pair.<init> -> ex/Shop.java.Shop.Pair.check local (_)
    ex/Sink.java.Sink.flush -> ex/Sink.java.Sink.base local (_)
    ex/model/Item.java.Item.rename -> ex/model/Item.java.Item.uniqueJob local ()
    ex/model/Item.java.Item.Builder.build -> ex/model/Item.java.Item constructor ()
    ex/model/Item.java.Item.Builder.fresh -> ex/model/Item.java.Item.Builder constructor ()
"""

OTHERS = """
    import ex/Shop.java -> java://java.util unresolved
    import ex/Shop.java -> ex/model/Item.java.Item import
    import ex/Shop.java -> java://org.ex.model unresolved
    import ex/Shop.java -> ex/model/Item.java.Item.Builder import
    import ex/Shop.java -> ex/util/Texts.java.Texts import
    import ex/Shop.java -> ex/util/Texts.java.Texts.pad import
    inherit ex/Shop.java.Shop -> ex/Base.java.Base name
    inherit ex/Shop.java.Shop -> ex/Sink.java.Sink name
    override ex/Shop.java.Shop.compareTo -> ex/Base.java.Base.compareTo mro
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
