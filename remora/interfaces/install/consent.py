"""Set a coding agent as the language model that writes memories from sessions, in the user's settings.

The commands disable tools and session storage, because the model reads untrusted text.
"""

from __future__ import annotations

from collections.abc import Mapping

from remora.app.project.locate import set_by_user, user_file
from remora.app.project.user_settings import set_settings
from remora.core.errors import ConfigError

# By host: the command that answers a prompt on its standard input.
WRITERS = {
    "claude-code": 'claude -p --tools "" --strict-mcp-config --no-session-persistence',
    "codex": "codex exec --sandbox read-only --skip-git-repo-check --ephemeral -",
}
COST = "about 5,000 tokens in and 500 out per session, at most 50 sessions a day"


def program_of(command: str) -> str:
    """Return the name of a command's program."""
    return command.partition(" ")[0]


def set_writer(command: str, environ: Mapping[str, str]) -> None:
    """Set a command as the language model that writes memories from sessions, in the user's settings.

    Args:
        command: the value of `llm.command`.
        environ: the environment that names the settings folder.

    Raises:
        ConfigError: the settings already have `[llm]` or `[learn]`, or cannot be changed safely.
    """
    there = set_by_user(environ)
    for name in ("llm", "learn"):
        if name in there:  # a setting of another provider would be mixed with the command
            raise ConfigError(
                f"{user_file(environ)} already has a table [{name}]; it was not changed",
                hint=f"Set llm.provider = \"command\", llm.command = '{command}' and learn.synthesis = true.",
            )
    set_settings({"llm.provider": "command", "llm.command": command, "learn.synthesis": "true"}, environ)
