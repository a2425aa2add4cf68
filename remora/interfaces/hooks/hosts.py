"""Registry of the hosts: import the module of a host on demand."""

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


def host_named(name: str) -> Host:
    """Import and return only the module of a host.

    Raises:
        InvalidInput: the host is unknown.
    """
    if name not in HOSTS:
        from remora.core.errors import InvalidInput

        raise InvalidInput(
            f"unknown coding agent {name[:40]!r}", hint=f"Use --host with one of {', '.join(HOSTS)}."
        )
    home: Any = __import__(f"remora.interfaces.hooks.{name.replace('-', '_')}", fromlist=["parse"])
    found: Host = home
    return found
