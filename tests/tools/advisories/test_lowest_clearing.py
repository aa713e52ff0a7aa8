"""The lowest version that clears: what is eligible, what gives way, and that it is said."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from repo_guardian.sandbox.toolchain.cutoff import COOLDOWN
from repo_guardian.sandbox.toolchain.index import Offer
from repo_guardian.tools.advisories.clearing import lowest_clearing

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=400)


def offer(version, hours=10_000, **rest):
    return Offer(version, NOW - timedelta(hours=hours), **rest)


def fixed_in(version):
    return lambda text: Version(text) >= Version(version)


def clear(offers, *advisories, current="1.0", requirement=None, **rest):
    specifier = SpecifierSet(requirement) if requirement is not None else None
    return lowest_clearing(
        offers, advisories, current=Version(current), requirement=specifier, as_of=NOW, **rest
    )


def test_the_lowest_that_clears_all_and_not_merely_the_newest():
    offers = [offer(v) for v in ("3.0", "1.0", "2.0", "1.10", "1.9")]
    assert clear(offers, fixed_in("1.5")).version == "1.9"
    found = clear(offers, fixed_in("1.5"), fixed_in("1.10"))
    assert found.version == "1.10"
    assert found.words == ""
    assert not (found.widens or found.cooldown_yields)


def test_yanked_and_pre_releases_are_passed_over():
    offers = [offer("1.1", yanked=True), offer("1.2rc1"), offer("1.3.dev1"), offer("1.4")]
    assert clear(offers, fixed_in("1.1")).version == "1.4"
    assert clear(offers, fixed_in("1.1"), current="1.0b1").version == "1.2rc1"


def test_the_requirement_is_kept_where_it_can_be_and_widened_aloud_where_not():
    offers = [offer("1.9"), offer("2.0"), offer("3.0")]
    kept = clear(offers, fixed_in("2.0"), requirement=">=3")
    assert (kept.version, kept.widens) == ("3.0", False)
    widened = clear(offers, fixed_in("2.0"), requirement="<2")
    assert (widened.version, widened.widens) == ("2.0", True)
    assert "<2 has to be widened" in widened.words


def test_the_cooldown_yields_to_a_known_vulnerability_and_says_so():
    offers = [offer("1.1"), offer("1.2", hours=10), offer("1.3", hours=80)]
    assert clear(offers, fixed_in("1.1")).version == "1.1"
    assert clear(offers, fixed_in("1.2")).version == "1.3"
    offers = [offer("1.1"), offer("1.2", hours=10)]
    found = clear(offers, fixed_in("1.2"))
    assert (found.version, found.cooldown_yields) == ("1.2", True)
    assert found.words == (
        "it was uploaded 10 h ago (2024-06-01 02:00 UTC), and the cooldown of 72 h yields to a known"
        " vulnerability: nothing older clears"
    )


def test_exactly_the_cooldown_is_old_enough():
    assert clear([offer("1.1", hours=72)], fixed_in("1.1")).cooldown_yields is False
    assert clear([offer("1.1", hours=71)], fixed_in("1.1")).cooldown_yields is True


def test_the_requirement_weighs_more_than_the_cooldown():
    found = clear([offer("1.2", hours=1), offer("2.0")], fixed_in("1.2"), requirement="<2")
    assert (found.version, found.widens, found.cooldown_yields) == ("1.2", False, True)
    assert "nothing older within <2 clears" in found.words


def test_an_unknown_date_counts_as_young_and_a_later_one_as_not_there():
    assert clear([Offer("1.1"), offer("1.2")], fixed_in("1.1")).version == "1.2"
    found = clear([Offer("1.1")], fixed_in("1.1"))
    assert found.cooldown_yields
    assert "does not say when" in found.words
    assert clear([offer("1.1", hours=-1)], fixed_in("1.1")).version == ""


def test_a_local_build_stands_for_its_release():
    assert clear([offer("1.0"), offer("1.1")], fixed_in("1.1"), current="1.0+cu117").version == "1.1"
    assert clear([offer("1.0")], current="1.0+cu117").version == "1.0"


@pytest.mark.parametrize("offers", [[], [offer("0.9")], [Offer("not a version", OLD)]])
def test_nothing_that_clears_is_said(offers):
    assert clear(offers, fixed_in("1.1")).words == "no version that the index offers clears it"
    assert "not checked against the index" in clear(offers, fixed_in("1.1"), checked=False).words


VERSIONS = st.builds(
    lambda release, pre: ".".join(map(str, release)) + pre,
    st.lists(st.integers(0, 4), min_size=1, max_size=3),
    st.sampled_from(["", "", "", "rc1", ".dev2", "a1", ".post1"]),
)
OFFERS = st.lists(
    st.builds(
        Offer,
        VERSIONS,
        st.none() | st.integers(-50, 400).map(lambda hours: NOW - timedelta(hours=hours)),
        st.booleans(),
    ),
    max_size=12,
    unique_by=lambda one: Version(one.version),
)
REQUIREMENTS = st.none() | st.sampled_from([">=1", "<2", ">=1,<3", "~=1.2", "!=2.0", ">=9"])


@given(OFFERS, st.lists(VERSIONS, max_size=3), VERSIONS, REQUIREMENTS)
def test_what_is_found_is_eligible_clears_and_is_the_lowest_of_its_rank(offers, fixes, current, requirement):
    specifier = SpecifierSet(requirement) if requirement is not None else None
    advisories = [fixed_in(fix) for fix in fixes]
    found = lowest_clearing(offers, advisories, current=Version(current), requirement=specifier, as_of=NOW)

    def usable(one):
        version = Version(one.version)
        return (
            version >= Version(current)
            and not one.yanked
            and (Version(current).is_prerelease or not version.is_prerelease)
            and (one.uploaded is None or one.uploaded <= NOW)
            and all(clears(one.version) for clears in advisories)
        )

    def within(one):
        return specifier is None or specifier.contains(one.version, prereleases=True)

    def aged(one):
        return one.uploaded is not None and NOW - one.uploaded >= COOLDOWN

    possible = [one for one in offers if usable(one)]
    if not found.version:
        assert possible == []
        return
    (chosen,) = [one for one in offers if one.version == found.version]
    assert usable(chosen)
    assert found.widens == (not any(map(within, possible)))
    rivals = [one for one in possible if within(one) or found.widens]
    assert found.cooldown_yields == (not any(map(aged, rivals)))
    assert found.cooldown_yields == (not aged(chosen))
    rivals = [one for one in rivals if aged(one) or found.cooldown_yields]
    assert Version(chosen.version) == min(Version(one.version) for one in rivals)
    assert ("has to be widened" in found.words) == found.widens
    assert ("cooldown" in found.words) == found.cooldown_yields


@given(OFFERS, st.lists(VERSIONS, min_size=1, max_size=3), VERSIONS, st.randoms())
def test_order_does_not_matter_and_all_is_never_below_each(offers, fixes, current, random):
    def lowest(among, advisories):
        return lowest_clearing(
            among, advisories, current=Version(current), requirement=None, as_of=NOW, cooldown=timedelta(0)
        )

    advisories = [fixed_in(fix) for fix in fixes]
    shuffled = random.sample(offers, len(offers))
    every = lowest(offers, advisories)
    assert every.version == lowest(shuffled, advisories[::-1]).version
    if every.version:
        for advisory in advisories:
            assert Version(lowest(offers, [advisory]).version) <= Version(every.version)
