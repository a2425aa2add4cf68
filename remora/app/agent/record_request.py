"""The one line that may go with a prompt: it asks the agent at work to record what a person just said.

Whether a sentence holds beyond its task, the model that has read it judges better than any rule of ours. So a
sentence whose form speaks for it is pointed out, seldom, and the agent decides and words the memory.

The sentence itself is kept with the session. What the agent then records is the person's where it says what
the sentence says and names nothing else; what it adds of its own leaves it the agent's.
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

ASK = "ask"  # trigger of the line
ASKED = "quote"  # part of the line of a live file: the sentence that was asked about
FROM = 8  # weight of a sentence that is asked about; one prompt in twenty has one
EVERY = 5  # prompts, of which at most one is asked about
SHOWN = 56  # characters of the sentence: the whole line stays within 40 tokens
_LINE = "If “{}” holds beyond this task, save it with record_memory: the rule, its reason, when it applies."


def may_ask(lines: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether enough prompts of a session came since one was asked about, the present one included."""
    prompts = 0
    for line in reversed(lines):
        if line.get("t") == ASK:
            return prompts > EVERY - 1
        prompts += line.get("k") == moments.PROMPT
    return True


def question(prompt: str, look: HookReader) -> tuple[str, str]:
    """Return the line for a prompt and the sentence it asks about, without secrets.

    Both are empty where no sentence speaks for it, or memory has it already.
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
    """Return the sentence of a person that a statement restates, the last of a session's; empty for none."""
    asked = (str(line[ASKED]) for line in reversed(lines) if line.get("t") == ASK and ASKED in line)
    return next((said for said in asked if restates(content, said, told_at)), "")
