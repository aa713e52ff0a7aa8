"""Claims, consequences and remedies read as English for every kind of signal, and name places that exist."""

import pytest

from repo_guardian.client.policy.phrases import PHRASES, phrases_for, subject
from repo_guardian.client.policy.wording import claims_something, draft_for
from repo_guardian.server.contract.signals import DependentItem, SignalItem
from repo_guardian.server.contract.wire import Location
from repo_guardian.tools.deltas.interface import DeltaKind
from repo_guardian.tools.signals.kinds import ChangeKind, Effect, SignalKind

MEASURED_ONLY = {SignalKind.CHURN, SignalKind.CO_CHANGE_MISSING, SignalKind.REACH_CHANGED}


def item(kind, *, lagging=0, using=0, symbols=("pkg.m.f",), after="", **detail):
    dependents = [
        DependentItem(
            symbol=f"app.use{number}",
            location=Location(path=f"app{number}.py", start_line=number + 1, end_line=number + 1),
            lagging=number < lagging,
            reason="misses the required argument 'b'" if number < lagging else "",
        )
        for number in range(lagging + using)
    ]
    return SignalItem(
        key="k", kind=kind, line="pkg.m.f: parameter 'b' was added; 2 of 3 calls still use the old form",
        symbols=symbols, paths=("pkg/m.py",), before="f(a)", after=after, public=True, score=1.0,
        provable=True, lagging_total=lagging, dependents_total=lagging + using,
        dependents=tuple(dependents), detail=detail,
    )  # fmt: skip


EVERY = [
    *(("contract_changed", {"effect": effect.value, "changes": "parameter_added"}) for effect in Effect),
    *(("definition_altered", {"effect": "altered", "changes": change.value}) for change in ChangeKind),
    *(("override_mismatch", {"effect": "altered", "changes": c}) for c in ("override", "abstract_added")),
    *(("test_changed", {"delta": d.value, "test_id": "tests/test_m.py::test_f"}) for d in DeltaKind),
    *((kind.value, {}) for kind in SignalKind if kind not in MEASURED_ONLY),
]


@pytest.mark.parametrize("kind", SignalKind)
def test_every_kind_has_words_or_claims_nothing(kind):
    assert claims_something(item(kind.value)) is (kind not in MEASURED_ONLY)


@pytest.mark.parametrize(("kind", "detail"), EVERY)
@pytest.mark.parametrize(("lagging", "using"), [(0, 0), (1, 0), (0, 1), (2, 1), (0, 2)])
def test_sentences_are_whole(kind, detail, lagging, using):
    draft = draft_for(item(kind, lagging=lagging, using=using, after="AssertionError: assert 1", **detail))
    for text in (draft.consequence, draft.remedy.text):
        assert text[0].isupper() or text[0].isdigit() or text.startswith("pkg")
        assert text.endswith(".") and ".." not in text
    for text in (draft.claim, draft.consequence, draft.remedy.text):
        assert not set("{}") & set(text)
        assert "\n" not in text and "  " not in text
    assert not draft.claim.endswith(": ")
    assert ("1 place " in draft.consequence) <= (1 in (lagging, lagging + using))
    assert draft.remedy.locus.files or draft.remedy.locus.symbols


def test_number_and_verb_agree():
    one = draft_for(item("contract_changed", lagging=1, effect="unbinds")).consequence
    assert one == (
        "1 place in this repository still uses it the old way and fails when reached, app0.py:1: misses the "
        "required argument 'b'."
    )
    two = draft_for(item("contract_changed", lagging=2, effect="unbinds")).consequence
    assert two.startswith("2 places in this repository still use it the old way and fail when reached, first")
    assert subject(1, ("class", "classes"))["subject"] == "1 class in this repository"
    used = draft_for(item("definition_altered", using=3, changes="value_changed")).consequence
    assert used.endswith(" 3 places in this repository use it, first app0.py:1.")


def test_the_most_specific_words_are_taken():
    rebinds = item("contract_changed", effect="rebinds", changes="parameter_inserted")
    assert phrases_for(rebinds) is PHRASES["contract_changed.rebinds"]
    two = item("definition_altered", effect="altered", changes="default_changed,return_changed")
    assert phrases_for(two) is PHRASES["definition_altered.default_changed"]
    assert phrases_for(item("churn")) is None
    gained = draft_for(item("definition_altered", effect="altered", changes="base_added"))
    assert gained.claim.startswith("pkg.m.f derives from a class now that it did not derive from")


def test_a_test_is_named_with_its_failure_and_what_it_reaches():
    draft = draft_for(
        item(
            "test_changed",
            after="AssertionError: assert 4 == 5",
            delta="newly_failing",
            test_id="t.py::test_a",
        )
    )
    assert draft.claim == (
        "The test t.py::test_a no longer passes, as it did at the base: AssertionError: assert 4 == 5 (it "
        "reaches pkg.m.f, which changed)"
    )
    assert draft.remedy.change.value == "restore_behaviour"


def test_a_remedy_names_what_exists_at_the_commit():
    gone = item("symbol_removed", module="pkg.old", old_id="pkg.old.f", current_path="")
    assert draft_for(gone).remedy.locus.symbols == ("pkg.old".rpartition(".")[0],)
    there = item("symbol_removed", module="pkg.m", current_path="pkg/m.py")
    assert draft_for(there).remedy.locus.files == ("pkg/m.py",)
    lagging = draft_for(item("symbol_removed", lagging=2, module="pkg.m")).remedy
    assert (lagging.change.value, lagging.locus.files) == ("update_dependents", ("app0.py", "app1.py"))


def test_a_stranger_s_text_stays_in_its_bounds():
    hostile = item("contract_changed", effect="unbinds", symbols=("pkg.{x}\x1b[31m" + "y" * 5000,))
    draft = draft_for(hostile)
    assert len(draft.claim) == 2000
    assert "\x1b" not in draft.claim + draft.consequence + draft.remedy.text
    assert "pkg.{x}" in draft.claim
