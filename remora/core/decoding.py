"""Decode bytes of unknown encoding: by byte order mark, as UTF-8, as UTF-16, else as Windows-1252."""

from __future__ import annotations

import codecs
import re

_MARKS = (  # byte order marks; the longer ones of UTF-32 before those of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Control characters that are rare in text. ESC is not among them: coloured output has many.
_STRANGE = bytes(byte for byte in range(32) if byte != 27 and (byte < 9 or byte > 13))
_STRANGE_SHARE = 0.05
_BROKEN = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")
READ_AS_UTF16, READ_AS_WESTERN = "read as UTF-16", "not UTF-8; read as Windows-1252"
READ_WITH_GAPS = "not entirely UTF-8; invalid bytes were replaced"


def decode(raw: bytes) -> tuple[str, str]:
    r"""Return the text of some bytes, and a note on an unusual encoding ("" if there is none).

    If most of the bytes beyond ASCII are valid UTF-8, the rest is damage and becomes U+FFFD; otherwise the
    text is not UTF-8.

    Raises:
        ValueError: the bytes are binary.

    >>> decode(b"\xff\xfeh\0i\0"), decode(b"caf\xe9 and t\xe9")
    (('hi', ''), ('café and té', 'not UTF-8; read as Windows-1252'))
    >>> decode("日本語".encode() + b"\xe6")
    ('日本語�', 'not entirely UTF-8; invalid bytes were replaced')
    """
    text, note = _decoded(raw)
    doubtful = "\0" in text or note in (READ_AS_WESTERN, READ_WITH_GAPS)
    if doubtful and _strange(raw) > _STRANGE_SHARE * len(raw):
        raise ValueError("binary")
    return text, note


def text_of(raw: bytes) -> str:
    r"""Return the text of some bytes, whatever they are.

    >>> text_of(b"caf\xe9"), text_of(b"\x89PNG\0\1\2\3")
    ('café', '‰PNG\x00\x01\x02\x03')
    """
    return _decoded(raw)[0]


def _decoded(raw: bytes) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding, "replace"), ""
    if b"\0" in raw:
        half = max(len(raw) // 2, 1)
        even, odd = raw[0::2].count(0), raw[1::2].count(0)
        if odd * 2 > half and even * 8 < half:
            return raw.decode("utf-16-le", "replace"), READ_AS_UTF16
        if even * 2 > half and odd * 8 < half:
            return raw.decode("utf-16-be", "replace"), READ_AS_UTF16
    try:
        return raw.decode("utf-8"), ""
    except UnicodeDecodeError:
        return _damaged(raw)


def _damaged(raw: bytes) -> tuple[str, str]:
    text = raw.decode("utf-8", "surrogateescape")
    if len(_BROKEN.findall(text)) < len(_BEYOND_ASCII.findall(text)):
        return raw.decode("utf-8", "replace"), READ_WITH_GAPS
    return raw.decode("cp1252", "replace"), READ_AS_WESTERN


def _strange(raw: bytes) -> int:
    return len(raw) - len(raw.translate(None, _STRANGE))
