"""Precision on real histories: the committed samples and labels, and what the tables are made with."""

from __future__ import annotations

import pytest
from drift_labels import LABEL_FIELDS, SAMPLE_FIELDS, kappa, read_rows, wilson
from drift_reshaped import declared, extends
from drift_table import LABELS

SAMPLES = sorted(path.name.removesuffix(".sample.tsv") for path in LABELS.glob("*.sample.tsv"))


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("reading", ["first", "second"])
def test_every_signal_of_a_sample_is_labelled_with_a_reason_and_a_command(name, reading):
    drawn = read_rows(LABELS / f"{name}.sample.tsv")
    labels = read_rows(LABELS / f"{name}.{reading}.tsv")
    assert drawn
    assert tuple(drawn[0]) == SAMPLE_FIELDS
    assert tuple(labels[0]) == LABEL_FIELDS
    assert {row["id"] for row in drawn} == {row["id"] for row in labels}
    for row in labels:
        assert row["label"] in ("true", "noise", "undecided")
        assert row["reason"]
        assert row["command"]


def test_kappa_counts_what_both_decided():
    first = {"a": "true", "b": "true", "c": "noise", "d": "noise", "e": "true"}
    assert kappa(first, first) == (5, 5, 1.0)
    assert kappa(first, {**first, "e": "undecided", "d": "true"}) == (4, 3, 0.5)
    assert kappa({"a": "true"}, {"a": "true"}) == (1, 1, 1.0)


def test_the_interval_of_a_share():
    low, high = wilson(95, 100)
    assert (round(low, 3), round(high, 3)) == (0.888, 0.978)


@pytest.mark.parametrize(
    ("before", "after", "fits"),
    [
        ("def f(a): ...", "def f(a, b=1): ...", True),
        ("def f(a): ...", "def f(a, *, b=1): ...", True),
        ("def f(a): ...", "def f(a: int) -> int: ...", True),
        ("def f(a): ...", "def f(a, b): ...", False),
        ("def f(a): ...", "def f(b): ...", False),
        ("def f(a, b=1): ...", "def f(b=1, a=2): ...", False),
        ("def f(a=1): ...", "def f(a): ...", False),
        ("def f(*a): ...", "def f(): ...", False),
        ("def f(): ...", "async def f(): ...", False),
        ("@x\ndef f(): ...", "def f(): ...", False),
        ("def f(*, a=1): ...", "def f(): ...", False),
    ],
)
def test_which_declarations_are_worth_a_comparison(before, after, fits):
    old, new = (declared(text.encode())[".f"] for text in (before, after))
    assert extends(old, new) is fits
