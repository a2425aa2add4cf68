"""Detector of corrections in speech: beliefs taken back, approaches given up, rules stated by the user.

A phrase counts only at the start of a sentence, outside quotes and code, so `await` is no "wait" and a log
line is no correction. The model's phrases are signals alone. The user's rules (`statements`) become memories,
in the words that were typed.
"""

from __future__ import annotations

import re

from remora.core.text import content_hash, shorten
from remora.core.typed_prompt import typed
from remora.observer.calls import Call
from remora.observer.fingerprint import user_said
from remora.observer.quoted_text import FENCE, NOT_TYPED, QUOTED, SENTENCE
from remora.observer.scratchpad import Scratchpad
from remora.observer.statements import statements

_READ = 6_000  # characters of a text that are looked at
_SENTENCE = 600  # characters of a sentence that are kept
MOST = 5  # corrections of one text
# Phrases of the Auto Claude memory document (section 4), each at the beginning of a sentence. Its "Actually"
# and "Wait" are left out: most sentences after them are plans or doubts.
BELIEF = re.compile(
    r"I (?:was|am) (?:wrong|mistaken)\b|I (?:initially|originally) thought\b[^.\n]*\bbut\b"
    r"|Let me reconsider\b|Correction:"
)
DEAD_END = re.compile(
    r"(?:This|That|The) (?:\w+ )?approach (?:won['’]t|will not|cannot|can['’]t|does(?:n['’]t| not)) \w+"
    r"|I (?:need|have) to abandon\b|Let me try (?:a different|another) approach\b"
    r"|[^.\n]{0,120}?\b(?:unavailable in (?:test|ci|production)|not available in this environment)\b",
    re.IGNORECASE,
)


def told(text: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
    """Process a reply or a thought of the model."""
    found = 0
    for sentence in SENTENCE.split(QUOTED.sub("", FENCE.sub("\n", text[:_READ]))):
        said = sentence.strip(" \t*-•")
        kind = "belief" if BELIEF.match(said) else "dead_end" if DEAD_END.match(said) else ""
        if kind and found < MOST:
            found += 1
            _suspect(pad, kind, said, step, key, at, evidence=None)


def asked(text: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
    """Process a prompt of the user."""
    _stated(typed(text), step, key, at, pad)


def refused(call: Call, pad: Scratchpad) -> None:
    """Process the user's message on refusing a call."""
    said = call.extra.get("said")
    words = said if isinstance(said, str) else user_said(call.text)
    _stated(words, call.step, call.key, call.ended or call.at, pad)


def _stated(words: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
    for rule in statements(words[:_READ]) if not NOT_TYPED.match(words) else ():
        _suspect(pad, "user", rule.said, step, key, at, evidence=0)  # a person's words are never tainted


def _suspect(
    pad: Scratchpad, kind: str, sentence: str, step: int, key: str, at: str | None, *, evidence: int | None
) -> None:
    pad.suspect(
        "self_correction",
        f"{kind}:{content_hash(sentence)[:16]}",
        step,
        at=at,
        event=key,
        evidence=evidence,
        detail={"kind": kind, "sentence": shorten(sentence, _SENTENCE)},
    )
