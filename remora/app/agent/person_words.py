"""The person's sentences in a running session, by which a record of the agent may count as the person's.

The brief asks the agent to record what the person states for good. A record counts as the person's if it
restates a sentence in the session's transcript that looks like a rule, and names nothing else; if it adds
anything, it stays the agent's.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from remora.core.relation import restates
from remora.core.secrets import redact
from remora.core.text import without_private
from remora.observer.quotes import sentences, weight
from remora.sources.transcripts.reader import read, survey

FROM = 8  # least weight of a sentence that may lend a person's trust; one prompt in twenty has one


def restated(content: str, told_at: Collection[str], transcript: Path) -> str:
    """Return the latest sentence of a person that a statement restates, without secrets; empty for none.

    Args:
        content: the statement.
        told_at: its triggers.
        transcript: of the session.

    Raises:
        RemoraError: the transcript cannot be read.
    """
    events = read(transcript, parts=(), roots=survey(()))  # no prompt of a person is in a subagent's file
    prompts = [event.text for event in events if event.kind == "user_prompt" and not event.agent]
    said = (one for prompt in reversed(prompts) for one in sentences(without_private(prompt)))
    return next((redact(s).text for s in said if weight(s) >= FROM and restates(content, s, told_at)), "")
