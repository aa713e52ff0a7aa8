"""What the linker may ask of a commit, and what it says of each file: the contract of incremental linking.

A file's links are a function of the corpus and its path, computed the same way whether the corpus is all new
or mostly kept. While a file is linked, every fact of *another* file that an answer rested on is recorded by
its key, misses included. Between two commits the keys whose content differs are known from the changed files
alone; a file is linked again when its own blob changed or when it read such a key, and is kept otherwise.

Keys are text, kept as hashes: two keys with one hash only cause a file to be linked once too often.

- ``local_key(path, name)``: what ``name`` of the file ``path`` is, as far as another file can see it: a
  module-level name, a member of a class (``Class.member``, there or not), and what ``paths`` names besides
  (what a function returns, what is passed to callees of one name, …);
- ``global_key(kind, name)``: which files mention a name, whatever their path (define a method called so, pass
  values to a callee of that name); not what they say of it, which local keys stand for. A language may say
  that it does not look at the files when they are many (``LanguageLinker.most_files``);
- ``place_key(kind, name)``: where modules are (a path that exists, a dotted name that an import finds).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import NamedTuple, Protocol

from repo_guardian.tools.views.facts.interface import FileFacts
from repo_guardian.tools.views.symbol_graph.model import Edge, Symbol


def local_key(path: str, name: str) -> str:
    """The key of what other files can see of module-level ``name`` in the file ``path``."""
    return f"l\0{path}\0{name}"


def global_key(kind: str, name: str) -> str:
    """The key of which files mention ``name`` in the way ``kind``."""
    return f"g\0{kind}\0{name}"


def place_key(kind: str, name: str) -> str:
    """The key of where something is: ``kind`` says what is looked for by ``name``."""
    return f"p\0{kind}\0{name}"


def key_hash(key: str) -> int:
    """A key as an unsigned 64-bit number."""
    return int.from_bytes(
        hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


class Corpus(Protocol):
    """The facts of one commit's files. Answers do not change while the object lives."""

    def paths(self) -> Collection[str]:
        """All files that have facts, ``/`` as separator, in sorted order."""
        ...

    def language(self, path: str) -> str:
        """The language of a file of ``paths``, as in ``facts.registry``."""
        ...

    def is_python2(self, path: str) -> bool:
        """Whether a file of ``paths`` is Python 2 source; known without its facts."""
        ...

    def facts(self, path: str) -> FileFacts:
        """The facts of a file of ``paths``; loaded when asked for."""
        ...

    def mentions(self, key: str) -> tuple[str, ...]:
        """The files of ``paths`` that mention ``key`` (made by ``global_key``), in sorted order."""
        ...


class LinkedFile(NamedTuple):
    """What linking one file gives.

    Attributes:
        path: the file.
        symbols: its definitions and import bindings, by id; ids are unique within the file.
        edges: its uses, sorted by (start_byte, end_byte, kind, target).
        reads: hashes of the keys of other files, and of places and mentions, that the answers rested on.
        mentions: hashes of the global keys that this file's own facts belong to.
    """

    path: str
    symbols: tuple[Symbol, ...]
    edges: tuple[Edge, ...]
    reads: frozenset[int]
    mentions: frozenset[int]
