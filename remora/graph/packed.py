"""Pack the facts of a file into bytes for the database, so that names are resolved without parsing."""

from __future__ import annotations

import json
import zlib
from functools import lru_cache
from typing import Any

from remora.core.code import Binding, Definition, Import, Outline, Reference, Uses

KEPT = 256  # outlines that stay unpacked: those that the files in hand lead to, again and again
LEVEL = 1  # of zlib: a third of the size at a tenth of the time of level 9


def pack_outline(outline: Outline) -> bytes:
    """Return an outline as bytes."""
    return _pack(outline)


def pack_uses(uses: Uses) -> bytes:
    """Return uses as bytes: by columns, which is faster than by rows."""
    return _pack([list(zip(*rows, strict=True)) for rows in uses])


@lru_cache(KEPT)
def kept_outline(data: bytes) -> Outline:
    """Return `unpack_outline`, with a cache of the last ones."""
    return unpack_outline(data)


def unpack_outline(data: bytes) -> Outline:
    """Return the outline in bytes of `pack_outline`."""
    language, package, doc, definitions, imports, exports = _unpack(data)
    return Outline(
        language,
        package,
        doc,
        tuple(Definition._make((*d[:9], tuple(d[9]), *d[10:])) for d in definitions),
        tuple(Import(m, tuple((a, b) for a, b in names), *rest) for m, names, *rest in imports),
        tuple(exports),
    )


def unpack_uses(data: bytes) -> Uses:
    """Return the uses in bytes of `pack_uses`."""
    references, bindings = _unpack(data)
    return Uses(
        tuple(map(Reference, *references)) if references else (),
        tuple(map(Binding, *bindings)) if bindings else (),
    )


def _pack(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), LEVEL)


def _unpack(data: bytes) -> Any:
    return json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))
