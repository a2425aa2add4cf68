"""Read the tasks of Cline and of its forks: one JSON array of messages, in the format of Anthropic's API.

A person's text is between tags (`<task>`, `<feedback>`, `<answer>`, `<user_message>`), or is the `feedback`
of a result in JSON; the rest of a user's message is the program's. A result can contain third-party text,
these tags included, so a person's text is accepted only in the result of a tool that asks, and where the
program itself begins all results of a tool: in a refusal, and with the approval of an edit. In older tasks
models call tools in the text, as XML, and get the result as text after a line in brackets that names the
tool and its file or command: that line is read as the call, and the XML stays in the text of the reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from remora.core.actions import table
from remora.sources.instant import instant
from remora.sources.transcripts.hosts.values import (
    Keys,
    apart,
    blocks_in,
    data_of,
    items,
    json_file,
    json_of,
    mapping,
)
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.texts import joined, number, string
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

FILE = "api_conversation_history.json"
ACTIONS = table(
    {
        "read": "read_file",
        "edit": "replace_in_file apply_diff search_and_replace search_replace edit_file insert_content "
        "apply_patch edit",
        "write": "write_to_file",
        "run": "execute_command",
        "search": "search_files codebase_search",
        "glob": "list_files list_code_definition_names",
        "fetch": "browser_action web_fetch web_search access_mcp_resource load_mcp_documentation",
        "task": "use_subagents new_task",
        "plan": "update_todo_list focus_chain",
        "other": "ask_followup_question attempt_completion plan_mode_respond act_mode_respond switch_mode "
        "condense summarize_task report_bug new_rule generate_explanation use_skill skill run_slash_command "
        "fetch_instructions generate_image read_command_output",
    }
)
# Tools by which the model addresses the person, and the argument with the text.
_SPOKEN = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "act_mode_respond": "response",
}
# Tools whose results begin with the program's text, a refusal included; others may be third-party text.
_BEGUN = ("edit", "write", "run")
# Arguments and their names in the contract.
_NAMES = {
    "cwd": "workdir",
    "absolutePath": "path",
    "search": "old_string",
    "replace": "new_string",
}
_HEAD = 2_000_000  # bytes searched for the first message, and for the working directory in it
_FOLDER = re.compile(
    rb'"<environment_details>(?:[^"\\]|\\.)*?# Current (?:Working|Workspace) Directory '
    rb'\(([^"]{1,4096}?)\) Files'
)
_FIRST_TIME = re.compile(rb'"ts":\s*(\d{12,14})\b')
_TYPED = re.compile(r"<(task|feedback|answer|user_message)>\n?(.*?)\n?</\1>", re.DOTALL)
_TAG = re.compile(r"<(?:task|feedback|answer|user_message)>\n")
_LINES = 24  # before the tag there is nothing, or text of the program
_MENTION = re.compile(r"'([^'\n]{1,1000})' \(see below for (?:file|folder|site) content\)")
_RESULT = re.compile(r"\[(\w{1,60})(?: for (.{0,6000}?))?\] Result:\n*", re.DOTALL)
_EXIT = re.compile(
    r"Command (?:executed successfully \(exit code|failed with exit code"
    r"|executed in terminal .{0,400}?Exit code:) ?(-?\d{1,9})\b",
    re.DOTALL,
)
_REFUSED = "The user denied this operation"
_FAILED = "The tool execution failed with the following error"
_RAN = "Command "  # the output of a completed task's command comes before the comment on it
_RESUMED = "[TASK RESUMPTION]"
_STOPPED = "[Response interrupted by user]"


def session(path: Path) -> Session:
    """Return the session in a task's file.

    Raises:
        SourceError: the file cannot be read.
    """
    head = data_of(path, _HEAD)
    named = _FOLDER.search(head)
    cwd = json_of(b'"' + named[1] + b'"') if named else None
    first = _FIRST_TIME.search(head)
    name = path.parent.name
    ran = int(first[1]) if first else int(name) if re.fullmatch(r"\d{13}", name) else None
    return Session(name, string(cwd, 4096), instant(ran) or "")


def turns(path: Path, session: Session, counts: Counts, *, delegated: bool = False) -> Iterator[Turn]:
    """Yield the turns of a task.

    Args:
        path: its file.
        session: the session in it.
        counts: the counts of skipped records.
        delegated: whether another task started it, so that its first prompt is the model's.
    """
    timeline = _Task(Keys(session.id), counts)
    for message in map(mapping, items(json_file(path, counts))):
        for turn in timeline.message(message, instant(message.get("ts"))):
            if delegated and isinstance(turn, Prompt):
                delegated = False
                counts.skip("prompt of another task")
            else:
                yield turn


class _Said(NamedTuple):
    """A result's text without the additions of the program and the person."""

    text: str
    typed: tuple[str, ...] = ()
    denied: bool = False
    error: bool = False


class _Task:
    """The state of reading a task: the tools of its calls."""

    def __init__(self, keys: Keys, counts: Counts) -> None:
        self._keys = keys
        self._counts = counts
        self._tools: dict[str, str] = {}

    def message(self, message: Mapping[str, Any], at: str | None) -> Iterator[Turn]:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        told = [mapping(block) for block in blocks]
        if message.get("isSummary") is True:
            yield Compacted(self._keys.of("summary"), at)
        elif message.get("role") == "assistant":
            yield from self._reply(message, told, at)
        elif message.get("role") == "user":
            yield from self._answers(told, at)
        else:
            self._counts.skip(string(message.get("type"), 60) or "no role")

    def _reply(
        self, message: Mapping[str, Any], blocks: list[dict[str, Any]], at: str | None
    ) -> Iterator[Turn]:
        calls: list[tuple[str, str, Any]] = []
        texts: list[str] = []
        thoughts: list[str] = [string(message.get("reasoning_content"), 100_000)]
        for block in blocks:
            match block.get("type"):
                case "text":
                    texts.append(joined(block))
                case "thinking":
                    thoughts.append(joined(block.get("thinking")))
                case "reasoning":
                    thoughts.append(joined(block.get("text")))
                case "tool_use":
                    name, tool = string(block.get("id"), 200), string(block.get("name"), 200)
                    calls.append((name, tool, block.get("input")))
                case kind:
                    self._counts.skip(string(kind, 60) or "no type")
        for _, tool, given in calls:
            texts.append(joined(mapping(given).get(_SPOKEN.get(tool, ""))))
        text = "\n\n".join(text.strip() for text in texts if text.strip())
        stopped = text.endswith(_STOPPED)
        text = text.removesuffix(_STOPPED).rstrip()
        text, thinking = apart(text, "<thinking>", "</thinking>")
        thoughts += map(str.strip, thinking)
        tokens = number(mapping(mapping(message.get("metrics")).get("tokens")).get("prompt"))
        key = self._keys.of("\n".join([text, *(repr(call) for call in calls)]))
        yield Reply(key, text, "\n\n".join(filter(None, thoughts)), at, tokens)
        for name, tool, given in calls:
            self._tools[name] = tool
            yield Called(name, *plain(tool, given), at)
            if tool in ("condense", "summarize_task"):
                yield Compacted(name, at)
        if stopped:
            yield Interrupted(at)

    def _answers(self, blocks: list[dict[str, Any]], at: str | None) -> Iterator[Turn]:
        prompts: list[str] = []
        headed: re.Match[str] | None = None  # the line in brackets before a result
        for block in blocks:
            text = joined(block)
            if block.get("type") == "tool_result":
                result = joined(block.get("content"))
                told = _RESULT.match(result)
                turn, typed = self._returned(
                    string(block.get("tool_use_id"), 200),
                    result[told.end() :] if told else result,
                    at,
                    error=block.get("is_error") is True,
                )
                yield turn
                prompts += typed
            elif block.get("type") != "text":
                self._counts.skip(string(block.get("type"), 60) or "no type")
            elif headed is not None:
                prompts += yield from self._headed(headed, text, at)
                headed = None
            elif told := _RESULT.match(text):
                if rest := text[told.end() :]:
                    prompts += yield from self._headed(told, rest, at)
                else:
                    headed = told
            elif (not text.startswith("[") or text.startswith(_RESUMED)) and (told_by := _typed(text)):
                prompts += told_by
            else:
                self._counts.skip("text of the program")
        for text in prompts:
            yield Prompt(self._keys.of(text), text, at)

    def _headed(
        self, heading: re.Match[str], result: str, at: str | None
    ) -> Generator[Turn, None, tuple[str, ...]]:
        """Yield a call, known by the line in brackets before its result, and the result."""
        tool, about = heading[1], (heading[2] or "").removeprefix("'")
        first = about.partition("'")[0]
        if tool == "use_mcp_tool":
            given = {"server_name": first}
        elif ACTIONS.get(tool) == "run":
            given = {"command": about.removesuffix("'")}
        else:
            given = {"path": first}
        name = self._keys.of(heading[0])
        self._tools[name] = tool
        yield Called(name, *plain(tool, given), at)
        turn, typed = self._returned(name, result, at)
        yield turn
        return typed

    def _returned(
        self, name: str, result: str, at: str | None, *, error: bool = False
    ) -> tuple[Returned, tuple[str, ...]]:
        tool = self._tools.get(name, "")
        said = _result(result, tool)
        code = _EXIT.match(said.text)
        turn = Returned(
            name,
            said.text,
            at,
            error=error or said.error,
            exit_code=int(code[1]) if code else None,
            denied=said.denied,
        )
        return turn, said.typed


def _result(text: str, tool: str) -> _Said:
    """Return the parts of a tool's result: in JSON or in sentences, depending on the version."""
    action, asked = ACTIONS.get(tool), tool in _SPOKEN and not text.startswith(_RAN)
    begun = asked or action in _BEGUN
    if text.startswith('{"status":'):
        try:
            told, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return _Said(text)
        feedback = joined(told.get("feedback")) if isinstance(told, dict) else ""
        typed = (feedback,) if feedback else ()
        match mapping(told).get("status"):
            case "denied" if begun:
                return _Said(text, typed, denied=True)
            case "approved" if begun and action != "run":
                return _Said(text[end:].strip("\n"), typed)
            case "error":
                return _Said(text, error=True)
        return _Said(text)
    denied, error = begun and text.startswith(_REFUSED), text.startswith(_FAILED)
    return _Said(text, tuple(_typed(text)) if asked or denied else (), denied, error)


def _typed(text: str) -> list[str]:
    """Return the typed parts of a text whose first tag marks one; attached files come after it."""
    at, before = 0, "The user"
    for _ in range(_LINES):
        if _TAG.match(text, at):
            introduced = "The user" in before or before.startswith("New ")
            found = _TYPED.match(text, at) if introduced else None
            return [_MENTION.sub(r"\1", found[2])] if found else []
        end = text.find("\n", at)
        if end < 0 or text.startswith("<", at):
            break
        before, at = text[at:end].strip() or before, end + 1
    return []


def plain(tool: str, given: Any) -> tuple[str, Any]:
    """Return a call in the form of the contract: an MCP tool by its own name, arguments with usual names.

    >>> plain("use_mcp_tool", {"server_name": "db", "tool_name": "ask", "arguments": {"q": 1}})
    ('mcp__db__ask', {'q': 1})
    """
    if not isinstance(given, dict):
        return tool, given
    if tool == "use_mcp_tool":
        server, name = string(given.get("server_name"), 90), string(given.get("tool_name"), 90)
        arguments = given.get("arguments")
        return f"mcp__{server}__{name}", json_of(arguments) if isinstance(arguments, str) else arguments
    if tool.startswith("mcp--"):
        return tool.replace("--", "__"), given
    arguments = {_NAMES.get(key, key): value for key, value in given.items()}
    if tool == "codebase_search":
        arguments["pattern"] = arguments.pop("query", None)
    files = arguments.pop("files", None)
    if isinstance(files, list):
        arguments["paths"] = [mapping(file).get("path", file) for file in files]
    if isinstance(arguments.get("diff"), str):
        sides = [sides for _, sides in blocks_in(arguments["diff"])]
        arguments["edits"] = [{"old_string": old, "new_string": new} for old, new in sides]
    return tool, arguments
