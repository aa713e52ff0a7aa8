"""What is recognised as an effect, or as an input that one of the versions cannot take, and left out."""

from __future__ import annotations

HEAD = "import asyncio, datetime, os, random, threading, time\n\n_seen = []\n_count = 0\n\n\n"


def effects(*, current: bool) -> str:
    change = " + 1" if current else ""
    return HEAD + (
        f"def clock(x):\n    return int(time.time()) * 0{change}\n\n"
        f"def now(x):\n    return datetime.datetime.now().year * 0{change}\n\n"
        f"def chance(x):\n    return random.randint(1, 1){change}\n\n"
        f"def entropy(x):\n    return len(os.urandom(4)){change}\n\n"
        f"def remembers(x):\n    _seen.append(x)\n    return 0{change}\n\n"
        f"def counts(x):\n    global _count\n    _count += 1\n    return 0{change}\n\n"
        f"def seldom(x):\n    if x is None:\n        _seen.append(x)\n    return 0{change}\n\n"
        f"def own(seed):\n    return random.Random(seed).random(){change}\n\n"
        f"def locked(x):\n    with threading.Lock():\n        return x{change}\n\n"
        f"async def waits(x):\n    await asyncio.sleep(0)\n    return x{change}\n"
    )


NAMES = ("clock", "now", "chance", "entropy", "remembers", "counts", "seldom", "own", "locked")


async def test_clock_chance_and_globals_are_seen_and_what_has_none_is_compared(versions, run):
    calls = "".join(f"    pkg.{name}(1)\n" for name in NAMES)
    tests = f"import asyncio, pkg\n\n\ndef test_it():\n{calls}    asyncio.run(pkg.waits(1))\n"
    report = await run(*versions(effects(current=False), effects(current=True), tests))
    assert set(report.reaching_out) == {
        f"pkg.{name}" for name in ("clock", "now", "chance", "entropy", "remembers", "counts")
    }
    assert {d.target.qualname for d in report.divergences} == {"seldom", "own", "locked", "waits"}
    assert {name for name, _ in report.left_out.effects} == {"clock", "chance", "globals"}


OLD = """\
class Counted:
    def __init__(self, start):
        self._start = start

    def next(self):
        return self._start + 1


class Grown:
    def __init__(self, start):
        self._start = start

    def next(self):
        return self._start + 1


class Misspelt:
    def __init__(self, start):
        self.start = start

    def next(self):
        return self.start


def apply(function, x):
    return function(x)
"""
NEW = """\
class Counted:
    def __init__(self, start):
        self._start = str(start)

    def next(self):
        return int(self._start[0:]) + 1


class Grown:
    def __init__(self, start):
        self._start = start
        self._step = 1

    def next(self):
        return self._start + self._step


class Misspelt:
    def __init__(self, start):
        self.start = start

    def next(self):
        return self.strat


def apply(function, x):
    return function(x) or None
"""


async def test_objects_that_a_version_lays_out_differently_say_nothing(versions, run):
    tests = (
        "import pkg\n\n\ndef test_it():\n"
        "    for kind in (pkg.Counted, pkg.Grown, pkg.Misspelt):\n        kind(1).next()\n"
        "    offset = 1\n    pkg.apply(lambda x: x - offset, 1)\n"
    )
    report = await run(*versions(OLD, NEW, tests))
    found = {d.target.qualname: d for d in report.divergences}
    assert found.keys() == {"Misspelt.next", "apply"}
    assert found["Misspelt.next"].new.exception[0] == "AttributeError"
    assert (found["apply"].old.value, found["apply"].new.value) == ("0", "None")
    assert report.left_out.misfits > 0
    assert report.left_out.reshaped > 0


async def test_an_iterator_is_whole_when_the_function_gets_it(versions, run):
    old = "def total(xs):\n    return sum(xs)\n\n\ndef ends(xs):\n    yield from xs\n    raise KeyError\n"
    new = old.replace("sum(xs)", "sum(xs) + 1").replace("KeyError", "IndexError")
    tests = "import pkg\n\n\ndef test_it():\n    pkg.total(iter([1, 2]))\n    next(pkg.ends(iter([1])))\n"
    report = await run(*versions(old, new, tests))
    found = {d.target.qualname: d for d in report.divergences}
    assert (found["total"].call, found["total"].old.value) == ("([iterator[1, 2]], {})", "3")
    assert found["ends"].old.value == "iterator[1, raises KeyError]"
