"""Let a model put what one session taught into better words: one call a session, where one is wanted.

The sentences are ours already; a model only makes them read better, so it may change words and nothing
else. What it answers is taken where it keeps every name in backticks and every number, and brings no new
one; everything else stays as it was. A model that fails costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from remora.core.errors import RemoraError
from remora.llm.client import LanguageModel, Message, find_object
from remora.llm.prompts import load
from remora.observer.candidate import USER_SAID
from remora.observer.promotion import Promoted

LEAST, MOST = 20, 700  # characters of a memory in a model's words
TOKENS_EACH, TOKENS_LEAST = 160, 400
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"number": {"type": "integer"}, "content": {"type": "string"}},
                "required": ["number", "content"],
            },
        }
    },
    "required": ["memories"],
}
_NAME = re.compile(r"`[^`\n]+`")
_NUMBER = re.compile(r"\d[\d.,:-]*\d|\d")


def reword(
    model: LanguageModel, promoted: Sequence[Promoted], timeout: float
) -> tuple[tuple[Promoted, ...], str]:
    """Return memories in the words of a model where those are as true, and a note if it failed.

    Args:
        model: asked once for all of them.
        promoted: what a session gave; what only refreshes a memory, and the user's own words, stay.
        timeout: seconds.
    """
    asked = [i for i, p in enumerate(promoted) if not p.update and USER_SAID not in p.draft.tags]
    if not asked:
        return tuple(promoted), ""
    lines = [f"{n}. [{promoted[i].draft.type}] {promoted[i].draft.content}" for n, i in enumerate(asked, 1)]
    messages = [
        Message("system", load("remora.observer", "synthesis")),
        Message("user", "\n".join(lines)),
    ]
    tokens = max(TOKENS_LEAST, TOKENS_EACH * len(asked))
    try:
        completion = model.complete(messages, max_tokens=tokens, schema=SCHEMA, timeout=timeout)
    except (RemoraError, OSError) as error:
        return tuple(promoted), f"the model did not reword what was learnt: {error}"
    answer, why = find_object(completion.text, SCHEMA)
    if answer is None:
        return tuple(promoted), f"the model did not reword what was learnt: {why}"
    found = list(promoted)
    for item in answer["memories"]:
        number, content = item["number"], " ".join(item["content"].split())
        if 1 <= number <= len(asked) and says_the_same(promoted[asked[number - 1]].draft.content, content):
            before = found[asked[number - 1]]
            found[asked[number - 1]] = before._replace(draft=before.draft._replace(content=content))
    return tuple(found), ""


def says_the_same(ours: str, theirs: str) -> bool:
    """Return whether a rewording keeps every name and number and brings no new one.

    >>> says_the_same("`a.py` fails in 3 sessions", "In 3 sessions `a.py` has failed so far")
    True
    >>> says_the_same("`a.py` fails in 3 sessions", "`b.py` fails in 3 sessions, too")
    False
    """
    if not LEAST <= len(theirs) <= MOST:
        return False
    same_names = set(_NAME.findall(ours)) == set(_NAME.findall(theirs))
    return same_names and set(_NUMBER.findall(ours)) == set(_NUMBER.findall(theirs))
