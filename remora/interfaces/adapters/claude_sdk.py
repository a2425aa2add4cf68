"""Adapter for the Claude Agent SDK: hooks as Python callbacks, and a durable `SessionStore`.

```text
with remora_hooks(memory) as hooks:
    options = ClaudeAgentOptions(hooks=hooks, session_store=RemoraSessionStore(memory))
    async for message in query(prompt="fix the cache", options=options): …
```

The callbacks read the payloads of Claude Code and answer in its format, like `remora hook`, but in the
program's own process. The SDK has no callback at the start or end of a session: the brief is injected with
the first prompt, and again after a compaction. Do not load Remora's plugin or settings as well: every text
would be injected twice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio import to_thread
from claude_agent_sdk import HookMatcher, SessionStore

from remora.core import moments
from remora.core.errors import InvalidInput
from remora.core.moments import Moment, Reply
from remora.disk.files import append_line, lock, os_errors
from remora.disk.names import original_name, safe_name
from remora.interfaces.adapters.guarded import ManySessions, joined, json_lines, quietly
from remora.interfaces.hooks import claude_code

if TYPE_CHECKING:
    from claude_agent_sdk.types import (
        HookContext,
        SessionKey,
        SessionListSubkeysKey,
        SessionStoreEntry,
        SessionStoreListEntry,
    )

    from remora.app.memory import Memory

HOST = "claude-code"  # the SDK runs Claude Code: a transcript that is learned later has the same session id
# Eight of the ten callback events; permission requests and notifications concern only the user.
EVENTS = (
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
)
TIMEOUT = 10.0  # seconds: the brief and the advice for the first prompt may take three each
FOLDER = "claude-sessions"  # below the project's home
SUFFIX = ".jsonl"

_OURS = {"CLAUDECODE": "1"}  # the caller is known: the process environment is not consulted
_T = TypeVar("_T")


# Hooks


class _Briefed:
    """Whether the brief was injected into a session, and whether it is due again."""

    def __init__(self) -> None:
        self.once = False
        self.again = False


class RemoraHooks(ManySessions[_Briefed], dict[str, list[HookMatcher]]):
    """The hooks for `ClaudeAgentOptions(hooks=…)`, with one loop per session.

    Use it with `with`, or call `close`, which saves the sessions. `finish` learns from one session; call it
    if Claude Code writes no transcript, since Remora learns from transcripts anyway.
    """

    def __init__(self, memory: Memory, *, timeout: float = TIMEOUT) -> None:
        super().__init__(memory, HOST, lambda _: _Briefed())
        for event in EVENTS:
            self[event] = [HookMatcher(hooks=[self._called], timeout=timeout, on_failure="continue")]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _called(self, told: Any, tool_use_id: str | None, context: HookContext) -> dict[str, Any]:  # noqa: ARG002
        """Answer one hook event; never block or decide a tool call."""
        nothing: dict[str, Any] = {}
        return await _aside(quietly, nothing, self._answer, told)

    def _answer(self, told: Mapping[str, Any]) -> dict[str, Any]:
        moment = claude_code.parse(told, _OURS)
        if moment.kind == moments.OTHER or not moment.session:
            return {}
        text = self._said(moment, told)
        return claude_code.render(told, moment, Reply(text)) or {}

    def _said(self, moment: Moment, told: Mapping[str, Any]) -> str:
        loop = self._loop_of(moment.session)
        given = told.get("tool_input")
        arguments = given if isinstance(given, Mapping) else {}
        match moment.kind:
            case moments.PROMPT:
                return self._prompted(moment)
            case moments.BEFORE:
                return loop.before(moment.tool, arguments, moment.call_id)
            case moments.AFTER | moments.FAILED:
                failed = moment.failed or moment.kind == moments.FAILED
                said = loop.after(moment.tool, arguments, moment.text, failed=failed, call_id=moment.call_id)
                return joined(self._again(moment), said)
            case moments.COMPACTING:
                self._state(moment.session).again = True
            case moments.SUBAGENT_START:
                return loop.brief()
            case moments.STOP if moment.text:
                loop.replied(moment.text)
        return ""

    def _prompted(self, moment: Moment) -> str:
        loop, briefed = self._loop_of(moment.session), self._state(moment.session)
        with self._lock:
            first = not (briefed.once or briefed.again)
            briefed.once = True
        if not first:
            loop.heard(moment.text)
            return self._again(moment)
        return joined(loop.brief(), loop.first_message(moment.text))

    def _again(self, moment: Moment) -> str:
        """Return the brief again, once after each compaction, for the main agent; else an empty text."""
        briefed = self._state(moment.session)
        with self._lock:
            due = not moment.agent and briefed.again
            if due:
                briefed.again = False
        return self._loop_of(moment.session).brief() if due else ""


def remora_hooks(memory: Memory, *, timeout: float = TIMEOUT) -> RemoraHooks:
    """Return hooks for `ClaudeAgentOptions(hooks=…)`.

    Args:
        memory: the open memory of the project that the agent works in.
        timeout: seconds after which the agent continues without an answer.
    """
    return RemoraHooks(memory, timeout=timeout)


# Sessions


class RemoraSessionStore(SessionStore):
    """Store transcripts of Claude Code in the project's home, in the file layout of Claude Code.

    A transcript is `<home>/claude-sessions/<project key>/<session>.jsonl`, those of its subagents are in
    `<session>/` beside it. A machine that was moved or wiped can resume from them, and
    `memory.learn(store.folder)` reads them. Entries are returned as they were given and secrets in them are
    not redacted; only the owner may read the files. An entry that was appended twice, as by a retry, is
    loaded once, by its uuid.

    Read and write errors are raised: the SDK retries, reports to the program and continues.
    """

    def __init__(self, memory: Memory) -> None:
        self.folder: Path = memory.home / FOLDER

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Append entries to a transcript, durably, in one write."""
        if entries:
            await _aside(self._append, key, list(entries))

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Return the entries of a transcript in order; None if it does not exist."""
        return await _aside(self._load, key)

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """Return the sessions of a project with the time of the last write."""
        return await _aside(self._sessions, project_key)

    async def delete(self, key: SessionKey) -> None:
        """Delete a session with its subagents, or only one subagent."""
        await _aside(self._delete, key)

    async def list_subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        """Return the subpaths of a session: the transcripts of its subagents."""
        return await _aside(self._subkeys, key)

    def _append(self, key: SessionKey, entries: Sequence[Any]) -> None:
        # ASCII only: escapes preserve unpaired surrogates.
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        with lock(self._main(key)):
            append_line(self._path(key), text)

    def _load(self, key: SessionKey) -> list[Any] | None:
        path = self._path(key)
        with os_errors(path, "read"):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                return None
        found: dict[Any, Any] = {}
        for number, entry in enumerate(json_lines(data)):
            name = entry.get("uuid")
            found.setdefault(name if isinstance(name, str) else number, entry)
        return list(found.values())

    def _sessions(self, project_key: str) -> list[Any]:
        folder = self.folder / safe_name(project_key)
        with os_errors(folder, "read"):
            paths = sorted(folder.glob(f"*{SUFFIX}"))
        return [
            {"session_id": name, "mtime": int(path.stat().st_mtime * 1000)}
            for path in paths
            if (name := original_name(path.stem))
        ]

    def _delete(self, key: SessionKey) -> None:
        main, path = self._main(key), self._path(key)
        if not main.parent.is_dir():
            return
        with lock(main), os_errors(path, "delete"):
            if path == main:
                with suppress(FileNotFoundError):
                    shutil.rmtree(main.with_suffix(""))
                main.with_suffix(".summary.json").unlink(missing_ok=True)  # of earlier versions
            path.unlink(missing_ok=True)

    def _subkeys(self, key: SessionListSubkeysKey) -> list[str]:
        below = self._main(key).with_suffix("")
        found = []
        for path in sorted(below.rglob(f"*{SUFFIX}")):
            parts = [original_name(p) for p in path.relative_to(below).with_suffix("").parts]
            if all(parts):
                found.append("/".join(filter(None, parts)))
        return found

    def _main(self, key: SessionKey | SessionListSubkeysKey) -> Path:
        return self.folder / safe_name(key["project_key"]) / (_named(key["session_id"]) + SUFFIX)

    def _path(self, key: SessionKey) -> Path:
        main, sub = self._main(key), key.get("subpath")
        if not sub:
            return main
        parts = [_named(part) for part in sub.split("/")]
        return main.with_suffix("").joinpath(*parts[:-1], parts[-1] + SUFFIX)


async def _aside(call: Callable[..., _T], *args: Any) -> _T:
    """Call in a thread; works with asyncio and trio, as the SDK does."""
    return await to_thread.run_sync(partial(call, *args))


def _named(part: str) -> str:
    """Return the file name of a part of a key.

    Raises:
        InvalidInput: the part is too long to be restored from its file name.
    """
    made = safe_name(part)
    if original_name(made) is None:
        raise InvalidInput(f"{part[:40]!r}… is too long for a session's key")
    return made
