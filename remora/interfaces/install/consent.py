"""Set a coding agent as the language model that writes memories from sessions, in the user's settings.

The commands disable tools and session storage, because the model reads untrusted text.
"""

from __future__ import annotations

from pathlib import Path

from remora.core.errors import ConfigError, SourceError
from remora.disk.files import read_small, write_atomic
from remora.interfaces.install import tomls
from remora.interfaces.install.insertions import Broken

# By host: the command that answers a prompt on its standard input.
WRITERS = {
    "claude-code": 'claude -p --tools "" --strict-mcp-config --no-session-persistence',
    "codex": "codex exec --sandbox read-only --skip-git-repo-check --ephemeral -",
}
COST = "about 5,000 tokens in and 500 out per session, at most 50 sessions a day"


def program_of(command: str) -> str:
    """Return the name of a command's program."""
    return command.partition(" ")[0]


def set_writer(path: Path, command: str) -> None:
    """Set a command as the language model that writes memories from sessions.

    Args:
        path: the path of `config.toml`, created if missing; existing settings stay.
        command: the value of `llm.command`.

    Raises:
        ConfigError: the file already has `[llm]` or `[learn]`, or is not TOML.
        SourceError: the tables cannot be appended to the file.
    """
    text = (read_small(path.resolve()) or b"").decode("utf-8")
    try:
        there = tomls.parse(text)
    except Broken as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", hint="Fix the file.") from None
    added = {"llm": {"provider": "command", "command": command}, "learn": {"synthesis": True}}
    for name in added:
        if name in there:
            raise ConfigError(
                f"{path} already has a table [{name}]; it was not changed",
                hint=f"Set llm.provider = \"command\", llm.command = '{command}' and learn.synthesis = true.",
            )
    lines = [tomls.table(["llm"], {"provider": "command", "command": command}), "[learn]\nsynthesis = true"]
    whole = "\n\n".join([*([text.rstrip("\n")] if text.strip() else []), *lines]) + "\n"
    if tomls.parse(whole) != there | added:
        raise SourceError(f"the tables cannot be added to {path}; it was not changed")
    write_atomic(path, whole.encode("utf-8"))
