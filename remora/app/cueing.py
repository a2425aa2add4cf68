"""What a memory would be worth saying at: made from its text, and from what sessions showed of its error.

    error      the fingerprint of an error, said when a tool fails in the same way
    command    words of a command that failed for a reason in the command itself (a flag that there is not);
               the whole of one that failed again and again, until another or a variable helped
    term       names in code that a lesson speaks of, and calls that a linter's rule complained about
    language   rules that checks complained about before, said at the first change of such a file
    search     a pattern that leads nowhere

Names must tell: one that half of the code uses says nothing. All cues are made anew at once; a few
hundred memories take some milliseconds.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.shell import commands_in
from remora.core.values import Filters
from remora.injection.decide import WARNINGS
from remora.injection.state import ending
from remora.observer.slips import in_command
from remora.sources.rule_files import kind_of
from remora.store.cues import COMMAND, ERROR, LANGUAGE, SEARCH, TERM, Cue

if TYPE_CHECKING:
    from remora.app.wiring import Parts
    from remora.core.values import MemoryRecord
    from remora.store.space import Space

MOST = 5_000  # memories that are looked at, the surest first
METHOD = 3  # texts from which a method is meant, whatever it is called on
COMMON = 12  # files that use a name, from which on it tells nothing
TERMS = 12  # names of one memory, the most telling
SESSIONS = 2  # in which a command failed, before it is said of the whole of it
SAID = ("user_taught", "agent_explicit")  # whose commands are meant; what a commit says is what it changed
_SPAN = re.compile(r"`([^`\n]{2,160})`")
_NAME = re.compile(r"^[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\(\))?$")
_CALL = re.compile(r"\b([^\W\d]\w*\.[^\W\d]\w{2,})\b(?=\(|`| is | must|$|\s)")
_PLACE = re.compile(r"(?:^|\s|`)((?:[\w.-]+/)*[\w.-]+\.(\w{1,5})):\d+")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_SHELL = frozenset("cd pushd popd echo ls cat head tail grep rg find sed awk test true export source".split())


class Met(NamedTuple):
    """How sessions met one error: what was run, what it said, what lines were changed for it.

    `lines` are the commands that fail with it whenever they are run as they are, while others do not.
    """

    sessions: int
    commands: tuple[str, ...]
    messages: tuple[str, ...]
    before: tuple[str, ...]
    lines: tuple[str, ...] = ()


def refresh(parts: Parts) -> int:
    """Make the cues of the project's memories anew; returns how many there are."""
    space = parts.room("project").space
    records = space.memories.find(Filters(types=WARNINGS), order="confidence", limit=MOST)
    met = _met(space)
    cues = [cue for record in records for cue in cues_of(record, met.get(_key(record)), space)]
    with space.db.transaction(durable=False):
        return space.cues.replace(cues)


def take_in(space: Space, records: Sequence[MemoryRecord]) -> None:
    """Make the cues of memories that were just written; of most of them there are none to make."""
    warnings = [record for record in records if record.type in WARNINGS]
    if not warnings:
        return
    met = _met(space) if any(_key(record) for record in warnings) else {}
    cues = [cue for record in warnings for cue in cues_of(record, met.get(_key(record)), space)]
    with space.db.transaction(durable=False):
        space.cues.put([record.id for record in warnings], cues)


def cues_of(record: MemoryRecord, met: Met | None, space: Space) -> Iterator[Cue]:
    """Yield what one memory would be worth saying at."""
    signal = str((record.payload or {}).get("signal", ""))
    key = _key(record)
    told = (record.payload or {}).get("sessions")  # payloads are whatever somebody put there
    sessions = max(1, met.sessions if met else told if type(told) is int else 1)
    weight = float(sessions) * record.confidence
    if signal in ("glob_ignore", "repeated_grep") and key:
        yield Cue(SEARCH, key.strip().lower(), record.id, (), weight)
        return
    if signal == "error_retry" and key:
        yield Cue(ERROR, key, record.id, (), weight)
    if met:
        endings = _endings(met)
        for term, times in _calls(met).items():
            yield Cue(TERM, term, record.id, endings, weight + times)
        if _is_rule(record):
            for one in endings:
                yield Cue(LANGUAGE, one, record.id, (), weight)
    for line in met.lines if met else ():
        yield Cue(COMMAND, line, record.id, (), weight)
    for program, needs in () if _from_rules(record) else _commands(record, met):
        yield Cue(COMMAND, program, record.id, needs, weight)
    for name in _names(record, space):
        yield Cue(TERM, name, record.id, (), weight)


def _key(record: MemoryRecord) -> str:
    return str((record.payload or {}).get("key", ""))


def _from_rules(record: MemoryRecord) -> bool:
    """Return whether a rule file says it: the agent's host has read that already."""
    return any(origin.path and kind_of(origin.path) for origin in record.origins)


def _is_rule(record: MemoryRecord) -> bool:
    return record.content.startswith("Linter rule")


def _met(space: Space) -> dict[str, Met]:
    """Return how each error was met, by its fingerprint."""
    rows = space.observed.errors_met()
    grouped: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for fingerprint, command, message, detail in rows:
        grouped[fingerprint].append((command, message, detail))
    found = {}
    for fingerprint, own in grouped.items():
        before = [
            str(remedy[1])
            for _, _, detail in own
            for remedy in json.loads(detail).get("remedies", ())
            if len(remedy) > 1 and remedy[1]
        ]
        commands = tuple(dict.fromkeys(command for command, _, _ in own if command))
        found[fingerprint] = Met(len(own), commands, tuple(m for _, m, _ in own), tuple(before))
    for fingerprint, command, ways in space.observed.failing(SESSIONS):
        parts = commands_in(command)
        if len(parts) == 1 and any(map(in_command, ways)):
            known = found[fingerprint]
            found[fingerprint] = known._replace(lines=(*known.lines, *parts))
    return found


def _endings(met: Met) -> tuple[str, ...]:
    """Return the endings of the files that an error was reported in, the commonest first."""
    counted = Counter(ending(m[1]) for text in met.messages if (m := _PLACE.search(text)))
    return tuple(e for e, _ in counted.most_common(3) if e)


def _calls(met: Met) -> dict[str, int]:
    """Return the calls that an error was about, with how often."""
    counted: Counter[str] = Counter()
    for text in (*met.messages, *met.before):
        counted.update(set(_CALL.findall(text)))
    found: Counter[str] = Counter()
    for call, times in counted.items():
        head, _, last = call.rpartition(".")
        found[call] += times
        if times >= METHOD and head.islower():
            found["." + last] += times
    return dict(found.most_common(TERMS))


def _commands(record: MemoryRecord, met: Met | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a program, and the further words, of commands that a memory warns of."""
    if met:
        for command, message in zip(met.commands, met.messages, strict=False):
            wrong = [f for f in _FLAG.findall(message) if f in command.split()]
            words = [w for w in command.split() if not w.startswith("-")]
            if wrong and words and words[0] not in _SHELL:
                yield words[0], tuple(dict.fromkeys([*_verbs(words), *wrong[:2]]))
        return
    if record.source not in SAID:
        return
    for span in _SPAN.findall(record.content):
        words = span.split()
        if len(words) < 2 or words[0] in _SHELL or not re.fullmatch(r"[a-z][\w.+-]*", words[0]):
            continue
        flags = [w for w in words[1:] if w.startswith("-")]
        plain = [w for w in words if not w.startswith("-")]
        if plain[1:] or flags:
            yield plain[0], tuple(dict.fromkeys([*_verbs(plain), *flags[:2]]))


def _verbs(words: Sequence[str]) -> list[str]:
    """Return the words behind a program that say what it is to do."""
    found = []
    for word in words[1:3]:
        if not re.fullmatch(r"[a-z][\w:./-]*", word):
            break
        found.append(word)
    return found


def _names(record: MemoryRecord, space: Space) -> list[str]:
    """Return the names in code that a memory speaks of and few files use."""
    if _is_rule(record):
        return []
    spans = [span.removesuffix("()") for span in _SPAN.findall(record.content)]
    names = [n for n in dict.fromkeys(spans) if _NAME.match(n) and _tells(n)]
    return [name for name in names[:TERMS] if 0 < _files(space, name.rpartition(".")[2]) <= COMMON]


def _files(space: Space, name: str) -> int:
    """Return how many files use or define a name; past what is common it does not matter how many."""
    defined = {path for path, _ in space.graph.places(name, limit=COMMON + 1)}
    return max(space.graph.users_of_name(name), len(defined))


def _tells(name: str) -> bool:
    last = name.rpartition(".")[2]
    return len(last) > 5 and ("_" in last.strip("_") or last != last.lower())
