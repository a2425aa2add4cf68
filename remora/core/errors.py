"""All errors that Remora raises: one base, and one class for each reaction of a caller.

Each error has a message (`str(error)`), a hint (`error.hint`), and a flag for whether trying again
can help (`error.retryable`). `EXIT_CODES` and `HTTP_STATUS` are the only maps from a class to a number; a
test checks that every class is in both.
"""

from __future__ import annotations


class RemoraError(Exception):
    """Base of all errors raised on purpose.

    Attributes:
        hint: one sentence that says what to do; empty if nothing can be done.
        retryable: True if the same call may succeed later without any change.
    """

    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InvalidInput(RemoraError):
    """The caller passed something that cannot be used; nothing was changed."""


class ConfigError(RemoraError):
    """A setting in remora.toml or the environment cannot be used."""


class NotFound(RemoraError):
    """No memory, session or file has that name."""


class Conflict(RemoraError):
    """The change contradicts the current state (an ambiguous id, a memory already replaced)."""


class StoreError(RemoraError):
    """The database failed in a way that no more specific class describes."""


class StoreBusy(StoreError):
    """Another process held the database for longer than the busy timeout."""

    retryable = True


class StoreCorrupt(StoreError):
    """The database file is not a valid Remora database."""


class StoreReadOnly(StoreError):
    """The database cannot be written: permissions, a read-only disk or a read-only opening."""


class StoreFull(StoreError):
    """The disk is full; acknowledged writes are safe."""

    retryable = True


class StoreTooNew(StoreError):
    """The database was made by a newer version of Remora."""


class SourceError(RemoraError):
    """A rule file, a git repository or a log could not be read."""


class ModelMissing(RemoraError):
    """A requested model is not installed or not configured."""


class ProviderError(RemoraError):
    """A model server returned an error or an invalid answer.

    Attributes:
        status: the HTTP status, 0 if there was no answer.
    """

    def __init__(self, message: str, *, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class ProviderBusy(ProviderError):
    """A model server is loading, limits the rate, timed out or cannot be reached.

    Attributes:
        retry_after: seconds to wait, from the server; None if it gave no time.
    """

    retryable = True

    def __init__(
        self, message: str, *, hint: str = "", status: int = 0, retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint, status=status)
        self.retry_after = retry_after


_CODES: dict[type[RemoraError], tuple[int, int]] = {  # exit code, HTTP status
    RemoraError: (1, 500),
    InvalidInput: (2, 422),
    ConfigError: (3, 500),
    NotFound: (4, 404),
    Conflict: (5, 409),
    StoreError: (10, 500),
    StoreBusy: (11, 503),
    StoreCorrupt: (12, 500),
    StoreReadOnly: (13, 403),
    StoreFull: (14, 507),
    StoreTooNew: (15, 500),
    SourceError: (20, 422),
    ModelMissing: (30, 501),
    ProviderError: (31, 502),
    ProviderBusy: (32, 503),
}
EXIT_CODES = {kind: code for kind, (code, _) in _CODES.items()}
HTTP_STATUS = {kind: status for kind, (_, status) in _CODES.items()}
