"""A diff applies to the letter or not at all, and a refusal says at which line it parts from the file."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.errors import UsageError
from repo_guardian.tools.probes.edits import MOST_CHARS, apply_diff
from repo_guardian.tools.probes.revert import split_lines

FILES = {
    "pkg/m.py": b"def f(a):\n    return a\n\n\ndef g():\n    return 2\n",
    "crlf.py": b"a = 1\r\nb = 2\r\n",
    "open_end.py": b"a = 1\nb = 2",
    "a/inner.py": b"x = 1\n",
}
EDIT = """--- a/pkg/m.py
+++ b/pkg/m.py
@@ -1,2 +1,2 @@
-def f(a):
+def f(a=None):
     return a
@@ -6 +6,2 @@
-    return 2
+    x = 3
+    return x
"""


def test_hunks_are_applied_where_they_say():
    edited = apply_diff(EDIT, FILES.get)
    assert edited == {
        "pkg/m.py": b"def f(a=None):\n    return a\n\n\ndef g():\n    x = 3\n    return x\n",
    }


def test_files_come_and_go():
    added = apply_diff("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n", FILES.get)
    assert added == {"new.py": b"x = 1\n"}
    removed = apply_diff("--- a/a/inner.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n", FILES.get)
    assert removed == {"a/inner.py": None}


def test_a_path_without_a_prefix_and_one_that_looks_like_one():
    assert list(apply_diff(EDIT.replace("a/pkg", "pkg").replace("b/pkg", "pkg"), FILES.get)) == ["pkg/m.py"]
    plain = "--- a/inner.py\n+++ a/inner.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert list(apply_diff(plain, FILES.get)) == ["a/inner.py"]


def test_line_ends_and_a_missing_last_one_are_kept():
    windows = "--- a/crlf.py\n+++ b/crlf.py\n@@ -1,2 +1,2 @@\n-a = 1\r\n+a = 3\r\n b = 2\r\n"
    assert apply_diff(windows, FILES.get) == {"crlf.py": b"a = 3\r\nb = 2\r\n"}
    marked = (
        "--- a/open_end.py\n+++ b/open_end.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n"
        "\\ No newline at end of file\n+b = 3\n\\ No newline at end of file\n"
    )
    assert apply_diff(marked, FILES.get) == {"open_end.py": b"a = 1\nb = 3"}


REFUSED = {
    "this is no unified diff": [
        EDIT.replace("-1,2 +1,2", "-1,3 +1,3"),
        "@@ -1 +1 @@\n-a\n+b\n",
        EDIT + "\ud800",
    ],
    "edits no file": ["", "please change f", "\0"],
    "hunk 1 does not apply to pkg/m.py at line 1": [EDIT.replace("-def f(a):", "-def f(b):")],
    "line 7: it expects": [EDIT.replace("@@ -6 +6,2", "@@ -7 +7,2")],
    "no such file": [EDIT.replace("pkg/m.py", "pkg/other.py")],
    "there already": ["--- /dev/null\n+++ b/pkg/m.py\n@@ -0,0 +1 @@\n+x = 1\n"],
    "outside of the repository": [
        EDIT.replace("a/pkg/m.py", "../m.py").replace("b/pkg/m.py", "../m.py"),
        EDIT.replace("a/pkg/m.py", "/etc/passwd").replace("b/pkg/m.py", "/etc/passwd"),
        EDIT.replace("pkg/m.py", ".git/config"),
        EDIT.replace("pkg/m.py", ".GIT/config"),
    ],
    "renames": [EDIT.replace("+++ b/pkg/m.py", "+++ b/pkg/n.py")],
    "edits pkg/m.py twice": [EDIT + EDIT],
    "leaves lines": ["--- a/pkg/m.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def f(a):\n"],
    "does not apply to crlf.py": ["--- a/crlf.py\n+++ b/crlf.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"],
    "holds no lines": ["diff --git a/x b/x\nnew file mode 120000\nindex 000..111\n"],
    "longer than": ["x" * (MOST_CHARS + 1)],
}


@pytest.mark.parametrize(("said", "diff"), [(said, d) for said, all_of in REFUSED.items() for d in all_of])
def test_what_does_not_apply_is_refused_in_words(said, diff):
    with pytest.raises(UsageError) as refusal:
        apply_diff(diff, FILES.get)
    assert said in refusal.value.message
    assert "\n" not in refusal.value.message


@given(text=st.text(max_size=300))
def test_nothing_else_is_ever_raised(text):
    for diff in (text, EDIT + text, EDIT.replace("return", text)):
        try:
            assert set(apply_diff(diff, FILES.get)) <= {*FILES, *diff.split()}
        except UsageError:
            continue


LINES = st.lists(st.sampled_from(["a\n", "b\n", "def f():\n", "\r\n", "\n", "ä\n", "\u2028\n"]), max_size=10)


@given(before=LINES, after=LINES, context=st.integers(0, 3))
def test_what_difflib_writes_gives_the_new_text_back(before, after, context):
    diff = "".join(difflib.unified_diff(before, after, "a/m.py", "b/m.py", n=context))
    if before and after and before != after:
        content = "".join(before).encode()
        assert apply_diff(diff, {"m.py": content}.get) == {"m.py": "".join(after).encode()}
        assert len(split_lines(content)) == len(before)
