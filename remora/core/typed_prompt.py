"""Extract a person's own words from a prompt: without blocks of programs and documents of agents."""

from __future__ import annotations

import re

HEADINGS = 2  # headings from which on a prompt contains a document of an agent
# Programs mark their text with such names; two-part names are neither HTML elements nor typed by people.
_BLOCK = re.compile(r"\s*<([A-Za-z]+(?:[_-][A-Za-z]+)+)(?:\s[^<>]{0,500})?>")
_HEADING = re.compile(r"^#{1,4} \S", re.MULTILINE)


def without_blocks(prompt: str) -> str:
    r"""Return a prompt without the blocks that a program put before it.

    A block counts only if it is closed: a person may ask about such a name.

    >>> without_blocks("<system_instruction>\nYou work in a tree.\n</system_instruction>\n\nUse bun.")
    'Use bun.'
    >>> without_blocks("<div>a</div>"), without_blocks("<user_name> is not replaced")
    ('<div>a</div>', '<user_name> is not replaced')
    """
    while found := _BLOCK.match(prompt):
        closing = f"</{found[1]}>"
        end = prompt.find(closing, found.end())
        if end < 0:
            break
        prompt = prompt[end + len(closing) :].lstrip()
    return prompt


def typed(prompt: str) -> str:
    r"""Return the typed words of a prompt: the text before a document in it.

    >>> typed("Do this, and never touch the API:\n# Plan\n\n## Context\nIt was slow.")
    'Do this, and never touch the API:'
    >>> typed("# Plan\n\n## Context\nIt was slow.")
    ''
    """
    prompt = without_blocks(prompt)
    headings = list(_HEADING.finditer(prompt))
    return prompt[: headings[0].start()].rstrip() if len(headings) >= HEADINGS else prompt
