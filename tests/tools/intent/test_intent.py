"""What counts as a sign of intent, and what does not."""

from __future__ import annotations

import pytest

from repo_guardian.tools.intent.evidence import Intent
from repo_guardian.tools.intent.interface import (
    CommitMessage,
    DocumentChange,
    IntentEvidence,
    Mention,
    Subject,
)
from repo_guardian.tools.intent.sources import definition, deprecation, docstring_changed
from repo_guardian.tools.intent.texts import is_changelog, is_tooling, naming
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link

CLAMP = Subject("pkg.math.clamp", "clamp", "pkg/math.py")
GET = Subject("pkg.box.Box.get", "Box.get", "pkg/box.py")


def graph(files: dict[str, str]):
    extractor = extractor_for("python")
    return link(
        "c", {name: extractor.extract(text.encode(), ExtractLimits()) for name, text in files.items()}
    )


@pytest.mark.parametrize(
    ("subject", "line", "named"),
    [
        (CLAMP, "- `clamp` now rounds down", True),
        (CLAMP, "clamp() no longer accepts None", True),
        (CLAMP, "the clamping of values", False),
        (CLAMP, "unclamp is new", False),
        (GET, "Get started", False),
        (GET, "you get a list", False),
        (GET, "``get`` returns None", True),
        (GET, "get() returns None", True),
        (GET, "Box.get returns None", True),
        (GET, "reader.get() returns None", False),
    ],
)
def test_which_lines_name_a_subject(subject, line, named):
    assert bool(naming(subject).search(line)) is named


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("CHANGES.rst", True), ("CHANGELOG.md", True), ("docs/changelog.rst", True), ("HISTORY.md", True),
        ("docs/release-notes.md", True), ("docs/whatsnew/3.1.rst", False),
        ("newsfragments/12.bugfix.rst", True),
        ("changelog.d/1.change.md", True), ("NEWS", True), ("docs/whats_new.rst", True), ("README.md", False),
        ("pkg/history.py", False), ("docs/guide.md", False), ("release_notes/3.2.md", True),
    ],
)  # fmt: skip
def test_changelogs_by_name(path, is_one):
    assert is_changelog(path) is is_one


@pytest.mark.parametrize(
    ("subjects", "tooling"),
    [
        (["chore: bump"], True), (["style(core): black"], True), (["Apply ruff"], True),
        (["Add type hints"], True),
        (["fix: clamp"], False), (["feat!: drop get"], False), (["Round down in clamp"], False),
        (["Reformat", "Fix the parser"], False), ([], False), (["Drop support for Python 3.7"], True),
    ],
)  # fmt: skip
def test_messages_about_tooling(subjects, tooling):
    assert is_tooling([CommitMessage("c" * 40, subject) for subject in subjects]) is tooling


SOURCE = b'''
import warnings
from typing_extensions import deprecated
def plain():
    """Does it."""
def warned(x):
    if x is None:
        warnings.warn("None will go", DeprecationWarning, stacklevel=2)
def future():
    warnings.warn(FutureWarning("x"))
def other():
    warnings.warn("careful", RuntimeWarning)
@deprecated("use plain")
def marked(): ...
def noted():
    """Does it.

    .. deprecated:: 2.0
       Use plain.
    """
class C:
    def m(self):
        self._deprecate("m")
    def _deprecate(self, name): ...
if True:
    def conditional():
        """This is deprecated."""
'''


@pytest.mark.parametrize(
    ("qualname", "says"),
    [
        ("plain", ""), ("other", ""), ("missing", ""), ("warned", "DeprecationWarning"),
        ("future", "FutureWarning"),
        ("marked", "deprecated('use plain')"), ("noted", ".. deprecated:: 2.0"), ("C.m", "_deprecate"),
        ("conditional", "This is deprecated."),
    ],
)  # fmt: skip
def test_deprecations(qualname, says):
    found = deprecation(SOURCE, qualname)
    assert says in found
    assert bool(found) is bool(says)


def test_docstrings():
    assert docstring_changed(SOURCE, SOURCE.replace(b"Does it.", b"Does that."), "plain")
    assert not docstring_changed(SOURCE, SOURCE.replace(b"def warned(x)", b"def warned(x=1)"), "plain")
    assert not docstring_changed(SOURCE, b"def plain(:", "plain")
    assert definition(b"\0", "plain") is None


def test_all_evidence_on_one_subject():
    old = {
        "pkg/__init__.py": "",
        "pkg/math.py": "def clamp(x):\n    'Old.'\n    return x\n",
        "tests/test_math.py": "from pkg.math import clamp\ndef test_it(): assert clamp(1) == 1\n",
        "tests/test_other.py": "def test_it(): pass\n",
    }
    new = {
        name: text.replace("Old.", "New.").replace("== 1", "== 2").replace("pass", "...")
        for name, text in old.items()
    }
    changes = [DocumentChange(name, old[name].encode(), new[name].encode()) for name in old]
    changes += [
        DocumentChange(
            "CHANGES.rst", b"1.0\n- clamp is new\n", b"1.1\n- clamp rounds\n\n1.0\n- clamp is new\n"
        ),
        DocumentChange("docs/guide.md", b"Guide\n", b"Guide\nUse clamp for this.\n"),
        DocumentChange("docs/data.bin", None, b"\xff\xfe clamp"),
    ]
    messages = [CommitMessage("a" * 40, "Rework\n\nclamp rounds down now."), CommitMessage("b" * 40, "Other")]
    found = Intent(messages, changes).of(CLAMP, graph(old), graph(new))
    assert found == IntentEvidence(
        changelog=(Mention("CHANGES.rst", "- clamp rounds"),),
        messages=(Mention("commit aaaaaaaaaaaa", "clamp rounds down now."),),
        documents=(Mention("docs/guide.md", "Use clamp for this."),),
        docstring=True,
        tests=("tests/test_math.py",),
    )
    assert found.announced and found.followed and found.intended


def test_nothing_speaks_for_a_slip_and_a_tooling_message_does_not_either():
    files = {"pkg/math.py": "def clamp(x): return x\n"}
    changes = [DocumentChange("pkg/math.py", b"def clamp(x): return x\n", b"def clamp(x): return x + 1\n")]
    silent = Intent([CommitMessage("a" * 40, "Speed up")], changes).of(CLAMP, graph(files), graph(files))
    assert not silent.intended
    tooling = [CommitMessage("a" * 40, "style: reformat clamp")]
    slip = Intent(tooling, changes).of(CLAMP, graph(files), graph(files))
    assert slip.messages and slip.tooling and not slip.intended


def test_a_module_of_its_own_may_be_the_subject():
    assert (
        Intent([CommitMessage("c" * 40, "remove `tool`")], [])
        .of(Subject("tool", "", "tool.py"), graph({}), graph({}))
        .messages
    )
