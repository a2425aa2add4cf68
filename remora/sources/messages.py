"""Clean commit messages: no trailers, numbers, addresses or boilerplate."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.fences import fence_after
from remora.core.secrets import redact
from remora.core.text import clean, collapse, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

BODY_CHARACTERS = 600
READ_CHARACTERS, LINE_CHARACTERS = 8_000, 1_000  # text beyond these limits is not read

_ISSUE = r"(?:[\w./-]*+#\d++|gh-\d++|https?://[^\s()\[\],]++)"
_ISSUES = rf"{_ISSUE}(?>(?:(?>(?:[\s,&]|and\b)*){_ISSUE})*)"
_CLOSES = r"(?:closes?d?|fix(?:es|ed)?|resolve[sd]?|refs?|references|see|part of|related to|addresses)"
_TRAILERS = (
    re.compile(r"^[a-z]+(?:-[a-z]+)+\s*:\s.*$", re.IGNORECASE),  # Signed-off-by: and its family
    re.compile(
        r"^(?:cc|bug|issue|refs?|see|link|pr|backport of|differential revision)\s*:.*$", re.IGNORECASE
    ),
    re.compile(rf"^(?:[-*]\s*)?(?:this |which )?{_CLOSES}\b[\s:]*{_ISSUES}\W*$", re.IGNORECASE),
    re.compile(r"^\w+\s*:\s*https?://\S+$"),
)
_NOISE = tuple(
    re.compile(rf"^(?:[-*]\s*)?(?:{pattern})\W*$", re.IGNORECASE)
    for pattern in (
        r"wip\b.*|typos?|lint(?:ing)?|nits?|cleanup|format(?:ting)?|\.++",
        r"fix(?:e[sd])? (?:lint\w*|typos?|tests?|ci|style|format\w*|build|conflicts?)",
        r"address(?:e[sd])? (?:\w+ )?(?:review|pr|feedback|comments?|suggestions?).*",
        r"(?:code )?review (?:comments|feedback).*|apply suggestions.*|suggestions from .*",
        r"merge (?:branch|pull request|remote|main|master).*|conflicts:.*|rebase\b.*",
        r"(?:add|update|fix)(?:e?[sd])? (?:the )?(?:changelog|tests?|docs?|comments?|lock ?file)(?: entry)?",
        r"update [\w./-]++|\[?pre-commit\b.*|auto fixes from .*|\(?cherry[- ]picked from .*",
        r"this reverts commit .*",
        r"generated (?:with|by) .*|🤖.*|-{3,}+|={3,}+|<?https?://\S++",
        r"#+ (?:checklist|how to test|testing|test plan|screenshots?|related issues?|type of change).*",
    )
)
_BOX = re.compile(r"^\s*[-*]\s*\[[ xX]?\]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
# An address, but not `node@0.11`.
_ADDRESS = re.compile(r"(?:(?<!\s)\s+)?<?(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}\b>?", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<!\s)\s*[\[(](?:{_CLOSES}[ :]*)?{_ISSUE}(?:,\s*{_ISSUE})*[\])]\s*$", re.IGNORECASE)
_CLOSING = re.compile(
    rf"(?<![\s,;:.(\[–-])[\s,;:.(\[–-]*+\b(?:(?:this|which|and) )?{_CLOSES}[: ]+{_ISSUES}[.)\]\s]*$",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(?:fix|bugfix|hotfix|bug|perf)(?:\(([^)]*)\))?!?:\s*", re.IGNORECASE)
_ITEM = re.compile(r"^(?:[-*•]|\d+[.)])\s+")
_KIND = re.compile(r"^\w+(?:\([^)]*\))?!?:\s+")  # of a conventional commit
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)\s*\S")


def subject_of(subject: str) -> str:
    """Return a subject without issue numbers and addresses; the scope of a "fix(scope):" stays.

    >>> subject_of("fix(parser): keep `--` as an argument (#1234)")
    'parser: keep `--` as an argument'
    >>> subject_of("Added support for tuple types. This fixes #12")
    'Added support for tuple types'
    """
    plain = _ADDRESS.sub("", clean(_safe_to_cut(subject, LINE_CHARACTERS)[:LINE_CHARACTERS]))
    while (shorter := _NUMBER.sub("", plain)) != plain:  # "(fixes #1) (#2)"
        plain = shorter
    plain = _CLOSING.sub("", plain)
    if prefix := _PREFIX.match(plain):
        rest = plain[prefix.end() :].strip()
        plain = f"{prefix[1]}: {rest}" if prefix[1] and rest else rest
    plain = plain.strip(" .")
    quoted = len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'" and plain.count(plain[0]) == 2
    return plain[1:-1].strip(" .") if quoted else plain


def body_of(body: str, subject: str = "") -> str:
    r"""Return a message's body in one line, at most BODY_CHARACTERS long.

    Leaves out code blocks, in fences or indented after an empty line (mostly tool output), and
    lines that repeat the subject, as in squashed commits.

    >>> body_of("The pager closed the stream.\n\nFixes #12\nSigned-off-by: A <a@b.org>")
    'The pager closed the stream.'
    >>> body_of("* fix(ui): keep it open\n* mend the test\n\n    error: 1\n    at a.c", "Keep it open (#3)")
    'mend the test'
    """
    kept: list[str] = []
    quoted = False
    fence, before, known = "", "", _bare(subject)
    body = _safe_to_cut(body, BODY_CHARACTERS)
    for raw in _COMMENT.sub("", clean(body[:READ_CHARACTERS])).splitlines():
        line = raw.strip()[:LINE_CHARACTERS]
        quoted = bool(_INDENTED.match(raw)) and (quoted or not before) if line else quoted
        before = line
        code, fence = fence, fence_after(line, fence)
        if code or fence or quoted or not line or is_noise(line):
            continue
        if not known or _bare(line) != known:
            plain = _CLOSING.sub(".", _ADDRESS.sub("", line.lstrip("#> ")))
            kept.append(plain.strip())
    return shorten(_sentences(kept), BODY_CHARACTERS)


def _bare(line: str) -> str:
    """Return a line in a form for comparison: no bullet, kind of change, number or case."""
    return _KIND.sub("", subject_of(_KIND.sub("", _ITEM.sub("", line)))).casefold()


def _safe_to_cut(text: str, limit: int) -> str:
    """Return a text without secrets before it is cut at a limit, so that no half of a secret remains."""
    return redact(text).text if len(text) > limit else text


def is_noise(line: str) -> bool:
    """Return whether a line carries no information about the change: a trailer, "wip", a check box."""
    return bool(_BOX.match(line)) or any(p.match(line) for p in (*_TRAILERS, *_NOISE))


def _sentences(lines: Sequence[str]) -> str:
    """Join lines; a list item ends like a sentence."""
    joined = ""
    for line in lines:
        plain = _ITEM.sub("", line)
        if plain != line and joined and joined[-1] not in ".:;!?":
            joined += ";"
        joined += f" {plain}"
    return collapse(joined)
