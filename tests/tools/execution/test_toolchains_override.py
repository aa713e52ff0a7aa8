"""The user's word on how a repository runs, and which Python that gives."""

from datetime import UTC, datetime

import pytest

from repo_guardian.errors import UsageError
from repo_guardian.sandbox.interface import PythonRuntime
from repo_guardian.tools.dependencies import Declared, Requested
from repo_guardian.tools.execution.override import Override, load_override
from repo_guardian.tools.execution.python_choice import choose_python
from repo_guardian.tools.execution.toolchains import wanted_of

RUNTIMES = [PythonRuntime((3, minor), f"/usr/bin/python3.{minor}") for minor in (11, 8, 7, 13, 9)]

WHOLE = """
python = "3.9"
[requirements]
add = ["a"]
replace = ["b>=1"]
[tests]
arguments = ["-m", "not slow"]
[environment]
TZ = "CET"
"""


@pytest.mark.parametrize(
    ("requires", "chosen", "told"),
    [
        ("", 11, False),
        (">=3.8", 11, False),
        (">=3.11.4", 11, False),
        ("<3.11", 9, False),
        (">=3.12", 13, False),
        ("==3.8.*", 8, False),
        ("!=3.11.*", 13, False),
        (">=4", 11, True),
        ("<3.8", 11, True),
        ("three", 11, True),
    ],
)
def test_the_default_unless_the_repository_excludes_it_else_the_newest(requires, chosen, told):
    runtime, note = choose_python(requires, RUNTIMES)
    assert runtime.version == (3, chosen)
    assert bool(note) is told


@pytest.mark.parametrize(
    ("requires", "day", "chosen"),
    [
        ("", datetime(2026, 1, 1, tzinfo=UTC), 11),
        ("", datetime(2022, 10, 23, tzinfo=UTC), 9),
        (">=3.9", datetime(2020, 1, 1, tzinfo=UTC), 9),
        ("", datetime(2015, 1, 1, tzinfo=UTC), 8),
        (">=3.12", datetime(2024, 1, 1, tzinfo=UTC), 13),
    ],
)
def test_a_python_that_was_not_out_on_the_day_is_not_the_first_choice(requires, day, chosen):
    assert choose_python(requires, RUNTIMES, as_of=day)[0].version == (3, chosen)


def test_the_user_chooses_among_what_is_there():
    assert choose_python(">=3.12", RUNTIMES, wanted=(3, 8))[0].version == (3, 8)
    with pytest.raises(UsageError, match=r"no Python 3\.10") as caught:
        choose_python("", RUNTIMES, wanted=(3, 10))
    assert "3.13" in caught.value.hint


def test_everything_can_be_said(tmp_path):
    (tmp_path / "guardian.toml").write_text(WHOLE)
    override = load_override(tmp_path)
    assert override == Override((3, 9), ("a",), ("b>=1",), ("-m", "not slow"), {"TZ": "CET"})
    declared = Declared(
        (Requested("x", "f"),), tests=(Requested("y", "f"),), constraints=(Requested("x==1", "f"),)
    )
    wanted = wanted_of(declared, override)
    assert (wanted.requirements, wanted.tests, wanted.constraints) == (("b>=1",), ("a",), ("x==1",))
    plain = wanted_of(declared, Override(add=("z",)))
    assert (plain.requirements, plain.tests) == (("x",), ("y", "z"))


def test_no_file_says_nothing(tmp_path):
    assert load_override(tmp_path) == Override()
    with pytest.raises(UsageError, match="cannot be read"):
        load_override(tmp_path, config=tmp_path / "named.toml")


def test_a_file_inside_the_repository_is_not_read(tmp_path):
    repository, state = tmp_path / "repository", tmp_path / "state"
    repository.mkdir()
    state.mkdir()
    (repository / "guardian.toml").write_text('python = "3.9"\n')
    assert load_override(state, repository=repository) == Override()
    (state / "link.toml").symlink_to(repository / "guardian.toml")
    for config in (repository / "guardian.toml", state / "link.toml"):
        with pytest.raises(UsageError, match="inside the watched repository"):
            load_override(state, config=config, repository=repository)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("pyhton = '3.9'", "pyhton"),
        ("[requirements]\nad = []\nx = 1", r"requirements\.ad, requirements\.x"),
        ("[tests]\ncommand = 'x'", r"tests\.command"),
        ("requirements = []", "requirements is not a table"),
        ("python = 3.9", "python is not"),
        ("python = '3'", "python is not"),
        ("[requirements]\nadd = 'a'", r"requirements\.add is not a list"),
        ("[tests]\narguments = [1]", r"tests\.arguments is not a list"),
        ("[environment]\nA = 1", r"environment\.A"),
        ("[environment]\nPYTHONPATH = '/x'", r"environment\.PYTHONPATH"),
        ("[environment]\nLD_PRELOAD = 'x'", r"environment\.LD_PRELOAD"),
        ("[environment]\n'a=b' = 'x'", "environment.a=b"),
        ("= x", "cannot be read"),
        ("\xff", "cannot be read"),
    ],
)
def test_what_is_not_understood_is_named(text, named, tmp_path):
    (tmp_path / "guardian.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=named) as caught:
        load_override(tmp_path)
    assert "\n" not in caught.value.message
    assert caught.value.hint
