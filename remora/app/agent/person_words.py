"""The person's sentences in a running session, by which a record of the agent may count as the person's.

The brief asks the agent to record what the person states for good. A hook notes the sentences of each prompt
that look like rules. A record counts as the person's if it restates one of them and names nothing else; if
it adds anything, it stays the agent's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from remora.core.relation import restates
from remora.core.secrets import redact
from remora.core.text import without_private
from remora.observer.quotes import sentences, weight

NOTED = "person"  # key in a line of the live file: the sentences of a prompt
FROM = 8  # least weight of a sentence that may lend a person's trust; one prompt in twenty has one
MOST = 3  # sentences of a prompt, those with the most weight


def sentences_of(prompt: str) -> list[str]:
    """Return the sentences of a prompt that look like rules, without secrets and private text."""
    found = (one for one in sentences(without_private(prompt)) if weight(one) >= FROM)
    return [redact(one).text for one in sorted(found, key=weight, reverse=True)[:MOST]]


def restated(content: str, told_at: Collection[str], lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the latest sentence of a person in a session that a statement restates; empty for none."""
    kept = (found for line in reversed(lines) if isinstance(found := line.get(NOTED), list))
    noted = (str(one) for found in kept for one in found)
    return next((said for said in noted if restates(content, said, told_at)), "")
