"""Import roots and module names: which file is imported under which dotted name.

A directory with an ``__init__`` file is a package; the first directory above that has none is an *import
root*, and a module's name is its path below its root. Two files may claim one name. The winner is the file
whose root is, in this order: not auxiliary (tests, examples, docs, benchmarks), a package's rather than a
lone script's, free of Python 2 source, ``src`` or ``lib`` rather than something else, deeper, and first in
sorted order; in one root a package wins over a module and ``.py`` over ``.pyi``, as in Python. The losers
keep an id of their own, ``root:name`` (``lib3:yaml``; the whole path when the roots are equal).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from repo_guardian.tools.views.symbol_graph.corpus import Corpus, place_key

AUXILIARY = frozenset({
    "test", "tests", "testing", "example", "examples", "sample", "samples", "demo", "demos", "doc", "docs",
    "benchmark", "benchmarks", "bench", "benches",
})  # fmt: skip
"""Directories whose names are no public API."""

_AUXILIARY_FILES = frozenset({"conftest.py", "setup.py", "noxfile.py", "tasks.py"})
_USUAL_ROOTS = frozenset({"src", "lib", "python"})


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """One file as a module. ``root`` is relative to the tree ("" is the tree itself)."""

    path: str
    root: str
    name: str
    is_package: bool
    id: str = ""

    @property
    def auxiliary(self) -> bool:
        """True below a tests, examples, docs or benchmarks directory, and for test and set-up files."""
        *folders, file = self.path.split("/")
        return (
            file in _AUXILIARY_FILES
            or file.startswith("test_")
            or file.endswith("_test.py")
            or not AUXILIARY.isdisjoint(folder.lower() for folder in folders)
        )


class Layout:
    """All module files of a tree, found by dotted name.

    Args:
        paths: files with ``/`` as separator.
        python2: those of ``paths`` that are Python 2 source.
    """

    def __init__(self, paths: Iterable[str], python2: Collection[str] = ()) -> None:
        ordered = sorted(paths)
        packages = {p.rpartition("/")[0] for p in ordered if _stem(p) == "__init__"}
        files = [_module_file(path, packages) for path in ordered]
        old_roots = {f.root for f in files if f.path in python2 and _in_package(f)}
        files.sort(key=lambda f: _rank(f, old_roots))
        self.by_root: dict[str, dict[str, ModuleFile]] = {}
        self.primary: dict[str, ModuleFile] = {}
        self.secondary: dict[str, ModuleFile | None] = {}
        self.files: dict[str, ModuleFile] = {}
        for file in files:
            self._add(file)
        self._add_secondary_names()
        used = {f.root: _root_rank(f, old_roots) for f in reversed(files)}
        self.roots: tuple[str, ...] = tuple(sorted(used, key=lambda root: used[root]))

    def _add(self, file: ModuleFile) -> None:
        identity = file.name
        in_root = self.by_root.setdefault(file.root, {})
        if file.name in in_root:
            identity = f"{file.path}:{file.name}"
        elif file.name in self.primary:
            identity = f"{file.root or '.'}:{file.name}"
        placed = ModuleFile(file.path, file.root, file.name, file.is_package, identity)
        in_root.setdefault(file.name, placed)
        self.primary.setdefault(file.name, placed)
        self.files[file.path] = placed

    def _add_secondary_names(self) -> None:
        """Names through directories without ``__init__`` (namespace packages), where they are unique."""
        for file in self.files.values():
            folders = file.root.split("/") if file.root else []
            for start in range(len(folders)):
                name = ".".join([*folders[start:], file.name])
                if name not in self.primary:
                    self.secondary[name] = None if name in self.secondary else file

    def own(self, root: str, name: str) -> ModuleFile | None:
        """The module of a dotted name within one import root."""
        return self.by_root.get(root, {}).get(name)

    def anywhere(self, name: str) -> ModuleFile | None:
        """The module of a dotted name in whichever root comes first, else through namespace packages."""
        return self.primary.get(name) or self.secondary.get(name)

    def find(self, name: str, importer: ModuleFile) -> ModuleFile | None:
        """The module that ``importer`` gets for the dotted ``name``; None when the tree has none."""
        return self.own(importer.root, name) or self.anywhere(name)

    def place(self, importer: ModuleFile, level: int, name: str) -> str | None:
        """The path, without ending, that a relative import names; None when it leads out of the tree."""
        folders = importer.path.split("/")[:-1]
        if level - 1 > len(folders):
            return None
        return "/".join([*folders[: len(folders) - level + 1], *(name.split(".") if name else [])])

    def at(self, place: str) -> ModuleFile | None:
        """The module that is at a path without ending, found as the import system does."""
        stem = f"{place}/" if place else ""
        endings = [f"{stem}__init__.py", f"{place}.py", f"{stem}__init__.pyi", f"{place}.pyi"]
        return next((self.files[path] for path in endings if path in self.files), None)

    def below(self, file: ModuleFile, name: str) -> ModuleFile | None:
        """The submodule ``name`` of a package, in the same root."""
        return self.own(file.root, f"{file.name}.{name}") if file.is_package else None

    @staticmethod
    def own_key(root: str, name: str) -> str:
        """The key of what ``own`` finds."""
        return place_key("own", f"{root}\0{name}")

    @staticmethod
    def any_key(name: str) -> str:
        """The key of what ``anywhere`` finds."""
        return place_key("any", name)


def layout_of(corpus: Corpus, paths: Collection[str]) -> Layout:
    """The layout of files of a corpus; the last few are kept, since most commits add no file."""
    return _layout(tuple(paths), frozenset(path for path in paths if corpus.is_python2(path)))


@lru_cache(maxsize=4)
def _layout(paths: tuple[str, ...], python2: frozenset[str]) -> Layout:
    return Layout(paths, python2)


def moved_places(before: Layout, after: Layout) -> frozenset[str]:
    """The place keys whose content differs between two layouts."""
    if before is after:
        return frozenset()
    keys: set[str] = set()
    for root in before.by_root.keys() | after.by_root.keys():
        names = _differing(before.by_root.get(root, {}), after.by_root.get(root, {}))
        keys |= {Layout.own_key(root, name) for name in names}
    for name in _differing(before.primary, after.primary) | _differing(before.secondary, after.secondary):
        keys.add(Layout.any_key(name))
    keys |= {place_key("module", path) for path in _differing(before.files, after.files)}
    for path in before.files.keys() ^ after.files.keys():
        place = path.rpartition(".")[0]
        keys.add(place_key("at", place))
        if place.endswith("__init__"):
            keys.add(place_key("at", place.removesuffix("__init__").removesuffix("/")))
    return frozenset(keys)


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    names = before.keys() | after.keys()
    return {name for name in names if before.get(name) != after.get(name)}


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _module_file(path: str, packages: set[str]) -> ModuleFile:
    folder, _, file = path.rpartition("/")
    parts = [] if _stem(path) == "__init__" and folder else [file.rpartition(".")[0]]
    root = folder
    while root in packages and root:
        root, _, name = root.rpartition("/")
        parts.insert(0, name)
    return ModuleFile(path, root, ".".join(parts), _stem(path) == "__init__" and bool(folder))


def _in_package(file: ModuleFile) -> bool:
    return file.is_package or "." in file.name


def _root_rank(file: ModuleFile, old_roots: set[str]) -> tuple[bool | int | str, ...]:
    last = file.root.rpartition("/")[2]
    auxiliary = not AUXILIARY.isdisjoint(file.root.lower().split("/"))
    return (
        auxiliary,
        not _in_package(file),
        file.root in old_roots,
        last not in _USUAL_ROOTS,
        -file.root.count("/") - bool(file.root),
        file.root,
    )


def _rank(file: ModuleFile, old_roots: set[str]) -> tuple[bool | int | str, ...]:
    return (*_root_rank(file, old_roots), not file.is_package, file.path.endswith("i"), file.path)
