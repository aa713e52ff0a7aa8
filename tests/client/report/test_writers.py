"""Reports: strangers' texts stay texts, and no writer ever carries a change to apply."""

import json
import re

import pytest

from repo_guardian.client.printable import printable
from repo_guardian.client.report.html_writer import HtmlWriter
from repo_guardian.client.report.json_writer import JsonWriter
from repo_guardian.client.report.markdown_writer import MarkdownWriter, block, code, escape
from repo_guardian.client.report.model import SCHEMA_VERSION, CycleReport
from repo_guardian.client.report.sarif_writer import SarifWriter

from .reports import HOSTILE, RESTORED, report

WRITERS = [MarkdownWriter(), JsonWriter(), SarifWriter(), HtmlWriter()]


def outside_code(markdown):
    """The Markdown without its fenced blocks and code spans."""
    text, fence, kept = markdown.split("\n"), None, []
    for line in text:
        ticks = re.match(r"(`{3,})", line)
        if fence is None and ticks:
            fence = ticks[1]
        elif fence is not None and line.strip() == fence:
            fence = None
        elif fence is None:
            kept.append(line)
    assert fence is None
    return re.sub(r"(?<!\\)(`+)(?!`).+?(?<!`)\1(?!`)", "", "\n".join(kept))


def test_hostile_text_stays_text_in_markdown():
    rest = outside_code(MarkdownWriter().render(report(HOSTILE)).decode())
    assert not re.search(r"(?<!\\)<script", rest)
    assert not re.search(r"(?<!\\)\[a(?<!\\)\]\(", rest)
    assert "\n# head" not in rest
    assert "\x1b" not in rest
    assert "\u202e" not in rest


def test_a_report_holds_no_control_characters_anywhere():
    text = MarkdownWriter().render(report(HOSTILE)).decode()
    assert all(c == "\n" or c == "\t" or c.isprintable() for c in text)


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.file_name)
def test_no_writer_carries_a_change_to_apply(writer):
    """Restored text appears once, as evidence, under names that no tool can apply a patch to."""
    text = writer.render(report()).decode()
    assert text.count("restored/m.py") == (0 if writer.file_name == "report.sarif" else 1)
    assert not re.search(r"^(diff --git|--- a/|\+\+\+ b/|Index: )", text, re.MULTILINE)
    assert "git apply" not in text
    if writer.file_name == "report.md":
        before = text.partition("restored/m.py")[0]
        assert "it is not a change to apply" in before


def test_restored_text_is_evidence_and_nothing_else():
    """What a fix-probe put back is never offered: it stands once, in the diff of the evidence."""
    markdown = MarkdownWriter().render(report()).decode()
    assert markdown.count(RESTORED) == 1
    before, _, rest = markdown.partition("````diff\n")
    assert "it is not a change to apply" in " ".join(before.split())
    assert RESTORED in rest.split("\n````\n")[0]
    document = json.loads(JsonWriter().render(report()))
    places = [path for path, value in leaves(document) if RESTORED in str(value)]
    assert [path[-2:] for path in places] == [("revert", "evidence_diff")]


def leaves(node, path=()):
    """Every value of a JSON document with the keys that lead to it."""
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    if not isinstance(node, dict | list):
        yield path, node
    for key, value in parts:
        yield from leaves(value, (*path, key))


def test_json_is_the_model_and_names_its_schema():
    written = JsonWriter().render(report(HOSTILE))
    assert json.loads(written)["schema_version"] == SCHEMA_VERSION
    assert CycleReport.model_validate_json(written) == report(HOSTILE)


def test_code_and_blocks_cannot_be_closed_from_inside():
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert block("```\nx", "python").startswith("````python\n")
    assert escape("*a* <b>\nc") == "\\*a\\* \\<b\\> c"
    assert printable("a\x1b\tb\u2028") == "a\\x1b\tb\\u2028"
