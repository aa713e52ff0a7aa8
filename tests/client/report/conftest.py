"""A real browser for the HTML report, driven through the DevTools protocol; skipped where there is none."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
START_S = 60.0


@dataclass
class Browser:
    """One page of a headless Chromium: open a file at a width, then ask it."""

    socket: Any
    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    _id: int = 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One protocol call; events that arrive meanwhile are kept."""
        self._id += 1
        self.socket.send(json.dumps({"id": self._id, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=START_S))
            if message.get("id") == self._id:
                assert "error" not in message, message
                return message["result"]
            self._keep(message)

    def _keep(self, message: dict[str, Any]) -> None:
        if message["method"] == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        elif message["method"] == "Log.entryAdded":
            self.console.append(message["params"]["entry"]["text"])

    def open(self, path: Path, width: int, *, dark: bool = False) -> None:
        """Load a file at a width in pixels; a narrow one is a phone."""
        self.requests.clear()
        self.console.clear()
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + START_S
        while self.ask("document.readyState") != "complete" or self.ask("location.href") != path.as_uri():
            assert time.monotonic() < deadline, "the page did not load"

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression, evaluated from outside the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """The whole page as PNG."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium, for the whole session."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    connect = pytest.importorskip("websockets.sync.client").connect
    profile = tmp_path_factory.mktemp("profile")
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", "--disable-background-networking", "--disable-component-update",
                 "--disable-sync", "--hide-scrollbars", "--remote-debugging-port=0",
                 f"--user-data-dir={profile}"]  # fmt: skip
    process = subprocess.Popen(
        [program, *arguments, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with connect(_page_address(profile, process), max_size=None, compression=None) as socket:
            yield Browser(socket)
    finally:
        process.terminate()
        process.wait(timeout=START_S)


def _page_address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """The web socket of the browser's first page."""
    import urllib.request

    active = profile / "DevToolsActivePort"
    deadline = time.monotonic() + START_S
    while not active.exists() or "\n" not in active.read_text():
        assert process.poll() is None and time.monotonic() < deadline, "the browser did not start"
        time.sleep(0.05)
    port = active.read_text().split("\n")[0]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while True:
        pages = json.load(opener.open(f"http://127.0.0.1:{port}/json/list", timeout=START_S))
        page = next((page for page in pages if page["type"] == "page"), None)
        if page is not None:
            return str(page["webSocketDebuggerUrl"])
        assert time.monotonic() < deadline, "the browser opened no page"
