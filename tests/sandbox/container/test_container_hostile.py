"""The container backend stands every attack of the hostile battery, on Podman and on Docker."""

from __future__ import annotations

import anyio
import pytest

from repo_guardian.sandbox.hostile.suite import CASES, run_battery


@pytest.fixture(scope="module")
def outcomes(backend):
    """Every attack's outcome by name."""
    return {outcome.name: outcome for outcome in anyio.run(run_battery, backend)}


@pytest.mark.parametrize("name", [attack.name for _, attack in CASES])
def test_an_attack_on_a_container_gains_nothing(outcomes, name):
    assert outcomes[name].held, f"{outcomes[name].outcome}: {outcomes[name].detail}"


def test_memory_that_is_used_up_is_told_as_such(outcomes):
    assert outcomes["memory_hog"].outcome == "out_of_memory"
    assert outcomes["memory_of_children"].detail == "bounded together"
