"""Codex's rollouts: one JSON line per item to or from the model, and per event.

A line is `{"timestamp", "type", "payload"}`. `response_item` lines are the conversation. Consecutive items of
the model are one step; a result or a prompt ends it. `event_msg` lines repeat much of it for the screen. Of
these are read: token counts, prompts that appear nowhere else, interruptions, the end of a patch or a
command, and, while the model runs a script that calls tools, the work of those tools. A subagent has its own
file that names its parent: its events belong to the parent's session, with its id as `agent`.

A fork copies the lines of its origin into its own file, with other positions and times. An item with an id
keeps it; other items are identified by their text and their turn, so they have the same key in both files.

Skipped, and counted: instructions, the environment and other texts that the program inserts as the user's,
prompts of a subagent, the contents of a compaction, encrypted thoughts, unknown types.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from remora.core.actions import own_id
from remora.core.cut import both_ends
from remora.core.events import Event
from remora.core.tool_calls import Call, call
from remora.sources.instant import instant
from remora.sources.transcripts.calls import Calls
from remora.sources.transcripts.codex_item import (
    action,
    parent_of,
    shown_files,
    tokens,
    typed,
)
from remora.sources.transcripts.codex_output import Output, read_output
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.paths import Roots, joined_path, plain
from remora.sources.transcripts.texts import MAX_PROMPT, joined, number, result_text, string

HOST = "codex"


class Codex:
    """Turns the lines of one file into events."""

    def __init__(self, roots: Roots, counts: Counts, name: str) -> None:
        self._roots = roots
        self._counts = counts
        self._session = name
        self._thread = name  # of this file: a subagent's own id
        self._origin = name  # the thread that it was forked from in the end, or its own
        self._agent = ""
        self._named = False
        self._started = False
        self._cwd = ""
        self._branch: str | None = None
        self._turn = ""
        self._step = 0
        self._open = False
        self._answered = False  # a result came: the next item of the model is a new step
        self._tokens: int | None = None
        self._at: str | None = None  # of the open step
        self._now: str | None = None  # of the line
        self._last_at: str | None = None
        self._calls = Calls()
        self._recurring: Counter[str] = Counter()  # ids that other calls have too, with their turn
        self._ended: dict[str, tuple[int | None, bool]] = {}
        self._script = ""  # the call whose script calls tools itself
        self._prompt = ""  # the last one, until another item follows
        self._asked = ""  # a digest of all prompts so far
        self._report = ""
        self._within = ""  # the parent of the open step
        self._met: Counter[str] = Counter()  # texts without an id, with their parent

    def feed(self, record: Mapping[str, Any]) -> list[Event]:
        """Return the events of one line."""
        kind, payload = string(record.get("type"), 60), record.get("payload")
        self._now = instant(record.get("timestamp"))
        self._last_at = self._now or self._last_at
        if not isinstance(payload, Mapping):
            self._counts.skip(kind or "no type")
            return []
        if kind == "response_item":
            return self._item(payload)
        if kind == "event_msg":
            return self._happening(payload)
        if kind == "session_meta":
            self._meta(payload)
            return []
        if kind == "turn_context":
            self._context(payload)
            return []
        if kind == "compacted":
            return self._compaction()
        self._counts.skip(kind or "no type")
        return []

    def end(self) -> list[Event]:
        """Return the events that follow from the end of the file."""
        events = self._close()
        if self._agent and self._report and self._started:
            key = f"{self._agent}:stop"
            events.append(self._event("subagent_stop", key, text=self._report)._replace(at=self._last_at))
        return events

    # The description of the session.

    def _meta(self, meta: Mapping[str, Any]) -> None:
        forked = string(meta.get("forked_from_id"), 200)
        if self._named:  # a fork repeats its parent's
            if forked and meta.get("id") == self._origin:
                self._origin = forked
            self._counts.skip("session_meta:repeated")
            return
        self._named = True
        self._thread = string(meta.get("id"), 200) or self._thread
        self._session, self._origin = self._thread, forked or self._thread
        if parent := parent_of(meta, self._thread):
            self._session, self._agent = parent, self._thread
        self._cwd = string(meta.get("cwd"), 4096) or self._cwd
        git = meta.get("git")
        if isinstance(git, Mapping):
            self._branch = string(git.get("branch"), 200) or None

    def _context(self, context: Mapping[str, Any]) -> None:
        self._cwd = string(context.get("cwd"), 4096) or self._cwd
        self._turn = string(context.get("turn_id"), 200) or self._turn

    # Items.

    def _item(self, item: Mapping[str, Any]) -> list[Event]:
        kind = item.get("type")
        if kind == "message":
            return self._message(item)
        if kind == "reasoning":
            text = joined(item.get("summary")) or joined(item.get("content"))
            if not text.strip():
                return self._reply()
            shown = both_ends(text.strip(), MAX_PROMPT)
            return [*self._reply(), self._event("reasoning", self._key(item, "reasoning", shown), text=shown)]
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            return self._call(item)
        if kind in ("function_call_output", "custom_tool_call_output"):
            return self._output(item)
        if kind == "web_search_call":
            return self._search(item)
        self._counts.skip(f"item:{string(kind, 40)}")
        return []

    def _message(self, item: Mapping[str, Any]) -> list[Event]:
        text = joined(item.get("content")).strip()
        role = item.get("role")
        if role == "assistant" and text:
            self._report = text = both_ends(text, MAX_PROMPT)
            return [*self._reply(), self._event("reply", self._key(item, "reply", text), text=text)]
        if role != "user" or not text:
            self._counts.skip(f"message:{string(role, 30)}")
            return []
        return self._said(text)

    def _said(self, text: str) -> list[Event]:
        said = typed(text)
        if not said:
            self._counts.skip("message:injected")
            return []
        if said == self._prompt:
            self._counts.repeated += 1
            return []
        shown, mark = both_ends(said, MAX_PROMPT), _digest(said)
        self._asked = _digest(self._asked + mark)
        if self._agent:
            self._counts.skip("message:to an agent")
            return self._begin(shown)
        events = self._begin() + self._close()
        self._prompt = said
        # Without turns the same text may occur twice.
        name = f"{self._turn}:{mark}" if self._turn else f"{self._origin}:{self._asked}"
        return [*events, self._event("user_prompt", f"{name}:prompt", text=shown)]

    def _call(self, item: Mapping[str, Any]) -> list[Event]:
        self._report = ""
        name = string(item.get("name"), 200)
        given: Any = item.get("arguments", item.get("input"))
        if item.get("type") == "local_shell_call":
            name, given = "local_shell", item.get("action")
        identity = string(item.get("call_id"), 200) or string(item.get("id"), 200)
        made = self._made(name, string(item.get("namespace"), 200), given)
        events = self._reply()
        if item.get("type") == "custom_tool_call" and name == "exec":
            self._script = identity
        name = self._name(identity, name, new=True)
        self._calls.add(identity, made, self._step, name)
        key = name or self._place(_words(made))
        return [*events, self._event("tool_call", f"{key}:call", made=made, call_id=name)]

    def _made(self, name: str, namespace: str, given: Any) -> Call:
        if isinstance(given, str):
            patch = given if name == "apply_patch" and given.lstrip().startswith("***") else ""
            try:
                given = {"input": patch} if patch else json.loads(given)
            except (ValueError, RecursionError):
                given = {"input": given}
        given = given if isinstance(given, Mapping) else {}
        made = call(name, given, self._relative, action(name, namespace))
        said = given.get("workdir", given.get("working_directory"))
        if made.action == "run" and not said and "root" in self._roots.began(self._cwd):
            made = made._replace(extra={**(made.extra or {}), "cwd": self._relative(".")})
        if made.action == "run" and (shown := shown_files(made.command)):
            extra = dict(made.extra or {})
            folder = string(given.get("workdir"), 4096)
            extra["reads"] = [self._relative(joined_path(folder, path)) for path in shown]
            return made._replace(extra=extra)
        return made

    def _output(self, item: Mapping[str, Any]) -> list[Event]:
        identity = string(item.get("call_id"), 200)
        made, step, name = self._calls.take(identity, self._step)
        if identity and identity == self._script:
            self._script = ""
        code, failed = self._ended.pop(identity, (None, False))
        output = read_output(item.get("output"), made.action)
        if output.exit_code is None and code is not None:
            output = output._replace(exit_code=code, failed=output.failed or code != 0)
        self._prompt, self._answered = "", True
        result = self._result(name or self._name(identity), made, step, output, failed=failed)
        return [*self._begin(), result]

    def _result(self, name: str, made: Call, step: int, output: Output, *, failed: bool = False) -> Event:
        extra = dict(output.extra or {})
        if output.exit_code is not None:
            extra["exit_code"] = output.exit_code
        event = self._event(
            "tool_result",
            f"{name or self._place(output.text)}:result",
            made=made._replace(extra=None),
            call_id=name,
            text=output.text,
            error=output.failed or failed,
            extra=extra or None,
        )
        return event._replace(step=step)

    def _search(self, item: Mapping[str, Any]) -> list[Event]:
        """A search by the model provider: its results are not recorded; only the call counts."""
        asked = item.get("action")
        given = asked if isinstance(asked, Mapping) else {}
        made = call("web_search", given, self._relative)
        events = self._reply()
        identity = string(item.get("id"), 200) or self._place(_words(made))
        events.append(self._event("tool_call", f"{identity}:call", made=made, call_id=identity))
        done = made._replace(extra=None)
        events.append(self._event("tool_result", f"{identity}:result", made=done, call_id=identity))
        return events

    # Events of the screen.

    def _happening(self, payload: Mapping[str, Any]) -> list[Event]:
        kind = payload.get("type")
        if kind == "user_message":
            text = payload.get("message")
            return self._said(text.strip()) if isinstance(text, str) and text.strip() else []
        if kind in ("task_started", "turn_started"):
            self._turn = string(payload.get("turn_id"), 200) or self._turn
            self._prompt = ""
        elif kind == "token_count":
            self._tokens = tokens(payload) or self._tokens
        elif kind == "turn_aborted":
            return self._abort(payload)
        elif kind in ("exec_command_end", "patch_apply_end"):
            code = number(payload.get("exit_code"))
            bad = payload.get("success") is False or code not in (None, 0)
            if (identity := string(payload.get("call_id"), 200)) in self._calls:
                self._ended[identity] = (code, bad)
        elif kind == "item_completed":
            return self._completed(payload.get("item"))
        else:
            self._counts.skip(f"event:{string(kind, 40)}")
        return []

    def _abort(self, payload: Mapping[str, Any]) -> list[Event]:
        if payload.get("reason") not in (None, "interrupted"):
            self._counts.skip("event:turn_aborted")
            return []
        if self._open:
            return self._close(interrupted=True)
        key = f"{self._part()}:{self._step}:interrupted"
        return [*self._begin(), self._event("step", key, extra={"interrupted": True})]

    def _completed(self, item: Any) -> list[Event]:
        item = item if isinstance(item, Mapping) else {}
        kind = item.get("type")
        if kind == "UserMessage":
            text = joined(item.get("content")).strip()
            return self._said(text) if text else []
        identity = string(item.get("id"), 200)
        if not self._script or not identity or kind not in ("CommandExecution", "FileChange", "McpToolCall"):
            self._counts.skip(f"completed:{string(kind, 40)}")
            return []
        made, said = self._of_script(item)
        code = number(item.get("exit_code"))
        failed = code not in (None, 0) or item.get("status") in ("failed", "declined")
        extra = {"denied": True} if item.get("status") == "declined" else None
        output = Output(result_text(said), code, failed, extra)
        events = self._reply()
        name = self._name(identity, made.tool, new=True)
        events.append(self._event("tool_call", f"{name}:call", made=made, call_id=name))
        return [*events, self._result(name, made, self._step, output)]

    def _of_script(self, item: Mapping[str, Any]) -> tuple[Call, Any]:
        kind = item.get("type")
        if kind == "CommandExecution":
            cwd = item.get("cwd")
            given = {"command": item.get("command"), "workdir": plain(cwd) if isinstance(cwd, str) else None}
            said = item.get("aggregated_output") or item.get("stdout")
            return call("exec_command", given, self._relative), said
        if kind == "McpToolCall":
            server, tool = string(item.get("server"), 100), string(item.get("tool"), 100)
            result = item.get("result")
            content = result.get("content") if isinstance(result, Mapping) else result
            made = call(f"mcp__{server}__{tool}", item.get("arguments"), self._relative)
            return made, content
        changes = item.get("changes")
        paths = (
            [p[:4096] for p in changes if isinstance(p, str)][:200] if isinstance(changes, Mapping) else []
        )
        made = Call("apply_patch", "edit", tuple(self._relative(path) for path in paths))
        return made, item.get("stderr") or item.get("stdout")

    def _compaction(self) -> list[Event]:
        events = self._begin() + self._close()
        return [*events, self._event("compaction", f"{self._place('')}:compaction")]

    # Steps.

    def _relative(self, path: str) -> str:
        return self._roots.relative(path, self._cwd)

    def _name(self, identity: str, tool: str = "", *, new: bool = False) -> str:
        """Return the key of a call: its id, or its position if the id is not unique.

        A fork keeps the turns of its copied items.
        """
        if not identity or own_id(identity, tool):
            return identity
        name = f"{self._turn or self._origin}:{identity}"
        self._recurring[name] += new
        times = self._recurring[name]
        return f"{name}:{times}" if times > 1 else name

    def _key(self, item: Mapping[str, Any], what: str, text: str) -> str:
        return f"{string(item.get('id'), 200) or self._place(text)}:{what}"

    def _place(self, text: str) -> str:
        """Return the key of a text without an id, which has another line number in a fork."""
        name = f"{self._part()}:{_digest(text)}"
        self._met[name] += 1
        times = self._met[name]
        return f"{name}:{times}" if times > 1 else name

    def _part(self) -> str:
        """Return the key of the turn: its id, or the prompts so far if ids are counters."""
        return self._turn if own_id(self._turn) else f"{self._origin}:{self._asked}"

    def _reply(self) -> list[Event]:
        """An item of the model: it opens a step unless one is open."""
        self._prompt = ""
        events = self._begin()
        if not self._open or self._answered:
            events += self._close()
            self._step += 1
            self._open, self._answered, self._tokens = True, False, None
            self._within = self._part()
        self._at = self._now or self._at
        return events

    def _begin(self, told: str = "") -> list[Event]:
        if self._started:
            return []
        self._started = True
        extra = self._roots.began(self._cwd) or None
        if self._agent:
            event = self._event("subagent_start", f"{self._agent}:start", text=told)
        else:
            event = self._event("session_start", f"{self._session}:start", extra=extra)
        return [event._replace(step=0)]

    def _close(self, *, interrupted: bool = False) -> list[Event]:
        if not self._open:
            return []
        self._open = False
        extra = {"interrupted": True} if interrupted else None
        key = f"{self._within}:{self._step}:step"
        return [self._event("step", key, tokens=self._tokens, extra=extra)._replace(at=self._at)]

    def _event(self, kind: str, key: str, *, made: Call | None = None, **fields: Any) -> Event:
        if made is not None:
            fields = made._asdict() | fields
        return Event(
            kind, self._session, key, self._step, self._now, agent=self._agent, branch=self._branch, **fields
        )


def _words(made: Call) -> str:
    return "\n".join((made.tool, made.command, made.pattern, made.url, *made.paths))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
