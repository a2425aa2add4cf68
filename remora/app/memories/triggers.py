"""Make the triggers of memories, from their texts and from the occurrences of their errors in sessions.

`remora/core/triggers.py` lists the kinds. A statement of a person, an agent or a rule file gets the triggers
of the actions that it forbids and wants, whatever its type (a rule file has fewer: `_of_prose`); a warning
gets those of its error and of the names in it. A name must be specific: one that many files use, or that many
memories name, is no trigger.
`refresh` makes all triggers anew; a few hundred memories take some milliseconds.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.directive import Directive, directive, rules_out, sentences
from remora.core.directive_words import clauses
from remora.core.evidence import STATED
from remora.core.names import SPOKEN_OF, names_in
from remora.core.pattern_triggers import pattern_triggers, patterns_of
from remora.core.programs import PROGRAMS
from remora.core.rule_names import shown_by
from remora.core.symptoms import quotes_output, symptoms
from remora.core.things import AMBIGUOUS, Thing
from remora.core.triggers import (
    COMMAND,
    ERROR,
    ONLY,
    OUTPUT,
    SEARCH,
    TERM,
    Trigger,
)
from remora.core.values import Filters
from remora.injection.brief import as_note
from remora.injection.decide import SAID_AT_FILES, WARNINGS, is_tainted_rule
from remora.observer.statements import CHOICE_WORDS, statements
from remora.shell.lines import programs_in, whole_of
from remora.shell.purposes import check_of, unwrapped

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject
    from remora.core.values import MemoryRecord
    from remora.store.database import Database

MOST = 5_000  # memories with triggers, highest confidence first
COMMON = 12  # most files that may use a specific name
NAMES = 12  # names of one memory
_VERB = 2  # words of a command that show what it does
SESSIONS = 2  # sessions in which a command failed, before the whole command is a trigger
AT_THEIR_MOMENT = ("error_retry", "glob_ignore", "repeated_grep")  # signals with triggers of their own
_SPAN = re.compile(r"`([^`\n]{2,160})`")
_ADVISED = re.compile(r"(?<!not )(?<!n't )(?<!never )\b(?:use|run|try|prefer|by|with)\s*$", re.IGNORECASE)
_NAME = re.compile(r"^[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\(\))?$")
_COMMAND = re.compile(r"(?P<program>[a-z][\w.+-]*)(?: [\w./:@=-]+){1,5}")
_FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
# The beginning of a sentence that prefers one thing to another.
_PREFERS = re.compile(r"\W*(?:(?:you|we)\s+)?(?:use|prefer)\b", re.IGNORECASE)
_SHELL = frozenset("cd pushd popd echo ls cat head tail grep rg find sed awk test true export source".split())


class Met(NamedTuple):
    """The occurrences of one error in sessions: their number, the commands and the messages.

    `lines` are the whole commands that always fail with it.
    """

    sessions: int
    commands: tuple[str, ...]
    messages: tuple[str, ...]
    lines: tuple[str, ...] = ()


def refresh(project: OpenProject) -> int:
    """Make the triggers of the project's memories anew; return their number."""
    db = project.db
    said = Filters(types=SAID_AT_FILES, branch="*")  # on its branch a memory has triggers, too
    records = db.memories.find(said, order="confidence", limit=MOST)
    named = [(record, _searched(record, db)) for record in records]
    spoken = Counter(name for _, names in named for name in names)
    found = _all_triggers(db, named, {name for name, times in spoken.items() if times > SPOKEN_OF})
    with db.connection.transaction(durable=False):
        return db.triggers.replace(found)


def take_in(db: Database, records: Sequence[MemoryRecord]) -> None:
    """Make the triggers of memories that were just written, and of those that share names with them."""
    found = {record.id: record for record in records if record.type in SAID_AT_FILES}
    named = [(record, _searched(record, db)) for record in found.values()]
    crowded = {
        name
        for name in {name for _, names in named for name in names}
        if db.fulltext.naming(name, SPOKEN_OF + 1) > SPOKEN_OF
    }
    beside = {one.memory_id for one in db.triggers.of_words(SEARCH, crowded)} - set(found)
    named += [(record, _searched(record, db)) for record in db.memories.get_many(beside).values()]
    triggers, ids = _all_triggers(db, named, crowded), [record.id for record, _ in named]
    if triggers or db.triggers.any_of(ids):
        with db.connection.transaction(durable=False):
            db.triggers.put(ids, triggers)


def _all_triggers(
    db: Database, named: Sequence[tuple[MemoryRecord, Sequence[str]]], crowded: Collection[str]
) -> list[Trigger]:
    """Return the triggers of memories with the names in each; crowded names are no triggers."""
    met = _met(db) if any(_key(record) for record, _ in named if record.type in WARNINGS) else {}
    found: list[Trigger] = []
    for record, names in named:
        own = met.get(_key(record))
        found += _triggers(record, own, db)
        found += [Trigger(SEARCH, n, record.id, (), _weight(record, own)) for n in names if n not in crowded]
    return found


def _triggers(record: MemoryRecord, met: Met | None, db: Database) -> Iterator[Trigger]:
    """Yield the triggers of a memory, except searches for its names."""
    signal, key, weight = _signal(record), _key(record), _weight(record, met)
    if signal in ("glob_ignore", "repeated_grep") and key:
        yield Trigger(SEARCH, key.strip().lower(), record.id, (), weight)
        return
    if signal == "error_retry" and key:
        yield Trigger(ERROR, key, record.id, (), weight)
    if met:
        for line in met.lines:
            yield Trigger(COMMAND, line, record.id, (), weight)
        for program, needs in _commands(met):
            yield Trigger(COMMAND, program, record.id, needs, weight)
    from_rules = _from_rules(record)
    told = record.source in STATED or from_rules
    given = list(pattern_triggers(record.triggers or {}, record.id, weight)) if told else []
    if given:
        yield from _in_place(record, given) if from_rules or _is_read(record) else given
    elif told:
        yield from _of_text(record, weight, db, met=bool(met), from_rules=from_rules)
    else:
        yield from _of_names(record, weight, db)
    is_error = record.type == "error_pattern"
    if record.source in STATED and not signal and (is_error or not from_rules):
        for words in symptoms(record.content, literal=not is_error):
            yield Trigger(OUTPUT, words[0], record.id, words[1:], weight)


def _of_text(
    record: MemoryRecord, weight: float, db: Database, *, met: bool, from_rules: bool
) -> Iterator[Trigger]:
    """Yield the triggers that the text of a statement has by itself."""
    asks = _with_replaced(directive(record.content), record, db)
    is_prose = from_rules or _is_read(record)
    found = [
        trigger
        for patterns in patterns_of(_of_prose(record.content, asks, db) if is_prose else asks)
        for trigger in pattern_triggers(patterns, record.id, weight)
    ]
    yield from _in_place(record, found) if is_prose else found
    if record.source in STATED and record.type in WARNINGS and not met and not from_rules:
        for program, needs in _warned_of(record.content):
            yield Trigger(COMMAND, program, record.id, needs, weight)
    if not asks.forbids and not from_rules:
        yield from _of_names(record, weight, db)


def _of_names(record: MemoryRecord, weight: float, db: Database) -> Iterator[Trigger]:
    """Yield the triggers of the code names in a memory."""
    for name in _names(record, db):
        yield Trigger(TERM, name, record.id, (), weight)


def _with_replaced(asks: Directive, record: MemoryRecord, db: Database) -> Directive:
    """Return a directive that also forbids the things that the superseded statement asked for."""
    old = [r.target_memory_id for r in record.relations if r.relation_type == "supersedes"]
    replaced = db.memories.get_many(filter(None, old)).values()
    former = [thing for one in replaced for thing in directive(one.content).wants]

    def is_named(thing: Thing) -> bool:  # what the new statement names is not simply gone
        name = re.escape(" ".join(thing.words[:_VERB]))
        return re.search(rf"(?<![\w-]){name}(?![\w-])", record.content, re.IGNORECASE) is not None

    gone = tuple(thing for thing in former if thing.kind != "words" and not is_named(thing))
    return asks._replace(forbids=(*asks.forbids, *gone))


def _is_read(record: MemoryRecord) -> bool:
    """Return whether a memory was read from a rule file, shown by a host or not."""
    return "rule" in record.tags and any(origin.path for origin in record.origins)


def _of_prose(text: str, asks: Directive, db: Database) -> Directive:
    """Return what counts of a rule file: paths, events, programs, and named code.

    Its prose shares words with most edits, and a host has usually shown it. So an edit counts only for what
    is marked as a name and ruled out by a short sentence.
    """
    told: list[str] = []
    for sentence in sentences(text):
        parts = clauses(sentence)
        if len(sentence.split()) > CHOICE_WORDS:
            told += [part for part in parts if len(part.split()) <= CHOICE_WORDS and rules_out(part)]
        elif any(rules_out(part) or _PREFERS.match(part) for part in parts) or statements(sentence):
            told.append(sentence)
    plainly = directive(". ".join(told)).forbids

    def counts(thing: Thing) -> bool:
        first = thing.words[0]
        if thing.kind == "path":
            return _is_place(first, text, db)
        if thing.kind == "words" or (thing.kind == "command" and (thing.words[1:] or first not in AMBIGUOUS)):
            return True
        return thing in plainly and _is_marked(thing, text)

    return asks.named._replace(
        forbids=tuple(filter(counts, asks.named.forbids)),
        about=tuple(path for path in asks.about if _is_place(path, text, db)),
    )


def _is_marked(thing: Thing, text: str) -> bool:
    """Return whether a text marks a thing as a name: by backticks, or by its own form.

    >>> text = "Avoid loops, `map` is there; no strLen"
    >>> [_is_marked(Thing("name", (one,)), text) for one in ("loops", "map", "strLen")]
    [False, True, True]
    """
    what = str(thing)
    by_form = re.search(r"[a-z\d][A-Z]|[_.:@()]|^-", what) is not None
    spans = (span.strip("().").lower() for span in _SPAN.findall(text))
    return by_form or thing.kind in ("code", "text") or what.lower() in spans


def _is_place(path: str, text: str, db: Database) -> bool:
    """Return whether a path is one: in backticks, a folder or a glob by its form, or one that git knows."""
    by_form = path.endswith("/") or path.startswith(".") or "*" in path
    marked = by_form or any(path in span for span in _SPAN.findall(text))
    return marked or db.history.had(path) or bool(db.history.named([path]))


def _in_place(record: MemoryRecord, found: Iterable[Trigger]) -> Iterator[Trigger]:
    """Yield the triggers of a rule file; if it is of a folder or globs, only those of edits there.

    The folder that a command works on is unknown.
    """
    places = tuple(ONLY + path for path in record.related_files if "*" in path)
    for trigger in found:
        if record.scope == "module" and places:
            yield trigger._replace(unless=(*trigger.unless, *places))
        else:
            yield trigger


def _searched(record: MemoryRecord, db: Database) -> list[str]:
    """Return the names in a memory, in lower case, that trigger it when they are searched for.

    Errors and commits are injected at their own moments, so they have none. Nor have rule files and tainted
    rules.
    """
    at_its_moment = record.source == "commit_auto" or _signal(record) in AT_THEIR_MOMENT
    if at_its_moment or _from_rules(record) or is_tainted_rule(as_note(record)):
        return []
    found: dict[str, None] = {}
    stems = {path.rpartition("/")[2].partition(".")[0] for path in record.related_files}
    for name, sure in names_in(record.content):
        files = _files(db, name.rpartition(".")[2])
        if files <= COMMON and (sure or files or name in stems):
            found.setdefault(name.lower())
    return list(found)[:NAMES]


def _key(record: MemoryRecord) -> str:
    return str((record.payload or {}).get("key", ""))


def _signal(record: MemoryRecord) -> str:
    return str((record.payload or {}).get("signal", ""))


def _weight(record: MemoryRecord, met: Met | None) -> float:
    told = (record.payload or {}).get("sessions")  # a payload may hold any value
    sessions = max(1, met.sessions if met else told if type(told) is int else 1)
    return float(sessions) * record.confidence


def _from_rules(record: MemoryRecord) -> bool:
    """Return whether a memory comes from a rule file: the agent's host has read that already."""
    return shown_by("", [origin.path for origin in record.origins if origin.path], record.tags)


def _met(db: Database) -> dict[str, Met]:
    """Return the occurrences of each error, by its fingerprint."""
    grouped: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for fingerprint, command, message in db.sessions.errors_met():
        grouped[fingerprint].append((command, message))
    found = {
        fingerprint: Met(len(own), tuple(c for c, _ in own), tuple(m for _, m in own))
        for fingerprint, own in grouped.items()
    }
    for fingerprint, command in db.sessions.failing(SESSIONS):
        if whole := whole_of(command):
            known = found[fingerprint]
            found[fingerprint] = known._replace(lines=(*known.lines, whole))
    return found


def _commands(met: Met) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the program and words of commands that failed because of one of their flags."""
    for command, message in zip(met.commands, met.messages, strict=False):
        for part in map(str.split, programs_in(command)):
            flags = [word.partition("=")[0] for word in part]
            wrong = [flag for flag in dict.fromkeys(_FLAG.findall(message)) if flag in flags][:2]
            if wrong and (asked := _asked(part, wrong)) and asked[0] not in _SHELL:
                behind = ["--"] if "--" in flags[: flags.index(wrong[0])] else []
                yield asked[0], (*asked[1:], *behind, *wrong)


def _warned_of(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the commands that a warning begins with or has in backticks, except those that it advises."""
    told = [(one[1], _VERB) for one in _SPAN.finditer(text) if not _ADVISED.search(text[: one.start()])]
    begins = _COMMAND.match(text)
    # What quotes an output is shown when that occurs.
    if begins and begins["program"] in PROGRAMS and not quotes_output(text):
        told.append((begins[0], 1))  # prose follows the first verb
    for said, verbs in told:
        command = _COMMAND.match(said)
        if command and command["program"] not in _SHELL:
            words = said.split()
            flags = [word for word in words if word[0] == "-"]
            plain = [word for word in words if word[0] != "-"]
            if needs := (*_verbs(plain)[:verbs], *flags[:2]):
                yield plain[0], needs


def _asked(words: Sequence[str], wrong: Collection[str]) -> list[str]:
    """Return the program that rejected some flags, with its subcommands, without their arguments.

    >>> lines = ("uv run pytest tests --x a", "gh pr diff 3 --x", "uv run --x a")
    >>> [_asked(line.split(), ["--x"]) for line in lines]
    [['pytest'], ['gh', 'pr', 'diff'], ['uv', 'run']]
    """
    run = words[-len(unwrapped(tuple(words))) :]
    words = run if any(word.partition("=")[0] in wrong for word in run) else words
    plain = [
        word
        for before, word in zip(("", *words), words, strict=False)
        if word[:1] != "-" and before not in wrong
    ]
    asked = [*plain[:1], *_verbs(plain)]
    while len(asked) > 1 and (purpose := check_of(tuple(asked))) and check_of(tuple(asked[:-1])) == purpose:
        asked.pop()
    return asked


def _verbs(words: Sequence[str]) -> list[str]:
    """Return the subcommands after a program's name."""
    found = []
    for word in words[1:3]:
        if not re.fullmatch(r"[a-z][\w:./-]*", word):
            break
        found.append(word)
    return found


def _names(record: MemoryRecord, db: Database) -> list[str]:
    """Return the code names in a memory that few files use."""
    spans = [span.removesuffix("()") for span in _SPAN.findall(record.content)]
    written = [name for name, sure in names_in(record.content) if sure]
    names = [n for n in dict.fromkeys((*spans, *written)) if _NAME.match(n) and _tells(n)]
    return [name for name in names[:NAMES] if 0 < _files(db, name.rpartition(".")[2]) <= COMMON]


def _files(db: Database, name: str) -> int:
    """Return the number of files that use or define a name, exact up to COMMON."""
    defined = {path for path, _ in db.graph.places(name, limit=COMMON + 1)}
    return max(db.graph.users_of_name(name), len(defined))


def _tells(name: str) -> bool:
    last = name.rpartition(".")[2]
    return len(last) > 5 and ("_" in last.strip("_") or last != last.lower())
