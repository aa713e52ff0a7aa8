"""The scorer of call edges on ground truths that are made here."""

import json

import call_graph_accuracy as accuracy
import pytest
from graphs import Calls, build
from trees import DirectorySource


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def graph_of(tmp_path, files):
    write(tmp_path / "tree", files)
    return build(DirectorySource(tmp_path / "tree", "case"), tmp_path / "state")


def test_a_class_calls_the_init_that_it_inherits(tmp_path):
    graph = graph_of(
        tmp_path,
        {
            "m.py": """
class Base:
    def __init__(self): ...
class Middle(Base): ...
class Child(Middle): ...
class Plain: ...
def make():
    Child()
    Plain()
""",
        },
    )
    calls = Calls(graph)
    assert {callee for caller, callee in calls.pairs() if caller == "m.make"} == {"m.Base.__init__"}
    assert calls.constructor("m.Plain") is None


def test_reading_a_property_calls_it(tmp_path):
    graph = graph_of(
        tmp_path,
        {
            "m.py": """
class A:
    @property
    def size(self): return 1
    def show(self): return self.size
""",
        },
    )
    assert ("m.A.show", "m.A.size") in Calls(graph).pairs()
    assert Calls(graph, properties=False).pairs() == set()


def test_guesses_can_be_left_out(tmp_path):
    graph = graph_of(
        tmp_path,
        {"m.py": "class A:\n    def peculiar(self): ...\ndef f(x):\n    x.peculiar()\n"},
    )
    pair = ("m.f", "m.A.peculiar")
    assert pair in Calls(graph).pairs()
    assert pair not in Calls(graph, guesses=False).pairs()


def test_what_is_outside_goes_by_its_own_name(tmp_path):
    graph = graph_of(tmp_path, {"m.py": "import ext\ndef f():\n    len([])\n    ext.go()\n"})
    assert {("m.f", "<builtin>.len"), ("m.f", "ext.go")} <= Calls(graph).outside()


def test_micro_counts_within_the_case_and_all(tmp_path):
    case = tmp_path / "pycg" / "micro-benchmark" / "snippets" / "calls" / "one"
    write(
        case,
        {
            "main.py": "import other\ndef f(): ...\ndef g():\n    f()\n    len('')\n    other.h()\n",
            "other.py": "def h(): ...\n",
            "callgraph.json": {"main.g": ["main.f", "<builtin>.len", "other.h", "main.missing"]},
        },
    )
    categories, inside, everything = accuracy.micro(tmp_path / "pycg", tmp_path / "state")
    assert inside.line("x") == "| x | 3 | 1.000 | 0.667 |"
    assert everything.line("x") == "| x | 4 | 1.000 | 0.750 |"
    assert list(categories) == ["calls"]
    assert list(inside.misses()) == ["- calls/one: main.g -> main.missing"]


@pytest.fixture
def jarvis(tmp_path):
    base = tmp_path / "jarvis" / "Jarvis"
    write(
        base / "dataset" / "macro_benchmark" / "pj" / "proj",
        {
            "proj/__init__.py": "",
            "proj/m.py": "def f(): ...\nclass C: ...\ndef g():\n    f()\n    C()\n    h()\ndef h(): ...\n",
            "tests/test_m.py": "from proj.m import g\ndef test():\n    g()\n",
        },
    )
    truth = {"proj.m.g": ["proj.m.f", "proj.m.typo", "<builtin>.len", "proj.m.C"], "proj": ["proj.m"]}
    write(base / "ground_truth" / "macro_benchmark" / "proj", {"EA.json": truth})
    return tmp_path / "jarvis"


def test_macro_counts_calls_of_functions_within_the_package(jarvis, tmp_path):
    (score,) = accuracy.macro(jarvis, tmp_path / "state").values()
    assert score.expected == {
        ("proj", ("proj.m.g", "proj.m.f")),
        ("proj", ("proj.m.g", "proj.m.typo")),
    }
    assert score.found == {("proj", ("proj.m.g", "proj.m.f")), ("proj", ("proj.m.g", "proj.m.h"))}
    assert score.line("x") == "| x | 2 | 0.500 | 0.500 |"
    assert [line.split("  ")[0] for line in score.misses()] == [
        "+ proj: proj.m.g -> proj.m.h",
        "- proj: proj.m.g -> proj.m.typo",
    ]


def test_audited_calls_count_only_where_they_are_found(jarvis, tmp_path, monkeypatch):
    audit = tmp_path / "audit.txt"
    audit.write_text("# why\nproj: proj.m.g -> proj.m.h\nproj: proj.m.g -> proj.m.elsewhere\n")
    monkeypatch.setattr(accuracy, "AUDIT", audit)
    (score,) = accuracy.macro(jarvis, tmp_path / "state").values()
    assert score.audited().line("x") == "| x | 3 | 1.000 | 0.667 |"


def test_lambdas_go_by_their_module(tmp_path):
    graph = graph_of(tmp_path, {"p/__init__.py": "", "p/m.py": "def f(): ...\n"})
    assert accuracy.anonymous(graph, ("p.m.f.<lambda2>", "p.m.f")) == ("p.m.<lambda>", "p.m.f")
