"""Whole cycles over real repositories, through the real server, sandbox and memory."""

import json
from pathlib import Path

import pytest

IO = '''"""Reading."""


def load(stream, loader=None):
    """Load."""
    return stream, loader


def dump(value):
    return value
'''
BROKEN = IO.replace("loader=None", "loader")
USERS = {
    "pkg/__init__.py": "from pkg.io import dump, load\n\n__all__ = ['dump', 'load']\n",
    "pkg/io.py": IO,
    "pkg/app.py": "from pkg.io import load\n\n\ndef main(path):\n    return load(path)\n",
    "pkg/fine.py": "from pkg import load\n\n\ndef both(path):\n    return load(path, loader=1)\n",
}


@pytest.fixture
def broken(repository):
    """A function whose optional argument became required, and a caller that did not follow."""
    repository.commit(USERS, "first")
    repository.commit({"pkg/io.py": BROKEN, "pkg/other.py": "x = 1\n"}, "loader is required now")
    return repository


def outcomes(finding):
    return [
        (probe["side"], probe["outcomes"][0]["outcome"], probe["transition"])
        for probe in finding["trace"]
        if probe["outcomes"]
    ]


PROVEN = [
    ("current", "failed", None),
    ("base", "passed", "PASS_TO_FAIL"),
    ("reverted", "passed", "FAIL_TO_PASS"),
]


def test_a_required_argument_is_found_proven_and_remembered(broken, guardian, home):
    before = broken.fingerprint()
    first = guardian("cycle", broken.path, "--json")
    assert (first.code, first.err) == (0, "")
    (finding,) = first.report["findings"]
    assert finding["grade"] == "finding"
    assert finding["locus"]["symbols"][0] == "pkg.io.load"
    assert outcomes(finding) == PROVEN
    assert [probe["evidence"] for probe in finding["trace"]] == ["source", "valid", "valid", "valid"]
    (lagging,) = [d for d in finding["signals"][0]["dependents"] if d["lagging"]]
    assert (lagging["location"]["path"], lagging["location"]["start_line"]) == ("pkg/app.py", 5)
    revert = finding["trace"][-1]["revert"]
    assert revert["files"] == ["pkg/io.py"]
    assert revert["minimal"]
    assert "-def load(stream, loader):\n+def load(stream, loader=None):\n" in revert["evidence_diff"]
    assert first.report["memory"]["past_cycles"] == 0
    assert broken.fingerprint() == before

    shown = guardian("memory", "show", broken.path, "--json")
    memory = json.loads(shown.out)
    assert [cycle["number"] for cycle in memory["cycles"]] == [1]
    assert [row["locus_symbols"][0] for row in memory["findings"]] == ["pkg.io.load"]

    again = guardian("cycle", broken.path, "--json")
    assert again.report["findings"] == []
    assert again.report["memory"]["past_cycles"] == 1
    assert [(use["cycle"], use["key"]) for use in again.report["memory"]["used"]] == [(1, finding["key"])]
    assert "recurring" in again.report["memory"]["used"][0]["effect"]
    memory = json.loads(guardian("memory", "show", broken.path, "--json").out)
    assert memory["cycles_total"] == 2
    assert memory["findings_total"] == 1

    broken.commit({"pkg/io.py": BROKEN.replace("def dump(value)", "def dump(value, indent)")}, "dump too")
    later = guardian("cycle", broken.path, "--json")
    assert later.report["memory"]["past_cycles"] == 2
    assert finding["key"] in [use["key"] for use in later.report["memory"]["used"]]
    assert [f["locus"]["symbols"][0] for f in later.report["findings"]] == ["pkg.io.dump"]
    text = (home / later.report["cycle"]["repository_id"] / "runs" / "3" / "report.md").read_text()
    assert "read the memory of 2 earlier cycles" in text
    assert not list(home.glob("*/checkouts/*"))


def test_the_report_in_words_shows_test_outcomes_and_evidence(broken, guardian, home):
    shown = guardian("cycle", broken.path)
    assert "FAILED  at this commit" in shown.out
    assert "PASSED  at the base" in shown.out
    assert "PASSED  with the suspected cause reverted" in shown.out
    assert "still used at pkg/app.py:5: return load(path)" in shown.out
    report = Path(shown.out.rpartition("report  ")[2].strip())
    text = report.read_text()
    assert "inspect.signature(load).bind(object())" in text
    assert "It shows the\ncause; it is not a change to apply." in text
    log = [json.loads(line) for line in report.with_name("decisions.jsonl").read_text().splitlines()]
    assert [record["turn"] for record in log] == list(range(1, len(log) + 1))
    assert "probe_prove" in [record["tool"] for record in log]
    assert str(home) not in "".join(record["arguments"] for record in log[1:])


@pytest.mark.parametrize(
    ("change", "symbol"),
    [
        (
            {
                "pkg/io.py": IO.partition("\n\ndef dump")[0] + "\n",
                "pkg/__init__.py": "from pkg.io import load\n",
            },
            "dump",
        ),
        ({"pkg/io.py": IO.replace("def load(", "async def load(")}, "load"),
        ({"pkg/io.py": IO.replace("def dump(value)", "def dump(*, value)")}, "dump"),
    ],
)
def test_other_kinds_of_change_are_proven_too(repository, guardian, change, symbol):
    repository.commit(USERS)
    repository.commit({**change, "pkg/more.py": "y = 2\n"})
    report = guardian("cycle", repository.path, "--json").report
    proven = {finding["locus"]["symbols"][0].rpartition(".")[2]: finding for finding in report["findings"]}
    assert symbol in proven
    assert outcomes(proven[symbol]) == PROVEN


def test_a_moved_module_is_proven_under_its_old_name(repository, guardian):
    repository.commit({**USERS, "tools/use.py": "import pkg.io\n"})
    repository.commit(
        {
            "pkg/io.py": None,
            "pkg/reading.py": IO,
            "pkg/__init__.py": USERS["pkg/__init__.py"].replace("pkg.io", "pkg.reading"),
            "pkg/app.py": USERS["pkg/app.py"].replace("pkg.io", "pkg.reading"),
        }
    )
    report = guardian("cycle", repository.path, "--json").report
    assert report["findings"], report["other_hypotheses"]
    assert outcomes(report["findings"][0]) == PROVEN


def test_a_removed_script_that_imports_the_package_is_proven_with_the_package_in_reach(repository, guardian):
    scripts = {
        "examples/hello.py": "from pkg import load\n\n\ndef hello():\n    return load\n",
        "examples/user.py": "from hello import hello\n",
    }
    repository.commit({**USERS, **scripts})
    repository.commit({"examples/hello.py": None, "pkg/more.py": "y = 2\n"})
    report = guardian("cycle", repository.path, "--json").report
    (finding,) = report["findings"]
    assert finding["locus"]["symbols"][0] == "hello"
    assert outcomes(finding) == PROVEN


def test_a_name_that_still_works_at_run_time_is_refuted_not_found(repository, guardian):
    """Another module puts the name back when the package is imported: no graph shows that, a run does."""
    both = "def gone():\n    return 1\n\n\ndef kept():\n    return 2\n"
    repository.commit({"pkg/__init__.py": "", "pkg/m.py": both})
    repository.commit(
        {
            "pkg/__init__.py": "import pkg.patch\n",
            "pkg/m.py": both.partition("\n\n\n")[2],
            "pkg/patch.py": "import pkg.m\n\npkg.m.gone = pkg.m.kept\n",
        }
    )
    report = guardian("cycle", repository.path, "--json").report
    assert report["findings"] == []
    assert {h["locus"]["symbols"][0]: h["grade"] for h in report["other_hypotheses"]} == {
        "pkg.m.gone": "refuted"
    }


def test_since_picks_the_base_and_an_optional_addition_is_no_signal(broken, guardian):
    first, second = broken.git("rev-list", "--reverse", "HEAD").split()
    third = broken.commit({"pkg/io.py": BROKEN.replace("def dump(value)", "def dump(value, indent=0)")})
    quiet = guardian("cycle", broken.path, "--json").report
    assert (quiet["cycle"]["base"], quiet["findings"]) == (second, [])
    wide = guardian("cycle", broken.path, "--since", first, "--commit", third, "--json").report
    assert (wide["cycle"]["base"], len(wide["findings"])) == (first, 1)


def test_a_root_commit_is_compared_with_the_empty_tree(repository, guardian):
    repository.commit(USERS)
    report = guardian("cycle", repository.path, "--json").report
    assert report["cycle"]["base"] is None
    assert report["findings"] == []


def test_fail_on_finding_exits_with_one(broken, guardian):
    assert guardian("cycle", broken.path, "--fail-on", "finding", "--json").code == 1
    assert guardian("cycle", broken.path, "--fail-on", "finding", "--json").code == 0


def test_the_graphs_alone_are_measured_on_demand_and_what_they_show_is_proven(broken, guardian):
    told = guardian("cycle", broken.path, "--graphs-only", "--json")
    assert told.report["executed"] is None
    assert len(told.report["findings"]) == 1
    assert guardian("cycle", broken.path, "--json").report["executed"] is not None


def test_the_budget_ends_the_cycle_and_what_is_left_is_in_the_backlog(broken, guardian):
    report = guardian("cycle", broken.path, "--proofs", "0", "--json").report
    assert report["cycle"]["exit_reason"] == "budget"
    assert report["findings"] == []
    assert "pkg.io.load" in " ".join(item["line"] for item in report["backlog"])


def test_a_private_change_that_everybody_followed_is_not_told(repository, guardian):
    private = {"pkg/__init__.py": "", "pkg/a.py": "def _f(x, y=1):\n    return x\n\n\n_f(1)\n"}
    repository.commit(private)
    repository.commit({"pkg/a.py": "def _f(x, y):\n    return x\n\n\n_f(1, 2)\n", "pkg/b.py": "z = 1\n"})
    report = guardian("cycle", repository.path, "--json").report
    assert report["findings"] == report["other_hypotheses"] == []
    assert [item["line"] for item in report["backlog"] if "pkg.a._f" in item["line"]] == []


def test_two_runs_of_one_commit_differ_in_times_only(broken, guardian, home):
    first = guardian("cycle", broken.path, "--json").report
    for path in home.glob("watched-*"):
        path.rename(home / "elsewhere")
    second = guardian("cycle", broken.path, "--json").report
    assert strip_times(first) == strip_times(second)


def strip_times(value):
    if isinstance(value, dict):
        return {k: strip_times(v) for k, v in value.items() if k not in ("wall_s", "duration_s", "output")}
    return [strip_times(item) for item in value] if isinstance(value, list) else value


def test_the_users_own_file_says_what_to_run_with_and_the_repositorys_is_not_read(broken, guardian, tmp_path):
    (broken.path / "guardian.toml").write_text("nonsense = 1\n")
    assert guardian("cycle", broken.path, "--json").code == 0
    config = tmp_path / "mine.toml"
    config.write_text("pythn = '3.11'\n")
    refused = guardian("cycle", broken.path, "--config", config)
    assert (refused.code, "pythn" in refused.err) == (2, True)
    inside = guardian("cycle", broken.path, "--config", broken.path / "guardian.toml")
    assert "inside the watched repository" in inside.err
