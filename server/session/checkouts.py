"""The exact checkouts of a cycle's trees, each written when it is first needed: drift alone needs none."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path

from repo_guardian.errors import MaterializeError
from repo_guardian.server.session.trees import Tree
from repo_guardian.tools.execution.bench import Checkout
from repo_guardian.tools.git.materialize import materialize, remove_checkout


class Checkouts:
    """Writes each tree at most once; may be asked from several threads.

    Args:
        folder: where checkouts lie.
        number: the cycle's; 0 for a check.
        held: removes them when it is closed.
    """

    def __init__(self, folder: Path, number: int, held: ExitStack) -> None:
        self._folder = folder
        self._number = number
        self._held = held
        self._made: dict[str, Checkout] = {}
        self._lock = threading.Lock()

    def of(self, tree: Tree) -> Checkout:
        """The checkout of a tree. Blocking.

        Raises:
            MaterializeError: the tree holds what must not be written, or something is in the way.
            GitError, StateDirError, DiskFullError: see ``materialize``.
        """
        with self._lock:
            if tree.label not in self._made:
                self._made[tree.label] = self._write(tree)
            return self._made[tree.label]

    def _write(self, tree: Tree) -> Checkout:
        path = self._folder / f"{self._number}_{tree.commit or 'empty'}"
        if path.exists():
            raise MaterializeError(f"{path} exists although no cycle holds it", hint="remove that directory")
        materialize(tree.git, tree.treeish, path)
        self._held.callback(remove_checkout, path)
        return Checkout(path, tree.label, tree.version)
