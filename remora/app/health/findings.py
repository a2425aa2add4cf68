"""The doctor's findings, each with a level, and the report of all of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from remora.core.errors import RemoraError

Level = Literal["ok", "note", "warning", "error"]
LEVELS: tuple[Level, ...] = ("ok", "note", "warning", "error")


class Finding(NamedTuple):
    """The result of one check.

    Attributes:
        level: ok, note, warning or error.
        what: the subject, a word or two.
        detail: the state that was found.
        advice: the remedy; empty if nothing is to be done.
        kind: the class of an error, such as "StoreCorrupt"; else empty.
    """

    level: Level
    what: str
    detail: str
    advice: str = ""
    kind: str = ""


class Report(NamedTuple):
    """All findings, in the order of the checks."""

    findings: tuple[Finding, ...]

    @property
    def level(self) -> Level:
        """The worst level of any finding."""
        return max((f.level for f in self.findings), key=LEVELS.index, default="ok")

    @property
    def kind(self) -> str:
        """The error class of the first error; empty when there is none."""
        return next((f.kind for f in self.findings if f.level == "error"), "")


def failed(what: str, error: RemoraError) -> Finding:
    """Return an error of Remora as a finding."""
    return Finding("error", what, str(error), error.hint, type(error).__name__)


def megabytes(size: int) -> str:
    """Return a number of bytes as text, in MB or GB."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"
