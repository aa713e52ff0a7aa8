"""Attempts to have a false finding, or a false refutation, admitted: each is refused, and says why."""

import asyncio
import time

import pytest

from repo_guardian.errors import AdmissionError, UsageError
from repo_guardian.server.contract.hypotheses import ChangeOfKind, GradeProposal, HypothesisDraft, Remedy
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.session.begin import Wanted, begin
from repo_guardian.server.session.capability import bench_for, need_suite_bench
from repo_guardian.server.session.grading import propose
from repo_guardian.server.session.observe import observe_signals, refresh_views
from repo_guardian.server.session.proving import prove
from repo_guardian.server.session.sources import Choice
from repo_guardian.server.settings import ProbeLimits, ServerSettings
from repo_guardian.tools.execution.capability import find_capability
from repo_guardian.vocabulary import EvidenceStatus, Grade, Origin, Verdict

CALC = """def clamp(x, low, high):
    # the upper bound first
    return max(low, min(x, high))


def area(width, height):
    return width * height
"""
BASE = {
    "pkg/__init__.py": "",
    "pkg/calc.py": CALC,
    "pkg/other.py": "def label(x):\n    return x\n\n\ndef same():\n    return 1\n",
    "pkg/uses.py": "from pkg.calc import area\n\n\ndef doubled(x):\n    return area(x, 2)\n",
    "pkg/more.py": "def named(x=2):\n    return x\n\n\ndef sized(x=2):\n    return x\n",
    "checks/check_other.py": "from pkg.other import same\n\n\ndef test_same():\n    assert same() == 1\n",
    "tests/helper.py": "WANTED = 1\n",
    "tests/test_helped.py": (
        "import helper\nfrom pkg.other import same\n\n\n"
        "def test_helped():\n    assert same() == helper.WANTED\n"
    ),
    "pytest.ini": "[pytest]\npython_files = check_*.py test_*.py\npythonpath = tests\n",
    "pyproject.toml": (
        "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
        "[project]\nname = 'pkg'\nversion = '1.0'\n[tool.setuptools]\npackages = ['pkg']\n"
    ),
}
CURRENT = {
    "pkg/calc.py": CALC.replace("the upper bound", "upper"),
    "pkg/other.py": BASE["pkg/other.py"].replace("return x\n", "return str(x)\n"),
    "pkg/more.py": ("TWO = 2\n\n\ndef named(x=TWO):\n    return x\n\n\ndef sized(x=3):\n    return x\n"),
    "checks/check_other.py": BASE["checks/check_other.py"].replace("== 1", "== 2"),
    "tests/helper.py": "WANTED = 2\n",
}


class Cycle:
    """A measured cycle; each claim that is proven in it is a hypothesis of its own."""

    def __init__(self, session, settings):
        self.session, self.settings, self.prober = session, settings, session.need_prober()

    def write(self, symbol, keys=()):
        locus = Locus(symbols=(symbol,))
        draft = HypothesisDraft(
            claim=f"{symbol} changed",
            consequence="its users break",
            remedy=Remedy(
                change=ChangeOfKind.RESTORE_BEHAVIOUR, locus=Locus(files=("pkg/calc.py",)), text="as it was"
            ),
            origin=Origin.EXPLORATION,
            locus=locus,
            signal_keys=tuple(keys),
            key=f"key{len(self.session.hypotheses.all)}",
        )
        return self.session.hypotheses.write(draft)

    async def prove(self, symbol, text=None, *, existing=None, edit=None):
        choice = Choice(text, existing)
        return await prove(self.session, self.settings, self.write(symbol), choice, edit=edit)

    def propose(self, hypothesis_id, grade, *ids):
        proposal = GradeProposal(
            hypothesis_id=hypothesis_id, grade=grade, verdict=Verdict.CONFIRMED, reason="so", citations=ids
        )
        return propose(self.session, proposal)


@pytest.fixture(scope="module")
def cycle(tmp_path_factory, new_repository, new_home):
    folder = tmp_path_factory.mktemp("sceptic")
    repository = new_repository(folder)
    repository.commit(BASE)
    repository.commit(CURRENT)
    settings = ServerSettings(
        home=new_home(folder), repositories=(str(repository.path),), probes=ProbeLimits(repetitions=2)
    )
    session = begin(settings, str(repository.path), Wanted(), asyncio.run(find_capability("bubblewrap")))
    with session.held:
        refresh_views(session)
        observe_signals(session, settings)
        yield Cycle(session, settings)


READERS = {
    "an alias that no parser sees": "from inspect import *\nimport pkg.calc\n\n\n"
    "def test_it():\n    assert 'the upper' in getsource(pkg.calc.clamp)\n",
    "the file": "import pkg.calc\n\n\n"
    "def test_it():\n    assert 'the upper' in open(list(pkg.__path__)[0] + '/calc.py').read()\n",
    "pkgutil": "import pkgutil\nimport pkg.calc\n\n\n"
    "def test_it():\n    assert b'the upper' in pkgutil.get_data('pkg', 'calc.py')\n",
    "the loader": "import pkg.calc\n\n\n"
    "def test_it():\n    assert 'the upper' in pkg.calc.__loader__.get_source('pkg.calc')\n",
    "the code object": "import pkg.calc\n\n\n"
    "def test_it():\n    assert getattr(pkg.calc.clamp, '__co' + 'de__').co_firstlineno == 2\n",
    "where it runs": "import pkg.calc\n\n\n"
    "def test_it():\n    assert 'the base' in open('/pro' + 'c/self/mountinfo').read()\n",
}


@pytest.mark.parametrize("way", READERS)
async def test_how_the_code_is_written_is_no_evidence(cycle, way):
    proof = await cycle.prove("pkg.calc.clamp", READERS[way])
    run = proof.probes[1]
    assert (run.evidence, proof.grade) == (EvidenceStatus.INVALID, Grade.DEFERRED), run.evidence_reason
    assert "looks at how the code is written" in run.evidence_reason


async def test_signatures_imports_and_files_of_its_own_are_not_how_it_is_written(cycle):
    text = (
        "import importlib\nimport inspect\nimport traceback\n\n\n"
        "def test_it(tmp_path):\n"
        "    calc = importlib.import_module('pkg.calc')\n"
        "    importlib.reload(calc)\n"
        "    (tmp_path / 'calc.py').write_text('x')\n"
        "    assert (tmp_path / 'calc.py').read_text() == 'x'\n"
        "    assert list(inspect.signature(calc.clamp).parameters) == ['x', 'low', 'high']\n"
    )
    assert (await cycle.prove("pkg.calc.clamp", text)).grade is Grade.REFUTED


async def test_what_only_the_time_changed_is_no_transition(cycle):
    then = time.time() + 12
    text = (
        "import time\nfrom pkg.calc import clamp\n\n\n"
        f"def test_it():\n    late = time.time() > {then}\n    assert clamp(9, 0, 5) == 5 and late\n"
    )
    hypothesis = cycle.write("pkg.calc.clamp")
    source = cycle.prober.synthesize(hypothesis, Choice(text))
    bench = await bench_for(cycle.session, cycle.settings, in_repository=False)
    red = await cycle.prober.run(bench, source.id)
    assert red.evidence is EvidenceStatus.VALID
    await asyncio.sleep(max(then - time.time(), 0))
    before = await cycle.prober.differential(bench, red.id)
    assert (before.evidence, before.transition) == (EvidenceStatus.INVALID, None)
    assert "afterwards the test does not end at the commit as in" in before.evidence_reason
    refusal = cycle.propose(hypothesis.id, Grade.SUPPORTED, red.id)
    assert not refusal.admitted
    assert f"flaky: in {before.id}" in refusal.reason


async def test_runs_before_and_after_a_build_are_not_compared(cycle):
    text = (
        "from importlib import metadata\nfrom pkg.calc import clamp\n\n\ndef test_it():\n"
        "    assert clamp(9, 0, 5) == 5\n"
        "    assert [d for d in metadata.distributions() if d.metadata['Name'] == 'pkg']\n"
    )
    hypothesis = cycle.write("pkg.calc.clamp")
    source = cycle.prober.synthesize(hypothesis, Choice(text))
    cycle.session.suite_bench = None
    red = await cycle.prober.run(
        await bench_for(cycle.session, cycle.settings, in_repository=False), source.id
    )
    assert red.outcomes[0].outcome.value == "failed"
    built = await need_suite_bench(cycle.session, cycle.settings)
    for probe in (cycle.prober.differential, cycle.prober.fix):
        with pytest.raises(AdmissionError, match="the trees were built"):
            await probe(built, red.id)
    assert (await cycle.prober.run(built, source.id)).outcomes[0].outcome.value == "passed"


TEST_EDIT = (
    "--- a/checks/check_other.py\n+++ b/checks/check_other.py\n@@ -4,2 +4,2 @@\n"
    " def test_same():\n-    assert same() == 2\n+    assert same() == 1\n"
)


async def test_a_revert_of_the_test_itself_is_none_of_the_cause(cycle):
    name = "checks/check_other.py::test_same"
    proof = await cycle.prove("pkg.other.same", existing=name, edit=TEST_EDIT)
    fix = next(entry for entry in proof.probes if entry.revert is not None)
    assert (fix.transition, fix.revert.restores_base) == (None, True)
    assert "reverts what the hypothesis does not name" in fix.evidence_reason
    assert proof.grade is Grade.SUPPORTED


async def test_a_test_whose_helper_changed_is_another_test_at_the_base(cycle):
    proof = await cycle.prove("pkg.other.same", existing="tests/test_helped.py::test_helped")
    assert "tests/helper.py is not the same at the base" in proof.probes[2].evidence_reason
    assert proof.grade is Grade.SUPPORTED


async def test_a_revert_elsewhere_does_not_corroborate_a_claim_about_this(cycle):
    edit = (
        "--- a/pkg/other.py\n+++ b/pkg/other.py\n@@ -1,2 +1,2 @@\n"
        " def label(x):\n-    return str(x)\n+    return x\n"
    )
    text = (
        "from pkg.calc import area\nfrom pkg.other import label\n\n\n"
        "def test_it():\n    assert label(area(1, 1)) == 1\n"
    )
    proof = await cycle.prove("pkg.calc.area", text, edit=edit)
    fix = next(entry for entry in proof.probes if entry.revert is not None)
    assert fix.transition is None
    assert "reverts what the hypothesis does not name: pkg/other.py" in fix.evidence_reason
    assert not cycle.propose(proof.hypothesis_id, Grade.FINDING, proof.probes[1].id, fix.id).admitted


async def test_a_test_that_fails_otherwise_at_the_base_refutes_nothing(cycle):
    text = "from pkg.other import label\n\n\ndef test_it():\n    assert label(1) == 2\n"
    proof = await cycle.prove("pkg.other.label", text)
    assert proof.grade is Grade.DEFERRED
    assert "write one that passes at the base" in proof.reason
    before = proof.probes[2]
    assert not cycle.propose(proof.hypothesis_id, Grade.REFUTED, before.id).admitted


async def test_a_variant_that_passes_does_not_refute_what_a_later_one_shows(cycle):
    signals = observe_signals(cycle.session, cycle.settings)
    keys = [next(s.key for s in signals if s.symbols[:1] == (f"pkg.more.{n}",)) for n in ("named", "sized")]
    alone = await prove(cycle.session, cycle.settings, cycle.write("pkg.more.named", keys[:1]))
    assert (alone.grade, alone.validity) == (Grade.REFUTED, "admissible"), alone.reason
    hypothesis = cycle.write("pkg.more.named", keys)
    proof = await prove(cycle.session, cycle.settings, hypothesis)
    assert (proof.grade, proof.validity) == (Grade.FINDING, "corroborated"), proof.reason
    assert proof.probes[1].outcomes[0].outcome.value == "passed"
    text = "from pkg.more import named\n\n\ndef test_it():\n    assert named(1) == 1\n"
    again = await prove(cycle.session, cycle.settings, hypothesis, Choice(text))
    assert not again.admitted
    assert "a test that passes does not take that back" in again.reason
    assert cycle.session.hypotheses.get(hypothesis.id).grade is Grade.FINDING


async def test_a_test_of_something_else_is_refused(cycle):
    text = (
        '"""Shows that area is broken."""\nfrom pkg import other\n\n\n'
        "def test_it():\n    assert other.label(1) == 1\n"
    )
    with pytest.raises(UsageError, match=r"uses neither pkg\.calc\.area nor anything that leads to it"):
        await cycle.prove("pkg.calc.area", text)
    caller = "from pkg.uses import doubled\n\n\ndef test_it():\n    assert doubled(1) == 2\n"
    assert (await cycle.prove("pkg.calc.area", caller)).grade is Grade.REFUTED
