"""What carries the shared log from one machine to another: git, a folder, PostgreSQL or libSQL.

One small protocol: append the entries of one's own device, and read what is new of the others. A carrier is
trusted with nothing: every line is signed, and whoever reads it checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

BATCH = 500  # entries of a request


class Carrier(Protocol):
    """A shared log somewhere.

    Every method may raise `SourceError` (it cannot be reached, or refuses).
    """

    def last(self) -> dict[str, int]:
        """Return the number of the last entry of each device."""

    def read(self, device: str, after: int, limit: int = BATCH) -> list[str]:
        """Return lines of a device that come after a number, in order, without gaps."""

    def append(self, device: str, lines: Sequence[str], after: int) -> None:
        """Add lines of one's own device; one that is there already is left as it is.

        Args:
            device: whose.
            lines: in order; the first has the number `after` + 1.
            after: number of the last entry that is there.
        """

    def empty(self, device: str, lines: Mapping[int, str]) -> None:
        """Put lines without a body in the place of those with the same numbers."""

    def uses(self) -> dict[str, str]:
        """Return what each device counted, as JSON."""

    def put_uses(self, device: str, counts: str) -> None:
        """Replace what one's own device counted."""

    def close(self) -> None:
        """Let go of connections."""
