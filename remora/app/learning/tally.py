"""Counts of the outcomes of drafts, for the report of `init`."""

from __future__ import annotations

from collections import Counter

from remora.core.values import MemoryRecord, Skipped


class Tally:
    """Counts of the outcomes of drafts."""

    def __init__(self) -> None:
        self.stored = self.merged = self.unchanged = self.retired = 0
        self.redactions: Counter[str] = Counter()
        self.skipped: list[Skipped] = []

    def took(self, record: MemoryRecord) -> None:
        """Count the outcome of one draft, by its receipt."""
        receipt = record.receipt
        assert receipt is not None
        if receipt.action == "stored":
            self.stored += 1
        elif receipt.action == "skipped":
            self.skipped.append(Skipped(record.content[:60], "a person forgot it; it stays forgotten"))
        else:
            self.merged += 1
        self.redactions.update(dict(receipt.redactions))
