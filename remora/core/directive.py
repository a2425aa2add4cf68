"""Parse a statement: the things it forbids and wants, the events it precedes, and the places it applies to.

The parser does not decide whether a sentence is worth keeping. It reads the few signs that most languages
share: a negator, the things named beside it, their order. Names carry the meaning: a phrase that names
nothing forbids nothing. What it misses, a person or an agent gives as patterns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import NamedTuple

from remora.core.directive_words import (
    AUXILIARY,
    CHANGES,
    EACH,
    IS_GONE,
    JOINS,
    LASTS,
    NEGATES,
    ORDER,
    POSITIVE,
    STOPS,
    USES,
    clauses,
    divided,
)
from remora.core.patterns import parse
from remora.core.programs import PROGRAMS
from remora.core.query import named_paths
from remora.core.stems import stem
from remora.core.text import STOP_WORDS
from remora.core.things import EVENTS, HEAVY, Thing, things_in
from remora.core.triggers import DEPENDENCY, OF_TESTS, TESTS

MOST_THINGS = 8
_READ = 2_000  # characters of a statement that are parsed
_VERBAL = re.compile(  # negators that precede the forbidden action
    r"(?:never|don['’]?t|do not|must ?n[o'’]t|may not|can ?not|can['’]t|should ?n[o'’]t|avoid|stop|nie"
    r"|niemals)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"over|instead.*|rather.*|(?:an)?statt|plutôt.*|au lieu.*|en (?:vez|lugar).*|em vez.*|invece.*|вместо",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(r"does(?:\s+not|n['’]t)", re.IGNORECASE)  # third person: a fact
# "force-push", "push directly to `main`": an event, its manner and its target.
_ACT = re.compile(
    rf"\W*(?:(?:\w+ly|ever|just)\s+)?(?:(?P<how>[a-z]{{4,12}})[\s-])?(?P<act>(?:{'|'.join(HEAVY)})[a-z]*)\b"
    r"(?:(?:\s+\w+ly)?\s+(?:to|into|onto)\s+(?:(?:the|our|an?)\s+)?"
    r"(?P<names>`?[\w/.*-]+`?(?:\s+(?:or|and)\s+`?[\w/.*-]+`?){0,4}))?",
    re.IGNORECASE,
)
# One name, or several with "or" between.
_NAMES = re.compile(rf"[\w@%./-]+(?:\s+(?:{JOINS.pattern})\s+[\w@%./-]+)*", re.IGNORECASE)
_AUXILIARIES = frozenset(AUXILIARY.split())
# A sentence that limits something to a place, or speaks of changes there.
_LIMITS = re.compile(rf"{NEGATES.pattern}|{LASTS.pattern}|{IS_GONE.pattern}|\b(?:{CHANGES})\b", re.IGNORECASE)
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?P<order>{ORDER})|(?!neue?n?\b|new){EACH}|when|whenever|wenn|quand|cuando)\s+"
    rf"(?:(?:{EACH}|the|a|an|you|we|opening|creating|making|new)\s+)*"
    r"(?P<what>[\w-]+(?:\s+[\w-]+){0,2})",
    re.IGNORECASE,
)
# "Commit messages are in English", "PRs need a summary".
_SUBJECT = re.compile(
    r"\W*(?:(?:all|our|the|every)\s+)?(?P<what>pull requests?|prs?|commits?)"
    r"(?P<text>\s+(?:messages?|titles?|subjects?|descriptions?|bod(?:y|ies)))?"
    r"(?::\s|\s+(?:must|should|needs?|uses?|follows?|has|have|starts?|begins?|includes?|contains?"
    r"|(?(text)(?:is|are)|(?!)))\b)",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\b(?:(?:pull|merge) requests?|prs|mrs?)\b")
_WITHIN = re.compile(
    r"(?:^|[\s,(])(?:only |nur )?(?:in|inside|within|under|below|unter|dans|sous|en)\s+(?:the |our |den )?"
    r"(?P<where>`?[\w.@-]*/[\w./*@-]*`?|tests?\b|specs?\b)",
    re.IGNORECASE,
)
_EXEMPT = re.compile(
    r"(?<!`)\b(?:outside(?: of)?|except|but for|but not|other than|unless|außer|außerhalb|sauf|excepto)\b"
    r"(?P<rest>[^.!?。\n]{0,200}(?:\.\w[^.!?。\n]{0,200}){0,4})",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?<![\w.@*-])`?(?P<where>[\w.@*-]*+/[\w./*@-]*)`?|\b(?P<word>tests?|specs?|docs|examples|scripts)\b"
)
_AT = re.compile(
    r"\s*(?:(?:in|inside|under|dans|en)\s+)?(?:the\s+)?`?(?P<path>[\w./@*-]++)`?(?=[\s:,])",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"`[^`\n]*`|(?<!\w)\(([^()`]{1,200})\)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_FORBIDS = re.compile(  # at the beginning of a clause
    r"\W*(?:(?:you|we)\s+|(?:\w+\s+){1,3}(?=must))?(?:never|must (?:not|never)|do not|don['’]t|avoid|no)\b",
    re.IGNORECASE,
)


class Directive(NamedTuple):
    """The parsed content of a statement.

    Attributes:
        forbids, wants: things, in order.
        before: events that must not begin without it, each the stem of its word ("commit") and further words.
        inside, exempt: the only places where it applies, and its exceptions, as patterns of files.
        about: paths at its beginning, and those that it is about.
    """

    forbids: tuple[Thing, ...] = ()
    wants: tuple[Thing, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    inside: tuple[str, ...] = ()
    exempt: tuple[str, ...] = ()
    about: tuple[str, ...] = ()

    @property
    def named(self) -> Directive:
        """Return the part that an action can match with certainty: things with a name, and known events.

        Prose shares words with many commands and edits: "before coding", "leave no file in worse shape".
        """
        return self._replace(
            forbids=tuple(t for t in self.forbids if t.kind != "words" or stem(t.words[0]) in EVENTS),
            before=tuple(words for words in self.before if words[0] in EVENTS),
        )


def directive(text: str) -> Directive:
    """Return the parsed content of a statement; empty if it asks for nothing.

    >>> found = directive("Use httpx, not requests, for outgoing calls.")
    >>> [str(t) for t in found.forbids], [str(t) for t in found.wants]
    (['requests'], ['httpx'])
    >>> directive("Run make fmt before each commit").before
    (('commit',),)
    """
    text = text[:_READ]
    forbids: list[Thing] = []
    wants: list[Thing] = []
    before: list[tuple[str, ...]] = []
    inside: list[str] = []
    for sentence in sentences(text):
        denied: list[Thing] = []
        asked: list[Thing] = []
        plain = _ASIDE.sub(lambda one: f"; {one[1]};" if one[1] else one[0], POSITIVE.sub(" ", sentence))
        plain = _EXEMPT.sub(lambda found: " " if _PLACE.search(found["rest"]) else found[0], plain)
        for clause in filter(str.strip, clauses(plain)):
            out, into = _sides(clause)
            denied += out
            asked += into
        found = _events(plain, denies=bool(denied))
        if found:  # commands named beside an event must run before it
            asked += [one for one in things_in(plain) if one.kind == "command" and one not in denied]
        before += found
        forbids += denied
        wants += asked
        if _LIMITS.search(sentence):
            inside += [place for one in _WITHIN.finditer(sentence) for place in _folders(one["where"])]
    exempt = _exempt(text)
    inside = [place for place in inside if place not in exempt]
    at = _AT.match(text)
    about = [at["path"].rstrip(".,:").removeprefix("./")] if at and _is_place(at["path"]) else []
    if not (forbids or before):
        about += inside  # it is about the place itself
    elif forbids:  # "in web/ never use x" is about the use
        about = [place for place in about if place not in inside]
    return Directive(
        _once(forbids),
        tuple(thing for thing in _once(wants) if thing not in forbids),
        tuple(dict.fromkeys(before)),
        tuple(dict.fromkeys(inside)),
        tuple(dict.fromkeys(exempt)),
        tuple(dict.fromkeys(about)),
    )


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; code in backticks is not divided."""
    return list(filter(str.strip, divided(text, _SENTENCE)))


def rules_out(clause: str) -> bool:
    """Return whether a clause begins with a prohibition, or says that a thing is gone.

    >>> [rules_out(one) for one in ("No mocks", "`moment` is deprecated", "it has no tests")]
    [True, True, False]
    """
    return _FORBIDS.match(clause) is not None or IS_GONE.search(clause) is not None


def is_lasting(text: str) -> bool:
    """Return whether a text begins with a word for a lasting rule: "always", "from now on".

    >>> is_lasting("Never call reset()"), is_lasting("It never worked")
    (True, False)
    """
    return LASTS.match(text.lstrip(" ,;:-–\"'")) is not None


def _once(things: Sequence[Thing]) -> tuple[Thing, ...]:
    return tuple(dict.fromkeys(things))[:MOST_THINGS]


def _sides(clause: str) -> tuple[list[Thing], list[Thing]]:
    """Return the things that a clause denies and those that it asks for.

    A negator denies the things behind it, or those ahead of it if none follows.
    """
    if gone := IS_GONE.search(clause):
        return things_in(clause[: gone.start()])[:1] or _named(clause[: gone.start()]), []
    negators = list(NEGATES.finditer(clause))
    found = next((one for one in negators if not _DESCRIBES.fullmatch(one[0])), None)
    if found is None and negators:
        return [], []
    if found is None or (found[0].lower() == "over" and "prefer" not in clause.lower()):
        return [], things_in(clause, used=True)
    ahead, behind = clause[: found.start()], clause[found.end() :]
    act = takewhile(lambda word: word.lower() not in STOPS, re.findall(r"[\w-]+", behind))
    if parse(" ".join(act)).event == (DEPENDENCY,):
        return [Thing("words", (DEPENDENCY,))], []  # "no new dependencies"
    if ahead.lower().rstrip().endswith((" that", " which")):
        return [], things_in(ahead, used=True)  # "repr=False for fields that should not be shown"
    if acts := _acts(behind):
        return acts, []
    if not behind.strip() or (ahead.rstrip().lower().endswith(" to") and things_in(ahead)):
        return [], things_in(ahead, used=True)  # "a and b do not"; "use a lock to avoid races"
    verbal = _VERBAL.fullmatch(" ".join(found[0].split())) is not None
    nominal = not verbal or found[0].lower() == "avoid"
    denied = things_in(behind, short=True) or (_named(behind) if nominal else [])
    if denied or _COMPARES.fullmatch(found[0]):
        return denied, things_in(ahead)
    return things_in(ahead), []  # "files in gen/ must not be edited"


def _named(text: str) -> list[Thing]:
    """Return the names that a text consists of, up to a preposition.

    >>> [str(one) for one in _named(" Moment or the dayjs for new code")], _named("clever code")
    (['moment', 'dayjs'], [])
    """
    words = [word.strip("\"'()[],;:!?").rstrip(".") for word in text.split()]
    said = dropwhile(lambda word: not word or word.lower() in USES | STOPS, words)
    names = list(takewhile(lambda word: word.lower() not in STOPS or JOINS.fullmatch(word), said))
    while names and names[-1].lower() in _AUXILIARIES:
        names.pop()  # "moment is deprecated"
    found = [one for one in names if not JOINS.fullmatch(one)]
    if not _NAMES.fullmatch(" ".join(one for one in names if one.lower() not in USES)):
        return []
    return [
        Thing("name", (one.lower() if one.isalpha() else one,))
        for one in found
        if stem(one) not in EVENTS and one.lower() not in STOP_WORDS
    ]


def _acts(clause: str) -> list[Thing]:
    """Return the event that a clause begins with, for each branch or place that it names as the target.

    >>> [thing.words for thing in _acts(" force-push to `main` or `staging`")]
    [('push', '--force', 'main'), ('push', '--force', 'staging')]
    """
    found = _ACT.match(clause)
    if found is None or stem(found["act"]) not in EVENTS:
        return []
    how = (found["how"] or "").lower()
    act: tuple[str, ...] = (found["act"].lower(),)
    if stem(how) in EVENTS:
        act = (how, *act)  # "amend commits"
    elif how in ("force", "squash"):
        act = (*act, f"--{how}")
    names = re.findall(r"[\w./*-]+", found["names"] or "")
    names = [one.rstrip(".") for one in names if not JOINS.fullmatch(one) and one.lower() not in STOP_WORDS]
    if names:
        return [Thing("words", (*act, name)) for name in names]
    behind = takewhile(
        lambda word: word.lower() not in STOPS, re.findall(r"\w[\w./-]*", clause[found.end() :])
    )
    told = [word for word in behind if word.lower() not in STOP_WORDS and not word.endswith("ly")][:1]
    if told and act[0] in ("commit", "merge"):
        return []  # "commit secrets"
    return [Thing("words", (*act, *told))]


def _events(sentence: str, *, denies: bool) -> list[tuple[str, ...]]:
    """Return the events at which something is required; of a denial, only those after "before"."""
    said = [found for found in _BEFORE.finditer(sentence) if found["order"] or not denies]
    subject = _SUBJECT.match(sentence) or _SUBJECT.match(sentence.partition(": ")[2])
    if subject and not said:
        said.append(subject)
    events = (_event(found["what"], adding=bool(found.groupdict().get("order"))) for found in said)
    return list(filter(None, events))


def _event(what: str, *, adding: bool) -> tuple[str, ...]:
    """Return the event that a phrase begins with, and the program of a command: "terraform apply".

    `adding`: a dependency is an event: "before adding a dependency".
    """
    before = ""
    for word in _REQUEST.sub("pr", what.lower()).split():
        if stem(word) in EVENTS and (adding or stem(word) != stem(DEPENDENCY)):
            return (before, stem(word)) if before in PROGRAMS else (stem(word),)
        if word in STOPS:
            break
        before = word
    return ()


def _exempt(text: str) -> list[str]:
    """Return the places that a text exempts: paths, and tests, scripts and their like."""
    rests = (found["rest"] for found in _EXEMPT.finditer(text))
    places = (one for rest in rests for one in _PLACE.finditer(rest))
    return [place for one in places for place in _folders(one["where"] or one["word"])]


def _folders(where: str) -> tuple[str, ...]:
    """Return the patterns of the files in a place: a path as it is, a word as a folder.

    >>> _folders("./web/src"), _folders("scripts"), _folders("tests")[:3]
    (('web/src',), ('scripts/',), ('test/', 'tests/', '__tests__/'))
    """
    where = where.strip("`").removeprefix("./").rstrip(".")
    if stem(where) in TESTS:
        return OF_TESTS
    return (where,) if re.search(r"[/*.]", where) else (f"{where}/",)


def _is_place(path: str) -> bool:
    path = path.strip("`.,:")
    package = re.fullmatch(r"@[\w-]+/[\w-]+", path)
    return not package and not path.startswith("-") and ("/" in path or bool(named_paths(path)))
