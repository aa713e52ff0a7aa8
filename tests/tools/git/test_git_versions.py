"""The version of a commit by its tags, whatever they are called."""

import pytest

from repo_guardian.tools.git.versions import version_by_tags


@pytest.mark.parametrize(
    ("tag", "version"),
    [
        ("v1.2.3", "1.2.3"),
        ("1.2.3", "1.2.3"),
        ("release-2.0rc1", "2.0rc1"),
        ("thing-1.0.post2", "1.0.post2"),
        ("24.3.0+local", "24.3.0"),
        ("python3-v1.0", "1.0"),
        ("nightly", ""),
        ("v1.x", ""),
    ],
)
def test_the_tag_on_the_commit(repository, sync, tag, version):
    repository.commit()
    repository.git("tag", tag)
    assert version_by_tags(sync(repository).git, repository.head()) == version


def test_commits_since_the_tag_are_counted_and_no_tag_is_no_version(repository, sync):
    assert version_by_tags(sync(repository).git, repository.head()) == ""
    repository.git("tag", "-a", "v1.0", "-m", "one")
    repository.write("b", b"b")
    repository.commit()
    repository.write("b", b"c")
    repository.commit()
    assert version_by_tags(sync(repository).git, repository.head()) == "1.0.post2"


def test_what_is_no_full_id_is_never_handed_to_git(repository, sync):
    mirror = sync(repository)
    assert version_by_tags(mirror.git, "--all") == ""
    assert version_by_tags(mirror.git, "HEAD") == ""


def test_commits_since_a_development_release_are_later_ones_of_these(repository, sync):
    repository.commit()
    repository.git("tag", "1.0.0.dev3")
    repository.write("b", b"b")
    repository.commit()
    assert version_by_tags(sync(repository).git, repository.head()) == "1.0.0.dev4"
