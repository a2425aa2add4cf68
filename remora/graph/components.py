"""The TypeScript or JavaScript inside a component: a file of Vue, Svelte or Astro."""

from __future__ import annotations

import re
from collections.abc import Iterator

LANGUAGE = "typescript"  # JavaScript is nearly a part of it
COMPONENTS = frozenset(("vue", "svelte", "astro"))
_INK = re.compile(rb"[^\r\n]")
_OPENS, _CLOSES, _FENCE = b"<script", b"</script", b"---"


def script_of(data: bytes) -> bytes:
    r"""Return a component with all but its code blank; lines and columns stay as they are.

    Code is what stands in `<script>` elements, and between the lines `---` at the beginning of an Astro file.

    >>> script_of(b"<p>{{ n }}</p>\n<script setup>\nlet n = 1\n</script>\n")
    b'              \n              \nlet n = 1\n         \n'
    """
    kept = bytearray(_INK.sub(b" ", data))
    for start, end in _spans(data):
        kept[start:end] = data[start:end]
    return bytes(kept)


def _spans(data: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    if data.lstrip().startswith(_FENCE):
        begin = data.index(_FENCE) + len(_FENCE)
        at = data.find(b"\n" + _FENCE, begin)
        if at >= 0:
            yield begin, at
        at = max(at, begin)
    low = data.lower()
    while (tag := low.find(_OPENS, at)) >= 0:
        begin = low.find(b">", tag)
        at = low.find(_CLOSES, begin)
        if begin < 0 or at < 0:
            return
        if b"json" not in low[tag:begin]:  # data for search engines
            yield begin + 1, at
