"""What counts as a changed body."""

import pytest

from repo_guardian.tools.views.bodies import bodies, changed_bodies

SOURCE = b'''"""About."""
import os

LIMIT = 1

def f(x):
    """Doc."""
    return x  # why

class C:
    """Doc."""
    kind = 1
    def m(self):
        return 1
    if os.name:
        def n(self):
            return 2
    class Inner:
        def deep(self): return 3

try:
    def g(): return 1
except Exception:
    pass
'''


def test_keys_are_dotted_names_and_the_file_itself():
    assert set(bodies(SOURCE)) == {"", "f", "C", "C.m", "C.n", "C.Inner", "C.Inner.deep", "g"}


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (b"return x  # why", b"return (x)", set()),
        (b'"""Doc."""\n    return', b'"""Other."""\n\n    return', set()),
        (b"def f(x):", b"\n\n\ndef f(x):", set()),
        (b"return x ", b"return x + 1 ", {"f"}),
        (b"kind = 1", b"kind = 2", {"C"}),
        (b"class C:", b"class C(object):", {"C"}),
        (b"return 2", b"return 4", {"C.n"}),
        (b"if os.name:", b"if not os.name:", {"C"}),
        (b"return 3", b"return 4", {"C.Inner.deep"}),
        (b"LIMIT = 1", b"LIMIT = 2", {""}),
        (b"def g(): return 1", b"def g(): return 2", {"g"}),
        (b"except Exception:", b"except ValueError:", {""}),
        (b"    def m(self):", b"    @property\n    def m(self):", {"C.m"}),
        (b"def m(self)", b"def k(self)", {"C", "C.m", "C.k"}),
    ],
)
def test_what_changes(old, new, changed):
    assert old in SOURCE
    assert changed_bodies(SOURCE, SOURCE.replace(old, new)) == changed


def test_a_function_counts_with_its_inner_functions_and_a_name_with_all_of_its_definitions():
    source = (
        b"def f():\n    def g(): return 1\n    return g\n"
        b"if x:\n    def h(): return 1\nelse:\n    def h(): return 2\n"
    )
    assert changed_bodies(source, source.replace(b"g(): return 1", b"g(): return 5")) == {"f"}
    assert changed_bodies(source, source.replace(b"h(): return 1", b"h(): return 5")) == {"h"}


@pytest.mark.parametrize("source", [b"def f(:", b"\0", b"(" * 5000])
def test_what_cannot_be_parsed_says_so(source):
    assert bodies(source) is None
    assert changed_bodies(SOURCE, source) is None
