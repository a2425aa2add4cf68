"""Claude Code's transcripts: one JSON line per message block, result or event.

The blocks of one reply of the model are several lines with the same `message.id`: together they are one step.
Old copies lack the id; there a line belongs to the step of its parent line (`parentUuid`), and a reply after
a result or a prompt starts a new one. Forks and resumes copy lines into a new file: a line is identified by
its `uuid`, a call by its id if that is unique.

Skipped, and counted by type: lines of types not listed here, the program's own texts (`isMeta`, summaries
after a compaction, output of its own commands, reminders, notes of hooks, invented replies after an error),
and attachments, which hold the text injected by a memory system. Two attachments are read: a prompt typed
while the model was working, and the notice that a background command ended, which otherwise arrives as a
user's line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remora.core.actions import own_id
from remora.core.cut import both_ends
from remora.core.events import Event
from remora.core.tool_calls import POLLS, call
from remora.core.typed_prompt import without_blocks
from remora.sources.transcripts.calls import Calls, Plans
from remora.sources.transcripts.claude_line import (
    EXIT,
    INTERRUPTED,
    ClaudeLine,
    became,
    ended,
    injected,
    kept_in,
    refusal,
    report,
    runs_on,
    structured_text,
    tokens,
)
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.paths import Roots
from remora.sources.transcripts.texts import (
    MAX_PROMPT,
    joined,
    result_text,
    string,
    without_reminders,
)

HOST = "claude-code"
TYPES = frozenset({"user", "assistant", "system", "attachment"})


class _Thread:
    """The positions of the replies of a session, or of one of its subagents."""

    def __init__(self, session: str, agent: str) -> None:
        self.session = session
        self.agent = agent
        self.step = 0
        self.open = False
        self.message = ""  # id of the reply that is being read
        self.key = ""
        self.uuids: set[str] = set()  # of its lines
        self.answered = True  # something came after its last line
        self.at: str | None = None
        self.branch: str | None = None
        self.tokens: int | None = None
        self.report = ""  # the last text, if no request came after it

    def close(self, *, interrupted: bool = False) -> list[Event]:
        """Return the end of the open step, if there is one."""
        if not self.open:
            return []
        self.open = False
        extra = {"interrupted": True} if interrupted else None
        return [self._event("step", f"{self.key}:step", tokens=self.tokens, extra=extra)]

    def stop(self) -> Event:
        """Return the end of the subagent, with its last text as its report."""
        return self._event("subagent_stop", f"{self.agent}:stop", text=self.report)

    def _event(self, kind: str, key: str, **fields: Any) -> Event:
        return Event(
            kind, self.session, key, self.step, self.at, agent=self.agent, branch=self.branch, **fields
        )


class ClaudeCode:
    """Turns lines into events. One instance per transcript with the files of its subagents."""

    def __init__(self, roots: Roots, counts: Counts, session: str) -> None:
        self._roots = roots
        self._counts = counts
        self._session = session  # for lines that name none
        self._threads: dict[tuple[str, str], _Thread] = {}
        self._started: set[str] = set()  # sessions and subagents
        self._lines: set[int] = set()
        self._calls = Calls()
        self._plans = Plans()
        self._prompts: dict[str, str] = {}
        self._stopped: set[str] = set()

    def feed(self, record: Mapping[str, Any]) -> list[Event]:
        """Return the events of one line."""
        kind = string(record.get("type"), 60)
        if kind not in TYPES:
            self._counts.skip(kind or "no type")
            return []
        uuid = record.get("uuid")
        if isinstance(uuid, str):
            mark = hash(uuid)
            if mark in self._lines:
                self._counts.repeated += 1
                return []
            self._lines.add(mark)
        name = string(uuid, 200)
        agent = string(record.get("agentId"), 100) or f"side-{string(record.get('sessionId'), 100)}"
        agent = agent if record.get("isSidechain") is True else ""
        line = ClaudeLine(record, name, self._session, agent, self._roots)
        if kind == "assistant":
            return self._assistant(line)
        if kind == "user":
            return self._user(line)
        return self._system(line) if kind == "system" else self._attachment(line)

    def end(self) -> list[Event]:
        """Return the events that follow from the end of the file: completed replies and subagents."""
        events: list[Event] = []
        for thread in self._threads.values():
            events += thread.close()
            if thread.agent and thread.report and thread.agent not in self._stopped:
                events.append(thread.stop())
        return events

    # Lines.

    def _assistant(self, line: ClaudeLine) -> list[Event]:
        message = line.message
        if message.get("model") == "<synthetic>" or line.record.get("isApiErrorMessage") is True:
            self._counts.skip("assistant:synthetic")
            return []
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        thread = self._thread(line)
        events = self._begin(line)
        identity = string(message.get("id"), 200)
        if not self._same(thread, line, identity):
            events += thread.close()
            thread.step += 1
            thread.open, thread.message, thread.uuids, thread.tokens = True, identity, set(), None
            thread.key = identity or line.uuid or f"{line.session}:{line.agent}:{thread.step}"
        thread.uuids.add(line.uuid)
        thread.answered = False
        thread.at, thread.branch = line.at or thread.at, line.branch
        thread.tokens = tokens(message.get("usage")) or thread.tokens
        for place, block in enumerate(blocks):
            if isinstance(block, Mapping):
                events += self._block(line, thread, block, place)
            else:
                self._counts.skip("block:none")
        return events

    def _block(self, line: ClaudeLine, thread: _Thread, block: Mapping[str, Any], place: int) -> list[Event]:
        kind = block.get("type")
        key = f"{line.uuid or thread.key}:{place}"
        if kind == "text":
            text = string(block.get("text"), MAX_PROMPT).strip()
            if not text or text == "(no content)":
                return []
            thread.report = text
            return [line.event("reply", f"{key}:reply", thread.step, text=text)]
        if kind == "thinking":
            text = string(block.get("thinking"), MAX_PROMPT).strip()
            return [line.event("reasoning", f"{key}:reasoning", thread.step, text=text)] if text else []
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            return self._call(line, thread, block, key)
        if isinstance(kind, str) and kind.endswith("tool_result"):
            return self._result(line, thread, block)
        self._counts.skip(f"block:{string(kind, 40)}")
        return []

    def _call(self, line: ClaudeLine, thread: _Thread, block: Mapping[str, Any], key: str) -> list[Event]:
        thread.report = ""
        name = string(block.get("name"), 200)
        if block.get("type") == "mcp_tool_use" and not name.startswith("mcp__"):
            name = f"mcp__{string(block.get('server_name'), 100)}__{name}"
        identity = string(block.get("id"), 200)
        known_by = identity if own_id(identity, name) else f"{key}:{identity}".rstrip(":")
        made = call(name, block.get("input"), line.relative)
        made = self._plans.call(line.session, made, block.get("input"))
        if made.action == "run" and (where := line.relative(".")) not in (".", "") and line.cwd:
            made = made._replace(extra={**(made.extra or {}), "cwd": where})
        self._calls.add(identity, made, thread.step, known_by, session=line.session, agent=line.agent)
        call_id = known_by if identity else ""
        return [line.event("tool_call", f"{known_by}:call", thread.step, made=made, call_id=call_id)]

    def _user(self, line: ClaudeLine) -> list[Event]:
        content = line.message.get("content")
        thread = self._thread(line)
        thread.answered = True
        if isinstance(content, str):
            return self._said(line, thread, [content])
        events: list[Event] = []
        texts: list[str] = []
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, Mapping):
                self._counts.skip("block:none")
            elif block.get("type") == "tool_result":
                events += self._begin(line) + self._result(line, thread, block)
            else:
                texts.append(joined([block]))
        return events + self._said(line, thread, texts) if texts else events

    def _said(self, line: ClaudeLine, thread: _Thread, texts: list[str]) -> list[Event]:
        record = line.record
        events = [event for text in texts for event in self._ended(line, thread, text)]
        for flag in ("isMeta", "isCompactSummary", "repeatsCompactSummary", "isVisibleInTranscriptOnly"):
            if record.get(flag) is True:
                self._counts.skip(f"user:{flag}")
                return events
        origin = record.get("origin")
        if isinstance(origin, Mapping) and origin.get("kind") not in (None, "human"):
            self._counts.skip("user:origin")
            return events
        kept: list[str] = []
        for text in texts:
            text = without_reminders(text).strip()
            if text.startswith(INTERRUPTED):
                events += self._interrupt(line, thread)
            elif text and injected(text):
                self._counts.skip("user:injected")
            elif text := without_blocks(text):
                kept.append(text)
        if line.agent and kept:
            # The model wrote the prompt of a subagent.
            self._counts.skip("user:to an agent")
            return events + self._begin(line, both_ends("\n".join(kept), MAX_PROMPT))
        return events + (self._prompt(line, thread, "\n".join(kept)) if kept else [])

    @staticmethod
    def _ended(line: ClaudeLine, thread: _Thread, text: str) -> list[Event]:
        """Return the results of background commands that a notice reports."""
        return [
            line.event(
                "tool_result",
                f"{line.uuid or line.at}:{name}:ended",
                thread.step,
                text=f"Exit code {code}",
                error=code != 0,
                extra={"of": name, "exit_code": code},
            )
            for name, code in ended(text)
        ]

    def _prompt(self, line: ClaudeLine, thread: _Thread, text: str) -> list[Event]:
        events = self._begin(line) + thread.close()
        identity = string(line.record.get("promptId"), 200)
        if not identity or self._prompts.setdefault(identity, line.uuid) != line.uuid:
            identity = line.uuid or f"{line.session}:{line.at}"
        text = both_ends(text, MAX_PROMPT)
        return [*events, line.event("user_prompt", f"{identity}:prompt", thread.step, text=text)]

    def _interrupt(self, line: ClaudeLine, thread: _Thread) -> list[Event]:
        if thread.open:
            return thread.close(interrupted=True)
        key = f"{line.uuid or line.at}:interrupted"
        return [*self._begin(line), line.event("step", key, thread.step, extra={"interrupted": True})]

    def _system(self, line: ClaudeLine) -> list[Event]:
        subtype = string(line.record.get("subtype"), 40)
        if subtype != "compact_boundary":
            self._counts.skip(f"system:{subtype}")
            return []
        thread = self._thread(line)
        events = self._begin(line) + thread.close()
        return [*events, line.event("compaction", f"{line.uuid or line.at}:compaction", thread.step)]

    def _attachment(self, line: ClaudeLine) -> list[Event]:
        held = line.record.get("attachment")
        held = held if isinstance(held, Mapping) else {}
        origin = held.get("origin")
        human = not isinstance(origin, Mapping) or origin.get("kind") == "human"
        if held.get("type") == "queued_command" and held.get("commandMode") == "prompt" and human:
            text = without_reminders(joined(held.get("prompt"))).strip()
            if text and not injected(text) and not line.agent:
                return self._prompt(line, self._thread(line), without_blocks(text))
        self._counts.skip("attachment")
        if held.get("commandMode") == "task-notification":
            return self._ended(line, self._thread(line), joined(held.get("prompt")))
        return []

    # Results.

    def _result(self, line: ClaudeLine, thread: _Thread, block: Mapping[str, Any]) -> list[Event]:
        identity = string(block.get("tool_use_id"), 200)
        made, step, known_by = self._calls.take(identity, thread.step, session=line.session, agent=line.agent)
        structured = line.record.get("toolUseResult")
        content = block.get("content")
        text = result_text(content or structured_text(structured))
        error = block.get("is_error") is True or (
            "is_error" not in block and isinstance(structured, str) and structured.startswith("Error:")
        )
        extra: dict[str, Any] = {}
        about = structured if isinstance(structured, Mapping) else {}
        if made.action == "run" and (found := EXIT.match(text)):
            extra["exit_code"] = int(found[1])
            error = error or extra["exit_code"] != 0
        if made.action == "run":
            extra |= runs_on(text)
            if path := kept_in(text):
                extra["output"] = line.relative(path)
        elif made.tool in POLLS:
            extra |= became(text)
            error = error or extra.get("exit_code", 0) != 0
        if about.get("interrupted") is True or text.startswith(INTERRUPTED):
            extra["interrupted"] = True
        if error:
            extra.update(refusal(text))
        events: list[Event] = []
        if made.action == "task":
            text, agent = report(text, about)
            if agent and not error and about.get("status") != "async_launched":
                other = self._threads.get((line.session, agent))
                said = other.report if other and other.report else text
                where = other.step if other else step
                events += other.close() if other else []
                events.append(self._stop(line, agent, where, said))
        lost = identity if own_id(identity) else f"{line.uuid or line.at}:{identity}".rstrip(":")
        known_by = known_by or lost
        made = made._replace(extra=None)
        shown_event = line.event(
            "tool_result",
            f"{known_by}:result",
            step,
            made=made,
            call_id=known_by if identity else "",
            text=text,
            error=error,
            extra=extra or None,
        )
        return [shown_event, *events]

    # Threads.

    def _thread(self, line: ClaudeLine) -> _Thread:
        return self._threads.setdefault((line.session, line.agent), _Thread(line.session, line.agent))

    @staticmethod
    def _same(thread: _Thread, line: ClaudeLine, identity: str) -> bool:
        if not thread.open:
            return False
        if identity or thread.message:
            return identity == thread.message
        return string(line.record.get("parentUuid"), 200) in thread.uuids or not thread.answered

    def _begin(self, line: ClaudeLine, told: str = "") -> list[Event]:
        events: list[Event] = []
        if line.session not in self._started:
            self._started.add(line.session)
            extra = self._roots.began(line.cwd) or None
            events.append(
                line.event("session_start", f"{line.session}:start", 0, extra=extra)._replace(agent="")
            )
        if line.agent and line.agent not in self._started:
            self._started.add(line.agent)
            events.append(line.event("subagent_start", f"{line.agent}:start", 0, text=told))
        return events

    def _stop(self, line: ClaudeLine, agent: str, step: int, said: str) -> Event:
        key = f"{agent}:stop:{step}" if agent in self._stopped else f"{agent}:stop"  # it was taken up again
        self._stopped.add(agent)
        return line.event("subagent_stop", key, step, text=said)._replace(agent=agent)
