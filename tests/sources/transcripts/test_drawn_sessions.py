"""Sessions, drawn in `corpora/*.txt`, and the events that each is read as.

A file has a line for each record: a function of `records.py`, or a kind of line, with its arguments, words or
JSON; what begins with `{` is a line as it is. `? path parts` reads a file, with the events below: fields that
are not told are empty, or as in the event before (`at`, `branch`, `session_id`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from remora.core.events import Event
from remora.sources.transcripts.reader import Reading, read
from tests.drawn_kit import worlds
from tests.sources.transcripts.records import (
    answers,
    asks,
    claude,
    codex,
    codex_calls,
    codex_gives,
    codex_says,
    put,
)

MADE: dict[str, Callable[..., dict[str, Any]]] = {
    "asks": asks,
    "answers": answers,
    "says": codex_says,
    "calls": codex_calls,
    "gives": codex_gives,
}
OF_CLAUDE = ("user", "assistant", "system")
GOES_ON = ("session_id", "at", "branch")


def values(text: str) -> Iterator[Any]:
    """Yield the words and JSON values of a line."""
    while text := text.strip():
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            value, end = text.split(maxsplit=1)[0], len(text.split(maxsplit=1)[0])
        yield value
        text = text[end:]


def record(line: str) -> dict[str, Any]:
    """Return the record that a line stands for."""
    if line.startswith("{"):
        return dict(json.loads(line))
    verb, *given = values(line)
    fields = given.pop() if given and isinstance(given[-1], dict) and verb not in ("calls", "gives") else {}
    if verb in MADE:
        return MADE[verb](*given, **fields)
    if verb == "attachment":
        return {
            name: value for name, value in claude(verb, given[0], None, **fields).items() if name != "message"
        }
    return claude(verb, *given, **fields) if verb in OF_CLAUDE else codex(verb, *given, **fields)


def shown(opened: Reading) -> Iterator[str]:
    """Yield a line for each event of a reading, and what it counted."""
    before = dict.fromkeys(GOES_ON)
    for event in opened:
        told = [event.kind, str(event.step), event.key]
        for name, value in event._asdict().items():
            usual = before[name] if name in before else Event._field_defaults.get(name)
            if name not in ("kind", "step", "key") and value != usual:
                told.append(f"{name}={json.dumps(value, ensure_ascii=False)}")
        before = {name: getattr(event, name) for name in GOES_ON}
        yield " ".join(told)
    yield from (f"skipped {kind}: {number}" for kind, number in sorted(opened.counts.skipped.items()))
    yield from [f"repeated: {opened.counts.repeated}"] if opened.counts.repeated else []


@worlds(__file__, "claude_code", "codex")
def test_a_session_is_read_as_these_events(
    tmp_path: Path, files: dict[str, str], asked: dict[str, str]
) -> None:
    """Each file gives exactly the events below it; files of one session are read with the same marks."""
    for name, text in files.items():
        put(tmp_path / name, [record(line) for line in text.splitlines() if line])
    seen: set[int] = set()
    for question, events in asked.items():
        path, *parts = (tmp_path / name for name in question.split())
        assert list(shown(read(path, parts=parts, seen=seen))) == events.splitlines()
