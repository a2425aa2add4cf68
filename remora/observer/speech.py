"""What is said: beliefs taken back, approaches given up, and the user's own corrections.

A cue counts only where a sentence starts, outside quotes and code, so `await` is no "wait" and a log
line is no confession. After "Actually" and "Wait" most sentences are plans or doubts; one counts when it
states a contrast about something with a name. The user's corrections are worth most: their words are
kept as typed, and the model's words never replace them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.text import collapse, content_hash, shorten
from remora.observer.calls import Call
from remora.observer.fingerprint import user_said
from remora.observer.keeping import Kept
from remora.observer.phrases import (
    BELIEF,
    BOTH_SIDES,
    BY_PERSON,
    CLAUDE_MD,
    CONTRAST,
    DEAD_END,
    END,
    FENCE,
    NAMED,
    NOT_TYPED,
    PLAN,
    PROCEDURE,
    QUOTED,
    REPORTED,
    RIGHT,
    STARTS,
    THAT,
    THEN_FINE,
    UNAVAILABLE,
    USER_FIRST,
    USER_RULE,
)
from remora.observer.scratchpad import Scratchpad

_READ = 6_000  # characters of a text that are looked at
_WORDS = 600  # characters of the user's words that are kept
_SENTENCE = 400
_STOP = re.compile(r"[.!?;]\s+|\n\s*")
_ENDED = re.compile(r"(?<=[.!?])\s+")
_PASTED = 1_500  # a longer prompt is mostly pasted; its cues count at its start only


class Said(NamedTuple):
    """The user's last words, and whether the model has answered them."""

    text: str
    step: int
    key: str
    at: str | None


class Speech(Kept):
    """What was said in one agent's part of a session."""

    prompt: Said | None
    reply: str

    def __init__(self) -> None:
        self.prompt, self.reply = None, ""

    def told(
        self, text: str, step: int, key: str, at: str | None, pad: Scratchpad, *, reply: bool = False
    ) -> None:
        """Look at a reply or a thought of the model; a reply is kept for the context of a correction."""
        plain = _plain(text)
        self._admitted(plain, step, pad)
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
        """Look at what the user typed."""
        self.prompt = None
        if NOT_TYPED.match(text) or not text.strip():
            return
        self.prompt = Said(shorten(text, _WORDS), step, key, at)
        found = correction(text)
        if found:
            self._corrected(found[0], found[1], text, step, key, at, pad, {})

    def refused(self, call: Call, pad: Scratchpad) -> None:
        """Look at what the user said when refusing a tool."""
        said = call.extra.get("said")
        words = said if isinstance(said, str) else user_said(call.text)
        found = correction(words)
        first, _ = _sentence(words, 0)
        if NOT_TYPED.match(words) or (
            not found and (len(first.split()) < 6 or "?" in words or PROCEDURE.match(words))
        ):
            return
        cue, sentence = found or ("refused", first)
        more = {"tool": call.tool, "path": call.path, "command": shorten(call.command, 200)}
        self._corrected(cue, sentence, words, call.step, call.key, call.ended or call.at, pad, more)

    def _corrected(
        self,
        cue: str,
        sentence: str,
        words: str,
        step: int,
        key: str,
        at: str | None,
        pad: Scratchpad,
        more: dict[str, str],
    ) -> None:
        # The user's words do not come from outside; what the model said before them may.
        before = "" if pad.tainted_at(step + 1) else self.reply
        detail = {
            "kind": "user",
            "cue": cue,
            "sentence": sentence,
            "words": shorten(words, _WORDS),
            "before": before,
        }
        pad.suspect(
            "self_correction",
            _key("user", sentence),
            step,
            at=at,
            event=key,
            evidence=0,
            detail={**detail, **more},
        )
        pad.analytics.self_correction_count += 1

    def _admitted(self, text: str, step: int, pad: Scratchpad) -> None:
        """The model says the user is right: what the user said was a correction."""
        said, found = self.prompt, RIGHT.match(text)
        if said is None or not found:
            return
        self.prompt = None
        sentence, after = _sentence(text, found.start())
        agreed = f"{sentence} {after}"
        if len(said.text.split()) < 4 or not NAMED.search(agreed) or not CONTRAST.search(agreed):
            return
        pad.suspect(
            "self_correction",
            _key("admitted", said.text),
            said.step,
            at=said.at,
            event=said.key,
            evidence=step,
            detail={
                "kind": "admitted",
                "words": said.text,
                "sentence": sentence,
                "then": after,
                "before": "" if pad.tainted_at(step) else self.reply,
            },
        )


def correction(text: str) -> tuple[str, str] | None:
    """Return the cue and the sentence of a correction or a standing wish in the user's words; None if none.

    >>> correction("no, we removed the session commands on purpose")
    ('no', 'no, we removed the session commands on purpose')
    >>> correction("no") is None and correction("can you look at the tests?") is None
    True
    """
    plain = _plain(text[:_READ]).strip()
    first = USER_FIRST.match(plain)
    if first and not THEN_FINE.search(plain[:80]):
        sentence, after = _sentence(plain, 0)
        if len(sentence.split()) >= 4:
            return first["cue"].strip(" ,.!").lower(), sentence
        if after and len(after.split()) >= 4:
            return first["cue"].strip(" ,.!").lower(), shorten(f"{sentence} {after}", _SENTENCE)
    looked_at = plain[:300] if len(plain) > _PASTED else plain
    for rule in USER_RULE.finditer(looked_at):
        sentence, _ = _sentence(plain, _begins(plain, rule.start()))
        if (len(sentence.split()) >= 4 and not sentence.endswith("?")) or CLAUDE_MD.search(sentence):
            return collapse(rule["cue"]).lower()[:40], sentence
    return None


def _begins(text: str, at: int) -> int:
    """Return where the sentence begins in which something stands behind a comma or colon, else its place.

    >>> _begins("Fix it. In CI, never use the cache", 15), _begins("Fix it. Never use it", 8)
    (8, 8)
    """
    if not text[:at].rstrip().endswith((",", ":")):
        return at
    return max((found.end() for found in _STOP.finditer(text[:at])), default=0)


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
    """Say whether what follows "Actually," states a contrast about something with a name."""
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
    """Say whether a sentence is what somebody else said: quoted, told after a colon, or as "the docs say"."""
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
    """Return a text without code blocks and quoted lines, its paragraphs kept."""
    if len(text) > _READ:
        text = text[: _READ // 2] + "\n\n" + text[-_READ // 2 :]
    if "```" in text:
        text = FENCE.sub("\n", text)
    return QUOTED.sub("", text)


def _sentence(text: str, start: int) -> tuple[str, str]:
    """Return the sentence that starts somewhere and the one after it, each on one line."""
    end = END.search(text, start + 1)
    stop = end.end() if end else len(text)
    following = END.search(text, stop + 1)
    after = text[stop : following.end() if following else len(text)] if stop < len(text) else ""
    return shorten(text[start:stop].strip(" *-•"), _SENTENCE), shorten(after.strip(" *"), _SENTENCE)


def _before(text: str, start: int) -> str:
    """Return the end of what stands before a sentence."""
    return shorten(text[max(0, start - 240) : start], 240)


def _key(kind: str, sentence: str) -> str:
    return f"{kind}:{content_hash(sentence)[:16]}"
