"""Slips in a command line: a flag there is not, a `cd` too many, a missing variable, the wrong command.

What was missing may also have come in between: a program that was installed, a folder that was made.

What resolved such a one is told in words that `in_command` knows again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from remora.core.purposes import unwrapped
from remora.core.shell import bare, parts_in, programs_in, without_folder
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
_IN_COMMAND = re.compile(
    r"(?=.*(?:`|instead)\Z)(?:with(?:out)? `.+` (?:set|it worked): `.|`.+` worked instead\Z)", re.DOTALL
)
_INSTEAD = re.compile(r"`(.+)` worked instead", re.DOTALL)
_NO_PROGRAM = re.compile(r"command not found|: not found\s*$|executable file not found", re.MULTILINE)
_MISSING = re.compile(
    r"not found|no such (?:file|module)|no module named|cannot find|does not exist|not installed"
    r"|is not recognized|could not (?:find|resolve)|permission denied|not in std",
    re.IGNORECASE,
)
_MISSING_PATH = re.compile(r"no such file|does not exist|permission denied|cannot find the", re.IGNORECASE)


class _Kind(NamedTuple):
    """A language: what brings its packages, programs that come with them, how it says that one is missing."""

    managers: frozenset[str]
    programs: frozenset[str]
    says: re.Pattern[str]


_KINDS = tuple(
    _Kind(frozenset(managers.split()), frozenset(programs.split()), re.compile(says, re.IGNORECASE))
    for managers, programs, says in (
        (
            "pip pip3 pipx uv poetry pdm conda mamba",
            "pytest tox nox mypy pyright ruff black isort flake8 pylint bandit coverage uvicorn alembic",
            r"no module named",
        ),
        (
            "npm pnpm yarn bun",
            "eslint prettier tsc tsx ts-node jest vitest mocha vite webpack rollup next prisma playwright",
            r"cannot find (?:module|package) ['\"]|could not resolve ['\"]",
        ),
        (
            "go",
            "golangci-lint goimports gofumpt staticcheck gotestsum govulncheck",
            r"no required module|cannot find module providing|not in std",
        ),
        ("cargo rustup", "cargo-nextest cargo-clippy wasm-pack", r"can't find crate|no such (?:sub)?command"),
        ("gem bundle", "rspec rubocop rake rails", r"cannot load such file|could not find gem"),
        ("composer", "phpunit phpstan psalm pest phpcs", r"vendor/autoload"),
    )
)
_MANAGERS = (
    "npm|pnpm|yarn|bun|pip3?|pipx|uv|uv pip|poetry|pdm|conda|mamba|brew|apt|apt-get|dnf|yum|apk|cargo|go"
    "|go mod|pacman|gem|bundle|composer|dotnet|nvm|asdf|mise|rustup|rustup \\w+|winget|scoop|mix"
)
_INSTALLS = re.compile(
    rf"(?:^|&& |\(|\s)(?P<manager>{_MANAGERS})"
    r" (?:install|add|sync|restore|get|ci|i|download|tidy)(?![\w.=/-])(?P<what>[^&]*)"
    r"|(?:^|&& |\()(?:make|just|task|npm run|mise run) (?:\w+[:-])?(?:install|setup|bootstrap|deps|init)\b"
)
# What brings files that the command does not name.
_FETCHES = re.compile(
    r"\bgit (?:init|clone|pull|submodule (?:update|init|add)|lfs (?:pull|install))\b"
    r"|(?:^|&& |\()(?:tar|unzip)\b"
)
_MAKES = re.compile(r"(?:^|&& |\()(?:mkdir|touch|cp|mv|ln|chmod|tee)\b(?P<what>[^&]*)")
LEAST_TOUCHED = 2  # letters of a word that two commands share
_WORD = re.compile(r"[\w@./~-]+")
_STARTS = re.compile(
    r"(?:^|\s)(?=[\w:-]+(?:\s|$))(?:[\w-][\w:-]*[:-])?(?:up|start|restart|serve)(?=[:-][\w:-]|\s|$)"
    r"|/(?:up|start|serve)(?:[-_][\w-]+)?\.sh\b"
    r"|\b(?:docker|podman|nerdctl)(?:[ -]compose)?(?: container)? run\b[^&]{0,400}"
    r" (?:-(?=[a-zA-Z]*d)[a-zA-Z]+|--detach)(?=\s)"
)
_BACKGROUND = re.compile(r"(?<![&>|])&(?=\s|$)")
_UNREACHED = re.compile(
    r"connection (?:refused|reset)|ECONN(?:REFUSED|RESET)|ENOTFOUND|EAI_AGAIN|getaddrinfo|no such host"
    r"|(?:could not|couldn't|cannot|can't|failed to|unable to) (?:connect|reach|translate host)|unreachable"
    r"|name or service not known"
    r"|(?:server|daemon|database|service)\b[^\n]{0,40}\b(?:running|unavailable|down)\b",
    re.IGNORECASE,
)
_NO_FOLDER = re.compile(r"\bcd:(?:\d+:)?.{0,200}no such file or directory", re.IGNORECASE)
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


def prepares(command: str, message: str, failed: str, worked: str) -> bool:
    """Return whether a command brought what a message says is missing, so that what failed works.

    It installs what the program lacked, or makes, fetches or installs the path that the same command,
    flags aside, lacked. What works by another name or with another path works because of that.

    Args:
        command: what ran in between and is no look around.
        message: of the failure.
        failed, worked: the command that failed, and the one that did its job in the end.

    >>> missing, tried = "out/x.json: No such file or directory", ("jq . out/x.json", "jq -r . out/x.json")
    >>> [prepares(c, missing, *tried) for c in ("uv sync", "mkdir -p out", "mkdir tmp", "git fetch")]
    [True, True, False, False]
    >>> lacks = "pytest: command not found"
    >>> [prepares("uv sync", lacks, "pytest", worked) for worked in ("pytest -q", "python -m pytest")]
    [True, False]
    """
    if not _MISSING.search(message) or failed.split()[:1] != worked.split()[:1]:
        return False
    if not _MISSING_PATH.search(message):
        return _installs(command, message)
    if _unflagged(failed) != _unflagged(worked):
        return False
    made = [path for found in _MAKES.finditer(command) for path in _WORD.findall(found["what"])]
    if any(_holds(path, named) for path in made for named in _WORD.findall(message)):
        return True
    return _FETCHES.search(command) is not None or _installs(command, message)


def likeliest(commands: Sequence[str], message: str, failed: str, worked: str) -> str:
    """Return which of some commands helped: one that names what was missing, one that brings such, the last.

    >>> lacks = ("No module named 'redis.client'", "pytest", "pytest")
    >>> likeliest(["uv sync", "pip install redis", "pip install mypy", "git add a.py"], *lacks)
    'pip install redis'
    >>> likeliest(["make seed", "uv sync", "git add a.py"], *lacks), likeliest([], *lacks)
    ('uv sync', '')
    """
    lacking = {part for word in _WORD.findall(message) for part in (word, word.partition(".")[0])}

    def brings(place: int) -> tuple[bool, bool, int]:
        able = prepares(commands[place], message, failed, worked)
        named = any(lacking & _packages(found) for found in _INSTALLS.finditer(commands[place]))
        return able and named, able, place

    return commands[max(range(len(commands)), key=brings)] if commands else ""


def touches(command: str, message: str, failed: str) -> bool:
    """Return whether a command runs the program that failed, or names something of it or of its message.

    >>> said = ("tmp/clones is locked", "cargo test")
    >>> [touches(c, *said) for c in ("rm -rf tmp/clones", "cargo clean", "nl -ba src/a.rs", "cargo test -q")]
    [True, True, False, False]
    """
    own, its = command.split(), failed.split()
    if _unflagged(command) == _unflagged(failed):
        return False  # the same again
    told = {word for text in (message, failed) for word in _WORD.findall(text) if len(word) > LEAST_TOUCHED}
    return own[:1] == its[:1] or any(word in told for word in _WORD.findall(command))


def serves(normal: str, typed: str) -> bool:
    """Return whether a command starts a service: by its words, or by what it runs in the background.

    >>> [serves(c, c) for c in ("docker compose up -d", "./db.sh start", "python app.py &", "python app.py")]
    [True, True, True, False]
    """
    return _STARTS.search(normal) is not None or _BACKGROUND.search(typed) is not None


def unreached(output: str) -> bool:
    """Return whether a failure says that a service could not be reached.

    >>> unreached("connect ECONNREFUSED 127.0.0.1:6379"), unreached("assert 1 == 2")
    (True, False)
    """
    return _UNREACHED.search(output) is not None


def _installs(command: str, message: str) -> bool:
    """Return whether a command installs what a message names, or at least nothing of another language."""
    named = set(_WORD.findall(message))
    lacking = [kind for kind in _KINDS if kind.says.search(message) or kind.programs & named]
    for found in _INSTALLS.finditer(command):
        manager = (found["manager"] or "").split()[:1]
        if not (manager and lacking) or any(kind.managers.issuperset(manager) for kind in lacking):
            return True
        if named & _packages(found):
            return True
    return False


def _packages(installs: re.Match[str]) -> set[str]:
    """Return the names of what is installed, without their versions."""
    return {re.split(r"[@=<>~\[]", word)[0] for word in (installs["what"] or "").split()}


def _unflagged(command: str) -> list[str]:
    return [word for word in command.split() if not word.startswith("-")]


def _holds(made: str, missing: str) -> bool:
    """Return whether a path that was made is the missing one, holds it, or lies in it."""
    made, missing = (f"{path.removeprefix('./').rstrip('/')}/" for path in (made, missing))
    return made.startswith(missing) or missing.startswith(made) or f"/{made}" in missing[1:]


def with_set(variables: Sequence[str], worked: str) -> str:
    """Return in words how a command worked once variables were set.

    >>> with_set(["CI=1"], "make test")
    'with `CI=1` set: `make test`'
    """
    return f"with {', '.join(f'`{v}`' for v in variables)} set: `{worked}`"


def instead(worked: str) -> str:
    """Return in words that another command did what one failed to do."""
    return f"`{worked}` worked instead"


def by_another_name(failed: str, message: str, how: str) -> bool:
    """Return whether a program that was not found was, by another name or through what runs others.

    >>> lacks = "bash: line 1: pytest: command not found"
    >>> [by_another_name("pytest -q", lacks, instead(c)) for c in ("uv run pytest", "make test", "pytest -q")]
    [True, False, False]
    """
    worked = _INSTEAD.fullmatch(how)
    if worked is None or not _NO_PROGRAM.search(message):
        return False
    programs = [p for part in parts_in(worked[1]) for p in programs_in(bare(without_folder(part)))]
    ran = [words for words in map(str.split, programs) if words]
    for words in filter(None, map(str.split, programs_in(failed))):
        name = _named(words)
        if words[0] in message and any(name == _named(w) and words[0] != w[0] for w in ran if name):
            return True
    return False


def _named(words: Sequence[str]) -> str:
    """Return the program that words run, without its folder and its version."""
    program = next(iter(unwrapped(tuple(words))), "").rsplit("/", 1)[-1]
    bare = program.rstrip("0123456789.")
    return program if bare == program else bare.removesuffix("-")


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
