"""The protocol of carriers, which transport the shared log: git, a folder, PostgreSQL or libSQL.

A device appends its own entries and reads new ones of the others. Carriers are not trusted: every line is
signed, and each reader verifies it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

BATCH = 500  # entries per request


class Carrier(Protocol):
    """A shared log at some place.

    Every method may raise `SourceError` (the log cannot be reached, or refuses).
    """

    def last(self) -> dict[str, int]:
        """Return the number of the last entry of each device."""

    def read(self, device: str, after: int, limit: int = BATCH) -> list[str]:
        """Return lines of a device after a number, in order, without gaps."""

    def append(self, device: str, lines: Sequence[str], after: int) -> None:
        """Add lines of one's own device; lines that are present stay unchanged.

        Args:
            device: id of the device.
            lines: in order; the first has the number `after` + 1.
            after: number of the last present entry.
        """

    def empty(self, device: str, lines: Mapping[int, str]) -> None:
        """Replace lines by ones without a body, by their numbers."""

    def uses(self) -> dict[str, str]:
        """Return the use counts of each device, as JSON."""

    def put_uses(self, device: str, counts: str) -> None:
        """Replace the use counts of one's own device."""

    def close(self) -> None:
        """Close connections."""
