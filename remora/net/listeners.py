"""Whose program listens at a port of this machine: another user's would read what is sent to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from remora.core.errors import ProviderError
from remora.net.hosts import address_of, is_loopback

SYSTEM = 1_000  # user ids below are of the system's own accounts, such as the service of Ollama
_LISTENS = "0A"  # state of a socket in /proc/net/tcp
_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ALLOWED = "servers"  # file in the data folder: a URL a line that a person said yes to


def owners(port: int, tables: Iterable[Path] = _TABLES) -> set[int]:
    """Return the user ids of those who listen at a port; empty where the system does not tell."""
    found: set[int] = set()
    for table in tables:
        try:
            lines = table.read_text("ascii").splitlines()[1:]
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            fields = line.split()
            if len(fields) > 7 and fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(int(fields[7]))
    return found


def distrusted(port: int, tables: Iterable[Path] = _TABLES) -> str:
    """Return why a listener at a port of this machine is not trusted by itself; empty where it is.

    It is, where it belongs to this user, to root or to an account of the system.
    """
    found = owners(port, tables)
    if not found:
        where = "this system does not tell" if sys.platform != "linux" else "nothing tells"
        return f"{where} whose program listens there"
    strangers = sorted(uid for uid in found if uid >= SYSTEM and uid != os.geteuid())
    return f"it belongs to another user (id {strangers[0]})" if strangers else ""


def require_trusted(url: str, data_folder: Path, tables: Iterable[Path] = _TABLES) -> None:
    """Check a server that nobody's settings name: on this machine, and this user's or the system's own.

    Raises:
        ProviderError: it is neither, and no person said yes to it. Nothing was sent.
    """
    if url in allowed(data_folder):
        return
    host, port = address_of(url)
    if not is_loopback(host):
        raise ProviderError(
            f"{url} is another machine, and only the environment names it",
            hint="Set embedding.url (or llm.url) in your own settings if texts may go there.",
        )
    if why := distrusted(port, tables):
        raise ProviderError(
            f"the program that listens at {url} is not used: {why}",
            hint=f"If it is yours, `remora doctor --allow-server {url}` says yes once and for all.",
        )


def allow(data_folder: Path, url: str) -> None:
    """Remember that a person said yes to a server."""
    if url not in allowed(data_folder):
        data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(data_folder / ALLOWED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(url + "\n")


def allowed(data_folder: Path) -> tuple[str, ...]:
    """Return the servers that a person said yes to."""
    try:
        return tuple((data_folder / ALLOWED).read_text("utf-8").split())
    except (OSError, UnicodeDecodeError):
        return ()
