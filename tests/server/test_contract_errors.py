"""A deliberate error crosses the wire with its class, its message and its hint."""

import pytest

from repo_guardian import errors
from repo_guardian.errors import GuardianError
from repo_guardian.server.contract.errors import decode_error, encode_error

ALL = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, GuardianError)]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("hint", ["", "do this"])
def test_every_class_of_the_tree_comes_back_as_itself(kind, hint):
    read = decode_error(encode_error(kind("what is\nwrong", hint=hint)))
    assert type(read) is kind
    assert (read.message, read.hint, read.exit_code) == ("what is wrong", hint, kind.exit_code)


@pytest.mark.parametrize("text", ["", "boom", "[KeyError] x", "[__class__] x", "[GuardianError] a\nb\nc"])
def test_any_other_text_is_a_plain_error_with_that_text(text):
    read = decode_error(text)
    assert type(read) is GuardianError
    assert "\n" not in read.message
