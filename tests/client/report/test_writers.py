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

HOSTILE = '<script>x</script> [a](javascript:x) `tick` **b** | pipe\n# head\x1b[31m\u202e "q"'
DIFF = "--- current/m.py\n+++ restored/m.py\n@@ -1 +1 @@\n-def f(a):\n+def f(a=1):\n```\n"
WRITERS = [MarkdownWriter(), JsonWriter(), SarifWriter(), HtmlWriter()]


def report(text="plain"):
    locus = {"files": ["m.py"], "symbols": ["m.f"]}
    probe = {
        "tool": "run_test",
        "hypothesis_id": "h1",
        "parent": None,
        "side": "current",
        "commit": "c" * 40,
        "outcomes": [{"test_id": "t", "outcome": "failed", "reason": text}],
        "repetitions": 3,
        "evidence": "valid",
        "evidence_reason": text,
        "output": text,
    }
    revert = {
        "description": text,
        "files": ["m.py"],
        "changed_lines": 2,
        "commit_changed_lines": 9,
        "commit_hunks": 3,
        "minimal": True,
        "attempts": 1,
        "evidence_diff": DIFF,
    }
    trace = [
        {**probe, "id": "p1", "tool": "synthesize_test", "outcomes": [], "test_source": f"x = 1\n{text}\n"},
        {**probe, "id": "p2"},
        {**probe, "id": "p3", "tool": "fix_probe", "side": "reverted", "parent": "p2", "revert": revert},
    ]
    dependent = {
        "symbol": text,
        "location": {"path": text, "start_line": 1, "end_line": 1, "text": text},
        "lagging": True,
        "reason": text,
    }
    signal = {
        "key": "k",
        "kind": "contract_changed",
        "line": text,
        "symbols": ["m.f"],
        "paths": ["m.py"],
        "before": text,
        "after": text,
        "public": True,
        "score": 1.0,
        "provable": True,
        "lagging_total": 1,
        "dependents_total": 1,
        "dependents": [dependent],
    }
    hypothesis = {
        "id": "h1",
        "key": "k",
        "grade": "finding",
        "claim": text,
        "consequence": text,
        "remedy": {"change": "update_dependents", "locus": locus, "text": text},
        "origin": "signal",
        "locus": locus,
        "signals": [signal],
        "history": [{"grade": "finding", "verdict": "confirmed", "reason": text, "citations": ["p2", "p3"]}],
        "trace": trace,
        "recurrence_of": None,
    }
    return CycleReport.model_validate_json(
        json.dumps(
            {
                "cycle": {
                    "number": 1,
                    "repository_id": "r-1",
                    "source": text,
                    "commit": "c" * 40,
                    "subject": text,
                    "committed_at": "2024-01-01T00:00:00+00:00",
                    "base": None,
                    "policy": "rules",
                    "model": None,
                    "exit_reason": "submitted",
                    "exit_explanation": "done",
                    "degraded": False,
                    "limitations": [text],
                    "interrupted": [],
                },
                "signals_total": 1,
                "findings": [hypothesis],
                "other_hypotheses": [],
                "backlog": [{"line": text, "reason": text, "signal_key": "k"}],
                "backlog_total": 3,
                "memory": {
                    "past_cycles": 1,
                    "used": [{"cycle": 1, "key": "k", "text": text, "effect": "read"}],
                },
                "coverage": {
                    "files_seen": 1,
                    "files_covered": 1,
                    "skipped": [{"path": text, "reason": text}],
                    "skipped_total": 1,
                    "graph_digest": "d" * 64,
                },
                "cost": {"wall_s": 1.0, "tool_calls": 1, "test_runs": 6, "tokens_used": 0},
                "validity": {"synthesized": 1, "ran": 1, "admissible": 1, "corroborated": 1},
                "envelope": {
                    "guardian_version": "0",
                    "python_version": "3",
                    "git_version": "2",
                    "sandbox_backend": "bubblewrap",
                    "sandbox_python": "3.11",
                    "sandbox_image": "sha256:0",
                    "sandbox_checks": [text],
                    "toolchain": ["pytest==9"],
                    "toolchain_digest": "x",
                    "toolchain_problems": [text],
                    "extractor": "e",
                    "limits": {},
                },
            }
        )
    )


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
