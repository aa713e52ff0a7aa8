"""What an index offers, asked of a real server on the loopback."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from repo_guardian.sandbox.toolchain.index import Offer, index_offers


def file(name, *, uploaded=None, **rest):
    stamp = {} if uploaded is None else {"upload-time": uploaded}
    return {"filename": name, "url": f"https://example.invalid/{name}", "hashes": {}, **stamp, **rest}


PAGES = {
    "known": [
        file("known-1.0.tar.gz", uploaded="2024-01-02T00:00:00.5Z", yanked="broken"),
        file("known-1.0-py3-none-any.whl", uploaded="2024-01-01T00:00:00Z", yanked=True),
        file("known-1.1.tar.gz", uploaded="2024-02-01T00:00:00Z", yanked="only the archive"),
        file("known-1.1-py3-none-any.whl", **{"requires-python": ">=3.8"}),
        file("known-1.2.exe"),
        file("known-2.0.zip"),
        file("unrelated.txt"),
    ],
    "empty": [],
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/").rpartition("/")[2]
        if name == "slow":
            self.send_error(500)
            return
        if name not in PAGES and name != "odd":
            self.send_error(404)
            return
        page = {"meta": {"api-version": "1.1"}, "name": name, "versions": [], "files": PAGES.get(name)}
        body = b"{" if name == "odd" else json.dumps(page).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.pypi.simple.v1+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def index(monkeypatch):
    """Let the user's variables name an index of ours."""
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_OFFLINE", "UV_NO_INDEX", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/index/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    server.shutdown()
    server.server_close()
    thread.join()


def test_versions_with_their_first_upload_and_whether_all_is_yanked(index):
    found = index_offers(["known"])
    assert (found.problem, dict(found.problems)) == ("", {})
    assert sorted(found.projects["known"], key=lambda one: one.version) == [
        Offer("1.0", datetime(2024, 1, 1, tzinfo=UTC), yanked=True),
        Offer("1.1", datetime(2024, 2, 1, tzinfo=UTC), requires_python=">=3.8"),
        Offer("2.0"),
    ]


def test_unknown_is_an_answer_and_trouble_is_not(index):
    found = index_offers(["known", "empty", "nowhere", "slow", "odd", "known"])
    assert set(found.projects) == {"known", "empty", "nowhere"}
    assert found.projects["nowhere"] == ()
    assert found.projects["empty"] == ()
    assert set(found.problems) == {"slow", "odd"}
    assert found.problem == ""


def test_an_index_that_answers_nothing_is_told_once(index):
    found = index_offers(["slow"])
    assert found.projects == {}
    assert "HTTPError" in found.problem


def test_no_index_may_be_asked(monkeypatch):
    monkeypatch.setenv("UV_OFFLINE", "1")
    assert "no index may be asked" in index_offers(["known"]).problem


def test_an_index_that_is_not_there(monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/index/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert "cannot be asked" in index_offers(["known"]).problem
