"""The sentences of the ``rules`` policy: for each kind of signal what is claimed and what follows from it.

``{symbol}`` is the changed symbol, ``{test}`` a test, ``{last}`` the symbol's last name. In ``lagging`` the
subject, ``1 place in this repository``, stands before the text, and ``{s}``, ``{es}``, ``{ies}`` and
``{ve}`` are the endings of its verbs.
"""

from __future__ import annotations

from dataclasses import dataclass

from repo_guardian.server.contract.signals import SignalItem


@dataclass(frozen=True, slots=True)
class Phrases:
    """What is said of one kind of change.

    Attributes:
        claim: the falsifiable statement, without what was measured.
        lagging: what uses in the repository that have not followed run into, after their number.
        outside: who else is hit, and how.
        restore: what would bring the old form back.
        noun: what the uses are, one and many.
    """

    claim: str
    lagging: str
    outside: str
    restore: str = "accept the old form of {symbol} for a deprecation period"
    noun: tuple[str, str] = ("place", "places")


_OLD_WAY = "still use{s} it the old way and fail{s} when reached"
_USES_IT = "rel{ies} on it as it was"
_TESTS = ("test", "tests")

_GONE = Phrases(
    "{symbol} can no longer be imported or reached",
    _OLD_WAY,
    "Code outside this repository that imports or reaches {symbol} fails there.",
    "keep {symbol}, or an alias of its old name, for a deprecation period",
)
_DECORATED = Phrases(
    "{symbol} is no longer wrapped the way it was at the base",
    _USES_IT,
    "Code that relies on what the decorator gave {symbol}, or left as it was, meets something else.",
    "give {symbol} the decorators that it had",
)
_KIND_OF_CALL = Phrases(
    "A call of {symbol} no longer gives the kind of thing that it gave at the base",
    "still handle{s} what it gives the old way and go{es} wrong when reached",
    "Callers outside this repository handle what {symbol} gives the old way; the call itself does not fail.",
)
_BASES = Phrases(
    "{symbol} no longer derives from the classes that it derived from at the base",
    _USES_IT,
    "Checks with isinstance, handlers that catch by class, and calls of inherited members find another class "
    "where {symbol} is used.",
    "let {symbol} derive from what it derived from",
)
_VALUE = Phrases(
    "{symbol} no longer has the value that it had at the base",
    _USES_IT,
    "Whoever stored, sent or compares with the old value of {symbol} no longer meets it.",
    "give {symbol} the value that it had",
)

PHRASES: dict[str, Phrases] = {
    "contract_changed": Phrases(
        "Uses of {symbol} that were valid at the base fail now",
        _OLD_WAY,
        "Callers outside this repository that use {symbol} the old way fail there.",
    ),
    "contract_changed.rebinds": Phrases(
        "A call of {symbol} by position passes its arguments to other parameters than at the base",
        "still pass{es} arguments by the old positions, and no error tells",
        "Callers outside this repository that pass {symbol} arguments by position go wrong without an error.",
        "keep the old order of the parameters of {symbol}",
    ),
    "contract_changed.returns": _KIND_OF_CALL,
    "contract_changed.access": Phrases(
        "{symbol} is no longer used the way it was at the base: called, or read",
        _OLD_WAY,
        "Code outside this repository that uses {symbol} the old way fails there, or gets a method where it "
        "expected a value.",
    ),
    "symbol_removed": _GONE,
    "symbol_moved": Phrases(
        "{symbol} can no longer be reached under its old name",
        _GONE.lagging,
        _GONE.outside,
        "leave an alias at the old name of {symbol} for a deprecation period",
    ),
    "definition_altered": Phrases(
        "{symbol} means something else than at the base",
        _USES_IT,
        "Code that relies on the earlier meaning of {symbol} meets another.",
        "give {symbol} its earlier meaning back",
    ),
    "definition_altered.default_changed": Phrases(
        "A call of {symbol} that leaves an argument out gets another value for it than at the base",
        "leave{s} the argument out and get{s} another value without having asked for it",
        "Callers that leave the argument of {symbol} out get another value without having asked for it.",
        "keep the old default of {symbol}",
    ),
    "definition_altered.return_changed": Phrases(
        "{symbol} no longer promises to return what it promised at the base",
        _USES_IT,
        "Callers, and type checkers, that rely on what {symbol} was said to return meet something else.",
        "keep what {symbol} is said to return",
    ),
    "definition_altered.base_removed": _BASES,
    "definition_altered.base_added": Phrases(
        "{symbol} derives from a class now that it did not derive from at the base",
        _USES_IT,
        "Checks with isinstance and handlers that catch by class find {symbol} where they did not; what it "
        "inherits now can take the place of other members.",
        "keep {symbol} free of the new base",
    ),
    "definition_altered.bases_reordered": Phrases(
        "{symbol} looks its members up in another order than at the base",
        _USES_IT,
        "Where two bases of {symbol} have a member of one name, the other one is found now.",
        "keep the order of the bases of {symbol}",
    ),
    "definition_altered.decorator_added": _DECORATED,
    "definition_altered.decorator_removed": _DECORATED,
    "definition_altered.value_changed": _VALUE,
    "definition_altered.type_changed": Phrases(
        "{symbol} is no longer of the type that it had at the base",
        _USES_IT,
        "Code that uses {symbol} as a value of its old type fails, or goes wrong, there.",
        "give {symbol} a value of its old type",
    ),
    "definition_altered.binding_changed": Phrases(
        "{symbol} can no longer be called the way it was at the base",
        _OLD_WAY,
        "Code that calls {symbol} on the class, or on an instance, as it could at the base fails there.",
        "keep how {symbol} is bound",
    ),
    "definition_altered.raises_changed": Phrases(
        "Code that catches what {symbol} raised at the base no longer catches what it raises",
        "still catch{es} the old exception",
        "Handlers outside this repository that catch the old exception of {symbol} let the new one through.",
        "let the new exception of {symbol} derive from the old one",
    ),
    "definition_altered.setter_removed": Phrases(
        "{symbol} can no longer be assigned to, as it could at the base",
        "still assign{s} to it and fail{s} when reached",
        "Code outside this repository that assigns to {symbol} fails there.",
        "keep the setter of {symbol}",
    ),
    "definition_altered.inherited": Phrases(
        "{symbol} no longer has the definition of its own that it had at the base",
        _USES_IT,
        "Uses of {symbol} get what a base class defines.",
        "keep the definition of {symbol}",
    ),
    "export_removed": Phrases(
        "A star import of {symbol} no longer brings every name that it brought at the base",
        "no longer get{s} the names",
        "Code outside this repository that imports * from {symbol} no longer has the names.",
        "list the names in {symbol}.__all__",
    ),
    "override_mismatch": Phrases(
        "{symbol} refuses a call that the method which it overrides takes, and took it at the base",
        "refuse{s} what the overridden one takes",
        "Whoever holds an instance through its base class and calls {last} as the base allows fails.",
        "let {symbol} take every call that the overridden method takes",
        ("method", "methods"),
    ),
    "override_mismatch.abstract_added": Phrases(
        "{symbol}, or a subclass that could be instantiated at the base, no longer can be",
        "can no longer be instantiated",
        "Subclasses outside this repository that do not define the member can no longer be instantiated.",
        "define the abstract member of {symbol} instead of asking for it",
        ("class", "classes"),
    ),
    "entry_point_lost": Phrases(
        "An entry point of the project no longer starts {symbol}",
        _OLD_WAY,
        "Users who run the command, or programs that look the entry point up, no longer find it.",
        "declare the entry point again and let it name what exists",
    ),
    "behaviour_changed": Phrases(
        "{symbol} does something else for the same arguments than at the base",
        "call{s} it and get{s} what it does now",
        "Callers of {symbol} get another outcome for the same arguments.",
        "restore what {symbol} did for this call",
    ),
    "test_changed": Phrases(
        "The test {test} no longer passes, as it did at the base",
        "fail{s} for this cause",
        "What the test holds true no longer is.",
        "restore what the test {test} holds true",
        _TESTS,
    ),
    "test_changed.newly_skipped": Phrases(
        "The test {test}, which ran at the base, is skipped now",
        "ha{ve} stopped watching over what {it} hold{s} true",
        "Nothing watches any more over what the test holds true.",
        "let the test {test} run again",
        _TESTS,
    ),
    "test_changed.vanished": Phrases(
        "The test {test}, which ran at the base, is no longer collected",
        "ha{ve} stopped watching over what {it} hold{s} true",
        "Nothing watches any more over what the test holds true.",
        "let the test {test} be collected again",
        _TESTS,
    ),
}


def phrases_for(signal: SignalItem) -> Phrases | None:
    """The sentences for a signal, the most specific ones; None for a measurement that claims nothing."""
    detail = signal.detail
    parts = (detail.get("delta", ""), detail.get("changes", "").partition(",")[0], detail.get("effect", ""))
    for part in parts:
        found = PHRASES.get(f"{signal.kind}.{part}") if part else None
        if found is not None:
            return found
    return PHRASES.get(signal.kind)


def subject(count: int, noun: tuple[str, str] = ("place", "places")) -> dict[str, str]:
    """The number as the subject of a sentence, and the endings that its verbs take."""
    one = count == 1
    return {
        "subject": f"1 {noun[0]} in this repository" if one else f"{count} {noun[1]} in this repository",
        "s": "s" if one else "",
        "es": "es" if one else "",
        "ies": "ies" if one else "y",
        "ve": "s" if one else "ve",
        "it": "it" if one else "they",
    }
