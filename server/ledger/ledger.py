"""The probe ledger of one cycle: numbered entries, bound parent to child, never changed."""

from __future__ import annotations

import re

from repo_guardian.errors import AdmissionError
from repo_guardian.server.contract.probes import Outcome, ProbeEntry, Transition
from repo_guardian.server.ledger.evidence import FLAKY
from repo_guardian.server.ledger.reverts import revert_refusal
from repo_guardian.vocabulary import EvidenceStatus, Side

_TEMPORARY = re.compile(r"/tmp/[\w./+-]*")  # noqa: S108  inside the sandbox, whose /tmp is its own


class ProbeLedger:
    """Keeps entries in the order in which they were made."""

    def __init__(self) -> None:
        self._entries: dict[str, ProbeEntry] = {}

    @property
    def entries(self) -> tuple[ProbeEntry, ...]:
        """All entries, oldest first."""
        return tuple(self._entries.values())

    def next_id(self) -> str:
        """The id that the next entry has to carry."""
        return f"p{len(self._entries) + 1}"

    def append(self, entry: ProbeEntry) -> ProbeEntry:
        """Keep ``entry``, with its transition against its parent derived here.

        Raises:
            AdmissionError: the id is not the next one, or the parent is not in the ledger.
        """
        if entry.id != self.next_id():
            raise AdmissionError(f"the next ledger entry is {self.next_id()}, not {entry.id}")
        parent = self.get(entry.parent) if entry.parent is not None else None
        kept = entry.model_copy(
            update={"transition": transition(parent, entry), "evidence_reason": _reason(entry)}
        )
        self._entries[kept.id] = kept
        return kept

    def get(self, probe_id: str) -> ProbeEntry:
        """One entry.

        Raises:
            AdmissionError: there is none with that id.
        """
        entry = self._entries.get(probe_id)
        if entry is None:
            known = ", ".join(self._entries) or "none yet"
            raise AdmissionError(
                f"there is no ledger entry {probe_id!r}", hint=f"cite one of this cycle's entries: {known}"
            )
        return entry


def transition(parent: ProbeEntry | None, child: ProbeEntry) -> Transition | None:
    """The change of one test between two admissible entries, or None.

    PASS_TO_FAIL binds a failing run at the commit to a passing one at the base, FAIL_TO_PASS a failing
    run at the commit to a passing one with the suspected cause reverted to base text. In both the failing
    run is the parent, the test is the same to the byte, and the hypothesis is the same.
    """
    if parent is None or not same_test(parent, child) or parent.side is not Side.CURRENT:
        return None
    if not fails(parent) or outcome_of(child) is not Outcome.PASSED:
        return None
    if child.side is Side.BASE:
        return Transition.PASS_TO_FAIL
    if child.side is Side.REVERTED and child.revert is not None and not revert_refusal(child.revert):
        return Transition.FAIL_TO_PASS
    return None


def _reason(entry: ProbeEntry) -> str:
    """An edit that helps and corroborates nothing says so where the entry is read."""
    refusal = revert_refusal(entry.revert) if entry.revert is not None and passes(entry) else ""
    return (
        f"{entry.evidence_reason}; the edit corroborates nothing: {refusal}"
        if refusal
        else entry.evidence_reason
    )


def outcome_of(entry: ProbeEntry) -> Outcome | None:
    """The outcome of an admissible entry's one test; None when the entry is no evidence on its hypothesis.

    An entry without a digest ran tests that nothing binds to the hypothesis, whatever they did.
    """
    if entry.evidence is not EvidenceStatus.VALID or len(entry.outcomes) != 1 or not entry.test_digest:
        return None
    return entry.outcomes[0].outcome


def fails(entry: ProbeEntry) -> bool:
    """True for an admissible run of one test that fails: in its body, around it, or in being collected."""
    return outcome_of(entry) in (Outcome.FAILED, Outcome.ERROR)


def passes(entry: ProbeEntry) -> bool:
    """True for an admissible run of one test that passes."""
    return outcome_of(entry) is Outcome.PASSED


def flaky(entry: ProbeEntry) -> bool:
    """True when the runs of an entry did not agree with one another."""
    return entry.evidence is EvidenceStatus.INVALID and entry.evidence_reason.startswith(FLAKY)


def same_failure(one: ProbeEntry, other: ProbeEntry) -> bool:
    """True when both fail, and say the same; names of temporary files apart."""
    said = [_TEMPORARY.sub("", entry.outcomes[0].reason) for entry in (one, other) if fails(entry)]
    return len(said) == 2 and said[0] == said[1]


def same_test(one: ProbeEntry, other: ProbeEntry) -> bool:
    """True when both ran the same test, to the byte, for the same hypothesis."""
    same_text = one.test_digest != "" and one.test_digest == other.test_digest
    return same_text and one.hypothesis_id == other.hypothesis_id
