"""What history, complexity and intent do to the order of signals."""

from __future__ import annotations

import pytest

from repo_guardian.tools.git.history import FileChurn
from repo_guardian.tools.intent.interface import IntentEvidence, Mention
from repo_guardian.tools.signals.interface import SignalKind
from repo_guardian.tools.signals.observe import Surroundings, observe
from repo_guardian.tools.signals.ranking import RiskFactors, rank

SAID = IntentEvidence(changelog=(Mention("CHANGES.md", "f takes b"),))
TESTED = IntentEvidence(tests=("tests/test_f.py",))


@pytest.fixture
def change(base, current, drift):
    """One contract that breaks; ``lagging`` says where a call of it is left."""

    def make(lagging: str = ""):
        for graph, text in ((base, "(a)"), (current, "(a, b)")):
            graph.function("pkg.f", text)
            if lagging:
                graph.module(lagging.rpartition(".")[0], f"{lagging.replace('.', '/')}.py").function(lagging)
                graph.call(lagging, "pkg.f", "(1)")
        (signal,) = drift(base, current)
        return signal

    return make


def scored(signal, **factors):
    return rank([signal], RiskFactors(**factors))[0].score


def test_each_factor_counts_as_documented(change):
    signal = change()
    assert scored(signal) == pytest.approx(0.25)
    assert scored(signal, churn={"pkg.py": 0.5}) == pytest.approx(0.25 * 1.125)
    assert scored(signal, ownership={"pkg.py": 0.2}) == pytest.approx(0.25 * 1.12)
    assert scored(signal, complexity={("pkg.py", "f"): 0.4, ("pkg.py", ""): 0.9}) == pytest.approx(0.25 * 1.1)
    assert scored(signal, complexity={("pkg.py", ""): 0.4}) == pytest.approx(0.25 * 1.1)
    assert scored(signal, intent=lambda _: SAID) == pytest.approx(0.0625)
    assert scored(signal, intent=lambda _: TESTED) == pytest.approx(0.125)
    assert scored(signal, intent=lambda _: IntentEvidence()) == pytest.approx(0.25)


def test_an_announcement_excuses_no_production_code_that_lags(change):
    signal = change("app.main")
    assert scored(signal, intent=lambda _: SAID) == scored(signal) == pytest.approx(1.25)


def test_observe_puts_all_of_it_together(base, current):
    for graph, text in ((base, "(a)"), (current, "(a, b)")):
        graph.function("pkg.f", text).function("pkg.g", text)
    history = {"pkg.py": FileChurn(9, 400, 100, 3, 0, 0.5), "docs/f.md": FileChurn(8, 80, 8, 3, 1, 0.5)}
    texts = {"pkg.py": b"def f(a, b):\n    return a if b else 1\ndef g(a, b): pass\n"}
    around = Surroundings(
        window=[{"pkg.py", "docs/f.md"}] * 8 + [{f"x{number % 7}"} for number in range(40)],
        present={"pkg.py", "docs/f.md"},
        read_current=texts.get,
        intent=lambda signal: SAID if "pkg.g" in signal.symbols else None,
    )
    found = observe(base.build(), current.build(), history, ["pkg.py"], around=around)
    kinds = [(signal.kind, *signal.symbols) for signal in found.signals]
    assert kinds[0] == (SignalKind.CONTRACT_CHANGED, "pkg.f")
    assert kinds.index((SignalKind.CONTRACT_CHANGED, "pkg.g")) > 0
    assert dict(found.totals)[SignalKind.CO_CHANGE_MISSING] == 1
    assert found == observe(base.build(), current.build(), history, ["pkg.py"], around=around)
