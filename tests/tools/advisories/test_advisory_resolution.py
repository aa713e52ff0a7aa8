"""What is not pinned, as the toolchain of the commit's date holds it; one that cannot be had is told."""

import zipfile
from datetime import UTC, datetime

import pytest

from repo_guardian.sandbox.registry import select
from repo_guardian.tools.advisories.resolve import resolve_versions

WHEN = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.fixture
async def resolve(home):
    """Resolve a tree of texts."""
    backend = await select("bubblewrap")

    async def call(tree):
        contents = {name: text.encode() for name, text in tree.items()}
        places = {"harness_root": home / "harness", "site_root": home / "site"}
        return await resolve_versions(contents.get, backend, as_of=WHEN, **places)

    return call


async def test_a_tree_that_needs_nothing_resolves_to_nothing(resolve):
    found = await resolve({"m.py": ""})
    assert (dict(found.versions), found.problems) == ({}, ())


async def test_what_cannot_be_had_is_told(resolve):
    found = await resolve({"requirements.txt": "thing @ https://example.invalid/thing.whl\n"})
    assert dict(found.versions) == {}
    assert "thing" in found.problems[0]


async def test_what_is_installed_has_a_version(resolve, monkeypatch, tmp_path):
    """From a folder of wheels, so that no index is asked."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "Some_Thing-1.5-py3-none-any.whl", "w") as archive:
        archive.writestr("some_thing.py", "")
        info = "Some_Thing-1.5.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: Some_Thing\nVersion: 1.5\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    await resolve({"m.py": ""})  # the runner is acquired before the index is taken away
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    found = await resolve({"requirements.txt": "some.thing>=1\n"})
    assert dict(found.versions) == {"some-thing": "1.5"}, found.problems
