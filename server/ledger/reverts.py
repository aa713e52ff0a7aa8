"""When an edit corroborates: base text only, minimal, less than the commit, no test, no configuration."""

from __future__ import annotations

from repo_guardian.server.contract.probes import RevertInfo
from repo_guardian.server.ledger.locus_files import is_test_or_configuration


def revert_refusal(revert: RevertInfo) -> str:
    """Why an edit with which a test passes corroborates nothing, in one clause; empty when it does."""
    touched = [path for path in revert.files if is_test_or_configuration(path)]
    if touched:
        return f"it touches a test or configuration: {', '.join(touched)}"
    if revert.objection:
        return revert.objection
    if not revert.restores_base:
        return "it writes more than base text, so it can only support"
    if not revert.minimal:
        return "it is not minimal: not everything that can be left out of it was"
    if revert.commit_hunks > 1 and revert.changed_lines >= revert.commit_changed_lines:
        return "it undoes as much as the whole commit changed"
    return ""
