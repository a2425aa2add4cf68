"""Whether a moment deserves memory, and which of the triggers fired.

Evidence from others: recall on every prompt makes coding agents worse, the same fact at the moment of the
matching action cuts repeated failures by a third (docs/injection.md). So the rule is silence, and each
trigger below names something that the agent is doing right now:

    rule        it is about to run or write what somebody ruled out, or to do something before which something
                else is to be done
    gotchas     it reads or changes a file that a memory is bound to
    undoing     it takes back what a fix brought, or brings back what was reverted
    named       it writes a name in code that a lesson speaks of
    command     it is about to run what failed before for a reason that lies in the command itself
    error       a tool failed in a way that was met and resolved before
    partners    it changes a file that is usually changed together with another one, untouched so far, going
                by earlier sessions or else by the history of commits
    search      it looks for what is known to lie elsewhere
    recorded    it, or another agent of the session, recorded something since

One trigger speaks at a moment, the first that has anything. A memory is said once in a session to an agent;
that
a brief said it does not excuse silence at the act. There is a ceiling for each moment and for the whole
session;
what lacks evidence (`remora/core/evidence.py`), is out of date, of another branch or contradicted by another
candidate stays unsaid. Nothing here writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain, combinations
from typing import NamedTuple, Protocol

from remora.core import moments, triggers
from remora.core.evidence import SESSIONS, may_be_said
from remora.core.moments import SILENCE, Moment, Reply
from remora.core.rule_names import shown_by
from remora.core.stems import stem
from remora.core.trial import QUIET
from remora.injection import render
from remora.injection.state import State, ending
from remora.store.hook_reader import Note, Partner

WARNINGS = ("gotcha", "error_pattern", "dead_end")
# Bound to a file, they are said when it is changed; warnings also when it is read.
SAID_AT_FILES = (*WARNINGS, "requirement", "decision", "preference", "pattern", "module_insight")
EDITS = ("edit", "write")
MOST_TERMS = 400  # identifiers of one edit that are looked up
RECENT_SEARCHES = 3
MOST_OUTPUT = 6_000  # characters of a failed command's output, from its end
SAME_RULE = 0.5  # of the words of the shorter that two rules at one act share, when they say the same
_OUTPUT = re.compile(r"[^\W_][\w.-]*\w|-\w[\w-]+|\w\d\w*")
SEEN = ("error_pattern", "observer_inferred")
LOOSELY = 0.4  # of the long words; what tells the telling ones takes milliseconds to load
# Of pairs of files in the history of commits. Predicting each commit from those before it, a partner that is
# named is in the same commit .83 of the time on pallets/click, .73 on pytest and .68 on entireio/cli; without
# TIED, which leaves out what only large commits bring together, .70, .60 and .60.
TOGETHER, SHARE, LIFT, TIED = 4, 0.7, 1.8, 0.125
FADED = 0.3  # confidence below which a memory is out of date
_NAMED = re.compile(r"(?<![\w/])[A-Za-z_][\w.]{3,}")
_WORD = re.compile(r"\w{3,}")
_LONG = re.compile(r"\w{4,}")
_CD = re.compile(r"\s*cd\s+(\"[^\"$`]+\"|'[^']+'|[^\s;|&\"'$`~]+)\s*(?:&&|;|\n)")
_TERM = re.compile(r"(?:[^\W\d]\w*\.)?[^\W\d]\w{2,}")


class Limits(NamedTuple):
    """How much may be said. Section 9 of the specification has the threshold and the skipped steps.

    Attributes:
        threshold: confidence that a memory must have besides evidence to be said unasked.
        at_once: memories at one moment.
        moment_characters: of a text said at one moment.
        times: how often anything is said in a session.
        session_characters: of all that is said in a session.
        skip_steps: steps of a session before anything is said between steps.
        ask: whether the agent may be asked to record what a person said; 0 or 1.
        keep: whether the sentence that was asked about is kept with the session; 0 or 1.
        held_back: of a thousand moments that deserve advice, how many are left without it, for the trial.
        notice: whether the person sees that the agent was told something; 0 or 1.
    """

    threshold: float = 0.0
    at_once: int = 3
    moment_characters: int = 2_000
    times: int = 40
    session_characters: int = 16_000
    skip_steps: int = 5
    ask: int = 1
    keep: int = 1
    held_back: int = 100
    notice: int = 1


class Look(Protocol):
    """What a decision asks the store."""

    def about(self, paths: Collection[str], types: Sequence[str]) -> list[Note]:
        """Return memories of some types about one of some files, the best first."""
        ...

    def patterns(self, types: Sequence[str]) -> list[str]:
        """Return the patterns of files that memories of some types are about."""
        ...

    def triggered(self, keys: Collection[tuple[str, str]]) -> list[Note]:
        """Return the memories with a trigger of some kinds and keys, those with the most weight first."""
        ...

    def partners(self, path: str, together: int, share: float, tied: float) -> list[Partner]:
        """Return the files that changed with one: so often, and in such shares of its own and its ties."""
        ...

    def like(self, text: str) -> list[Note]:
        """Return the memories that share the most words with a text."""
        ...

    def effects(self, trigger: str) -> Mapping[str, float]:
        """Return how much memories help at a trigger, by id, where that is known; see `core.trial.factor`."""
        ...


class Setting(NamedTuple):
    """What a decision needs besides the moment and the store.

    Attributes:
        limits: how much may be said.
        relative: a path of the host to one from the root of the project; empty for what lies outside.
        within: whether a folder of the host, absolute or from the moment's own, belongs to the project.
        faded: a note to its confidence now.
        branch: that is checked out; empty where nobody knows.
        fingerprint: an error's text to its fingerprint; only asked when a tool failed.
        goes_without_saying: whether nobody need be told that the second file changes with the first.
        early: the host takes text before a tool is used. Where it does not, the advice for an edit or a
            command comes right after it.
        there: whether a file is there, relative to the root; another branch may have no such file.
        most: draws for the trial how many memories may be said of those that `limits` lets through; 0: all.
    """

    limits: Limits
    relative: Callable[[str], str]
    within: Callable[[str], bool]
    faded: Callable[[Note], float]
    branch: str
    fingerprint: Callable[[str], str]
    goes_without_saying: Callable[[str, str], bool]
    early: bool = True
    there: Callable[[str], bool] = lambda _: True
    most: Callable[[], int] = lambda: 0


def decide(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    """Return what is said at a moment; mostly nothing."""
    limits = setting.limits
    if state.spoken >= limits.times or state.characters >= limits.session_characters:
        return SILENCE
    for trigger in _TRIGGERS.get(_stage(moment, setting), ()):
        found = trigger(moment, state, look, setting)
        if found.text:
            return found
    return SILENCE


def _stage(moment: Moment, setting: Setting) -> str:
    """Return which rules a moment is for: "edit", "run", "read", "search", "failed", "step"."""
    kind, action = moment.kind, moment.action
    if kind == moments.FAILED or moment.failed:
        return "failed"
    acting = kind == moments.BEFORE or (kind == moments.AFTER and not setting.early)
    if acting and action in (*EDITS, "run"):
        return "run" if action == "run" else "edit"
    if kind == moments.AFTER and action == "read":
        return "read"
    if kind == moments.AFTER and action in ("search", "glob"):
        return "search"
    return "step" if kind == moments.STEP else ""


# The triggers


def _forbidden(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    """An edit that writes what is forbidden, or changes what something else belongs to."""
    for path in _inside(moment.paths, setting):
        edit = triggers.read_edit(path, moment.changed, moment.removed)
        found = look.triggered([key for key in edit.keys if key[0] in triggers.AT_EDITS])
        fires = [note for note in found if note.trigger and triggers.writes(edit, note.trigger)]
        # A host shows its own rule files; at a file that they only speak of they are not said again.
        fires = [
            n for n in fires if n.trigger and (n.trigger.kind == triggers.WRITE or not _shown(n, moment.host))
        ]
        said = _say("rule", path, fires, f"the edit of {path}", state, look, setting)
        if said.text:
            return said
    return SILENCE


def _ruled(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    """A command that somebody ruled out, or before which something else is to be done."""
    if not moment.command.strip() or not _at_home(moment, setting):
        return SILENCE
    from remora.shell.trigger_match import read_line, sets_off  # patterns that cost a millisecond to load

    line = read_line(moment.command)
    fires = [
        note
        for note in look.triggered(line.keys)
        if note.trigger and sets_off(line, note.trigger, setting.branch, state.ran)
    ]
    return _say("rule", moment.command[:80], fires, "the command is about to be run", state, look, setting)


def _gotchas(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    paths = _inside(moment.paths, setting)
    if not paths:
        return SILENCE
    types = SAID_AT_FILES if moment.action in EDITS else WARNINGS
    found = look.about([*paths, *_matching(look.patterns(types), paths)], types)
    bound = [note for note in found if not _shown(note, moment.host)]
    said = _say("gotchas", paths[0], bound, f"about {paths[0]}", state, look, setting)
    if said.text or moment.action not in EDITS:
        return said
    undone = [note for note in found if note.source == "commit_auto" and _undoes(moment, note)]
    if undone:
        vouched = [note._replace(sessions=SESSIONS) for note in undone]
        return _say(
            "undoing", paths[0], vouched, f"the edit of {paths[0]} takes it back", state, look, setting
        )
    edit = triggers.read_edit(paths[0], moment.changed, moment.removed)
    endings = {ending(path) for path in paths}
    terms = _terms("\n".join((*edit.added, *edit.removed)))
    named = [
        note
        for note in look.triggered([(triggers.TERM, term) for term in terms])
        if note.trigger and (not note.trigger.needs or not endings.isdisjoint(note.trigger.needs))
    ]
    worth = _worth(named, state, setting)
    if not worth or worth[0].trigger is None:
        return SILENCE
    term = worth[0].trigger.key
    same = [note for note in worth if note.trigger and note.trigger.key == term]
    return _say(
        "named",
        term.removeprefix("."),
        same,
        f"the edit names {term.removeprefix('.')}",
        state,
        look,
        setting,
    )


def _undoes(moment: Moment, note: Note) -> bool:
    """Return whether an edit removes what a fix speaks of, or brings what was reverted."""
    names = {name for name in _NAMED.findall(note.content.partition(". ")[0]) if _marked(name)}
    gone, new = (set(_NAMED.findall(text)) for text in (moment.removed, moment.changed))
    return not names.isdisjoint(new - gone if note.type == "dead_end" else gone - new)


def _marked(name: str) -> bool:
    return "_" in name or "." in name.strip(".") or any(c.isupper() for c in name[1:])


def _shown(note: Note, host: str) -> bool:
    return bool(note.path) and shown_by(host, (note.path,), note.tags)


def _partners(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    paths = _inside(moment.paths, setting)
    touched = state.edited | set(paths)
    found = [
        note
        for note in look.about(paths, ("causal_dependency",))
        if note.files
        and note.files[0] in paths
        and not touched.issuperset(note.files[1:])
        and any(setting.there(path) for path in note.files[1:] if path not in touched)
    ]
    about = paths[0] if paths else ""
    said = _say("partners", about, found, f"{about} is being changed", state, look, setting)
    return said if said.text else _committed(paths, touched, state, look, setting)


def _committed(paths: list[str], touched: set[str], state: State, look: Look, setting: Setting) -> Reply:
    """Return which files commits have beside one that is being changed; said once a session for each."""
    for path in paths:
        why = f"commits change other files with {path}"
        if why in state.reasons:
            continue
        found = [
            one
            for one in look.partners(path, TOGETHER, SHARE, TIED)
            if one.path not in touched
            and one.together * one.total >= LIFT * one.own * one.theirs
            and not setting.goes_without_saying(path, one.path)
            and setting.there(one.path)
        ]
        if found:
            text = render.partners(path, found[: setting.limits.at_once])
            return Reply(text, trigger="partners", why=why)
    return SILENCE


def _command(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    if not moment.command.strip() or not _at_home(moment, setting):
        return SILENCE
    from remora.shell.lines import wholes_in  # patterns that cost a millisecond to load
    from remora.shell.trigger_match import asks, read_line

    whole = wholes_in(moment.command)
    words = chain.from_iterable(read_line(moment.command).commands)
    keys = [(triggers.COMMAND, key) for key in dict.fromkeys((*words, *whole))]
    found = [
        note
        for note in look.triggered(keys)
        # A key is some words of a command, or all of one: `pip install pytest` is no `pytest`.
        if (one := note.trigger)
        and (asks(moment.command, (one.key, *one.needs)) if one.needs else one.key in whole)
    ]
    return _say("command", moment.command[:80], found, "the command is about to be run", state, look, setting)


def _error(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    if not moment.text or not _at_home(moment, setting):
        return SILENCE
    mark = setting.fingerprint(moment.text)
    words = set(_OUTPUT.findall(moment.text[-MOST_OUTPUT:].lower()))
    keys = [(triggers.OUTPUT, word) for word in words]
    found = look.triggered([*([(triggers.ERROR, mark)] if mark else []), *keys])
    same = [
        n
        for n in found
        if n.trigger and (n.trigger.kind == triggers.ERROR or words.issuperset(n.trigger.needs))
    ]
    marked = [_unconfirmed(note, setting) for note in same]
    return _say("error", mark, marked, "the same error", state, look, setting)


def _search(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    pattern = moment.pattern.strip().lower()
    if not pattern or not all(map(setting.within, ("", moment.place, *moment.paths))):
        return SILENCE
    from remora.core.names import searched

    found = look.triggered([(triggers.SEARCH, key) for key in searched(moment.pattern)])
    same = [note for note in found if note.trigger and note.trigger.key == pattern]
    first = found[0].trigger if found else None
    why = "the same search" if same else f"a search for {first.key}" if first else ""
    return _say("search", pattern, same or found, why, state, look, setting)


def _between(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    """Between two steps: the three triggers of section 9, in its order."""
    if state.steps < setting.limits.skip_steps:
        return SILENCE
    for call in reversed(state.recent):
        if call.action in ("read", *EDITS):
            here = moment._replace(kind=moments.AFTER, action="read", paths=call.paths)
            if (found := _gotchas(here, state, look, setting)).text:
                return found
    if state.recorded:
        text = render.recorded(state.recorded)[: setting.limits.moment_characters]
        return Reply(text, trigger="recorded", why="recorded since the last step")
    searches = [call for call in state.recent if call.action in ("search", "glob")]
    for call in reversed(searches[-RECENT_SEARCHES:]):
        here = moment._replace(kind=moments.AFTER, action=call.action, pattern=call.pattern)
        if (found := _search(here, state, look, setting)).text:
            return found
    return SILENCE


_TRIGGERS: dict[str, tuple[Callable[[Moment, State, Look, Setting], Reply], ...]] = {
    "edit": (_forbidden, _gotchas, _partners),
    "run": (_ruled, _command),
    "read": (_gotchas,),
    "search": (_search,),
    "failed": (_error,),
    "step": (_between,),
}


# What is worth saying


def _say(
    trigger: str, about: str, notes: Sequence[Note], why: str, state: State, look: Look, setting: Setting
) -> Reply:
    worth = _helpful(trigger, _worth(notes, state, setting, at_the_act=trigger == "rule"), look)
    limits = setting.limits
    chosen: list[Note] = []
    room = min(limits.moment_characters, limits.session_characters - state.characters)
    for note in worth:
        if len(chosen) == limits.at_once:
            break
        if trigger == "rule" and any(_one_rule(note.content, said.content) for said in chosen):
            continue
        if len(render.told(trigger, about, [*chosen, note])) <= room and not _opposed(note, look, limits):
            chosen.append(note)
    if not chosen:
        return SILENCE
    firm = trigger == "rule" or any(note.pinned or note.verified for note in chosen)
    told = chosen if firm or len(chosen) == 1 else chosen[: setting.most() or None]
    return Reply(
        render.told(trigger, about, told),
        ids=tuple(note.id for note in told),
        trigger=trigger,
        why=why,
        firm=firm,
        had=len(chosen),
        types=tuple(note.type for note in told),
    )


def _helpful(trigger: str, notes: list[Note], look: Look) -> list[Note]:
    """Return notes with those first that helped more, and without those that do not help at this moment.

    A person's own words, and what they hold to, are never left out for that.
    """
    known = look.effects(trigger) if notes else {}
    if not known:
        return notes
    kept = [n for n in notes if known.get(n.id, 1.0) > QUIET or _is_own(n)]
    return sorted(kept, key=lambda note: -known.get(note.id, 1.0))


def _is_own(note: Note) -> bool:
    return note.pinned or note.verified or note.source == "user_taught" or bool(note.path)


def _worth(notes: Sequence[Note], state: State, setting: Setting, *, at_the_act: bool = False) -> list[Note]:
    """Return the notes that may be said now, in order, each once.

    `at_the_act`: one that a brief said is said again.
    """
    told = state.advised if at_the_act else state.said
    kept: dict[str, Note] = {}
    for note in notes:
        if note.id in told or note.stale:
            continue
        if (note.branch and note.branch != setting.branch) or not _tells(note.content):
            continue
        held = note.pinned or note.verified
        sure = _is_sure(note, setting) and setting.faded(note) >= FADED
        stated = bool(note.path) or may_be_said(note.source, note.sessions, kept=held, tainted=note.tainted)
        if held or (sure and stated and not note.tainted):
            kept.setdefault(note.id, note)
    return agreeing(list(kept.values()))


def _is_sure(note: Note, setting: Setting) -> bool:
    """Return whether a memory has the confidence that is asked for, or a person or rule file says it."""
    vouched = note.unconfirmed or bool(note.path) or note.source == "user_taught"
    return vouched or note.confidence >= setting.limits.threshold


def _unconfirmed(note: Note, setting: Setting) -> Note:
    """Return a memory about an error that came back: said in any case, and marked where it is unsure."""
    held = note.pinned or note.verified or note.tainted
    return note if held or _is_sure(note, setting) else note._replace(unconfirmed=True)


def _tells(content: str) -> bool:
    if " " in content and "[REDACTED:" not in content and content[-1] != ":":
        return True
    from remora.core.statement import tells  # its words cost some milliseconds to load

    return tells(content)


def agreeing(notes: list[Note]) -> list[Note]:
    """Return each text once, without those that another one contradicts, which is vouched for as well.

    Of two that contradict each other what a person holds to stays before what a session showed, and that
    before what comes from outside. Of two that the user said the later one stays. Where neither is better,
    nobody knows which is right, and both go.
    """
    once: dict[str, Note] = {}
    for note in notes:  # two machines that share may have learned the same
        once.setdefault(note.content, note)
    notes = list(once.values())
    close = [
        (one, other)
        for one, other in combinations(notes, 2)
        if not (_seen(one) and _seen(other)) and _alike(one.content, other.content, LOOSELY / 2)
    ]
    if not close:
        return notes
    from remora.core.relation import relation  # its words cost some milliseconds to load

    wrong: set[str] = set()
    for one, other in close:
        if "later" in (relation(one.content, other.content), relation(other.content, one.content)):
            wrong |= {one.id} if _outweighs(other, one) else set()
            wrong |= {other.id} if _outweighs(one, other) else set()
    return [note for note in notes if note.id not in wrong]


def _opposed(note: Note, look: Look, limits: Limits) -> bool:
    """Return whether anything in the store says the opposite and is vouched for as well.

    What is said here was found by a file, a command or an error; its denial may have been written without.
    """
    rivals = [
        other
        for other in look.like(note.content)
        if other.id != note.id
        and not (_seen(note) and _seen(other))
        and other.confidence >= limits.threshold
        and _alike(_bare(note.content), _bare(other.content))
        and _outweighs(other, note)
    ]
    if not rivals:
        return False
    from remora.core.relation import relation

    return any(relation(other.content, note.content) == "later" for other in rivals)


def _one_rule(one: str, other: str) -> bool:
    mine, theirs = (set(map(stem, _WORD.findall(text))) for text in (one, other))
    return len(mine & theirs) >= SAME_RULE * min(len(mine), len(theirs))


def _alike(one: str, other: str, share: float = LOOSELY) -> bool:
    """Return whether two texts share so many long words that it is worth to look closer."""
    mine, theirs = set(_LONG.findall(one.lower())), set(_LONG.findall(other.lower()))
    return len(mine & theirs) >= share * len(mine | theirs)


def _bare(content: str) -> str:
    """Return the words of a quote without the marks and the day around them; any other text as it is."""
    text, mark, _ = content.removeprefix("“").rpartition("” (said by the user")
    return text if mark else content


def _seen(note: Note) -> bool:
    """Return whether a session met it: two things that were met do not deny each other."""
    return (note.type, note.source) == SEEN


def _rank(note: Note) -> int:
    """Return how well a memory is vouched for: by a person, by a session, by nobody."""
    if note.pinned or note.verified:
        return 2
    return 0 if note.tainted else 1


def _outweighs(other: Note, note: Note) -> bool:
    """Return whether a denial is vouched for as well as what it denies; of two of the user the later is."""
    if _rank(other) != _rank(note):
        return _rank(other) > _rank(note)
    from remora.core.statement import said_on  # its words cost some milliseconds to load

    then, now = said_on(note.content), said_on(other.content)
    return not (then and now) or now >= then


def _at_home(moment: Moment, setting: Setting) -> bool:
    """Return whether a command runs in the project: what is known of it says nothing of its neighbour."""
    goes = _CD.match(moment.command)
    return setting.within(goes[1].strip("\"'") if goes else "")


def _inside(paths: Sequence[str], setting: Setting) -> list[str]:
    return [inside for path in paths if (inside := setting.relative(path))]


def _matching(patterns: Sequence[str], paths: Sequence[str]) -> list[str]:
    if not patterns:
        return []
    from remora.core.globs import matches

    return [pattern for pattern in patterns if any(matches(pattern, path) for path in paths)]


def _terms(text: str) -> list[str]:
    """Return the identifiers of an edit, dotted ones whole and by their last part, each once."""
    found: dict[str, None] = {}
    for term in _TERM.findall(text):
        found.setdefault(term)
        if "." in term:
            found.setdefault("." + term.rpartition(".")[2])
        if len(found) >= MOST_TERMS:
            break
    return list(found)
