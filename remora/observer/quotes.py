"""Sentences of a person that may hold longer than the task, stored verbatim as records.

The form of a sentence does not show whether it lasts, so nothing is decided here. A cheap filter drops
sentences that only concern the moment (questions, requests, complaints, pasted output); the others are kept,
to be found when they are relevant, and are only ever quoted. The weights were chosen on labelled sentences of
37 repositories (`python -m benchmarks words`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.directive import directive
from remora.core.directive_words import AUXILIARY, NEGATES, one_of
from remora.core.events import Event, Quote
from remora.core.text import STOP_WORDS, collapse
from remora.core.typed_prompt import typed
from remora.observer.quoted_text import ASKING, NOT_TYPED, SENTENCE, apart
from remora.observer.state import State, cut, keep_last
from remora.observer.statements import is_passing, names_something

MOST = 200  # of a session
LONGEST = 600  # characters of a sentence; a longer one is a paste
ANSWERED = 300  # characters at the end of the text that a sentence answers
LEAST_WORDS = 4
MOST_LINES = 15  # of a prompt; a longer one is mostly pasted or a plan
KEPT_FROM = 4  # weight
STANDING = 900  # characters of all that is said again after a compaction
_READ = 8_000
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d{1,2}[.)])\s+")
_QUESTION = re.compile(r"[?？][^\w?？]*\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OUTPUT = re.compile(
    r"\A\s*(?:[=+>^|$#<{}\[\]*]|at |\d{4}-\d\d|\w+Error\b|File \")|[{};]\s*\Z|</|=>|\^\s|\.\w+:\d+"
)
# States a fact or a duty: be, have, must, in ten languages, and English contractions.
_STATES = re.compile(
    r"(?<!\w)(?:"
    + one_of(
        f"""{AUXILIARY} want wants supposed uses used works runs lives contains means supports expects
        decided"""
    )
    + r")(?!\w)|\w['’](?:s|re|ll|ve|m|d|t)\b|是|有|要|必须|需要|应该|です|ます|である|이다|입니다|한다",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    rf"(?<!\w)(?:{one_of('use using used only instead prefer avoid')})(?!\w)", re.IGNORECASE
)
_GENERAL = re.compile(
    rf"(?<!\w)(?:{one_of('all every each any everything nothing always never both')})(?!\w)", re.IGNORECASE
)
_ASKS = re.compile(
    r"\A\W*(?:"
    + one_of(
        """can could please would will let let's lets do does how why what where which who is are should
        bitte kannst peux pouvez puedes por можешь"""
    )
    + r")(?!\w| not\b)|\bcan you\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"(?<!\w)(?:"
    + one_of(
        """error errors fail fails failed failing bug broken wrong still again crash crashes issue problem
        ошибка"""
    )
    + r")(?!\w)",
    re.IGNORECASE,
)
_ANSWER = re.compile(r'"(?P<asked>[^"\n]{3,600})"="(?P<answer>[^"\n]{1,600})"')


class Quotes(State):
    """The kept sentences of a person in one session, in order, bounded; and the last reply."""

    def __init__(self) -> None:
        self.kept: list[Quote] = []
        self.reply = ""

    def feed(self, event: Event) -> None:
        """Process an event; prompts of subagents are skipped, because no person wrote them."""
        if event.agent:
            return
        if event.kind == "reply":
            self.reply = cut(event.text, _READ)
        elif event.kind == "user_prompt":
            first = not self.reply
            self._add([(text, self.reply) for text in sentences(event.text, self.reply, first=first)], event)
        elif event.kind == "tool_result" and ASKING.search(event.tool):
            found = [(collapse(one["answer"]), one["asked"]) for one in _ANSWER.finditer(event.text)]
            self._add(found, event)
        elif event.kind == "tool_result" and event.error:
            from remora.observer.fingerprint import user_said  # a hook at a prompt need not load it

            said = (event.extra or {}).get("said") or user_said(event.text)
            self._add([(text, self.reply) for text in sentences(str(said), self.reply)], event)

    def _add(self, found: list[tuple[str, str]], event: Event) -> None:
        known = {quote.text for quote in self.kept}
        for text, answers in found:
            if text not in known:
                known.add(text)
                quote = Quote(text, collapse(answers[-ANSWERED:]), event.step, event.at, event.key)
                keep_last(self.kept, quote, MOST)


def sentences(prompt: str, before: str = "", *, first: bool = False) -> list[str]:
    """Return the sentences of a prompt that may last, in order.

    Args:
        prompt: the text as typed.
        before: the reply that it answers; sentences that repeat it are pasted.
        first: no reply came before it in the session.

    >>> sentences("Add a test. The staging database is read only for us. Does that work?")
    ['The staging database is read only for us.']
    """
    prompt = typed(prompt[:_READ])
    if NOT_TYPED.match(prompt):
        return []
    plain, _ = apart(prompt)
    pasted = plain.count("\n") > MOST_LINES
    found = (collapse(_BULLET.sub("", one)) for one in SENTENCE.split(plain))
    return [
        one
        for one in dict.fromkeys(found)
        if len(one) <= LONGEST
        and (len(one) < LEAST_WORDS or one not in before)
        and weight(one, first=first, pasted=pasted) >= KEPT_FROM
    ]


def standing(said: Sequence[str]) -> list[str]:
    """Return the sentences of a session that its agent should still know, in order, each once.

    They name something, or hold for all cases, and are not for the moment; the latest that fit are returned.

    >>> standing(["Do not touch export/legacy.py.", "Don't run any of it yet", "That is not what I meant."])
    ['Do not touch export/legacy.py.']
    """
    chosen: list[str] = []
    left = STANDING
    for text in reversed(dict.fromkeys(said)):
        if len(text) <= left and _tells(text) and not is_passing(text):
            chosen.insert(0, text)
            left -= len(text)
    return chosen


def _tells(sentence: str) -> bool:
    if names_something(sentence) or _GENERAL.search(sentence):
        return True
    asks = directive(sentence).named
    return bool(asks.forbids or asks.wants)


def weight(sentence: str, *, first: bool = False, pasted: bool = False) -> int:
    """Return the score of a sentence by its form; sentences from KEPT_FROM on are kept."""
    said = [word.lower() for word in _WORD.findall(sentence)]
    if len(said) + len(_CJK.findall(sentence)) / 2 < LEAST_WORDS or _QUESTION.search(sentence):
        return 0
    signs = (
        (2, _STATES.search(sentence) is not None),
        (2, (NEGATES.search(sentence) or _CHOOSES.search(sentence)) is not None),
        (2, _GENERAL.search(sentence) is not None),
        (2, sentence.endswith((".", "!", "。", "！"))),
        (2, first),
        (1, bool(said) and said[0] in STOP_WORDS),
        (1, names_something(sentence)),
        (-2, _ASKS.search(sentence) is not None),
        (-2, _TROUBLE.search(sentence) is not None),
        (-2, pasted or _OUTPUT.search(sentence) is not None),
    )
    return sum(points for points, there in signs if there)
