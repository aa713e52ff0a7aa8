"""What keeps an agent's test from being a fair witness, and what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_guardian.errors import UsageError
from repo_guardian.tools.probes.own_test import MOST_CHARS, Subject, read_own_test

SUBJECT = Subject(("pkg.io",), ("pkg", "requests"), ("data/table.csv",))
BODY = "def test_it(tmp_path):\n    {}\n"

GOOD = [
    "import pkg.io\n\n\n" + BODY.format("assert pkg.io.load(1)"),
    "from pkg.io import load as read\n\n\ndef helper():\n    return read(1)\n\n\n"
    + BODY.format("assert helper()"),
    BODY.format("from pkg import io; assert io"),
    BODY.format("import importlib; assert importlib.import_module('pkg.io')"),
    BODY.format("import requests; assert requests.get"),  # the repository's own package of that name
    BODY.format("import pkg; import inspect; inspect.signature(pkg.io.load).bind(1)"),
    BODY.format("import pkg; from urllib.parse import quote; assert quote"),
    BODY.format("import pkg; (tmp_path / 'x').write_text('1'); open(tmp_path / 'x')"),
    BODY.format("import pkg; names = {}; exec('from pkg.io import *', names); assert names"),
    BODY.format("import csv; assert 'table.csv'"),
]


@pytest.mark.parametrize("text", GOOD)
def test_an_honest_test_is_taken_as_it_is(text):
    test = read_own_test(text, SUBJECT)
    assert (test.text, test.function, test.file_name) == (text, "test_it", "test_it.py")
    assert not test.in_repository
    assert read_own_test(text, SUBJECT).digest == test.digest


REFUSED = {
    "not valid Python": ["def test_it(:", "\0", "def test_it():\n    '\ud800'\n"],
    "longer than": ["#" * (MOST_CHARS + 1)],
    "one test function at the top level, not 0": ["import pkg.io\n", "import pkg.io\ndef check(): ...\n"],
    "one test function at the top level, not 2": ["import pkg.io\ndef test_a(): ...\ndef test_b(): ...\n"],
    "not methods of a class": ["import pkg.io\nclass TestIt:\n    def test_it(self): ...\n"],
    "may not be async": ["import pkg.io\nasync def test_it(): ...\n"],
    "may not be parametrized": [
        "import pytest\nimport pkg.io\n@pytest.mark.parametrize('x', [1])\ndef test_it(x): ...\n"
    ],
    "the test's name": ["import pkg.io\ndef test_é(): ...\n", "import pkg.io\ndef testing(): ...\n"],
    "import pkg.io": [BODY.format("assert False"), BODY.format("import json")],
    "may not use the network": [
        BODY.format(f"import pkg; {statement}")
        for statement in (
            "import socket",
            "from urllib import request",
            "from urllib.request import urlopen",
            "import http.client as c",
            "import urllib; urllib.request.urlopen('x')",
            "import httpx",
        )
    ],
    "may not start or end processes": [
        BODY.format(f"import pkg; {statement}")
        for statement in (
            "import subprocess",
            "import os; os.system('x')",
            "from os import execv; execv('x', [])",
            "import os as o; o._exit(0)",
            "import sys; sys.exit()",
            "import pytest; pytest.exit('x')",
            "import ctypes",
            "exit()",
        )
    ],
    "may write only below tmp_path": [
        BODY.format(f"import pkg; {statement}")
        for statement in ("open('/etc/passwd')", "open('../x', 'w')", "from pathlib import Path; Path('/x')")
    ],
    "not at how it is written": [
        BODY.format(f"import pkg; {statement}")
        for statement in (
            "import inspect; inspect.getsource(pkg)",
            "from inspect import getsource as g; g(pkg)",
            "pkg.io.load.__code__",
            "open(pkg.__file__)",
            "__file__",
            "import dis",
        )
    ],
    "not written out": [
        BODY.format("import pkg; eval(input())"),
        BODY.format("import pkg; __import__(str())"),
    ],
}


@pytest.mark.parametrize(
    ("said", "text"), [(said, text) for said, texts in REFUSED.items() for text in texts]
)
def test_what_is_no_fair_witness_is_refused_in_words(said, text):
    with pytest.raises(UsageError) as refusal:
        read_own_test(text, SUBJECT)
    assert said in refusal.value.message
    assert "\n" not in refusal.value.message
    assert refusal.value.hint


def test_everything_that_is_wrong_is_told_at_once():
    with pytest.raises(UsageError) as refusal:
        read_own_test("import socket\nimport subprocess\n", SUBJECT)
    assert refusal.value.message.count(";") == 3


@given(text=st.text(max_size=200))
def test_nothing_else_is_ever_raised(text):
    for source in (text, GOOD[0] + text, BODY.format(f"import pkg; {text}")):
        try:
            assert read_own_test(source, SUBJECT).function.startswith("test_")
        except UsageError:
            continue
