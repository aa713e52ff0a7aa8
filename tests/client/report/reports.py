"""A report that holds every part, with one text of a stranger wherever such a text can be."""

from __future__ import annotations

import json
from typing import Any

from repo_guardian.client.report.model import CycleReport

HOSTILE = (
    "<script>x</script> [a](javascript:x) `tick` **b** | pipe\n# head\x1b[31m\u202e \"q\" 's' "
    "--> <!-- ]]> {{ 7*7 }} {% x %} </style></title></pre> \x00 &amp;"
)
RESTORED = "def f(a=1):  # restored"
DIFF = f"--- current/m.py\n+++ restored/m.py\n@@ -3,3 +3,3 @@\n x = 1\n \n-def f(a):\n+{RESTORED}\n```\n"
LOCUS = {"files": ["m.py"], "symbols": ["m.f"]}


def _probe(number: int, hypothesis: str, text: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"p{number}",
        "tool": "run_test",
        "hypothesis_id": hypothesis,
        "parent": None,
        "side": "current",
        "commit": "c" * 40,
        "outcomes": [{"test_id": "t", "outcome": "failed", "reason": text}],
        "repetitions": 3,
        "evidence": "valid",
        "evidence_reason": text,
        "test_digest": "d1",
        "output": text,
        "duration_s": 0.2,
    } | changes


def _trace(text: str) -> list[dict[str, Any]]:
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
    passed = [{"test_id": "t", "outcome": "passed", "reason": ""}]
    return [
        _probe(1, "h1", text, tool="synthesize_test", outcomes=[], test_source=f"x = 1\n{text}\n"),
        _probe(2, "h1", text),
        _probe(
            3, "h1", text, tool="differential_run", side="base", parent="p2", outcomes=passed,
            transition="PASS_TO_FAIL",
        ),
        _probe(
            4, "h1", text, tool="fix_probe", side="reverted", parent="p2", outcomes=passed, revert=revert,
            transition="FAIL_TO_PASS",
        ),
    ]  # fmt: skip


def signal(text: str, **changes: Any) -> dict[str, Any]:
    """A changed contract with one lagging use."""
    dependent = {
        "symbol": text,
        "location": {"path": text, "start_line": 1, "end_line": 1, "text": text},
        "lagging": True,
        "reason": text,
    }
    return {
        "key": "k",
        "kind": "contract_changed",
        "line": text,
        "symbols": ["m.f"],
        "paths": ["m.py"],
        "before": text,
        "after": f"{text} now",
        "public": True,
        "score": 1.0,
        "provable": True,
        "lagging_total": 1,
        "dependents_total": 1,
        "dependents": [dependent],
        "detail": {"current_path": "m.py", "current_line": "7"},
    } | changes


def hypothesis(text: str, number: int, **changes: Any) -> dict[str, Any]:
    """A finding without probes unless changed."""
    return {
        "id": f"h{number}",
        "key": f"k{number}",
        "grade": "finding",
        "claim": text,
        "consequence": text,
        "remedy": {"change": "update_dependents", "locus": LOCUS, "text": text},
        "origin": "signal",
        "locus": LOCUS,
        "signals": [signal(text)],
        "history": [{"grade": "finding", "verdict": "confirmed", "reason": text, "citations": []}],
        "trace": [],
        "recurrence_of": None,
    } | changes


def _word(word: str, text: str, *, current: bool = True) -> dict[str, Any]:
    return {"word": word, "reason": text, "said_at": "2024-01-01T00:00:00+00:00", "current": current}


def _timeline(text: str) -> dict[str, Any]:
    cycle = {
        "number": 1,
        "commit": "b" * 40,
        "base": None,
        "policy": "rules",
        "exit_reason": "submitted",
        "degraded": False,
        "wall_s": 2.0,
        "tokens_used": 0,
        "signals": 4,
        "probes": 4,
        "grades": {"finding": 1},
        "recurred": 0,
    }
    claim = {
        "key": "k2",
        "claim": text,
        "grade": "finding",
        "first_cycle": 1,
        "events": [{"cycle": 1, "what": "finding"}],
    }
    known = [
        claim | {"key": "k10"},
        claim | {"key": "k11", "word": _word("dismissed", text)},
        claim | {"key": "k12", "word": _word("accepted", text)},
        claim | {"key": "k13", "word": _word("dismissed", text, current=False)},
    ]
    return {"cycles": [cycle], "cycles_total": 1, "claims": [claim, *known], "claims_total": 5}


def report(text: str = "plain", **cycle: Any) -> CycleReport:
    """Everything that a report can hold; ``cycle`` changes what it says of the cycle itself."""
    cited = [{"grade": "finding", "verdict": "confirmed", "reason": text, "citations": ["p2", "p3", "p4"]}]
    document = {
        "cycle": {
            "number": 2,
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
            "degraded": True,
            "limitations": [text],
            "interrupted": [{"number": 1, "commit": "b" * 40, "started_at": "2024-01-01T00:00:00+00:00"}],
        }
        | cycle,
        "signals_total": 1,
        "findings": [
            hypothesis(text, 1, trace=_trace(text), history=cited),
            hypothesis(text, 2, recurrence_of=1),
            hypothesis(text, 3, word=_word("dismissed", text)),
            hypothesis(text, 4, word=_word("accepted", text)),
            hypothesis(text, 5, word=_word("dismissed", text, current=False)),
        ],
        "other_hypotheses": [
            hypothesis(text, 6, grade="supported"),
            hypothesis(text, 7, grade="refuted"),
            hypothesis(text, 8, grade="deferred", signals=[], locus={"files": [text], "symbols": [text]}),
        ],
        "backlog": [{"line": text, "reason": text, "signal_key": "k"}],
        "backlog_total": 3,
        "memory": {
            "past_cycles": 1,
            "used": [
                {"cycle": 1, "key": "k9", "text": text, "effect": "read before it"},
                *(
                    {"cycle": 1, "key": key, "text": text, "effect": "recurring: already proven"}
                    for key in ("k2", "k10", "k11", "k12", "k13")
                ),
            ],
            "timeline": _timeline(text),
        },
        "coverage": {
            "files_seen": 1,
            "files_covered": 1,
            "skipped": [{"path": text, "reason": text}],
            "skipped_total": 1,
            "graph_digest": "d" * 64,
        },
        "cost": {"wall_s": 1.0, "tool_calls": 1, "test_runs": 6, "tokens_used": 0},
        "validity": {"synthesized": 4, "ran": 3, "admissible": 2, "corroborated": 1},
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
        "executed": {
            "added": 1,
            "functions_changed": 2,
            "functions_compared": 1,
            "calls_compared": 9,
            "tests_compared": 3,
            "whole_suite": False,
            "left_out": {text: 2},
            "problems": [text],
        },
        "unproven": [signal(text, key="u1", kind="symbol_removed", detail={}, symbols=[text], paths=[text])],
    }
    return CycleReport.model_validate_json(json.dumps(document))


def empty_report() -> CycleReport:
    """The report of a first cycle in which nothing happened."""
    document = json.loads(report().model_dump_json())
    for name in ("findings", "other_hypotheses", "backlog", "unproven"):
        document[name] = []
    document |= {"signals_total": 0, "backlog_total": 0, "executed": None}
    document["memory"] = {"past_cycles": 0, "used": []}
    document["validity"] = dict.fromkeys(document["validity"], 0)
    document["cost"] |= {"test_runs": 0}
    document["cycle"] |= {"degraded": False, "limitations": [], "interrupted": []}
    return CycleReport.model_validate_json(json.dumps(document))
