"""Whether an advisory affects a version: the OSV schema's algorithm, and its doubts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from repo_guardian.tools.advisories.inside.osv import Affected, affected_of, packages_of

from .conftest import RECORD


def ranges(*events):
    return Affected(ranges=(tuple(events),))


@pytest.mark.parametrize(
    ("events", "affected", "spared"),
    [
        ([("introduced", "0"), ("fixed", "1.10")], ["0.0.1", "1.9", "1.10rc1"], ["1.10", "2"]),
        ([("introduced", "1"), ("last_affected", "2")], ["1", "2", "2+local"], ["0.9", "2.0.1", "2.post1"]),
        ([("introduced", "1")], ["1", "99"], ["1.dev1", "0"]),
        (
            [("fixed", "3.2"), ("introduced", "0"), ("introduced", "3"), ("fixed", "2.2")],
            ["1", "3.1"],
            ["2.2", "2.9", "3.2"],
        ),
        ([("introduced", "0"), ("limit", "2")], ["1.9"], ["2", "3"]),
        ([("introduced", "0"), ("limit", "*")], ["3"], []),
        ([("introduced", "1"), ("fixed", "1")], ["1"], ["0.9"]),
        ([("introduced", "1!0"), ("fixed", "1!2")], ["1!1"], ["5", "1!2"]),
    ],
)
def test_ranges(events, affected, spared):
    for version in affected:
        assert ranges(*events).affects(version), version
    for version in spared:
        assert not ranges(*events).affects(version), version


def test_versions_are_compared_as_versions_and_as_spelled():
    listed = Affected(versions=("1.0.0", "2004d", "odd build"))
    assert listed.affects("1.0")
    assert listed.affects("1+cu117")
    assert listed.affects("odd build")
    assert not listed.affects("1.0.1")


@pytest.mark.parametrize(
    ("affected", "version", "why"),
    [
        (Affected(), "1.0", "neither versions nor a range"),
        (Affected(versions=("1.0",)), "odd", "no version by PEP 440"),
        (ranges(("introduced", "0"), ("fixed", "r20")), "1.0", "cannot be compared"),
    ],
)
def test_what_cannot_be_said_is_not_said(affected, version, why):
    with pytest.raises(ValueError, match=why):
        affected.affects(version)


def test_one_comparable_range_is_enough_to_be_affected():
    both = Affected(ranges=((("introduced", "x"),), (("introduced", "0"),)))
    assert both.affects("1.0")


def test_a_record_is_found_by_the_canonical_name():
    assert packages_of(RECORD) == ["planted-package"]
    found = affected_of(RECORD, "planted-package")
    assert found.fixed() == ["1.10"]
    assert found.versions == ("1.0", "1.9")
    assert affected_of(RECORD, "other") is None


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"affected": None},
        {"affected": ["x", {"package": "x"}, {"package": {"ecosystem": "PyPI"}}]},
        {"affected": [{"package": {"ecosystem": "npm", "name": "planted-package"}}]},
    ],
)
def test_records_of_another_shape_are_about_nothing(broken):
    assert affected_of(broken, "planted-package") is None


def test_parts_of_another_shape_leave_a_doubt():
    record = {
        "affected": [
            {
                "package": {"ecosystem": "PyPI:x", "name": "a"},
                "versions": [1.0, None],
                "ranges": [{"type": "GIT", "events": [{"introduced": "0"}]}, 7, {"type": "ECOSYSTEM"}],
            }
        ]
    }
    with pytest.raises(ValueError):
        affected_of(record, "a").affects("1")


RELEASES = st.lists(st.integers(0, 3), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))


@given(st.lists(st.tuples(RELEASES, RELEASES), max_size=4), RELEASES)
def test_intervals_joined_are_their_union(pairs, version):
    """Each pair is [low, high); told as one range or as several, a version is in the union or it is not."""
    intervals = [(low, high) for low, high in pairs if Version(low) < Version(high)]
    expected = any(Version(low) <= Version(version) < Version(high) for low, high in intervals)
    several = Affected(
        ranges=tuple((("introduced", low), ("fixed", high)) for low, high in intervals), versions=("99",)
    )
    assert several.affects(version) == expected


@given(st.lists(RELEASES, min_size=2, max_size=6, unique_by=Version), RELEASES, st.randoms())
def test_the_order_of_events_does_not_matter(bounds, version, random):
    ordered = sorted(bounds, key=Version)
    kinds = ["introduced", "fixed"] * len(ordered)
    events = list(zip(kinds, ordered, strict=False))
    shuffled = random.sample(events, len(events))
    assert ranges(*events).affects(version) == ranges(*shuffled).affects(version)
