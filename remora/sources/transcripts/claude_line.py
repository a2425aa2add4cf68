"""One line of a Claude Code transcript: its common fields and the classification of its texts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from remora.core.events import Event
from remora.core.tool_calls import Call
from remora.sources.instant import instant
from remora.sources.transcripts.paths import Roots
from remora.sources.transcripts.texts import number, string

INTERRUPTED = "[Request interrupted by user"
# Text in a user's line that no person typed. A tag counts only if it is closed: a person may ask about it.
_TAGS = re.compile(
    r"\s*<(local-command-\w+|command-name|command-message|command-args|bash-input|bash-stdout|bash-stderr"
    r"|task-notification|teammate-message|cross-session-message|user-prompt-submit-hook|channel"
    r"|user-memory-input|fork-boilerplate|new-diagnostics)\b"
)
_PREFIXES = (
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "Operation stopped by hook:",
    "Stop hook feedback:",
    "[Subagent hand-back]",
)
_IDE = re.compile(r"\s*<ide_\w+>")
EXIT = re.compile(r"\s*(?:Error: )?Exit code (\d{1,10})\b")
# A command in the background, and a tool's answer about one.
_ON_ITS_OWN = re.compile(r"\bbackground\w*\b[^\n]{0,80}?\bID: ?([\w-]{1,40})")
# The host's own folders for the output of a background command, and for very long output.
_GOES_TO = re.compile(
    r"\s*Command [^\n]{0,100}\bID: ?([\w-]{1,40})\. Output is being written to: "
    r"([^\n]{1,1000}?[\\/]tasks[\\/]\1\.output)\b"
)
_SAVED_TO = re.compile(
    r"\s*<(persisted-output)>\s*\n[^\n]{0,200}?\bsaved to: "
    r"([^\n]{1,1000}?[\\/]tool-results[\\/][\w.-]+)\s*(?:\n|\Z)"
)
_STATUS = re.compile(r"<status>(\w+)</status>")
_EXIT_CODE = re.compile(r"(?:<exit_code>|\bexit code )(-?\d{1,10})\)?</(?:exit_code|summary)>")
_NOTICE = re.compile(r"<task-notification>(?:(?!<task-n).)*?</task-notification>", re.DOTALL)
_TASK = re.compile(r"<task-id>([\w-]{1,40})</task-id>")
_DENIED = re.compile(
    r"\s*(?:Error: )?(?:The user doesn't want to (?:proceed with|take) this"
    r"|Permission to use .{1,2000}? has been (?:auto-)?denied|Permission for this "
    r"|Claude requested permissions )",
    re.DOTALL,
)
_SAID = re.compile(r"the user said:\s*(.+)", re.DOTALL)
_HAND_BACK = "[Subagent hand-back]"
_AGENT_LINE = re.compile(r"\n?agentId: (\w{4,64})\b[^\n]*(?:\n<usage>.*)?\s*\Z", re.DOTALL)


def runs_on(text: str) -> dict[str, Any]:
    """Return the name of a command that continues after its result; empty if it ended.

    >>> runs_on("Command running in background with ID: bash_1")
    {'running': 'bash_1'}
    """
    found = _ON_ITS_OWN.search(text[:500])
    return {"running": found[1]} if found else {}


def kept_in(text: str) -> str:
    r"""Return the file with a command's full output; empty if none is named.

    >>> kept_in("<persisted-output>\nToo large (52KB). Full output saved to: /c/s1/tool-results/b1.txt\n")
    '/c/s1/tool-results/b1.txt'
    """
    found = _GOES_TO.match(text) or _SAVED_TO.match(text)
    return found[2] if found else ""


def became(text: str) -> dict[str, Any]:
    r"""Return the state of a background command: its exit code, still running, or stopped.

    >>> became("<status>failed</status>\n<exit_code>1</exit_code>"), became("<status>running</status>")
    ({'exit_code': 1}, {'running': True})
    """
    status, code = _STATUS.search(text), _EXIT_CODE.search(text)
    if code:
        return {"exit_code": int(code[1])}
    if status and status[1] == "completed":
        return {"exit_code": 0}
    return {"exit_code": 1} if status and status[1] == "failed" else {"running": True}


def ended(text: str) -> Iterator[tuple[str, int]]:
    r"""Yield the name and the exit code of each task that ended by itself, according to a notice.

    >>> notice = "<task-id>b1</task-id>\n<status>failed</status>\n<summary>x (exit code 2)</summary>"
    >>> list(ended(f"<task-notification>\n{notice}\n</task-notification>"))
    [('b1', 2)]
    """
    if not text.lstrip().startswith("<task-notification>"):
        return
    for notice in _NOTICE.findall(text):
        task, code = _TASK.search(notice), became(notice).get("exit_code")
        if task and code is not None:
            yield task[1], code


class ClaudeLine:
    """The fields of every line."""

    __slots__ = ("agent", "at", "branch", "cwd", "message", "record", "roots", "session", "uuid")

    def __init__(self, record: Mapping[str, Any], uuid: str, session: str, agent: str, roots: Roots) -> None:
        message = record.get("message")
        branch = string(record.get("gitBranch"), 200)
        self.record = record
        self.uuid = uuid
        self.message: Mapping[str, Any] = message if isinstance(message, Mapping) else {}
        self.session = string(record.get("sessionId"), 200) or session
        self.agent = agent
        self.at = instant(record.get("timestamp"))
        self.cwd = string(record.get("cwd"), 4096)
        self.branch = branch if branch not in ("", "HEAD") else None
        self.roots = roots

    def relative(self, path: str) -> str:
        """Return the canonical form of a path."""
        return self.roots.relative(path, self.cwd)

    def event(self, kind: str, key: str, step: int, *, made: Call | None = None, **fields: Any) -> Event:
        """Return an event of this line."""
        if made is not None:
            fields = made._asdict() | fields
        return Event(kind, self.session, key, step, self.at, agent=self.agent, branch=self.branch, **fields)


def injected(text: str) -> bool:
    """Return whether a text of a user's line was inserted by the program."""
    if _IDE.match(text) or text.startswith(_PREFIXES):
        return True
    found = _TAGS.match(text)
    return found is not None and f"</{found[1]}>" in text


def tokens(usage: Any) -> int | None:
    """Return the input tokens of a reply, cached ones included."""
    if not isinstance(usage, Mapping):
        return None
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(number(usage.get(name)) or 0 for name in names) or None


def structured_text(value: Any) -> Any:
    """Return the text of a `toolUseResult`, for results without content."""
    if isinstance(value, Mapping):
        parts = [value.get(name) for name in ("stdout", "stderr", "content", "text")]
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return value


def refusal(text: str) -> dict[str, Any]:
    """Return whether the user refused according to a failure, and their words; empty if not."""
    if not _DENIED.match(text):
        return {}
    said = _SAID.search(text)
    return {"denied": True, **({"said": said[1].strip()} if said else {})}


def report(text: str, about: Mapping[str, Any]) -> tuple[str, str]:
    """Return a subagent's report without its wrapper, and the subagent's id."""
    agent = string(about.get("agentId"), 100)
    if found := _AGENT_LINE.search(text):
        agent, text = agent or found[1], text[: found.start()]
    if text.startswith(_HAND_BACK):
        text = textwrap.dedent(text.partition("\n")[2])
    return text.strip(), agent
