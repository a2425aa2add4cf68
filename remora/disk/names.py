"""Encode any id as a file name that is safe on every file system, and decode it.

Kept are lower-case ASCII letters, digits, `-`, `_` and a dot inside. Everything else is percent-encoded, byte
by byte of its UTF-8, with lower-case digits. So two ids never share a name, even if the file system does not
distinguish `A` from `a` or two forms of `é`, and no name is hidden, reserved by Windows or a path out of the
folder. A name longer than `MAX_NAME` keeps its beginning and ends in `~` and a hash of the id; such a name
cannot be decoded.
"""

from __future__ import annotations

import hashlib
import re

from remora.core.errors import InvalidInput

MAX_NAME = 120  # leaves room for suffixes under the 143 bytes of the strictest common file system

_HASH_CHARS = 32
_KEPT = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_.")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
_ESCAPE = re.compile(rb"%([0-9a-f]{2})")


def safe_name(name: str) -> str:
    """Return the file name of an id, without a suffix.

    Raises:
        InvalidInput: the id is empty.

    >>> safe_name("cli:42"), safe_name("Ann"), safe_name("../etc"), safe_name("con")
    ('cli%3a42', '%41nn', '%2e.%2fetc', '%63on')
    """
    if not name:
        raise InvalidInput("an id cannot be empty")
    data = name.encode("utf-8", "surrogatepass")
    parts = [chr(b) if b in _KEPT else f"%{b:02x}" for b in data]
    if parts[-1] == ".":
        parts[-1] = "%2e"
    if parts[0] == "." or _RESERVED.match("".join(parts)):
        parts[0] = f"%{data[0]:02x}"
    encoded = "".join(parts)
    if len(encoded) <= MAX_NAME:
        return encoded
    room = MAX_NAME - _HASH_CHARS - 1
    head = re.sub(r"%[0-9a-f]?$", "", encoded[:room])
    return f"{head}~{hashlib.sha256(data).hexdigest()[:_HASH_CHARS]}"


def original_name(file_name: str) -> str | None:
    """Return the id of a name made by `safe_name`; None if it cannot be decoded.

    >>> original_name("cli%3a42"), original_name("a b"), original_name("x~00")
    ('cli:42', None, None)
    """
    try:
        data = _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]), file_name.encode("ascii"))
        name = data.decode("utf-8", "surrogatepass")
    except UnicodeError:
        return None
    return name if name and safe_name(name) == file_name else None
