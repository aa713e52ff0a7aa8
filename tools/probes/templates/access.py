"""Is an attribute still of the kind that it was: called, or read?"""

from __future__ import annotations

from repo_guardian.errors import TemplateError
from repo_guardian.tools.probes.templates.source import Case, Draft, import_statement, quoted, relied_on_by
from repo_guardian.tools.signals.interface import ChangeKind

_CHECKS = {
    ChangeKind.BECAME_PROPERTY: ("is_still_called", "callable({0}.{1})"),
    ChangeKind.BECAME_METHOD: ("is_still_read", "not inspect.isfunction(inspect.getattr_static({0}, {2}))"),
}


def same_access(case: Case) -> Draft:
    """The attribute is still a property, or still none.

    Reached through its class, a method can be called and a property cannot, whichever library made it.
    """
    kinds = [change.kind for change in case.detail.changes if change.kind in _CHECKS]
    owner, attribute = case.attribute()
    if not kinds:
        raise TemplateError("no such change")
    words, check = _CHECKS[kinds[0]]
    needed = ("import inspect",) if "inspect" in check else ()
    filled = check.format(owner, attribute, quoted(attribute))
    return Draft(
        name=f"{case.detail.qualname}_{words}",
        docstring=relied_on_by(case.signal),
        statements=(
            *needed,
            import_statement(case.detail),
            f"assert {filled}",
        ),
    )
