"""Detector of corrections in speech: beliefs taken back, approaches given up, rules stated by the user.

A phrase counts only at the start of a sentence, outside quotes and code, so `await` is no "wait" and a log
line is no correction. The model's phrases are signals alone. The user's rules (`statements`) become memories,
in the words that were typed.
"""

from __future__ import annotations

from remora.core.text import content_hash, shorten
from remora.core.typed_prompt import typed
from remora.observer.calls import Call
from remora.observer.fingerprint import user_said
from remora.observer.quoted_text import BELIEF, DEAD_END, END, FENCE, NOT_TYPED, QUOTED, STARTS
from remora.observer.scratchpad import Scratchpad
from remora.observer.statements import statements

_READ = 6_000  # characters of a text that are looked at
_SENTENCE = 600  # characters of a sentence that are kept
MOST = 5  # corrections of one text


def told(text: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
    """Process a reply or a thought of the model."""
    for kind, sentence in _corrections(_plain(text)):
        _suspect(pad, kind, sentence, step, key, at, evidence=None)
        pad.analytics.self_correction_count += kind == "belief"


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
        pad.analytics.self_correction_count += 1


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


def _corrections(text: str) -> list[tuple[str, str]]:
    """Return the corrections in a text, each as its kind and its sentence."""
    found: list[tuple[str, str]] = []
    for start in (m.end() - 1 for m in STARTS.finditer(f"\n{text}")):
        kind = "belief" if BELIEF.match(text, start) else "dead_end" if DEAD_END.match(text, start) else ""
        if kind and len(found) < MOST:
            end = END.search(text, start + 1)
            sentence = text[start : end.end() if end else len(text)].strip(" *-•")
            found.append((kind, sentence))
    return found


def _plain(text: str) -> str:
    """Return a text without code blocks and quoted lines; paragraphs are kept."""
    if len(text) > _READ:
        text = text[: _READ // 2] + "\n\n" + text[-_READ // 2 :]
    if "```" in text:
        text = FENCE.sub("\n", text)
    return QUOTED.sub("", text)
