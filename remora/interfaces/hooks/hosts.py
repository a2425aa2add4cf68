"""Registry of the hosts; the module of a host is imported on demand.

It has `parse(payload, environ)`, which returns a `Moment` and never raises; `render(payload, moment, reply)`,
which returns the JSON object to print, or None; `INJECTS`, the kinds of moments at which text reaches the
model; and `TRANSCRIPTS`: the host writes a transcript of each session that Remora can read.
"""

from __future__ import annotations

from typing import Any

HOSTS = ("claude-code", "codex", "cursor", "gemini", "copilot", "vscode", "windsurf", "opencode")


def host_named(name: str) -> Any:
    """Import and return only the module of a host."""
    if name not in HOSTS:
        from remora.core.errors import InvalidInput

        told = f"unknown coding agent {name[:40]!r}" if name else "the coding agent is not named"
        raise InvalidInput(told, hint=f"Use --host with one of {', '.join(HOSTS)}.")
    return __import__(f"remora.interfaces.hooks.{name.replace('-', '_')}", fromlist=["parse"])
