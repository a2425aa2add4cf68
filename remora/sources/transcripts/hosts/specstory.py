"""SpecStory: `.specstory/history/*.md` in the project, Markdown that it writes of other hosts' sessions.

The format is that of its Markdown version 2.1.0, read off its source and off files in public repositories.
A comment names the session: by this id a copy is known, and not read where the session itself is. A call of a
tool stands in an element with its name; what it was given is told in words, from which paths, commands and
patterns are taken. Before version 2 calls were lines of the reply, and stay there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from remora.core.actions import table
from remora.sources.transcripts.hosts import tasks
from remora.sources.transcripts.hosts.values import Keys, apart, data_of
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.texts import instant, without_reminders
from remora.sources.transcripts.turns import (
    Called,
    Compacted,
    Interrupted,
    Prompt,
    Reply,
    Returned,
    Session,
    Turn,
)

HOST = "specstory"
ACTIONS: Mapping[str, str] = tasks.ACTIONS | table(
    {
        "run": "Shell",
        "edit": "replace_file_content multi_replace_file_content edit_file_v2 StrReplace Delete",
        "search": "grep_search codebase_search",
        "plan": "todo_write checklist_write manage_todo_list",
        "other": "manage_task manage_subagents",
    }
)
_HEAD = 10_000  # bytes in which the comment is looked for
_SESSION = re.compile(
    r"^<!-- ([A-Za-z][A-Za-z0-9 .+-]{0,40}?) Session ([A-Za-z0-9_-]{8,100})(?: \(([^)\n]{1,40})\))? -->",
    re.MULTILINE,
)
_ROLE = re.compile(r"_\*\*(User|Agent)( - sidechain)?(?: \(([^\n]{1,200})\))?\*\*_\s*$")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?(Z|[+-]\d\d):?(\d\d)?$")
_TOOL = re.compile(
    r'<tool-use data-tool-type="(\w{0,40})" data-tool-name="([^"\n]{1,200})">(?:<details>)?\s*$'
)
_END = re.compile(r"(?:</details>)?\s*</tool-use>\s*$")
_FENCE = re.compile(r"(`{3,})([\w+-]{0,40})\s*$")
_THOUGHT = ("<think><details><summary>Thought Process</summary>", "</details></think>")
_SUMMARY = re.compile(r"</?(?:details|summary)>")
_GIVEN = re.compile(r"^- (\w{1,60}): `(.*)`$", re.MULTILINE)
_VERBS = ("Read", "Edit", "Write", "Create", "Delete")
_CHANGED = ("**Add", "**Update", "**Delete", "**Move")
_WRITTEN = re.compile(r"(?:The file (.{1,4096}?) has been|File created successfully at: (.{1,4096}))")
_SPAN = re.compile(r"(?<![`\w])`([^`\n]+)`")
_EXIT = re.compile(r"(?:Exit code|Process exited with code|exit code:) (-?\d{1,9})\b")
_SHELLS = ("bash", "sh", "shell", "powershell")
_REFUSED = "The user doesn't want to proceed with this tool use"
_STOPPED = "[Request interrupted by user"
_SUMMARIZED = "This session is being continued from a previous conversation"
_OF_PROGRAM = (
    "Caveat: The messages below were generated",
    "# AGENTS.md instructions",
    "<environment_context>",
    "[Image: source:",
)


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the sessions in each of the project's folders."""
    for folder in folders:
        yield from sorted(Path(folder, ".specstory", "history").glob("*.md"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session in a file, under the id that it has in its own host."""
    if path.suffix == ".md" and (found := _SESSION.search(data_of(path, _HEAD).decode("utf-8", "replace"))):
        parents = path.parents
        inside = len(parents) > 2 and parents[1].name == ".specstory"
        yield Session(found[2], str(parents[2] if inside else parents[0]), _time(found[3] or "") or "")


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session."""
    keys = Keys(session.id)
    text = data_of(path).decode("utf-8", "replace")
    fresh = True  # the reply has no calls yet, so that what comes next belongs to it
    thoughts: list[str] = []
    for message in _messages(text.splitlines()):
        at = _time(message.about)
        words = "\n".join(part for part in message.parts if isinstance(part, str))
        key = f"{message.about}\n{words}"
        if message.sidechain:
            counts.skip("sidechain")
        elif message.role == "User":
            fresh = True
            yield from _prompt(without_reminders(words).strip(), keys.of(key), at, counts)
        else:
            calls = [part for part in message.parts if isinstance(part, _Tool)]
            said, thinking = apart(words, *_THOUGHT)
            said = said.strip()
            thoughts += map(str.strip, thinking)
            if said or (calls and (thoughts or not fresh)):
                yield Reply(keys.of(key), said, "\n\n".join(thoughts), at)
                thoughts = []
            fresh = not calls
            for call in calls:
                yield from _called(call, keys.of(f"{message.about}\n{call.name}"), at)


class _Tool(NamedTuple):
    kind: str
    name: str
    lines: list[str]


class _Message(NamedTuple):
    role: str
    sidechain: bool
    about: str  # in brackets: the model, the time
    parts: list[str | _Tool]


def _messages(rows: list[str]) -> Iterator[_Message]:
    """Yield the messages of a file; what looks like their marks inside of fences is text."""
    message: _Message | None = None
    tool: _Tool | None = None
    texts: list[str] = []
    fence = ""

    def flush() -> None:
        if message is not None and texts:
            message.parts.append("\n".join(texts))
        texts.clear()

    for row in rows:
        marked = _FENCE.match(row)
        inside = bool(fence)
        if marked:
            fence = ("" if marked[1] == fence and not marked[2] else fence) if fence else marked[1]
        if tool is not None:
            if not inside and _END.match(row):
                tool = None
            else:
                tool.lines.append(row)
        elif (role := _ROLE.match(row)) and (not inside or role[3]):
            flush()
            if message is not None:
                yield message
            message, fence = _Message(role[1], bool(role[2]), role[3] or "", []), ""
        elif message is not None and not inside and (begins := _TOOL.match(row)):
            flush()
            tool = _Tool(begins[1], begins[2], [])
            message.parts.append(tool)
        elif row.strip() != "---" or inside:
            texts.append(row)
    flush()
    if message is not None:
        yield message


def _prompt(text: str, key: str, at: str | None, counts: Counts) -> Iterator[Turn]:
    if text.startswith(_STOPPED):
        yield Interrupted(at)
    elif text.startswith(_SUMMARIZED):
        yield Compacted(key, at)
    elif text.startswith(_OF_PROGRAM):
        counts.skip("text of the program")
    elif text:
        yield Prompt(key, text, at)


def _called(call: _Tool, name: str, at: str | None) -> Iterator[Turn]:
    words, fences = _parts(call.lines)
    given: dict[str, object] = dict(_GIVEN.findall(words))
    spans = _SPAN.findall(words)
    command = [fence for fence in fences if call.kind == "shell" and fence[0] in _SHELLS][:1]
    if command:
        given["command"] = command[0][1]
    elif call.kind == "shell" and spans and "command" not in given:
        given["command"] = spans[-1]
    outputs = [body for language, body in fences if language in ("", "text")]
    output = outputs[-1] if outputs else ""
    named = _named(words)
    if call.kind == "read" and not named and not given:
        named = spans[:1]
    if call.kind == "search" and (pattern := _pattern(words)):
        given["pattern"] = pattern
    if call.kind == "write" and not named and (written := _WRITTEN.search(output)):
        named = [written[1] or written[2]]
    if named:
        given["paths"] = named
    if call.kind == "write":
        given |= _sides(fences, output)
    yield Called(name, call.name, given, at)
    code = _EXIT.match(output) or _EXIT.search(output[:200]) if call.kind == "shell" else None
    failed = "<tool_use_error>" in output[:100] or "**Error:**" in words
    yield Returned(
        name,
        output,
        at,
        error=failed,
        exit_code=int(code[1]) if code else None,
        denied=output.startswith(_REFUSED),
    )


def _named(words: str) -> list[str]:
    """Return the paths that a call's words name as what it reads or changes."""
    found: list[str] = []
    for row in words.splitlines():
        before, file, path = row.partition(" file: ")
        if file and before.rpartition("• ")[2] in _VERBS:
            found.append(path.strip())
        elif row.startswith(_CHANGED) and row.endswith("`**"):
            found.append(row.partition("`")[2].removesuffix("`**"))
    return found


def _pattern(words: str) -> str:
    """Return the pattern that a search's words name."""
    row = words.partition("pattern `")[2].partition("\n")[0]
    return row.partition("` include `")[0].rpartition("`")[0] or row.partition("` include `")[0]


def _parts(rows: list[str]) -> tuple[str, list[tuple[str, str]]]:
    """Return the words of a call, and its fences with their languages."""
    words: list[str] = []
    fences: list[tuple[str, str]] = []
    fence, language = "", ""
    body: list[str] = []
    for row in rows:
        marked = _FENCE.match(row)
        if fence and marked and marked[1] == fence and not marked[2]:
            fences.append((language, "\n".join(body)))
            fence, body = "", []
        elif fence:
            body.append(row)
        elif marked:
            fence, language = marked[1], marked[2]
        else:
            words.append(_SUMMARY.sub("", row))
    return "\n".join(words), fences


def _sides(fences: list[tuple[str, str]], output: str) -> dict[str, str]:
    """Return the old and the new text of an edit: of its diffs, or else the text that it writes."""
    rows = [row for language, body in fences if language == "diff" for row in body.splitlines()]
    old = "\n".join(row[1:] for row in rows if row.startswith("-"))
    new = "\n".join(row[1:] for row in rows if row.startswith("+"))
    whole = next((body for language, body in fences if language != "diff" and body != output), "")
    return {"old_string": old, "new_string": new or whole}


def _time(about: str) -> str | None:
    found = _TIME.search(about)
    if found is None:
        return None
    zone = "+00:00" if found[3] == "Z" else f"{found[3]}:{found[4] or '00'}"
    return instant(f"{found[1]}T{found[2]}{zone}")
