"""Bad input: one clear line on standard error, the right exit code, nothing half-written."""

import os
import subprocess

import pytest

GOOD = {"m.py": "def f(a=1):\n    return a\n", "n.py": "from m import f\n\nf()\n"}
BROKEN = {"m.py": "def f(a):\n    return a\n"}


def refused(ran, code, *words):
    """One line, the code, and what to do."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert len(lines) == 1, ran.err
    assert lines[0].startswith("guardian: ")
    for word in words:
        assert word in lines[0]
    assert "Traceback" not in ran.err


def test_a_folder_that_is_no_repository(tmp_path, guardian):
    (tmp_path / "plain").mkdir()
    refused(guardian("cycle", tmp_path / "plain"), 2, "not", "git repository")


def test_a_path_that_does_not_exist(tmp_path, guardian):
    refused(guardian("cycle", tmp_path / "nowhere"), 2, "nowhere")


def test_a_repository_without_a_commit(repository, guardian):
    refused(guardian("cycle", repository.path), 2, "commit")


@pytest.mark.parametrize("option", ["--commit", "--since"])
@pytest.mark.parametrize("revision", ["no-such-branch", "-x", "--output=written", "", "a\nb", "HEAD~99"])
def test_a_bad_revision(repository, guardian, tmp_path, option, revision):
    repository.commit(GOOD)
    ran = guardian("cycle", repository.path, f"{option}={revision}")
    refused(ran, 2)
    assert not (tmp_path / "written").exists()
    assert not (repository.path / "written").exists()


def test_a_repository_of_another_user(repository, guardian, monkeypatch, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("only root can give a repository away")
    repository.commit(GOOD)
    subprocess.run(["chown", "-R", "65534:65534", repository.path], check=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    refused(guardian("cycle", repository.path), 3, "safe.directory")


def test_a_shallow_clone_whose_parent_is_beyond_the_cut(repository, guardian, tmp_path):
    repository.commit(GOOD)
    repository.commit(BROKEN)
    clone = tmp_path / "shallow"
    repository.git("clone", "--quiet", "--depth=1", f"file://{repository.path}", str(clone))
    refused(guardian("cycle", clone), 2, "--since", "shallow")


def test_a_repository_without_python(repository, guardian):
    repository.commit({"README": "a\n"})
    repository.commit({"README": "b\n"})
    report = guardian("cycle", repository.path, "--json").report
    assert report["findings"] == []
    assert report["coverage"]["files_covered"] == 0


def test_files_that_cannot_be_read_whole_are_listed_and_the_rest_is_looked_at(repository, guardian):
    odd = {
        "broken.py": "def f(:\n    pass\n\n\ndef after():\n    return 1\n",
        "latin.py": b"# no declaration\nname = '\xe9\xff'\n",
        b"na\xffme.py": "x = 1\n",
        "new\nline.py": "y = 1\n",
        "huge.py": "DATA = [\n" + "    1234567,\n" * 1_700_000 + "]\n",
        "deep.py": "x = " + "+".join(["1"] * 6000) + "\ny = " + "(" * 5000 + "1" + ")" * 5000 + "\n",
        "nul.py": b"a = 1\x00\n",
        "empty.py": "",
    }
    repository.commit({**GOOD, **odd})
    repository.commit(BROKEN | {"o.py": "z = 1\n"})
    ran = guardian("cycle", repository.path, "--json")
    assert ran.code == 0, ran.err
    assert [f["locus"]["symbols"][0] for f in ran.report["findings"]] == ["m.f"]
    listed = {skipped["path"]: skipped["reason"] for skipped in ran.report["coverage"]["skipped"]}
    assert {"broken.py", "huge.py"} <= set(listed)
    assert all(listed.values())
    ran.out.encode("utf-8")


def test_a_state_directory_that_cannot_be_written(repository, guardian_process, tmp_path):
    repository.commit(GOOD)
    state = tmp_path / "frozen"
    state.mkdir()
    ran = in_namespace(
        guardian_process,
        state,
        f"mount -t tmpfs -o ro tmpfs {state}",
        "cycle",
        repository.path,
        "--home",
        state,
    )
    refused(ran, 3, "GUARDIAN_HOME")


def test_a_state_directory_that_is_a_file(repository, guardian_process, tmp_path):
    repository.commit(GOOD)
    (tmp_path / "file").write_text("x")
    ran = guardian_process("cycle", repository.path, "--home", tmp_path / "file" / "below")
    refused(ran, 3, "GUARDIAN_HOME")


@pytest.mark.parametrize("kib", [16, 200, 420])
def test_a_full_disk(repository, guardian_process, tmp_path, kib):
    repository.commit({**GOOD, "big.bin": os.urandom(120_000)})
    repository.commit(BROKEN)
    state = tmp_path / "small"
    state.mkdir()
    ran = in_namespace(
        guardian_process,
        state,
        f"mount -t tmpfs -o size={kib}k tmpfs {state}",
        *("cycle", repository.path, "--home", state),
    )
    refused(ran, 3, "free")


def in_namespace(guardian_process, state, mount, *arguments):
    """Run the command where ``state`` is a file system of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a file system")
    return guardian_process(
        *arguments, wrapper=("unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh")
    )


@pytest.mark.parametrize("inside", ["state", ".git/state", "."])
def test_a_state_directory_inside_the_watched_repository(repository, guardian_process, inside):
    repository.commit(GOOD)
    before = repository.fingerprint()
    ran = guardian_process("cycle", repository.path, "--home", repository.path / inside)
    refused(ran, 2, "inside the watched repository")
    assert repository.fingerprint() == before


def test_an_unknown_sandbox_and_an_unknown_option(repository, guardian):
    repository.commit(GOOD)
    refused(guardian("cycle", repository.path, "--sandbox", "chroot"), 2, "bubblewrap")
    ran = guardian("cycle", repository.path, "--no-such-option")
    assert ran.code == 2
    assert "--no-such-option" in ran.err


def test_memory_of_a_repository_that_was_never_looked_at(repository, guardian, home):
    repository.commit(GOOD)
    before = sorted(home.iterdir())
    refused(guardian("memory", "show", repository.path), 3, "guardian cycle")
    assert sorted(home.iterdir()) == before
