"""What was asked and what was done, cut down to a sentence or two without what only the moment needed.

Last replies of a model are full of cheer, tables, code and questions back; first prompts are full of
"can you please". What is left after those are gone is what a later reader wants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.text import clean, collapse, shorten

ASK, DONE = 160, 340  # characters
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_TABLE = re.compile(r"^\s*\|.*$", re.MULTILINE)
_MARKS = re.compile(r"\*\*|__(?=\w)|(?<=\w)__|^#+\s*|^\s*>\s?|[✅✓☑️❌🎉📦⚠️👍🚀★]+\s*", re.MULTILINE)
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
    r"^(?:(?:all|unit|integration|the) )*(?:tests?|lint(?:ing|er)?|builds?|checks?"
    r"|ci)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|clean|"
    r"green|succeed(?:s|ed)?|good)\b[^.]{0,60}\.?$"
    r"|^(?:here(?:'s| is| are)|let me|would you|do you|should i|shall i|want me|i'?ll|ready|feel free"
    r"|please|if you|you can now|"
    r"is there|anything|what would|the (?:changes|following|task|work|refactoring|fix"
    r"|implementation) (?:is|are|has|have) "
    r"(?:complete|been|now|done|ready|working)|everything|no further|lint\b|tests?\b.*\bpass"
    r"|i'?ve (?:completed|successfully "
    r"completed|finished)|the (?:changes|branch) (?:look|has)|both (?:tests|lint|pass))",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:done|perfect|great|excellent|good|fixed|yes|ok(?:ay)?|complete|all (?:done|set|good"
    r"|tests pass(?:ed)?(?: and "
    r"lint(?:ing)? is clean)?)|now)\s*[!.:,—–-]+\s*)+",
    re.IGNORECASE,
)
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
_EMPTY_ASK = re.compile(
    r"^(?:y(?:es|eah|ep|up)?|no(?:pe)?|ok(?:ay)?|sure|do it|go|go ahead|continue|sorry|please|thanks?"
    r"|commit(?: this)?|"
    r"(?:push|pr)\b.*|option \w|\d[\d.,+ and]*|lgtm|let'?s do (?:it|this|that)|try again|retry"
    r"|and\b.{0,30}|yes please|"
    r"what\b.{0,40}|why\b.{0,60}|a|b|c)\W*$",
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


def done(report: str, limit: int = DONE) -> str:
    """Return what a last reply says was done; empty when it says nothing that lasts.

    >>> done("Done! All tests pass.\\n\\n**Changes:**\\n- Added `A()` to `a.go`\\n- Removed `B()` too\\n\\nShall I commit?")
    'Added `A()` to `a.go`. Removed `B()` too.'
    """
    text = _TABLE.sub("", _FENCE.sub("\n", clean(report)))
    kept: list[str] = []
    size = 0
    for line in text.split("\n"):
        line = collapse(_MARKS.sub("", _BULLET.sub("", line)))
        if not line or _HEADING.match(line):
            continue
        for piece in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", line):
            piece = _LEADING.sub("", piece).strip()
            if _useless(piece):
                continue
            piece = piece.rstrip(" :.") + "."
            if kept and size + len(piece) > limit:
                return _joined(kept, limit)
            kept.append(piece[:1].upper() + piece[1:] if piece[:1].isalpha() else piece)
            size += len(piece) + 1
    return _joined(kept, limit)


def _useless(piece: str) -> bool:
    if piece.endswith(("?", ":")) or _CHEER.match(piece) or _FILLER.match(piece):
        return True
    return len(re.findall(r"\w+", piece)) < 3


def _joined(pieces: Sequence[str], limit: int) -> str:
    text = " ".join(pieces)
    return shorten(text, limit) if len(text.split()) >= 6 else ""
