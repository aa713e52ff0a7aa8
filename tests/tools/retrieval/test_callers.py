"""Who calls a symbol: by id, by the end of one, through an alias, inherited, ambiguous, unknown, gone."""

from __future__ import annotations

import pytest

from repo_guardian.tools.retrieval.callers import callers

TREE = {
    "pkg/__init__.py": "from pkg.base import Base as Root\nfrom pkg.work import run\n",
    "pkg/base.py": """
        class Base:
            def __init__(self, size):
                self.size = size

            def close(self):
                return self.size


        class Child(Base):
            def open(self):
                return self.close()
        """,
    "pkg/work.py": """
        from pkg.base import Base, Child


        def run():
            child = Child(1)
            child.close()
            return Base(2)


        def close(thing):
            thing.shutdown()
        """,
    "tests/test_work.py": """
        import pkg


        def test_run():
            pkg.run()
            made = unknown_factory()
            made.close()
            made.vanished()
        """,
}


@pytest.fixture(scope="module")
def graph(publish, tmp_path_factory):
    return publish(TREE, tmp_path_factory.mktemp("state")).graph


def sources(result) -> set[str]:
    return {edge.source for edge in result.callers}


@pytest.mark.parametrize("name", ["pkg.work.run", "work.run", "run", "pkg.run"])
def test_a_function_by_id_by_its_end_and_through_a_re_export(graph, name):
    result = callers(graph, name)
    assert result.symbol is not None
    assert result.symbol.id == "pkg.work.run"
    assert sources(result) == {"test_work.test_run"}
    assert result.candidates == ()


def test_a_method_its_inherited_calls_and_what_may_mean_it(graph):
    result = callers(graph, "Base.close")
    assert sources(result) == {"pkg.base.Child.open", "pkg.work.run"}
    assert [edge.path for edge in result.possible] == ["tests/test_work.py"]
    assert callers(graph, "pkg.base.Child.close").symbol == result.symbol


def test_a_class_and_its_constructor(graph):
    assert sources(callers(graph, "pkg.Root")) >= {"pkg.work.run"}
    assert sources(callers(graph, "Base.__init__")) == {"pkg.work.run"}


def test_an_ambiguous_name_gives_candidates(graph):
    result = callers(graph, "close")
    assert result.symbol is None
    assert result.candidates == ("pkg.base.Base.close", "pkg.work.close")
    assert result.callers == ()


@pytest.mark.parametrize("name", ["nowhere", "pkg.work.nowhere", "", ".", "a" * 500, "pkg."])
def test_an_unknown_name(graph, name):
    result = callers(graph, name)
    assert result.symbol is None
    assert result.callers == ()


def test_unresolved_calls_of_a_name_that_is_gone(graph):
    result = callers(graph, "Base.vanished")
    assert result.symbol is None
    assert [edge.target for edge in result.possible] == ["?.vanished"]
