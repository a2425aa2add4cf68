"""Whether a piece of a rule file is a rule, and whether a numbered list is a procedure.

A rule commands, forbids, warns, or gives the reason of a decision. A description of the code is no rule: the
code shows it. A sentence is a rule by its words ("must", "never", "rather than") or by its mood: it begins
with a verb. Headings classify the pieces below them: rules, even in a few words, or steps to take once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.directive import directive, rules_out
from remora.core.directive_words import LASTS, NEGATES, clauses, one_of
from remora.core.fences import without_code
from remora.core.text import words, words_or_pairs
from remora.sources.rule_text import CODE_SPAN
from remora.sources.word_patterns import VERBS, any_of, cue, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

LIST_CHARACTERS = 300  # a list of labels up to this stays together
SHORT_CHARACTERS = 40  # of a sentence in a script that parts no words
SHORT_WORDS = 20  # of a phrase that is a rule by its heading
BARE_WORDS = 3  # outside of its code, from which on a text is a sentence

# Up to two quotes or brackets that close a sentence belong to it. An abbreviation ends none, nor does an
# ellipsis in a call, `f(...)`.
_CLOSED = ("", *(r"[\"')*`]" * number for number in (1, 2)))
SENTENCE = re.compile(
    f"(?:{'|'.join(f'(?<=[.!?]{closed})' for closed in _CLOSED)})"
    + "".join(rf"(?<!\b{one}\.{closed})" for one in (r"e\.g", r"i\.e", "etc", "vs") for closed in _CLOSED)
    + "".join(rf"(?<!\.\.{closed})" for closed in _CLOSED[1:])
    + r"\s+(?=[A-Z`*\"(\[])|(?<=[。！？])|\n+"
)
STRONG = cue(whole("never always must avoid prefer do.not don['’]t"))
_ASKS = cue(
    whole(r"""
        must mustn't never always shall mandatory forbidden prohibited not.allowed make.sure be.sure
        do.not don['’]t may.only may.not only.(?:when|if|ever|with|by)
        should(?!.(?:see|now|have|be.able)) shouldn['’]t avoid prefer(?:red)? favou?r instead.of rather.than
        you.(?:need|have).to discouraged no.exceptions source.of.truth (?:is|are).required(?!.to)
    """),
    r"\bbefore (?:\w+ing|you|every|each|any)\b",
)
_WARNS = cue(
    rf"^\W*{any_of('warning caution careful beware gotchas? caveats? pitfalls? note')}\b[^.]{{0,30}}:",
    whole(r"""
        be.careful be.aware beware watch.out note.that keep.in.mind silently by.design on.purpose because
        otherwise intentional(?:ly)? deliberate(?:ly)? easy.to.(?:miss|forget)
        (?:i|we).(?:like|prefer|want|use|expect|keep|write|never|always|don['’]t|chose|decided|avoid)
        will.(?:break|crash|hang|deadlock|fail) work-?around
    """),
)
# Words of a request in the other languages of `remora/core/directive.py`, beside its negators and "always".
_ASKS_WORDS = one_of(
    """muss müssen musst soll sollen sollte darf dürfen bitte doit doivent devez il·faut évite évitez
    debe deben debes hay·que usar evitar deve devem deves é·preciso devono bisogna evitare moet moeten
    должен должна должны нужно надо следует обязательно"""
)
_ASKS_CJK = "必须|必須|务必|应该|应当|请|避免|禁止|一律|べき|してください|반드시|해야|하세요|하십시오|금지"
_ASKS_ELSEWHERE = re.compile(rf"(?<!\w)(?:{_ASKS_WORDS})(?!\w)|{_ASKS_CJK}", re.IGNORECASE)
_RULES_BELOW = cue(
    whole(r"""
        rules? conventions? guidelines? style naming preferences? constraints? boundaries do'?s don'?ts avoid
        never always must do.not don't what.not.to anti-?patterns? invariants? non-negotiables? forbidden
    """)
)
_WARNINGS_BELOW = cue(
    whole(r"""
        gotchas? pitfalls? caveats? quirks? traps? mistakes? known.(?:issues?|bugs?|limitations?) footguns?
        watch.out
    """)
)
_STATES = re.compile(
    r"^(?:[^\s.:;]+\s){1,8}?(?:is|are|was|were|has|have|can|may|will|uses?|does|supports?|contains?|includes?)\b"
)
_ONCE = cue(
    whole(r"""
        install\w* set-?up setting.up getting.started quick.?start prerequisites? bootstrap\w* onboarding
        first.(?:time|steps) environment.variables requirements.to your.first cloning
    """)
)
_OPTIONAL = cue(
    r"\b(?:if you(?:['’]d| would)? (?:want|wish|like|prefer|need)|feel free|you (?:can|may|might))\b",
    r"^\W*optional",
)
_FOR_OTHERS = cue(
    whole(r"""
        bugs? issues? report\w* questions? discussions? conduct licen[cs]\w+ sponsor\w* donat\w+ financial
        requests?.for feature.requests? features? ideas? security support help community thank\w* welcome
        legal cla get.involved releas\w+ triag\w+ maintainers?
    """)
)
# "`api/`: handlers. Never import …": a description of a name, up to the end of its sentence, is no order.
_NAMED = re.compile(
    r"^\W*`[^`]+`(?:\s?\([^()]*\))?(?:\s?[—–:-]+\s|\s?：)(?!.{0,40}\b(?i:must|never|do not|don't)\b)[^.。\n]*"
)
# In the middle of a sentence "always" and "not" often describe; at its beginning they order.
_ORDERS_FIRST = re.compile(
    rf"\W{{0,20}}(?:[^:.]{{1,40}}:\s+)?(?:\S+\s+)?(?:{LASTS.pattern}|{NEGATES.pattern})(?!-)", re.IGNORECASE
)
_ENGLISH = re.compile(r"\b(?:the|and|of|is|are|for|with|to|yet)\b", re.IGNORECASE)  # "no" is a noun's, there
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LABEL = r"(?:[^.:;,`]{1,60}(?::|\s[—–-])\s+)?"
_CONDITION = (
    r"(?:(?:when|if|for|to|in|on|before|after|with|once|while|during|where|unless|at|as|from)\b"
    r"[^.;:]{1,120}?,\s+)?"
)
_ADVERBS = r"(?:(?:please|also|then|first|just|simply|instead|finally|only|and|or)\s+)*"
_IMPERATIVE = re.compile(
    rf"^(?>\W{{0,20}}){_LABEL}(?>[^\w`]{{0,20}}){_CONDITION}{_ADVERBS}"
    rf"(?P<verb>{VERBS})\s(?!\w+(?:\s\w+)?\s?:)(?P<rest>[^.:]{{0,60}})",
    re.IGNORECASE,
)
# "When fixing bugs write a test first": without a comma, the words after the verb mark the imperative.
_IMPERATIVE_BEHIND = re.compile(
    rf"^\W{{0,20}}(?:when|before|after|while|if)\b[^.:;]{{3,80}}?\s{VERBS}\s"
    r"(?:an?|the|your|all|any|every|each|only|`)\b",
    re.IGNORECASE,
)
_IN_FRONT = cue(
    r"^\W*(?:[^.:`]{1,60}: ){0,2}(?:never|always|do not|don['’]t|avoid|prefer)\b",
    r"\b(?:must|should)(?: not)?\b",
    r"\bwe (?:chose|decided|opted|picked|rejected|avoid|prefer|never|always|do not|don['’]t)\b",
)
# "Test files live in …": the verb was a noun. A determiner would have made it a verb.
_NOUN = re.compile(
    r"^(?:(?!(?:the|an?|your|all|any|every|each|this|that|these|it|whether|if|what|how)\b)[\w`./-]+\s){1,3}"
    r"(?:is|are|was|were|has|have|lives?|uses?|go|goes|runs?|covers?|contains?|follows?|provides?|can|will)\b",
    re.IGNORECASE,
)

_NOTHING = cue(
    any_of(r"""
        todo tbd fixme wip none n/?a etc see.(?:below|above|also|here) as.(?:above|below) coming.soon
        placeholder
    """)
    + r"\W*$"
)
_POINTER = cue(
    r"^(?:for [^.]{0,100}, )?(?:please )?(?:see|refer to|consult|check out)\b(?:[^.]|\.(?=[\w/.]))*\.?$"
)
_OF_STEPS = cue(r"\b(?:both|these|those|previous|above)\s+(?:\w+\s)?steps\b", r"\bsteps?\s#?\d+\b(?!:)")
_PATH = re.compile(r"\w\.\w{2,4}\b|\]\(|\w/\w")
_IMPORT = re.compile(r"^@[\w./~-]+$")
_REDACTED = re.compile(r"^(?:[\w .`'\"-]{0,40}[:=]\s*)?[`'\"]?\[REDACTED:[\w-]+\][`'\"]?\.?$")
_LEANS_BACK = re.compile(
    r"^\W*(?:this|these|those|that|it|they|them|same|also|then|otherwise|and|but|or|above|below|such|there"
    r"|each|both|all of|here|its|their|if so|if not|instead|the (?:former|latter|same|other)|so"
    r"|for (?:example|instance))\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"[^.:`]*:\s*`")

_NO_PROCEDURE = cue(
    whole(r"""
        rules? principles? guidelines? conventions? constraints? requirements? standards? preferences?
        goals? don'?ts? features? values? pitfalls? mistakes? gotchas? notes? tips reasons? options?
        priorit\w+ questions? phases? practices? issues? patterns?
    """)
)
_STEPS = cue(whole("how.to steps? workflow process procedure recipe checklist"))
_PROCEDURE = cue(
    whole(r"""
        how.to steps? workflow process procedure recipe checklist release deploy\w* publish\w*
        add(?:ing)? creat(?:e|ing) build\w* run(?:ning)? migrat\w* upgrad\w* before after when(?:ever)? to.\w+
        implement\w* writ(?:e|ing) debug\w* test(?:ing)? fix(?:ing)? commit\w* pull.request flow loop cycle
    """)
)
_ACTION = cue(rf"^{VERBS}\b")


def says_nothing(text: str, kind: str, *, alone: bool) -> str:
    """Return the reason why a piece carries no information, "" if it does.

    Args:
        text: of the piece.
        kind: the kind of its block.
        alone: whether it has no heading above it.
    """
    text = text.strip()
    said = words_or_pairs(text)
    if not said or _NOTHING.match(text):
        return "no content"
    if kind in ("code", "table", "steps"):
        return ""
    if _IMPORT.match(text):
        return "imports another file"
    if _REDACTED.match(text):
        return "contains only a secret"
    if "\n" not in text and _OF_STEPS.search(text):
        return "refers to steps told elsewhere"
    short = alone or len(said) < 12
    if _POINTER.match(text) and (short or (_PATH.search(text) and not _ASKS.search(text))):
        return "only a reference"
    if alone and len(said) < 3 and not CODE_SPAN.search(text):
        return "too short to be understood alone"
    return ""


def no_rule(text: str, kind: str, path: Sequence[str], *, strictly: bool) -> str:
    """Return the reason why an informative piece is no rule, "" if it is one.

    Args:
        text: of the piece, after the sentence that introduces it.
        kind: the kind of its block.
        path: the headings above it.
        strictly: only orders and prohibitions count, because most of the file is a guide for newcomers.
    """
    prose = without_code(text).strip()
    strong = STRONG.search(prose) is not None
    if kind == "table":
        return "a table row"
    if (strictly or not strong) and any(map(_ONCE.search, path)):
        return "a one-time step"
    if strictly and any(map(_FOR_OTHERS.search, path)):
        return "not about code changes"
    if kind == "steps":
        return "a one-time step" if strictly else ""
    for_rules = bool(path) and _RULES_BELOW.search(path[-1]) is not None
    bare = len(words_or_pairs(CODE_SPAN.sub("", prose))) < BARE_WORDS and not _rules(prose)
    if bare and not strong and not for_rules:
        return "code without an explanation"
    if prose.endswith(":") and "\n" not in text:
        return "introduces text that does not follow"
    if strictly:
        ordered = (strong or bool(path)) and any(map(_orders_plainly, SENTENCE.split(prose)))
        return "" if ordered or (for_rules and is_imperative(prose)) else "not an instruction"
    ruled = _asks_as_a_whole(prose) or _is_short_rule(prose, path) or _rules(prose)
    return "" if ruled else "a description, not a rule"


def _rules(text: str) -> bool:
    """Return whether a short text forbids a named thing, or requires a step before an event."""
    if len(words_or_pairs(text)) > SHORT_WORDS:
        return False
    asks = directive(text).named
    plainly = not _ENGLISH.search(text) or any(map(rules_out, clauses(text)))
    return bool(asks.before or (asks.forbids and plainly))


def _asks_as_a_whole(text: str) -> bool:
    """Return whether a text is a rule; a list is one if its first sentence or half of its items are."""
    head, *below = text.split("\n")
    return asks(head) or (bool(below) and 2 * sum(map(asks, below)) >= len(below))


def asks(text: str) -> bool:
    """Return whether a text commands, warns, or gives a reason."""
    return any(map(_sentence_asks, SENTENCE.split(_NAMED.sub("", text))))


def _sentence_asks(sentence: str) -> bool:
    if _is_order(sentence):
        return True
    mild = _WARNS.search(sentence) or is_imperative(sentence)
    return bool(mild) and not _OPTIONAL.search(sentence)


def _orders_plainly(sentence: str) -> bool:
    """Return whether a sentence orders by its first word, by "must", or by "should" in a short sentence."""
    if _ASKS_ELSEWHERE.search(sentence):
        return True
    front = _IN_FRONT.search(sentence)
    if front is None or front[0].lower().startswith("should"):
        short = front is not None and len(words(sentence)) <= SHORT_WORDS - 5
        return short or (is_imperative(sentence) and _is_order(sentence))
    return True


def _is_order(sentence: str) -> bool:
    if len(sentence) > SHORT_CHARACTERS and _CJK.search(sentence):
        return False  # a long description; an order is short
    if _ASKS.search(sentence) or _ASKS_ELSEWHERE.search(sentence):
        return True
    return not _ENGLISH.search(sentence) and _ORDERS_FIRST.match(sentence) is not None


def is_imperative(sentence: str) -> bool:
    """Return whether a sentence is imperative, after its condition or label."""
    found = _IMPERATIVE.match(sentence)
    if found is None or _NOUN.match(found["rest"]) or _CJK.search(sentence):
        return _IMPERATIVE_BEHIND.match(sentence) is not None
    return not _COMMAND.match(sentence, found.end())  # "Build the docs: `make docs`" is the name of a command


def _is_short_rule(text: str, path: Sequence[str]) -> bool:
    """Return whether the heading makes a piece a rule: "Naming: snake case for files"."""
    if not path or len(words_or_pairs(text)) < 3:
        return False
    phrase = len(words(text)) <= SHORT_WORDS and not _STATES.match(text)
    return bool(_WARNINGS_BELOW.search(path[-1]) or (phrase and _RULES_BELOW.search(path[-1])))


def leans_back(text: str) -> bool:
    """Return whether a text depends on the text before it."""
    return bool(_LEANS_BACK.match(text))


def asking(text: str, *, strictly: bool = False) -> str:
    """Return the rule sentences of a text, each with the sentences it needs.

    >>> asking("The store is a file. It is small. Never open it twice. That locks it.")
    'Never open it twice. That locks it.'
    >>> asking('Never call `f(...)` (or `g`) twice. "It locks."')
    'Never call `f(...)` (or `g`) twice. "It locks."'
    """
    sentences = [one for one in SENTENCE.split(text) if one]
    kept = [(_orders_plainly if strictly else asks)(one) for one in sentences]
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
    return all(
        len(words(item)) <= 4
        and "\n" not in item
        and not NEGATES.search(item)
        and not STRONG.search(item)
        and not (_ACTION.match(item) and len(words(item)) > 1)
        for item in items
    )


def is_procedure(items: Sequence[str], path: Sequence[str]) -> bool:
    """Return whether a numbered list is a procedure, by its first verbs and its heading."""
    if len(items) < 2:
        return False
    near = path[-1] if path else ""
    if _NO_PROCEDURE.search(near) and not _STEPS.search(near):
        return False
    if 2 * sum(bool(STRONG.search(item.split("\n")[0])) for item in items) > len(items):
        return False
    actions = sum(bool(_ACTION.match(item.lstrip("*_ "))) for item in items)
    return actions * 3 >= len(items) * (1 if _PROCEDURE.search(near) else 2)
