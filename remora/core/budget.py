"""Time budgets for reading one item; readers check them between lines and parts.

Every scanner is linear and every text has a maximum length, so usual items stay far below their budget. The
budget covers unforeseen cases: a file that takes minutes is skipped and reported, the others are read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType

from remora.core.errors import InvalidInput

FILE_SECONDS = 10.0  # processor time, for a file of the repository; the slowest real ones take a tenth of it
SECONDS_PER_BYTE = 2e-6  # added for a transcript, which has no maximum length; usual ones take a tenth of it


class within:  # noqa: N801  used as a statement, as `sparing` is
    """Give a block a budget: `look`, called inside the block, raises when the budget is used up.

    A nested block has a budget of its own; its time does not count against the outer block.

    Args:
        seconds: by the clock.
        clock: returns seconds. With the processor time of the thread (`time.thread_time`), a busy machine
            causes no skipped files.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds, self._clock = seconds, clock

    def __enter__(self) -> None:
        self._around = _RUNNING.get()
        self._began = self._clock()
        self._end = self._began + self._seconds
        self._before = _RUNNING.set(self)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        _RUNNING.reset(self._before)
        if self._around is not None:
            self._around._end += self._clock() - self._began

    def look(self) -> None:
        """Raise `InvalidInput` if the block has no time left."""
        if self._clock() > self._end:
            raise InvalidInput(
                f"took more than {self._seconds:.0f} s to read",
                hint="Please report it; no file should take that long.",
            )


_RUNNING: ContextVar[within | None] = ContextVar("budget", default=None)


def look() -> None:
    """Check the budget of the running block; without one, do nothing.

    Raises:
        InvalidInput: the budget of the block is used up.

    >>> look()
    >>> with within(1.0, iter((0.0, 0.5, 1.5)).__next__):
    ...     look()
    ...     look()
    Traceback (most recent call last):
        ...
    remora.core.errors.InvalidInput: took more than 1 s to read
    """
    running = _RUNNING.get()
    if running is not None:
        running.look()
