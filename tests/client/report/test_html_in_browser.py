"""The page in a real browser: no request but for itself, nothing refused, nothing wider than a phone."""

from __future__ import annotations

import pytest

from repo_guardian.client.report.html_writer import HtmlWriter

from .reports import HOSTILE, empty_report, report

LONG = report("a_very_long_name_without_an_end." * 20)
PAGES = {"plain": report(), "hostile": report(HOSTILE), "long": LONG, "empty": empty_report()}

OPEN_ALL = "document.querySelectorAll('details').forEach(d => d.open = true)"
WIDER = """
[...document.querySelectorAll('body *')].filter(e => !e.closest('pre'))
  .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(e => e.tagName + '.' + e.className.toString())
"""
TEXT_SIZES = (
    "[...document.querySelectorAll('p, li, dd, code')].map(e => parseFloat(getComputedStyle(e).fontSize))"
)
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module", params=PAGES, ids=str)
def written(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(HtmlWriter().render(PAGES[request.param]))
    return path


@pytest.mark.parametrize("width", [360, 390, 1280])
def test_a_page_fits_and_asks_for_nothing(browser, written, width):
    browser.open(written, width)
    browser.ask(OPEN_ALL)
    assert browser.requests == [written.as_uri()]
    assert browser.console == []
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask(WIDER) == []
    assert min(browser.ask(TEXT_SIZES)) >= 12
    assert browser.ask("document.scripts.length") == 0


def test_it_follows_dark_and_light(browser, written):
    browser.open(written, 1280)
    light = browser.ask(BACKGROUND)
    browser.open(written, 1280, dark=True)
    assert browser.ask(BACKGROUND) != light


def test_a_request_a_violation_and_an_overflow_are_seen(browser, tmp_path):
    text = HtmlWriter().render(report()).decode()
    bad = tmp_path / "bad.html"
    extra = '<img src="https://example.invalid/x.png"><p style="width: 900px">wide</p></main>'
    bad.write_text(text.replace("</main>", extra))
    browser.open(bad, 390)
    assert any("style" in line for line in browser.console)
    unguarded = text.replace("default-src", "x-src").replace("style-src", "y-src")
    bad.write_text(unguarded.replace("</main>", extra))
    browser.open(bad, 390)
    assert "https://example.invalid/x.png" in browser.requests
    assert browser.ask(WIDER)
