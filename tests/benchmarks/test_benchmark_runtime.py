"""The tracer on a module that really runs, and the comparison of what it saw with the graph."""

import importlib.util
import json
import sys

import call_graph_runtime as runtime
import call_tracer
import pytest
from graphs import build
from trees import DirectorySource

SOURCE = """
class Base:
    def run(self):
        return self.step()

    def step(self):
        return 1


class Child(Base):
    def __init__(self):
        self.seen = []

    def step(self):
        return 2

    @property
    def size(self):
        return len(self.seen)

    def __add__(self, other):
        return other


def key(value):
    return value


def apply(function):
    return function(3)


def numbers():
    yield 1


def main():
    child = Child()
    child.run()
    child.size
    child + 1
    sorted([1], key=key)
    apply(key)
    apply(lambda value: value)
    return [value for value in numbers()]


def never():
    main()
"""


@pytest.fixture
def traced(tmp_path, monkeypatch):
    """What the tracer saw of one run of ``main``, and the tree."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "mod.py").write_text(SOURCE)
    monkeypatch.setattr(call_tracer, "ROOTS", (f"{tree}/",))
    spec = importlib.util.spec_from_file_location("traced_mod", tree / "mod.py")
    module = importlib.util.module_from_spec(spec)
    recorder = call_tracer.Recorder()
    before = sys.gettrace()
    recorder.start()
    try:
        spec.loader.exec_module(module)
        module.main()
    finally:
        recorder.stop()
        sys.settrace(before)
    recorder.write(str(tmp_path / "calls.json"))
    data = json.loads((tmp_path / "calls.json").read_bytes())
    data["codes"] = [[path.removeprefix(f"{tree}/"), *rest] for path, *rest in data["codes"]]
    return tree, data


def test_kinds_of_calls(traced, tmp_path):
    tree, data = traced
    graph = build(DirectorySource(tree, "tree"), tmp_path / "state")
    found = runtime.read_trace(data, runtime.Names(graph), tree)
    kinds = {pair: kind for pair, kind in found.pairs.items() if "lambda" not in pair[1]}
    assert kinds == {
        ("mod.main", "mod.Child.__init__"): "constructor",
        ("mod.main", "mod.Base.run"): "method",
        ("mod.Base.run", "mod.Child.step"): "method",
        ("mod.main", "mod.Child.size"): "implicit",
        ("mod.main", "mod.Child.__add__"): "implicit",
        ("mod.main", "mod.key"): "callback",
        ("mod.main", "mod.apply"): "direct",
        ("mod.apply", "mod.key"): "passed",
        ("mod.main", "mod.numbers"): "resumed",
    }
    assert ("mod.py", SOURCE.splitlines().index("    child + 1") + 1) in found.lines


def test_recall_and_precision(traced, tmp_path):
    tree, data = traced
    graph = build(DirectorySource(tree, "tree"), tmp_path / "state")
    found = runtime.read_trace(data, runtime.Names(graph), tree)
    row, misses = runtime.compare(found, graph, ("mod",))
    assert row.found["direct"] == row.traced["direct"] == 1
    assert row.found["constructor"] == 1
    assert row.confirmed <= row.on_lines
    assert all("mod.never" not in line for line in misses)
    assert (row + row).traced["direct"] == 2


def test_a_call_through_an_override_is_told_apart(traced, tmp_path):
    tree, _ = traced
    graph = build(DirectorySource(tree, "tree"), tmp_path / "state")
    calls = runtime.Calls(graph)
    assert calls.overridden("mod.Child.step") == {"mod.Base.step"}
    assert calls.overridden("mod.Base.step") == set()
