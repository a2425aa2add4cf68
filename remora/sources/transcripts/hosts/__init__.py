"""Readers of hosts beside Claude Code and Codex: one file each, by the contract of `transcripts.turns`."""

from __future__ import annotations

from collections.abc import Mapping

from remora.sources.transcripts.hosts import aider, cline, copilot, cursor, roo, specstory, vscode
from remora.sources.transcripts.turns import Host

OTHERS: Mapping[str, Host] = {
    host.HOST: host for host in (copilot, cline, roo, aider, specstory, vscode, cursor)
}
# They copy the sessions of other hosts, under the ids that these have.
COPIES = frozenset({specstory.HOST})
