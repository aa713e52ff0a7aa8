"""``guardian callers``: on a fresh state directory, at a named commit, in a pipe and on a terminal."""

import json

import pytest

FILES = {
    "pkg/__init__.py": "from pkg.io import load\n",
    "pkg/io.py": "def load(path):\n    return path\n\n\ndef twice(path):\n    return load(load(path))\n",
    "pkg/app.py": "import pkg\n\n\nclass App:\n    def run(self, other):\n        other.load()\n"
    "        return pkg.load('x')\n",
}


@pytest.fixture
def small(repository):
    repository.commit(FILES, "first")
    return repository


def places(answer):
    return [f"{use['location']['path']}:{use['location']['start_line']}" for use in answer["callers"]]


def test_a_fresh_state_directory_gets_its_views_with_a_note(small, guardian, home):
    before = small.fingerprint()
    first = guardian("callers", small.path, "load", "--json")
    assert first.code == 0
    assert first.err.startswith("guardian: building the views of ")
    assert len(first.err.splitlines()) == 1
    answer = json.loads(first.out)
    assert answer["symbol"]["id"] == "pkg.io.load"
    assert places(answer) == ["pkg/app.py:7", "pkg/io.py:6", "pkg/io.py:6"]
    assert answer["as_of"]["commit"] == small.git("rev-parse", "HEAD")
    again = guardian("callers", small.path, "load", "--json")
    assert (again.err, again.out) == ("", first.out)
    assert small.fingerprint() == before


def test_head_moves_and_older_commits_stay_askable(small, guardian):
    small.commit({"pkg/app.py": None, "pkg/new.py": "from pkg import load\n\nload(1)\n"}, "second")
    now = json.loads(guardian("callers", small.path, "pkg.load", "--json").out)
    assert places(now) == ["pkg/io.py:6", "pkg/io.py:6", "pkg/new.py:3"]
    then = json.loads(guardian("callers", small.path, "pkg.load", "--at", "HEAD~1", "--json").out)
    assert places(then) == ["pkg/app.py:7", "pkg/io.py:6", "pkg/io.py:6"]
    assert then["as_of"]["head"] == now["as_of"]["commit"]


def test_for_a_person(small, guardian):
    (small.path / "pkg/io.py").write_text("")
    ran = guardian("callers", small.path, "load")
    assert "not committed, so not looked at: 1 changed\n" in ran.out
    assert "function pkg.io.load  pkg/io.py:1\n    (path)\n" in ran.out
    assert "pkg/app.py:7  pkg.app.App.run  [import]\n    return pkg.load('x')\n" in ran.out
    assert "--possible" in ran.out
    possible = guardian("callers", small.path, "load", "--possible")
    assert "other.load()" in possible.out.partition("possible caller")[2]


@pytest.mark.parametrize(
    ("name", "said"),
    [("nowhere", "nothing here is called 'nowhere'"), ("", "the name is empty"), ("\x1b[2J", "\\x1b[2J")],
)
def test_a_name_that_means_nothing(small, guardian, name, said):
    ran = guardian("callers", small.path, name)
    assert ran.code == 2
    assert said in ran.out + ran.err
    assert "\x1b" not in ran.out + ran.err


def test_a_name_may_come_with_the_parentheses_of_a_call(small, guardian):
    assert json.loads(guardian("callers", small.path, " pkg.io.load() ", "--json").out)["callers_total"] == 3


def test_a_name_that_means_several_lists_them(small, guardian):
    small.commit({"other.py": "def load():\n    pass\n"})
    ran = guardian("callers", small.path, "load")
    assert ran.code == 2
    assert "  other.load\n  pkg.io.load\n" in ran.out
    assert json.loads(guardian("callers", small.path, "load", "--json").out)["candidates"] == [
        "other.load",
        "pkg.io.load",
    ]


def test_a_name_that_is_gone_still_finds_who_may_call_it(small, guardian):
    ran = guardian("callers", small.path, "pkg.io.missing", "--possible")
    assert ran.code == 2
    small.commit({"late.py": "import pkg.io\n\npkg.io.missing(1)\n"})
    ran = guardian("callers", small.path, "pkg.io.missing", "--possible")
    assert ran.code == 0
    assert "late.py:3" in ran.out


@pytest.mark.parametrize("arguments", [["--at", "nowhere"], ["--at=--output=x"], ["--limit", "0"]])
def test_bad_options(small, guardian, arguments):
    ran = guardian("callers", small.path, "load", *arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_what_is_no_repository_or_has_no_commit(repository, guardian, tmp_path):
    (tmp_path / "plain").mkdir()
    for path in (tmp_path / "plain", tmp_path / "nowhere", repository.path):
        ran = guardian("callers", path, "load")
        assert (ran.code, ran.out) == (2, ""), path
        assert len(ran.err.splitlines()) == 1


def test_hostile_names_and_texts_are_shown_and_never_act(repository, guardian):
    evil = b"ev\x1b]0;title\x07il\nname\xff.py"
    repository.commit(
        {"m.py": "def f(a='\x1b[31m'):\n    pass\n", evil: "import m\n\nm.f('\x1b[2J')\n"}, "\x1b[1m"
    )
    ran = guardian("callers", repository.path, "m.f")
    assert ran.code == 0, ran.err
    assert "ev\\x1b]0;title\\x07il\\nname\\xff.py:3" in ran.out
    assert all(character.isprintable() or character == "\n" for character in ran.out)


def test_on_a_terminal_lines_fit_and_colours_can_be_refused(small, guardian_process):
    script = ("script", "--quiet", "--return", "--command")
    head = small.commit({"long.py": f"from pkg import load\n\nload({'1' * 150})\n"}, "s" * 150)

    def shown(columns, **environment):
        variables = {"COLUMNS": str(columns), "TERM": "xterm", **environment}
        ran = guardian_process("callers", small.path, "load", wrapper=script, environment=variables, tty=True)
        assert ran.code == 0, ran.err
        return ran.out[ran.out.index(f"at {head[:12]}") :].replace("\r", "")

    plain = shown(60, NO_COLOR="1")
    lines = [line for line in plain.split("\n") if "load(1" in line or "sss" in line]
    assert len(lines) == 2
    assert all(len(line) <= 60 and line.endswith("…") for line in lines)
    assert "\x1b[1m" in shown(120)
