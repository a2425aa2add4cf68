"""Add a line to a prompt that asks the agent to record a statement of the person.

The model that has read a sentence judges better than a rule whether it holds beyond its task. So a sentence
whose form suggests a rule is pointed out, seldom, and the agent decides and words the memory.

The sentence is stored with the session. A record of the agent counts as the person's if it restates the
sentence and names nothing else; if it adds anything, it stays the agent's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from remora.core import moments
from remora.core.relation import relation, restates
from remora.core.secrets import redact
from remora.core.text import shorten, without_private
from remora.observer.quotes import sentences, weight
from remora.store.hook_reader import HookReader

ASK = "ask"  # trigger of the injected line
ASKED = "quote"  # key in a line of the live file: the sentence in question
FROM = 8  # least weight of a sentence in question; one prompt in twenty has one
EVERY = 5  # prompts, of which at most one gets the line
SHOWN = 56  # characters of the sentence: the whole line stays within 40 tokens
_LINE = "If “{}” holds beyond this task, save it with record_memory: the rule, its reason, when it applies."


def may_ask(lines: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether EVERY prompts of a session, the present one included, came since the last request."""
    prompts = 0
    for line in reversed(lines):
        if line.get("t") == ASK:
            return prompts >= EVERY
        prompts += line.get("k") == moments.PROMPT
    return True


def question(prompt: str, look: HookReader) -> tuple[str, str]:
    """Return the line for a prompt and the sentence it asks about, without secrets.

    Both are empty if no sentence has enough weight, or if a memory already holds the best one.
    """
    kept = sentences(without_private(prompt))
    best = max(kept, key=weight, default="")
    if not best or weight(best) < FROM:
        return "", ""
    if any(relation(best, note.content) == "same" for note in look.like(best)):
        return "", ""
    said = redact(best).text
    return _LINE.format(shorten(said, SHOWN)), said


def restated(content: str, told_at: Collection[str], lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the latest sentence of a person in a session that a statement restates; empty for none."""
    asked = (str(line[ASKED]) for line in reversed(lines) if line.get("t") == ASK and ASKED in line)
    return next((said for said in asked if restates(content, said, told_at)), "")
