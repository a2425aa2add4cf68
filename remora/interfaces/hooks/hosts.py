"""Registry of the hosts: detect the host of a payload and import its module on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from remora.core.moments import Moment, Reply
    from remora.interfaces.hooks import (
        claude_code,
        codex,
        copilot,
        cursor,
        gemini,
        opencode,
        vscode,
        windsurf,
    )

    class Host(Protocol):
        """The interface of a host's module.

        Attributes:
            INJECTS: kinds of moments at which text reaches the model.
            TRANSCRIPTS: the host writes a transcript of each session that Remora can read.
        """

        INJECTS: frozenset[str]
        TRANSCRIPTS: bool

        def parse(self, payload: Mapping[str, Any], environ: Mapping[str, str], /) -> Moment:
            """Return the `Moment` of a payload; never raise."""
            ...

        def render(
            self, payload: Mapping[str, Any], moment: Moment, reply: Reply, /
        ) -> dict[str, Any] | None:
            """Return the JSON object to print; None for no output."""
            ...

    _ALL: tuple[Host, ...] = (claude_code, codex, cursor, gemini, copilot, vscode, windsurf, opencode)

HOSTS = ("claude-code", "codex", "cursor", "gemini", "copilot", "vscode", "windsurf", "opencode")

_GEMINI = ("BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel", "PreCompress")


def host_named(name: str) -> Host:
    """Import and return only the module of a host.

    Raises:
        InvalidInput: the host is unknown.
    """
    if name not in HOSTS:
        from remora.core.errors import InvalidInput

        told = f"unknown coding agent {name[:40]!r}" if name else "the event does not name its coding agent"
        raise InvalidInput(told, hint=f"Use --host with one of {', '.join(HOSTS)}.")
    home: Any = __import__(f"remora.interfaces.hooks.{name.replace('-', '_')}", fromlist=["parse"])
    found: Host = home
    return found


def detect(payload: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """Return the host of a payload, for calls without `--host`; empty if it is unknown.

    The order matters: environments are inherited, and hosts use each other's event names. Copilot CLI and
    OpenCode cannot be detected; their installed hooks pass `--host`.

    >>> detect({"agent_action_name": "post_write_code"}, {}), detect({"turn_id": "t"}, {}), detect({}, {})
    ('windsurf', 'codex', '')
    """
    event = payload.get("hook_event_name")
    if "agent_action_name" in payload:
        return "windsurf"
    if "hookEventName" in payload and "sessionId" in payload:
        return "vscode"
    if "conversation_id" in payload or environ.get("CURSOR_VERSION"):
        return "cursor"
    if event in _GEMINI or environ.get("GEMINI_SESSION_ID"):
        return "gemini"
    if "turn_id" in payload or (event == "SessionStart" and {"model", "permission_mode"} <= payload.keys()):
        return "codex"
    ours = environ.get("CLAUDE_CODE_ENTRYPOINT") and environ.get("CLAUDE_CODE_SESSION_ID")
    if "prompt_id" in payload or (ours and ours == payload.get("session_id")):
        return "claude-code"
    return ""
