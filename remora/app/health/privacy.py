"""Report the stored data with places and sizes, its destinations, and the data that never leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from remora.app.health.stats import size_of
from remora.app.project.destinations import destinations
from remora.app.project.locate import data_dir
from remora.disk import live
from remora.store.shared import SPACE

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

NEVER = (
    "prompts, conversations and session logs",
    "transcripts, captured sessions and live files",
    "the log of injections",
    "evidence from sessions: files, commands, errors, signals",
    "MEMORY.md, the history and daily notes",
    "your own memories of every project",
    "code, the code graph and vectors",
    "absolute paths, machine and user names",
)


class Place(NamedTuple):
    """A stored file or folder: its content, its path and its size in bytes."""

    what: str
    path: str
    bytes: int


class Privacy(NamedTuple):
    """The stored data and its destinations.

    Attributes:
        places: the data stored on this machine.
        sent: destinations of texts under the current settings, a line each; empty if nothing leaves.
        never: data that no setting sends anywhere but to the models that you configured.
        secrets: number of secrets removed from stored texts.
    """

    places: tuple[Place, ...]
    sent: tuple[str, ...]
    never: tuple[str, ...]
    secrets: int


def privacy(project: OpenProject) -> Privacy:
    """Return the stored data and its destinations; see `Memory.privacy`."""
    home, data = project.location.home, data_dir(project.environ)
    going = Path(live.folder(project.environ))
    places = (
        Place("memories, sessions, index, code graph", str(home / "memory.db"), size_of(home, "memory.db*")),
        Place("conversations", str(home / "sessions"), size_of(home / "sessions", "**/*")),
        Place("journal, notes and archives", str(home / "memory"), size_of(home / "memory", "**/*")),
        Place("captured sessions", str(home / "captured"), size_of(home / "captured", "**/*")),
        Place("items of programs", str(home / "items.db"), size_of(home, "items.db*")),
        Place("your own memories", str(project.user_home), size_of(project.user_home, "**/*")),
        Place("running sessions", str(going), size_of(going, "*")),
        Place("all projects together", str(data), size_of(data, "**/*")),
    )
    secrets = sum(store.db.selections.redactions() for store in project.stores())
    found = destinations(project.settings, project.environ)
    sent = tuple(f"{what}: {where}" for what, where in found if not where.startswith("nowhere"))
    shared = project.db.meta.get(SPACE)
    if isinstance(shared, dict):
        sent += (f"shared memories: the log at {shared['address']}; `remora share status` lists them",)
    return Privacy(tuple(one for one in places if one.bytes), sent, NEVER, secrets)
