"""Rules that a person states, recognized by the few forms that are a rule in any project.

A sentence is taken only if all of it is the rule: it begins with a word of permanence ("always", "from now
on"), it names a step before every commit, it chooses one named thing over another, it rules a named thing
out, or it asks to be remembered. A plain yes to the agent's question "shall I always …?" makes a rule of
that. No other sentence is a memory by its form; it becomes one if the agent records it, or if the person
reviews it (docs/learning.md).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.directive import (
    BUT,
    CHANGES,
    LASTS,
    NEGATES,
    STOPS,
    Directive,
    directive,
    is_lasting,
    one_of,
)
from remora.core.relation import NOW
from remora.core.text import collapse
from remora.observer.phrases import FENCE

MOST_WORDS = 40  # of a rule
CHOICE_WORDS = 14  # of a rule that chooses or rules out; a longer sentence says more than that
MOST_LINES, MOST_CHARACTERS = 15, 1_200  # of a prompt; a longer one is a paste or a plan
_PASTED = re.compile(r"\A\s*(?:<|\{|\[|#|diff |\+\+\+|---|❯|\$ |>|⏺)|```")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？])|\n+")
_LEAD = re.compile(
    r"\A\W*(?:(?:(?:yes|no|ok(?:ay)?|stop|please|so|and|also|but|by the way|btw|well|hey|listen|again"
    r"|note that|(?:i|we) (?:told|said|want) you to|remember to|make sure (?:to|you)|bitte|s'il te plaît"
    r"|por favor|per favore|пожалуйста)\b|请|請)[\s,.:!—–-]*)+",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"\W*(?:please )?(?:remember|keep in mind|note for (?:later|the future)|for future reference"
    r"|merk(?:e)? dir|souviens-toi"
    r"|recuerda|ricorda|lembre-se|запомни|记住|覚えて(?:おいて)?)(?:,| that\b| que\b| che\b|,? dass\b|:"
    r"|,? что\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\A(?:(?:we|you|i)(?:['’]d| should| must| want to| want you to)?|du|wir|on|nous|мы|ты)\s+", re.IGNORECASE
)
_CHOOSES = re.compile(
    r"\A(?:use|prefer|verwende|benutze|nutze|nimm|utilise[rz]?|usa|usare|gebruik|используй(?:те)?)\b|\A(?:用|使用|改用)",
    re.IGNORECASE,
)
_RULES_OUT = re.compile(
    r"\A(?:do not|don['’]?t|stop|avoid|no more|keine?n?|n['’]utilise[rz]? (?:pas|jamais)|no uses?"
    r"|não use|non usare|не используй(?:те)?"
    r")\s+(?:ever\s+)?(?:us(?:e|ing)|import(?:ing)?|install(?:ing)?|verwenden|benutzen)\b|\A(?:不要|别|禁止)(?:使?用)",
    re.IGNORECASE,
)
_EACH = re.compile(r"(?:each|every|any|jede\w+|chaque|cada|ogni|elke|кажд\w+)\b|之前|前に", re.IGNORECASE)
# "You never run the tests!", "should never have", "from now on it crashes" are no rules.
_COMPLAINT = re.compile(
    r"\A(?:you (?:never|always)\b|\S+ (?:should|must) (?:never|always) have\b"
    r"|(?:always|never) (?:the same|it|he|she|they|i)\b"
    r"|(?:from now on|ab jetzt|a partir de ahora),? (?:i|it|he|she|they|the|es|er|sie|el|la)\b)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\A(?:in|on|when|if|for|during|while|except|unless|outside|under|bei|wenn|auf|dans|quand|en|cuando|quando|при)\b[^,;]{2,80},\s+",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\A(?!(?:it|this|that|there|they|he|she|you|we|i)\b)(?:\S+\s+){1,4}?must (?:never|always|not)\b",
    re.IGNORECASE,
)
_HANGS = re.compile(r"\A(?:it|they|he|she|there)\b|\b(?:this|that|these|those)\b|\bit\W*\Z", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:this|that|these|those|your|my|i)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:the|an?)\b", re.IGNORECASE)
# Words that limit a sentence to the task: this moment, this place, this once.
_PASSING = re.compile(
    r"\b(?:yet|for now|right now|at the moment|this time|today|tomorrow|currently"
    r"|for the time being|temporarily|just this|ago"
    r"|ausnahmsweise|vorerst|diesmal|heute|gerade|erstmal|pour l['’]instant|por ahora|per ora"
    r"|пока)\b|(?:这次|暂时|今回)"
    r"|\bnever ?mind\b|\bnever (?:had|got|saw|did|was|were|used to)\b",
    re.IGNORECASE,
)
_TO_DO = re.compile(r"(?:you|we|i) still\b", re.IGNORECASE)
_QUESTION = re.compile(r"[?？][^\w?？]*\Z|(?:吗|呢|ですか|ますか)[。.!！?？]*\Z")
_NAME = re.compile(
    r"`[^`\n]+`|\"[^\"\n]{2,60}\"|[\w-]/[\w./-]|\w\.\w{2,4}\b(?!\.)|(?<!\w)--[a-z][\w-]"
    r"|\b[a-z]+_[a-z_]+\b"
    r"|\b[A-Za-z]+[a-z][A-Z]\w*\b|\b[A-Z][A-Z_]{3,}\b|\b[A-Z][a-z]+-[A-Z][a-z]+\b|\b[a-z]+-[a-z]+\b"
)
_DANGLES = re.compile(
    r"\A(?:it|this|that|these|those|they|he|she|there|here|and|but|so|or|then|also|which|what|if)\b"
    r"|\b(?:this|that|these|those|it) (?:is|was|should|would|can|will|needs?|does|did|has|as|too|in|to"
    r"|here|now|then|"
    r"here|change|branch|pr|one|case|file|part|test|line|way|time|session|error|issue|message|function"
    r"|method|again|"
    r"straight|first|later|manually)\b"
    r"|\b(?:option|point|step|item|number|finding|case|problem|scenario|#) ?\d\b|\b\d\)?\+\d|\babove\b"
    r"|\bbelow\b"
    r"|\b(?:it|this|that|them|one|those|these|here|now|again|instead|then|first)\W*\Z"
    r"|\bthe (?:first|second|third|latter|former|last one)\b",
    re.IGNORECASE,
)
# The agent asks whether to do something; the text after it is the action.
_PROPOSES_ENGLISH = one_of(
    """should·i should·we shall·i shall·we want·me·to want·us·to do·you·want·me·to do·you·want·us·to
    would·you·like·me·to would·you·like·us·to"""
)
_PROPOSES_ELSE = one_of(
    """soll·ich sollen·wir sollte·ich sollten·wir dois-je devons-nous est-ce·que·je·dois debo debemos
    quieres·que devo devemos quer·que dobbiamo vuoi·che moet·ik moeten·we мне нам"""
)
_PROPOSES = re.compile(
    rf"(?<!\w)(?:(?P<english>{_PROPOSES_ENGLISH})|{_PROPOSES_ELSE})(?!\w)|(?:我们?)?(?:应该|需要|要)",
    re.IGNORECASE,
)
_WHEN = re.compile(rf"(?:{CHANGES})\b[^,]+,\s*\Z", re.IGNORECASE)
_MARKS = " \t*_-•>\"'¿"
_OR = re.compile(r"\b(?:or|oder|ou|или)\b|还是", re.IGNORECASE)
# Words that have no reference outside of their question.
_LEANS = re.compile(
    r"\b(?:i|me|my|you|your|it|its|they|them|this|that|these|those|here|there|above|below)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    rf"\A\W*(?:{one_of('yes yeah yep yup sure ja oui sí sì sim да 是 是的 好 好的 对')})(?!\w)(?:[\s,]+(?:"
    + one_of(
        "please go·ahead do·it do·so definitely of·course bitte por·favor s'il·te·plaît per·favore claro"
    )
    + r")(?!\w))*[\s,]*",
    re.IGNORECASE,
)
_AND = "and und et y e и"
_MORE = re.compile(rf"[.!。！]+|\n+|(?<!\w)(?:{one_of(_AND)})(?!\w)", re.IGNORECASE)
_LIMITS = re.compile(rf"\W*(?:{one_of(' '.join(STOPS - set(_AND.split())))}|{CHANGES})(?!\w)", re.IGNORECASE)
_DENIES = re.compile(rf"{NEGATES.pattern}|(?<!\w)(?:{BUT})(?!\w)", re.IGNORECASE)


class Statement(NamedTuple):
    """A rule that a person stated: its memory type, the cleaned words, and the sentence as typed."""

    type: str
    text: str
    said: str = ""


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


def agreed(asked: str, answer: str) -> Statement | None:
    """Return the rule that the agent proposed and a person plainly agreed to; None if that is not certain.

    Args:
        asked: the agent's last reply; its end must be its only question.
        answer: the prompt after it.

    >>> agreed("Done. Should I always run the linter before committing?", "yes, and push it").text
    'Always run the linter before committing.'
    >>> agreed("Should I run the linter now?", "yes"), agreed("Should I always lint?", "yes, but not tests")
    (None, None)
    """
    if not _is_yes(answer):
        return None
    said = [collapse(one) for one in _SENTENCE.split(FENCE.sub(".", asked)) if one.strip()]
    questions = [one for one in said if _QUESTION.search(one)]
    found = _PROPOSES.search(questions[0]) if questions == said[-1:] else None
    if found is None or _OR.search(question := found.string):
        return None
    lead = _LEAD.sub("", question[: found.start()].lstrip(_MARKS))
    rest = _lasting_first(_QUESTION.sub("", question[found.end() :]).strip())
    if not is_lasting(rest if not lead or _WHEN.match(lead) else lead):
        return None
    rule = tidy(lead + rest)
    if _LEANS.search(rule) or not (found["english"] or names_something(rule)):
        return None
    heard = [one.text for one in statements(rule)] == [rule]
    return Statement("preference", rule, question) if heard else None


def _lasting_first(text: str) -> str:
    """Return a text with "from now on" moved from its end to its beginning."""
    for found in LASTS.finditer(text):
        if found.end() == len(text) and NOW.search(found[0]):
            return f"{found[0]} {text[: found.start()]}".strip()
    return text


def _is_yes(answer: str) -> bool:
    """Return whether an answer is plainly yes: alone, or followed by text that does not limit it."""
    said = LASTS.sub("", answer)
    yes = _YES.match(said)
    if yes is None or _DENIES.search(said, yes.end()) or _PASSING.search(answer):
        return False
    behind, *more = _MORE.split(said[yes.end() :])
    return not behind.strip() and not any(map(_LIMITS.match, more))


def _kind(text: str) -> str:
    """Return the memory type of a sentence; empty if its form is not that of a rule."""
    words = len(text.split())
    if words > MOST_WORDS or _QUESTION.search(text) or _PASSING.search(text) or text[0] in '"“„«':
        return ""
    said = _LEAD.sub("", text)
    if asked := _asked_to_remember(text):
        rest = text[asked:].strip()
        return "gotcha" if stands_alone(rest) and not _TO_DO.match(rest) else ""
    bare = _SUBJECT.sub("", said)
    first = re.split(r"[,;(]", bare)[0]
    rule = bare[len(found[0]) :] if (found := _CONDITION.match(bare)) else bare
    lasts = is_lasting(rule) or (_MUST.match(rule) is not None and words <= 2 * CHOICE_WORDS)
    if (
        lasts
        and not _COMPLAINT.match(said)
        and not _HANGS.search((found[0] if found else "") + re.split(r"[,;(]", rule)[0])
    ):
        return "preference" if words >= 4 or _named(directive(bare)) else ""
    each, rules_out = _EACH.search(bare), _RULES_OUT.match(bare)
    chooses = _CHOOSES.match(bare) and not _ARTICLE.search(first)
    if words > 2 * CHOICE_WORDS or not (each or rules_out or chooses) or not stands_alone(first):
        return ""
    asks = directive(bare)
    if asks.before and each and asks.wants:
        return "preference"
    named = words <= CHOICE_WORDS and asks.forbids and _named(asks) and not _POINTS.search(first)
    return "preference" if named and ((asks.wants and chooses) or rules_out) else ""


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
    return bool(text) and _DANGLES.search(text) is None


def tidy(clause: str) -> str:
    """Return a clause as a sentence: a capital at its start, a full stop at its end."""
    clause = clause.strip(" ,;:-–")
    if clause[:1].islower() and not re.match(r"\w*[._/(-]|\w*[a-z][A-Z]", clause.split(" ")[0]):
        clause = clause[0].upper() + clause[1:]
    return clause if clause.endswith((".", "!", "。", "！")) else clause + "."
