"""Detector of corrections in speech: beliefs taken back, approaches given up, rules stated by the user.

A phrase counts only at the start of a sentence, outside quotes and code, so `await` is no "wait" and a log
line is no correction. After "Actually" and "Wait" most sentences are plans or doubts; one counts if it
states a contrast about something with a name. The user's rules (`statements`) have the most weight: the
words are kept as typed, and the model's words never replace them.
"""

from __future__ import annotations

import re

from remora.core.text import content_hash, shorten
from remora.core.typed_prompt import typed
from remora.observer.calls import Call
from remora.observer.checkpoint import Checkpointed
from remora.observer.fingerprint import user_said
from remora.observer.phrases import (
    BELIEF,
    BOTH_SIDES,
    BY_PERSON,
    CONTRAST,
    DEAD_END,
    END,
    FENCE,
    NAMED,
    NOT_TYPED,
    PLAN,
    QUOTED,
    REPORTED,
    STARTS,
    THAT,
    UNAVAILABLE,
)
from remora.observer.scratchpad import Scratchpad
from remora.observer.statements import statements

_READ = 6_000  # characters of a text that are looked at
_WORDS = 600  # characters of the user's words that are kept
_SENTENCE = 400
_ENDED = re.compile(r"(?<=[.!?])\s+")


class Speech(Checkpointed):
    """The last reply of one agent, as the context of the user's corrections."""

    reply: str

    def __init__(self) -> None:
        self.reply = ""

    def told(
        self, text: str, step: int, key: str, at: str | None, pad: Scratchpad, *, reply: bool = False
    ) -> None:
        """Process a reply or a thought of the model; a reply is kept as the context of a correction."""
        plain = _plain(text)
        starts = [m.end() - 1 for m in STARTS.finditer(f"\n{plain}")]
        for kind, start in (*_beliefs(plain, starts), *_dead_ends(plain, starts)):
            sentence, after = _sentence(plain, start)
            detail = {"kind": kind, "sentence": sentence, "then": after, "before": _before(plain, start)}
            pad.suspect("self_correction", _key(kind, sentence), step, at=at, detail=detail, event=key)
            if kind == "belief":
                pad.analytics.self_correction_count += 1
        pad.last_text = shorten(plain[-300:], 300) if plain.strip() else pad.last_text
        if reply:
            self.reply = shorten(plain[:600], 300)

    def asked(self, text: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
        """Process a prompt of the user."""
        self._stated(typed(text), step, key, at, pad, {})

    def refused(self, call: Call, pad: Scratchpad) -> None:
        """Process the user's message on refusing a call."""
        said = call.extra.get("said")
        words = said if isinstance(said, str) else user_said(call.text)
        more = {"tool": call.tool, "path": call.path, "command": shorten(call.command, 200)}
        self._stated(words, call.step, call.key, call.ended or call.at, pad, more)

    def _stated(
        self, words: str, step: int, key: str, at: str | None, pad: Scratchpad, more: dict[str, str]
    ) -> None:
        # The user's words are not external; the model's reply before them may repeat external text.
        before = "" if pad.tainted_at(step + 1) else self.reply
        for rule in statements(words[:_READ]) if not NOT_TYPED.match(words) else ():
            detail = {
                "kind": "user",
                "sentence": shorten(rule.said, _WORDS),
                "words": shorten(words, _WORDS),
                "before": before,
                **more,
            }
            pad.suspect(
                "self_correction",
                _key("user", rule.said),
                step,
                at=at,
                event=key,
                evidence=0,
                detail=detail,
            )
            pad.analytics.self_correction_count += 1


def _beliefs(text: str, starts: list[int]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for start in starts:
        if text[start : start + 1] not in "IAWHOMNSCL":
            continue
        match = BELIEF.match(text, start)
        if match and _is_belief(match, text):
            found.append(("belief", start))
            if len(found) >= 5:
                break
    return found


def _is_belief(match: re.Match[str], text: str) -> bool:
    sentence, after = _sentence(text, match.start())
    rest = sentence[match.end() - match.start() :].strip(" *")
    if match["wrong"]:
        return len(f"{rest} {after}".split()) >= 4
    if match["thought"]:
        return (
            re.search(r"\bbut\b|\bhowever\b|\bactually\b", f"{sentence} {after}", re.IGNORECASE) is not None
        )
    if match["reconsider"]:
        return bool(NAMED.search(after)) and bool(CONTRAST.search(after)) and not after.endswith("?")
    return _states(rest) and (sentence.startswith("Actually") or BOTH_SIDES.search(rest) is not None)


def _states(rest: str) -> bool:
    """Return whether the text after "Actually," states a contrast about something with a name."""
    return (
        not PLAN.match(rest)
        and not rest.endswith("?")
        and 5 <= len(rest.split()) <= 60
        and NAMED.search(rest) is not None
        and CONTRAST.search(rest) is not None
    )


def _dead_ends(text: str, starts: list[int]) -> list[tuple[str, int]]:
    for start in starts:
        found = text[start : start + 1] in "TILHOUSWNtilhouswn" and DEAD_END.match(text, start)
        if found and not _of_others(text, start, start):
            return [("dead_end", start)]
    if "vailable in" in text:
        for start in starts:
            if (found := UNAVAILABLE.match(text, start)) and not _of_others(text, start, found.end()):
                return [("dead_end", start)]
    return []


def _of_others(text: str, start: int, end: int) -> bool:
    """Return whether a sentence repeats others: quoted, after a colon, or with "the docs say"."""
    before = text[max(0, start - 300) : start]
    paragraph = before.rpartition("\n\n")[2]
    if paragraph.count('"') % 2 or paragraph.count("“") > paragraph.count("”"):
        return True
    if REPORTED.search(text, start, end):
        return True
    sentences = _ENDED.split(before.rstrip())
    leads = sentences[-1].rstrip(" \n*-•")
    if leads.endswith((":", ",")):
        return REPORTED.search(leads) is not None
    said = next((s for s in reversed(sentences) if s.strip()), "")
    return THAT.match(text, start) is not None and BY_PERSON.search(said) is not None


def _plain(text: str) -> str:
    """Return a text without code blocks and quoted lines; paragraphs are kept."""
    if len(text) > _READ:
        text = text[: _READ // 2] + "\n\n" + text[-_READ // 2 :]
    if "```" in text:
        text = FENCE.sub("\n", text)
    return QUOTED.sub("", text)


def _sentence(text: str, start: int) -> tuple[str, str]:
    """Return the sentence at a position and the one after it, each on one line."""
    end = END.search(text, start + 1)
    stop = end.end() if end else len(text)
    following = END.search(text, stop + 1)
    after = text[stop : following.end() if following else len(text)] if stop < len(text) else ""
    return shorten(text[start:stop].strip(" *-•"), _SENTENCE), shorten(after.strip(" *"), _SENTENCE)


def _before(text: str, start: int) -> str:
    """Return the text before a sentence, 240 characters at most."""
    return shorten(text[max(0, start - 240) : start], 240)


def _key(kind: str, sentence: str) -> str:
    return f"{kind}:{content_hash(sentence)[:16]}"
