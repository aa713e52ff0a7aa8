"""What each kind of signal is called where a report speaks to people or to a code host.

The keys are the values that signals carry on the wire. A kind that is not known here is still reported,
under its own name.
"""

from __future__ import annotations

from dataclasses import dataclass

CLAIM = "claim"
"""The kind of a hypothesis that no signal gave rise to."""


@dataclass(frozen=True, slots=True)
class KindText:
    """A short title without a full stop, and one or two sentences on what it means to those who use it."""

    title: str
    meaning: str


KINDS: dict[str, KindText] = {
    "contract_changed": KindText(
        "A call that used to work no longer does",
        "A callable changed so that some earlier use of it no longer fits: a parameter was removed, renamed, "
        "reordered or made required, or it has to be called in another way.",
    ),
    "symbol_removed": KindText(
        "A name is gone",
        "A function, class, constant or module was removed. Whoever imports or uses it fails.",
    ),
    "symbol_moved": KindText(
        "A name has moved",
        "The same definition is found under another name or in another module. "
        "Imports from the old place fail.",
    ),
    "definition_altered": KindText(
        "The same call may mean something else",
        "Every earlier use still fits, but a default, a value, a base class, a decorator or the declared "
        "result changed, so that it may do something else.",
    ),
    "export_removed": KindText(
        "A name is no longer exported",
        "The name still exists and is no longer among those that its module offers. Star imports miss it.",
    ),
    "override_mismatch": KindText(
        "A method and the one that it overrides no longer fit",
        "Code that calls through the base class can fail for the subclass, or the subclass can no longer be "
        "instantiated.",
    ),
    "entry_point_lost": KindText(
        "A command or plug-in entry point is broken",
        "A console script or another entry point is gone, or names something that does not exist.",
    ),
    "reach_changed": KindText(
        "Unusually many uses came or went",
        "A symbol gained or lost many of its users, or one that many files use now calls something else.",
    ),
    "co_change_missing": KindText(
        "A file that usually changes along stayed as it was",
        "In the history these files change together; this time one of them did not.",
    ),
    "behaviour_changed": KindText(
        "The same call does something else",
        "A function with an unchanged signature gives another result for a call that the tests make, or for "
        "one like it. Seen by running both commits.",
    ),
    "test_changed": KindText(
        "A test that passed no longer does",
        "A test of the repository passed at the base and fails, is skipped or is gone now. "
        "Seen by running it.",
    ),
    "churn": KindText("A place that changes often", "A measure of how often files and symbols change."),
    CLAIM: KindText(
        "A claim about behaviour",
        "A falsifiable claim that an investigator wrote down, with the probes that speak for or against it.",
    ),
}


def kind_text(kind: str) -> KindText:
    """The words for ``kind``; its own name when it is not known."""
    return KINDS.get(kind) or KindText(kind.replace("_", " ").capitalize(), "A measurement.")
