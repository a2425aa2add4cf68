"""How the time of a scanner grows with its text: a quick look at many, and a measure of what looks bad."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import NamedTuple

from remora.core.collector import paused

TINY = (16, 24, 40, 80)  # characters; what takes long for so few grows exponentially
LONG = 0.02  # seconds for them
SHORT = 300  # characters of the quick look
LONGER = 900  # characters where a short text told nothing
LONGEST = 20_000  # characters; a square would have taken long by then
SLOW = 0.000025  # seconds; the square of the longer length takes more in `re`, whatever its loop does
STEEP = 5  # times for three times the text, where a square would be 9; a measure then tells
FLOOR = 0.005  # seconds of the processor; what stays below is not measured well enough to be judged
HOPELESS = 0.5  # seconds for a short text; nothing longer is tried then
GROWTH = 2.5  # times for twice the text that is still called linear
TRIES = 2  # each time is the least of so many
SURE = 3  # the same, of a second look
CONFIRMED = 3  # measures that a failure takes
END = "\0q\0"  # what no scanner waits for, and no class takes whole

Run = Callable[[str], object]


class Growth(NamedTuple):
    """The seconds for n, 2n and 4n characters of a text made of `bit`, behind `start` and before `end`.

    `times` has one value only where already a short text took too long.
    """

    start: str
    bit: str
    end: str
    chars: int
    times: tuple[float, ...]

    @property
    def factor(self) -> float:
        """The smaller of the two doublings; infinite where one text was too much, 0 where none took time."""
        if len(self.times) < 3:
            return float("inf")
        if self.times[-1] < FLOOR or not all(self.times):
            return 0.0
        return min(self.times[1] / self.times[0], self.times[2] / self.times[1])

    def __str__(self) -> str:
        times = ", ".join(f"{time:.3f}" for time in self.times)
        return f"{self.start!r} + {self.bit!r} * n + {self.end!r}: {times} s from {self.chars} characters on"


def text_of(start: str, bit: str, end: str, chars: int) -> str:
    """Return about so many characters of a bit, behind its start and before its end."""
    return start + bit * max(1, chars // len(bit)) + end


def seconds(run: Run, text: str, tries: int = 1) -> float:
    """Return the least processor time of some calls, without collections of garbage (as `timeit`)."""
    least = float("inf")
    with paused():
        for _ in range(tries):
            begun = process_time()
            run(text)
            least = min(least, process_time() - begun)
            if least > HOPELESS:
                break
    return least


def suspects(
    run: Run, texts: Iterable[tuple[str, str]], end: str = END, chars: int = SHORT
) -> Iterator[tuple[str, str]]:
    """Yield the (start, bit) whose short texts take long, and more than twice as long for twice the text.

    Most first looks that tell so are of a moment when the machine did something else: a second one, which
    takes the least of several times, is asked before anything longer is measured.
    """
    for start, bit in texts:
        if _suspect(run, start, bit, end, chars) and _suspect(run, start, bit, end, chars, SURE):
            yield start, bit


def _suspect(run: Run, start: str, bit: str, end: str, chars: int, tries: int = 1) -> bool:
    def spent(length: int) -> float:
        return seconds(run, text_of(start, bit, end, length), tries)

    if any(spent(few) > LONG for few in TINY):
        return True
    longer = chars * LONGER // SHORT
    most = spent(longer)
    if most < SLOW or most > HOPELESS:
        return most > HOPELESS
    once = spent(chars)
    if once < SLOW:
        if most > STEEP * once:
            return True
        chars, once = longer, most
    return spent(2 * chars) > GROWTH * once


def measured(run: Run, start: str, bit: str, end: str = END, chars: int = SHORT) -> Growth:
    """Measure n, 2n and 4n, with n so long that the times can be trusted."""
    for few in TINY:
        if (tiny := seconds(run, text_of(start, bit, end, few), 2)) > LONG:
            return Growth(start, bit, end, few, (tiny,))
    while (first := seconds(run, text_of(start, bit, end, chars))) < FLOOR and chars < LONGEST:
        chars *= 2
    if first > HOPELESS:
        return Growth(start, bit, end, chars, (first,))
    if first < FLOOR:
        return Growth(start, bit, end, chars, (first,) * 3)
    times = tuple(seconds(run, text_of(start, bit, end, chars * n), TRIES) for n in (1, 2, 4))
    return Growth(start, bit, end, chars, times)


def failure(run: Run, start: str, bit: str, end: str = END, chars: int = SHORT) -> Growth | None:
    """Return a measure that shows too fast a growth in every one of the tries, else None.

    What grows up to a bound and is linear from there on is no failure: twice the longest text shows it.
    """
    found = None
    for _ in range(CONFIRMED):
        found = measured(run, start, bit, end, chars)
        if found.factor <= GROWTH:
            return None
    return None if found is None or _is_bounded(run, found) else found


def _is_bounded(run: Run, found: Growth) -> bool:
    longest = found.times[-1]
    if len(found.times) < 3 or longest > HOPELESS:
        return False
    longer = seconds(run, text_of(found.start, found.bit, found.end, 8 * found.chars), TRIES)
    return longer <= GROWTH * longest
