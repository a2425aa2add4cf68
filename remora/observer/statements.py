"""What a person said in passing that holds beyond the task: wishes, rules, facts about the project.

Most of what is typed to an agent is a request or a question, and is over when it is done. A statement is
kept only if it passes all of these:

    it is a clause of its own that states something    not a question, a request, or an answer to one
    it says that it holds in general                   "always", "never", "we use", "that's why", …
    it names something, is a rule, or is long enough   a path, an identifier, a quoted name, a command
    it stands on its own                               no "this", "it", "here", "now", "option 2"

A clause may sit inside a request ("can you note that we should always run X with Y"): it is cut out
where it starts, at its subject. Text that was pasted (logs, review comments, code) is not what the user
says, and is left out: it describes what is about to change. Rules in other languages than English are known
by fewer words (languages.py).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.text import collapse
from remora.observer.languages import foreign_rules
from remora.observer.phrases import REPORTED

MIN_WORDS, MIN_WORDS_NAMED, MIN_WORDS_RULE = 9, 5, 4  # of a statement, of one with a name in it, of a rule
MAX_WORDS, MAX_CHARS = 60, 600  # of a clause, of a sentence
PASTED_LINES = 15  # a prompt with more lines than this is a paste or a plan

# Most of what is asked not to do is asked for the moment. A habit is told of things as a kind ("mocks in
# tests", "any new dependency"), not of one ("the comment on line 12"), and without an end ("yet").
_ONE = r"(?:the|an?|this|that|these|those|my|your|its?|them|all|both|one|same|option|approach)\b"
_OF_NOW = (
    r"(?!.*\b(?:yet|until|till|already|just|only|for (?:this|the|now|me)|(?:this|next|current) \w+"
    r"|line \d+|steps?|tasks?|\w+\.\w{1,4})(?:\W|\Z))"
)
_WHERE = r".{0,60}?\b(?:in|into|on|to|from|for|with|without)"
_DO_NOT = (
    rf"\A(?:please )?(?:(?:do not|don'?t|stop|never ever)(?: ever)? {_OF_NOW}"
    r"(?:\w+ any (?:new|other|more|additional|extra|external|third[- ]party) \w+"
    r"|(?:us|mock|stub|commit|push|import|hard-?cod|log|print|catch|swallow|rely|depend|introduc)\w* "
    rf"{_WHERE}"
    r"|(?:add|writ|put|stor|edit|touch|call|wrap|return|ignor|skip|disabl|expos)\w* "
    rf"(?!{_ONE}){_WHERE})"
    rf"|avoid (?:using )?{_OF_NOW}(?!\w+ing\b|{_ONE}){_WHERE})"
    rf" ?(?:(?!{_ONE})|(?=the (?:\w+ ){{0,2}}\w+s\b))(?:[\w`'\"]|\Z)"
)
# What must hold of things as a kind.
_MUST = (
    r"\A(?:(?:every|each) (?:[\w-]+ ){1,3}(?:needs?|must|has to)|(?:all )?(?:new )?"
    r"(?:(?!(?:the|this|that|these|those|my|your|our|its?|some|both|[\w-]+s)\b)[\w-]+ ){0,2}[a-z]+s must) "
    r"(?!be done\b)\w"
)
_SURE = (
    r"make sure (?:to|that you|you) "
    r"(?:(?:always|never) \w|.{3,120}?\b(?:before|after|on|for|in) (?:every|each|any|all) \w)"
)
_USE = (
    rf"use (?!{_ONE}){_OF_NOW}[\w`'\"@./-]+(?: [\w`'\"@./-]+){{0,4}}?(?: here)?,? "
    rf"(?:instead of|rather than|(?:and )?not|never) (?!to\b|be\b|{_ONE})[\w`'\"]"
)
_PREFER = rf"(?:i|we) (?:really |generally |always )?prefer (?!{_ONE}|to\b)[\w-]+ [a-z-]+s\b"
_NAME = re.compile(
    r"`[^`\n]+`|\"[^\"\n]{2,60}\"|[\w-]+/[\w./-]+|\b\w+\.\w{2,4}\b(?!\.)|(?<!\w)--[a-z][\w-]+"
    r"|\b[a-z]+_[a-z_]+\b"
    r"|\b[A-Za-z]+[a-z][A-Z]\w*\b|\b[A-Z][A-Z_]{3,}\b|\b[A-Z][a-z]+-[A-Z][a-z]+\b|\b[a-z]+-[a-z]+\b"
)
# Where a clause that holds in general starts, and the type of memory it makes.
_STARTS = (
    (
        "preference",
        (
            r"(?:we|i)(?:'d| would)? (?:should |must |need to |have to |want to )?(?:always|never) \w.+"
            r"|you (?:should|must|need to|have to|may|can) (?:always|never) (?!(?:have|had|be|been)\b)\w.+"
            rf"|\A(?:please )?(?:(?:you|we) (?:can|may) )?(?!{_ONE})[a-z]+ (?!{_ONE}).{{3,80}}"
            r" from now on\W*\Z"
            r"|(?:please )?(?:always|never) (?!(?:been?|have|had|the|an?|\w+(?:s|ed|en|ing))\b)\w+ (?!it\b).+"
            r"|from now on\b.+|prefer \w+ (?:to|over|for|rather)\b.+"
            r"|(?:we|you) should (?:be )?us(?:e|ing) .{3,80}?\b(?:instead of|rather than|over)\b.+"
            r"|we (?:don'?t|do not) (?:want|allow|like)\b.+|we (?:prefer|avoid)\b.+"
            r"|(?:i|i'd|we|we'd) (?:really |generally |always )?prefer (?:to|that we|\w+ing|not|using)\b.+"
            r"|(?:(?:let'?s|please|we should|can we) )?use (?!(?:an?|this|that|my|your|one|option)\b)"
            r"(?!.*\bfor the (?:new|next|current)\b)\S+.{0,40}"
            r"\b(?:instead of|rather than|and not)\b.+"
            rf"|\A(?:(?:let'?s|please|we(?: should)?|can we) )?{_USE}.+"
            rf"|{_DO_NOT}.*|{_MUST}.+"
            rf"|{_SURE}.+"
            rf"|{_PREFER}.*"
            r"|the (?:overriding|general|main|guiding) (?:directive|rule|principle|goal|convention) is\b.+"
            r"|(?:our|the) (?:convention|rule|policy|preference) is\b.+|keep backwards? compat\w*.+"
        ),
    ),
    (
        "decision",
        (
            r"[\w`'\"][^,;()]{2,60}? should (?:be|stay|remain) (?:the |our )?(?:single )?source of truth\b.*"
            r"|(?:we|let'?s) (?:decided|agreed|settled)\b.+"
            r"|the [^,;()]{3,60} should (?:match|always|never|only)\b.+"
        ),
    ),
    (
        "gotcha",
        (
            r"(?:for|in) [^\s,;()]{3,40},? we (?:always |only |already |explicitly )?"
            r"(?:use|add|store|keep|write|run|create|have|don'?t|do not)\b.+"
            r"|we (?:always |only |already |explicitly )?(?:use|store|keep|write|support|rely|depend)s? .+"
            r"|we (?:don'?t|do not|no longer) (?:use|store|set)\b.+"
            r"|we \w+(?:ed|t|pt|de) .{3,80}\b(?:on purpose|intentionally|deliberately|by design)\b.*"
            r"|there (?:is|are) already .{3,120}? in (?:the )?\S+.*"
            r"|the [^,;()]{3,60}?\b(?:can change|is not stable|are not stable|must not|does not survive"
            r"|is required|"
            r"keeps|only works? (?:if|when|with|on))\b.+"
            r"|the (?:hooks?|cli|tests?|command|build|api|server|agent)s? (?:is|are) (?:calling|using"
            r"|running|"
            r"generated|built|stored|written)\b.+"
        ),
    ),
)
_CLAUSES = [
    (kind, re.compile(rf"(?<![\w'`\"“‘«-])(?:{start})", re.IGNORECASE | re.DOTALL)) for kind, start in _STARTS
]
# A clause after one of these belongs to what was said before it.
_BEFORE = re.compile(
    r"\b(?:if|when|where|once|unless|until|can|could|do|does|did|don'?t|didn'?t|would|will|wouldn'?t|not|it|"
    r"which|while|why|how|what|to|are|is|was|were|be|been|you|they|he|she|use \S+)\s+\Z",
    re.IGNORECASE,
)
# What may stand between a clause and the start of its sentence: a condition belongs to it, and so does its
# subject; what leads in ("can you note that") does not.
_PARTS = re.compile(r"[,;:]\s+|\s[-–—]\s|\b(?:that|like|because|since|so|and|but)\s+", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:when(?:ever)?|if|until|till|unless|while|once|after|before|as (?:long|soon) as|as of|during|for|in"
    r"|on|with|without|except|where(?:ver)?|inside|outside|within|under)\b",
    re.IGNORECASE,
)
# "The function should use X" says no more of its subject than "it should".
_SUBJECT = re.compile(
    r"(?!(?:it|they|you|i|we|this|that|the (?:function|method|file|class|code|script|value|field|line))\s)"
    r"\S.*\b(?:should|must|shall|may|can|will|needs? to|ha(?:s|ve) to|ought to|is|are)\s+\Z",
    re.IGNORECASE | re.DOTALL,
)
_MODAL = re.compile(
    r"(?:must|should|shall|may|can|will|needs? to|ha(?:s|ve) to|ought to)\s+\Z", re.IGNORECASE
)
_WHAT_FOR = re.compile(
    r"\b(?:so|such) that (?:we |you |it )?\Z|\b(?:make|let|have) (?!sure\b)[^,;.]*\Z", re.IGNORECASE
)
# After these the clause is denied, doubted, complained of, or not what the person says.
_NOT_SAID = re.compile(
    r"\b(?:not|never|no longer|cannot|thought|think|believe[ds]?|assum\w+|guess|suppose|wish|doubt|pretend"
    r"|bugs?|problems?|issues?|errors?|warn\w*|fail\w*|broken|wrong|complain\w*|claim\w*|deprecated|messages?"
    r"|titles?|comments?|commit(?:ted)? with)\b|n['’]t\b",
    re.IGNORECASE,
)
_LOST = re.compile(
    r"\b(?:must|should|shall|may|can|will|needs? to|ha(?:s|ve) to|ought to|is|are|was|were)\s+\Z",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[,;]? (?:because|since|as)\b.*\Z|[,;] (?:it|this|that|they|these|those)(?:'?s|'?re| \w+)\b.*\Z"
    r"|[,;] (?:i|we)(?:'ll| will)? (?:do|handle|run|take) (?:it|this|that|these|those|care)\b.*\Z",
    re.IGNORECASE,
)
_HERE = re.compile(r"\s(?:(?:in )?here|first)\W*\Z", re.IGNORECASE)  # or before all else
_REMEMBER = re.compile(
    r"\A\s*(?:(?:please|and|also|but|so|ok|yes),? )*(?:please )?remember(?:\s*:| that\b|,)\s*(?=\S)",
    re.IGNORECASE,
)
_OF_BEFORE = re.compile(r"\A(?:\S+ ){1,3}(?:it|them|this|that|these|those)\b", re.IGNORECASE)
_TAIL = re.compile(
    r",? \b(?:but|or|so|and|though)\b (?:i|maybe|perhaps|can|could|what|not sure|then)\b.*\Z"
    r"|,? in (?:a|the|some) (?:places?|future)\Z",
    re.IGNORECASE | re.DOTALL,
)
# How a clause starts that states something, not one that asks for something.
_ASSERTS = re.compile(
    r"(?:for|in|with) [^,]{3,40},? (?:we|the|both)\b|(?:we|both|all|there (?:is|are)|the|a|an|our|only"
    r"|each|every|always|never)\b"
    r"|(?!(?:this|does|was|has|is|yes|its)\b)[a-z]+s (?:are|have|must|should|can|do)\b"
    r"|[`\"'][^`\"']+[`\"'] \w+|[\w.-]+[._-][\w.-]+ (?:is|are|has|should|must|does|can|cannot)\b",
    re.IGNORECASE,
)
# A rule says so itself, however short it is.
_RULE = re.compile(
    r"(?:please |we (?:should |must )?|you (?:should|must) )?(?:always|never) "
    r"(?!been?\b|ha(?:d|ve)\b|saw\b|got\b|mind\b)"
    r"|from now on,? (?!i\b|i'm\b|he\b|she\b|they\b|it\b|the\b)|prefer \w+ (?:over|to)\b"
    rf"|(?:please |we )?{_USE}|we (?:don'?t|do not|no longer|never) use (?!{_ONE}|it\b)\w|{_PREFER}"
    rf"|.+ from now on\W*\Z|{_DO_NOT}|{_MUST}|{_SURE}",
    re.IGNORECASE,
)
# A correction that says what is so with its opposite is a fact, however short it is.
_NEVER = re.compile(r"never (?!say\b|again\b)\w+ [\w`'\"]", re.IGNORECASE)  # needs no more than what
_CONTRAST = re.compile(
    r"(?!.*\b(?:is|are|was|were) \w+ing\b).*, (?:never|not) \w+[ \w-]*\W*\Z", re.IGNORECASE
)
_ON_PURPOSE = re.compile(r"\b(?:on purpose|intentionally|deliberately|by design)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"\?|,? (?:right|yeah|yes|no|correct|or|ok)\W*\Z"
    r"|\A(?:can|could|would|should|do(?! not\b)|does|did|is|are|was|were|has|have|why|what|when|where|which"
    r"|who|how|isn'?t|don'?t we|aren'?t|wouldn'?t)\b",
    re.IGNORECASE,
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
_NOW = (
    r"\b(?:today|yesterday|right now|just now|at the moment|for (?:now|the moment|the time being)|currently"
    r"|so far|tomorrow|tonight|(?:for|in|on|during) th(?:is|at|ese) "
    r"(?!(?:project|repo|repository|codebase|package|module|folder|directory|workspace|monorepo|file)s?\b)\w+"
    r"|this (?:week|time|morning|afternoon|evening|once)"
    r"|for (?:the|my|our) (?:demo|call|meeting|talk|interview)|the last (?:commit|change)|local changes)\b"
)
_FOR_NOW = re.compile(_NOW, re.IGNORECASE)
_PASSING = re.compile(
    rf"{_NOW}|\byet\b"
    r"|\bthere(?:'?s| is| are) (?:an?|some|still) (?:\w+ )?(?:bug|problem|issue|error|regression)s?\b"
    r"|\bthe (?:wrong|broken|incorrect)\b|\bline \d+\b"
    r"|\buntil (?:mon|tue|wed|thu|fri|sat|sun|tomorrow|tonight|next|further|then\b|i\b)"
    r"|\b(?:maybe|perhaps|i guess|i wonder|wondering|i think|not sure|i mean|in theory|if possible)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r", (?:and |please |so |then )*(?:change|remove|fix|find|add|update|replace|rename|delete|investigate"
    r"|look into|figure out)\b|\band (?:then )?(?:re-?run|restart|re-?try)\b|"
    r"\b(?:we|you|i) (?:should|need to|have to|want to|must) (?:also |now |just |still |first |maybe "
    r"|probably )*"
    r"(?:update|add|fix|check|look|merge|rebase|revert|commit|push|rename|remove|move|delete|test|see|get"
    r"|do|make|talk|"
    r"try|change|write|figure|review|implement|create|show|print|start|go|pull|handle|make sure)\b"
    r"|\b(?:are|is|was|were) (?:never|not|only) (?:called|used|tested|set|reached|captured|counted|checked)\b"
    r"|\bis what \w+|\bhaven'?t\b"
    r"|\bi (?:never|always) (?:saw|see|get|got|had|did|know|forget)\b|\bnever mind\b",
    re.IGNORECASE,
)
_PASTE = re.compile(
    r"\A\s*(?:<|\{|\[|#|diff |\+\+\+|---|❯|\$ |>|⏺)|```|\bThis means\b|\bConsider \w+ing\b|\bFor example,|"
    r"\bImplement the following plan\b|\bExit code \d|\bcan lead to\b|\bcurrently \w+s\b.*\bwhich\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[a-z)`]) - (?=[a-z])|\(note:? |\((?=we )")
_LEAD = re.compile(
    r"\A\s*(?:[-*•]|\d+[.)])?\s*(?:yes|yeah|yep|no|nope|ok|okay|sure|sorry|hmm+|ah|oh|so|also|and|but|well"
    r"|actually|"
    r"note that|note|question|please note|keep in mind that|keep in mind|like|because|since"
    r"|that|i (?:already |just )?(?:told|asked|want|wanted|need) you to|remember to(?= always| never)"
    r")?[,:]?\s+(?=\S)",
    re.IGNORECASE,
)
_EVER = re.compile(r"\b(?:do not|don'?t|never) ever\b", re.IGNORECASE)
_REJECTS = re.compile(
    r"\W*(?:no|nope|wrong|incorrect|not (?:quite|right|true)|(?:no,? )?(?:that|this|it)(?:'?s| is) "
    r"(?:wrong|not (?:right|true|correct)|incorrect))\W*",
    re.IGNORECASE,
)
_FIXES = (
    (re.compile(r"\A(?:let'?s|please|we should|can we) use\b", re.IGNORECASE), "Use"),
    (re.compile(r"\Aplease (?=\w)", re.IGNORECASE), ""),
    (re.compile(r"\A(?:you|i) should (?=always|never)", re.IGNORECASE), ""),
)


class Statement(NamedTuple):
    """Something a person stated: the type of memory it makes, and the words, cleaned."""

    type: str
    text: str


def statements(prompt: str) -> list[Statement]:
    """Return what a prompt states beyond its task, in order, each text once.

    >>> [s.text for s in statements("can you note that we should always run `mise run fmt` with lint")]
    ['We should always run `mise run fmt` with lint.']
    >>> statements("can you always show the branch name here?"), statements("let's add this")
    ([], [])
    """
    if prompt.count("\n") > PASTED_LINES or _PASTE.search(prompt):
        return []
    found: dict[str, Statement] = {}
    for sentence in _SENTENCE.split(prompt):
        if not sentence or len(sentence) > MAX_CHARS:
            continue
        statement = _statement(collapse(sentence))
        if statement is not None:
            found.setdefault(statement.text.lower(), statement)
    for kind, text in foreign_rules(prompt):
        found.setdefault(text.lower(), Statement(kind, text))
    return list(found.values())


def states(sentence: str) -> str:
    """Return what a sentence that contradicts states, on its own; empty when it states nothing lasting.

    >>> states("no, we removed the `session` commands on purpose")
    'We removed the `session` commands on purpose.'
    >>> states("no, do it again"), states("that's wrong")
    ('', '')
    """
    if _PASTE.search(sentence):
        return ""
    parts = _SENTENCE.split(sentence.strip())
    bare = _EVER.sub("never", collapse(next((part for part in parts if not _REJECTS.fullmatch(part)), "")))
    if len(bare) > MAX_CHARS:
        return ""
    for _ in range(2):
        bare = _LEAD.sub("", bare)
    clause = _balanced(_TAIL.sub("", bare)).strip(" ,;:-–")
    if (
        not (_ASSERTS.match(clause) or _RULE.match(clause))
        or _QUESTION.search(bare)
        or not (names_something(clause) or _RULE.match(clause) or _CONTRAST.match(clause))
        or not _holds(clause, short=_CONTRAST.match(clause) is not None)
    ):
        return ""
    return tidy(clause)


def names_something(text: str) -> bool:
    """Return whether a text holds a path, an identifier, a command or a quoted name."""
    return _NAME.search(text) is not None


def stands_alone(text: str) -> bool:
    """Return whether a text can be read without what was said around it."""
    return _DANGLES.search(text) is None


def _statement(sentence: str) -> Statement | None:
    bare = _EVER.sub("never", sentence)
    for _ in range(2):
        bare = _LEAD.sub("", bare)
    if re.match(r"(?:right now|currently|today)\b", bare, re.IGNORECASE):
        return None
    if to_keep := _REMEMBER.match(sentence):
        told = _balanced(sentence[to_keep.end() :]).strip(" ,;:-–")
        if not _QUESTION.search(told) and _holds(told, short=True):
            return Statement("preference" if _RULE.match(told) else "gotcha", tidy(told))
        return None
    for kind, pattern in _CLAUSES:
        found = next((m for m in pattern.finditer(bare) if not _BEFORE.search(bare[: m.start()])), None)
        if found is None:
            continue
        start = _start(bare, found.start())
        if start is None:
            return None
        said = bare[start : found.end()]
        clause = _balanced(_TAIL.sub("", said)).strip(" ,;:-–")
        whole = start == 0 and len(clause) == len(said)
        asked = clause[found.start() - start :] if _CONDITION.match(clause) else clause
        asks = (whole and asked == clause and _QUESTION.search(bare)) or _QUESTION.search(asked)
        holds = _holds(clause, short=_RULE.match(asked) is not None)
        return None if asks or not holds else Statement(kind, tidy(clause))
    return None


def _start(sentence: str, at: int) -> int | None:
    """Return where a clause starts with its condition and subject; None where it is not for good.

    >>> text = "Note that when a test runs on Windows, always use `py`"
    >>> text[_start(text, text.index("always")) :]
    'when a test runs on Windows, always use `py`'
    """
    before = sentence[:at]
    if REPORTED.search(before) or _FOR_NOW.search(before) or _WHAT_FOR.search(before):
        return None
    ends = [0, *(m.end() for m in _PARTS.finditer(before))]
    if before[ends[-1] :].strip():
        if _MODAL.match(before, ends[-1]):
            return None  # its subject stands before the clause
        if _SUBJECT.match(before, ends[-1]) or _CONDITION.match(before, ends[-1]):
            return ends[-1]
        lost = _LOST.search(before) and not names_something(sentence[at:])
        return None if lost or _NOT_SAID.search(before, ends[-1]) else at
    if len(ends) > 1 and before.rstrip().endswith(("that", ":")) and _NOT_SAID.search(before, ends[-2]):
        return None
    if len(ends) > 1 and _CONDITION.match(before, ends[-2]):
        return ends[-2]
    return None if at and _OF_BEFORE.match(sentence[at:]) else at


def _holds(clause: str, *, short: bool = False) -> bool:
    """Return whether a clause is long enough, stands alone and says more than what to do next."""
    words = len(clause.split())
    certain = names_something(clause) or _ON_PURPOSE.search(clause)
    short = short or _RULE.match(clause) is not None
    needed = MIN_WORDS_RULE if short else MIN_WORDS_NAMED if certain else MIN_WORDS
    needed -= _NEVER.match(clause) is not None
    if not needed <= words <= MAX_WORDS or _PASSING.search(clause) or _ONE_OFF.search(clause):
        return False
    return stands_alone(_HERE.sub("", _REASON.sub("", clause)) if short else clause)


def _balanced(clause: str) -> str:
    """Return a clause without a bracket at its end that was opened before it, and without an open one."""
    depth = 0
    for place, sign in enumerate(clause):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return clause[:place]
    return clause[: clause.rindex("(")] if depth > 0 else clause


def tidy(clause: str) -> str:
    """Return a clause as a sentence: a capital at its start, a full stop at its end."""
    for pattern, by in _FIXES:
        clause = pattern.sub(by, clause)
    clause = clause.strip(" ,;:-–")
    if clause[:1].islower() and not re.match(r"\w*[._/(-]|\w*[a-z][A-Z]", clause.split(" ")[0]):
        clause = clause[0].upper() + clause[1:]
    return clause if clause.endswith((".", "!", "`.")) else clause.rstrip(".") + "."
