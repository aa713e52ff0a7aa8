"""``guardian sandbox doctor`` on whole repositories: what it says, how it exits, what it leaves behind."""

import json

import pytest

GREEN = {"m.py": "def f():\n    return 1\n", "test_m.py": "import m\n\n\ndef test_f():\n    assert m.f()\n"}


def doctor(guardian, repository, *options):
    return guardian("sandbox", "doctor", repository.path, "--sandbox", "bubblewrap", *options)


def test_a_suite_that_can_run(repository, guardian, home):
    repository.commit(GREEN)
    before = repository.fingerprint()
    ran = doctor(guardian, repository)
    assert ran.code == 0, ran.err
    assert "can run: 1 test collected" in ran.out
    assert "none are declared" in ran.out
    assert repository.fingerprint() == before
    assert list(home.glob("*/checkouts")) == []


@pytest.mark.parametrize(
    ("files", "words", "mend"),
    [
        ({"test_m.py": "import yaml\n"}, "cannot run: nobody installed yaml", 'add = ["PyYAML"]'),
        ({"test_m.py": "def (\n"}, "test_m.py: SyntaxError", ""),
        ({"test_m.py": "x = 1\n"}, "has no tests", ""),
        ({"conftest.py": "import mock, os\n"}, "nobody installed mock", 'add = ["mock"]'),
        (
            {"pytest.ini": "[pytest]\naddopts = --unheard-of\n"},
            "unrecognized arguments: --unheard-of",
            "addopts=",
        ),
    ],
    ids=["dependency", "syntax", "no tests", "conftest", "option"],
)
def test_a_suite_that_cannot_run(repository, guardian, files, words, mend):
    repository.commit({**GREEN, **files})
    ran = doctor(guardian, repository)
    assert ran.code == 3
    assert words in ran.out
    assert mend in ran.out
    assert ("guardian.toml" in ran.out) == bool(mend)


def test_what_cannot_be_acquired_is_told(repository, guardian):
    repository.commit({**GREEN, "requirements.txt": "thing @ https://example.invalid/thing.whl\n"})
    ran = doctor(guardian, repository)
    assert ran.code == 0
    assert "1 in requirements.txt" in ran.out
    assert "problem       " in ran.out
    assert "thing" in ran.out


def test_the_answer_as_json(repository, guardian):
    repository.commit({**GREEN, "pytest.ini": "[pytest]\naddopts = --cov=m\n", "test_n.py": "import yaml\n"})
    ran = doctor(guardian, repository, "--json")
    found = json.loads(ran.out)
    assert ran.code == 0
    assert found["runnable"] is True
    assert found["collected"] == 1
    assert found["missing"] == ["yaml"]
    assert found["modules"][0]["node_id"] == "test_n.py"
    assert found["dropped"][0].startswith("--cov=m is left out")
    assert found["capability"] == "runnable"


def test_any_commit(repository, guardian):
    first = repository.commit({"m.py": "x = 1\n"})
    repository.commit(GREEN)
    assert doctor(guardian, repository, "--commit", first).code == 3
    assert doctor(guardian, repository, "--commit", "HEAD").code == 0


def test_what_the_user_configures_mends_it(repository, guardian, tmp_path):
    repository.commit({**GREEN, "pytest.ini": "[pytest]\naddopts = --unheard-of\n"})
    config = tmp_path / "mine.toml"
    config.write_text('[tests]\narguments = ["-o", "addopts="]\n')
    assert doctor(guardian, repository, "--config", config).code == 0


def test_a_configuration_inside_the_repository_is_refused(repository, guardian):
    repository.commit({**GREEN, "guardian.toml": 'python = "3.11"\n'})
    ran = doctor(guardian, repository, "--config", repository.path / "guardian.toml")
    assert ran.code == 2
    assert "inside the watched repository" in ran.err
    assert doctor(guardian, repository).code == 0


@pytest.mark.parametrize("revision", ["nothing", "-x"])
def test_a_bad_revision_leaves_nothing(repository, guardian, home, revision):
    repository.commit(GREEN)
    ran = doctor(guardian, repository, "--commit", revision)
    assert ran.code == 2
    assert ran.out == ""
    assert list(home.glob("*/checkouts")) == []
