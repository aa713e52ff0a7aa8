"""No bytes make the extractor, the store's encoding or the linker fail."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from repo_guardian.tools.views import publish
from repo_guardian.tools.views.facts.codec import decode, encode
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.python.extractor import PythonExtractor
from repo_guardian.tools.views.symbol_graph.link import link

SOURCES = [
    *(p.read_bytes() for p in sorted(Path(publish.__file__).parent.rglob("*.py"))),
    b"match x:\n case A(b=[*c], d={'e': f, **g}) | h.i as j if k: pass\n",
    b"@a.b(c)\nclass D[T: (int, str) = int](E[T], metaclass=F):\n  x: int = field(default=1)\n",
    b"async def f(a, /, b: 'c.D' = 1, *d: e, g=(h := 1), **i) -> j: global k; k = yield; nonlocal l\n",
    b"__all__ = ['a'] + b.__all__; __all__ += (c,); __all__.extend(d)\n",
    b"from .. import *\nimport a.b as c, d\nfrom a import (b as c, d)\n",
    b"type A[*T = *int] = b; lambda x=y, *z: (yield); [a for b in c for d in e if f]; f'{a!r:>{b}}'\n",
    b"print >>x, 'y'; exec a in b; raise C, d; `e`\ndef f((a, b), c): pass\n",
]
TOKENS = [
    b"(",
    b")",
    b"[",
    b"]",
    b":",
    b"\n",
    b"    ",
    b"def ",
    b"class ",
    b"*",
    b"=",
    b"import ",
    b".",
    b"'",
]
TOKENS += [
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"# coding: utf-16\n",
    b"match ",
    b"case ",
    b"@",
    b"lambda ",
    b"`",
]
EXTRACTOR = PythonExtractor()


@st.composite
def damaged(draw):
    """A real source file with a few pieces cut out, doubled, or replaced by other tokens."""
    source = draw(st.sampled_from(SOURCES))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(source)))
        end = min(len(source), start + draw(st.sampled_from([0, 1, 3, 20, 400])))
        piece = draw(st.sampled_from([*TOKENS, b"", source[start:end] * 2]))
        source = source[:start] + piece + source[end:]
    return source


def check_indexes(facts):
    """Every number in the facts leads somewhere."""
    types, definitions, imports = len(facts.types), len(facts.definitions), len(facts.imports)
    refs = [use.ref for use in facts.uses] + [fact.ref for fact in facts.types]
    refs += [store.ref for store in facts.stores]
    numbers = [number for fact in facts.types for number in fact.items]
    numbers += [number for use in facts.uses for _, number in use.arguments]
    for definition in facts.definitions:
        refs += [*definition.decorator_refs, *definition.base_refs]
        numbers += [number for _, number in definition.defaults]
        numbers += [n for n in (definition.type, definition.returns, definition.yields) if n >= 0]
        assert -1 <= definition.parent < definitions
    assert all(0 <= number < types for number in numbers)
    bounds = {"local": definitions, "self": definitions, "cls": definitions, "super": definitions}
    bounds |= {"import": imports, "typed": types}
    assert all(0 <= ref.number < bounds[ref.root] for ref in refs if ref.root in bounds)
    assert all(len(fact.keys) in (0, len(fact.items)) for fact in facts.types)


@settings(max_examples=150, deadline=None)
@given(st.lists(damaged() | st.binary(max_size=60), min_size=1, max_size=3))
def test_nothing_fails(blobs):
    files = {}
    for number, blob in enumerate(blobs):
        facts = EXTRACTOR.extract(blob, ExtractLimits())
        assert decode(encode(facts)) == facts
        for use in facts.uses:
            assert 0 <= use.region[2] <= use.region[3] <= len(blob)
            assert 1 <= use.region[0] <= use.region[1] <= blob.count(b"\n") + 1
        check_indexes(facts)
        files[f"pkg/{'__init__' if number == 0 else f'm{number}'}.py"] = facts
    graph = link("a" * 40, files)
    assert all(edge.source in graph.symbols for edge in graph.edges())
