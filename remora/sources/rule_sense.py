"""What a piece of a rule file says: a rule of some memory type, or a description of the code, which is none.

| order | type | cue |
|---|---|---|
| 1 | error_pattern | "if you see …Error", "fails with"; a troubleshooting heading over a named error |
| 2 | gotcha | "careful", "beware", "note:", "known issue"; "don't … because"; a heading such as Gotchas |
| 3 | decision | "we chose", "by design"; "because" without an order; a heading such as Decisions |
| 4 | requirement | "must", "always", "never", "required", "do not"; a heading such as Hard rules |
| 5 | preference | "prefer", "avoid", "instead of", "should"; a banned name; a heading such as Code style |
| 6 | preference, pattern | an imperative; a pattern if it shows a command or an example in code |
| | module_insight | no rule: a location ("`src/x`: …", "is responsible for"), a drawn tree |
| | pattern | no rule: a command, an example in code |
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.directive import directive, rules_out
from remora.core.directive_words import LASTS, NEGATES, clauses, one_of
from remora.core.fences import without_code
from remora.core.programs import PROGRAMS
from remora.core.text import words, words_or_pairs
from remora.sources.word_patterns import VERBS, any_of, cue, whole

LIST_CHARACTERS = 300  # a list of labels up to this stays together
LABEL_WORDS = 4
SHORT_WORDS = 20  # of a text in which a ban is certain
LEAST_WORDS = 3  # of a rule, outside of its code

# Up to two quotes or brackets that close a sentence belong to it. An abbreviation ends none, nor does an
# ellipsis in a call, `f(...)`.
_CLOSED = ("", *(r"[\"')*`]" * number for number in (1, 2)))
SENTENCE = re.compile(
    f"(?:{'|'.join(f'(?<=[.!?]{closed})' for closed in _CLOSED)})"
    + "".join(rf"(?<!\b{one}\.{closed})" for one in (r"e\.g", r"i\.e", "etc", "vs") for closed in _CLOSED)
    + "".join(rf"(?<!\.\.{closed})" for closed in _CLOSED[1:])
    + r"\s+(?=[A-Z`*\"(\[])|(?<=[。！？])|\n+"
)
_ERROR_NAME = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\bE(?:NOENT|CONNREFUSED|ADDRINUSE)\b|\bSIGSEGV\b")
_ERROR = cue(
    r"\b(?:if|when) (?:you|it|this|the \w+|tests?)\b.{0,40}\b(?:sees?|gets?|hits?|encounters?|fails? with)\b",
    r"\bfails? with\b",
)
_GOTCHA = cue(
    rf"^\W*{any_of('warning caution careful note heads.?up')}\b",
    whole(
        """be.careful be.aware beware gotchas? caveats? pitfalls? watch.out note.that keep.in.mind
        known.issues?"""
    ),
    r"\b(?:don't|do not|avoid)\b.{0,200}\b(?:because|otherwise|since it|causes?)\b",
)
_DECISION = cue(
    r"\bwe (?:chose|decided|went with|deliberately|intentionally)\b",
    whole("decided.(?:to|on|against) rationale by.design"),
)
_REASON = cue(r"\bbecause\b")
# Words of an order in the other languages of `remora/core/directive.py`, beside its negators and "always".
_ORDERING = one_of(
    """muss müssen musst soll sollen sollte darf dürfen bitte doit doivent devez il·faut évite évitez
    debe deben debes hay·que usar evitar deve devem deves é·preciso devono bisogna evitare moet moeten
    должен должна должны нужно надо следует обязательно"""
)
_ORDERS_CJK = "必须|必須|务必|应该|应当|请|避免|禁止|一律|べき|してください|반드시|해야|하세요|하십시오|금지"
_ORDERS_ELSEWHERE = re.compile(rf"(?<!\w)(?:{_ORDERING})(?!\w)|{_ORDERS_CJK}", re.IGNORECASE)
_ORDERS = cue(
    whole("must mustn't always never mandatory forbidden make.sure ensure(?!-) (?:is|are).required"),
    r"\bbefore (?:\w+ing|you|every|each|any)",
    r"\b(?:do not|don['’]t)\b",
)
_PREFERS = cue(
    whole(r"""
        prefer(?:red)? favou?r avoid instead.of rather.than should(?!.(?:see|now|have)) shouldn['’]t
        (?:i|we).(?:like|prefer|want|use|expect|keep|write|avoid)
    """)
)
# The headings that give the pieces below them a type, even in a few words.
_BELOW = {
    "error_pattern": cue(whole(r"troubleshoot\w* (?:common|known).errors?")),
    "gotcha": _GOTCHA,
    "decision": cue(whole("decisions? rationale adrs? trade-?offs")),
    "requirement": cue(
        whole(
            """hard.rules? critical constraints? requirements? must always never do.not don'?ts? forbidden
            mandatory invariants? non-negotiables?"""
        )
    ),
    "preference": cue(
        whole(
            """rules? style conventions? preferences? guidelines? standards? naming formatting practices?
            principles?"""
        )
    ),
}
_ONCE = cue(
    whole("install\\w* set-?up getting.started quick.?start prerequisites? onboarding first.(?:time|steps)")
)
_FOR_OTHERS = cue(
    whole(
        r"""bugs? issues? report\w* questions? discussions? conduct licen[cs]\w+ features? security support
        releas\w+"""
    )
)
_PLACE = cue(
    r"\b(?:is|are) (?:responsible for|split into|organi[sz]ed)\b",
    r"\b(?:located|found|defined|implemented|lives?) in\b",
    r"^\W{0,8}`[\w@.*{}-]*[/.][\w@./*{}-]*`\s*[-–—:→=(]",
    r"[├└│]",
)
_FIRST_WORD = re.compile(r"(?:^|[`$])[ \t]*([\w-]+)", re.MULTILINE)  # of a line or of code
# A text without these words is not English: there, "always" or a negator at its beginning is an order.
_ENGLISH = re.compile(r"\b(?:the|and|of|is|are|for|with|to|yet)\b", re.IGNORECASE)
_LABEL = r"(?:[^.:;,`]{1,60}(?::|\s[—–-])\s+)?"
_CONDITION = (
    r"(?:(?:when|if|for|to|in|on|before|after|with|once|while|during|where|unless|at|as|from)\b"
    r"[^.;:]{1,120}?,\s+)?"
)
_IMPERATIVE = re.compile(
    rf"^(?>\W{{0,20}}){_LABEL}(?>[^\w`]{{0,20}}){_CONDITION}{VERBS}\s(?![^.:`]*:\s*`)", re.IGNORECASE
)
_LEANS_BACK = re.compile(
    r"^\W*(?:this|these|those|that|it|they|them|same|also|then|otherwise|and|but|or|above|below|such|there"
    r"|each|both|all of|here|its|their|if so|if not|instead|the (?:former|latter|same|other)|so"
    r"|for (?:example|instance))\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"`[^`]+`|\[[^\[\]]{1,200}\]\([^()]{1,300}\)")  # code and links
_ACTION = cue(rf"^{VERBS}\b")


def memory_type(text: str, headings: Sequence[str] = (), *, default: str = "preference") -> str:
    """Return the memory type of a piece that is no procedure.

    Args:
        text: of the piece.
        headings: those above it, outermost first.
        default: the type if no cue matches.
    """
    if found := _type_of_rule(text, headings):
        return found
    if _PLACE.search(text):
        return "module_insight"
    return "pattern" if _shows_code(text) else default


def guess_type(text: str) -> str:
    """Return the memory type suggested by the wording of a statement, "pattern" if none is.

    >>> guess_type("Never commit to main without a review")
    'requirement'
    """
    return memory_type(text, default="pattern")


def no_rule(text: str, kind: str, path: Sequence[str], *, lead: str = "", strictly: bool = False) -> str:
    """Return the reason why a piece is no rule, "" if it is one.

    Args:
        text: of the piece.
        kind: the kind of its block.
        lead: the sentence that introduces it, if one does.
        path: the headings above it.
        strictly: only what is required counts, because most of the file is a guide for newcomers.
    """
    own = without_code(text).strip()
    prose = f"{lead}: {own}" if lead else own
    if kind == "table":
        return "a table row"
    if (strictly or not _ORDERS.search(prose)) and any(map(_ONCE.search, path)):
        return "a one-time step"
    if strictly and any(map(_FOR_OTHERS.search, path)):
        return "not about code changes"
    if kind == "steps":
        return "a one-time step" if strictly else ""
    explained = " ".join(word for word in _NAMED.sub("", own).split() if "/" not in word)
    if len(words_or_pairs(explained)) < LEAST_WORDS and not _bans(prose):
        return "names without an explanation"
    if strictly:
        return "" if orders(prose) else "not an instruction"
    return "" if _type_of_rule(prose, path) else "a description, not a rule"


def _type_of_rule(text: str, headings: Sequence[str]) -> str:
    """Return the type of a rule; empty for a piece that is none."""
    prose = without_code(text)  # code is full of misleading words
    near = " > ".join(headings[-2:])
    below = next((kind for kind, heading in _BELOW.items() if heading.search(near)), "")
    if _ERROR_NAME.search(text) and (_ERROR.search(prose) or below == "error_pattern"):
        return "error_pattern"
    if _GOTCHA.search(prose) or below == "gotcha":
        return "gotcha"
    ordered = _ORDERS.search(prose)
    if _DECISION.search(prose) or below == "decision" or (_REASON.search(prose) and not ordered):
        return "decision"
    if ordered or below == "requirement":
        return "requirement"
    if _PREFERS.search(prose) or below == "preference" or _bans(prose):
        return "preference"
    if any(map(is_imperative, SENTENCE.split(prose))):
        return "pattern" if _shows_code(text) else "preference"
    return ""


def _shows_code(text: str) -> bool:
    return without_code(text) != text or not PROGRAMS.isdisjoint(_FIRST_WORD.findall(text))


def orders(text: str) -> bool:
    """Return whether a text requires or forbids something."""
    return _ORDERS.search(text) is not None or _bans(text)


def is_imperative(sentence: str) -> bool:
    """Return whether a sentence is imperative, after its condition or label."""
    return _IMPERATIVE.match(sentence) is not None


def _bans(text: str) -> bool:
    """Return whether a short text forbids a named thing, or requires something always or before an event."""
    if len(words_or_pairs(text)) > SHORT_WORDS:
        return False
    asked, english = directive(text).named, _ENGLISH.search(text)
    if asked.before or _ORDERS_ELSEWHERE.search(text):
        return True
    if not english and (LASTS.search(text) or NEGATES.match(text)):
        return True
    return bool(asked.forbids) and (not english or any(map(rules_out, clauses(text))))


def leans_back(text: str) -> bool:
    """Return whether a text depends on the text before it."""
    return bool(_LEANS_BACK.match(text))


def asking(text: str) -> str:
    """Return the rule sentences of a text, each with the sentences it needs.

    >>> asking("The store is a file. It is small. Never open it twice. That locks it.")
    'Never open it twice. That locks it.'
    >>> asking('Never call `f(...)` (or `g`) twice. "It locks."')
    'Never call `f(...)` (or `g`) twice. "It locks."'
    """
    sentences = [one for one in SENTENCE.split(text) if one]
    kept = [bool(_type_of_rule(one, ())) for one in sentences]
    for at in range(1, len(sentences)):
        if leans_back(sentences[at]):
            kept[at] = kept[at] or kept[at - 1]  # the reason behind a rule
    for at in range(len(sentences) - 1, 0, -1):
        if kept[at] and leans_back(sentences[at]):
            kept[at - 1] = True
    return " ".join(one for one, keep in zip(sentences, kept, strict=True) if keep)


def are_labels(items: Sequence[str]) -> bool:
    """Return whether a list consists of names, so that only the whole list is informative."""
    if sum(map(len, items)) > LIST_CHARACTERS:
        return False
    short = all(len(words(item)) <= LABEL_WORDS and "\n" not in item for item in items)
    return short and not any(_type_of_rule(item, ()) for item in items)


def is_procedure(items: Sequence[str]) -> bool:
    """Return whether a numbered list is a procedure: most items begin with a verb, and few are orders."""
    actions = sum(bool(_ACTION.match(item.lstrip("*_ "))) for item in items)
    ordered = sum(orders(item.split("\n")[0]) for item in items)
    return len(items) > 1 and 2 * actions >= len(items) and 2 * ordered <= len(items)
