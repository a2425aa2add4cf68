"""The person's sentences in a running session, by which a record of the agent may count as the person's.

The brief asks the agent to record what the person states for good. A hook notes the sentences of each prompt
that may last. A record counts as the person's if it restates one of them and names nothing else; if it adds
anything, it stays the agent's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from remora.core.relation import restates
from remora.core.secrets import redact
from remora.core.text import without_private
from remora.observer.quotes import sentences

NOTED = "person"  # key in a line of the live file: the sentences of a prompt
MOST = 5  # sentences of a prompt


def sentences_of(prompt: str) -> list[str]:
    """Return the sentences of a prompt that may last, without secrets and private text."""
    return [redact(one).text for one in sentences(without_private(prompt))[:MOST]]


def restated(content: str, told_at: Collection[str], lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the latest sentence of a person in a session that a statement restates; empty for none."""
    noted = (str(one) for line in reversed(lines) for one in line.get(NOTED, ()))
    return next((said for said in noted if restates(content, said, told_at)), "")
