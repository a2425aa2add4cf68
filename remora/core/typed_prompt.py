"""What a person typed of a prompt: without what a program put around it, and without an agent's document."""

from __future__ import annotations

import re

HEADINGS = 2  # a prompt with so many holds a document, which an agent wrote
# A name of two words is no element of HTML and nothing that a person types: programs mark their text so.
_BLOCK = re.compile(r"\s*<([A-Za-z]+(?:[_-][A-Za-z]+)+)(?:\s[^<>]{0,500})?>")
_HEADING = re.compile(r"^#{1,4} \S", re.MULTILINE)


def without_blocks(prompt: str) -> str:
    r"""Return a prompt without the blocks that a program put in front of it.

    A block counts when it is closed: somebody may ask about such a name.

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
    r"""Return the words of a prompt that a person typed: what stands before a document in it.

    >>> typed("Do this, and never touch the API:\n# Plan\n\n## Context\nIt was slow.")
    'Do this, and never touch the API:'
    >>> typed("# Plan\n\n## Context\nIt was slow.")
    ''
    """
    prompt = without_blocks(prompt)
    headings = list(_HEADING.finditer(prompt))
    return prompt[: headings[0].start()].rstrip() if len(headings) >= HEADINGS else prompt
