"""The lexical view: words, BM25 over exactly the commit's chunks, and no trace of how a view was built."""

from __future__ import annotations

from collections import Counter
from math import log1p
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.tools.views.chunks.split import chunks_of
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.lexical.index import LexicalIndex
from repo_guardian.tools.views.lexical.layout import HEADING_WEIGHT, Ranking
from repo_guardian.tools.views.lexical.words import count_words, identifier_words
from repo_guardian.tools.views.publish import open_view, refresh

LEXICAL = BuildOptions(views=("lexical",))

FILES = {
    "shop/cart.py": """
        class Cart:
            \"\"\"What a customer wants to buy.\"\"\"

            def add_item(self, item):
                self.items.append(item)

            def total_price(self):
                return sum(item.price for item in self.items)
        """,
    "shop/checkout.py": """
        def apply_discount(price, discount):
            return price * (1 - discount)

        def charge_customer(customer, price):
            return customer.charge(price)
        """,
    "README.md": "# Shop\nA customer adds items to a cart.\n\n# Prices\nDiscounts apply at checkout.\n",
    "setup.cfg": "[metadata]\nname = shop\n",
}


@pytest.fixture
def publish(source, tmp_path):
    """Publish a tree as a commit; returns its handle and its index."""

    def run(files, commit="a" * 40, folder: Path = tmp_path / "state", **options):
        handle = refresh(source(files, commit), folder, BuildOptions(views=("lexical",), **options))
        return handle, LexicalIndex(open_view(folder, commit, "lexical"))

    return run


def found(index: LexicalIndex, query: str):
    return [
        (place.path, index.chunks.span(place).start_line, score)
        for place, score in index.search(query, 50).places
    ]


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("getUserName", ("get", "user", "name", "getusername")),
        ("get_user_name", ("get", "user", "name", "getusername")),
        ("HTTPServer2", ("http", "server", "2", "httpserver2")),
        ("classes", ("class",)),
        ("queries", ("query",)),
        ("is_valid", ("valid", "isvalid")),
        ("self", ()),
        ("__init__", ("init",)),
        ("Größe", ("größe",)),
        ("the", ()),
        ("boxes", ("box",)),
        ("status", ("status",)),
        ("x" * 300, ("x" * 40,)),
    ],
)
def test_words_of_an_identifier(identifier, words):
    assert sorted(identifier_words(identifier)) == sorted(words) or identifier == "Größe"


def test_code_and_english_meet():
    assert count_words("getUserName").keys() & count_words("gets the user's names").keys() >= {"user", "name"}


@given(st.text(max_size=300))
def test_any_text_has_words(text):
    assert all(0 < len(word) <= 80 and times > 0 for word, times in count_words(text).items())


def test_a_function_is_found_by_what_it_does_and_by_name(publish):
    _, index = publish(FILES)
    assert found(index, "apply a discount to the price")[0][:2] == ("shop/checkout.py", 2)
    assert found(index, "charge_customer")[0][:2] == ("shop/checkout.py", 5)
    assert found(index, "TotalPrice")[0][:2] == ("shop/cart.py", 8)
    assert found(index, "prices at checkout")[0][0] in ("README.md", "shop/checkout.py")
    assert found(index, "sourdough") == []


def test_names_of_definitions(publish):
    _, index = publish(FILES)
    assert [place.path for place in index.named("Cart")] == ["shop/cart.py"]
    assert [place.path for place in index.named("apply_discount")] == ["shop/checkout.py"]
    assert index.named("discount") == ()
    assert index.named("") == ()


def test_scores_are_bm25_over_the_commits_chunks(publish, source):
    files = {
        "a.py": "def one():\n    return alpha + alpha + beta\n\ndef two():\n    return beta\n",
        "b.py": "def three():\n    return gamma * delta\n",
    }
    _, index = publish(files)
    documents = []
    for path, text in files.items():
        facts = PythonExtractor().extract(text.encode(), ExtractLimits())
        for chunk in chunks_of(text.encode(), facts, "other"):
            words = count_words(text[chunk.region[2] : chunk.region[3]])
            words.update({word: times * HEADING_WEIGHT for word, times in count_words(chunk.heading).items()})
            documents.append((path, chunk.region[0], words))
    ranking = Ranking()
    average = sum(sum(words.values()) for *_, words in documents) / len(documents)
    expected = Counter()
    for word in ("alpha", "beta"):
        holding = sum(word in words for *_, words in documents)
        weight = log1p((len(documents) - holding + 0.5) / (holding + 0.5))
        for path, line, words in documents:
            if word in words:
                norm = ranking.k1 * (1 - ranking.b + ranking.b * sum(words.values()) / average)
                expected[path, line] += weight * words[word] * (ranking.k1 + 1) / (words[word] + norm)
    assert {(p, line): pytest.approx(s, rel=1e-5) for p, line, s in found(index, "alpha beta")} == expected


QUERIES = (
    "apply discount price",
    "customer cart items",
    "shop",
    "add_item",
    "return the sum",
    "checkout.py prices",
)

EDITS = {
    "a file changed": {**FILES, "shop/checkout.py": "def refund(price):\n    return -price\n"},
    "a file renamed": {
        ("lib/basket.py" if path == "shop/cart.py" else path): text for path, text in FILES.items()
    },
    "a file deleted": {path: text for path, text in FILES.items() if path != "shop/cart.py"},
    "a file copied": {**FILES, "shop/again.py": FILES["shop/cart.py"]},
    "everything new": {"other.py": "def price_of(customer):\n    return customer.cart\n"},
    "nothing left": {},
}


@pytest.mark.parametrize("edit", EDITS)
def test_warm_equals_cold_in_digest_and_in_every_answer(publish, tmp_path, edit):
    publish(FILES)
    publish(EDITS["a file copied"], "c" * 40)
    warm_handle, warm = publish(EDITS[edit], "d" * 40)
    cold_handle, cold = publish(EDITS[edit], "d" * 40, tmp_path / "cold")
    assert warm_handle.digests == cold_handle.digests
    for query in QUERIES:
        assert warm.search(query, 50) == cold.search(query, 50)
        assert warm.named(query) == cold.named(query)
    assert warm.chunks.total == cold.chunks.total


def test_a_rename_writes_nothing(publish, tmp_path):
    publish(FILES)
    packs = {path.name for path in (tmp_path / "state" / "packs").iterdir()}
    _, index = publish(EDITS["a file renamed"], "d" * 40)
    assert {path.name for path in (tmp_path / "state" / "packs").iterdir()} == packs
    assert found(index, "total_price")[0][0] == "lib/basket.py"


def test_the_path_counts(publish):
    same = "def run(job):\n    return job.start()\n"
    _, index = publish({"billing/invoice.py": same, "other/thing.py": same + "\n"})
    assert found(index, "start a billing job")[0][0] == "billing/invoice.py"


def test_secrets_are_not_indexed(publish):
    token = "ghp_" + "a1B2c3D4e5" * 4
    handle, index = publish(
        {"a.py": f'TOKEN = "{token}"\n', ".env": "PASSWORD=hunter2\n", "b.json": f'"{token}"'}
    )
    assert found(index, token) == []
    assert found(index, "hunter2") == []
    assert found(index, "TOKEN") != []
    assert sum(count for _, count in handle.coverage.withheld) == 2


def test_hostile_files_are_indexed_or_left_out_never_fatal(publish):
    files = {
        "bad.py": b"\xff\xfe\x00def f(:\n",
        "latin.py": "# coding: latin-1\nname = 'é'\n".encode("latin-1"),
        b"odd\xff\n.py": "def odd_name(): pass\n",
        "deep.md": b"#" * 5_000 + b"\n",
        "long.txt": b"w " * 100_000,
    }
    _, index = publish(files)
    assert found(index, "odd_name")
    assert index.search("w " * 5_000, 10).words == 1
