"""What a process costs, and questions that are the same each time."""

import os

import measure
import queries
from graphs import build
from trees import DirectorySource

SOURCE = '''
def first(a):
    """Turn the first thing into the second. More text."""


def second():
    """Short."""
    first(1)
    first(2)


class Third:
    """A class that does nothing at all,
    over two lines.
    """

    def call(self):
        second()
'''


def test_files_count_once(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 100)
    os.link(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").symlink_to("a")
    assert measure.disk_bytes(tmp_path) == 100
    assert measure.disk_bytes(tmp_path / "absent") == 0


def test_spread():
    found = measure.Spread.of([*range(1, 100), 1000])
    assert (found.median, found.p90, found.p99, found.largest) == (50.5, 91, 1000, 1000)


def test_a_command_is_measured():
    done = measure.run(["/bin/sh", "-c", "echo done; exit 3"])
    assert done.output == b"done\n"
    assert done.exit_code == 3
    assert done.peak_bytes > 0


def test_questions(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "m.py").write_text(SOURCE)
    (tmp_path / "tree" / "bad.py").write_text("print 'old'\n")
    source = DirectorySource(tmp_path / "tree", "tree")
    expected = ["A class that does nothing at all, over two lines", "Turn the first thing into the second"]
    assert sorted(queries.docstring_queries(source, 5)) == expected
    graph = build(source, tmp_path / "state")
    assert queries.most_used(graph, 1) == ["m.first"]
    assert sorted(queries.random_symbols(graph, 10)) == ["m.Third", "m.Third.call", "m.first", "m.second"]
    first, third = queries.answers(graph, ["m.first", "m.Third"])
    assert len(first) == 2
    assert third == []
