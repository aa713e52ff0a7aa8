"""Search over a commit: what is found, under which symbol, by which route, and when nothing is."""

from __future__ import annotations

import ast
import email
import json
from pathlib import Path

import pytest

from repo_guardian.errors import ViewMissingError
from repo_guardian.tools.retrieval.interface import Route, SearchLimits
from repo_guardian.tools.retrieval.naming import names_in
from repo_guardian.tools.retrieval.search import search
from repo_guardian.tools.retrieval.views import open_commit

OFF_TOPIC = Path(__file__).parents[3] / "benchmarks" / "retrieval_offtopic.txt"


@pytest.mark.parametrize(
    ("query", "symbol"),
    [
        ("put an item into the cart", "shop.cart.Cart.add_item"),
        ("take money from an account", "shop.checkout.charge"),
        ("apply_discount", "shop.checkout.apply_discount"),
        ("Cart.total_price", "shop.cart.Cart.total_price"),
        ("Receipt.total_price", "shop.checkout.Receipt.total_price"),
        ("mail a receipt to an address", "shop.mail.send_receipt"),
    ],
)
def test_what_is_meant_comes_first(shop, query, symbol):
    result = search(shop, query)
    assert result.reason == ""
    assert result.hits[0].symbol == symbol


def test_a_hit_says_where_what_and_how(shop):
    result = search(shop, "put an item into the cart")
    hit = result.hits[0]
    assert (result.commit, hit.path) == ("a" * 40, "shop/cart.py")
    assert hit.span.end_line - hit.span.start_line == 2
    assert {score.route for score in hit.scores} == {Route.LEXICAL, Route.VECTOR}
    assert [score.rank for score in hit.scores] == sorted(score.rank for score in hit.scores)
    assert [h.score for h in result.hits] == sorted((h.score for h in result.hits), reverse=True)
    assert result.total >= len(result.hits)
    assert result.withheld == 1


def test_symbols_of_modules_classes_and_prose(shop):
    symbols = {
        hit.symbol for hit in search(shop, "customer cart items price discount", SearchLimits(50)).hits
    }
    assert {"shop.cart", "shop.cart.Cart", None} <= symbols


def test_a_name_comes_by_the_graph_route_and_routes_can_be_chosen(shop):
    named = search(shop, "who calls total_price").hits[0]
    assert Route.GRAPH in {score.route for score in named.scores}
    for route in Route:
        hits = search(shop, "total_price", routes=(route,)).hits
        assert hits
        assert {score.route for hit in hits for score in hit.scores} == {route}


def test_limits(shop):
    assert len(search(shop, "cart", SearchLimits(hits=2)).hits) == 2
    assert search(shop, "cart", SearchLimits(candidates=1)).total <= 3


@pytest.mark.parametrize("query", ["", "   ", "?!", "the of and", "\udcff\x00", "zxqv wplk mnbrt"])
def test_queries_without_a_word_that_occurs(shop, query):
    result = search(shop, query)
    assert result.hits == ()
    assert result.reason


def test_an_empty_commit(publish, tmp_path):
    assert search(publish({}, tmp_path), "anything at all").hits == ()


def test_a_view_that_is_not_there(publish, tmp_path):
    with pytest.raises(ViewMissingError):
        open_commit(tmp_path, "f" * 40)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("how does Session.execute work", [("Session", "execute")]),
        ("get_bind", [("get_bind",)]),
        ("pool", [("pool",)]),
        ("the connection pool", []),
        ("HttpClient retries", [("HttpClient",)]),
        ("std::vector", [("std", "vector")]),
        ("a#b", [("a", "b")]),
    ],
)
def test_names_in_a_query(query, names):
    assert list(names_in(query)) == names


@pytest.fixture(scope="module")
def real_package(publish, tmp_path_factory):
    """The standard library's ``email`` and ``json``, with the first sentences of their docstrings."""
    files, questions = {}, []
    for package in (email, json):
        folder = Path(package.__file__).parent
        for place in sorted(folder.rglob("*.py")):
            path = f"{package.__name__}/{place.relative_to(folder).as_posix()}"
            source = place.read_text(encoding="utf-8")
            files[path] = source
            for node in ast.walk(ast.parse(source)):
                text = isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
                if text and len(text.split()) > 4:
                    questions.append((" ".join(text.split("\n\n")[0].split()), path, node.lineno))
    return publish(files, tmp_path_factory.mktemp("real")), questions


def test_off_topic_queries_come_back_empty_and_real_ones_do_not(real_package):
    views, questions = real_package
    off_topic = OFF_TOPIC.read_text(encoding="utf-8").splitlines()
    empty = [query for query in off_topic if not search(views, query).hits]
    assert len(off_topic) == 200
    assert len(empty) >= 0.95 * len(off_topic)
    answered = [path for query, path, _ in questions if search(views, query).hits]
    assert len(answered) >= 0.99 * len(questions)


def test_docstrings_find_their_functions(real_package):
    views, questions = real_package
    found = 0
    for query, path, line in questions:
        hits = search(views, query).hits
        found += any(h.path == path and h.span.start_line <= line <= h.span.end_line for h in hits)
    assert found >= 0.9 * len(questions)


def test_answers_do_not_depend_on_what_was_built_before(publish, tmp_path):
    before = {f"old/m{number}.py": f"def cart_{number}(item):\n    return item\n" for number in range(30)}
    after = {**dict(list(before.items())[5:20]), "new.py": "def price_of(cart):\n    return cart.price\n"}
    publish(before, tmp_path / "warm", "b" * 40)
    warm = publish(after, tmp_path / "warm", "c" * 40)
    cold = publish(after, tmp_path / "cold", "c" * 40)
    for query in ("price of a cart", "cart_7", "return the item", "sourdough bread"):
        assert search(warm, query) == search(cold, query)
