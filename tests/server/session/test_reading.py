"""Reading a repository outside of a cycle: which commit answers, and its files as text."""

import pytest

from repo_guardian.errors import EmptyRepositoryError, RevisionError, UsageError
from repo_guardian.server.session.files import LINE_CHARS, SLICE_CHARS, SLICE_LINES, file_slice
from repo_guardian.server.session.reading import open_repository, watched

TOKEN = "ghp_" + "1a2B3c4D5e6F7g8H9i0J" * 2
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA" * 20 + "\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture
def read(repository, home):
    """Read a file at a revision."""

    def call(path, *where, at=None):
        return file_slice(open_repository(home, str(repository.path)).at(at), path, *where)

    return call


def test_the_answer_names_its_commit_head_and_what_is_not_committed(repository, home):
    first = repository.commit({"a.py": "x = 1\n"}, "first")
    second = repository.commit({"a.py": "x = 2\n"}, "second\n\nbody")
    (repository.path / "a.py").write_text("x = 3\n")
    (repository.path / "b.py").write_text("y\n")
    before = repository.fingerprint()
    opened = open_repository(home, str(repository.path))
    now, then = opened.at().as_of, opened.at("HEAD~1").as_of
    assert (now.commit, now.head, now.subject) == (second, second, "second")
    assert (then.commit, then.head, then.subject) == (first, second, "first")
    assert (now.dirty, now.changed_paths, now.untracked_paths) == (True, 1, 1)
    assert repository.fingerprint() == before


def test_a_bare_repository_has_no_work_tree_and_an_unborn_head_no_commit(repository, home, tmp_path):
    empty = open_repository(home, str(repository.path))
    assert empty.head is None
    with pytest.raises(EmptyRepositoryError):
        empty.at()
    repository.commit({"a.py": "x = 1\n"})
    bare = tmp_path / "bare.git"
    repository.git("clone", "--quiet", "--bare", str(repository.path), str(bare))
    assert open_repository(home, str(bare)).at().as_of.dirty is None


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "HEAD~9"])
def test_a_revision_that_names_nothing(repository, home, revision):
    repository.commit({"a.py": "x = 1\n"})
    with pytest.raises(RevisionError):
        open_repository(home, str(repository.path)).at(revision)


def test_a_state_directory_inside_the_repository_is_refused(repository):
    repository.commit({"a.py": "x = 1\n"})
    before = repository.fingerprint()
    with pytest.raises(UsageError, match="inside the watched repository"):
        open_repository(repository.path / "state", str(repository.path))
    assert repository.fingerprint() == before


def test_which_repository_is_meant():
    assert watched(("a",), None) == "a"
    assert watched(("a", "b"), "b") == "b"
    with pytest.raises(UsageError, match="several"):
        watched(("a", "b"), None)
    with pytest.raises(UsageError, match="does not watch 'c'"):
        watched(("a", "b"), "c")


def test_a_file_is_read_slice_by_slice_at_the_commit_that_is_named(repository, read):
    text = "".join(f"line {number}\n" for number in range(1, 1001))
    repository.commit({"long.txt": text})
    repository.commit({"long.txt": "short\n"})
    parts, start = [], 1
    while start is not None:
        part = read("long.txt", start, 999, at="HEAD~1")
        assert part.start_line == start
        assert part.end_line - part.start_line < SLICE_LINES
        parts.append(part.text)
        start = part.next_line
    assert "\n".join(parts) + "\n" == text
    assert len(parts) == 3
    now = read("long.txt")
    assert (now.text, now.total_lines, now.end_line, now.next_line) == ("short", 1, 1, None)


def test_odd_contents_are_text(repository, read):
    odd = {"empty.txt": "", "no-end.txt": "a\r\nb", "latin.txt": b"caf\xe9\n", b"na\xffme.py": "x\n"}
    repository.commit({**odd, "esc.txt": "\x1b[31mred\u2028\x0c\n", "new\nline.txt": "y\n"})
    assert (read("empty.txt").text, read("empty.txt").end_line, read("empty.txt").total_lines) == ("", 0, 0)
    assert read("no-end.txt").text == "a\r\nb"
    assert read("latin.txt").text == "caf\ufffd"
    assert read("na\\xffme.py").text == "x"
    assert read("new\nline.txt").text == "y"
    assert read("esc.txt").text == "\x1b[31mred\u2028\x0c"
    assert read("esc.txt").total_lines == 1


def test_a_slice_is_bounded_whatever_the_lines_are(repository, read):
    repository.commit({"wide.txt": ("x" * 100_000 + "\n") * 50, "dense.txt": ("y" * 500 + "\n") * 400})
    wide = read("wide.txt")
    assert wide.cut_lines == wide.end_line == SLICE_CHARS // (LINE_CHARS + 1)
    assert len(wide.text) <= SLICE_CHARS
    dense = read("dense.txt")
    assert len(dense.text) <= SLICE_CHARS
    assert dense.cut_lines == 0
    assert dense.next_line == dense.end_line + 1


def test_secrets_are_masked_in_code_and_files_of_secrets_refused(repository, read):
    repository.commit({"code.py": f"a = 1\nT = '{TOKEN}'\n", ".env": "PASSWORD=x\n", "id.bin.txt2": KEY})
    shown = read("code.py")
    assert shown.masked
    assert TOKEN[5:] not in shown.text
    assert shown.text.split("\n")[0] == "a = 1"
    for path in (".env", "id.bin.txt2"):
        with pytest.raises(UsageError, match="looks like") as refusal:
            read(path)
        assert "MIIE" not in str(refusal.value)


def test_what_is_no_text_file_says_what_it_is_and_what_is_there(repository, read):
    (repository.path / "link").symlink_to("/etc/passwd")
    repository.commit(
        {"pkg/a.py": "x\n", "pkg/deep/b.py": "y\n", "data.bin": b"\0\1\2", "big.txt": "z" * 9_000_000}
    )
    said = {
        "link": "symbolic link",
        "data.bin": "not text",
        "big.txt": "larger than",
        "pkg": "it holds: a.py, deep",
        "": "is a directory",
        "b.py": "pkg/deep/b.py",
        "../../etc/passwd": "there is no file",
        "/etc/passwd": "there is no file",
    }
    for path, words in said.items():
        with pytest.raises(UsageError) as refusal:
            read(path)
        assert words in str(refusal.value), path
    with pytest.raises(UsageError, match="ends at line 1"):
        read("pkg/a.py", 3)
