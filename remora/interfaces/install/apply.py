"""Apply an installation plan: write each file atomically, after checking that no file has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from remora.app.project.locate import set_by_user, user_file
from remora.app.project.user_settings import set_settings
from remora.core.errors import ConfigError, Conflict
from remora.disk.files import os_errors, write_atomic
from remora.interfaces.install import records
from remora.interfaces.install.plan import Change, Plan, real_path

# By host: the command that answers a prompt on its standard input. Tools and session storage are off, because
# the model reads untrusted text.
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


def carry_out(plan: Plan) -> None:
    """Apply a plan. The record is written first, so that a partial installation can be undone after a crash.

    Raises:
        Conflict: a file changed since the plan was made; nothing was changed.
        StoreReadOnly, StoreFull: a file cannot be written; the record covers the changes made so far.
    """
    todo = [change for change in plan.changes if change.action != "keep"]
    for change in todo:
        _require_as_planned(change)
    if plan.written is not None and plan.written != records.read(plan.record):
        records.write(plan.record, plan.written)
    for change in todo:
        _write(change)
    for change in plan.changes:
        if change.past is None:
            _remove_empty(change.made)
    if plan.written is None and plan.record.exists():
        with os_errors(plan.record, "remove"):
            records.remove(plan.record)


def _require_as_planned(change: Change) -> None:
    try:
        now = change.path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        now = None
    except OSError:
        now = b""
    if now != change.before:
        raise Conflict(
            f"{change.path} changed since the preview; nothing was written", hint="Run the command again."
        )


def _write(change: Change) -> None:
    if change.after is None:
        real = real_path(change.path)
        with os_errors(real, "remove"):
            real.unlink(missing_ok=True)
    else:
        write_atomic(change.path, change.after)


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in reversed(list(folders)):
        with suppress(OSError):  # the folder is not empty
            folder.rmdir()
