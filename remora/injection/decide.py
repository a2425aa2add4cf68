"""Whether a moment deserves memory, and which of the triggers fired.

Evidence from others: recall on every prompt makes coding agents worse, the same fact at the moment of the
matching action cuts repeated failures by a third (docs/injection.md). So the rule is silence, and each
trigger below names something that the agent is doing right now:

    gotchas     it reads or changes a file that earlier sessions learnt something about
    named       it writes a name in code that a lesson speaks of
    recurring   it changes the first file of a language whose checks complain about the same again and again
    command     it is about to run what failed before for a reason that lies in the command itself
    error       a tool failed in a way that was met and resolved before
    partners    it changes a file that is usually changed together with another one, untouched so far, going
                by earlier sessions or else by the history of commits
    search      it looks for what is known to lie elsewhere
    recorded    it, or another agent of the session, recorded something since

One trigger speaks at a moment, the first that has anything. A memory is said once in a session to an agent;
there is a ceiling for each moment and for the whole session; what is not sure enough, out of date, of
another branch or contradicted by another candidate stays unsaid. Nothing here writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from typing import NamedTuple, Protocol

from remora.core import moments
from remora.core.moments import SILENCE, Moment, Reply
from remora.injection import render
from remora.injection.state import State, ending
from remora.store.glimpse import Note, Partner

WARNINGS = ("gotcha", "error_pattern", "dead_end")
EDITS = ("edit", "write")
MOST_TERMS = 400  # identifiers of one edit that are looked up
RECENT_SEARCHES = 3
SEEN = ("error_pattern", "observer_inferred")
SAME_STATEMENT = 0.6  # of the telling words shared, from which on two memories anywhere speak of the same
LOOSELY = 0.4  # of the long words; what tells the telling ones takes milliseconds to load
RULES = 8  # that are listed at the first change of a language's file
# Of pairs of files in the history of commits. Predicting each commit from those before it, a partner that is
# named is in the same commit .76 of the time on pallets/click, .73 on pytest and .65 on entireio/cli.
TOGETHER, SHARE, LIFT = 4, 0.7, 1.8
FADED = 0.5  # of the threshold: what faded below that is out of date
_LONG = re.compile(r"\w{4,}")
_CD = re.compile(r"\s*cd\s+(\"[^\"$`]+\"|'[^']+'|[^\s;|&\"'$`~]+)\s*(?:&&|;|\n)")
_TERM = re.compile(r"(?:[^\W\d]\w*\.)?[^\W\d]\w{2,}")


class Limits(NamedTuple):
    """How much may be said. Section 9 of the specification has the threshold and the skipped steps.

    Attributes:
        threshold: confidence below which a memory is not said unasked.
        at_once: memories at one moment.
        moment_characters: of a text said at one moment.
        times: how often anything is said in a session.
        session_characters: of all that is said in a session.
        skip_steps: steps of a session before anything is said between steps.
    """

    threshold: float = 0.65
    at_once: int = 3
    moment_characters: int = 2_000
    times: int = 40
    session_characters: int = 16_000
    skip_steps: int = 5


class Look(Protocol):
    """What a decision asks the store."""

    def about(self, paths: Collection[str], types: Sequence[str]) -> list[Note]:
        """Return memories of some types about one of some files, the best first."""
        ...

    def patterns(self, types: Sequence[str]) -> list[str]:
        """Return the patterns of files that memories of some types are about."""
        ...

    def cued(self, kind: str, cues: Collection[str]) -> list[Note]:
        """Return the memories with one of some cues, those with the most weight first."""
        ...

    def partners(self, path: str, together: int, share: float) -> list[Partner]:
        """Return the files that so many commits, and such a share of a file's own, changed with it."""
        ...

    def like(self, text: str) -> list[Note]:
        """Return the memories that share the most words with a text."""
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


def _gotchas(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    paths = _inside(moment.paths, setting)
    if not paths:
        return SILENCE
    found = look.about([*paths, *_matching(look.patterns(WARNINGS), paths)], WARNINGS)
    said = _say("gotchas", paths[0], found, f"about {paths[0]}", state, look, setting)
    if said.text or moment.action not in EDITS:
        return said
    endings = {ending(path) for path in paths}
    terms = _terms(f"{moment.changed}\n{moment.removed}")
    named = [n for n in look.cued("term", terms) if not n.needs or not endings.isdisjoint(n.needs)]
    worth = _worth(named, state, setting)
    if not worth:
        return SILENCE
    term = worth[0].cue.removeprefix(".")
    same = [note for note in worth if note.cue == worth[0].cue]
    return _say("named", term, same, f"the edit names {term}", state, look, setting)


def _recurring(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    paths = _inside(moment.paths, setting)
    endings = {ending(path) for path in paths} - {""}
    if not endings or "recurring" in state.quiet:
        return SILENCE
    found = look.cued("language", endings)
    return _say("recurring", "", found, f"a {min(endings)} file is being changed", state, look, setting)


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
            for one in look.partners(path, TOGETHER, SHARE)
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
    words = _words(moment.command)
    if not words or not _at_home(moment, setting):
        return SILENCE
    from remora.core.shell import asks, wholes_in  # its patterns cost a millisecond to load

    whole = wholes_in(moment.command)
    found = [
        note
        for note in look.cued("command", list(dict.fromkeys((*words, *whole))))
        # A cue is some words of a command, or all of one: `pip install pytest` is no `pytest`.
        if (asks(moment.command, (note.cue, *note.needs)) if note.needs else note.cue in whole)
    ]
    return _say("command", moment.command[:80], found, "the command is about to be run", state, look, setting)


def _error(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    mark = setting.fingerprint(moment.text) if moment.text and _at_home(moment, setting) else ""
    if not mark:
        return SILENCE
    return _say("error", mark, look.cued("error", [mark]), "the same error", state, look, setting)


def _search(moment: Moment, state: State, look: Look, setting: Setting) -> Reply:
    pattern = moment.pattern.strip().lower()
    if not pattern or not all(map(setting.within, ("", moment.place, *moment.paths))):
        return SILENCE
    from remora.core.names import searched

    found = look.cued("search", searched(moment.pattern))
    same = [note for note in found if note.cue == pattern]
    why = "the same search" if same else f"a search for {found[0].cue}" if found else ""
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
    "edit": (_gotchas, _recurring, _partners),
    "run": (_command,),
    "read": (_gotchas,),
    "search": (_search,),
    "failed": (_error,),
    "step": (_between,),
}


# What is worth saying


def _say(
    trigger: str, about: str, notes: Sequence[Note], why: str, state: State, look: Look, setting: Setting
) -> Reply:
    worth = _worth(notes, state, setting)
    limits = setting.limits
    chosen: list[Note] = []
    room = min(limits.moment_characters, limits.session_characters - state.characters)
    most = RULES if trigger == "recurring" else limits.at_once
    for note in worth:
        if len(chosen) == most:
            break
        if len(render.told(trigger, about, [*chosen, note])) <= room and not _opposed(note, look, limits):
            chosen.append(note)
    if not chosen:
        return SILENCE
    ids = tuple(note.id for note in chosen)
    return Reply(render.told(trigger, about, chosen), ids=ids, trigger=trigger, why=why)


def _worth(notes: Sequence[Note], state: State, setting: Setting) -> list[Note]:
    """Return the notes that may be said now, in order, each once."""
    threshold = setting.limits.threshold
    kept: dict[str, Note] = {}
    for note in notes:
        if note.id in state.said or note.stale:
            continue
        if (note.branch and note.branch != setting.branch) or not _tells(note.content):
            continue
        sure = note.confidence >= threshold and setting.faded(note) >= threshold * FADED
        if note.pinned or note.verified or sure:
            kept.setdefault(note.id, note)
    return agreeing(list(kept.values()))


def _tells(content: str) -> bool:
    if " " in content and "[REDACTED:" not in content:
        return True
    from remora.core.statement import tells  # its words cost some milliseconds to load

    return tells(content)


def agreeing(notes: list[Note]) -> list[Note]:
    """Return the notes without those that another one contradicts, which is vouched for as well as they are.

    Of two that contradict each other what a person holds to stays before what a session showed, and that
    before what comes from outside. Of two that the user said the later one stays. Where neither is better,
    nobody knows which is right, and both go.
    """
    if all(map(_seen, notes)) or not any(
        _alike(one.content, other.content, LOOSELY / 2) for one, other in combinations(notes, 2)
    ):
        return notes
    from remora.injection.contradiction import contradictions  # its words cost some milliseconds to load

    wrong: set[str] = set()
    for pair in contradictions([note.content for note in notes]):
        one, other = (notes[place] for place in pair)
        if _seen(one) and _seen(other):
            continue
        if _outweighs(other, one):
            wrong.add(one.id)
        if _outweighs(one, other):
            wrong.add(other.id)
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
        and _alike(note.content, other.content)
        and _outweighs(other, note)
    ]
    if not rivals:
        return False
    from remora.injection.contradiction import contradictions

    texts = [note.content, *(other.content for other in rivals)]
    return any(0 in pair for pair in contradictions(texts, SAME_STATEMENT))


def _alike(one: str, other: str, share: float = LOOSELY) -> bool:
    """Return whether two texts share so many long words that it is worth to look closer."""
    mine, theirs = set(_LONG.findall(one.lower())), set(_LONG.findall(other.lower()))
    return len(mine & theirs) >= share * len(mine | theirs)


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


def _words(command: str) -> list[str]:
    """Return the words of a command line, each once, without quotes and what joins commands."""
    return list(dict.fromkeys(w for w in re.split(r"[\s;|&()\"'`]+", command[:4_000]) if w))
