"""Open the carrier that the address of a shared log names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.errors import InvalidInput

if TYPE_CHECKING:
    from remora.sharing.carrier import Carrier


def open_carrier(address: str, space: str, root: Path, environ: Mapping[str, str]) -> Carrier:
    """Return the carrier at an address.

    Args:
        address: "git" or "git:REMOTE" (of the repository at `root`), "folder:PATH", "postgresql://…", or
            "libsql://HOST…", "libsql+http://HOST…" for a server without TLS.
        space: id of the log; a server may hold many.
        root: top of the project.
        environ: the process environment; REMORA_SHARE_TOKEN is the token of a libSQL server.

    Raises:
        InvalidInput: no carrier has such an address.
        ConfigError: a required package is not installed.
    """
    kind, _, rest = address.partition(":")
    if kind == "git":
        from remora.sharing.carriers.git import GitRefs

        return GitRefs(root, rest or "origin", space)
    if kind == "folder" and rest:
        from remora.sharing.carriers.tree import Folder

        return Folder(root / rest, space)
    if kind in ("postgresql", "postgres"):
        from remora.sharing.carriers.postgresql import PostgreSQL

        return PostgreSQL(address, space)
    if kind in ("libsql", "libsql+http"):
        from remora.sharing.carriers.libsql import LibSQL

        return LibSQL(address, space, environ.get("REMORA_SHARE_TOKEN", ""))
    raise InvalidInput(
        f"{address!r} is not the address of a shared log",
        hint="Use git, folder:PATH, postgresql://… or libsql://…",
    )
