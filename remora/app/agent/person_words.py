"""The person's sentences in a running session, read from its transcript.

After a compaction the agent is given those that it should still know. They also decide whether a record of
the agent counts as the person's: the brief asks the agent to record what the person states for good, and a
record counts if it restates a sentence that looks like a rule, and names nothing else. If it adds anything,
it stays the agent's.
"""

from __future__ import annotations

from pathlib import Path

from remora.core.relation import restates
from remora.core.secrets import redact
from remora.core.text import without_private
from remora.observer.quotes import sentences, standing, weight
from remora.sources.transcripts.reader import read, survey

FROM = 8  # least weight of a sentence that may lend a person's trust; one prompt in twenty has one


def restated(content: str, transcript: Path) -> str:
    """Return the latest sentence of a person that a statement restates, without secrets; empty for none.

    Args:
        content: the statement.
        transcript: of the session.

    Raises:
        RemoraError: the transcript cannot be read.
    """
    said = reversed(_said(transcript))
    return next((redact(s).text for s in said if weight(s) >= FROM and restates(content, s)), "")


def still_standing(transcript: Path) -> list[str]:
    """Return the sentences of the person that the session's agent should still know, without secrets.

    Raises:
        RemoraError: the transcript cannot be read.
    """
    return [redact(one).text for one in standing(_said(transcript))]


def _said(transcript: Path) -> list[str]:
    """Return the person's sentences that may last, in order."""
    events = read(transcript, parts=(), roots=survey(()))  # no prompt of a person is in a subagent's file
    prompts = (event.text for event in events if event.kind == "user_prompt" and not event.agent)
    return [one for prompt in prompts for one in sentences(without_private(prompt))]
