"""Whole proofs in a real sandbox: what is proven, what is refused as evidence, and why."""

import asyncio
import difflib
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from repo_guardian.errors import AdmissionError, UsageError
from repo_guardian.server.contract.hypotheses import ChangeOfKind, GradeProposal, HypothesisDraft, Remedy
from repo_guardian.server.contract.probes import Outcome, Transition
from repo_guardian.server.contract.wire import Locus
from repo_guardian.server.session.begin import Wanted, begin
from repo_guardian.server.session.capability import bench_for
from repo_guardian.server.session.focus import focus_of_locus
from repo_guardian.server.session.grading import propose
from repo_guardian.server.session.observe import observe_signals, refresh_views
from repo_guardian.server.session.proving import prove
from repo_guardian.server.session.running import Runner
from repo_guardian.server.session.sources import Choice
from repo_guardian.server.settings import ProbeLimits, ServerSettings
from repo_guardian.tools.execution.capability import Capability, find_capability
from repo_guardian.tools.probes.interface import TestSource
from repo_guardian.vocabulary import EvidenceStatus, Grade, Origin, Side, Verdict

CALC = '''"""Sums."""
import random


def clamp(x, low, high):
    return max(low, min(x, high))


def total(items):
    if not items:
        raise ValueError("nothing")
    return sum(items)


def area(width, height):
    return width * height


def ratio(x):
    return x / 0


def chance():
    return random.random()


def needing():
    import no_such_dependency
    return no_such_dependency


def warn():
    import warnings
    warnings.warn("old", DeprecationWarning)


def shape(width, height=1):
    return (width, height)
'''
BASE = {
    "pkg/__init__.py": "",
    "pkg/calc.py": CALC,
    "pkg/other.py": "def same():\n    return 1\n",
    "pkg/gone.py": "def gone():\n    return 1\n",
    "pytest.ini": "[pytest]\naddopts = -q --import-mode=importlib\ntestpaths = tests\n",
    "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef high():\n    return 5\n",
    "tests/test_calc.py": (
        "from pkg.calc import clamp, total\n\n\n"
        "def test_clamp(high):\n    assert clamp(9, 0, high) == high\n\n\n"
        "def test_total():\n    assert total([1]) == 1\n"
    ),
    "tests/test_edited.py": "from pkg.calc import clamp\n\n\ndef test_edited():\n    assert True\n",
    "tests/test_latin.py": b"# coding: latin-1\n# caf\xe9\n\n\ndef test_latin():\n    pass\n",
    "tests/test_gone.py": "from pkg.gone import gone\n\n\ndef test_gone():\n    assert gone() == 1\n",
}
CURRENT = {
    "pkg/calc.py": CALC.replace("min(x, high)", "min(x, high - 1)")
    .replace('    if not items:\n        raise ValueError("nothing")\n', "")
    .replace('    import warnings\n    warnings.warn("old", DeprecationWarning)\n', "    pass\n")
    .replace("height=1", "height")
    + "\n\ndef fresh():\n    return 1\n",
    "pkg/gone.py": None,
    "tests/test_edited.py": (
        "from pkg.calc import clamp\n\n\ndef test_edited():\n    assert clamp(9, 0, 5) == 5\n"
    ),
}


def claim(*symbols, files=(), keys=()):
    return HypothesisDraft(
        claim=f"{', '.join((*symbols, *files))} changed",
        consequence="its users break",
        remedy=Remedy(
            change=ChangeOfKind.RESTORE_BEHAVIOUR, locus=Locus(files=("pkg/calc.py",)), text="as it was"
        ),
        origin=Origin.EXPLORATION,
        locus=Locus(files=files, symbols=symbols),
        signal_keys=keys,
    )


class Cycle:
    """A cycle that is open and measured; claims are proven in it, each as a hypothesis of its own."""

    def __init__(self, session, settings):
        self.session, self.settings, self.claims = session, settings, 0

    def write(self, *symbols, **fields):
        self.claims += 1
        draft = claim(*symbols, **fields).model_copy(update={"key": f"key{self.claims}"})
        return self.session.hypotheses.write(draft)

    async def prove(self, text=None, *symbols, existing=None, edit=None, **fields):
        hypothesis = self.write(*symbols, **fields)
        return await prove(self.session, self.settings, hypothesis, Choice(text, existing), edit=edit)

    def propose(self, proof, grade, *ids):
        return propose(
            self.session,
            GradeProposal(
                hypothesis_id=proof.hypothesis_id,
                grade=grade,
                verdict=Verdict.CONFIRMED,
                reason="why",
                citations=ids,
            ),
        )


@contextmanager
def opened(folder, new_repository, new_home, *trees, capability):
    repository = new_repository(folder)
    for tree in trees:
        repository.commit(tree)
    settings = ServerSettings(
        home=new_home(folder), repositories=(str(repository.path),), probes=ProbeLimits(repetitions=2)
    )
    session = begin(settings, str(repository.path), Wanted(), capability)
    with session.held:
        refresh_views(session)
        observe_signals(session, settings)
        yield Cycle(session, settings)


@pytest.fixture(scope="module")
def cycle(tmp_path_factory, new_repository, new_home):
    capability = asyncio.run(find_capability("bubblewrap"))
    folder = tmp_path_factory.mktemp("proving")
    with opened(folder, new_repository, new_home, BASE, CURRENT, capability=capability) as found:
        yield found


def last(proof):
    """The last run of the proof's first test at the commit."""
    return next(entry for entry in proof.probes if entry.tool.value == "run_test")


CLAMP = """from pkg.calc import clamp


def test_clamp_reaches_its_upper_bound():
    assert clamp(9, 0, 5) == 5
"""


async def test_an_agents_own_test_is_corroborated_on_both_ways(cycle):
    proof = await cycle.prove(CLAMP, "pkg.calc.clamp")
    assert (proof.grade, proof.admitted, proof.validity) == (Grade.FINDING, True, "corroborated"), (
        proof.reason
    )
    assert [entry.tool.value for entry in proof.probes] == [
        "synthesize_test",
        "run_test",
        "differential_run",
        "fix_probe",
    ]
    fix = proof.probes[-1]
    assert fix.transition is Transition.FAIL_TO_PASS
    assert (fix.revert.changed_lines, fix.revert.minimal, fix.revert.restores_base) == (2, True, True)
    assert {entry.repetitions for entry in proof.probes[1:]} == {cycle.settings.probes.repetitions}
    assert ProbeLimits().repetitions == 3
    assert {entry.test_id for entry in proof.probes} == {
        "test_clamp_reaches_its_upper_bound.py::test_clamp_reaches_its_upper_bound"
    }


PROVEN = {
    "an exception that is no longer raised": (
        "pkg.calc.total",
        "import pytest\nfrom pkg.calc import total\n\n\ndef test_it():\n"
        "    with pytest.raises(ValueError):\n        total([])\n",
        "DID NOT RAISE",
    ),
    "a warning that no longer comes": (
        "pkg.calc.warn",
        "import pytest\nfrom pkg.calc import warn\n\n\ndef test_it():\n"
        "    with pytest.warns(DeprecationWarning):\n        warn()\n",
        "DID NOT WARN",
    ),
    "a call that no longer binds": (
        "pkg.calc.shape",
        "from pkg.calc import shape\n\n\ndef test_it():\n    shape(\n        2,\n    )\n",
        "a static bind agrees",
    ),
    "an assertion in a helper of the file": (
        "pkg.calc.clamp",
        "from pkg import calc\n\n\ndef check(value, wanted):\n    assert value == wanted\n\n\n"
        "def test_it():\n    check(calc.clamp(9, 0, 5), 5)\n",
        "its assertion does not hold",
    ),
    "a module that is gone, imported at the top": (
        "pkg.gone.gone",
        "from pkg.gone import gone\n\n\ndef test_it():\n    assert gone() == 1\n",
        "can no longer be collected",
    ),
}


@pytest.mark.parametrize("kind", PROVEN)
async def test_it_fails_for_the_stated_reason(cycle, kind):
    symbol, text, said = PROVEN[kind]
    proof = await cycle.prove(text, symbol)
    assert said in last(proof).evidence_reason
    assert (proof.grade, proof.validity) == (Grade.FINDING, "corroborated"), proof.reason


NO_EVIDENCE = {
    "flaky": (
        "pkg.calc.chance",
        "from pkg.calc import chance\n\n\ndef test_it():\n    assert chance() == 2\n",
        EvidenceStatus.INVALID,
        "flaky: 2 repetitions do not agree",
    ),
    "a missing dependency": (
        "pkg.calc.needing",
        "from pkg.calc import needing\n\n\ndef test_it():\n    assert needing()\n",
        EvidenceStatus.ENVIRONMENT,
        "does not name pkg.calc.needing",
    ),
    "an import that names something else": (
        "pkg.calc.clamp",
        "from pkg.calc import clamp\nfrom pkg.other import nothing\n\n\ndef test_it():\n    assert False\n",
        EvidenceStatus.ENVIRONMENT,
        "cannot import name 'nothing'",
    ),
    "the locus is not loaded": (
        "pkg.calc.clamp",
        "import pkg.other\n\n\ndef test_it():\n    assert pkg.other.same() == len('clamp')\n",
        EvidenceStatus.INVALID,
        "pkg.calc was never loaded",
    ),
    "the wrong tree": (
        "pkg.calc.clamp",
        "def test_it(tmp_path, monkeypatch):\n"
        "    folder = tmp_path / 'pkg'\n"
        "    folder.mkdir()\n"
        "    (folder / '__init__.py').write_text('')\n"
        "    (folder / 'calc.py').write_text('def clamp(*x): return 0')\n"
        "    monkeypatch.syspath_prepend(str(tmp_path))\n"
        "    from pkg.calc import clamp\n"
        "    assert clamp(9, 0, 5) == 5\n",
        EvidenceStatus.INVALID,
        "pkg.calc was loaded from another place than this tree",
    ),
    "the tree is changed on the way": (
        "pkg.calc.clamp",
        "from pathlib import Path\n\nimport pkg.calc\n\n\ndef test_it():\n"
        "    Path(list(pkg.__path__)[0], 'calc.py').write_text('x = 1')\n"
        "    assert pkg.calc.clamp(9, 0, 5) == 5\n",
        EvidenceStatus.INVALID,
        "pkg/calc.py was changed during the run",
    ),
    "skipped": (
        "pkg.calc.clamp",
        "import pytest\nimport pkg.calc\n\n\ndef test_it():\n    pytest.skip('no')\n",
        EvidenceStatus.ENVIRONMENT,
        "the test was skipped",
    ),
    "another reason": (
        "pkg.calc.clamp",
        "import pkg.calc\n\n\ndef test_it():\n    {}[pkg.calc.clamp(9, 0, 5)]\n",
        EvidenceStatus.INVALID,
        "another reason than the stated one",
    ),
}


@pytest.mark.parametrize("kind", NO_EVIDENCE)
async def test_it_is_no_evidence(cycle, kind):
    symbol, text, status, said = NO_EVIDENCE[kind]
    proof = await cycle.prove(text, symbol)
    assert last(proof).evidence is status, last(proof).evidence_reason
    assert said in last(proof).evidence_reason
    assert (proof.grade, len(proof.probes)) == (Grade.DEFERRED, 2)
    assert said in proof.reason


async def test_what_passes_on_both_is_refuted_and_what_fails_on_both_is_pre_existing(cycle):
    text = "from pkg.calc import area\n\n\ndef test_it():\n    assert area(2, 3) == 6\n"
    proof = await cycle.prove(text, "pkg.calc.area")
    assert (proof.grade, proof.validity, len(proof.probes)) == (Grade.REFUTED, "admissible", 2)
    text = "from pkg.calc import ratio\n\n\ndef test_it():\n    assert ratio(1) == 1\n"
    proof = await cycle.prove(text, "pkg.calc.ratio")
    assert (proof.grade, proof.validity, len(proof.probes)) == (Grade.REFUTED, "fails_now", 3)
    assert "Pre-existing" in proof.reason
    red, before = proof.probes[1:]
    refusal = cycle.propose(proof, Grade.SUPPORTED, red.id)
    assert not refusal.admitted
    assert f"pre-existing: in {before.id}" in refusal.reason


async def test_what_is_new_has_nothing_to_compare_with_and_can_only_be_supported(cycle):
    text = "from pkg.calc import fresh\n\n\ndef test_it():\n    assert fresh() == 2\n"
    proof = await cycle.prove(text, "pkg.calc.fresh")
    _, before, fix = proof.probes[1:]
    assert (before.evidence, before.transition) == (EvidenceStatus.INVALID, None)
    assert "pkg.calc.fresh does not exist at the base" in before.evidence_reason
    assert "no restoration of base text" in fix.failure
    assert (proof.grade, proof.validity) == (Grade.SUPPORTED, "fails_now")


REFUSED = {
    "not valid Python": "def test_it(:\n",
    "one test function": "import pkg.calc\n\n\ndef test_a(): ...\n\n\ndef test_b(): ...\n",
    "import pkg.calc in it": "def test_it():\n    assert False\n",
    "may not use the network": "import socket\nimport pkg.calc\n\n\ndef test_it(): ...\n",
    "not at how it is written": (
        "import inspect\nimport pkg.calc\n\n\n"
        "def test_it():\n    assert 'high - 1' not in inspect.getsource(pkg.calc)\n"
    ),
}


@pytest.mark.parametrize("said", REFUSED)
async def test_a_test_that_is_no_fair_witness_is_refused_in_words(cycle, said):
    with pytest.raises(UsageError, match=said):
        await cycle.prove(REFUSED[said], "pkg.calc.clamp")
    kept = cycle.session.ledger.entries[-1]
    assert (kept.evidence, kept.test_source) == (EvidenceStatus.SOURCE, REFUSED[said])
    assert said in kept.failure
    assert cycle.session.hypotheses.all[-1].grade is Grade.CONJECTURE


def diff(path, old, new):
    """The edit of a file at the commit as a unified diff."""
    before = CURRENT.get(path, BASE[path])
    after = before.replace(old, new)
    assert after != before
    lines = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(difflib.unified_diff(*lines, f"a/{path}", f"b/{path}"))


LINE = "    return max(low, min(x, high - 1))\n"
FORWARD = diff("pkg/calc.py", LINE, "    if x > high:\n        return high\n    return max(low, x)\n")
BACK = diff("pkg/calc.py", LINE, "    return max(low, min(x, high))\n")
EASY = diff("tests/test_calc.py", "high) == high", "high) < high")


async def test_an_edit_that_is_no_revert_can_only_support(cycle):
    proof = await cycle.prove(CLAMP, "pkg.calc.clamp", edit=FORWARD)
    assert proof.grade is Grade.FINDING
    red, before, fix = proof.probes[1:]
    assert before.transition is Transition.PASS_TO_FAIL
    assert (fix.evidence, fix.transition, fix.revert.restores_base) == (EvidenceStatus.VALID, None, False)
    assert "it can only support" in fix.evidence_reason
    alone = cycle.propose(proof, Grade.FINDING, red.id, fix.id)
    assert not alone.admitted
    assert "it can only support" in alone.reason


async def test_an_edit_that_is_base_text_corroborates_like_a_revert(cycle):
    proof = await cycle.prove(CLAMP, "pkg.calc.clamp", edit=BACK)
    red, fix = proof.probes[1], proof.probes[-1]
    assert (fix.transition, fix.revert.minimal) == (Transition.FAIL_TO_PASS, True)
    assert cycle.propose(proof, Grade.FINDING, red.id, fix.id).admitted


async def test_an_edit_that_does_not_apply_says_where_and_changes_nothing_else(cycle):
    proof = await cycle.prove(
        CLAMP, "pkg.calc.clamp", edit=BACK.replace("-1))", "-2))").replace("- 1))", "- 2))")
    )
    fix = proof.probes[-1]
    assert (fix.evidence, fix.outcomes) == (EvidenceStatus.INVALID, ())
    assert "hunk 1 does not apply to pkg/calc.py at line 6" in fix.failure
    assert proof.grade is Grade.FINDING


async def test_an_existing_test_is_evidence_under_the_repositorys_own_configuration(cycle):
    proof = await cycle.prove(None, "pkg.calc.clamp", existing="tests/test_calc.py::test_clamp")
    assert (proof.grade, proof.validity) == (Grade.FINDING, "corroborated"), proof.reason
    assert {entry.test_id for entry in proof.probes} == {"tests/test_calc.py::test_clamp"}
    assert [entry.transition for entry in proof.probes[2:]] == [
        Transition.PASS_TO_FAIL,
        Transition.FAIL_TO_PASS,
    ]
    proof = await cycle.prove(None, "pkg.calc.total", existing="tests/test_calc.py::test_total")
    assert proof.grade is Grade.REFUTED


def test_a_test_in_odd_bytes_is_kept_and_told(cycle):
    prober, hypothesis = cycle.session.need_prober(), cycle.write("pkg.calc.clamp")
    entry = prober.synthesize(hypothesis, Choice(existing="tests/test_latin.py::test_latin"))
    assert (entry.failure, entry.test_id) == ("", "tests/test_latin.py::test_latin")
    assert "# caf\\udce9" in entry.test_source
    assert entry.model_dump_json()
    entry = prober.synthesize(hypothesis, Choice("# \ud800"))
    assert "not valid Python" in entry.failure
    assert "ud800" in entry.model_dump_json()
    for odd in ("tests/test_latin.py", "tests/test_latin.py::\ud800", "\ud800::test", "tests::test"):
        assert "there is no test" in prober.synthesize(hypothesis, Choice(existing=odd)).failure
    assert "either source or existing" in prober.synthesize(hypothesis, Choice("x", "y")).failure
    assert "no template can prove" in prober.synthesize(hypothesis).failure


async def test_a_copy_beside_the_tests_has_their_fixtures_and_is_the_same_at_the_base(cycle):
    text = "from pkg.calc import clamp\n\n\ndef test_copy(high):\n    assert clamp(9, 0, high) == high\n"
    copy = TestSource("test_copied.py", "test_copy", text, "d", folder="tests")
    bench = await bench_for(cycle.session, cycle.settings, in_repository=True)
    runner = Runner(cycle.session.sides, cycle.session.checkout)
    focus = focus_of_locus(Locus(symbols=("pkg.calc.clamp",)), cycle.session.sides)
    found = []
    for side in (Side.CURRENT, Side.BASE):
        ran = await runner.run(bench, copy, focus, side, {}, repetitions=1)
        found.append((ran.judgement.status, ran.judgement.outcome))
        assert ran.runs[0].tests[0].test_id == "tests/test_copied.py::test_copy"
    assert found == [(EvidenceStatus.VALID, Outcome.FAILED), (EvidenceStatus.VALID, Outcome.PASSED)]


async def test_an_existing_module_that_can_no_longer_be_collected_is_evidence(cycle):
    proof = await cycle.prove(None, "pkg.gone.gone", existing="tests/test_gone.py::test_gone")
    assert (proof.grade, last(proof).outcomes[0].outcome.value) == (Grade.FINDING, "error"), proof.reason


async def test_a_test_that_was_edited_is_another_one_at_the_base(cycle):
    proof = await cycle.prove(None, "pkg.calc.clamp", existing="tests/test_edited.py::test_edited")
    before = next(entry for entry in proof.probes if entry.tool.value == "differential_run")
    assert (before.evidence, before.repetitions) == (EvidenceStatus.INVALID, 0)
    assert "tests/test_edited.py is not the same at the base" in before.evidence_reason
    assert proof.grade is Grade.FINDING  # the revert corroborates it all the same


async def test_an_edit_of_the_test_itself_corroborates_nothing(cycle):
    proof = await cycle.prove(None, "pkg.calc.clamp", existing="tests/test_calc.py::test_clamp", edit=EASY)
    red, _, fix = proof.probes[1:]
    assert (fix.evidence, fix.transition) == (EvidenceStatus.VALID, None)
    assert "touches a test or configuration: tests/test_calc.py" in fix.evidence_reason
    assert not cycle.propose(proof, Grade.FINDING, red.id, fix.id).admitted


async def test_a_fix_of_one_test_does_not_corroborate_another(cycle):
    hypothesis = cycle.write("pkg.calc.clamp", "pkg.calc.total")
    prober = cycle.session.need_prober()
    bench = await bench_for(cycle.session, cycle.settings, in_repository=False)
    runs = []
    for text in (CLAMP, PROVEN["an exception that is no longer raised"][1]):
        source = prober.synthesize(hypothesis, Choice(text))
        runs.append(await prober.run(bench, source.id))
    fix = await prober.fix(bench, runs[0].id)
    proposal = GradeProposal(
        hypothesis_id=hypothesis.id,
        grade=Grade.FINDING,
        verdict=Verdict.CONFIRMED,
        reason="why",
        citations=(runs[1].id, fix.id),
    )
    refusal = propose(cycle.session, proposal)
    assert not refusal.admitted
    assert "the same test" in refusal.reason
    with pytest.raises(AdmissionError, match="is not a run at the commit"):
        await prober.fix(bench, fix.id)


async def test_a_claim_that_names_nothing_that_exists_is_told_so(cycle):
    with pytest.raises(UsageError, match="names nothing that exists at either commit"):
        await cycle.prove(CLAMP, "pkg.nowhere.f")
    with pytest.raises(UsageError, match=r"there is no test 'tests/test_none.py::test_x'"):
        await cycle.prove(None, "pkg.calc.clamp", existing="tests/test_none.py::test_x")
    proof = await cycle.prove(None, "pkg.calc.clamp")
    assert (proof.grade, proof.validity) == (Grade.DEFERRED, "")
    assert "no template can prove" in proof.reason


async def test_the_signals_template_proves_it_without_a_word_from_an_agent(cycle):
    signals = observe_signals(cycle.session, cycle.settings)
    (signal,) = [s for s in signals if s.symbols and s.symbols[0] == "pkg.calc.shape"]
    proof = await cycle.prove(None, keys=(signal.key,))
    assert (proof.grade, proof.validity) == (Grade.FINDING, "corroborated"), proof.reason
    again = await cycle.prove(proof.probes[0].test_source, "pkg.calc.shape")
    assert (again.grade, again.probes[0].test_digest) == (Grade.FINDING, proof.probes[0].test_digest)


async def test_a_revert_as_large_as_the_commit_is_refused(cycle, tmp_path, new_repository, new_home):
    before = {"m.py": "A = 1\n\n\ndef f():\n    return A\n\n\ndef g():\n    return f() + 1\n"}
    after = {"m.py": before["m.py"].replace("A = 1", "A = 2").replace("+ 1", "+ 2")}
    text = "import m\n\n\ndef test_it():\n    assert m.A == 1 and m.g() == 2\n"
    capability = cycle.session.capability
    with opened(tmp_path, new_repository, new_home, before, after, capability=capability) as small:
        proof = await small.prove(text, files=("m.py",))
        red, base, fix = proof.probes[1:]
        assert (fix.revert.changed_lines, fix.revert.commit_changed_lines) == (4, 4)
        assert (fix.evidence, fix.transition) == (EvidenceStatus.VALID, None)
        assert "undoes as much as the whole commit changed" in fix.evidence_reason
        refusal = small.propose(proof, Grade.FINDING, red.id, fix.id)
        assert not refusal.admitted
        assert "as much as the whole commit" in refusal.reason
        nowhere = small.propose(proof, Grade.FINDING, red.id, base.id)
        assert "the remedy names no file or symbol that exists" in nowhere.reason
        assert (proof.grade, proof.validity) == (Grade.SUPPORTED, "corroborated")


def running(name):
    """Processes whose command line holds a name."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes() if folder.name.isdecimal() else b""
        except OSError:
            continue
        found += [command] if name.encode() in command else []
    return found


async def test_a_cancelled_proof_leaves_no_process_and_the_next_one_works(cycle):
    name = "test_that_never_comes_back"
    text = f"import time\nfrom pkg.calc import area\n\n\ndef {name}():\n    time.sleep(area(100, 100))\n"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(cycle.prove, text, "pkg.calc.area")
        with anyio.fail_after(60):
            while not running(name):
                await anyio.sleep(0.1)
        tasks.cancel_scope.cancel()
    with anyio.fail_after(10):
        while running(name):
            await anyio.sleep(0.1)
    assert (await cycle.prove(text.replace("100, 100", "0, 0"), "pkg.calc.area")).grade is Grade.REFUTED


async def test_without_a_sandbox_it_is_deferred_with_the_reason(tmp_path, new_repository, new_home):
    nothing = Capability(None, None, "no sandbox here")
    with opened(tmp_path, new_repository, new_home, BASE, CURRENT, capability=nothing) as blind:
        proof = await blind.prove(CLAMP, "pkg.calc.clamp")
    assert (proof.grade, proof.validity, len(proof.probes)) == (Grade.DEFERRED, "written", 1)
    assert "no sandbox here" in proof.reason
