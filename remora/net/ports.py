"""A socket that listens on this machine."""

from __future__ import annotations

import errno
import socket

from remora.core.errors import InvalidInput


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
