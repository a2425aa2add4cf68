"""Patterns of corrected beliefs, of approaches given up, and of prompts that no person typed."""

from __future__ import annotations

import re

FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
QUOTED = re.compile(r"^[ \t]*(?:>|\||[+-]{3} |@@|=== |✓|⏺|❯|\d{4}-\d\d-\d\d).*$", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")  # between two sentences
ASKING = re.compile(r"ask.?user|user.?input|question", re.IGNORECASE)  # a tool that asks the person
# Where a sentence may start: a line without its bullet, or after a full stop.
STARTS = re.compile(r"[\n.!?…:)](?:(?<=\n)[ \t]*(?:[-*•] |\d+[.)] )?|(?<!\n) +)(?:\*\*)?")
END = re.compile(r"(?<=[\w)`'\"\]*])[.!?](?=\s|$)|\n\s*\n|\n(?=[ \t]*(?:[-*•] |\d+[.)] ))|\n(?=[A-Z])")

# Phrases of the Auto Claude memory document (section 4), each at the beginning of a sentence. Its "Actually"
# and "Wait" are left out: most sentences after them are plans or doubts.
BELIEF = re.compile(
    r"I (?:was|am) (?:wrong|mistaken)\b|I (?:initially|originally) thought\b[^.\n]*\bbut\b"
    r"|Let me reconsider\b|Correction:"
)
DEAD_END = re.compile(
    r"(?:This|That|The) (?:\w+ )?approach (?:won['’]t|will not|cannot|can['’]t|does(?:n['’]t| not)) \w+"
    r"|I (?:need|have) to abandon\b|Let me try (?:a different|another) approach\b"
    r"|[^.\n]{0,120}?\b(?:unavailable in (?:test|ci|production)|not available in this environment)\b",
    re.IGNORECASE,
)
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
