"""Every kind of change, in a package of its own: the test that a template writes passes before, fails after.

All packages lie in one tree per commit and all tests run in one go on each, in the sandbox, as a suite would.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import pytest

from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.execution.suite import plan_suite, run_suite
from repo_guardian.tools.probes.templates import Material, candidates
from repo_guardian.tools.signals.drift.detect import detect_drift
from repo_guardian.tools.signals.drift.entry_points import detect_entry_points
from repo_guardian.tools.views.facts.interface import ExtractLimits
from repo_guardian.tools.views.facts.registry import extractor_for
from repo_guardian.tools.views.symbol_graph.link import link

FUTURE = "from __future__ import annotations\n"
CONTEXT = "from contextlib import contextmanager\n"
PROPERTY = "class C:\n    @property\n    def x(self):\n        return 1\n"
SETTER = "    @x.setter\n    def x(self, value):\n        pass\n"
ENUM = "import enum\nclass Color(enum.Enum):\n"
TUPLE = "import typing\nclass P(typing.NamedTuple):\n"
ABSTRACT = "import abc\nclass A(abc.ABC):\n"
ASKED = "    @abc.abstractmethod\n    def m(self): ...\n"
WRAP = "def wrap(f):\n    def inner(*args):\n        return f(*args)\n    return inner\n"

KINDS = {
    "parameter_added": ("def f(a): ...", "def f(a, b): ...", "inspect.signature(f).bind(object())"),
    "parameter_removed": ("def f(a, b=1): ...", "def f(a): ...", ".bind(object(), object())"),
    "parameter_renamed": ("def f(a): ...", "def f(b): ...", ".bind(a=object())"),
    "parameter_required": ("def f(a, b=1): ...", "def f(a, b): ...", ".bind(object())"),
    "parameter_keyword_only": ("def f(a): ...", "def f(*, a): ...", ".bind(object())"),
    "parameter_positional_only": ("def f(a): ...", "def f(a, /): ...", ".bind(a=object())"),
    "parameter_inserted": ("def f(a=1, b=2): ...", "def f(a=1, c=3, b=2): ...", '== ["a", "b"]'),
    "parameter_reordered": ("def f(a, b): ...", "def f(b, a): ...", ".bind(object(), b=object())"),
    "called": (
        "def f(a: int, b: str | None = None, *, sep=', '):\n    return sep.join([str(a)])",
        "def f(a: int, c: str, b: str | None = None, *, sep=', '):\n    return sep.join([str(a)])",
        "\n    f(2)",
    ),
    "called_static": (
        "class C:\n    @staticmethod\n    def f(a: 'list[int]'):\n        return len(a)",
        "class C:\n    @staticmethod\n    def f():\n        return 0",
        "\n    C.f([])",
    ),
    "not_called": (
        "def f(a: int):\n    open(str(a))",
        "def f():\n    open('b')",
        "signature(f).bind(object())",
    ),
    "raises": (
        "def f(a, limit=3):\n    'F.'\n    if limit < 0 or not isinstance(limit, int):\n"
        "        raise ValueError(limit)\n    return a",
        "def f(a, limit=3):\n    'F.'\n    if limit < 0 or not isinstance(limit, int):\n"
        "        raise KeyError(limit)\n    return a",
        "with pytest.raises(ValueError):\n        f('a', limit=-1)",
    ),
    "raises_own": (
        "class E(Exception): ...\nclass F(Exception): ...\n"
        "def f(name: str):\n    if not name:\n        raise E\n    return name",
        "class E(Exception): ...\nclass F(Exception): ...\n"
        "def f(name: str):\n    if not name:\n        raise F\n    return name",
        "with pytest.raises(E):\n        f('')",
    ),
    "raises_always": (
        "def f(*args):\n    raise LookupError(args)",
        "def f(*args):\n    raise OSError(args)",
        "with pytest.raises(LookupError):\n        f()",
    ),
    "method": ("class C:\n    def f(self): ...", "class C:\n    def f(self, a): ...", "C.f).bind(object())"),
    "class_method": (
        "class C:\n    @classmethod\n    def f(cls): ...",
        "class C:\n    @classmethod\n    def f(cls, a): ...",
        "C.f).bind()",
    ),
    "constructor": (
        "class C:\n    def __init__(self): ...",
        "class C:\n    def __init__(self, a): ...",
        "signature(C).bind()",
    ),
    "fields_reordered": (TUPLE + "    a: int\n    b: str", TUPLE + "    b: str\n    a: int", "(P).bind("),
    "became_async": ("def f(): ...", "async def f(): ...", "not inspect.iscoroutinefunction(f)"),
    "became_sync": ("async def f(): ...", "def f(): ...", "assert inspect.iscoroutinefunction(f)"),
    "became_generator": ("def f(): ...", "def f():\n    yield", "not inspect.isgeneratorfunction(f)"),
    "ceased_generator": ("def f():\n    yield", "def f(): ...", "assert inspect.isgeneratorfunction(f)"),
    "became_async_generator": (
        "def f(): ...",
        "async def f():\n    yield",
        "not inspect.isasyncgenfunction(f)",
    ),
    "generator_to_coroutine": (
        "def f():\n    yield",
        "async def f(): ...",
        "assert inspect.isgeneratorfunction(f)",
    ),
    "became_property": ("class C:\n    def x(self): ...", PROPERTY, "assert callable(C.x)"),
    "became_cached_property": (
        "class C:\n    def x(self): ...",
        "import functools\nclass C:\n    @functools.cached_property\n    def x(self): ...",
        "assert callable(C.x)",
    ),
    "became_method": (PROPERTY, "class C:\n    def x(self): ...", 'getattr_static(C, "x")'),
    "function_removed": ("def f(): ...\ndef g(): ...", "def g(): ...", "import f\n"),
    "method_removed": ("class C:\n    def f(self): ...", "class C: ...", "\n    C.f"),
    "constant_removed": ("X = 1\nY = 2", "Y = 2", "import X\n"),
    "function_renamed": ("def f(a):\n    return a + 1", "def g(a):\n    return a + 1", "import f\n"),
    "default_changed": ("def f(a=1): ...", "def f(a=2): ...", '.parameters["a"].default == 1'),
    "default_of_equal_value": ("def f(a=1): ...", "def f(a=True): ...", "repr("),
    "default_none": ("def f(a=None): ...", "def f(a=()): ...", ".default is None"),
    "default_by_name": ("D = object()\ndef f(a=D): ...", "D = object()\ndef f(a=0): ...", ".default is D"),
    "value_changed": ("X = 'a'", "X = 'b'", "assert X == 'a'"),
    "class_attribute_value": ("class C:\n    x = 1", "class C:\n    x = 2", "assert C.x == 1"),
    "enum_value": (ENUM + "    RED = 1", ENUM + "    RED = 2", "assert Color.RED.value == 1"),
    "type_changed": ("X = [1]", "X = (1,)", "type(X) is list"),
    "binding_static": (
        "class C:\n    @staticmethod\n    def f(): ...",
        "class C:\n    @classmethod\n    def f(cls): ...",
        "staticmethod)",
    ),
    "binding_instance": (
        "class C:\n    def f(self): ...",
        "class C:\n    @classmethod\n    def f(cls): ...",
        "inspect.isfunction(",
    ),
    "setter_removed": (PROPERTY + SETTER, PROPERTY, ".fset is not None"),
    "inherited": (
        "class A:\n    def m(self): ...\nclass B(A):\n    def m(self):\n        return 1",
        "class A:\n    def m(self): ...\nclass B(A): ...",
        '"m" in vars(B)',
    ),
    "base_removed": ("class A: ...\nclass B(A): ...", "class A: ...\nclass B: ...", "issubclass(B, A)"),
    "exception_base": ("class E(ValueError): ...", "class E(TypeError): ...", "issubclass(E, ValueError)"),
    "exception_base_still_implied": (
        "class E(Exception): ...",
        "class E(OSError): ...",
        "def test_e_does_not_derive_from_oserror",
    ),
    "external_base": (
        "from collections import UserDict\nclass B(UserDict): ...",
        "class B: ...",
        "issubclass(B, UserDict)",
    ),
    "base_added": ("class B: ...", "class A: ...\nclass B(A): ...", '"A" not in ['),
    "bases_reordered": (
        "class A: ...\nclass B: ...\nclass C(A, B): ...",
        "class A: ...\nclass B: ...\nclass C(B, A): ...",
        '== ["A", "B"]',
    ),
    "decorator_known": (
        CONTEXT + "def f():\n    yield",
        CONTEXT + "@contextmanager\ndef f():\n    yield",
        "inspect.isgeneratorfunction(f)",
    ),
    "decorator_added": (
        "import functools\ndef f(a): ...",
        "import functools\n@functools.lru_cache\ndef f(a): ...",
        'not hasattr(f, "cache_info")',
    ),
    "decorator_removed": (
        "import functools\n@functools.lru_cache\ndef f(a): ...",
        "import functools\ndef f(a): ...",
        'assert hasattr(f, "cache_info")',
    ),
    "own_decorator": (WRAP + "def f(a): ...", WRAP + "@wrap\ndef f(a): ...", '"co_name", None) == "f"'),
    "frozen": (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    a: int",
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P:\n    a: int",
        "__dataclass_params__.frozen is False",
    ),
    "annotation": ("def f() -> int: ...", "def f() -> str: ...", ".return_annotation == int"),
    "annotation_text": (
        FUTURE + "def f() -> Some[int]: ...",
        FUTURE + "def f() -> Other: ...",
        ".return_annotation == 'Some[int]'",
    ),
    "export_removed": (
        "__all__ = ['f', 'g']\ndef f(): ...\ndef g(): ...",
        "__all__ = ['g']\ndef f(): ...\ndef g(): ...",
        '"f" in namespace',
    ),
    "override": (
        "class A:\n    def m(self, a=1): ...\nclass B(A):\n    def m(self, a=1): ...",
        "class A:\n    def m(self, a=1): ...\nclass B(A):\n    def m(self): ...",
        "takes(B.m) or not takes(A.m)",
    ),
    "override_not_followed": (
        "class A:\n    def m(self): ...\nclass B(A):\n    def m(self): ...",
        "class A:\n    def m(self, a=1): ...\nclass B(A):\n    def m(self): ...",
        "takes(B.m) or not takes(A.m)",
    ),
    "abstract_added": (ABSTRACT + "    ...", ABSTRACT + ASKED, '"m" not in A.__abstractmethods__'),
    "abstract_child": (
        ABSTRACT + "    ...\nclass B(A):\n    ...",
        ABSTRACT + ASKED + "class B(A):\n    ...",
        "assert not inspect.isabstract(B)",
    ),
    "abstract_unfulfilled": (
        ABSTRACT + ASKED + "class B(A):\n    def m(self): ...",
        ABSTRACT + ASKED + "class B(A):\n    ...",
        '"m" not in B.__abstractmethods__',
    ),
}  # fmt: skip


@dataclass
class Commit:
    """One side: its texts by path, and their graph."""

    texts: dict[str, str]

    def __post_init__(self):
        extractor = extractor_for("python")
        facts = {p: extractor.extract(t.encode(), ExtractLimits()) for p, t in self.texts.items()}
        self.graph = link("0" * 40, facts)

    def read(self, path):
        return self.texts[path].encode() if path in self.texts else None


def sides(kinds):
    """Two commits with one package for each kind."""
    inits = {f"{name}/__init__.py": "" for name in kinds}
    made = [
        {**inits, **{f"{name}/m.py": textwrap.dedent(kind[side]) + "\n" for name, kind in kinds.items()}}
        for side in (0, 1)
    ]
    return Commit(made[0]), Commit(made[1])


def written_for(before, after):
    """All candidates by package."""
    found = {}
    sides = (before.graph, after.graph, before.read, after.read)
    for signal in (*detect_drift(*sides), *detect_entry_points(*sides)):
        symbol = before.graph.symbols.get(signal.detail.old_id)
        signature = symbol.signature if symbol is not None else None
        material = Material(signature, before.graph, after.graph, before.read, after.read)
        name = signal.symbols[0].partition(".")[0]
        found.setdefault(name, []).extend(candidates(signal, material))
    return found


@pytest.fixture
def outcomes(bench, tmp_path):
    """Run tests by package on a commit's tree; the outcome of each by its text."""

    async def run(commit, label, tests):
        root = tmp_path / label
        for path, text in commit.texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / "tests").mkdir()
        names = {}
        for package, some in tests.items():
            for number, test in enumerate(some):
                path = f"tests/test_{package}_{number}.py"
                (root / path).write_text(test.text)
                names[f"{path}::{test.function}"] = test.text
        done = await run_suite(bench, Checkout(root, label), plan_suite(root, ()))
        assert {test.test_id for test in done.tests} == names.keys()
        return {names[test.test_id]: (test.outcome.value, test.exception) for test in done.tests}

    return run


async def test_each_kind_of_change_is_shown_by_its_test(outcomes):
    before, after = sides(KINDS)
    tests = written_for(before, after)
    assert [name for name in KINDS if not tests.get(name)] == []
    at_base = await outcomes(before, "base", tests)
    now = await outcomes(after, "current", tests)
    wrong = {
        name: (at_base[test.text], now[test.text], test.text)
        for name, some in tests.items()
        for test in some
        if (at_base[test.text][0], now[test.text][0]) != ("passed", "failed")
    }
    assert wrong == {}
    texts = {name: "".join(test.text for test in some) for name, some in tests.items()}
    assert {name: texts[name] for name, (_, _, shown) in KINDS.items() if shown not in texts[name]} == {}


def project(scripts, code):
    """A package with console scripts, declared and, as an installer would, installed."""
    lines = "\n".join(f'{name} = "{reference}"' for name, reference in scripts.items())
    installed = "\n".join(f"{name} = {reference}" for name, reference in scripts.items())
    files = {
        "pyproject.toml": f'[project]\nname = "epkg"\nversion = "1"\n[project.scripts]\n{lines}\n',
        "epkg/__init__.py": "",
        "epkg/cli.py": code,
    }
    metadata = {
        "epkg-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: epkg\nVersion: 1\n",
        "epkg-1.dist-info/entry_points.txt": f"[console_scripts]\n{installed}\n",
    }
    commit = Commit({path: text for path, text in files.items() if path.endswith(".py")})
    commit.texts |= files | metadata
    return commit


async def test_entry_points_are_shown_by_what_they_name_and_by_what_is_installed(outcomes):
    code = "def main(): ...\ndef other(): ...\ndef third(): ...\n"
    before = project({"one": "epkg.cli:main", "two": "epkg.cli:other", "three": "epkg.cli:third"}, code)
    after = project({"one": "epkg.cli:main", "three": "epkg.cli:nothing"}, code.replace("main", "start"))
    tests = written_for(before, after)
    texts = "".join(test.text for test in tests["epkg"])
    assert "def test_one_can_be_started" in texts
    assert "def test_two_still_starts_epkg_cli_other" in texts
    assert "def test_three_still_starts_epkg_cli_third" in texts
    at_base = await outcomes(before, "base", tests)
    now = await outcomes(after, "current", tests)
    assert {text: at_base[text][0] for text in at_base} == dict.fromkeys(at_base, "passed")
    assert {text: now[text][0] for text in now} == dict.fromkeys(now, "failed"), now
