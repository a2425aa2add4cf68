"""Commands and edits, held against the triggers of memories."""

from __future__ import annotations

from collections.abc import Iterable

from remora.core.edit_match import read_edit, writes
from remora.core.triggers import Trigger
from remora.shell.trigger_match import marks, read_line, sets_off


def at_line(triggers: Iterable[Trigger], command: str, branch: str = "", ran: str = "") -> bool:
    """Return whether one of some triggers is set off by a line of shell."""
    line = read_line(command)
    found = [one for one in triggers if (one.kind, one.key) in line.keys]
    return any(sets_off(line, one, branch, marks(ran)) for one in found)


def at_edit(triggers: Iterable[Trigger], path: str, added: str, removed: str = "", branch: str = "") -> bool:
    """Return whether one of some triggers is set off by an edit."""
    edit = read_edit(path, added, removed)
    found = [one for one in triggers if (one.kind, one.key) in edit.keys]
    return any(writes(edit, one, branch=branch) for one in found)


def shown(triggers: Iterable[Trigger], kind: str, *act: str) -> str:
    """Return whether a memory is shown at an act: a command with its branch and what ran, or an edit."""
    return "shown" if (at_line if kind == "command" else at_edit)(triggers, *act) else "silent"
