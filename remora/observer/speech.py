"""What is said: beliefs taken back, approaches given up, and the user's own corrections.

A cue counts only where a sentence starts, outside quotes and code, so `await` is no "wait" and a log
line is no confession. After "Actually" and "Wait" most sentences are plans or doubts; one counts when it
states a contrast about something with a name. The user's corrections are worth most: their words are
kept as typed, and the model's words never replace them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.text import collapse, content_hash, shorten
from remora.observer.calls import Call
from remora.observer.fingerprint import user_said
from remora.observer.keeping import Kept
from remora.observer.scratchpad import Scratchpad

_READ = 8_000  # characters of a text that are looked at
_WORDS = 600  # characters of the user's words that are kept
_SENTENCE = 400
_PASTED = 1_500  # a longer prompt is mostly pasted; its cues count at its start only

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*(?:>|\||[+-]{3} |@@|=== |✓|⏺|❯|\d{4}-\d\d-\d\d).*$", re.MULTILINE)
# Where a sentence may start: a line without its bullet, or after a full stop.
_STARTS = re.compile(r"^[ \t]*(?:[-*•] |\d+[.)] )?(?:\*\*)?|[.!?…:)] +(?:\*\*)?", re.MULTILINE)
_END = re.compile(r"(?<=[\w)`'\"\]*])[.!?](?=\s|$)|\n\s*\n|\n(?=[ \t]*(?:[-*•] |\d+[.)] ))|\n(?=[A-Z])")

_BELIEF = re.compile(
    r"""(?:
      (?P<wrong>(?:(?:Oh|Ah|Hmm|Wait|Actually|No|Sorry)[,.!—-]*[ ])*
        (?:I[ ](?:was|am)[ ](?:wrong|mistaken|incorrect)[ ](?:about|that|in|to|when)\b
        |I['’]?(?:m|[ ]was)[ ]wrong[.,:]
        |I[ ](?:misread|misunderstood|misremembered|mistakenly|incorrectly|wrongly)\b
        |I[ ]made[ ](?:a|an)[ ](?:mistake|error)\b
        |I[ ]had[ ](?:it|this|that|them)[ ](?:backwards|wrong)
        |My[ ](?:mistake|assumption|understanding|earlier[ ]\w+|previous[ ]\w+)\b[^.\n]{0,60}?(?:\bwrong|incorrect|[—:,-])
        |Correction:))
    | (?P<thought>(?:(?:Oh|Ah|Hmm|Wait|Actually)[,.!—-]*[ ])*I[ ](?:initially|originally|first|previously|had)[ ]
        (?:thought|assumed|believed|expected|figured)\b)
    | (?P<reconsider>Let[ ]me[ ]reconsider\b)
    | (?P<turn>(?:Actually|Wait|Hmm|Oh)(?:[,.!—-]*[ ](?:wait|actually|no|hold[ ]on))*[ ]?[,—:-]+[ ])
    )""",
    re.VERBOSE,
)
_CONTRAST = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would)(?: not\b|n['’]t\b)|\bnever\b|\bnot\b"
    r"|\bcannot\b|\binstead of\b|\brather than\b|\bno longer\b|\bopposite\b|\bdifferent from\b|\bonly (?:when|if|in|for|on)\b"
    r"|\balready (?:has|have|exists?|does|handles?|is|contains?|uses?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"`[^`\n]+`|\b\w+[_/]\w+|\b\w+\.(?:go|py|ts|js|rs|java|rb|md|json|ya?ml|toml|sh)\b|[a-z][A-Z]|\w\(\)|--\w"
)
_PLAN = re.compile(
    r"(?:let['’]?s?\b|let me|i(?:['’]ll| will| need| should| want| can(?:not|['’]t)?\b| could| think| don['’]t (?:know|see|need|think|have)"
    r"| see\b| notice| realize| wonder| just| also| might| have| was)|looking\b|look\b|maybe|perhaps|thinking|for now"
    r"|for simplicity|what (?:if|about)|why|how|wait\b|the user|user|we (?:should|could|can|need|want|might)"
    r"|that['’]?s? (?:is )?(?:fine|ok|correct|right|not (?:right|quite)|a (?:good|better)|weird|strange|odd)|this (?:is fine|looks|seems|might)|it (?:looks|seems|might|could)"
    r"|(?:a|the|an) (?:better|cleaner|simpler|cleanest|simplest|best|easier|more|alternative|other option|question|problem|issue|error)"
    r"|better\b|since\b|if\b|before\b|after\b|there (?:might|could|may)|hmm|ok\b|okay)",
    re.IGNORECASE,
)
_DEAD_END = re.compile(
    r"""(?:(?:Hmm|OK|Okay|Ugh|Unfortunately|So|Well|No)[,.—-]*[ ])*(?:
      (?:This|That|The)[ ](?:\w+[ ]){0,2}approach[ ](?:won['’]?t|will[ ]not|cannot|can['’]t|does(?:n['’]t|[ ]not)
          |did(?:n['’]t|[ ]not))[ ](?:really[ ]|actually[ ])?(?:work|fit|help|solve|scale|handle|compile|apply)
    | (?:This|That|The)[ ](?:\w+[ ]){0,2}approach[ ](?:failed|fails|has[ ]a[ ](?:problem|flaw)|is[ ]a[ ]dead[ ]end)
    | (?:That|This)[ ](?:did(?:n['’]t|[ ]not)[ ]work|is(?:n['’]t|[ ]not)[ ]working|won['’]?t[ ]work|doesn['’]t[ ]work)
    | I[ ](?:need|have)[ ]to[ ]abandon | I['’]ll[ ]abandon | (?:Let[ ]me|I['’]ll|I[ ]will|Let['’]?s)[ ](?:abandon|give[ ]up[ ]on)
    | (?:Let[ ]me|I['’]ll|I[ ]will|I[ ](?:need|have)[ ]to|Let['’]?s)[ ](?:try|take|use|find)[ ](?:a[ ](?:completely[ ]|totally[ ])?different|another)[ ](?:approach|way|strategy|method)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_UNAVAILABLE = re.compile(
    r"[^.\n]{0,120}?\b(?:unavailable in (?:test|ci|production|this environment)|not available in (?:this environment|ci|production))\b",
    re.IGNORECASE,
)
_RIGHT = re.compile(
    r"\s*(?:\*\*)?(?:Ah,? |Oh,? |Yes,? )?You['’]?(?:re| are) (?:\w+ )?(?:right|correct)\b(?! to (?:question|ask|call))",
    re.IGNORECASE,
)
# After "Wait," a doubt is likelier than a correction; it takes both sides of the contrast.
_BOTH_SIDES = re.compile(
    r"(?:\bnot\b|n['’]t\b).{3,160}?(?: [-–—] |; |\bbut\b|\brather\b|\binstead\b)|(?:, |[-–—;] ?)not \w|\bactually (?:is|are|was|uses|does)\b"
    r"|\b(?:is|are|was|were) actually\b|\binstead of\b|\brather than\b",
    re.IGNORECASE,
)

_FILLER = r"(?:(?:oh|ah|hmm+|ok(?:ay)?|well|but|and|yeah|so|wait|sorry|hey|actually|hold on|pause|er|uh|um)[,.!… ]+)*"
# At the start of what the user says.
_USER_FIRST = re.compile(
    _FILLER
    + r"""(?P<cue>
      no(?:[,.!]+|[ ]+(?=(?:i|we|you|it|that|this|the|don|do|not|remove|revert|use|keep|just|there|they|those)\b))
    | nope\b | wrong\b
    | (?:that|this|it)(?:['’]?s|[ ]is)[ ](?:wrong|incorrect|not[ ](?:right|correct|what|how|true|needed|necessary|the[ ]\w+)|overkill|a[ ]bad)
    | (?:that|this|it)[ ](?:isn['’]?t|does[ ]?n['’]?o?t)[ ](?:right|correct|what|how|true|make[ ]sense|work)
    | i[ ](?:said|told[ ]you|(?:did[ ]not|didn['’]?t)[ ](?:say|ask|want|mean)|meant|asked[ ](?:you|for|to))\b
    | you[ ](?:forgot|missed|removed|broke|deleted|should(?:n['’]?t|[ ]not)|should[ ]have|misunderstood|are[ ]wrong|still[ ](?:have|did))
    | not[ ](?:quite|what[ ]i) | (?:revert|undo)[ ](?:that|this|the|it|those|these|your)
    | stop[ ](?:doing|adding|using|changing|making|trying|creating|writing|asking)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# At the start of any sentence of the user, or close to it.
_USER_RULE = re.compile(
    r"(?:^[ \t]*(?:[-*•] )?|(?<=[.!?,;:] ))(?:"
    + _FILLER
    + r")(?:please[, ]+|also[, ]+|(?:can|could) (?:you|we) (?:please )?|(?:and|but|so) )*"
    r"""(?P<cue>
      (?:always|never)[ ](?:\w+)
    | (?:we|you|it|i)[ ](?:should[ ]|must[ ]|want[ ]to[ ]|need[ ]to[ ])?(?:always|never)[ ]\w+
    | (?:do[ ]not|don['’]?t)[ ](?!worry|forget|know|think|see|mind|have[ ]to|get|we\b|you\b|i\b|really|need\b)\w+
    | use[ ][^.\n]{2,80}?[ ](?:instead[ ]of|rather[ ]than|not)[ ]
    | instead[ ]of[ ][^.\n]{2,80}?(?:,|[ ](?:we|you|let|use|do)\b)
    | (?:i|we)[ ](?:prefer|would[ ]prefer|['’]d[ ]prefer)\b | i['’]d[ ]prefer\b | prefer[ ]\w+
    | (?:i|we)[ ](?:do[ ]not|don['’]?t)[ ](?:want|like|use|need|gitignore|do|allow|support|have)\b
    | from[ ]now[ ]on\b | (?:remember|make[ ]sure|be[ ]sure|ensure)[ ](?:to|that|you|we|it)\b
    | in[ ]this[ ](?:repo|repository|project|codebase)[, ]
    | (?:we|you|it)[ ]should(?:n['’]t|[ ]not)[ ]\w+ | (?:we|you)[ ]must[ ](?:not[ ])?\w+
    | we[ ]should[ ](?:be[ ])?us(?:e|ing)\b
    | (?:update|add|put)[ ][^.\n]{0,40}(?:claude|agents)\.md\b
    )""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_NOT_TYPED = re.compile(
    r"\s*(?:\[Request interrupted|<[a-z-]+>|Operation stopped by hook|Implement the following plan|Caveat:|This session is being"
    r"|Base directory for this skill|# |/\w+\s*$|Stop hook feedback|The user wants to clarify|\[Image)",
    re.IGNORECASE,
)


# A refusal that only changes what happens next.
_PROCEDURE = re.compile(
    r"(?:ok(?:ay)?|hmm+|actually|and|but|wait|so)*[,. ]*(?:maybe )?(?:pause|hang on|hold on|wait|lol|let['’]?s (?:talk|test|cut|first)"
    r"|do it\b|please (?:write|explain|show|tell)|we could|is there|i['’]ll|go ahead|first\b|continue)",
    re.IGNORECASE,
)


class Said(NamedTuple):
    """The user's last words, and whether the model has answered them."""

    text: str
    step: int
    key: str
    at: str | None


class Speech(Kept):
    """What was said in one agent's part of a session."""

    prompt: Said | None
    reply: str

    def __init__(self) -> None:
        self.prompt, self.reply = None, ""

    def told(self, text: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
        """Look at a reply or a thought of the model."""
        plain = _plain(text)
        self._admitted(plain, step, key, pad)
        starts = [m.end() for m in _STARTS.finditer(plain)]
        for kind, start in (*_beliefs(plain, starts), *_dead_ends(plain, starts)):
            sentence, after = _sentence(plain, start)
            detail = {"kind": kind, "sentence": sentence, "then": after, "before": _before(plain, start)}
            pad.suspect("self_correction", _key(kind, sentence), step, at=at, detail=detail, event=key)
            if kind == "belief":
                pad.analytics.self_correction_count += 1
        pad.last_text = shorten(plain[-300:], 300) if plain.strip() else pad.last_text

    def replied(self, text: str) -> None:
        """Keep what the model said last, for the context of a correction."""
        self.reply = shorten(_plain(text)[:600], 300)

    def asked(self, text: str, step: int, key: str, at: str | None, pad: Scratchpad) -> None:
        """Look at what the user typed."""
        self.prompt = None
        if _NOT_TYPED.match(text) or not text.strip():
            return
        self.prompt = Said(shorten(text, _WORDS), step, key, at)
        found = correction(text)
        if found:
            self._corrected(found[0], found[1], text, step, key, at, pad, {})

    def refused(self, call: Call, pad: Scratchpad) -> None:
        """Look at what the user said when refusing a tool."""
        words = user_said(call.text)
        found = correction(words)
        first, _ = _sentence(words, 0)
        if _NOT_TYPED.match(words) or (
            not found and (len(first.split()) < 6 or "?" in words or _PROCEDURE.match(words))
        ):
            return
        cue, sentence = found or ("refused", first)
        more = {"tool": call.tool, "path": call.path, "command": shorten(call.command, 200)}
        self._corrected(cue, sentence, words, call.step, call.key, call.ended or call.at, pad, more)

    def _corrected(
        self, cue: str, sentence: str, words: str, step: int, key: str, at: str | None, pad: Scratchpad,
        more: dict[str, str],
    ) -> None:  # fmt: skip
        # The user's words do not come from outside; what the model said before them may.
        before = "" if pad.tainted_at(step + 1) else self.reply
        detail = {
            "kind": "user",
            "cue": cue,
            "sentence": sentence,
            "words": shorten(words, _WORDS),
            "before": before,
        }
        pad.suspect("self_correction", _key("user", sentence), step, at=at, event=key, evidence=0,
                    detail={**detail, **more})  # fmt: skip
        pad.analytics.self_correction_count += 1

    def _admitted(self, text: str, step: int, key: str, pad: Scratchpad) -> None:
        """The model says the user is right: what the user said was a correction."""
        said, self.prompt = self.prompt, self.prompt
        found = _RIGHT.match(text)
        if said is None or not found:
            return
        self.prompt = None
        sentence, after = _sentence(text, found.start())
        agreed = f"{sentence} {after}"
        if len(said.text.split()) < 4 or not _NAMED.search(agreed) or not _CONTRAST.search(agreed):
            return
        pad.suspect("self_correction", _key("admitted", said.text), said.step, at=said.at, event=said.key, evidence=step,
                    detail={"kind": "admitted", "words": said.text, "sentence": sentence, "then": after,
                            "before": "" if pad.tainted_at(step) else self.reply})  # fmt: skip


def correction(text: str) -> tuple[str, str] | None:
    """Return the cue and the sentence of a correction or a standing wish in the user's words; None if none.

    >>> correction("no, we removed the session commands on purpose")
    ('no', 'no, we removed the session commands on purpose')
    >>> correction("no") is None and correction("can you look at the tests?") is None
    True
    """
    plain = _plain(text[:_READ]).strip()
    first = _USER_FIRST.match(plain)
    if first and not _THEN_FINE.search(plain[:80]):
        sentence, after = _sentence(plain, 0)
        if len(sentence.split()) >= 4:
            return first["cue"].strip(" ,.!").lower(), sentence
        if after and len(after.split()) >= 4:
            return first["cue"].strip(" ,.!").lower(), shorten(f"{sentence} {after}", _SENTENCE)
    looked_at = plain[:300] if len(plain) > _PASTED else plain
    for rule in _USER_RULE.finditer(looked_at):
        sentence, _ = _sentence(plain, rule.start())
        if len(sentence.split()) >= 4 and not sentence.endswith("?") or _CLAUDE_MD.search(sentence):
            return collapse(rule["cue"]).lower()[:40], sentence
    return None


_THEN_FINE = re.compile(
    r"\bthen (?:it['’]?s|that['’]?s|we['’]?re|all) (?:is )?(?:good|fine|ok)\b", re.IGNORECASE
)
_CLAUDE_MD = re.compile(r"\b(?:claude|agents)\.md\b.*\b(?:always|never|should|must)\b", re.IGNORECASE)


def _beliefs(text: str, starts: list[int]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for start in starts:
        if text[start : start + 1] not in "IAWHOMNSCL":
            continue
        match = _BELIEF.match(text, start)
        if match and _is_belief(match, text):
            found.append(("belief", start))
            if len(found) >= 5:
                break
    return found


def _is_belief(match: re.Match[str], text: str) -> bool:
    sentence, after = _sentence(text, match.start())
    rest = sentence[match.end() - match.start() :].strip(" *")
    if match["wrong"]:
        return len(f"{rest} {after}".split()) >= 4
    if match["thought"]:
        return (
            re.search(r"\bbut\b|\bhowever\b|\bactually\b", f"{sentence} {after}", re.IGNORECASE) is not None
        )
    if match["reconsider"]:
        return bool(_NAMED.search(after)) and bool(_CONTRAST.search(after)) and not after.endswith("?")
    return _states(rest) and (sentence.startswith("Actually") or _BOTH_SIDES.search(rest) is not None)


def _states(rest: str) -> bool:
    """Say whether what follows "Actually," states a contrast about something with a name."""
    return (
        not _PLAN.match(rest)
        and not rest.endswith("?")
        and 5 <= len(rest.split()) <= 60
        and _NAMED.search(rest) is not None
        and _CONTRAST.search(rest) is not None
    )


def _dead_ends(text: str, starts: list[int]) -> list[tuple[str, int]]:
    for start in starts:
        if text[start : start + 1] in "TILHOUSWNtilhouswn" and _DEAD_END.match(text, start):
            return [("dead_end", start)]
    if "vailable in" in text:
        for start in starts:
            if _UNAVAILABLE.match(text, start):
                return [("dead_end", start)]
    return []


def _plain(text: str) -> str:
    """Return a text without code blocks and quoted lines, its paragraphs kept."""
    if len(text) > _READ:
        text = text[: _READ // 2] + "\n\n" + text[-_READ // 2 :]
    if "```" in text:
        text = _FENCE.sub("\n", text)
    return _QUOTED.sub("", text)


def _sentence(text: str, start: int) -> tuple[str, str]:
    """Return the sentence that starts somewhere and the one after it, each on one line."""
    end = _END.search(text, start + 1)
    stop = end.end() if end else len(text)
    following = _END.search(text, stop + 1)
    after = text[stop : following.end() if following else len(text)] if stop < len(text) else ""
    return shorten(text[start:stop].strip(" *-•"), _SENTENCE), shorten(after.strip(" *"), _SENTENCE)


def _before(text: str, start: int) -> str:
    """Return the end of what stands before a sentence."""
    return shorten(text[max(0, start - 240) : start], 240)


def _key(kind: str, sentence: str) -> str:
    return f"{kind}:{content_hash(sentence)[:16]}"
