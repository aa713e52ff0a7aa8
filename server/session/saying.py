"""Write down what a human says of something that was found: with the blobs that it was said of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from repo_guardian.errors import UsageError
from repo_guardian.memory_store import open_store
from repo_guardian.memory_store.records import HumanWordRecord
from repo_guardian.memory_store.vocabulary import HumanVerdict
from repo_guardian.server.contract.hypotheses import HypothesisDraft, Word
from repo_guardian.server.session.reading import Repository
from repo_guardian.server.session.trees import Tree
from repo_guardian.server.session.uncommitted import holding
from repo_guardian.server.session.words import stored_path


@dataclass(frozen=True, slots=True)
class Said:
    """A word that was written down: until when it holds, by the files that it was said of."""

    word: Word
    files: tuple[str, ...]


def say(repository: Repository, commit: str, draft: HypothesisDraft, word: Word, reason: str) -> Said:
    """Keep a human's word on a hypothesis. Blocking.

    Args:
        commit: what was looked at when it was found; a pseudo-commit where that was not committed.

    Raises:
        UsageError: there is no reason, or what was looked at is gone.
        MemoryStoreError, StateDirError: it cannot be written.
    """
    if not reason.strip():
        raise UsageError("a word needs its reason", hint="say why with --reason")
    mirror = holding(repository.mirror, repository.state.root, repository.source, commit)
    tree = Tree(mirror.git, commit, mirror.commit_info(commit).tree)
    files = tuple(sorted(set(draft.locus.files)))
    record = HumanWordRecord(
        hypothesis=draft.key,
        word=HumanVerdict(word.value),
        reason=reason,
        claim=draft.claim,
        commit=commit,
        blobs={stored_path(path): tree.oid(path) or "" for path in files},
    )
    open_store(Path(repository.state.memory)).say(record)
    return Said(word, files)
