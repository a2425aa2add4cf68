"""The contract of a host's reader: its sessions, their turns, and the conversion of turns to events.

A reader in `hosts/` finds sessions and yields each as a sequence of turns: typed prompts, replies of the
model, its tool calls, and their results. Everything else is common to all hosts and implemented here: steps,
keys, relative paths, actions of tools, limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from remora.core.actions import host_action, own_id
from remora.core.budget import look
from remora.core.codex_patch import BEGIN
from remora.core.cut import both_ends
from remora.core.events import Event
from remora.core.tool_calls import Call, call
from remora.core.typed_prompt import typed
from remora.sources.transcripts.calls import Calls
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.paths import Roots
from remora.sources.transcripts.texts import MAX_PROMPT, result_text, string


class Session(NamedTuple):
    """A session, before it is read.

    Attributes:
        id: the host's own.
        cwd: the working directory at its start; empty if the host records none.
        started: ISO 8601; empty if unknown.
        branch: the checked-out git branch, if the host records it.
        stamp: changes whenever the session does. Needed only if the session's file holds other sessions
            too, or only a part of this one; otherwise the size and time of the file are used.
        size: approximate size in bytes; 0 if the size of the file is the session's.
    """

    id: str
    cwd: str = ""
    started: str = ""
    branch: str | None = None
    stamp: str = ""
    size: int = 0


class Prompt(NamedTuple):
    """A typed prompt. `key` is the host's id of it, or one that is the same at every reading."""

    key: str
    text: str
    at: str | None = None


class Reply(NamedTuple):
    """A reply of the model: it begins a step, to which the calls after it belong.

    Attributes:
        key: see `Prompt`.
        text, thought: empty if it only calls tools.
        tokens: input tokens, including cached ones.
    """

    key: str
    text: str = ""
    thought: str = ""
    at: str | None = None
    tokens: int | None = None


class Called(NamedTuple):
    """A tool call: its id, the tool's name, its arguments as a JSON value."""

    id: str
    tool: str
    given: Any = None
    at: str | None = None


class Returned(NamedTuple):
    """The result of a call.

    Attributes:
        id: of the call.
        content: a text, or a list of blocks.
        error: whether it failed.
        exit_code: of a command.
        denied: whether the person refused the call.
        interrupted: whether it was stopped.
    """

    id: str
    content: Any = ""
    at: str | None = None
    error: bool = False
    exit_code: int | None = None
    denied: bool = False
    interrupted: bool = False


class Compacted(NamedTuple):
    """The host replaced the earlier messages by a summary."""

    key: str
    at: str | None = None


class Interrupted(NamedTuple):
    """The person stopped the model."""

    at: str | None = None


Turn = Prompt | Reply | Called | Returned | Compacted | Interrupted


class Host(Protocol):
    """The reader of one host's sessions. A module in `hosts/` is one.

    Attributes:
        HOST: its name; the same as in the hooks, if it has hooks.
        ACTIONS: the actions of its own tools. Any other tool counts as an MCP tool, whatever its name: its
            results are external text.
    """

    HOST: str
    ACTIONS: Mapping[str, str]

    def files(self, environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
        """Yield the files on this machine that may hold sessions of a project.

        Args:
            environ: HOME or USERPROFILE, and the host's own variables.
            folders: of the project: its root and its work trees, as named and as resolved.
        """
        ...

    def sessions(self, path: Path) -> Iterator[Session]:
        """Yield the sessions in a file; none if it is another host's, which its name should show first.

        Raises:
            SourceError: it is this host's and cannot be read.
        """
        ...

    def turns(self, path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
        """Yield the turns of a session in order; skipped and unreadable records are counted.

        Raises:
            SourceError: the file cannot be read.
        """
        ...


def events(
    session: Session, turns: Iterable[Turn], actions: Mapping[str, str], roots: Roots
) -> Iterator[Event]:
    """Yield the events of a session.

    Args:
        session: the session to read.
        turns: its turns, in order.
        actions: the actions of the host's own tools.
        roots: for relative paths.
    """
    timeline = _Timeline(session, actions, roots)
    for turn in turns:
        look()
        yield from timeline.take(turn)
    yield from timeline.close()


class _Timeline:
    def __init__(self, session: Session, actions: Mapping[str, str], roots: Roots) -> None:
        self._session = session
        self._actions = actions
        self._roots = roots
        self._calls = Calls()
        self._step = 0
        self._open: Reply | None = None
        self._started = False

    def take(self, turn: Turn) -> Iterator[Event]:
        """Yield the events of a turn."""
        if not self._started:
            self._started = True
            extra = self._roots.began(self._session.cwd) or None
            at = turn.at or self._session.started or None
            yield self._event("session_start", f"{self._session.id}:start", at, extra=extra)
        match turn:
            case Prompt():
                yield from self._prompt(turn)
            case Reply():
                yield from self._reply(turn)
            case Called():
                yield from self._called(turn)
            case Returned():
                yield self._returned(turn)
            case Interrupted():
                yield from self.close(interrupted=True)
            case Compacted():
                yield from self.close()
                yield self._event("compaction", f"{self._name(turn.key)}:compaction", turn.at)

    def close(self, *, interrupted: bool = False) -> Iterator[Event]:
        """Yield the end of the open step."""
        if (done := self._open) is not None:
            self._open = None
            extra = {"interrupted": True} if interrupted else None
            key = f"{self._name(done.key)}:step"
            yield self._event("step", key, done.at, tokens=done.tokens, extra=extra)

    def _prompt(self, prompt: Prompt) -> Iterator[Event]:
        yield from self.close()
        if said := typed(prompt.text.strip()).strip():
            key = f"{self._name(prompt.key)}:prompt"
            yield self._event("user_prompt", key, prompt.at, text=both_ends(said, MAX_PROMPT))

    def _reply(self, reply: Reply) -> Iterator[Event]:
        yield from self.close()
        self._open = reply
        self._step += 1
        for kind, text in (("reasoning", reply.thought.strip()), ("reply", reply.text.strip())):
            if text:
                key = f"{self._name(reply.key)}:{kind}"
                yield self._event(kind, key, reply.at, text=both_ends(text, MAX_PROMPT))

    def _called(self, called: Called) -> Iterator[Event]:
        if self._open is None:
            yield from self._reply(Reply(called.id, at=called.at))
        made, name = self._made(called), self._name(called.id, called.tool)
        self._calls.add(called.id, made, self._step, name)
        yield self._event("tool_call", f"{name}:call", called.at, made=made, call_id=name)

    def _made(self, called: Called) -> Call:
        tool = string(called.tool, 200)
        given = called.given if isinstance(called.given, Mapping) else {}
        texts = [text for text in (called.given, *given.values()) if isinstance(text, str)]
        patch = next((text for text in texts if text.lstrip().startswith(BEGIN)), "")
        if (made := call(tool, {"input": patch}, self._relative, "edit")).paths:
            return made
        return call(tool, given, self._relative, host_action(tool, given, self._actions))

    def _returned(self, returned: Returned) -> Event:
        made, step, name = self._calls.take(returned.id, self._step)
        name = name or self._name(returned.id, made.tool)
        code = returned.exit_code
        extra: dict[str, Any] = {"exit_code": code} if code is not None else {}
        extra |= {what: True for what in ("denied", "interrupted") if getattr(returned, what)}
        event = self._event(
            "tool_result",
            f"{name}:result",
            returned.at,
            made=made._replace(extra=None),
            call_id=name,
            text=result_text(returned.content),
            error=returned.error or bool(code),
            extra=extra or None,
        )
        return event._replace(step=step)

    def _relative(self, path: str) -> str:
        return self._roots.relative(path, self._session.cwd)

    def _name(self, key: str, tool: str = "") -> str:
        """Return a key that is unique to this session; a random id already is."""
        return key if own_id(key, tool) else f"{self._session.id}:{key}"

    def _event(
        self, kind: str, key: str, at: str | None, *, made: Call | None = None, **fields: Any
    ) -> Event:
        if made is not None:
            fields = made._asdict() | fields
        session = self._session
        return Event(kind, session.id, key[:300], self._step, at, branch=session.branch, **fields)
