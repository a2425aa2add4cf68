"""How long one item may take, asked for between its lines and parts by whoever reads it.

Every scanner is linear and every text has a greatest length, so no usual item comes near its budget. It
is there for what nobody thought of: a file that takes minutes is given up and named, the others are read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType

from remora.core.errors import InvalidInput

FILE_SECONDS = (
    10.0  # of the processor, for a file of the repository; the slowest real ones take a tenth of it
)
SECONDS_PER_BYTE = 2e-6  # more for a transcript, which may be of any length; usual ones take a tenth of it


class within:  # noqa: N801  used as a statement, as `sparing` is
    """Give a block a budget: `look`, called inside of it, raises when it is used up.

    A block inside of another has a budget of its own, and what it spends is not the other's.

    Args:
        seconds: of the clock.
        clock: tells the seconds. One that counts the processor's time of the thread, as
            `time.thread_time` does, gives no file up because the machine has other work.
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
        """Raise when the block has no time left."""
        if self._clock() > self._end:
            raise InvalidInput(
                f"took more than {self._seconds:.0f} s to read",
                hint="Please report it: nothing should take so long.",
            )


_RUNNING: ContextVar[within | None] = ContextVar("budget", default=None)


def look() -> None:
    """Ask whether there is time left; without a budget there always is.

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
