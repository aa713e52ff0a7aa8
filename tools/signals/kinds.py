"""The vocabulary of signals: what was measured, what changed, and what shows it.

``interface`` offers these names too, beside the records that use them.
"""

from __future__ import annotations

from enum import StrEnum


class SignalKind(StrEnum):
    """What was measured."""

    CONTRACT_CHANGED = "contract_changed"
    """A callable changed in a way that some earlier use of it no longer fits."""
    SYMBOL_REMOVED = "symbol_removed"
    SYMBOL_MOVED = "symbol_moved"
    """Removed under one id and defined, with the same name and signature, under exactly one other; or renamed
    where it stood."""
    DEFINITION_ALTERED = "definition_altered"
    """Every earlier use still fits, and may mean something else: a default, a value, a base, a decorator,
    what it is said to return."""
    EXPORT_REMOVED = "export_removed"
    """Still there, and no longer among the names that its module offers (``__all__``)."""
    OVERRIDE_MISMATCH = "override_mismatch"
    """A method and one that it overrides fitted together at the base and no longer do, or a base class asks
    its subclasses for a member that it did not ask for."""
    ENTRY_POINT_LOST = "entry_point_lost"
    """A console script or another entry point is gone, or names what does not exist."""
    REACH_CHANGED = "reach_changed"
    """A symbol gained or lost many of its users, or one that many files use now calls something else; many is
    what few symbols of the same repository have."""
    CO_CHANGE_MISSING = "co_change_missing"
    """A file stayed as it was although its partner changed: in the history they change together."""
    BEHAVIOUR_CHANGED = "behaviour_changed"
    """A function of the same signature does something else for a call that the tests make, or for one like
    it; seen by running both commits."""
    TEST_CHANGED = "test_changed"
    """A test of the repository that passed at the base fails, is skipped or is gone; seen by running it."""
    CHURN = "churn"


class ChangeKind(StrEnum):
    """What happened to one part of a contract."""

    PARAMETER_ADDED = "parameter_added"
    """A new parameter without default."""
    PARAMETER_INSERTED = "parameter_inserted"
    """A new parameter with a default, before positions that calls could already fill."""
    PARAMETER_REMOVED = "parameter_removed"
    PARAMETER_RENAMED = "parameter_renamed"
    PARAMETER_REORDERED = "parameter_reordered"
    PARAMETER_REQUIRED = "parameter_required"
    """Its default is gone."""
    PARAMETER_KEYWORD_ONLY = "parameter_keyword_only"
    PARAMETER_POSITIONAL_ONLY = "parameter_positional_only"
    ARGS_REMOVED = "args_removed"
    KWARGS_REMOVED = "kwargs_removed"
    BECAME_ASYNC = "became_async"
    BECAME_SYNC = "became_sync"
    BECAME_GENERATOR = "became_generator"
    CEASED_GENERATOR = "ceased_generator"
    BECAME_PROPERTY = "became_property"
    BECAME_METHOD = "became_method"
    DEFAULT_CHANGED = "default_changed"
    RETURN_CHANGED = "return_changed"
    """The annotation of what it returns."""
    BASE_ADDED = "base_added"
    BASE_REMOVED = "base_removed"
    BASES_REORDERED = "bases_reordered"
    DECORATOR_ADDED = "decorator_added"
    DECORATOR_REMOVED = "decorator_removed"
    VALUE_CHANGED = "value_changed"
    TYPE_CHANGED = "type_changed"
    """The kind of literal that a constant holds, or its annotation."""
    BINDING_CHANGED = "binding_changed"
    """An instance, class or static method became another of these."""
    RAISES_CHANGED = "raises_changed"
    """It raises another exception, which is none of the earlier one's kind."""
    SETTER_REMOVED = "setter_removed"
    """A property can no longer be assigned to."""
    ABSTRACT_ADDED = "abstract_added"
    """A class has an abstract member that its subclasses did not have to define."""
    INHERITED = "inherited"
    """A class had a member of its own and has its base's now."""
    RENAMED = "renamed"
    USERS_GAINED = "users_gained"
    USERS_LOST = "users_lost"
    CALLS_CHANGED = "calls_changed"
    NOT_EXPORTED = "not_exported"
    OVERRIDE = "override"
    ENTRY_POINT = "entry_point"


class Effect(StrEnum):
    """What the witness call shows, the same at run time as in the graph."""

    UNBINDS = "unbinds"
    """It binds to the base signature and not to the current one."""
    REBINDS = "rebinds"
    """It binds to both, but a positional argument reaches another parameter."""
    RETURNS = "returns"
    """It binds to both and returns another kind of thing: a coroutine, a generator, or no longer one."""
    ACCESS = "access"
    """The attribute itself changed: what was called is now a value, or the other way round."""
    UNRESOLVED = "unresolved"
    """The old name can no longer be imported or reached."""
    ALTERED = "altered"
    """Nothing fails that could be told from the definitions alone."""


class WitnessOrigin(StrEnum):
    """Where the witness call shape comes from, strongest first."""

    CALL = "call"
    """A lagging call at the current commit has this shape."""
    SIGNATURE = "signature"
    """The smallest shape that the two signatures allow."""
    VARIADIC = "variadic"
    """As ``SIGNATURE``, but the old signature took it only through ``*args`` or ``**kwargs``, or had
    both and so never stated its contract: the call bound, but need not have meant anything."""


class Receiver(StrEnum):
    """What Python passes by itself before the arguments of the call shape."""

    NONE = "none"
    """A module-level function, a class (constructor), or a static method."""
    INSTANCE = "instance"
    CLASS = "class"
