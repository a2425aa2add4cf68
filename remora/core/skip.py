"""Go on when one item of many cannot be read: skip it, name it, say with which error it failed."""

from __future__ import annotations

from remora.core.errors import RemoraError, StoreError
from remora.core.values import Skipped

FAILED = "could not"  # begins the reason of a file of the code that failed, not of one left out by design
MOST_SAID = 200  # characters of an error's own words: some repeat the text that they failed on


def told(error: Exception) -> str:
    """Return an error in words: its own ones if it is ours, else its type before them.

    >>> told(ValueError("nothing to compare")), told(MemoryError())
    ('ValueError: nothing to compare', 'MemoryError')
    """
    words = str(error)
    if not isinstance(error, RemoraError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return words[:MOST_SAID]


class sparing:  # noqa: N801  used as a statement, as contextlib.suppress is
    """Run a block that reads one item; if it fails, note the item as skipped and go on after the block.

    Every `Exception` counts, also RecursionError and MemoryError: whatever one file, commit or session
    holds, the others are read. KeyboardInterrupt and SystemExit pass, and so does a failure of the store,
    which is not the item's fault and would meet the others as well.

    Args:
        what: the item, as a person would name it.
        skipped: where it is noted, with the error's type.
        before: words that stand before the error.
        passing: further errors that are not the item's fault.
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
