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
from remora.observer import statement_words as cues
from remora.observer.languages import foreign_rules
from remora.observer.phrases import REPORTED

MIN_WORDS, MIN_WORDS_NAMED, MIN_WORDS_RULE = 9, 5, 4  # of a statement, of one with a name in it, of a rule
MAX_WORDS, MAX_CHARS = 60, 600  # of a clause, of a sentence
PASTED_LINES = 15  # a prompt with more lines than this is a paste or a plan


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
    if prompt.count("\n") > PASTED_LINES or cues.PASTE.search(prompt):
        return []
    found: dict[str, Statement] = {}
    for sentence in cues.SENTENCE.split(prompt):
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
    if cues.PASTE.search(sentence):
        return ""
    parts = cues.SENTENCE.split(sentence.strip())
    bare = cues.EVER.sub(
        "never", collapse(next((part for part in parts if not cues.REJECTS.fullmatch(part)), ""))
    )
    if len(bare) > MAX_CHARS:
        return ""
    for _ in range(2):
        bare = cues.LEAD.sub("", bare)
    clause = _balanced(cues.TAIL.sub("", bare)).strip(" ,;:-–")
    if (
        not (cues.ASSERTS.match(clause) or cues.RULE.match(clause))
        or cues.QUESTION.search(bare)
        or not (names_something(clause) or cues.RULE.match(clause) or cues.CONTRAST.match(clause))
        or not _holds(clause, short=cues.CONTRAST.match(clause) is not None)
    ):
        return ""
    return tidy(clause)


def names_something(text: str) -> bool:
    """Return whether a text holds a path, an identifier, a command or a quoted name."""
    return cues.NAME.search(text) is not None


def stands_alone(text: str) -> bool:
    """Return whether a text can be read without what was said around it."""
    return cues.DANGLES.search(text) is None


def _statement(sentence: str) -> Statement | None:
    bare = cues.EVER.sub("never", sentence)
    for _ in range(2):
        bare = cues.LEAD.sub("", bare)
    if re.match(r"(?:right now|currently|today)\b", bare, re.IGNORECASE):
        return None
    if to_keep := cues.REMEMBER.match(sentence):
        told = _balanced(sentence[to_keep.end() :]).strip(" ,;:-–")
        if not cues.QUESTION.search(told) and _holds(told, short=True):
            return Statement("preference" if cues.RULE.match(told) else "gotcha", tidy(told))
        return None
    for kind, pattern in cues.CLAUSES:
        found = next((m for m in pattern.finditer(bare) if not cues.BEFORE.search(bare[: m.start()])), None)
        if found is None:
            continue
        start = _start(bare, found.start())
        if start is None:
            return None
        said = bare[start : found.end()]
        clause = _balanced(cues.TAIL.sub("", said)).strip(" ,;:-–")
        whole = start == 0 and len(clause) == len(said)
        asked = clause[found.start() - start :] if cues.CONDITION.match(clause) else clause
        asks = (whole and asked == clause and cues.QUESTION.search(bare)) or cues.QUESTION.search(asked)
        holds = _holds(clause, short=cues.RULE.match(asked) is not None)
        return None if asks or not holds else Statement(kind, tidy(clause))
    return None


def _start(sentence: str, at: int) -> int | None:
    """Return where a clause starts with its condition and subject; None where it is not for good.

    >>> text = "Note that when a test runs on Windows, always use `py`"
    >>> text[_start(text, text.index("always")) :]
    'when a test runs on Windows, always use `py`'
    """
    before = sentence[:at]
    if REPORTED.search(before) or cues.FOR_NOW.search(before) or cues.WHAT_FOR.search(before):
        return None
    ends = [0, *(m.end() for m in cues.PARTS.finditer(before))]
    if before[ends[-1] :].strip():
        if cues.MODAL.match(before, ends[-1]):
            return None  # its subject stands before the clause
        if cues.SUBJECT.match(before, ends[-1]) or cues.CONDITION.match(before, ends[-1]):
            return ends[-1]
        lost = cues.LOST.search(before) and not names_something(sentence[at:])
        return None if lost or cues.NOT_SAID.search(before, ends[-1]) else at
    if len(ends) > 1 and before.rstrip().endswith(("that", ":")) and cues.NOT_SAID.search(before, ends[-2]):
        return None
    if len(ends) > 1 and cues.CONDITION.match(before, ends[-2]):
        return ends[-2]
    return None if at and cues.OF_BEFORE.match(sentence[at:]) else at


def _holds(clause: str, *, short: bool = False) -> bool:
    """Return whether a clause is long enough, stands alone and says more than what to do next."""
    words = len(clause.split())
    certain = names_something(clause) or cues.ON_PURPOSE.search(clause)
    short = short or cues.RULE.match(clause) is not None
    needed = MIN_WORDS_RULE if short else MIN_WORDS_NAMED if certain else MIN_WORDS
    needed -= cues.NEVER.match(clause) is not None
    if not needed <= words <= MAX_WORDS or cues.PASSING.search(clause) or cues.ONE_OFF.search(clause):
        return False
    if short:
        clause = cues.REASON.sub("", clause)
        for _ in range(2):
            clause = cues.AT_THE_END.sub("", clause)
    return stands_alone(clause)


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
    for pattern, by in cues.FIXES:
        clause = pattern.sub(by, clause)
    clause = clause.strip(" ,;:-–")
    if clause[:1].islower() and not re.match(r"\w*[._/(-]|\w*[a-z][A-Z]", clause.split(" ")[0]):
        clause = clause[0].upper() + clause[1:]
    return clause if clause.endswith((".", "!", "`.")) else clause.rstrip(".") + "."
