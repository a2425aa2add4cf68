"""Programs that listen on this machine: a socket for our own, and a check who owns another one.

Another user's program would read the texts.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from remora.core.errors import InvalidInput, ProviderError
from remora.net.hosts import address_of, is_loopback

SYSTEM = 1_000  # user ids below are of the system's own accounts, such as the service of Ollama
_LISTENS = "0A"  # state of a socket in /proc/net/tcp
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))  # the system's sockets
ANSWERS = "servers"  # file in the data folder: a URL a line that a person said yes to, after NO said no to
NO = "!"


def owners(port: int) -> set[int]:
    """Return the user ids of the listeners at a port; empty if the system does not report them."""
    found: set[int] = set()
    for table in TABLES:
        try:
            lines = table.read_text("ascii").splitlines()[1:]
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            fields = line.split()
            if len(fields) > 7 and fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                found.add(int(fields[7]))
    return found


def distrusted(port: int) -> str:
    """Return why a listener on this machine is not trusted by default; empty if it is.

    It is trusted if it belongs to this user, to root or to a system account.
    """
    found = owners(port)
    if not found:
        where = "this system does not report" if sys.platform != "linux" else "the system does not report"
        return f"{where} the owner of the program"
    strangers = sorted(uid for uid in found if uid >= SYSTEM and uid != os.geteuid())
    return f"it belongs to another user (id {strangers[0]})" if strangers else ""


def require_trusted(url: str, data_folder: Path) -> None:
    """Check a server that no settings name: it must be on this machine, and this user's or the system's.

    Raises:
        ProviderError: it is neither, and no person has allowed it. Nothing was sent.
    """
    host, _ = address_of(url)
    if not is_loopback(host) and same_for_all(url) not in allowed(data_folder):
        raise ProviderError(
            f"{url} is on another machine and set only in the environment",
            hint="Set embedding.url (or llm.url) in your own settings if texts may go there.",
        )
    if why := stranger(url, data_folder):
        raise ProviderError(
            f"the program that listens at {url} is not used: {why}",
            hint=f"If it is yours, `remora doctor --allow-server {url}` allows it permanently.",
        )


def stranger(url: str, data_folder: Path, *, answered: bool = False) -> str:
    """Return why a listener needs a person's permission; empty if it needs none or has it.

    Args:
        url: of the listener.
        data_folder: of the stored answers.
        answered: also return an empty text if a person refused.
    """
    name, given = same_for_all(url), _answers(data_folder)
    if name in given or (answered and NO + name in given):
        return ""
    return distrusted(address_of(url)[1])


def same_for_all(url: str) -> str:
    """Return the canonical form of a URL.

    >>> same_for_all("HTTP://LocalHost:80/"), same_for_all("http://[::1]") == same_for_all("http://127.0.0.1")
    ('http://localhost:80', True)

    Raises:
        ConfigError: it is not the URL of a server.
    """
    host, port = address_of(url)
    parts = urlsplit(url)
    host = "localhost" if host in ("127.0.0.1", "::1") else host
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}{parts.path.rstrip('/')}"


def allow(data_folder: Path, url: str, *, yes: bool = True) -> None:
    """Store a person's answer about a server; a permission overrides a refusal.

    Raises:
        ConfigError: it is not the URL of a server.
    """
    line = ("" if yes else NO) + same_for_all(url)
    if line not in _answers(data_folder):
        data_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(data_folder / ANSWERS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(line + "\n")


def allowed(data_folder: Path) -> tuple[str, ...]:
    """Return the servers that a person has allowed, each in the form of `same_for_all`."""
    return tuple(line for line in _answers(data_folder) if not line.startswith(NO))


def _answers(data_folder: Path) -> tuple[str, ...]:
    try:
        lines = (data_folder / ANSWERS).read_text("utf-8").split()
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(lines)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one.

    Raises:
        InvalidInput: nothing can listen there.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        taken = getattr(error, "errno", 0) == errno.EADDRINUSE
        raise InvalidInput(
            f"cannot listen at {host}:{port}: {said}",
            hint="Choose another --port." if taken else "Choose another --host or --port.",
        ) from None
