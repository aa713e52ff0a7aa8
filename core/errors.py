"""Every error that Repository Guardian raises on purpose, in one tree.

    GuardianError
    ├── UsageError                      exit 2: the call can be mended by whoever made it
    │   ├── NotARepositoryError
    │   ├── EmptyRepositoryError        no commit yet (unborn HEAD)
    │   ├── RevisionError               no such commit, or not a revision at all
    │   └── NoBaseError                 the base commit cannot be known (shallow history)
    ├── EnvironmentFault                exit 3: the machine, or its state, cannot do it
    │   ├── GitError                    git is missing, too old, or failed on the mirror
    │   │   ├── RepositoryOwnershipError    the repository belongs to another user
    │   │   └── TransportError          the remote could not be reached or refused
    │   ├── MaterializeError            a tree could not be written exactly, or did not verify
    │   ├── StateDirError               the state directory cannot be used
    │   │   ├── DiskFullError
    │   │   └── StateLockedError        another cycle of this repository is running
    │   ├── ViewError                   a required view cannot be used: the cycle aborts
    │   │   ├── ViewMissingError
    │   │   ├── ViewStaleError
    │   │   └── ViewDamagedError
    │   ├── EmbeddingError              the embedding model or its endpoint cannot be used
    │   ├── SandboxError                the sandbox itself failed, never the command in it
    │   │   ├── SandboxUnavailableError no backend works here, or not the one that was named
    │   │   └── ToolchainError          the repository's dependencies could not be acquired
    │   │       ├── NoWheelError        releases exist, but no wheel of them
    │   │       └── BuildFailedError    a source distribution, or the repository, cannot be built
    │   └── MemoryStoreError
    │       ├── SchemaTooNewError       written by a newer version of the program
    │       └── MemoryCorruptError
    ├── TemplateError                   no template can write the test that a signal asks for
    └── AdmissionError                  the server's rules do not admit a write; says why

A message is one line that says what is wrong; ``hint`` is one line that says what to do about it.
"""

from __future__ import annotations

EXIT_USAGE = 2
EXIT_ENVIRONMENT = 3


class GuardianError(Exception):
    """Base of all deliberate errors.

    Args:
        message: what is wrong, one line, fit to be shown to a user as it is.
        hint: what to do about it, one line; empty when nothing more can be said.
    """

    exit_code: int = EXIT_ENVIRONMENT

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(GuardianError):
    """The call can be mended by whoever made it."""

    exit_code = EXIT_USAGE


class NotARepositoryError(UsageError):
    """The path or address holds no git repository."""


class EmptyRepositoryError(UsageError):
    """The repository has no commit to look at."""


class RevisionError(UsageError):
    """A revision names no commit, or could be mistaken for an option."""


class NoBaseError(UsageError):
    """The commit to compare with is not in the history that was given."""


class EnvironmentFault(GuardianError):
    """The machine, or the state that it keeps, cannot do what was asked."""


class GitError(EnvironmentFault):
    """git is missing, too old, or failed."""


class RepositoryOwnershipError(GitError):
    """The watched repository belongs to another user and git refuses to read it."""


class TransportError(GitError):
    """The remote could not be reached, or refused."""


class MaterializeError(EnvironmentFault):
    """A tree could not be written exactly as committed, or did not verify afterwards."""


class StateDirError(EnvironmentFault):
    """The state directory cannot be created, read or written."""


class DiskFullError(StateDirError):
    """The file system of the state directory is full."""


class StateLockedError(StateDirError):
    """Another cycle of the same repository is running."""


class ViewError(EnvironmentFault):
    """A required view cannot be used; the cycle aborts and never degrades quietly."""


class ViewMissingError(ViewError):
    """The view of that commit was never published."""


class ViewStaleError(ViewError):
    """The view was built by another version of the builder."""


class ViewDamagedError(ViewError):
    """The payload of a view does not match its digest."""


class EmbeddingError(EnvironmentFault):
    """The embedding model is not installed whole, or its endpoint failed or gave no vectors."""


class SandboxError(EnvironmentFault):
    """The sandbox failed; says nothing about the command that was to run in it."""


class SandboxUnavailableError(SandboxError):
    """No backend works on this machine, or the one that was named does not."""


class ToolchainError(SandboxError):
    """The dependencies of the watched repository could not be acquired."""


class NoWheelError(ToolchainError):
    """Packages have no wheel for this Python; ``names`` are theirs, as an index spells them."""

    def __init__(self, message: str, *, names: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.names = names


class BuildFailedError(ToolchainError):
    """A source distribution, or the repository itself, cannot be built; says what is missing."""


class MemoryStoreError(EnvironmentFault):
    """The repository memory cannot be read or written."""


class SchemaTooNewError(MemoryStoreError):
    """The memory was written by a newer version of the program."""


class MemoryCorruptError(MemoryStoreError):
    """The memory's file is damaged."""


class TemplateError(GuardianError):
    """No template can write the test that a signal asks for."""


class AdmissionError(GuardianError):
    """The server's rules do not admit a write. The message teaches what would be admitted."""
