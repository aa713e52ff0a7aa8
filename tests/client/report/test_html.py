"""The HTML page: strangers' texts stay texts, nothing is loaded, nothing can run, evidence stays evidence."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest

from repo_guardian.client.report.html_code import COMPARED_TOKENS, breakable, compared, diff, python
from repo_guardian.client.report.html_writer import HtmlWriter, outcomes
from repo_guardian.client.report.words import duration
from repo_guardian.server.contract.cycles import Scope

from .reports import DIFF, HOSTILE, RESTORED, empty_report, report

VOID = {"meta", "br", "wbr"}
DRAWN = {"svg", "rect", "circle", "line", "text", "g"}
"""Elements of a plot; those without content are written self-closing."""
ELEMENTS = VOID | DRAWN | {
    "html", "head", "title", "style", "body", "header", "main", "section", "article", "footer", "div", "span",
    "p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "dl", "dt", "dd", "a", "b", "small", "code", "pre", "mark",
    "details", "summary",
}  # fmt: skip


@dataclass
class Element:
    """One element: its name, its attributes, the names and classes around it, and its own text."""

    tag: str
    attributes: dict[str, str]
    around: tuple[str, ...]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A page as its elements; refuses what is not properly nested."""

    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self):
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag, attrs):
        around = tuple(f"{e.tag}.{e.attributes.get('class', '')}" for e in self.open)
        element = Element(tag, {name: value or "" for name, value in attrs}, around)
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1].tag == tag, f"</{tag}> closes {[e.tag for e in self.open]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1].text += data


def rendered(of=None):
    return HtmlWriter().render(report() if of is None else of).decode()


def page(of=None):
    parsed = Page()
    parsed.feed(rendered(of))
    parsed.close()
    assert not parsed.open
    return parsed.elements


PAGES = {
    "plain": report(),
    "hostile": report(HOSTILE),
    "empty": empty_report(),
    "check": report(scope="staged"),
}


@pytest.mark.parametrize("of", PAGES.values(), ids=PAGES)
def test_there_is_nothing_in_it_but_what_the_template_writes(of):
    elements = page(of)
    assert {element.tag for element in elements} <= ELEMENTS
    names = {name for element in elements for name in element.attributes}
    assert not {
        name for name in names if name.startswith("on") or name in ("src", "style", "srcset", "action")
    }
    links = {element.attributes["href"] for element in elements if "href" in element.attributes}
    assert all(re.fullmatch(r"#h\d+", link) for link in links)
    assert not re.search(r"url\(|@import", "".join(e.text for e in elements if e.tag == "style"))


def test_the_policy_allows_its_own_style_sheet_and_nothing_else():
    elements = page(report(HOSTILE))
    (style,) = (element.text for element in elements if element.tag == "style")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = (e.attributes["content"] for e in elements if "http-equiv" in e.attributes)
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")


def test_hostile_text_is_shown_as_it_is():
    told = [e.text for e in page(report(HOSTILE)) if e.tag == "p" and "what" in e.attributes.get("class", "")]
    assert told
    assert all("<script>x</script> [a](javascript:x)" in text for text in told)
    assert all("{{ 7*7 }} {% x %}" in text and "&amp;" in text for text in told)
    text = rendered(report(HOSTILE))
    assert all(c in "\n\t" or c.isprintable() for c in text)


def test_every_hypothesis_is_told_once_and_under_its_heading():
    elements = page()
    told = [e.attributes["id"] for e in elements if re.fullmatch(r"h\d", e.attributes.get("id", ""))]
    assert sorted(told) == [f"h{number}" for number in range(1, 9)]
    headings = [e.text.strip() for e in elements if e.tag == "h2"]
    assert headings[:7] == [
        "Findings", "Recurring", "Accepted", "Dismissed", "Supported", "Open", "Refuted",
    ]  # fmt: skip


def test_restored_text_is_in_the_evidence_and_nowhere_else():
    elements = page()
    holding = [element for element in elements if RESTORED in element.text]
    assert len(holding) == 1
    assert holding[0].attributes["class"] == "restored"
    assert "pre.diff" in holding[0].around
    assert any(around.startswith("details") for around in holding[0].around)
    assert rendered().count(RESTORED) == 1


def test_the_three_outcomes_are_told_in_the_order_of_the_story():
    found = outcomes(report().findings[0])
    assert [(o.title, o.word) for o in found] == [
        ("Before", "passed"),
        ("Now", "failed"),
        ("With the suspected cause reverted", "passed"),
    ]


def test_a_run_that_is_no_evidence_is_not_told_as_an_outcome():
    h = report().findings[0]
    trace = tuple(
        p.model_copy(update={"evidence": "environment", "evidence_reason": "no module named x"})
        if p.id == "p3"
        else p
        for p in h.trace
    )
    before = outcomes(h.model_copy(update={"trace": trace}))[0]
    assert (before.css, before.word, before.reason) == ("unknown", "no evidence", "no module named x")


def test_a_page_depends_on_nothing_but_the_report():
    assert rendered() == rendered()


def test_names_break_where_a_reader_would_break_them():
    assert str(breakable("a.b and x_y")) == "a.b and x_y"
    long = breakable("package.subpackage.short_name.a_very_long_function_name/file.py")
    assert str(long) == (
        "package.<wbr>subpackage.<wbr>short_name.<wbr>"
        "a<wbr>_very<wbr>_long<wbr>_function<wbr>_name/<wbr>file.py"
    )
    assert "<b>" not in breakable(f"{'<b>' * 20}.x")


def test_what_differs_between_two_signatures_is_marked():
    before, after = compared("f(a, b=1, *, c=0) -> x", "f(a, b=<2>, *, d=0) -> x")
    assert str(before) == "f(a, <mark>b=1</mark>, *, <mark>c=0</mark>) -&gt; x"
    assert str(after) == "f(a, <mark>b=&lt;2&gt;</mark>, *, <mark>d=0</mark>) -&gt; x"
    assert [str(part) for part in compared("gives 3", "gives 4")] == [
        "gives <mark>3</mark>",
        "gives <mark>4</mark>",
    ]
    assert "<mark>" not in compared("x " * COMPARED_TOKENS, "y")[0]
    assert [str(part) for part in compared("", "<f>")] == ["", "&lt;f&gt;"]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (73.4, "73 s"), (119.6, "2 min 0 s"), (431, "7 min 11 s")],
)
def test_durations_are_told_as_a_reader_says_them(seconds, told):
    assert duration(seconds) == told


def test_of_many_findings_the_first_are_open_and_all_are_there():
    one = report().findings[0]
    many = report().model_copy(
        update={"findings": tuple(one.model_copy(update={"id": f"h{n}", "trace": ()}) for n in range(20, 30))}
    )
    told = [e for e in page(many) if re.fullmatch(r"h2\d", e.attributes.get("id", ""))]
    assert [e.tag for e in told] == ["article"] * 5 + ["details"] * 5


def test_code_is_highlighted_and_cannot_leave_its_block():
    assert '<span class="k">def</span>' in python("def f(): pass")
    for block in (python(HOSTILE), python("</code></pre><script>" * 2_000), diff(f"{DIFF}+</code><b>\n")):
        assert block.startswith("<pre ") and block.endswith("</code></pre>")
        assert block.count("</pre>") == 1
        assert "<script" not in block and "<b>" not in block


def test_lines_of_a_diff_are_told_apart_by_where_they_stand():
    text = str(
        diff("--- current/a\n+++ restored/a\n@@ -1 +1 @@\n-x\n+++ y\n z\n--- current/b\n+++ restored/b\n")
    )
    classes = re.findall(r'class="(file|hunk|taken|restored|same)"', text)
    assert classes == ["file", "file", "hunk", "taken", "restored", "same", "file", "file"]


def test_a_check_that_proved_nothing_tells_what_is_left_behind():
    of = empty_report()
    fast = of.model_copy(
        update={
            "unproven": report().unproven,
            "cycle": of.cycle.model_copy(update={"scope": Scope.WORKTREE, "number": 0}),
        }
    )
    elements = page(fast)
    assert [e.text.strip() for e in elements if e.tag == "h2"] == [
        "Findings",
        "Measured, not proven",
        "How far to trust this run",
    ]
    first = next(e for e in elements if e.tag == "li" and e.attributes.get("class") in ("bad", "good"))
    assert first.attributes["class"] == "bad"
    assert any("Nothing was to be proven" in e.text for e in elements)
