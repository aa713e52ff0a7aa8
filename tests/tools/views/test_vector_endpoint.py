"""Embeddings from an endpoint: requests, retries, errors and kept vectors, against a real local server."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from repo_guardian.errors import EmbeddingError, StateDirError, UsageError
from repo_guardian.tools.views.vector.interface import EmbedderOptions, Passage
from repo_guardian.tools.views.vector.openai import OpenAIEmbedder
from repo_guardian.tools.views.vector.registry import embedder

KEY = "GUARDIAN_TEST_EMBEDDINGS_KEY"
DIMENSIONS = 4


def vector(text: str) -> list[float]:
    return [float(len(text)), float(text.count("a")), 1.0, 0.0]


class Server:
    """An endpoint: ``failures`` are answered first, ``spoil`` changes what is sent back."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict, str]] = []
        self.failures: list[tuple[int, dict[str, str]]] = []
        self.spoil = lambda answer: answer
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, body, self.headers.get("Authorization", "")))
                status, headers = outer.failures.pop(0) if outer.failures else (200, {})
                data = [{"index": i, "embedding": vector(t)} for i, t in enumerate(body["input"])]
                content = json.dumps(outer.spoil({"data": data[::-1]})).encode() if status == 200 else b"no"
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1/"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv(KEY, "key-of-the-test")
    running = Server()
    yield running
    running.close()


def options(server, **other) -> EmbedderOptions:
    given = {
        "name": "openai",
        "base_url": server.url,
        "model": "tiny",
        "dimensions": DIMENSIONS,
        "key_variable": KEY,
        "batch": 2,
        **other,
    }
    return EmbedderOptions(**given)


def test_texts_go_out_in_batches_and_come_back_in_order(server):
    made = embedder(options(server)).embed(
        [Passage("A.b", "aaa"), Passage("", "xy"), Passage("", "z" * 20_000)]
    )
    texts = ["A.b\naaa", "xy", "z" * 8_000]
    expected = np.array([vector(text) for text in texts])
    assert made == pytest.approx(expected / np.linalg.norm(expected, axis=1, keepdims=True), rel=1e-5)
    assert [body["input"] for _, body, _ in server.requests] == [texts[:2], texts[2:]]
    path, body, key = server.requests[0]
    assert (path, body["model"], key) == ("/v1/embeddings", "tiny", "Bearer key-of-the-test")


def test_nothing_is_sent_before_something_is_embedded(server):
    assert OpenAIEmbedder(options(server)).identity == "openai/tiny/4/chars-8000"
    assert server.requests == []


def test_a_busy_endpoint_is_asked_again(server):
    server.failures = [(429, {"Retry-After": "0"}), (503, {"Retry-After": "0"})]
    assert OpenAIEmbedder(options(server)).embed_query("abc").shape == (DIMENSIONS,)
    assert len(server.requests) == 3


def test_retries_are_bounded(server):
    server.failures = [(500, {"Retry-After": "0"})] * 10
    with pytest.raises(EmbeddingError, match="HTTP 500"):
        OpenAIEmbedder(options(server, retries=2)).embed_query("abc")
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_final_and_shows_no_key(server, status):
    server.failures = [(status, {})]
    with pytest.raises(EmbeddingError, match=f"HTTP {status}") as caught:
        OpenAIEmbedder(options(server)).embed_query("abc")
    assert "key-of-the-test" not in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda answer: {},
        lambda answer: [],
        lambda answer: {"data": answer["data"][1:]},
        lambda answer: {"data": [{"index": 0, "embedding": [1.0]}]},
        lambda answer: {"data": "x"},
        lambda answer: {"data": [{"index": 0, "embedding": ["a", "b", "c", "d"]}]},
        lambda answer: {"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0, float("nan")]}]},
        lambda answer: {"data": [{"index": 5, "embedding": [1.0, 2.0, 3.0, 4.0]}]},
    ],
)
def test_an_answer_that_is_none_is_an_error(server, spoil):
    server.spoil = spoil
    with pytest.raises(EmbeddingError):
        OpenAIEmbedder(options(server)).embed([Passage("", "abc")])


def test_no_key_and_no_server_are_errors(server, monkeypatch):
    with pytest.raises(EmbeddingError, match="NOT_SET"):
        OpenAIEmbedder(options(server, key_variable="NOT_SET")).embed_query("abc")
    assert server.requests == []
    assert OpenAIEmbedder(options(server, key_variable="")).embed_query("abc").any()
    assert server.requests[-1][2] == ""
    nobody = options(server, base_url="http://127.0.0.1:9/v1", retries=0, timeout_s=2.0)
    with pytest.raises(EmbeddingError, match="127"):
        OpenAIEmbedder(nobody).embed_query("abc")


@pytest.mark.parametrize(
    "wrong",
    [{"base_url": ""}, {"base_url": "file:///etc"}, {"model": ""}, {"dimensions": 0}, {"name": "other"}],
)
def test_options_that_cannot_be(server, wrong):
    with pytest.raises(UsageError):
        embedder(options(server, **wrong))


def test_kept_vectors_are_not_paid_for_twice(server, tmp_path):
    kept = tmp_path / "kept" / "vectors.sqlite"
    passages = [Passage("", text) for text in ("a", "bb", "ccc", "a")]
    first = OpenAIEmbedder(options(server, cache_file=kept)).embed(passages)
    sent = len(server.requests)
    again = OpenAIEmbedder(options(server, cache_file=kept))
    assert (again.embed(passages) == first).all()
    assert len(server.requests) == sent
    again.embed([*passages, Passage("", "new")])
    assert [body["input"] for _, body, _ in server.requests[sent:]] == [["new"]]
    OpenAIEmbedder(options(server, cache_file=kept, model="other")).embed(passages[:1])
    assert len(server.requests) == sent + 2


def test_kept_vectors_that_are_damaged_are_an_error(server, tmp_path):
    damaged = tmp_path / "vectors.sqlite"
    damaged.write_bytes(b"no database" * 100)
    with pytest.raises(StateDirError):
        OpenAIEmbedder(options(server, cache_file=damaged)).embed_query("abc")
