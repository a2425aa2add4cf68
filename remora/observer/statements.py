"""Rules that a person states, recognized by the few forms that are a rule in any project.

A sentence is taken only if all of it is the rule: it begins with a word of permanence ("always", "from now
on"), it names a step before every commit, it chooses one named thing over another, or it asks to be
remembered. No other sentence is a memory by its form; it becomes one if the agent records it, or if the
person reviews it (docs/learning.md).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.directive import Directive, directive, is_lasting
from remora.core.directive_words import LASTS
from remora.core.text import collapse

MOST_WORDS = 40  # of a rule
CHOICE_WORDS = 14  # of a rule that chooses or rules out; a longer sentence says more than that
MOST_LINES, MOST_CHARACTERS = 15, 1_200  # of a prompt; a longer one is a paste or a plan
_PASTED = re.compile(r"\A\s*(?:<|\{|\[|#|diff |\+\+\+|---|❯|\$ |>|⏺)|```")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？])|\n+")
_LEAD = re.compile(
    r"\A\W*(?:(?:(?:yes|no|ok(?:ay)?|stop|please|so|and|also|but|by the way|btw|well|hey|listen|again"
    r"|note that|(?:i|we) (?:told|said|want) you to|(?:we|you) (?:should|must)|remember to"
    r"|make sure (?:to|you)|bitte|s'il te plaît|por favor|per favore|пожалуйста)\b|请|請)[\s,.:!—–-]*)+",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"\W*(?:please )?(?:remember|keep in mind|note for (?:later|the future)|for future reference"
    r"|merk(?:e)? dir|souviens-toi"
    r"|recuerda|ricorda|lembre-se|запомни|记住|覚えて(?:おいて)?)(?:,| that\b| que\b| che\b|,? dass\b|:"
    r"|,? что\b)",
    re.IGNORECASE,
)
_WE = re.compile(r"\A(?:we|wir|nous|мы)\s+", re.IGNORECASE)
_CHOOSES = re.compile(
    r"(?:\A|[,;]\s*)(?:use|prefer|verwende|benutze|nutze|nimm|utilise[rz]?|usa|usare|gebruik"
    r"|используй(?:те)?)\b|(?:\A|，)(?:用|使用|改用)",
    re.IGNORECASE,
)
_EACH = re.compile(r"(?:each|every|any|jede\w+|chaque|cada|ogni|elke|кажд\w+)\b|之前|前に", re.IGNORECASE)
_CONDITION = re.compile(
    r"\A(?:in|on|when|if|for|during|while|except|unless|outside|under|bei|wenn|auf|dans|quand|en|cuando|quando|при)\b[^,;]{2,80},\s+",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:the|an?)\b", re.IGNORECASE)
# Words that limit a sentence to the task: this moment, this place, this once.
_PASSING = re.compile(
    r"\b(?:yet|for now|right now|at the moment|this time|today|tomorrow|currently"
    r"|for the time being|temporarily|just this|ago"
    r"|ausnahmsweise|vorerst|diesmal|heute|gerade|erstmal|pour l['’]instant|por ahora|per ora"
    r"|пока)\b|(?:这次|暂时|今回)"
    r"|\bnever ?mind\b|\bnever (?:have|had|got|saw|did|was|were|used to)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？][^\w?？]*\Z|(?:吗|呢|ですか|ますか)[。.!！?？]*\Z")
_NAME = re.compile(
    r"`[^`\n]+`|\"[^\"\n]{2,60}\"|[\w-]/[\w./-]|\w\.\w{2,4}\b(?!\.)|(?<!\w)--[a-z][\w-]"
    r"|\b[a-z]+_[a-z_]+\b"
    r"|\b[A-Za-z]+[a-z][A-Z]\w*\b|\b[A-Z][A-Z_]{3,}\b|\b[A-Z][a-z]+-[A-Z][a-z]+\b|\b[a-z]+-[a-z]+\b"
)
# A text that points at something outside of it.
_POINTS = re.compile(r"\A(?:it|they|he|she|there)\b|\b(?:this|that|these|those)\b|\bit\W*\Z", re.IGNORECASE)
# What follows is told, not asked for: "from now on it crashes". "Whenever it crashes, …" asks.
_TELLS = re.compile(
    rf"\W*(?!(?:whenever|every\s+time)\b[^,]+,)(?:{LASTS.pattern})\W*(?:i|it|he|she|they|the|es|er|sie|el|la)\b",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """A rule that a person stated: its memory type, the cleaned words, and the sentence as typed."""

    type: str
    text: str
    said: str


def statements(prompt: str) -> list[Statement]:
    """Return the rules in a prompt, in order, each once.

    >>> [s.text for s in statements("Rename it. From now on use bun, not pnpm.")]
    ['From now on use bun, not pnpm.']
    >>> statements("don't push yet"), statements("it always fails"), statements("should we always squash?")
    ([], [], [])
    """
    if prompt.count("\n") > MOST_LINES or len(prompt) > MOST_CHARACTERS or _PASTED.search(prompt):
        return []
    found: dict[str, Statement] = {}
    for sentence in _SENTENCE.split(prompt):
        text = collapse(sentence)
        if text and (kind := _kind(text)):
            bare = text[_asked_to_remember(text) :]
            told = tidy(_LEAD.sub("", bare) or bare)
            found.setdefault(told.lower(), Statement(kind, told, text))
    return list(found.values())


def _kind(text: str) -> str:
    """Return the memory type of a sentence; empty if its form is not that of a rule."""
    words = len(text.split())
    if words > MOST_WORDS or _QUESTION.search(text) or is_passing(text) or text[0] in '"“„«':
        return ""
    if asked := _asked_to_remember(text):
        return "gotcha" if stands_alone(text[asked:].strip()) else ""
    said = _LEAD.sub("", text)
    condition = _CONDITION.match(said)
    rule = _WE.sub("", said[condition.end() :] if condition else said)
    first = re.split(r"[,;(]", rule)[0]
    if _TELLS.match(rule) or not stands_alone(first) or (condition and not stands_alone(condition[0])):
        return ""
    asks = directive(said)
    if is_lasting(rule):
        return "preference" if words >= 4 or _named(asks) else ""
    if words > CHOICE_WORDS or not asks.wants:
        return ""
    ordered = asks.before and _EACH.search(said)
    chosen = asks.forbids and _named(asks) and _CHOOSES.search(rule) and not _ARTICLE.search(first)
    return "preference" if ordered or chosen else ""


def _asked_to_remember(text: str) -> int:
    """Return the length of "btw, remember that" at the beginning of a sentence; 0 for none."""
    lead = len(text) - len(_LEAD.sub("", text))
    found = _REMEMBER.match(text) or _REMEMBER.match(text, lead)
    return found.end() if found else 0


def _named(asks: Directive) -> bool:
    """Return whether everything that is forbidden or wanted has a name, and anything is."""
    things = (*asks.forbids, *asks.wants)
    return bool(things) and all(thing.kind != "words" for thing in things)


def names_something(text: str) -> bool:
    """Return whether a text contains a path, an identifier, a command or a quoted name."""
    return _NAME.search(text) is not None


def is_passing(text: str) -> bool:
    """Return whether a text limits itself to the moment: "yet", "for now", "today"."""
    return _PASSING.search(text) is not None


def stands_alone(text: str) -> bool:
    """Return whether a text can be understood without the text around it."""
    return bool(text) and _POINTS.search(text) is None


def tidy(clause: str) -> str:
    """Return a clause as a sentence: a capital at its start, a full stop at its end."""
    clause = clause.strip(" ,;:-–")
    if clause[:1].islower() and not re.match(r"\w*[._/(-]|\w*[a-z][A-Z]", clause.split(" ")[0]):
        clause = clause[0].upper() + clause[1:]
    return clause if clause.endswith((".", "!", "。", "！")) else clause + "."
