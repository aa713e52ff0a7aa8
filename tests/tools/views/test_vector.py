"""The vector view: what is embedded, what is kept, what it finds, and that a warm build equals a cold one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from repo_guardian.tools.views.builders import Kept
from repo_guardian.tools.views.interface import BuildOptions
from repo_guardian.tools.views.publish import open_view, refresh
from repo_guardian.tools.views.vector.builder import VectorBuilder
from repo_guardian.tools.views.vector.index import VectorIndex
from repo_guardian.tools.views.vector.interface import EmbedderOptions, Passage
from repo_guardian.tools.views.vector.layout import quantize
from repo_guardian.tools.views.vector.registry import embedder, options_from
from repo_guardian.tools.views.vector.wordllama import WordLlamaEmbedder

PASSAGES = [
    Passage("Cart.add_item", "def add_item(self, item):\n    self.items.append(item)"),
    Passage("charge_customer", "def charge_customer(customer, amount):\n    bank.withdraw(customer, amount)"),
    Passage("parse_header", "def parse_header(line):\n    name, _, value = line.partition(':')"),
    Passage("", ""),
]

FILES = {
    "cart.py": "def add_item(cart, item):\n    cart.append(item)\n\ndef price(cart):\n    return sum(cart)\n",
    "http.py": "def parse_header(line):\n    return line.partition(':')\n",
    "README.md": "# Payments\nCustomers pay by credit card.\n",
}


class Counting(WordLlamaEmbedder):
    """The real model, and what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.passages: list[Passage] = []

    def embed(self, passages):
        self.passages += passages
        return super().embed(passages)


@pytest.fixture(scope="module")
def model():
    return WordLlamaEmbedder()


def test_vectors_have_length_one_and_texts_without_words_have_none(model):
    vectors = model.embed(PASSAGES)
    assert vectors.shape == (4, model.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0], abs=1e-5)


def test_a_passage_has_the_same_vector_whatever_stands_beside_it(model):
    together = model.embed(PASSAGES)
    for passage, vector in zip(PASSAGES, together, strict=True):
        assert (WordLlamaEmbedder().embed([passage])[0] == vector).all()


def test_meaning_without_a_shared_word(model):
    cosines = model.embed(PASSAGES) @ model.embed_query("take money from a client's account")
    assert int(cosines.argmax()) == 1


def test_bytes_keep_the_cosines():
    rows = np.random.default_rng(1).normal(size=(500, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    codes, scales = quantize(rows)
    assert np.abs(codes.astype(np.float32) * scales[:, None] @ rows[0] - rows @ rows[0]).max() < 0.01
    assert (quantize(np.zeros((2, 64), np.float32)).codes == 0).all()


@pytest.fixture
def publish(source, tmp_path, model):
    def run(files, commit="a" * 40, folder: Path = tmp_path / "state"):
        handle = refresh(source(files, commit), folder, BuildOptions(views=("vector",)))
        return handle, VectorIndex(open_view(folder, commit, "vector"), model)

    return run


def test_the_nearest_chunk_is_found(publish):
    _, index = publish(FILES)
    assert index.search("put a product into the basket", 5).places[0][0].path == "cart.py"
    assert index.search("paying with a card", 5).places[0][0].path == "README.md"
    assert index.search("?!", 5).places == ()


@pytest.mark.parametrize(
    "edited",
    [
        {**FILES, "cart.py": FILES["cart.py"] + "\n\ndef clear(cart):\n    cart.clear()\n"},
        {"renamed.py": FILES["cart.py"], "http.py": FILES["http.py"]},
        {**FILES, "copy.py": FILES["http.py"]},
        {},
    ],
    ids=["changed", "renamed", "copied", "emptied"],
)
def test_warm_equals_cold(publish, tmp_path, edited):
    publish(FILES)
    warm_handle, warm = publish(edited, "d" * 40)
    cold_handle, cold = publish(edited, "d" * 40, tmp_path / "cold")
    assert warm_handle.digests == cold_handle.digests
    for query in ("put a product into the basket", "header", "card"):
        assert warm.search(query, 50) == cold.search(query, 50)


class Tree:
    """A tree for a builder, without a publisher."""

    def __init__(self, source, files, extract) -> None:
        from repo_guardian.tools.views.builders import TreeFile

        made = source(files)
        self._blobs = dict(made.read([oid for _, oid, _ in made.files()]))
        self._extract = extract
        self.files = {
            path.decode(): TreeFile(path.decode(), oid, "python" if path.endswith(b".py") else "")
            for path, oid, _ in made.files()
        }

    def has_facts(self, path):
        return path.endswith(".py")

    def facts(self, path):
        return self._extract(self._blobs[self.files[path].oid]) if self.has_facts(path) else None

    outline = facts

    def blobs(self, paths):
        return [(path, self._blobs[self.files[path].oid]) for path in paths]


def test_only_a_new_chunk_is_embedded(publish, source, extract, tmp_path):
    publish(FILES)
    previous = open_view(tmp_path / "state", "a" * 40, "vector")
    counting = Counting()
    edited = {**FILES, "cart.py": FILES["cart.py"].replace("sum(cart)", "max(cart)")}
    answers = dict(VectorBuilder(counting).build(Tree(source, edited, extract), previous))
    assert [passage.heading for passage in counting.passages] == ["price"]
    assert isinstance(answers["http.py"], Kept)
    cold = dict(VectorBuilder(WordLlamaEmbedder()).build(Tree(source, edited, extract), None))
    for name, block in cold["cart.py"].blocks.items():
        assert (answers["cart.py"].blocks[name] == block).all()


def test_equal_chunks_are_embedded_once(source, extract):
    counting = Counting()
    same = {"a.py": FILES["http.py"], "b.py": FILES["http.py"]}
    answers = dict(VectorBuilder(counting).build(Tree(source, same, extract), None))
    assert len(counting.passages) == 1
    assert answers.keys() == same.keys()


def test_the_model_comes_from_the_environment():
    assert options_from({}) == EmbedderOptions()
    assert embedder(options_from({"OTHER": "x"})).identity.startswith("wordllama/")
    named = options_from(
        {
            "GUARDIAN_EMBEDDINGS_URL": "https://host/v1",
            "GUARDIAN_EMBEDDINGS_MODEL": "m",
            "GUARDIAN_EMBEDDINGS_DIMENSIONS": "8",
            "GUARDIAN_EMBEDDINGS_KEY_VARIABLE": "MY_KEY",
        }
    )
    assert (named.name, named.dimensions, named.key_variable) == ("openai", 8, "MY_KEY")
    assert embedder(named).identity == "openai/m/8/chars-8000"
