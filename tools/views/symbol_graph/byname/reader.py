"""The one way to other files: whatever an answer rests on outside its own file is recorded by its key."""

from __future__ import annotations

from collections.abc import Collection

from repo_guardian.tools.views.symbol_graph.byname.files import File
from repo_guardian.tools.views.symbol_graph.corpus import (
    Corpus,
    global_key,
    key_hash,
    local_key,
    place_key,
)

PATH = "byname-path"
"""The kind of place key that says whether a path exists."""
FOLDER = "byname-folder"
"""The kind of place key that says which files a folder directly holds."""


class Files:
    """The files of a corpus, made when asked for and kept: a function of the corpus alone."""

    def __init__(self, corpus: Corpus, paths: Collection[str]) -> None:
        self.corpus = corpus
        self.paths = frozenset(paths)
        self._files: dict[str, File] = {}
        self._folders: dict[str, list[str]] | None = None

    def folder(self, folder: str) -> list[str]:
        """The files directly in ``folder``, sorted."""
        if self._folders is None:
            self._folders = {}
            for path in sorted(self.paths):
                self._folders.setdefault(path.rpartition("/")[0], []).append(path)
        return self._folders.get(folder, [])

    def get(self, path: str) -> File:
        """The file at ``path``, which is one of ``paths``."""
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = File(path, self.corpus.facts(path))
        return file


class Reader:
    """Looks things up for one file, and records what was looked up.

    Args:
        files: all files.
        path: the file that is linked; its own facts need no record.
    """

    def __init__(self, files: Files, path: str) -> None:
        self._files = files
        self.path = path
        self.reads: set[int] = set()

    def exists(self, path: str) -> bool:
        """Whether there is a file at ``path``."""
        self.reads.add(key_hash(place_key(PATH, path)))
        return path in self._files.paths

    def folder(self, folder: str) -> list[str]:
        """The files directly in ``folder``, sorted."""
        self.reads.add(key_hash(place_key(FOLDER, folder)))
        return self._files.folder(folder)

    def file(self, path: str, name: str) -> File:
        """The file at ``path``, to look at what its name ``name`` (``*`` for the module as a whole) is."""
        if path != self.path:
            self.reads.add(key_hash(local_key(path, name.partition(".")[0])))
        return self._files.get(path)

    def mentions(self, kind: str, name: str) -> tuple[str, ...]:
        """The files that mention ``name`` in the way ``kind``, sorted."""
        key = global_key(kind, name)
        self.reads.add(key_hash(key))
        return self._files.corpus.mentions(key)

    def own(self) -> File:
        """The file that is linked."""
        return self._files.get(self.path)

    def facts_of_mentioned(self, path: str) -> File:
        """A file that ``mentions`` gave, for what its entry under that key holds; that key is recorded."""
        return self._files.get(path)
