"""A changed test is a consequence when every changed definition that it reaches is part of a finding."""

import pytest

from repo_guardian.client.policy.consequences import explained_by
from repo_guardian.server.contract.signals import SignalItem
from repo_guardian.server.contract.wire import Locus

PROVEN = {"h1": Locus(files=("pkg/m.py",), symbols=("pkg.m.f", "pkg.f")), "h2": Locus(symbols=("pkg.m.g",))}


def changed_test(suspects, kind="test_changed"):
    return SignalItem(
        key="k", kind=kind, line="test_f fails now", symbols=(), paths=(), before="", after="",
        public=True, score=1.0, provable=True, lagging_total=0, dependents_total=0, dependents=(),
        detail={"suspects": suspects} if suspects else {},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("suspects", "finding"),
    [
        ("pkg.m.f", "h1"),
        ("pkg.m.g", "h2"),
        ("pkg.m.g,pkg.m.f", "h1"),
        ("pkg.m.f,pkg.m.other", ""),
        ("pkg.m.other", ""),
        ("", ""),
    ],
)
def test_all_suspects_have_to_be_proven(suspects, finding):
    assert explained_by(changed_test(suspects), PROVEN) == finding


def test_only_tests_follow_and_only_from_something():
    assert explained_by(changed_test("pkg.m.f", kind="behaviour_changed"), PROVEN) == ""
    assert explained_by(changed_test("pkg.m.f"), {}) == ""
