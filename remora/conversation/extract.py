"""Make a summary without a model: requests, decisions and names, selected by rules within a limit.

    Extract of 48 messages, made without a model.
    Asked:
    - Add refresh tokens to the API.
    - Now write the tests.
    Rules and preferences:
    - Never store tokens in plain text.
    Files: auth/tokens.py, tests/test_tokens.py
    Tools: read_file ×9, bash ×4
    Last answer:
    - All 14 tests pass.

The earlier summary is parsed into the same sections and its items precede the new ones, so a conversation
that is compacted repeatedly has one flat extract. Prose written by a model goes into the section "Earlier".
Every section has a share of the room, and the rest is distributed again in the order of the sections. In a
full section the first item stays if the section states the task or its rules, then the newest items are kept;
the middle is dropped first.

Tool results are never read: they may be anybody's text, and a summary speaks with the voice of the system.
The extract depends on the messages alone, so the same messages give the same extract.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from remora.conversation import cue_words
from remora.conversation.calls import is_result, pair
from remora.conversation.mentions import commands_in, files_in, in_arguments
from remora.conversation.sentences import sentences, shorten_to_sentence
from remora.core.fences import without_code
from remora.core.text import clean, collapse, shorten
from remora.core.tokens import scripts
from remora.core.values import Message

READ = 20_000  # characters looked at of one message
REQUEST, SENTENCE, ANSWER, PARAGRAPH = 200, 160, 300, 300  # characters of one item
TOOLS = 12  # names in the list of tools, the most used first
RECENT = 3  # answers in which open work is looked for
LEAST_SENTENCE = 8  # characters (half of that in scripts with a sign a word); less says nothing by itself

ASKED, RULES, DECIDED = "Asked", "Rules and preferences", "Decided"
ERRORS, OPEN, LAST = "Errors and fixes", "Open", "Last answer"
FILES, COMMANDS, TOOLS_USED, EARLIER = "Files", "Commands", "Tools", "Earlier"

_HEAD = re.compile(r"Extract of (\d{1,9}) messages?, made without a model\.")
_LABEL = re.compile(r"([A-Z][a-z ]+):(?: (.+))?")
_COUNTED = re.compile(r"(.+) ×(\d{1,9})")
_BULLET = re.compile(r"^(?:[-*•>#]+\s+)+")
_ASSISTANTS = frozenset({"assistant", "ai", "model", "bot", "agent"})
_USERS = frozenset({"user", "human"})
_SILENT = frozenset({"system", "developer"})


class Section(NamedTuple):
    """A section of an extract. `share` is of the whole room; `first` means that the first item stays."""

    label: str
    share: float
    first: bool = False
    in_line: bool = False


SECTIONS = (
    Section(ASKED, 0.22, first=True),
    Section(RULES, 0.12, first=True),
    Section(DECIDED, 0.14, first=True),
    Section(ERRORS, 0.10),
    Section(EARLIER, 0.12, first=True),
    Section(LAST, 0.08),
    Section(OPEN, 0.06),
    Section(FILES, 0.06, in_line=True),
    Section(COMMANDS, 0.05),
    Section(TOOLS_USED, 0.03, in_line=True),
)
_IN_LINE = {section.label for section in SECTIONS if section.in_line}
_ORDER = (EARLIER, *(section.label for section in SECTIONS if section.label != EARLIER))


class Facts:
    """The items of an extract by section, oldest first, each once."""

    def __init__(self) -> None:
        self.messages = 0
        self.tools: dict[str, int] = {}
        self._items: dict[str, dict[str, str]] = {section.label: {} for section in SECTIONS}

    def add(self, label: str, text: str, limit: int = SENTENCE) -> None:
        """Add an item, cut to `limit` characters; an existing one moves to the end, if allowed."""
        item = shorten(clean(text), limit)
        if not item:
            return
        items, key = self._items[label], item.casefold()
        if label not in (ASKED, RULES, DECIDED, EARLIER):
            items.pop(key, None)
        items.setdefault(key, item)

    def replace(self, label: str, text: str, limit: int) -> None:
        """Make a text the only item of a section."""
        self._items[label].clear()
        self.add(label, text, limit)

    def used(self, tool: str, times: int = 1) -> None:
        """Count a tool."""
        name = shorten(clean(tool).replace(",", " ").replace("×", "x"), 40)
        if name:
            self.tools[name] = self.tools.get(name, 0) + times

    def items(self, label: str) -> list[str]:
        """Return the items of a section, oldest first; tools by use, the least used first."""
        if label == TOOLS_USED:
            most = sorted(self.tools.items(), key=lambda tool: (-tool[1], tool[0]))[:TOOLS]
            return [f"{name} ×{times}" for name, times in reversed(most)]
        return list(self._items[label].values())


def extract(messages: Sequence[Message], previous: str, limit: int) -> str:
    """Return a summary of messages, made by rules, at most `limit` characters long and never blank.

    Args:
        messages: to be summarised; tool results are left out.
        previous: the earlier summary, to be merged; may be empty.
        limit: in characters.
    """
    facts = Facts()
    _read_previous(facts, previous)
    facts.messages += len(messages)
    _read_messages(facts, messages)
    return _render(facts, limit)


# What the earlier summary says


def _read_previous(facts: Facts, previous: str) -> None:
    label = EARLIER
    for raw in clean(previous).split("\n"):
        line = raw.strip()
        head, heading = _HEAD.fullmatch(line), _LABEL.fullmatch(line)
        if head:
            facts.messages += int(head[1])
            label = EARLIER
        elif heading and heading[1] in _ORDER:
            label = heading[1]
            if heading[2]:
                _read_item(facts, label, heading[2])
                label = EARLIER if label in _IN_LINE else label
        elif line.startswith("- "):
            _read_item(facts, label, line[2:])
        elif line:
            label = EARLIER
            _read_item(facts, label, line)


def _read_item(facts: Facts, label: str, text: str) -> None:
    counted = [_COUNTED.fullmatch(part) for part in text.split(", ")]
    if label == TOOLS_USED and all(counted):
        for name, times in (match.groups() for match in counted if match):
            facts.used(name, int(times))
    elif label == FILES and (names := files_in(text)) == text.split(", "):
        for name in names:
            facts.add(FILES, name)
    elif label in _IN_LINE:  # a model's words that look like ours
        facts.add(EARLIER, f"{label}: {text}", PARAGRAPH)
    elif label == EARLIER and len(text) > PARAGRAPH:
        for sentence in sentences(text):
            facts.add(EARLIER, sentence, PARAGRAPH)
    elif label == EARLIER:
        facts.add(EARLIER, _BULLET.sub("", text), PARAGRAPH)
    else:
        facts.add(label, text, {ASKED: REQUEST, LAST: ANSWER}.get(label, SENTENCE))


# What was said


def _read_messages(facts: Facts, messages: Sequence[Message]) -> None:
    spoken = [m for m in messages if not is_result(m) and m.role.lower() not in _SILENT]
    answered = pair(messages)
    for at, message in enumerate(messages):
        if is_result(message) and at not in answered:  # its call left the context earlier
            facts.used(message.tool_name or "")
    asked = [m for m in spoken if not _is_assistant(m) and m.content.strip()]
    telling = [m for m in asked if not cue_words.is_assent(m.content)] or asked
    for message in telling:
        facts.add(ASKED, _request(message), REQUEST)
    for message in spoken:
        _read_sentences(facts, message)
        _read_names(facts, message)
    answers = [m for m in spoken if _is_assistant(m) and m.content.strip()]
    if answers:
        last = collapse(without_code(answers[-1].content[:READ])) or collapse(answers[-1].content[:READ])
        facts.replace(LAST, shorten_to_sentence(last, ANSWER), ANSWER)
    for sentence in _open(spoken, answers):
        facts.add(OPEN, sentence)


def _is_assistant(message: Message) -> bool:
    return message.role.lower() in _ASSISTANTS


def _request(message: Message) -> str:
    text = message.content[:READ]
    said = collapse(without_code(text)) or collapse(text)
    return said if message.role.lower() in _USERS else f"{message.role}: {said}"


def _read_sentences(facts: Facts, message: Message) -> None:
    text = without_code(message.content[:READ])
    if clean(text) == text and not cue_words.ANY.search(collapse(text)):
        return  # no sentence of it can have one
    for sentence in _telling(message):
        if cue_words.is_question(sentence):
            continue
        if not _is_assistant(message) and cue_words.RULE.search(sentence):
            facts.add(RULES, sentence)
        if cue_words.DECISION.search(sentence):
            facts.add(DECIDED, sentence)
        elif cue_words.TROUBLE.search(sentence) or cue_words.FIX.search(sentence):
            facts.add(ERRORS, sentence)


def _telling(message: Message) -> Iterator[str]:
    """Yield the sentences that are informative alone: not too short, and no announcements."""
    for sentence in sentences(without_code(message.content[:READ])):
        long_enough = len(sentence) >= LEAST_SENTENCE or scripts(sentence) >= LEAST_SENTENCE // 2
        if long_enough and not sentence.endswith((":", "：")):
            yield sentence


def _read_names(facts: Facts, message: Message) -> None:
    text = message.content[:READ]
    for name in files_in(without_code(text)):
        facts.add(FILES, name)
    for command in commands_in(text):
        facts.add(COMMANDS, command)
    for call in message.tool_calls:
        facts.used(call.name)
        files, commands = in_arguments(call.arguments)
        for name in files:
            facts.add(FILES, name)
        for command in commands:
            facts.add(COMMANDS, command)


def _open(spoken: Sequence[Message], answers: Sequence[Message]) -> Iterator[str]:
    """Yield unfinished items: work named in the last answers, and unanswered questions."""
    for answer in answers[-RECENT:]:
        yield from (s for s in _telling(answer) if cue_words.OPEN.search(s) and not cue_words.is_question(s))
    said = [m for m in spoken if m.content.strip()]
    if said:
        yield from (s for s in _telling(said[-1]) if cue_words.is_question(s))


# The page


def _render(facts: Facts, limit: int) -> str:
    count = min(facts.messages, 999_999_999)
    head = f"Extract of {count} message{'' if count == 1 else 's'}, made without a model."
    if len(head) >= limit:
        return head[: max(1, limit)]
    chosen = _choose(facts, limit - len(head))
    lines = [head]
    for label in _ORDER:
        items = [item for at, item in enumerate(facts.items(label)) if at in chosen[label]]
        if items and label in _IN_LINE:
            lines.append(f"{label}: {', '.join(reversed(items) if label == TOOLS_USED else items)}")
        elif items:
            lines += [f"{label}:", *(f"- {item}" for item in items)]
    return "\n".join(lines)


def _choose(facts: Facts, room: int) -> dict[str, set[int]]:
    """Return for each section the positions of the items that fit into a number of characters."""
    chosen: dict[str, set[int]] = {section.label: set() for section in SECTIONS}
    left = room
    for shared in (True, False):
        for section in SECTIONS:
            label, items = section.label, facts.items(section.label)
            budget = min(left, int(room * section.share)) if shared else left
            for at in _preferred(len(items), section):
                cost = len(items[at]) + 3 + (0 if chosen[label] else len(label) + 2)
                # The very first request says what the whole conversation is about: it needs no share.
                allowed = left if label == ASKED and at == 0 else budget
                if at not in chosen[label] and cost <= allowed:
                    chosen[label].add(at)
                    left -= cost
                    budget -= cost
    return chosen


def _preferred(count: int, section: Section) -> Iterable[int]:
    """Return the positions of a section's items by priority."""
    if section.label == EARLIER:
        return range(count)
    newest_first = range(count - 1, -1, -1)
    return (0, *newest_first[:-1]) if section.first and count else newest_first
