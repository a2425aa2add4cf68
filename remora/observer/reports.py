"""What was asked and what was done, cut down to a sentence or two without what only the moment needed.

Last replies of a model are full of cheer, tables, code and questions back; first prompts are full of
"can you please". What is left after those are gone is what a later reader wants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.text import clean, collapse, shorten
from remora.observer.sentences import without_lines

ASK, DONE = 160, 340  # characters
WORDS = 10  # that a report must have left
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TABLE = re.compile(r"^\s*\|.*$", re.MULTILINE)
_TITLE = re.compile(r"^\s*(?:#{1,6} .*|\*\*[^*\n]{1,60}\*\*:?\s*|[^\n`.]{1,40}:\s*)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]\n]+)\]\([^)\n]+\)")
_MARKS = re.compile(r"\*\*|__(?=\w)|(?<=\w)__|^#+\s*|^\s*>\s?|[✅✓☑️❌🎉📦⚠️👍🚀★]+\s*", re.MULTILINE)
_CODE = re.compile(r"`[^`]*`|\S+/\S+|\b\w+\.\w{1,4}(?::[\d-]+)?")
_QUOTE = re.compile(r"[\"“][^\"”]*[\"”]\W*")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_HEADING = re.compile(
    r"^\s*(?:#+\s*)?(?:summary|changes(?: made)?|what (?:was|i|changed)\b.*|files? (?:changed|modified"
    r"|updated|created)|"
    r"result|results|tests?|overview|key (?:changes|improvements)|verification|next steps|before|after"
    r"|note|status)"
    r"\W*$",
    re.IGNORECASE,
)
_CHEER = re.compile(
    r"^(?:done|perfect|great|excellent|good|all (?:good|done|set)|fixed|yes|yeah|ok(?:ay)?|sure|right"
    r"|correct|now|"
    r"you'?re (?:absolutely )?right|no problem|success(?:fully)?|complete[d]?|it works|good (?:question"
    r"|catch|point|idea)|"
    r"absolutely|exactly|awesome|nice|ah)\W*$",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:(?:all|unit|integration|both|the) )*(?:tests?|lint(?:ing|er)?|builds?|checks?|ci"
    r"|strategies)\b[^.]{0,60}"
    r"\b(?:pass(?:es|ed|ing)?|clean|green|succeed(?:s|ed)?|good)\b[^.]{0,60}\.?$"
    r"|^(?:all work|waiting for|the branch is (?:clean|up)|[a-z-]+: (?:passed|ok|clean)"
    r"|[A-Z]+-\d+ is (?:complete|done))\b"
    r"|^(?:here(?:'s| is| are)|let me|would you|do you|should i|shall i|want me|i'?ll|ready|feel free"
    r"|please|if you|"
    r"you can now|is there|anything|what would|everything|no further|lint\b|tests?\b.*\bpass|summary"
    r"|small,|good test|"
    r"clean implementation|no (?:lint|test|linting|breaking)\b|the (?:reviewer|review) has|all \d+ |"
    r"the (?:changes|following|task|work|refactoring|fix|implementation) (?:is|are|has|have) "
    r"(?:complete|been|now|done|ready|working)|the (?:changes|branch) (?:look|has)|both (?:tests|lint|pass"
    r"|files|issues)|"
    r"i'?ve (?:successfully )?(?:completed|finished|fixed|cleaned up|addressed|updated) "
    r"(?:the|all|both|your) (?:issues?|tests?|files?|code|changes?|task|work|problem)|"
    r"(?:(?:i|we)(?:'ve| have)? )?(?:made|found and fixed|fixed) the (?:fix|issue|problem|bug)\b|"
    r"changes? staged|"
    r".{0,60}\b(?:is|are) (?:now )?working (?:correctly|fine|as expected)[.!]?$|"
    r"all (?:\w+ ){0,3}(?:errors?|issues?|tests?|duplicates?|comments?|files?|changes?) "
    r"(?:have|are|has|were|is|addressed|fixed|resolved|updated)\b|"
    r"(?:added|removed|updated|fixed) (?:the |an? |missing |unused )*[^.]{0,40}imports?\b|"
    r"(?:new |updated |changed |modified )?files?:|fix(?:es)?:?$)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:done|perfect|great|excellent|good|fixed|yes|ok(?:ay)?|complete|all (?:done|set|good"
    r"|tests pass(?:ed)?(?: and "
    r"lint(?:ing)? is clean)?)|now)\s*[!.:,—–-]+\s*)+",
    re.IGNORECASE,
)
_WE_DID = re.compile(r"^(?:I|We)(?:['’]ve| have)? (?:(?:also|now|just|\w+ly) )*(?=[a-z]+(?:ed|t)\b)")
_ASKING = re.compile(
    r"^(?:(?:hey|hi|ok(?:ay)?|yes|yeah|yep|so|and|also|hmm+|now|well|great|cool|question|thinking again"
    r"|one (?:more|last) "
    r"thing|last change|quick (?:follow[- ]up )?question(?: first)?|different question first"
    r"|sorry)\b[,:.!]*\s*)*"
    r"(?:(?:can|could|would|will) (?:you|we)(?: please| also| now| again| maybe)*\s+|please\s+"
    r"|let'?s(?: also| just| now)?\s+|"
    r"i(?:'d| would) (?:like|want|love) (?:you )?to\s+|i want (?:you )?to\s+|we should(?: also)?\s+"
    r"|help me(?: to)?\s+)?",
    re.IGNORECASE,
)
# The start of a sentence that goes on from another: what it speaks of stood there.
_HANGS = re.compile(
    r"(?:this|it|they|that|these|only|both|each|also"
    r"|the (?:check|fix|test|change|function|method|file|flag) (?:is|was|has|now)"
    r"|(?:now )?(?:reads|returns|takes|accepts|captures|uses|calls|passes|checks|creates|handles|stores"
    r"|finds|distinguishes|walks|looks|gets|loads|parses|prints|shows|tells|configures|writes|sends|tracks"
    r"|displays|includes|contains|extracts|appears|works))\b",
    re.IGNORECASE,
)
# What a list under "It shows:" holds says nothing without that line, unless it is a sentence of its own.
_LED_IN = ":"  # stands in for such a line
_VERB = re.compile(
    r"\b(?:\w+(?:ed|s)|is|are|was|were|has|have|can|will|must|should|do|did|now|no longer)\b|→|n't\b|'re\b"
)
_ITEM_OF = re.compile(r"(?:whether|current|list of|number of|name of)\b[^`]*$", re.IGNORECASE)
_DESCRIBED = re.compile(
    r"`\w+ [\w\[\]*.]+`(?: [-–—]|:) |`[^`]+`(?: [-–—]|:) (?P<noun>(?:the|an?)\b.*)", re.IGNORECASE
)
# What is only shown, not said: an example with a part left out, a value that stood there once.
_SHOWN = re.compile(r"\.\.\.[\"”']|^(?:this tells you|for example|e\.g\.|example)\b", re.IGNORECASE)
# What the user is told to do, where a report says what was done.
_TOLD_TO = re.compile(
    r"(?:(?:only|just|then|also|always|you (?:can|should|need to|must)) )*"
    r"(?:(?:make sure|remember|navigate|go to)\b"
    r"|(?:create|run|install|configure|commit|add|use|restart|open|click|try|push|merge|replace|update)"
    r" (?=`|(?:the|an?|your|it|both|all)\b))",
    re.IGNORECASE,
)
# A thing that is spoken of as if its name were known: "the helper", "into a helper function".
_UNNAMED = re.compile(
    r"\b(?:the|(?:uses?|using|add(?:s|ed)?|into|pass(?:es|ed)?)(?: an?)?) (?:new |same )?"
    r"(?P<thing>helper|fields?|constants?|parameter|flag)\b(?! (?:`|called|named|(?:for|of) `))",
    re.IGNORECASE,
)
_EMPTY_ASK = re.compile(
    r"^(?:y(?:es|eah|ep|up)?|no(?:pe)?|ok(?:ay)?|sure|do it|go|go ahead|continue|sorry|please|thanks?"
    r"|commit(?: this)?|"
    r"(?:push|pr)\b.*|option \w|\d[\d.,+ and]*|lgtm|let'?s do (?:it|this|that)|try again|retry"
    r"|and\b.{0,30}|yes please|"
    r"what\b.{0,40}|why\b.{0,60}|a|b|c)\W*$",
    re.IGNORECASE,
)
# A request that can be read alone starts with what to do, or states what is the case.
_CLEAR_ASK = re.compile(
    r"^(?:add|allow|always|avoid|build|change|clean|consolidate|convert|create|deprecate|detect|disable"
    r"|do not|drop|enable|"
    r"ensure|exclude|expose|extract|filter|fix|generate|group|handle|hide|implement|improve|include"
    r"|integrate|introduce|"
    r"invert|keep|limit|log|make|merge|migrate|move|never|normali[sz]e|optimi[sz]e|parse|preserve|prevent"
    r"|print|prefix|"
    r"record|reduce|refactor|remove|rename|replace|restrict|return|save|send|show|simplify|skip|sort|split"
    r"|stop|store|"
    r"support|switch|sync|track|truncate|unify|update|upgrade|use|validate|verify|warn|wrap|write)\b"
    r"|^(?:the|when|if|there|an?|shadow|in) .{25,}",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:this|that|those|these|above|below|again|previous|option|for \d|for both|same|it)\b|\bI\b",
    re.IGNORECASE,
)
_NOT_TYPED = re.compile(
    r"^\s*(?:<(?:command|local|ide|bash|system|task)|/\w+|Operation stopped|\[Request interrupted"
    r"|This session is being|"
    r"Caveat:|Implement the following plan)",
)


def asked(prompts: Sequence[str]) -> list[str]:
    """Return what the prompts ask for, one line each, without those that only answer or agree.

    >>> asked(["can you please add a standard MIT license?", "yes", "2"])
    ['add a standard MIT license']
    """
    found: list[str] = []
    for prompt in prompts:
        line = ask(prompt)
        if line:
            found.append(line)
    return list(dict.fromkeys(found))


def clear_ask(prompt: str) -> str:
    """Return what a prompt asks for where that can be read without what was said before it; else nothing.

    >>> clear_ask("can you add a `--long` flag to status?"), clear_ask("can you fix that again?")
    ('add a `--long` flag to status', '')
    """
    line = ask(prompt)
    return line if _CLEAR_ASK.match(line) and not _LOOSE.search(line) else ""


def ask(prompt: str) -> str:
    """Return what one prompt asks for, without politeness; empty when it asks for nothing."""
    if _NOT_TYPED.match(prompt):
        plan = re.search(
            r"^#+\s*(?:plan:?|implementation plan:?)?\s*(\S.{8,})$", prompt, re.IGNORECASE | re.MULTILINE
        )
        return (
            shorten(f"implement the plan “{collapse(plan[1])}”", ASK)
            if plan and "plan:" in prompt[:60]
            else ""
        )
    first = next((line for line in _FENCE.sub("\n", clean(prompt)).split("\n") if len(line.split()) > 2), "")
    line = _ASKING.sub("", collapse(_MARKS.sub("", first)), count=1).strip(" ?:,.")
    if _EMPTY_ASK.match(line) or len(line.split()) < 4:
        return ""
    return shorten(line, ASK)


def done(report: str, limit: int = DONE, *, of_commit: bool = False) -> str:
    r"""Return what a last reply says was done; empty when it says nothing that lasts.

    Args:
        report: the reply, or the body of a commit's message.
        limit: characters.
        of_commit: it is a commit's, which says "add" of what it adds.

    >>> done("Done! All tests pass.\n\n- Added `A()` to `a.go`\n- Dropped the old `B()` from `b.go`\nOk?")
    'Added `A()` to `a.go`. Dropped the old `B()` from `b.go`.'
    """
    text = without_lines(_unwrapped(_TITLE.sub(_lead_in, _TABLE.sub("", _FENCE.sub("\n", clean(report))))))
    kept: list[str] = []
    size = 0
    led_in = False
    for line in text.split("\n"):
        item = _BULLET.match(line) is not None
        led_in = line == _LED_IN or line.rstrip().endswith(":") or (led_in and (item or not line.strip()))
        if line == _LED_IN:
            continue
        line = collapse(_MARKS.sub("", _BULLET.sub("", line)))
        if not line or _HEADING.match(line):
            continue
        for piece in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", line):
            piece = _WE_DID.sub("", _LEADING.sub("", piece)).strip()
            if _useless(piece) or (not kept and _HANGS.match(piece)):
                continue
            alone = "`" in piece or (_VERB.search(piece) and not _ITEM_OF.match(piece))
            listed = led_in and item and not alone
            if not of_commit and (listed or _TOLD_TO.match(piece) or _names_nothing(piece, kept)):
                continue
            piece = piece.rstrip(" :.") + "."
            if kept and size + len(piece) > limit:
                return _joined(kept, limit)
            kept.append(_capital(piece))
            size += len(piece) + 1
    return _joined(kept, limit)


def _lead_in(title: re.Match[str]) -> str:
    """Return the mark of a line that leads a list in; nothing for a heading."""
    leads = title[0].rstrip().endswith(":") and not _HEADING.match(title[0])
    return f"\n{_LED_IN}\n" if leads else ""


def _names_nothing(piece: str, kept: Sequence[str]) -> bool:
    """Return whether a piece only describes a part, or speaks of a thing whose name nothing before it says.

    >>> _names_nothing("`a.py` - Now uses helper.", []), _names_nothing("Added the `retry` flag.", [])
    (True, False)
    """
    described = _DESCRIBED.match(piece)
    if described and not (described["noun"] and _VERB.search(described["noun"])):
        return True
    for found in _UNNAMED.finditer(piece):
        thing = found["thing"].lower().rstrip("s")
        own = rf"`(?![^`]*\.[a-z]{{1,5}}`)[^`]+`[^`\s]{{0,40}} (?:\w+ )?{thing}"  # in backticks, and no file
        named = re.compile(rf"{own}|(?-i:\b\w*[a-z][A-Z]\w*) {thing}|{thing}s? `", re.IGNORECASE)
        if not any(named.search(said) for said in (piece, *kept)):
            return True
    return False


def _capital(piece: str) -> str:
    """Return a sentence with a capital at its start, unless it starts with a name."""
    name = re.match(r"\S*[._/()-]\S|[a-z]+[A-Z]", piece)
    return piece if name else piece[:1].upper() + piece[1:]


def _unwrapped(text: str) -> str:
    """Return a text whose hard-wrapped lines are whole again."""
    lines: list[str] = []
    for line in _LINK.sub(r"\1", text).split("\n"):
        before = lines[-1] if lines else ""
        goes_on = (
            line.strip() and before.strip() and not _BULLET.match(line) and before.rstrip()[-1:] not in ".:!?"
        )
        if goes_on and (line[:1].isspace() or line.strip()[:1].islower() or len(before) > 50):
            lines[-1] = f"{before.rstrip()} {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _useless(piece: str) -> bool:
    if (
        piece.endswith(("?", ":"))
        or "…" in piece
        or "://" in piece
        or _CHEER.match(piece)
        or _FILLER.match(piece)
        or _SHOWN.search(piece)
    ):
        return True
    # What stands in quotes alone, or is a part of that, a path or a signature says nothing.
    if _QUOTE.fullmatch(piece) or _CODE.sub("", piece).count('"') % 2:
        return True
    return len(re.findall(r"\w+", piece)) < 3 or len(re.findall(r"[A-Za-z]{2,}|→", _CODE.sub(" ", piece))) < 2


def _joined(pieces: Sequence[str], limit: int) -> str:
    text = " ".join(pieces)
    return shorten(text, limit) if len(text.split()) >= WORDS else ""
