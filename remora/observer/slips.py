"""Slips in a command line: a flag there is not, a `cd` too many, a missing variable, the wrong command.

What was missing may also have come in between: a program that was installed, a folder that was made.

What resolved such a one is told in words that `in_command` knows again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.observer.calls import Call

THERE = (
    "the shell was already in that folder, for a `cd` lasts from one command to the next: leave it out,"
    " or go by absolute paths"
)
_FLAG = re.compile(
    r"(?:unknown|unrecognized|invalid|unexpected|no such|illegal) (?:shorthand )?(?:flag|option|argument)s?"
    r"(?: provided but not defined)?[:\s]+(?:-- )?['\"`‘]?(-{1,2}\w[\w-]*|\w(?=['\"’]?$))",
    re.IGNORECASE | re.MULTILINE,
)
_IN_COMMAND = re.compile(r"(?:with(?:out)? `.+` (?:set|it worked): `.+`|`.+` worked instead)$", re.DOTALL)
_MISSING = re.compile(
    r"not found|no such (?:file|module)|no module named|cannot find|does not exist|not installed"
    r"|is not recognized|could not (?:find|resolve)|must be provided|required|permission denied|not in std",
    re.IGNORECASE,
)
_MANAGERS = (
    "npm|pnpm|yarn|bun|pip3?|pipx|uv|uv pip|poetry|pdm|conda|mamba|brew|apt|apt-get|dnf|yum|apk|cargo|go"
    "|go mod|pacman|gem|bundle|composer|dotnet|nvm|asdf|mise|rustup|rustup \\w+|winget|scoop|mix"
)
_INSTALLS = re.compile(
    rf"(?:^|&& |\(|\s)(?:{_MANAGERS}) (?:install|add|sync|restore|get|ci|i|download|tidy)(?![\w.=/-])"
    r"|(?:^|&& |\()(?:make|just|task|npm run|mise run) (?:\w+[:-])?(?:install|setup|bootstrap|deps|init)\b"
    r"|\bgit (?:init|clone|pull|submodule (?:update|init|add)|lfs (?:pull|install))\b"
)
_MAKES = re.compile(r"(?:^|&& |\()(?:mkdir|touch|cp|mv|ln|chmod|tar|unzip|tee)\b")
_NAME = re.compile(r"\w[\w-]{2,}")
_NO_FOLDER = re.compile(r"\bcd:(?:\d+:)?.*no such file or directory", re.IGNORECASE)
_CD = re.compile(r"(?:^|&&|;)\s*cd\s+(['\"]?)([^\s'\";&|]+)\1")


def wrong_flag(message: str) -> str:
    """Return the flag that a program says it does not have; empty if it says nothing like it.

    >>> wrong_flag("fatal: unrecognized argument: --no-stat"), wrong_flag("unknown flag: --stat")
    ('--no-stat', '--stat')
    """
    found = _FLAG.search(message)
    return found[1] if found and found[1].startswith("-") else ""


def without_flag(message: str, failed: str, worked: str) -> str:
    """Return in words how a command worked once a wrong flag was left out; empty if that is not it.

    >>> without_flag("unknown flag: --stat", "gh pr diff 3 --stat", "gh pr diff 3")
    'without `--stat` it worked: `gh pr diff 3`'
    """
    flag = wrong_flag(message)
    gone = flag and flag in failed.split() and flag not in worked.split()
    return f"without `{flag}` it worked: `{worked}`" if gone else ""


def prepares(command: str, message: str) -> bool:
    """Return whether a command that is no look around brought what a message says is missing.

    It installs, or makes what is named.

    >>> missing = "out/x.json: No such file or directory"
    >>> [prepares(c, missing) for c in ("uv sync", "mkdir -p out", "mkdir tmp", "git add -A", "git fetch")]
    [True, True, False, False, False]
    """
    if not _MISSING.search(message):
        return False
    named = _MAKES.search(command) and set(_NAME.findall(command)) & set(_NAME.findall(message))
    return bool(named) or _INSTALLS.search(command) is not None


def with_set(variables: Sequence[str], worked: str) -> str:
    """Return in words how a command worked once variables were set.

    >>> with_set(["CI=1"], "make test")
    'with `CI=1` set: `make test`'
    """
    return f"with {', '.join(f'`{v}`' for v in variables)} set: `{worked}`"


def instead(worked: str) -> str:
    """Return in words that another command did what one failed to do."""
    return f"`{worked}` worked instead"


def in_command(how: str) -> bool:
    """Return whether what resolved an error was another form of the command, not a change of anything.

    >>> in_command("`make test` worked instead"), in_command("changed `a.py`: `x` became `y`")
    (True, False)
    """
    return _IN_COMMAND.match(how) is not None


def already_there(call: Call) -> bool:
    """Return whether a `cd` failed because the shell was where it should lead, as the host recorded."""
    cwd = call.extra.get("cwd")
    if not isinstance(cwd, str) or not _NO_FOLDER.search(call.text):
        return False
    target = next((m[2] for m in _CD.finditer(call.command)), "").strip("/").removeprefix("./")
    return bool(target) and f"/{cwd}".endswith(f"/{target}")
