"""Read Aider's sessions: `.aider.chat.history.md` in the project, Markdown to which each run appends.

The format is derived from the source of version 0.86.3 and from the history among its tests. Aider ends each
line of a prompt (`#### `) and of its own output (`> `) with two spaces, unlike headings and quotations in a
reply. A reply may do so too, so a prompt counts only at the beginning or after output that ends a reply:
its tokens, its edits or its interruption. The only time is the start, which is local, and there are no ids:
keys are derived from the words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from remora.core.clock import to_iso
from remora.sources.transcripts.hosts.values import Keys, blocks_in, data_of
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.turns import Called, Interrupted, Prompt, Reply, Returned, Session, Turn

HOST = "aider"
ACTIONS: Mapping[str, str] = {"edit block": "edit", "new file": "write", "shell command": "run"}
FILE = ".aider.chat.history.md"
_STARTED = re.compile(rb"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t\r]*\n", re.MULTILINE)
_APPLIED = re.compile(r"Applied edit to (.{1,4096})")
_RUNNING = re.compile(r"Running (.{1,4000})")
_COMMAND = re.compile(r"([/!])(\w*)\s*(.*)", re.DOTALL)
_ASKING = ("ask", "code", "architect", "help", "context", "chat-mode")  # commands that carry a prompt
_OF_LINTER = "# Fix any errors below, if possible."
# Output of Aider at the end of a reply.
_ENDED = re.compile(r"(?:Tokens: [\d.,]+[kM]? sent, |Applied edit to |\^C KeyboardInterrupt)")
_FENCE = re.compile(r"\s*(?:`{3,}|<source>|<code>|<pre>)")


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the history of each of the project's folders."""
    yield from (path for folder in folders if (path := Path(folder) / FILE).is_file())


def sessions(path: Path) -> Iterator[Session]:
    """Yield the runs in a history with at least one prompt; a stamp begins with the offset of a run."""
    if path.name != FILE:
        return
    for run in _runs(path):
        if any(kind == "prompt" for kind, _ in _parts(_rows(run.data))):
            stamp = f"{run.start} {hashlib.sha256(run.data).hexdigest()[:16]}"
            yield Session(run.id, str(path.parent), run.started, stamp=stamp, size=len(run.data))


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a run."""
    data = data_of(path, session.size, start=int(session.stamp.partition(" ")[0]))
    yield from _turns(_rows(data), Keys(session.id), counts)


class _Run(NamedTuple):
    id: str
    started: str
    start: int  # in bytes
    data: bytes


def _runs(path: Path) -> Iterator[_Run]:
    """Yield the runs in a history; a second one within the same second gets a number."""
    data = data_of(path)
    begun = list(_STARTED.finditer(data, 0, data.rfind(b"\n") + 1))
    ends = [*(found.start() for found in begun[1:]), data.rfind(b"\n") + 1]
    last, same = "", 1
    for found, end in zip(begun, ends, strict=False):
        started = found[1].decode()
        same = same + 1 if started == last else 1
        name = f"aider-{started.replace(' ', 'T')}"
        yield _Run(
            name if same == 1 else f"{name}.{same}", _instant(started), found.end(), data[found.end() : end]
        )
        last = started


def _rows(data: bytes) -> list[str]:
    return [row.rstrip("\r") + "\n" for row in data.decode("utf-8", "replace").split("\n")[:-1]]


def _instant(local: str) -> str:
    try:
        return to_iso(datetime.fromisoformat(local).timestamp())
    except (ValueError, OverflowError, OSError):
        return ""


def _parts(told: list[str]) -> Iterator[tuple[str, str]]:
    """Yield prompts, output and replies in order, with their texts."""
    kind, texts, replied = "", list[str](), False
    for line in told:
        marked = line.endswith("  \n")
        now = "prompt" if marked and line.startswith("#### ") and not replied else ""
        now = "output" if marked and line.startswith("> ") else now
        if now == "output":
            replied = replied and not _ENDED.match(line, 2)
        elif not now and line.strip():
            replied = True
        # A reply and output go on over empty lines; a prompt does not.
        if now != kind and (now or line.strip() or kind == "prompt"):
            if any(text.strip() for text in texts):
                yield kind or "reply", "".join(texts).strip()
            kind, texts = now, []
        if now:
            texts.append(line[5 if now == "prompt" else 2 :].rstrip() + "\n")
        elif kind == "":
            texts.append(line)
    if any(text.strip() for text in texts):
        yield kind or "reply", "".join(texts).strip()


def _turns(told: list[str], keys: Keys, counts: Counts) -> Iterator[Turn]:
    waiting: list[tuple[str, str]] = []  # edits, by path, without a reported result
    reply = ""
    said: list[str] = []
    for kind, text in _parts(told):
        if kind == "output":
            said.append(text)
            yield from _output(text, reply, waiting, keys)
            continue
        yield from _failed(waiting, "\n".join(said))
        waiting, said = [], []
        if kind == "reply" and text:
            reply = text
            yield from _reply(text, waiting, keys)
        elif kind == "prompt":
            reply = ""
            if typed := _typed(text, counts):
                yield Prompt(keys.of(typed), typed)
    # Edits without a result at the end may still be applied.


def _typed(text: str, counts: Counts) -> str:
    """Return a person's request to the model; empty for a command and for output of a linter."""
    command = _COMMAND.match(text)
    if command is None or (command[1] == "/" and not command[2]):
        if text.startswith(_OF_LINTER) or text == "<blank>":
            counts.skip("text of the program")
            return ""
        return text
    if command[1] == "/" and command[2] in _ASKING:
        return command[3].strip()
    counts.skip(f"command {command[1]}{command[2] if command[1] == '/' else ''}")
    return ""


class _Edit(NamedTuple):
    path: str
    old: str
    new: str
    first: int  # line of the reply
    end: int


def _reply(text: str, waiting: list[tuple[str, str]], keys: Keys) -> Iterator[Turn]:
    edits = _edits(text)
    rest = text.splitlines(keepends=True)
    for edit in reversed(edits):
        del rest[edit.first : edit.end]
    key = keys.of(text)
    yield Reply(key, "".join(rest))
    for place, edit in enumerate(edits):
        name = f"{key}:{place}"
        waiting.append((name, edit.path))
        given = {"path": edit.path, "old_string": edit.old, "new_string": edit.new}
        yield Called(name, "edit block" if edit.old.strip() else "new file", given)


def _edits(text: str) -> list[_Edit]:
    r"""Return the edit blocks of a reply, with the lines of the blocks and their paths.

    >>> _edits("So:\n\na.py\n```python\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n```\n")
    [_Edit(path='a.py', old='1\n', new='2\n', first=2, end=10)]
    """
    rows = text.splitlines()
    found: list[_Edit] = []
    path = ""
    for (start, end), (old, new) in blocks_in(text):
        first = start
        for row in range(start - 1, max(start - 4, found[-1].end - 1 if found else -1), -1):
            named = rows[row].strip().strip("`*#: ")
            if _FENCE.match(rows[row]) and not ("." in named or "/" in named):
                first = row
            elif named:
                path, first = named[:4096], row
                break
        if end < len(rows) and _FENCE.match(rows[end].replace("</", "<")):
            end += 1
        if path:
            found.append(_Edit(path, old, new, first, end))
    return found


def _output(text: str, reply: str, waiting: list[tuple[str, str]], keys: Keys) -> Iterator[Turn]:
    """Yield the events in Aider's own output after a reply."""
    for line in text.splitlines():
        line = line.strip()
        if applied := _APPLIED.fullmatch(line):
            named = [edit for edit in waiting if edit[1] == applied[1]]
            for edit in named:
                waiting.remove(edit)
                yield Returned(edit[0], line)
            if not named:
                # In other formats the reply has the whole file, or lines of a diff.
                name = keys.of(f"{reply}\n{line}")
                yield Called(name, "edit block", {"path": applied[1]})
                yield Returned(name, line)
        elif running := _RUNNING.fullmatch(line):
            name = keys.of(f"{reply}\n{line}")
            yield Called(name, "shell command", {"command": running[1]})
        elif line == "^C KeyboardInterrupt":
            yield Interrupted()


def _failed(waiting: list[tuple[str, str]], said: str) -> Iterator[Turn]:
    """Yield the results of failed edits, with Aider's message; without one the run was stopped."""
    for name, path in waiting:
        denied = f"Skipping edits to {path}" in said
        yield Returned(name, said, error=bool(said), denied=denied, interrupted=not said)
