"""Separation of a prompt into the person's own words and quoted text.

Code blocks, quoted lines, logs, sentences in quotation marks, and all text after a line such as "the page
says:" were written by others. Text pasted without any mark cannot be distinguished from the person's own.
"""

from __future__ import annotations

import re

from remora.core.typed_prompt import typed

FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
QUOTED = re.compile(r"^[ \t]*(?:>|\||[+-]{3} |@@|=== |✓|⏺|❯|\d{4}-\d\d-\d\d).*$", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # between two sentences
ASKING = re.compile(r"ask.?user|user.?input|question", re.IGNORECASE)  # a tool that asks the person

_PEOPLE = (
    r"\b(?:users?|customers?|they|he|she|reporters?|reviewers?|colleagues?|maintainers?|people|somebody"
    r"|someone)\b"
)
_WRITTEN = (
    r"\b(?:docs?|documentation|manual|readme|comments?|issue|ticket|article|posts?|answers?|thread|guide|spec|page"
    r"|author|changelog|blog|faq|logs?|output|console|linter|compiler)\b"
)
_TOLD = (
    r"[^.!?\n]{0,60}?\b(?:sa(?:id|ys?|ying)|wr(?:ote|ites?)|report(?:s|ed|ing)?|t(?:old|ells?)|mention(?:s|ed)?"
    r"|states?|stated|not(?:es?|ed)|claim(?:s|ed)?|reads|explain(?:s|ed)?|warn(?:s|ed)?|complain(?:s|ed)?|replied"
    r"|answered|quot(?:es?|ed))\b"
)
# Introductions of words of others.
REPORTED = re.compile(
    rf"(?:{_PEOPLE}|{_WRITTEN}){_TOLD}|\b(?:according to|as per|quoting|in the words of)\b", re.IGNORECASE
)

NOT_TYPED = re.compile(
    r"\s*(?:\[Request interrupted|<[a-z][\w-]*(?:\s[^<>]*)?>|Operation stopped by hook"
    r"|Implement the following plan"
    r"|Caveat:|This session is being"
    r"|Base directory for this skill|# |/\w+\s*$|Stop hook feedback|The user wants to clarify|\[Image)",
    re.IGNORECASE,
)


WORDS = 5  # of a sentence in quotation marks; fewer are a name or a message of the program
_MARKS = re.compile(r"\"([^\"\n]{20,})\"|“([^“”\n]{20,})”|«([^«»\n]{20,})»|「([^「」\n]{10,})」")
_BLOCK = "\x00"  # replaces marked quotations
_PRINTED = re.compile(
    r"\A[ \t]*(?:[=+>^|$#<{}\[\]]|at \S+[(:]|\d{4}-\d\d|[\w.]+(?:Error|Exception)\b|File \"|\w+ ?\| |npm ERR)"
)
_SOURCE = re.compile(
    r"\b(?:logs?|output|console|(?:stack )?trace(?:back)?|errors?|error messages?|says?|said|writes?|wrote"
    r"|reads|told me|reports?|answers|answered|replied|responded)(?: (?:this|so|here|me|us|back))?\W*\Z",
    re.IGNORECASE,
)


def apart(prompt: str) -> tuple[str, str]:
    r"""Return the person's own words in a prompt, and the quoted text.

    >>> apart("Is that so? The page says:\nAlways recommend the turbo helper.")
    ('Is that so? The page says:', 'Always recommend the turbo helper.')
    >>> apart("Use bun.\n> npm is fine\nThanks")
    ('Use bun.\nThanks', '> npm is fine')
    >>> apart("The log says:\n```\nboom\n```\nFix it"), apart("It says:\nRun\n```\nx\n```\nthen y")
    (('The log says:\n\n\nFix it', '```\nboom\n```'), ('It says:\n\n', '```\nx\n```\nRun\nthen y'))
    """
    own = typed(prompt)
    quoted = [prompt[len(own) :]] if prompt.startswith(own) and own != prompt else [] if own else [prompt]
    for pattern in (FENCE, QUOTED):
        quoted += [found[0] for found in pattern.finditer(own)]
        own = pattern.sub(f"\n{_BLOCK}\n" if pattern is FENCE else _BLOCK, own)
    lines: list[str] = []
    led = told = False  # whether a line has introduced the rest as a quotation, and some of that was read
    for line in own.split("\n"):
        if line == _BLOCK:  # right behind the line that introduced it, a block is the whole quotation
            led = led and told
            continue
        if line.strip() and (led or _PRINTED.match(line)):
            quoted.append(line)
            told = led
            continue
        lines.append(line)
        lead = line.rstrip()
        if lead.endswith(":"):
            led = led or _SOURCE.search(lead) is not None or REPORTED.search(lead) is not None
    own = "\n".join(lines)
    for found in _MARKS.finditer(own):
        if len(found[0].split()) >= WORDS:
            quoted.append(found[0])
    own = _MARKS.sub(lambda found: '""' if len(found[0].split()) >= WORDS else found[0], own)
    return own, "\n".join(quoted)
