"""The words by which a person states something for good, and those by which a sentence does not.

Patterns alone, each with what it is there for; `statements` says in which order they are asked.
"""

from __future__ import annotations

import re

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
    rf" ?(?:(?!{_ONE})|(?=the (?:(?:\w+ ){{0,2}}\w+s|frontend|backend|ui|client|server|api|cli|core"
    r"|codebase)\b))"
    r"(?:[\w`'\"]|\Z)"
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
_INSTEAD = (
    rf"(?:do not|don'?t|never) (?:use|run|call|import|add) (?!{_ONE})\S+(?: [\w./@-]+){{0,2}}?(?: here)?, "
    r"(?:but )?(?:use|run|call) (?:the )?\S+(?: [\w./@-]+)? instead"
)
_WE_HERE = (
    r"in this (?:project|repo|repository|codebase),? we (?:use|write|keep|put|name|prefer|commit|test) \w"
)
_EVERYWHERE = rf"(?:please )?use (?!{_ONE})[^,;]{{2,60}} (?:everywhere|always|throughout)\W*\Z"
_PREFER = rf"(?:i|we) (?:really |generally |always )?prefer (?!{_ONE}|to\b)[\w-]+ [a-z-]+s\b"
NAME = re.compile(
    r"`[^`\n]+`|\"[^\"\n]{2,60}\"|[\w-]+/[\w./-]+|\b\w+\.\w{2,4}\b(?!\.)|(?<!\w)--[a-z][\w-]+"
    r"|\b[a-z]+_[a-z_]+\b"
    r"|\b[A-Za-z]+[a-z][A-Z]\w*\b|\b[A-Z][A-Z_]{3,}\b|\b[A-Z][a-z]+-[A-Z][a-z]+\b|\b[a-z]+-[a-z]+\b"
)
_FROM_NOW_ON = (  # what is so from now on is no rule, but what must be
    r"from now on,? (?!(?:i|i'm|he|she|they|it|the)\b(?!.*\b(?:must|should|always|never|needs? to|has to)\b))"
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
            r"|(?:please )?(?:always|never) "
            r"(?!(?:been?|have|had|the|an?|in|on|at|from|for|by|with|\w+(?:s|ed|en|ing))\b)\w+ (?!it\b).+"
            rf"|{_FROM_NOW_ON}.+|prefer \w+ (?:to|over|for|rather)\b.+"
            r"|(?:we|you) should (?:be )?us(?:e|ing) .{3,80}?\b(?:instead of|rather than|over)\b.+"
            r"|we (?:don'?t|do not) (?:want|allow|like)\b.+|we (?:prefer|avoid)\b.+"
            r"|(?:i|i'd|we|we'd) (?:really |generally |always )?prefer "
            r"(?:to (?!see\b|wait\b)|that we (?!split\b|wait\b)|\w+ing\b|not\b|using\b).+"
            r"|(?:(?:let'?s|please|we should|can we) )?use (?!(?:an?|this|that|my|your|one|option)\b)"
            r"(?!.*\bfor the (?:new|next|current)\b)\S+.{0,40}"
            r"\b(?:instead of|rather than|and not)\b.+"
            rf"|\A(?:(?:let'?s|please|we(?: should)?|can we) )?{_USE}.+"
            rf"|{_DO_NOT}.*|{_MUST}.+"
            rf"|{_SURE}.+"
            rf"|{_PREFER}.*|\A{_INSTEAD}.*|\A{_WE_HERE}.+|{_EVERYWHERE}"
            r"|the (?:overriding|general|main|guiding) (?:directive|rule|principle|goal|convention) is\b.+"
            r"|(?:our|the) (?:convention|rule|policy|preference) is\b(?! (?:broken|wrong|unclear|not)\b).+"
            r"|keep backwards? compat\w*.+"
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
            r"keeps(?! (?:fail|crash|hang|tim|get|giv|throw|break|return|com)\w*ing)"
            r"|only works? (?:if|when|with|on))\b.+"
            r"|the (?:hooks?|cli|tests?|command|build|api|server|agent)s? (?:is|are) (?:calling|using"
            r"|running|"
            r"generated|built|stored|written)\b.+"
        ),
    ),
)
CLAUSES = [
    (kind, re.compile(rf"(?<![\w'`\"“‘«-])(?:{start})", re.IGNORECASE | re.DOTALL)) for kind, start in _STARTS
]
# A clause after one of these belongs to what was said before it.
BEFORE = re.compile(
    r"\b(?:if|when|where|once|unless|until|can|could|do|does|did|don'?t|didn'?t|would|will|wouldn'?t|not|it|"
    r"which|while|why|how|what|to|are|is|was|were|be|been|you|they|he|she|use \S+)\s+\Z",
    re.IGNORECASE,
)
# What may stand between a clause and the start of its sentence: a condition belongs to it, and so does its
# subject; what leads in ("can you note that") does not.
PARTS = re.compile(r"[,;:]\s+|\s[-–—]\s|\b(?:that|like|because|since|so|and|but)\s+", re.IGNORECASE)
CONDITION = re.compile(
    r"(?:when(?:ever)?|if|until|till|unless|while|once|after|before|as (?:long|soon) as|as of|during|for|in"
    r"|on|with|without|except|where(?:ver)?|inside|outside|within|under)\b",
    re.IGNORECASE,
)
# "The function should use X" says no more of its subject than "it should".
SUBJECT = re.compile(
    r"(?!(?:it|they|you|i|we|this|that|the (?:function|method|file|class|code|script|value|field|line))\s)"
    r"\S.*\b(?:should|must|shall|may|can|will|needs? to|ha(?:s|ve) to|ought to|is|are)\s+\Z",
    re.IGNORECASE | re.DOTALL,
)
MODAL = re.compile(r"(?:must|should|shall|may|can|will|needs? to|ha(?:s|ve) to|ought to)\s+\Z", re.IGNORECASE)
WHAT_FOR = re.compile(
    r"\b(?:so|such) that (?:we |you |it )?\Z|\b(?:make|let|have) (?!sure\b)[^,;.]*\Z", re.IGNORECASE
)
# After these the clause is denied, doubted, complained of, or not what the person says.
NOT_SAID = re.compile(
    r"\b(?:not|never|no longer|cannot|thought|think|believe[ds]?|assum\w+|guess|suppose|wish|doubt|pretend"
    r"|bugs?|problems?|issues?|errors?|warn\w*|fail\w*|broken|wrong|complain\w*|claim\w*|deprecated|messages?"
    r"|titles?|comments?|commit(?:ted)? with)\b|n['’]t\b",
    re.IGNORECASE,
)
LOST = re.compile(
    r"\b(?:must|should|shall|may|can|will|needs? to|ha(?:s|ve) to|ought to|is|are|was|were)\s+\Z",
    re.IGNORECASE,
)
REASON = re.compile(
    r"[,;]? (?:because|since|as)\b.*\Z|[,;] (?:it|this|that|they|these|those)(?:'?s|'?re| \w+)\b.*\Z"
    r"|[,;] (?:i|we)(?:'ll| will)? (?:do|handle|run|take) (?:it|this|that|these|those|care)\b.*\Z",
    re.IGNORECASE,
)
AT_THE_END = re.compile(  # "here" is in this project, and what is done instead was said
    r"\s(?:(?:in )?here|first)\W*\Z|, (?:but )?(?:use|run|call) (?:the )?\S+(?: [\w./@-]+)? instead\W*\Z",
    re.IGNORECASE,
)
REMEMBER = re.compile(
    r"\A\s*(?:(?:please|and|also|but|so|ok|yes),? )*(?:please )?remember(?:\s*:| that\b|,)\s*(?=\S)",
    re.IGNORECASE,
)
OF_BEFORE = re.compile(r"\A(?:\S+ ){1,3}(?:it|them|this|that|these|those)\b", re.IGNORECASE)
TAIL = re.compile(
    r",? \b(?:but|or|so|and|though)\b (?:i|maybe|perhaps|can|could|what|not sure|then)\b.*\Z"
    r"|,? in (?:a|the|some) (?:places?|future)\Z",
    re.IGNORECASE | re.DOTALL,
)
# How a clause starts that states something, not one that asks for something.
ASSERTS = re.compile(
    r"(?:for|in|with) [^,]{3,40},? (?:we|the|both)\b|(?:we|both|all|there (?:is|are)|the|a|an|our|only"
    r"|each|every|always|never)\b"
    r"|(?!(?:this|does|was|has|is|yes|its)\b)[a-z]+s (?:are|have|must|should|can|do)\b"
    r"|[`\"'][^`\"']+[`\"'] \w+|[\w.-]+[._-][\w.-]+ (?:is|are|has|should|must|does|can|cannot)\b",
    re.IGNORECASE,
)
# A rule says so itself, however short it is.
RULE = re.compile(
    r"(?:please |we (?:should |must )?|you (?:should|must) )?(?:always|never) "
    r"(?!been?\b|ha(?:d|ve)\b|saw\b|got\b|mind\b)"
    rf"|{_FROM_NOW_ON}|{_INSTEAD}|{_WE_HERE}|{_EVERYWHERE}"
    r"|(?:our|the) (?:convention|rule|policy) is\b|prefer \w+ (?:over|to)\b"
    rf"|(?:please |we )?{_USE}|we (?:don'?t|do not|no longer|never) use (?!{_ONE}|it\b)\w|{_PREFER}"
    rf"|.+ from now on\W*\Z|{_DO_NOT}|{_MUST}|{_SURE}",
    re.IGNORECASE,
)
# A correction that says what is so with its opposite is a fact, however short it is.
NEVER = re.compile(
    r"(?:never|always) (?!say\b|again\b)\w+ [\w`'\"]", re.IGNORECASE
)  # needs no more than what
CONTRAST = re.compile(r"(?!.*\b(?:is|are|was|were) \w+ing\b).*, (?:never|not) \w+[ \w-]*\W*\Z", re.IGNORECASE)
ON_PURPOSE = re.compile(r"\b(?:on purpose|intentionally|deliberately|by design)\b", re.IGNORECASE)
QUESTION = re.compile(
    r"\?|,? (?:right|yeah|yes|no|correct|or|ok)\W*\Z"
    r"|\A(?:can|could|would|should|do(?! not\b)|does|did|is|are|was|were|has|have|why|what|when|where|which"
    r"|who|how|isn'?t|don'?t we|aren'?t|wouldn'?t)\b",
    re.IGNORECASE,
)
DANGLES = re.compile(
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
FOR_NOW = re.compile(_NOW, re.IGNORECASE)
PASSING = re.compile(
    rf"{_NOW}|\byet\b"
    r"|\bthere(?:'?s| is| are) (?:an?|some|still) (?:\w+ )?(?:bug|problem|issue|error|regression)s?\b"
    r"|\bthe (?:wrong|broken|incorrect)\b|\bline \d+\b"
    r"|\buntil (?:mon|tue|wed|thu|fri|sat|sun|tomorrow|tonight|next|further|then\b|i\b)"
    r"|\bbefore (?:i|you) (?:go|stop|leave|start|finish)\b|\bago\b|\b\d{1,2}(?::\d\d)? ?[ap]m\b"
    r"|\b(?:i|we) just \w+ed\b|\bto (?:reproduce|debug|investigate) (?:the|this)\b"
    r"|, i(?:'ll| will| am| pipe)\b"
    r"|\bin the (?:\w+ ){1,3}(?:function|method|table|section|page|button|dialog|form)\b|\bin the script\b"
    r"|\bfirst,? then\b|\bthe failing \w+\b"
    r"|\b(?:maybe|perhaps|i guess|i wonder|wondering|i think|not sure|i mean|in theory|if possible)\b",
    re.IGNORECASE,
)
ONE_OFF = re.compile(
    r", (?:and |please |so |then )*(?:change|remove|fix|find|add|update|replace|rename|delete|investigate"
    r"|look into|figure out)\b|\band (?:then )?(?:re-?run|restart|re-?try)\b|"
    r"\b(?:we|you|i) (?:should|need to|have to|want to|must) (?:also |now |just |still |first |maybe "
    r"|probably )*"
    r"(?:update|add|fix|check|look|merge|rebase|revert|commit|push|rename|remove|move|delete|test|see|get"
    r"|do|make|talk|"
    r"try|change|write|figure|review|implement|create|show|print|start|go|pull|handle|make sure)\b"
    r"|\b(?:are|is|was|were) (?:never|not|only) (?:called|used|tested|set|reached|captured|counted|checked)\b"
    r"|\b(?:we|i) never (?:got|had|saw|made|did|was|were|\w+ed)\b"
    r"|\bso (?:please )?(?:add|remove|fix|change|update)\b"
    r"|\bis what \w+|\bhaven'?t\b"
    r"|\bi (?:never|always) (?:saw|see|get|got|had|did|know|forget)\b|\bnever mind\b",
    re.IGNORECASE,
)
PASTE = re.compile(
    r"\A\s*(?:<|\{|\[|#|diff |\+\+\+|---|❯|\$ |>|⏺)|```|\bThis means\b|\bConsider \w+ing\b|\bFor example,|"
    r"\bImplement the following plan\b|\bExit code \d|\bcan lead to\b|\bcurrently \w+s\b.*\bwhich\b"
)
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+|(?<=[a-z)`]) - (?=[a-z])|\(note:? |\((?=we )")
LEAD = re.compile(
    r"\A\s*(?:[-*•]|\d+[.)])?\s*(?:yes|yeah|yep|no|nope|ok|okay|sure|sorry|hmm+|ah|oh|so|also|and|but|well"
    r"|actually|"
    r"note that|note|question|please note|keep in mind that|keep in mind|like|because|since"
    r"|that|i (?:already |just )?(?:told|asked|want|wanted|need) you to|remember to(?= always| never)"
    r")?[,:]?\s+(?=\S)",
    re.IGNORECASE,
)
EVER = re.compile(r"\b(?:do not|don'?t|never) ever\b", re.IGNORECASE)
REJECTS = re.compile(
    r"\W*(?:no|nope|wrong|incorrect|not (?:quite|right|true)|(?:no,? )?(?:that|this|it)(?:'?s| is) "
    r"(?:wrong|not (?:right|true|correct)|incorrect))\W*",
    re.IGNORECASE,
)
FIXES = (
    (re.compile(r"\A(?:let'?s|please|we should|can we) use\b", re.IGNORECASE), "Use"),
    (re.compile(r"\Aplease (?=\w)", re.IGNORECASE), ""),
    (re.compile(r"\A(?:you|i) should (?=always|never)", re.IGNORECASE), ""),
)
