"""Adapter for the OpenAI Agents SDK: hooks that capture, a filter that injects, and a durable `Session`.

```text
remora = RemoraHooks(memory, "chat-1")
await Runner.run(
    agent, task, session=RemoraSession(memory, "chat-1"), hooks=remora,
    run_config=RunConfig(call_model_input_filter=remora.model_input),
)
remora.finish()
```

Injections are part of the model's input only. The filter adds them to every model call at the position of
their first use, so that the input before them still matches the provider's prompt cache.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import RunHooks
from agents.memory import SessionSettings
from agents.run import CallModelData, ModelInputData

from remora.core.errors import InvalidInput
from remora.disk.files import append_line, lock, write_atomic
from remora.disk.names import safe_name
from remora.interfaces.adapters.guarded import OneSession, aside, joined, json_lines, quietly, woven

if TYPE_CHECKING:
    from agents import Agent, ModelResponse, RunContextWrapper, Tool, TResponseInputItem

    from remora.app.memory import Memory

HOST = "openai-agents"
FOLDER = "openai-agents"  # below the project's home: the items of sessions, a file for each
SUFFIX = ".jsonl"
# The SDK's result texts of failed tools; hooks do not receive the exception.
_FAILED = re.compile(r"An error occurred while running the tool|Tool '[^']*' timed out after ")


class RemoraHooks(OneSession, RunHooks[Any]):
    """Record one session and inject into it: pass it as `hooks`, and its `model_input` as the filter.

    Args:
        memory: an open memory.
        session_id: the session's id; an existing session is continued.
        host: the name of your program.
        tools: the names of your own tools, mapped to names that Remora knows: Read, Edit, Write, Bash, Grep,
            Glob, and WebFetch for tools that return external text. Common names are mapped already.
    """

    def __init__(
        self,
        memory: Memory,
        session_id: str,
        *,
        host: str = HOST,
        tools: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(memory, session_id, host, tools)
        self._brief: str | None = None
        self._greeted = False
        self._filtered = False
        self._step = 0
        self._heard: set[tuple[int, str]] = set()  # (index among the user's messages, text)
        self._said: dict[str, list[str]] = {}  # injected texts by the item that they follow
        self._asked: deque[tuple[str, str, dict[str, Any]]] = deque()  # calls whose context has no call id
        self._running: dict[int, tuple[str, str, dict[str, Any]]] = {}

    # Injection

    async def model_input(self, data: CallModelData[Any]) -> ModelInputData:
        """Return the model's input with the injections; a `call_model_input_filter`."""
        return await aside(data.model_data, self._model_input, data.model_data)

    def _model_input(self, data: ModelInputData) -> ModelInputData:
        items = list(data.input)
        with self._lock:
            self._filtered = True
            self._step += 1
            said = "\n\n".join(self._unheard(items))
            if self._greeted and said:
                self._loop().heard(said)
            elif said:
                self._greeted = True
                self._note(_first_of_the_person(items), self._loop().first_message(said))
            if self._brief is None:
                self._brief = self._loop().brief()
            injection = self._loop().prepare_step(self._step - 1)
            if injection is not None:
                self._note(_last_place(items), injection.text)
            instructions = joined(data.instructions or "", self._brief) or None
            return ModelInputData(input=self._with_what_was_said(items), instructions=instructions)

    def _note(self, place: str, text: str) -> None:
        if place and text:
            self._said.setdefault(place, []).append(text)

    def _with_what_was_said(self, items: Sequence[TResponseInputItem]) -> list[TResponseInputItem]:
        left = dict(self._said)
        return woven(items, lambda item: left.pop(_place(item), ()), _is_result, self._message)

    def _message(self, text: str) -> TResponseInputItem:
        message: Any = {"role": "developer", "content": text}
        return message

    def _unheard(self, items: Sequence[TResponseInputItem]) -> list[str]:
        """Return the user's messages after the model's last item, each message once."""
        start = len(items)
        while start and not _is_of_the_model(items[start - 1]):
            start -= 1
        said = [(number, _text_of([item])) for number, item in enumerate(filter(_by_a_person, items))]
        fresh = said[len(said) - sum(map(_by_a_person, items[start:])) :]
        found = [one for one in fresh if one[1].strip() and one not in self._heard]
        self._heard.update(found)
        return [text for _, text in found]

    def _hear(self, items: Sequence[TResponseInputItem]) -> None:
        with self._lock:
            for text in self._unheard(items):
                self._loop().heard(text)

    # Capture

    async def on_llm_start(
        self,
        context: RunContextWrapper[Any],  # noqa: ARG002
        agent: Agent[Any],  # noqa: ARG002
        system_prompt: str | None,  # noqa: ARG002
        input_items: list[TResponseInputItem],
    ) -> None:
        """Record the user's messages, unless the filter does."""
        if not self._filtered:
            await aside(None, self._hear, input_items)

    async def on_llm_end(
        self,
        context: RunContextWrapper[Any],  # noqa: ARG002
        agent: Agent[Any],  # noqa: ARG002
        response: ModelResponse,
    ) -> None:
        """Record the model's replies, and the calls whose arguments `on_tool_start` does not receive."""
        await aside(None, self._llm_end, response)

    async def on_tool_start(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],  # noqa: ARG002
        tool: Tool,
    ) -> None:
        """Record a tool call and the advice before it, which the model sees with the result."""
        await aside(None, self._tool_start, context, tool)

    async def on_tool_end(
        self,
        context: RunContextWrapper[Any],
        agent: Agent[Any],  # noqa: ARG002
        tool: Tool,
        result: object,
    ) -> None:
        """Record a tool's result and the advice on it."""
        await aside(None, self._tool_end, context, tool, result)

    def _llm_end(self, response: ModelResponse) -> None:
        for item in response.output:
            made = _as_mapping(item)
            if made.get("type") == "message":
                if (text := _text_of([made])).strip():
                    self._loop().replied(text)
            elif call := _unnamed_call(made):
                self._asked.append(call)
            elif ran := _ran_elsewhere(made):
                name, call_id, arguments = ran
                self._loop().after(name, arguments, str(made.get("output") or ""), call_id=call_id)

    def _tool_start(self, context: RunContextWrapper[Any], tool: Tool) -> None:
        with self._lock:
            name, call_id, arguments = call = self._call(context, tool)
            if not getattr(context, "tool_call_id", ""):
                self._running[id(context)] = call
        self._note(_of_call(call_id), self._loop().before(name, arguments, call_id))

    def _tool_end(self, context: RunContextWrapper[Any], tool: Tool, result: object) -> None:
        with self._lock:
            asked = self._running.pop(id(context), None)
            name, call_id, arguments = asked or self._call(context, tool)
        text = result if isinstance(result, str) else _as_text(result)
        failed = _FAILED.match(text) is not None
        self._note(
            _of_call(call_id), self._loop().after(name, arguments, text, failed=failed, call_id=call_id)
        )

    def _call(self, context: RunContextWrapper[Any], tool: Tool) -> tuple[str, str, dict[str, Any]]:
        """Return a call's tool, id and arguments; a call without an id is matched by name and order."""
        name = str(getattr(context, "tool_name", "") or getattr(tool, "name", "") or "tool")
        server = getattr(getattr(tool, "_tool_origin", None), "mcp_server_name", None)
        known = f"mcp__{server}__{name}" if server else name
        call_id = str(getattr(context, "tool_call_id", "") or "")
        if call_id:
            return known, call_id, _arguments(getattr(context, "tool_arguments", ""))
        for asked in self._asked:
            if asked[0] == name:
                self._asked.remove(asked)
                return asked
        return known, "", {}


class RemoraSession:
    """A `Session` of the SDK that stores its items in a file of the project.

    Items are returned as they were given. The file has one JSON line per item, and only its owner may read
    it. Secrets are not redacted, since the model could not continue from redacted items. A popped item stays
    in the file, followed by a marker; clearing a session empties the file. Errors of the file are raised, as
    by the SDK's own sessions: a run cannot continue from a conversation with gaps.

    Args:
        memory: the memory of the project.
        session_id: any text that is not empty.
        session_settings: settings of the SDK, such as a limit.
    """

    def __init__(
        self, memory: Memory, session_id: str, *, session_settings: SessionSettings | None = None
    ) -> None:
        if not isinstance(session_id, str) or not session_id:
            raise InvalidInput("a session id must be a non-empty string")
        self.session_id = session_id
        self.session_settings: SessionSettings | None = session_settings or SessionSettings()
        self.path: Path = memory.home / FOLDER / f"{safe_name(session_id)}{SUFFIX}"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first; with a limit, only the latest ones."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        found: list[Any] = await asyncio.to_thread(self._items)
        if limit is None:
            return found
        return found[-limit:] if limit > 0 else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items durably, in one write."""
        if items:
            await asyncio.to_thread(self._add, [{"item": _as_mapping(item)} for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None if there is none."""
        popped: Any = await asyncio.to_thread(self._pop)
        return popped

    async def clear_session(self) -> None:
        """Remove all items."""
        await asyncio.to_thread(self._clear)

    def _items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        for line in json_lines(self.path.read_bytes()) if self.path.exists() else ():
            if "pop" in line:
                del items[-1:]
            elif isinstance(line.get("item"), dict):
                items.append(line["item"])
        return items

    def _add(self, lines: list[dict[str, Any]]) -> None:
        # ASCII only: escapes preserve unpaired surrogates.
        text = "".join(json.dumps(line, default=_plain) + "\n" for line in lines)
        with lock(self.path):
            append_line(self.path, text)

    def _pop(self) -> dict[str, Any] | None:
        with lock(self.path):
            items = self._items()
            if items:
                append_line(self.path, json.dumps({"pop": 1}))
            return items[-1] if items else None

    def _clear(self) -> None:
        with lock(self.path):
            if self.path.exists():
                write_atomic(self.path, b"")


# Items of the Responses API, which are mappings of many kinds


def _as_mapping(item: Any) -> dict[str, Any]:
    """Return an item as a new dict; the SDK passes mappings and pydantic models."""
    if isinstance(item, Mapping):
        return dict(item)
    return dict(item.model_dump(exclude_unset=True)) if hasattr(item, "model_dump") else {}


def _plain(value: Any) -> Any:
    """Return a value as JSON can encode it: a model as a dict, anything else as text."""
    return value.model_dump(exclude_unset=True) if hasattr(value, "model_dump") else str(value)


def _as_text(value: object) -> str:
    """Return a tool's result as text, as the model sees it."""
    parts = value if isinstance(value, list) else [value]
    texts = [_as_mapping(p).get("text") for p in parts if isinstance(p, Mapping) or hasattr(p, "model_dump")]
    found = [text for text in texts if isinstance(text, str)]
    return "\n".join(found) if found else str(value)


def _by_a_person(item: Any) -> bool:
    return isinstance(item, Mapping) and item.get("role") == "user"


def _is_result(item: Any) -> bool:
    return isinstance(item, Mapping) and str(item.get("type", "")).endswith("_output")


def _is_of_the_model(item: Any) -> bool:
    """Return whether an item is the model's: a message, a tool call or the result of one."""
    return not isinstance(item, Mapping) or item.get("role") not in ("user", "developer", "system")


def _text_of(items: Sequence[Any]) -> str:
    """Return the text of messages, whose content is text or a list of parts."""
    found: list[str] = []
    for item in items:
        content = item.get("content") if isinstance(item, Mapping) else None
        if isinstance(content, str):
            found.append(content)
        elif isinstance(content, list):
            texts = [part.get("text") for part in content if isinstance(part, Mapping)]
            found += [text for text in texts if isinstance(text, str)]
    return "\n".join(found)


def _place(item: Any) -> str:
    """Return a key of an item that stays the same if earlier items are cut: its call's id, or its text."""
    if not isinstance(item, Mapping):
        return ""
    if _is_result(item):
        return _of_call(str(item.get("call_id", "")))
    return f"said:{item['role']}:{_text_of([item])}" if item.get("role") else ""


def _of_call(call_id: str) -> str:
    return f"call:{call_id}" if call_id else ""


def _first_of_the_person(items: Sequence[Any]) -> str:
    """Return the place of the first message in the last run of user messages; empty for none."""
    for number in range(len(items) - 1, -1, -1):
        before = items[number - 1] if number else None
        if _by_a_person(items[number]) and not _by_a_person(before):
            return _place(items[number])
    return ""


def _last_place(items: Sequence[Any]) -> str:
    """Return the place of the last item that has one; empty for none."""
    return next((place for item in reversed(items) if (place := _place(item))), "")


def _arguments(given: Any) -> dict[str, Any]:
    value = quietly(None, json.loads, given) if isinstance(given, str) and given.strip() else given
    return dict(value) if isinstance(value, Mapping) else {"input": given} if given else {}


def _unnamed_call(item: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """Return tool, id and arguments of a built-in tool's call, which hooks do not receive; else None."""
    call_id = str(item.get("call_id") or item.get("id") or "")
    action = item.get("action")
    match item.get("type"):
        case "local_shell_call" if isinstance(action, Mapping):
            return "local_shell", call_id, {"command": " ".join(map(str, action.get("command") or ()))}
        case "shell_call" if isinstance(action, Mapping):
            return "shell", call_id, {"command": "\n".join(map(str, action.get("commands") or ()))}
        case "apply_patch_call" if isinstance(item.get("operation"), Mapping):
            operation = dict(item["operation"])
            return "apply_patch", call_id, {**operation, "file_path": operation.get("path", "")}
        case _:
            return None


def _ran_elsewhere(item: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]] | None:
    """Return tool, id and arguments of a call that the model's provider ran; None for other items."""
    call_id = str(item.get("id") or "")
    match item.get("type"):
        case "web_search_call":
            return "web_search_call", call_id, _arguments(item.get("action"))
        case "mcp_call":
            name = f"mcp__{item.get('server_label', '')}__{item.get('name', '')}"
            return name, call_id, _arguments(item.get("arguments"))
        case _:
            return None
