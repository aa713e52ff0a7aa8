"""Import roots and module names: which file is imported under which dotted name.

A directory with an ``__init__`` file is a package; the first directory above that has none is an *import
root*, and a module's name is its path below its root. Two files may claim one name. The winner is the file
whose root is, in this order: not auxiliary (tests, examples, docs, benchmarks), a package's rather than a
lone script's, free of Python 2 source, ``src`` or ``lib`` rather than something else, deeper, and first in
sorted order; in one root a package wins over a module and ``.py`` over ``.pyi``, as in Python. The losers
keep an id of their own, ``root:name`` (``lib3:yaml``; the whole path when the roots are equal).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

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
        self._by_root: dict[str, dict[str, ModuleFile]] = {}
        self._primary: dict[str, ModuleFile] = {}
        self._secondary: dict[str, ModuleFile | None] = {}
        self.files: dict[str, ModuleFile] = {}
        for file in files:
            self._add(file)
        self._add_secondary_names()
        used = {f.root: _root_rank(f, old_roots) for f in reversed(files)}
        self.roots: tuple[str, ...] = tuple(sorted(used, key=lambda root: used[root]))

    def _add(self, file: ModuleFile) -> None:
        identity = file.name
        in_root = self._by_root.setdefault(file.root, {})
        if file.name in in_root:
            identity = f"{file.path}:{file.name}"
        elif file.name in self._primary:
            identity = f"{file.root or '.'}:{file.name}"
        placed = ModuleFile(file.path, file.root, file.name, file.is_package, identity)
        in_root.setdefault(file.name, placed)
        self._primary.setdefault(file.name, placed)
        self.files[file.path] = placed

    def _add_secondary_names(self) -> None:
        """Names through directories without ``__init__`` (namespace packages), where they are unique."""
        for file in self.files.values():
            folders = file.root.split("/") if file.root else []
            for start in range(len(folders)):
                name = ".".join([*folders[start:], file.name])
                if name not in self._primary:
                    self._secondary[name] = None if name in self._secondary else file

    def find(self, name: str, importer: ModuleFile) -> ModuleFile | None:
        """The module that ``importer`` gets for the dotted ``name``; None when the tree has none."""
        own = self._by_root[importer.root].get(name)
        return own or self._primary.get(name) or self._secondary.get(name)

    def relative(self, importer: ModuleFile, level: int, name: str) -> ModuleFile | None:
        """The module that a relative import names, found by its path as the import system does."""
        folders = importer.path.split("/")[:-1]
        if level - 1 > len(folders):
            return None
        place = "/".join([*folders[: len(folders) - level + 1], *(name.split(".") if name else [])])
        stem = f"{place}/" if place else ""
        endings = [f"{stem}__init__.py", f"{place}.py", f"{stem}__init__.pyi", f"{place}.pyi"]
        return next((self.files[path] for path in endings if path in self.files), None)

    def below(self, file: ModuleFile, name: str) -> ModuleFile | None:
        """The submodule ``name`` of a package, in the same root."""
        return self._by_root[file.root].get(f"{file.name}.{name}") if file.is_package else None


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
