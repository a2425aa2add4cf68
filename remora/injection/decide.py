"""The decision whether memories are injected at a moment (a hook event), and by which trigger.

Evidence from others: recall on every prompt makes coding agents worse, the same fact at the moment of the
matching action cuts repeated failures by a third (docs/injection.md). So the default is silence, and each
trigger below is an action of the agent at this moment:

    rule        a command or an edit that a rule forbids, or before which a rule requires another step
    gotchas     the agent reads or changes a file that a memory is bound to
    undoing     an edit removes the names of a fix, or adds those of a reverted change
    named       an edit contains a name in code that a memory is about
    command     a command that failed before for a reason in the command itself
    error       a tool call failed with an error that was met and resolved before
    partners    the agent changes a file that usually changes together with another one, untouched so far, by
                earlier sessions or else by the commit history
    search      a search whose answer is known
    recorded    the agent, or another one of the session, recorded something since

The first trigger with a result is the only one at a moment. A memory is shown to an agent once in a session,
but a rule also at the action if only the brief showed it. There is a limit for each moment and for the whole
session; memories that lack evidence (`remora/core/evidence.py`), are out of date, belong to another branch or
are contradicted by another candidate are not shown. Nothing here writes. Patterns are compiled at their first
use: most moments need none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from remora.core import edit_match, moments, triggers
from remora.core.evidence import QUIET, SESSIONS, STATED, decayed
from remora.core.moments import SILENCE, Moment, Reply
from remora.core.rule_names import shown_by
from remora.core.stems import stem
from remora.injection import render
from remora.injection.state import State, ending
from remora.store.hook_reader import Note

if TYPE_CHECKING:
    from remora.store.hook_reader import HookReader

WARNINGS = ("gotcha", "error_pattern", "dead_end")
# Types that are shown when their file is changed; warnings also when it is read.
SAID_AT_FILES = (*WARNINGS, "requirement", "decision", "preference", "pattern", "module_insight")
EDITS = ("edit", "write")
MOST_TERMS = 400  # identifiers of one edit that are looked up
RECENT_SEARCHES = 3
MOST_OUTPUT = 6_000  # characters of a failed command's output, from its end
SAME_RULE = 0.5  # share of the shorter one's words from which on two rules at one action are the same
SEEN = ("error_pattern", "observer_inferred")
RULES = ("preference", "requirement", "decision")
LOOSELY = 0.4  # share of the long words; to select content words would take milliseconds to load
# Limits of file pairs in the commit history. Predicting each commit from those before it, a named partner is
# in the same commit .83 of the time on pallets/click, .73 on pytest and .68 on entireio/cli; without TIED,
# which drops pairs that only large commits bring together, .70, .60 and .60.
TOGETHER, SHARE, LIFT, TIED = 4, 0.7, 1.8, 0.125
FADED = 0.3  # confidence below which a memory is out of date


class Limits(NamedTuple):
    """The limits of injections. Section 9 of the specification gives the threshold and the skipped steps.

    Attributes:
        threshold: the setting `inject.threshold`; 0: the level of trust decides.
        at_once: memories at one moment.
        moment_characters: characters of an injection.
        times: injections in a session.
        session_characters: characters of all injections in a session.
        skip_steps: steps of a session before any injection between steps.
        held_back: injections in a thousand that the trial holds back.
        notice: whether the person sees a notice of an injection; 0 or 1.
    """

    threshold: float = 0.0
    at_once: int = 3
    moment_characters: int = 2_000
    times: int = 40
    session_characters: int = 16_000
    skip_steps: int = 5
    held_back: int = 100
    notice: int = 1


class Setting(NamedTuple):
    """The context of a decision besides the moment and the store.

    Attributes:
        limits: the limits of injections.
        threshold: returns the confidence that a memory needs, besides evidence, to be injected.
        relative: maps a path of the host to one from the root of the project; empty if it lies outside.
        within: whether a folder of the host, absolute or from the moment's own, belongs to the project.
        now: seconds since the epoch.
        branch: the branch that is checked out; empty if unknown.
        fingerprint: maps an error's text to its fingerprint; only called if a tool failed.
        goes_without_saying: whether the coupling of the second file to the first need not be reported.
        early: the host accepts text before a tool is used; otherwise the injection for an edit or a command
            comes right after it.
        there: whether a file exists, relative to the root; another branch may have no such file.
        most: draws for the trial how many of the memories within `limits` are shown; 0: all.
    """

    limits: Limits
    threshold: Callable[[], float]
    relative: Callable[[str], str]
    within: Callable[[str], bool]
    now: float
    branch: str
    fingerprint: Callable[[str], str]
    goes_without_saying: Callable[[str, str], bool]
    early: bool = True
    there: Callable[[str], bool] = lambda _: True
    most: Callable[[], int] = lambda: 0


def decide(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    """Return the reply at a moment; mostly an empty one."""
    limits = setting.limits
    if state.spoken >= limits.times or state.characters >= limits.session_characters:
        return SILENCE
    for trigger in _TRIGGERS.get(_stage(moment, setting), ()):
        found = trigger(moment, state, look, setting)
        if found.text:
            return found
    return SILENCE


def _stage(moment: Moment, setting: Setting) -> str:
    """Return the key of a moment in _TRIGGERS: "edit", "run", "read", "search", "failed", "step" or ""."""
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


def _forbidden(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    """Return the rules that an edit breaks, or that require another change beside it."""
    for path in _inside(moment.paths, setting):
        edit = edit_match.read_edit(path, moment.changed, moment.removed)
        found = look.triggered(edit.keys)
        fires = [
            note
            for note in found
            if note.trigger and edit_match.writes(edit, note.trigger, branch=setting.branch)
        ]
        # A host shows its own rule files; rules from them are repeated only where the edit breaks them.
        fires = [
            n for n in fires if n.trigger and (edit_match.is_breach(n.trigger) or not _shown(n, moment.host))
        ]
        said = _say("rule", path, fires, f"the edit of {path}", state, look, setting)
        if said.text:
            return said
    return SILENCE


def _ruled(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    """Return the rules that forbid a command, or that require another step before it."""
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


def _gotchas(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
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
        vouched = [_unconfirmed(note, setting) if note.taken_out else note for note in vouched]
        return _say(
            "undoing", paths[0], vouched, f"the edit of {paths[0]} takes it back", state, look, setting
        )
    edit = edit_match.read_edit(paths[0], moment.changed, moment.removed)
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
    """Return whether an edit removes the names of a fix, or brings back a reverted change."""
    texts = (note.content.partition(". ")[0], moment.removed, moment.changed)
    stated, gone, new = (set(re.findall(r"(?<![\w/])[A-Za-z_][\w.]{3,}", text)) for text in texts)
    names = set(filter(_marked, stated))
    if note.type != "dead_end":
        return not names.isdisjoint(gone - new)
    edit = edit_match.read_edit(moment.paths[0], moment.changed, moment.removed)
    return edit_match.brings_back(note.taken_out, edit) or not names.isdisjoint(new - gone)


def _marked(name: str) -> bool:
    return "_" in name or "." in name.strip(".") or any(c.isupper() for c in name[1:])


def _shown(note: Note, host: str) -> bool:
    return bool(note.path) and shown_by(host, (note.path,), note.tags)


def _partners(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
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


def _committed(
    paths: list[str], touched: set[str], state: State, look: HookReader, setting: Setting
) -> Reply:
    """Return the files that commits change together with a changed one; once a session for each."""
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


def _command(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    if not moment.command.strip() or not _at_home(moment, setting):
        return SILENCE
    from remora.shell.lines import wholes_in  # patterns that cost a millisecond to load
    from remora.shell.trigger_match import asks, read_line

    whole = wholes_in(moment.command)
    words = chain.from_iterable(read_line(moment.command).commands)
    keys = [(triggers.COMMAND, key) for key in dict.fromkeys((*words, *whole))]
    found: list[Note] = []
    for note in look.triggered(keys):
        if (one := note.trigger) is None:
            continue
        if one.needs and asks(moment.command, (one.key, *one.needs)):
            found.append(note)
        elif not one.needs and one.key in whole:  # the same command, not only its words
            found.append(_unconfirmed(note, setting))
    return _say("command", moment.command[:80], found, "the command is about to be run", state, look, setting)


def _error(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    if not moment.text or not _at_home(moment, setting):
        return SILENCE
    mark = setting.fingerprint(moment.text)
    words = set(re.findall(r"[^\W_][\w.-]*\w|-\w[\w-]+|\w\d\w*", moment.text[-MOST_OUTPUT:].lower()))
    keys = [(triggers.OUTPUT, word) for word in words]
    found = look.triggered([*([(triggers.ERROR, mark)] if mark else []), *keys])
    same = [
        n
        for n in found
        if n.trigger and (n.trigger.kind == triggers.ERROR or words.issuperset(n.trigger.needs))
    ]
    marked = [_unconfirmed(note, setting) for note in same]
    return _say("error", mark, marked, "the same error", state, look, setting)


def _search(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    pattern = moment.pattern.strip().lower()
    if not pattern or not all(map(setting.within, ("", moment.place, *moment.paths))):
        return SILENCE
    from remora.core.names import SPOKEN_OF, phrases, searched  # patterns that only searches need

    found = look.triggered([(triggers.SEARCH, key) for key in searched(moment.pattern)])
    same = [note for note in found if note.trigger and note.trigger.key == pattern]
    first = found[0].trigger if found else None
    if first is not None:
        why = "the same search" if same else f"a search for {first.key}"
        return _say("search", pattern, same or found, why, state, look, setting)
    for phrase in phrases(moment.pattern):
        spoken = [
            note
            for note in look.saying(phrase, SPOKEN_OF)
            if note.type in SAID_AT_FILES and not note.path and note.source != "commit_auto"
        ]
        said = _say("search", pattern, spoken, f"a search for {phrase}", state, look, setting)
        if said.text:
            return said
    return SILENCE


def _between(moment: Moment, state: State, look: HookReader, setting: Setting) -> Reply:
    """Return the result of the triggers between two steps (section 9), in its order."""
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


_Trigger: TypeAlias = "Callable[[Moment, State, HookReader, Setting], Reply]"
_TRIGGERS: dict[str, tuple[_Trigger, ...]] = {
    "edit": (_forbidden, _gotchas, _partners),
    "run": (_ruled, _command),
    "read": (_gotchas,),
    "search": (_search,),
    "failed": (_error,),
    "step": (_between,),
}


# Selection of notes


def _say(
    trigger: str,
    about: str,
    notes: Sequence[Note],
    why: str,
    state: State,
    look: HookReader,
    setting: Setting,
) -> Reply:
    worth = _helpful(trigger, _worth(notes, state, setting, at_the_act=trigger == "rule"), look)
    limits = setting.limits
    chosen: list[Note] = []
    room = min(limits.moment_characters, limits.session_characters - state.characters)
    for note in worth:
        if len(chosen) == limits.at_once:
            break
        if trigger == "rule" and any(_one_rule(note, said) for said in chosen):
            continue
        if len(render.told(trigger, about, [*chosen, note])) <= room:
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


def _helpful(trigger: str, notes: list[Note], look: HookReader) -> list[Note]:
    """Return the notes by their effect at a trigger, the most helpful first, without those that do not help.

    A person's own words, and notes that a person confirmed, are never left out for that.
    """
    known = look.effects(trigger) if notes else {}
    if not known:
        return notes
    kept = [n for n in notes if known.get(n.id, 1.0) > QUIET or _is_own(n)]
    return sorted(kept, key=lambda note: -known.get(note.id, 1.0))


def _is_own(note: Note) -> bool:
    return note.pinned or note.verified or note.source == "user_taught" or bool(note.path)


def _worth(notes: Sequence[Note], state: State, setting: Setting, *, at_the_act: bool = False) -> list[Note]:
    """Return the notes that may be shown now, in order, each once.

    With `at_the_act`, a note that only a brief showed is shown again.
    """
    told = state.advised if at_the_act else state.said
    kept: dict[str, Note] = {}
    for note in notes:
        if note.id in told or (note.branch and note.branch != setting.branch) or not _tells(note.content):
            continue
        # At its own moment, the file that a memory was read from is evidence enough.
        shown = note._replace(sessions=SESSIONS) if note.path else note
        if not why_silent(shown, setting.threshold, setting.now):
            kept.setdefault(note.id, note)
    return agreeing(list(kept.values()))


def why_silent(note: Note, threshold: Callable[[], float], now: float) -> str:
    """Return why a memory may not be shown without being asked for; empty if it may.

    Args:
        note: the memory.
        threshold: returns the confidence that a memory needs besides evidence.
        now: seconds since the epoch.
    """
    if note.stale:
        return "it is out of date"
    if note.pinned or note.verified:
        return ""
    if is_tainted_rule(note):
        return "it is an unverified rule from outside text"
    if not _is_sure(note, threshold):
        return f"it is not confirmed, and its confidence {note.confidence:.2f} is below {threshold():.2f}"
    stated = note.source in STATED or note.sessions >= SESSIONS
    if stated and not note.tainted and decayed(note.confidence, note.half_life, note.used, now) >= FADED:
        return ""
    return "it is not confirmed, and its evidence is too weak or too old"


def is_tainted_rule(note: Note) -> bool:
    """Return whether a memory is a rule and tainted; it is never shown unless a person confirms it."""
    return note.tainted and note.type in RULES


def _is_sure(note: Note, threshold: Callable[[], float]) -> bool:
    """Return whether a memory has the required confidence, or comes from a person or a rule file."""
    vouched = note.unconfirmed or bool(note.path) or note.source == "user_taught"
    return vouched or note.confidence >= threshold()


def _unconfirmed(note: Note, setting: Setting) -> Note:
    """Return a memory about a recurring failure, marked as unconfirmed if it lacks the confidence."""
    held = note.pinned or note.verified or note.tainted
    return note if held or _is_sure(note, setting.threshold) else note._replace(unconfirmed=True)


def _tells(content: str) -> bool:
    if " " in content and "[REDACTED:" not in content and content[-1] != ":":
        return True
    from remora.core.statement import tells  # its words cost some milliseconds to load

    return tells(content)


def agreeing(notes: list[Note]) -> list[Note]:
    """Return each text once, without those that another one of at least the same rank contradicts.

    A note that a person confirmed outweighs one from a session, and that one outweighs external text. Of two
    statements of the user the later one stays. If neither outweighs the other, both are left out, because
    the right one is unknown.
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


def _one_rule(one: Note, other: Note) -> bool:
    """Return whether two rules say the same: half of their words, and no two different required commands."""
    required, also = (
        {mark for mark in triggers.marked(note.trigger, triggers.WANTED) if mark[0] != "-"}
        if note.trigger
        else set()
        for note in (one, other)
    )
    if required and also and required != also:
        return False
    mine, theirs = (set(map(stem, re.findall(r"\w{3,}", note.content))) for note in (one, other))
    return len(mine & theirs) >= SAME_RULE * min(len(mine), len(theirs))


def _alike(one: str, other: str, share: float = LOOSELY) -> bool:
    """Return whether two texts share enough long words for a closer comparison."""
    mine, theirs = (set(re.findall(r"\w{4,}", text.lower())) for text in (one, other))
    return len(mine & theirs) >= share * len(mine | theirs)


def _seen(note: Note) -> bool:
    """Return whether a note is an error met in a session; two of them never contradict each other."""
    return (note.type, note.source) == SEEN


def _rank(note: Note) -> int:
    """Return the rank of a note: 2 if a person confirmed it, 0 if it is tainted, else 1."""
    if note.pinned or note.verified:
        return 2
    return 0 if note.tainted else 1


def _outweighs(other: Note, note: Note) -> bool:
    """Return whether a contradiction has at least the rank of a note; of two user statements, the later."""
    if _rank(other) != _rank(note):
        return _rank(other) > _rank(note)
    from remora.core.statement import said_on  # its words cost some milliseconds to load

    then, now = said_on(note.content), said_on(other.content)
    return not (then and now) or now >= then


def _at_home(moment: Moment, setting: Setting) -> bool:
    """Return whether a command runs in the project; its memories do not apply to other folders."""
    goes = re.match(r"\s*cd\s+(\"[^\"$`]+\"|'[^']+'|[^\s;|&\"'$`~]+)\s*(?:&&|;|\n)", moment.command)
    return setting.within(goes[1].strip("\"'") if goes else "")


def _inside(paths: Sequence[str], setting: Setting) -> list[str]:
    return [inside for path in paths if (inside := setting.relative(path))]


def _matching(patterns: Sequence[str], paths: Sequence[str]) -> list[str]:
    if not patterns:
        return []
    from remora.core.paths import matches

    return [pattern for pattern in patterns if any(matches(pattern, path) for path in paths)]


def _terms(text: str) -> list[str]:
    """Return the identifiers of an edit, each once; dotted ones in full and by their last part."""
    found: dict[str, None] = {}
    for term in re.findall(r"(?:[^\W\d]\w*\.)?[^\W\d]\w{2,}", text):
        found.setdefault(term)
        if "." in term:
            found.setdefault("." + term.rpartition(".")[2])
        if len(found) >= MOST_TERMS:
            break
    return list(found)
