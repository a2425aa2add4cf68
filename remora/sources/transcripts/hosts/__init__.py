"""Readers of hosts beside Claude Code and Codex: one file each, with the contract of `transcripts.turns`."""

from __future__ import annotations

from collections.abc import Mapping

from remora.sources.transcripts.hosts import (
    aider,
    cline,
    copilot,
    cursor,
    gemini,
    goose,
    opencode,
    pi,
    roo,
    specstory,
    vscode,
)
from remora.sources.transcripts.turns import Host

_ALL: tuple[Host, ...] = (copilot, opencode, pi, gemini, goose, cline, roo, aider, specstory, vscode, cursor)
OTHERS: Mapping[str, Host] = {host.HOST: host for host in _ALL}
# They copy the sessions of other hosts, with the original ids.
COPIES = frozenset({specstory.HOST})
# They keep sessions in databases, which may be large and must be copied.
DATABASES = frozenset({cursor.HOST, goose.HOST, opencode.HOST})
# Its files may be in folders named after the project, so a session without a folder is the project's.
NAMED = frozenset({cursor.HOST})
