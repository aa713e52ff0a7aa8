"""What counts as failing for the stated reason, and what does not, entry by entry of the list."""

import pytest

from repo_guardian.server.ledger.reasons import Expectation, Expected, classify
from repo_guardian.tools.probes.interface import Frame

EXPECTED = Expectation("pkg.io", "Reader.read", ("pkg/io.py",))
CALL = Expectation("pkg.io", "load", ("pkg/io.py",), call_fails_to_bind=True)
OWN = Frame("/tmp/guardian/test_load.py", 3, "test_load")
INSPECT = Frame("/usr/lib/python3.11/inspect.py", 3186, "bind")
LOCUS = Frame("/repo/pkg/io.py", 9, "load")
ELSEWHERE = Frame("/repo/pkg/other.py", 2, "g")

STATED = [
    ("ModuleNotFoundError", {"name": "pkg.io"}, EXPECTED),
    ("ModuleNotFoundError", {"name": "pkg"}, EXPECTED),
    ("ImportError", {"name": "pkg.io", "message": "cannot import name 'Reader' from 'pkg.io'"}, EXPECTED),
    ("AttributeError", {"name": "read", "owner": "pkg.io.Reader"}, EXPECTED),
    ("AttributeError", {"name": "Reader", "owner": "pkg.io"}, EXPECTED),
    ("TypeError", {"frames": (OWN, INSPECT)}, CALL),
    ("TypeError", {"frames": (Frame("/x/site/_pytest/python.py", 1, "call"), OWN, INSPECT)}, CALL),
    ("AssertionError", {"frames": (OWN,)}, EXPECTED),
    ("KeyError", {"frames": (OWN, LOCUS)}, EXPECTED),
    ("TypeError", {"frames": (OWN, LOCUS, ELSEWHERE)}, CALL),
]
NOT_STATED = [
    ("ModuleNotFoundError", {"name": "numpy"}, EXPECTED),
    ("ModuleNotFoundError", {"name": "pk"}, EXPECTED),
    ("ModuleNotFoundError", {"name": None}, EXPECTED),
    ("ImportError", {"name": "pkg.io", "message": "cannot import name 'Other' from 'pkg.io'"}, EXPECTED),
    ("ImportError", {"name": "pkg.other", "message": "cannot import name 'Reader'"}, EXPECTED),
    ("AttributeError", {"name": "read", "owner": "pkg.other.Reader"}, EXPECTED),
    ("AttributeError", {"name": "write", "owner": "pkg.io.Reader"}, EXPECTED),
    ("AttributeError", {}, EXPECTED),
    ("TypeError", {"frames": (OWN, INSPECT)}, Expectation("pkg.io", "load", (), call_fails_to_bind=False)),
    ("TypeError", {"frames": (OWN, INSPECT)}, Expectation("pkg.io", "load", ())),
    ("TypeError", {"frames": (OWN, ELSEWHERE)}, CALL),
    ("AssertionError", {"frames": (OWN, ELSEWHERE)}, EXPECTED),
    ("KeyError", {"frames": (OWN,)}, EXPECTED),
    ("KeyError", {"frames": ()}, EXPECTED),
]


@pytest.mark.parametrize(("kind", "fields", "expectation"), STATED)
def test_these_fail_for_the_stated_reason(build, kind, fields, expectation):
    reason = classify(build.exception(kind, **fields), Expected((expectation,)), build.test)
    assert reason.stated, reason.text


@pytest.mark.parametrize(("kind", "fields", "expectation"), NOT_STATED)
def test_these_fail_for_another_reason(build, kind, fields, expectation):
    assert not classify(build.exception(kind, **fields), Expected((expectation,)), build.test).stated


def test_an_import_error_of_something_else_is_known_as_an_import_failure(build):
    reason = classify(build.exception("ModuleNotFoundError", name="numpy"), Expected((EXPECTED,)), build.test)
    assert reason.import_failed
    assert "does not name pkg.io.Reader.read" in reason.text
