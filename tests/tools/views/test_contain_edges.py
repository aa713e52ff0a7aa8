"""What contains what, as edges made on request."""

from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.interface import contain_edges
from repo_guardian.tools.views.symbol_graph.link import link
from repo_guardian.tools.views.symbol_graph.model import EdgeKind

SOURCE = b"""LIMIT = 1
class Box:
    size = 2
    def take(self):
        def inner(): ...
def free(): ...
"""


def test_each_definition_is_contained_in_one():
    facts = extractor_for("python").extract(SOURCE, ExtractLimits())
    graph = link("c", {"pkg/__init__.py": facts})
    found = {name: contain_edges(graph, name) for name in graph.symbols}
    assert [e.target for e in found["pkg"]] == ["pkg.Box", "pkg.LIMIT", "pkg.free"]
    assert [e.target for e in found["pkg.Box"]] == ["pkg.Box.size", "pkg.Box.take"]
    assert [e.target for e in found["pkg.Box.take"]] == ["pkg.Box.take.inner"]
    assert found["pkg.free"] == contain_edges(graph, "pkg.missing") == ()
    edges = [edge for edges in found.values() for edge in edges]
    assert {edge.kind for edge in edges} == {EdgeKind.CONTAIN}
    assert {edge.target for edge in edges} == set(graph.symbols) - {"pkg"}
    assert all(edge.span == graph.symbols[edge.target].span for edge in edges)
