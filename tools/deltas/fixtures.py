"""What asks for a pytest fixture by its name: parameters, ``usefixtures``, ``getfixturevalue``.

pytest finds a fixture by name, from a test's own file and then its folder's conftest upwards
(https://docs.pytest.org/en/stable/reference/fixtures.html), so no edge of the graph leads from one to the
other. Of fixtures with one name all are taken, whichever would win.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from repo_guardian.tools.signals.places import Place, is_python, place
from repo_guardian.tools.views.symbol_graph.interface import Graph
from repo_guardian.tools.views.symbol_graph.model import Symbol, SymbolKind

_FIXTURE = re.compile(r"(^|[._])fixture\b")
_NAME = re.compile(r"""\bname\s*=\s*["'](\w+)["']""")
_WORD = re.compile(r"""["'](\w+)["']""")
_CALLABLE = (SymbolKind.FUNCTION, SymbolKind.METHOD)


def is_conftest(path: str) -> bool:
    """Whether pytest loads the file for a whole folder."""
    return path.rpartition("/")[2] == "conftest.py"


def is_test_file(path: str) -> bool:
    """Whether pytest's default patterns collect the file."""
    name = path.rpartition("/")[2]
    named = name.startswith("test") or name.endswith("_test.py")
    return named and is_python(path) and place(path) is Place.TEST


def fixture_name(symbol: Symbol) -> str:
    """The name under which a function is a fixture; empty when it is none."""
    declared = [text for text in symbol.decorators if _FIXTURE.search(text.partition("(")[0])]
    if symbol.kind not in _CALLABLE or not declared:
        return ""
    named = _NAME.search(declared[0])
    return named[1] if named else symbol.name


def is_autouse(symbol: Symbol) -> bool:
    """Whether a fixture serves every test in its scope, asked for or not."""
    return any("autouse" in text for text in symbol.decorators)


class FixtureUsers:
    """Who asks for which fixture in the tests of one graph; every test file is read, once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def of(self, fixture: Symbol) -> Iterator[str]:
        """Ids of the tests, classes and other fixtures that may ask for ``fixture`` by its name."""
        path = fixture.path
        scope = path.removesuffix("conftest.py") if is_conftest(path) else path if is_test_file(path) else ""
        for symbol in self._by_name.get(fixture_name(fixture), ()):
            if symbol.path.startswith(scope) and symbol.id != fixture.id:
                yield symbol.id

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        found: defaultdict[str, list[Symbol]] = defaultdict(list)
        for path in self._graph.files:
            if not is_python(path) or (place(path) is not Place.TEST and not is_conftest(path)):
                continue
            for symbol in self._graph.symbols_in(path):
                for name in _asked(symbol):
                    found[name].append(symbol)
        for edge in self._graph.named("getfixturevalue"):
            source = self._graph.symbols.get(edge.source)
            if source is not None:
                for name in _WORD.findall(edge.text):
                    found[name].append(source)
        return found


def _asked(symbol: Symbol) -> Iterator[str]:
    if symbol.kind in _CALLABLE and symbol.signature is not None:
        yield from (parameter.name for parameter in symbol.signature.parameters)
    texts = [text for text in symbol.decorators if "usefixtures" in text]
    if symbol.name == "pytestmark" and "usefixtures" in (symbol.value or ""):
        texts.append(symbol.value or "")
    for text in texts:
        yield from _WORD.findall(text)
