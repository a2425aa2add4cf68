"""Track fenced code in Markdown line by line, without loading a Markdown parser."""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s*+(`{3,}+(?!.*`)|~{3,}+)")


def fence_after(line: str, fence: str) -> str:
    """Return the fence that is open after a line; empty if none is.

    Args:
        line: the next line of a text.
        fence: the fence open before it: its characters, or empty.

    >>> fence_after("~~~~ python", ""), fence_after("~~~", "~~~~"), fence_after("~~~~~", "~~~~")
    ('~~~~', '~~~~', '')
    """
    found = _FENCE.match(line)
    if found is None or not fence:
        return found[1] if found else fence
    closes = found[1].startswith(fence) and not line[found.end() :].strip()
    return "" if closes else fence


def without_code(text: str) -> str:
    r"""Return a text with an empty line for each fenced block; an unclosed one extends to the end.

    >>> without_code("Run it:\n```\nmake\n```\nThen wait.")
    'Run it:\n\nThen wait.'
    """
    if "```" not in text and "~~~" not in text:
        return text
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        inside, fence = fence, fence_after(line, fence)
        if not inside:
            kept.append("" if fence else line)
    return "\n".join(kept)


def unfenced(text: str) -> str:
    r"""Return a text without the code fence around the whole of it, trimmed.

    >>> unfenced("```json\n{}\n```"), unfenced("```\n{}"), unfenced("{}")
    ('{}', '{}', '{}')
    """
    text = text.strip()
    if not text.startswith("```"):
        return text
    lines = text.split("\n")[1:]
    if lines and lines[-1].strip().startswith("```"):
        lines.pop()
    return "\n".join(lines).strip()
