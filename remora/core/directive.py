"""Parse a statement: the things it forbids and wants, the events it precedes, and the places it applies to.

The parser does not decide whether a sentence is worth keeping. It reads the few signs that most languages
share: a negator, the things named beside it, their order. Names carry the meaning, so a short table of
function words is enough for a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remora.core.directive_words import (
    AUXILIARY,
    CHANGES,
    EACH,
    IS_GONE,
    JOINS,
    LASTS,
    NEGATES,
    NOT,
    ORDER,
    ORDER_CJK,
    POSITIVE,
    STOPS,
    USES,
    clauses,
    divided,
    one_of,
)
from remora.core.programs import PROGRAMS
from remora.core.query import named_paths
from remora.core.stems import stem
from remora.core.text import STOP_WORDS
from remora.core.things import (
    EDGES,
    EDITING,
    EVENTS,
    HEAVY,
    MOST_WORDS,
    NAMING,
    PRONOUNS,
    Thing,
    names_next,
    plain_things,
    things_in,
)
from remora.core.triggers import DEPENDENCY, INTO

MOST_THINGS = 8
_READ = 2_000  # characters of a statement that are parsed
_VERBAL = re.compile(  # negators that precede the forbidden action
    r"(?:never|don['’]?t|do not|must ?n[o'’]t|may not|can ?not|can['’]t"
    r"|should ?n[o'’]t|avoid|stop|nie|niemals)",
    re.IGNORECASE,
)
_DONE = re.compile(r"\s*[a-z]+ed\b", re.IGNORECASE)  # a participle
# A denied action, not its omission: "never skip"; "stop the workers before a deployment" is a step.
_DENIED = re.compile(rf"\b(?!stop|avoid){_VERBAL.pattern}\s+(?!skip|omit)", re.IGNORECASE)
_DESCRIBES = re.compile(r"\bdoes(?:\s+not|n['’]t)\b", re.IGNORECASE)  # third person: a fact
_PASSIVE = re.compile(r"\s+be\s+(?P<verb>\w+)", re.IGNORECASE)
_AUXILIARIES = frozenset(AUXILIARY.split())
# "force-push", "push directly to `main`": an event, its manner, and the target with a preposition.
_ACT = re.compile(
    rf"\W*(?:(?:\w+ly|ever|just)\s+)?(?:(?P<how>[a-z]{{4,12}})[\s-])?(?P<act>(?:{'|'.join(HEAVY)})[a-z]*)\b"
    r"(?:(?<=erge)\s+(?P<what>`?(?!\w+ly\b|to\b|into\b|onto\b)[\w/.-]+`?))?"
    r"(?:(?:\s+\w+ly)?\s+(?:to|into|onto)\s+(?:(?:the|our|an?)\s+)?"
    r"(?P<names>`?[\w/.*-]+`?(?:\s+(?:or|and)\s+`?[\w/.*-]+`?){0,4}))?",
    re.IGNORECASE,
)
# "add a dependency", "new libraries": the event of adding one, unless more is said about it.
_NEW = one_of(
    """new extra additional external third-party neue neuen nouvelle nouvelles nueva nuevas nova novas
    nuova nuove nieuwe новая новые новых"""
)
_ADDS = re.compile(
    rf"\b(?:(?:add|adding|install\w*|introduc\w+)\s+(?:(?:an?|any|more|other|{_NEW})\s+){{0,3}}|(?:{_NEW})\s+)"
    r"(?:runtime\s+)?(?:dependenc(?:y|ies)|deps?|librar(?:y|ies)|packages?|abhängigkeit(?:en)?|dépendances?"
    r"|dependencias?|dependências?|dipendenz[ae]|afhankelijkhe\w+|зависимост\w+)"
    r"(?=\W*$|\s+(?:without|unless|before|until|ohne|sans|sin|sem|senza|zonder|без)\s+(?!an?\s|`)|\s+(?:to|in|for)\s)"
    r"|\bdependency\s+(?:upgrade|update|bump)s?\b",
    re.IGNORECASE,
)
_TESTS = ("test", "tests", "testing", "spec", "specs", "docs", "documentation", "examples", "scripts")
_ASIDE = re.compile(r"`[^`\n]*`|(?<!\w)\((?P<said>[^()]{1,200})\)")
_SLASHED = re.compile(r"(?<![\w./`-])\w[\w-]+(?:/\w[\w-]+)+(?![\w/`-]|\.\w)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
# A label that denies what stands below it, in the languages of the table above.
_LABEL = re.compile(
    r"(?:please\s+)?(?:do\s+not|don['’]?ts?|never|avoid|not\s+allowed|forbidden|prohibited|banned|anti-?patterns?"
    r"|(?:what|things?)\s+not\s+to\s+do|(?:things?|patterns?|practices?|mistakes?)\s+to\s+avoid"
    r"|nicht|niemals|verboten|vermeiden|jamais|interdit|à\s+éviter|ne\s+pas|nunca|evitar|prohibido|proibido|não"
    r"|mai|vietato|evitare|nooit|verboden|никогда|нельзя|запрещено"
    r"|禁止|不要|避免|严禁|しないこと|使わないこと|하지\s*마세요|금지)"
    r"(?:\s+(?:(?:ever\s+)?(?:do|use)\s+)?(?:this|these|the\s+following|any\s+of\s+(?:this|these)))?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LIMITS = re.compile(
    rf"{NEGATES.pattern}|(?<!\w)(?:only|nur|seulement|solo|sólo|só|alleen|только)(?!\w)", re.IGNORECASE
)
_RUN = re.compile(
    r"\W*(?:please\s+)?(?:run|execute|use|build|start|install|deploy|lint|format|test)\b[^`]{0,40}`"
    r"|[^`]{1,80}\b(?:must|should)\s[^`]{1,40}`",
    re.IGNORECASE,
)
_FORBIDS = re.compile(  # at the beginning of a clause
    r"\W*(?:(?:you|we)\s+|(?:\w+\s+){1,3}(?=must))?(?:never|must (?:not|never)|do not|don['’]t|avoid|no)\b",
    re.IGNORECASE,
)
# What is not needed is not forbidden.
_NEEDLESS = re.compile(
    r"\W*(?:\w+\s+){0,2}(?:do not|don['’]?t|never) (?:(?:need|have) to|be afraid|worry|assume|expect|believe"
    r"|trust|guess|suppose|presume)\b"
    r"|\W*it(?:['’]s| is) not necessary\b",
    re.IGNORECASE,
)
_WORD = r"[^\s,.;:()!?]+"
_WITHOUT = re.compile(
    rf"\W*(?:(?:please|you|we)\s+)*(?!does|can)(?:{NOT})\s+(?P<event>{_WORD}(?:\s+{_WORD}){{0,3}}?)\s+"
    rf"(?:without|until|before|unless)\s(?P<needed>(?:(?!,?\s(?:and\s+)?(?:{NOT})\s)[^;:]){{3,200}})",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?<!\w)(?:{ORDER})\s+(?:(?:you|we|i)\s+)?(?:(?:{EACH}|the|a|an|opening|creating|making|dem|der|einem)\s+)?"
    rf"(?P<what>{_WORD}(?:\s+{_WORD}){{0,2}})",
    re.IGNORECASE,
)
# "Commit messages are in English", "PRs need a summary": a statement about what an event makes.
_EVENT_SUBJECT = re.compile(
    r"\W{0,8}(?:(?:all|our|the|alle|die|les|los)\s+)?(?:(?P<text>commit[\s-](?:messages?|titles?|subjects?|nachrichten)"
    r"|messages?\s+de\s+commit|mensaj\w+\s+de\s+commit|コミットメッセージ|提交信息|提交消息"
    r"|(?P<pr>(?:pull\s+request|pr)\s+(?:titles?|descriptions?|bod(?:y|ies))))|commits|(?P<prs>pull\s+requests|prs))"
    r"(?=:\s|は|\s*(?:必|用|使用)|\s+(?:must|should|need|use|follow|have|start|begin|include|contain|always|never|in|immer"
    r"|müssen|doivent|deben|siguen)\b|(?(text)\s+(?:are|is|sind|sont|son)\b|(?!)))",
    re.IGNORECASE,
)
_BEFORE_CJK = re.compile(rf"(?<![\w-])(?P<what>[\w-]+)\s*+(?:の)?(?:{ORDER_CJK})")
_STATES = frozenset("is are was were — – -".split())
_OF_EACH = re.compile(rf"(?<!\w)(?:{EACH})\s+(?:(?:{EACH})\s+)?(?P<what>{_WORD})", re.IGNORECASE)
_IF_CHANGED = re.compile(
    rf"(?<!\w)(?:{CHANGES})\s+(?:you\s+|we\s+)?(?:(?:add|change|edit|touch|modify|update)\w*\s+)?"
    rf"(?:(?:the|a|an|any|das|die|der|le|la|el)\s+)?(?P<what>{_WORD})"
    r"(?=\s+(?:changes?|is|are|was|were|sich|change|cambia)\b|[,.]|$)",
    re.IGNORECASE,
)
_EXEMPT = re.compile(
    r"\b(?:outside(?: of)?|but for|but not (?:for|in)|except(?: for)?(?: in)?|other than in"
    r"|unless in|außer(?:halb)?(?: von)?(?: in)?|sauf(?: dans)?|excepto(?: en)?)"
    r"\s+(?:the |our |den |der |les |los )?(?P<where>[\w./*-]+)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"(?:^|[\s,(])(?:only |nur )?(?:in|inside|within|under|below|unter|innerhalb von|dans|sous|en"
    r"|nel|в)\s+(?:the |our |den )?"
    r"(?P<where>`?[\w.@-]*/[\w./*@-]*`?|tests?\b|specs?\b)",
    re.IGNORECASE,
)
# An exception up to the end of its sentence; the paths in it are exempt.
_UNLESS = re.compile(
    r"(?<=[^.!?\n]\s)(?:unless|except|other than|außer|sauf|excepto|salvo|exceto|tranne|кроме)"
    r"\b(?P<rest>[^.!?。\n]{0,200}(?:\.\w[^.!?。\n]{0,200}){0,4})",
    re.IGNORECASE,
)
_WITHIN_CJK = re.compile(
    r"(?P<where>(?<![A-Za-z0-9_./*-])[A-Za-z0-9_.-]*+/[A-Za-z0-9_./*-]*+|テスト|测试|測試|테스트)"
    r"(?:コード|代码|代碼|文件)?\s?(?:の中|中|内|里|裡|では|에서)"
)
_TESTS_CJK = frozenset(("テスト", "测试", "測試", "테스트"))
# A thing that is put somewhere or used from there is not limited to that place.
_PUTS = re.compile(
    r"^(?!.*(?:not|n['’]t|never)\b).*\b(?:use|put|goes?|lives?|see|entry|kept|found|add|import|run|start|build|works?)\b",
    re.IGNORECASE,
)


class Directive(NamedTuple):
    """The parsed content of a statement.

    Attributes:
        forbids, wants: things, in order.
        passing: those of `wants` that are commands which must not run without their flags.
        before: stems of events that must not begin without it ("commit"), each a tuple of words.
        inside, exempt: the only places where it applies, and its exceptions: paths, or stems of folder names.
        about: paths at its beginning, and those that it is about.
    """

    forbids: tuple[Thing, ...] = ()
    wants: tuple[Thing, ...] = ()
    passing: tuple[Thing, ...] = ()
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
    passing: list[Thing] = []
    inside: list[str] = []
    about: list[str] = []
    for sentence in unlabelled(text):
        plain = POSITIVE.sub(" ", sentence)
        known, asked_for, lasts = len(forbids), len(wants), LASTS.search(sentence)
        without = _WITHOUT.match(plain)
        if without and ("`" in without["needed"] or not _ADDS.search(without["event"])):
            # "never push without `make test`" asks for it before a push
            events = _event_words(without["event"])
            if events and events[0] in EVENTS:
                said = without["event"].lower().replace("`", "").split()
                beside = [word for word in said if word not in STOP_WORDS]
                before.append((*events, *(word for word in beside if stem(word) not in events)))
                needed = things_in(without["needed"])
                wants += [one for one in needed if one.kind == "command" or one.words[0].startswith("-")]
                plain = plain[without.end() :]
        plain = _SLASHED.sub(_alternatives, plain)
        asides = [one["said"] for one in _ASIDE.finditer(plain) if one["said"]]
        plain = "; ".join((_ASIDE.sub(lambda one: " " if one["said"] else one[0], plain), *asides))
        for clause in filter(str.strip, clauses(plain)):
            denied, asked = ([], []) if _NEEDLESS.match(clause) else _sides(clause)
            if denied and _is_edit(denied[0]) and _GENERAL.issuperset(map(stem, denied[0].words[1:])):
                about += _places(clause)
            forbids += denied[:MOST_THINGS]
            wants += asked
            if lasts or _RUN.match(clause):
                passing += [one for one in asked if any(word.startswith("-") for word in one.words)]
        denies = len(forbids) > known
        found = _events(plain, denies=denies)
        if found:  # commands named beside an event must run before it
            wants += [t for clause in clauses(plain) for t in things_in(clause) if t.kind == "command"]
        subject = _EVENT_SUBJECT.match(sentence) or _EVENT_SUBJECT.match(sentence.partition(": ")[2])
        if subject and not found:
            found = [("pr", stem("create")) if subject["pr"] or subject["prs"] else ("commit",)]
        before += found
        asks = len(forbids) > known or len(wants) > asked_for or found
        if asks or _LIMITS.search(sentence):
            inside += _places(sentence)  # "In scripts/ it is fine." limits nothing
    exempt = [_place(m["where"]) for m in _EXEMPT.finditer(text)]
    exempt += [
        token.rstrip(".").removeprefix("./")
        for found in _UNLESS.finditer(text)
        for token in re.split(r"[\s`()\"',;:]+", found["rest"])
        if "/" in token
    ]
    inside = [place for place in inside if place not in exempt]
    # "In web/ never use x" is about the use, "in web/ never change x" about the place.
    used = forbids and not {"words", "path"}.intersection(thing.kind for thing in forbids)
    used = bool(used) and not NAMING.isdisjoint(text.lower().split())
    about = [*(one for one in _about(text) if not used or one not in inside), *about]
    if not (forbids or before or any(w[:1] == "-" for t in wants for w in t.words)):
        about += inside  # it is about the place itself
    return Directive(
        _once(forbids),
        tuple(thing for thing in _once(wants) if thing not in forbids),
        tuple(thing for thing in _once(passing) if thing not in forbids),
        tuple(dict.fromkeys(before)),
        tuple(dict.fromkeys(inside)),
        tuple(dict.fromkeys(exempt)),
        tuple(dict.fromkeys(about)),
    )


def _alternatives(found: re.Match[str]) -> str:
    """Return programs or names between slashes as alternatives: "not Alpha/Beta", "cat/sed"."""
    parts = found[0].split("/")
    edits = not EDITING.isdisjoint(map(stem, re.findall(r"\w+", found.string.lower())))
    apart = (all(one[:1].isupper() for one in parts) and not edits) or PROGRAMS.issuperset(parts)
    return " or ".join(parts) if apart else found[0]


def _places(sentence: str) -> list[str]:
    """Return the places that a sentence names as those where it applies."""
    found = [_place(one["where"]) for one in _WITHIN_CJK.finditer(sentence)]
    return found + [
        _place(one["where"])
        for clause in clauses(sentence)
        for one in _WITHIN.finditer(clause)
        if _is_place(one["where"]) and not _PUTS.search(clause[: one.start()])
    ]


def denies_below(label: str) -> bool:
    """Return whether a heading or label denies the text below it.

    >>> [denies_below(label) for label in ("❌ Do NOT", "Style > Things to avoid", "禁止", "No mocks")]
    [True, True, True, False]
    """
    return (
        _LABEL.fullmatch(re.sub(r"[^\w'’\s-]+|_", " ", label[-120:].rpartition(" > ")[2]).strip()) is not None
    )


def unlabelled(text: str) -> Iterator[str]:
    r"""Yield the sentences of a text; "never" replaces a label that denies a sentence or a list.

    >>> list(unlabelled("Style > Do not: Use tabs.")), list(unlabelled("Avoid:\n- a. Why.\n- b\nUse c."))
    (['never Use tabs.'], ['never a.', 'Why.', 'never b', 'Use c.'])
    """
    denied = False
    for line in filter(str.strip, text.split("\n")):
        label, _, rest = line.replace("：", ":").partition(":")
        item = _ITEM.match(line)
        if denies_below(label):
            rest = "" if denies_below(rest) else rest  # "What not to do: Don't:"
            denied = not rest.strip()
            line = f"never {rest.strip()}" if not denied else ""
        elif denied and item:
            told = line[item.end() :]
            kept = NEGATES.match(told.lstrip("*_ ")) or re.search(r"\binstead\b(?!\s+of)", told)
            line = told if kept else f"never {told}"
            denied = not line.rstrip().endswith(":")  # "... Do:" of a list without an empty line
        else:
            denied = (
                denied and line[:1].isspace() and not line.rstrip().endswith(":")
            )  # a line of the item above
        yield from filter(str.strip, divided(line, _SENTENCE))


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

    A negator denies the things after it, or those before it if none follows.
    """
    if gone := IS_GONE.search(clause):
        return things_in(clause[: gone.start()])[:1] or plain_things(clause[: gone.start()], 1), []
    found = next((one for one in NEGATES.finditer(clause) if not _DESCRIBES.fullmatch(one[0])), None)
    if found is None and _DESCRIBES.search(clause):
        return [], []  # "the linter does not read tests"
    found = found or next(NEGATES.finditer(clause), None)
    if found is None or (found[0].lower() == "over" and "prefer" not in clause.lower()):
        return [], things_in(clause, used=True)
    ahead, behind = clause[: found.start()], clause[found.end() :]
    if found[0].lower() == "avoid" and ahead.rstrip().lower().endswith(" to") and things_in(ahead):
        return [], things_in(ahead, used=True)  # "use a lock to avoid races"
    if passive := _PASSIVE.match(behind):  # "card numbers must never be written to a log"
        subject_words = " ".join(word for word in ahead.split() if word.lower() not in _AUXILIARIES)
        if plain_things(subject_words, MOST_WORDS) and not things_in(ahead):
            verb = passive["verb"] if stem(passive["verb"]) in EVENTS else ""
            behind = f" {verb} {subject_words} {behind[passive.end() :]}"
    if (act := _ACT.match(behind)) and act["what"] in PRONOUNS:
        return [], []  # "merge them into one source"
    if _ADDS.match(behind.lstrip()):
        return [Thing("words", (DEPENDENCY,))], []
    if acts := _acts(behind):
        return acts, []
    denied, subject = things_in(behind, short=True), things_in(ahead)
    if passive and not denied and all(thing.kind == "name" for thing in plain_things(behind, MOST_WORDS)):
        return [], []  # "errors must not be ignored": no name
    verbal = _VERBAL.fullmatch(" ".join(found[0].split())) is not None
    if verbal and not behind.strip():
        return [], []  # "a and b do not"
    if not denied and verbal and subject:
        reports = _DONE.match(behind) and _STATES.isdisjoint(ahead.lower().split()[-3:])
        return ([] if reports else subject), []  # "files in gen/ must not be edited"; "files I never touched"
    if not denied and (not ahead.strip() or verbal or names_next(behind)):
        is_verb = verbal and found[0].lower() != "avoid" and not names_next(behind)
        denied = plain_things(behind, MOST_WORDS, acts=is_verb)
    elif not denied and subject:
        denied = plain_things(behind, 1)  # "use this instead of that"
        if not denied and plain_things(behind, MOST_WORDS):
            return [], []  # "use this instead of parallel mechanisms"
    if verbal or not denied:
        return denied or subject, []
    return denied, subject


def _acts(clause: str) -> list[Thing]:
    """Return the event that a clause begins with, for each branch or place that it names as the target.

    >>> [thing.words for thing in _acts(" force-push to `main` or `staging`")]
    [('push', 'force', 'main'), ('push', 'force', 'staging')]
    >>> [thing.words for thing in _acts(" merge `main` into a release branch")]
    [('merge', 'main', 'into', 'release')]
    """
    found = _ACT.match(clause)
    if found is None or stem(found["act"]) not in EVENTS:
        return []
    how = (found["how"] or "").lower()
    how = "" if how in STOP_WORDS | USES else how
    if stem(how) in EVENTS or not (found["names"] or (how and not clause[found.end() :].strip(" .!`"))):
        return []
    what = (found["what"] or "").strip("`")
    act = (found["act"].lower(), *filter(None, (how, what)))
    names = re.findall(r"[\w./*-]+", found["names"] or "")
    names = [one for one in names if not JOINS.fullmatch(one) and one.lower() not in STOP_WORDS | PRONOUNS]
    if names and stem(act[0]) == "merg":
        act = (*act, INTO)  # the target is the branch that is checked out
    return [Thing("words", (*act, name.rstrip("."))) for name in names] or [Thing("words", act)]


def _is_edit(thing: Thing) -> bool:
    """Return whether a thing in words is an edit: "change a migration"."""
    return thing.kind == "words" and len(thing.words) > 1 and stem(thing.words[0]) in EDITING


def _events(sentence: str, *, denies: bool) -> list[tuple[str, ...]]:
    """Return the events before which something is required; of a denial, only those after "before"."""
    before: list[tuple[str, ...]] = []
    for found in (*_BEFORE.finditer(sentence), *_BEFORE_CJK.finditer(sentence)):
        words = _event_words(found["what"])
        if words[:1] == (stem(DEPENDENCY),) and not _ADDS.search(found["what"]):
            continue  # "before using a library"
        if words and not _DENIED.search(clauses(sentence[: found.start()])[-1]):
            before.append(words)  # "never stop before pushing" asks for nothing at a push
    sentence = "" if denies else sentence
    for found in (*_OF_EACH.finditer(sentence), *_IF_CHANGED.finditer(sentence)):
        one = stem(_alias(found["what"].strip(EDGES + "`")))
        stated = found.re is _IF_CHANGED or not sentence[: found.start()].strip(" -*•\"'")
        if one in EVENTS and (one != stem(DEPENDENCY) or (stated and _ADDS.search(found[0]))):
            before.append((one,))
    return before


def _event_words(what: str) -> tuple[str, ...]:
    """Return the stems of an event's words, at most two; the event itself ends them."""
    kept: list[str] = []
    words = [
        _alias(w.strip(EDGES + "`."))
        for w in re.sub(r"\b(?:pull|merge) request", "pr", what, flags=re.IGNORECASE).split()
    ]
    for word in words:
        low = word.lower()
        if low in STOPS or (low in ("run", "always", "immer", "make", "please") and kept):
            break
        if low in STOP_WORDS or low in USES or low in _FILLERS:
            continue
        kept.append(stem(low))
        if kept[-1] in EVENTS:
            break
    return tuple(kept[:2])


_FILLERS = frozenset("opening open creating create making new directly anything else something".split())


def _alias(word: str) -> str:
    low = word.lower()
    if low in ("dep", "deps", "library", "libraries"):
        return DEPENDENCY
    return "pr" if low in ("pr", "prs", "mr", "mrs") else word


_GENERAL = frozenset(
    map(stem, "file code source anything something existing generated content history task".split())
)  # objects of an edit that name no file


def _about(text: str) -> tuple[str, ...]:
    """Return the paths at the beginning of a statement: `config/app.yml: …`, `In generated/ …`."""
    found = re.match(
        r"\s*+(?:in|inside|under|dans|en|nel"
        r"|в)?\s*+(?:the )?`?(?P<path>[\w.@*-]*[/.][\w./@*-]*)`?\s*(?P<next>\S*)",
        text,
        re.IGNORECASE,
    )
    if not found:
        return ()
    path = found["path"].rstrip(".,:")
    return (path.removeprefix("./"),) if _is_place(path) and not path.startswith("-") else ()


def _place(where: str) -> str:
    where = where.strip("`.").removeprefix("./")
    if where in _TESTS_CJK:
        return "test"
    return where if "/" in where or "*" in where else stem(where)


def _is_place(where: str) -> bool:
    where = where.strip("`")
    if re.fullmatch(r"@[\w-]+/[\w-]+", where):
        return False  # a package
    return "/" in where or where.lower() in _TESTS or bool(named_paths(where))
