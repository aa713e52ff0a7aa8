"""What a name or an expression may turn out to be."""

from __future__ import annotations

from typing import Literal, NamedTuple

from repo_guardian.tools.views.symbol_graph.model import Resolution


class Value(NamedTuple):
    """One value.

    - ``definition``: the definition ``number`` of the file ``path``;
    - ``instance``: an instance of it;
    - ``module``: the file ``path`` as a module (``number`` -1);
    - ``package``: the directory ``path`` as a Go package;
    - ``external``: something outside the tree, called ``name``, empty when not even that is known;
    - ``gone``: the id ``name``, which no definition has;
    - ``unknown``: nothing is known.

    ``via`` are the aliases on the way, nearest first, and ``how`` says how it was found.
    """

    kind: Literal["definition", "instance", "module", "package", "external", "gone", "unknown"]
    path: str = ""
    number: int = -1
    name: str = ""
    via: tuple[str, ...] = ()
    how: Resolution = Resolution.LOCAL

    def through(self, *aliases: str) -> Value:
        """The same, found through ``aliases`` first."""
        return self._replace(via=(*aliases, *self.via)) if aliases else self

    def found(self, how: Resolution) -> Value:
        """The same, found in another way."""
        return self._replace(how=how)


UNKNOWN = Value("unknown", how=Resolution.UNRESOLVED)
EXTERNAL = Value("external", how=Resolution.UNRESOLVED)
