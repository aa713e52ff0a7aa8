"""Griffe and the graph over one small package."""

from collections import Counter

import pytest
import signatures_griffe as signatures
from graphs import build
from trees import DirectorySource

SOURCE = """
import dataclasses
import outside


def plain(a, /, b: "int" = 1, *args, c: 'list["str"]' = None, **kwargs) -> "bool": ...


async def later(x): ...


class Own:
    def __init__(self, a, *, b=2): ...
    def method(self, x): ...
    @staticmethod
    def static(x): ...
    @classmethod
    def of(cls, x): ...


class Child(Own): ...


@dataclasses.dataclass
class Made:
    a: int
    b: str = ""


class Open(outside.Base): ...
"""


@pytest.fixture
def comparison(tmp_path):
    package = tmp_path / "tree" / "pack"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(SOURCE)
    graph = build(DirectorySource(package, "tree", "pack/"), tmp_path / "state")
    return signatures.compare(package, graph)


def test_agreement_and_an_open_class(comparison):
    assert comparison.classes == Counter({"open": 1})
    assert comparison.compared == 9
    assert comparison.lines[0].startswith("[open] pack.Open\n")


def test_texts_are_normalized():
    assert signatures.annotation_text("'list[\"str\"]'") == "list[str]"
    assert signatures.normal('"a" ') == "'a'"
    assert signatures.normal("not an expression !") == "notanexpression!"
