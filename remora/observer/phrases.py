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

BELIEF = re.compile(
    r"""(?:
      (?P<wrong>(?:(?:Oh|Ah|Hmm|Wait|Actually|No|Sorry)[,.!—-]*[ ]){0,4}
        (?:I[ ](?:was|am)[ ](?:wrong|mistaken|incorrect)[ ](?:about|that|in|to|when)\b
        |I['’]?(?:m|[ ]was)[ ]wrong[.,:]
        |I[ ](?:misread|misunderstood|misremembered|mistakenly|incorrectly|wrongly)\b
        |I[ ]made[ ](?:a|an)[ ](?:mistake|error)\b
        |I[ ]had[ ](?:it|this|that|them)[ ](?:backwards|wrong)
        |My[ ](?:mistake|assumption|understanding|earlier[ ]\w+|previous[ ]\w+)\b[^.\n]{0,60}?(?:\bwrong
            |incorrect|[—:,-])
        |Correction:))
    | (?P<thought>(?:(?:Oh|Ah|Hmm|Wait|Actually)[,.!—-]*[ ]){0,4}I[ ](?:initially|originally|first|previously
        |had)[ ]
        (?:thought|assumed|believed|expected|figured)\b)
    | (?P<reconsider>Let[ ]me[ ]reconsider\b)
    | (?P<turn>(?:Actually|Wait|Hmm|Oh)(?:[,.!—-]*[ ](?:wait|actually|no|hold[ ]on)){0,4}[ ]?[,—:-]+[ ])
    )""",
    re.VERBOSE,
)
CONTRAST = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would)(?: not\b|n['’]t\b)"
    r"|\bnever\b|\bnot\b"
    r"|\bcannot\b|\binstead of\b|\brather than\b|\bno longer\b|\bopposite\b|\bdifferent from\b"
    r"|\bonly (?:when|if|in|for|on)\b"
    r"|\balready (?:has|have|exists?|does|handles?|is|contains?|uses?)\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"`[^`\n]+`|\b\w+[_/]\w+|\b\w+\.(?:go|py|ts|js|rs|java|rb|md|json|ya?ml|toml|sh)\b|[a-z][A-Z]|\w\(\)|--\w"
)
PLAN = re.compile(
    r"(?:let['’]?s?\b|let me|i(?:['’]ll| will| need| should| want| can(?:not|['’]t)?\b| could| think"
    r"| don['’]t (?:know|see|need|think|have)"
    r"| see\b| notice| realize| wonder| just| also| might| have| was)|looking\b|look\b|maybe|perhaps"
    r"|thinking|for now"
    r"|for simplicity|what (?:if|about)|why|how|wait\b|the user|user|we (?:should|could|can|need|want|might)"
    r"|that['’]?s? (?:is )?(?:fine|ok|correct|right|not (?:right|quite)|a (?:good|better)|weird|strange"
    r"|odd)|this (?:is fine|looks|seems|might)|it (?:looks|seems|might|could)"
    r"|(?:a|the|an) (?:better|cleaner|simpler|cleanest|simplest|best|easier|more|alternative"
    r"|other option|question|problem|issue|error)"
    r"|better\b|since\b|if\b|before\b|after\b|there (?:might|could|may)|hmm|ok\b|okay)",
    re.IGNORECASE,
)
DEAD_END = re.compile(
    r"""(?:(?:Hmm|OK|Okay|Ugh|Unfortunately|So|Well|No)[,.—-]*[ ]){0,4}(?:
      (?:This|That|The)[ ](?:\w+[ ]){0,2}approach[ ](?:won['’]?t|will[ ]not|cannot|can['’]t|does(?:n['’]t
          |[ ]not)
          |did(?:n['’]t|[ ]not))[ ](?:really[ ]|actually[ ])?(?:work|fit|help|solve|scale|handle|compile
              |apply)
    | (?:This|That|The)[ ](?:\w+[ ]){0,2}approach[ ](?:failed|fails|has[ ]a[ ](?:problem|flaw)
        |is[ ]a[ ]dead[ ]end)
    | (?:That|This)[ ](?:did(?:n['’]t|[ ]not)[ ]work|is(?:n['’]t|[ ]not)[ ]working|won['’]?t[ ]work
        |doesn['’]t[ ]work)
    | I[ ](?:need|have)[ ]to[ ]abandon | I['’]ll[ ]abandon | (?:Let[ ]me|I['’]ll|I[ ]will
        |Let['’]?s)[ ](?:abandon|give[ ]up[ ]on)
    | (?:Let[ ]me|I['’]ll|I[ ]will|I[ ](?:need|have)[ ]to|Let['’]?s)[ ](?:try|take|use
        |find)[ ](?:a[ ](?:completely[ ]|totally[ ])?different|another)[ ](?:approach|way|strategy|method)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
UNAVAILABLE = re.compile(
    r"[^.\n]{0,120}?\b(?:unavailable in (?:test|ci|production|this environment)"
    r"|not available in (?:this environment|ci|production))\b",
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
# Introductions of words of others; after a person's words, "that" may still refer to them.
REPORTED = re.compile(
    rf"(?:{_PEOPLE}|{_WRITTEN}){_TOLD}|\b(?:according to|as per|quoting|in the words of)\b", re.IGNORECASE
)
BY_PERSON = re.compile(rf"{_PEOPLE}(?:{_TOLD}|[^.!?\n]{{0,40}}?\b(?:tried|saw|found)\b)", re.IGNORECASE)
THAT = re.compile(r"(?:\b\w+[,.—-]* )?(?:That|This) (?!(?:\w+ ){0,2}approach)", re.IGNORECASE)
# After "Wait," a doubt is likelier than a correction, so both sides of the contrast are required.
BOTH_SIDES = re.compile(
    r"(?:\bnot\b|n['’]t\b).{3,160}?(?: [-–—] |; |\bbut\b|\brather\b|\binstead\b)|(?:, |[-–—;] ?)not \w"
    r"|\bactually (?:is|are|was|uses|does)\b"
    r"|\b(?:is|are|was|were) actually\b|\binstead of\b|\brather than\b",
    re.IGNORECASE,
)

NOT_TYPED = re.compile(
    r"\s*(?:\[Request interrupted|<[a-z][\w-]*(?:\s[^<>]*)?>|Operation stopped by hook"
    r"|Implement the following plan"
    r"|Caveat:|This session is being"
    r"|Base directory for this skill|# |/\w+\s*$|Stop hook feedback|The user wants to clarify|\[Image)",
    re.IGNORECASE,
)
