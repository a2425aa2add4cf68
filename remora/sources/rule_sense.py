"""Whether a piece of a rule file says something, and whether a numbered list is a procedure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.text import words, words_or_pairs
from remora.sources.cues import any_of, cue, whole
from remora.sources.rule_markdown import CODE_SPAN, label

if TYPE_CHECKING:
    from collections.abc import Sequence

LIST_CHARACTERS = 300  # a list of labels up to this stays together

_NOTHING = cue(
    any_of(r"""
        todo tbd fixme wip none n/?a etc see.(?:below|above|also|here) as.(?:above|below) coming.soon
        placeholder
    """)
    + r"\W*$"
)
_ABOUT_FILE = cue(
    r"^(?:this|the following|these) (?:file|document|guide|page|rules?|guidelines|instructions?)\b[^.]{0,60}"
    + whole(r"""
        provides? contains? describes? outlines? defines? documents? explains? gives? helps? covers?
        is.for are.for intended serves?
    """)
    + "[^.]{0,160}"
    + whole(r"""
        guid\w+ instructions? context information rules conventions standards overview agents?
        assistants? copilot claude codex gemini cursor
    """)
    + r"[^.]{0,120}(?:\([^)]*\)[^.]{0,120})?\.?$"
)
_ROLE = cue(r"^you(?:'re| are) an? (?:\w+[ -]){0,4}(?:expert|assistant|engineer|developer|agent)\b[^.]*\.?$")
_ANNOUNCES = cue(r"\b(?:following|below|these|this|like|such as)\b[^.:]{0,200}:$")
_POINTER = cue(r"^(?:for .{0,30}, )?(?:see|refer to|read|check)(?: also)?\s+\S+(?:\s+\(\S+\))?\W*$")

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
        add(?:ing)? creat(?:e|ing) set.?up install\w* migrat\w* upgrad\w* build\w* run(?:ning)?
        start(?:ing)? before after when(?:ever)? to.\w+ implement\w* writ(?:e|ing) debug\w* test(?:ing)?
        fix(?:ing)? commit\w* pull.request flow loop cycle
    """)
)
_ACTION = cue(
    "^"
    + any_of(r"""
        set first then next finally now lastly if when once after run create add open edit update build
        install start stop commit push pull copy check verify test write implement register define
        import export configure generate deploy tag bump merge review read find identify call click go
        make move remove delete rename restart search clone navigate execute wait confirm publish
        document ask plan analy[sz]e apply extract fetch format lint load log map mark note parse place
        prepare replace request reset return save send submit sync understand validate wire wrap fix
        locate launch enable disable decide determine convert compare collect change bring use get put
        do
    """)
    + r"\b"
)
STRONG = cue(whole("never always must avoid prefer"))


_IMPORT = re.compile(r"^@[\w./~-]+$")
_REDACTED = re.compile(r"^(?:[\w .`'\"-]{0,40}[:=]\s*)?[`'\"]?\[REDACTED:[\w-]+\][`'\"]?\.?$")


def says_nothing(text: str, kind: str, *, alone: bool) -> str:
    """Return why a piece is no rule, "" when it is one.

    Args:
        text: what it says.
        kind: the kind of its block.
        alone: whether it stands under no heading.
    """
    text = text.strip()
    said = words_or_pairs(text)
    if not said or _NOTHING.match(text):
        return "says nothing"
    if kind in ("code", "table", "steps"):
        return ""
    if _IMPORT.match(text):
        return "imports another file"
    if _REDACTED.match(text):
        return "is nothing but a secret"
    if _ABOUT_FILE.match(text):
        return "says what the file is"
    if _ROLE.match(text):
        return "gives the model a role, not a rule"
    if alone and _POINTER.match(text):
        return "only points elsewhere"
    if text.endswith(":") and (len(said) < 8 or _ANNOUNCES.search(text)):
        return "announces something that does not follow"
    if alone and len(said) < 3 and not CODE_SPAN.search(text):
        return "too short to mean anything alone"
    return ""


def are_labels(items: Sequence[str]) -> bool:
    """Return whether a list is of names rather than sentences, so that only all of it says something."""
    if sum(map(len, items)) > LIST_CHARACTERS:
        return False
    return all(
        len(words(item)) <= 4
        and "\n" not in item
        and not STRONG.search(item)
        and not (_ACTION.match(item) and len(words(item)) > 1)
        for item in items
    )


def is_procedure(items: Sequence[str], path: Sequence[str]) -> bool:
    """Return whether a numbered list is a procedure, by the verbs it starts with and what it stands under."""
    if len(items) < 2:
        return False
    near = path[-1] if path else ""
    if _NO_PROCEDURE.search(near) and not _STEPS.search(near):
        return False
    if 2 * sum(bool(STRONG.search(item.split("\n")[0])) for item in items) > len(items):
        return False
    actions = sum(bool(_ACTION.match(label(item))) for item in items)
    return actions * 3 >= len(items) * (1 if _PROCEDURE.search(near) else 2)
