"""The mutation operators on a small package: what they change is found, each by few signals."""

import ast

import pytest
from drift_mutations import OPERATORS, Original, Outcome, draw, is_found, table
from drift_operators import read_package
from drift_proofs import GUEST

from repo_guardian.tools.signals.interface import SignalKind

INIT = '"""A package."""\nfrom .core import Base, Shape, make\nfrom .kinds import Color\n'
CORE = """
import abc
import dataclasses
import typing

__all__ = ["Base", "Child", "Shape", "Point", "make", "LIMIT", "NAME", "Gone", "later", "each", "many"]

LIMIT = 3
NAME = "name"


class Gone(ValueError):
    pass


class Base(abc.ABC):
    flag = True

    @abc.abstractmethod
    def area(self, unit: str = "m") -> int: ...

    @classmethod
    def parse(cls, text): ...

    @staticmethod
    def helper(text): ...

    def describe(self): return "base"

    @property
    def size(self): return 1

    @property
    def width(self): return 1

    @width.setter
    def width(self, value): ...


class Child(Base):
    def area(self, unit: str = "m") -> int:
        return 1


@dataclasses.dataclass
class Shape:
    corners: int
    name: str
    filled: bool = False


class Point(typing.NamedTuple):
    x: int
    y: int


def make(kind, other, size=None, *args, color=None, **options):
    if not kind:
        raise ValueError(kind)
    return _grow(kind, other)


def _grow(kind, other):
    return kind


async def later(delay): ...


def each(items):
    yield from items


def many(first: str, second: str) -> str:
    return first
"""
KINDS = 'import enum\n\n\nclass Color(enum.Enum):\n    RED = "red"\n    BLUE = "blue"\n'


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package") / "shapes"
    folder.mkdir()
    for name, text in (("__init__", INIT), ("core", CORE), ("kinds", KINDS)):
        (folder / f"{name}.py").write_text(text)
    return read_package(folder)


@pytest.fixture(scope="module")
def original(modules):
    return Original(modules)


@pytest.mark.parametrize("kind", sorted(OPERATORS))
def test_every_mutant_of_the_operator_is_found(modules, original, kind):
    mutants = [mutant for module in modules for mutant in OPERATORS[kind](module)]
    assert mutants, "the package has nothing that this operator can change"
    for mutant in mutants:
        signals = original.signals(mutant)
        assert is_found(mutant, signals), (mutant.symbol, [s.line for s in signals])
        about = [s for s in signals if s.kind is not SignalKind.OVERRIDE_MISMATCH]
        assert len(about) <= 1, [s.line for s in about]


def test_mutants_parse_and_leave_other_lines_alone(modules):
    texts = {module.path: module.text.split("\n") for module in modules}
    for kind, make in OPERATORS.items():
        for mutant in (mutant for module in modules for mutant in make(module)):
            for path, text in mutant.files.items():
                if text is None or path not in texts:
                    continue
                ast.parse(text)
                lines = text.split("\n")
                kept = sum(line in lines for line in texts[path])
                assert kept > len(texts[path]) * 0.5, (kind, mutant.symbol)


def test_the_draw_is_the_seed_s(modules, tmp_path):
    folder = tmp_path / "shapes"
    folder.mkdir()
    for module in modules:
        (tmp_path / module.path).write_text(module.text)
    first, second = ([m.symbol for _, m in draw([folder], seed)] for seed in (1, 1))
    assert first == second != [m.symbol for _, m in draw([folder], 2)]


def test_the_table_counts_by_kind(modules, original):
    mutant = next(OPERATORS["value_changed"](modules[1]))
    outcomes = [Outcome(mutant, original.signals(mutant), True, False)]
    assert "| value_changed | 1 | 1 | 0 | 1.0, 1 |" in table(outcomes)


def test_the_guest_script_parses():
    ast.parse(GUEST)
