"""Messages of the commits between two."""

import pytest

from repo_guardian.errors import GitError
from repo_guardian.tools.git.messages import messages


def test_messages_between_two_commits(repository, sync):
    base = repository.head()
    repository.write("c.py", "1")
    second = repository.commit("Second\n\nWith a body\nof two lines")
    repository.write("c.py", "2")
    third = repository.commit("Third \x1b[31m")
    git = sync(repository).git
    assert messages(git, base, third) == (
        (third, "Third \x1b[31m"),
        (second, "Second\n\nWith a body\nof two lines"),
    )
    assert [oid for oid, _ in messages(git, None, third, max_commits=1)] == [third]
    assert len(messages(git, None, third)) == 4
    assert messages(git, third, third) == ()


@pytest.mark.parametrize("name", ["HEAD", "--all", "", "a" * 39])
def test_names_are_full_ids(repository, sync, name):
    git = sync(repository).git
    with pytest.raises(GitError):
        messages(git, None, name)
    with pytest.raises(GitError):
        messages(git, name, repository.head())
