"""Skip items that cannot be read, and record each with its error."""

from __future__ import annotations

from remora.core.errors import RemoraError, StoreError
from remora.core.values import Skipped

FAILED = "could not"  # begins the reason for a code file that failed, not for one left out by design
MOST_SAID = 200  # characters of an error's message: some repeat the text that they failed on


def told(error: Exception) -> str:
    """Return an error's message; for an error that is not ours, with its type before it.

    >>> told(ValueError("nothing to compare")), told(MemoryError())
    ('ValueError: nothing to compare', 'MemoryError')
    """
    words = str(error)
    if not isinstance(error, RemoraError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return words[:MOST_SAID]


class sparing:  # noqa: N801  used as a statement, as contextlib.suppress is
    """Run a block that reads one item; if it fails, record the item as skipped and continue after the block.

    Every `Exception` is caught, including RecursionError and MemoryError, so one file, commit or session
    cannot stop the others. KeyboardInterrupt and SystemExit pass, and so does a `StoreError`: the item did
    not cause it, and the other items would fail as well.

    Args:
        what: the item's name for a person.
        skipped: the list to append to; the error is its reason.
        before: text before the error.
        passing: further errors to pass on.
    """

    def __init__(
        self,
        what: str,
        skipped: list[Skipped],
        before: str = "",
        passing: tuple[type[RemoraError], ...] = (),
    ) -> None:
        self._what, self._skipped, self._before = what, skipped, before
        self._passing: tuple[type[BaseException], ...] = (StoreError, *passing)

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._passing):
            return False
        self._skipped.append(Skipped(self._what, f"{self._before}{told(error)}"))
        return True
