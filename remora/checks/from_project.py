"""The checks that a project names: commands in its rule files and CI workflows, and its own tasks.

A rule file (CLAUDE.md, AGENTS.md and similar at the root, and CONTRIBUTING.md) is searched for code: lines of
shell in fences, and code spans in its sentences, unless the words around them forbid running it. The commands
of a folder's file run there, or in the folder above that alone has their paths or their task. Examples are
left out: commands that pick single tests, have placeholders, or run outside the project; so are commands with
a secret. Tasks that also drop, publish or watch are left out, too.

Nothing is run or stored: the files are read at each call, so the result is up to date. Unreadable files
name nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from remora.checks import tasks
from remora.checks.check_exists import paths_in, runs_in
from remora.core.decoding import decode
from remora.core.fences import fence_after
from remora.core.programs import MOVES
from remora.core.rule_names import HOST_FILES, kind_of
from remora.core.secrets import redact
from remora.disk.live import at_once
from remora.shell.lines import bare, folder_of, in_folder, written
from remora.shell.purposes import check_of
from remora.shell.syntax import parse
from remora.sources.rule_files import at_root
from remora.sources.rule_text import CODE_SPAN, read, without_layout
from remora.sources.word_patterns import cue, whole

MOST = 60
FOLDERS = 8  # maximum of folders above the edited files
LONGEST = 200  # characters of a command
MAX_BYTES = 400_000
_BLOCK = 16_000  # characters of one piece of code
_SENTENCE = 200  # characters before and after code that are read
_MORE = ("CONTRIBUTING.md", ".github/CONTRIBUTING.md")

_SHELLS = frozenset(("", "bash", "sh", "shell", "zsh", "shellscript", "console", "shell-session", "terminal"))
_QUOTED = re.compile(r"^\s{0,3}>\s?")
_PROMPT = re.compile(r"^\s*[$%]\s+")
_STEP = re.compile(r"^(?P<indent>\s*)(?:-\s+)?run:\s*(?P<line>.*)$")  # of a workflow
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_SCRIPT = re.compile(
    r"(?P<manager>npm|pnpm|yarn|bun) (?P<run>run )?(?P<script>(?!run\b)[a-z][\w:-]*)(?P<rest> .*)?"
)

# Words before code: the start of its clause, prohibitions, and words that turn one into a demand.
_CLAUSE = re.compile(
    r"[.;!?]\s|:\s+\S|,\s*(?=(?:but|use|run|instead|always|only|then|rather)\b)|\bbut\b", re.IGNORECASE
)
_FORBIDS = cue(whole(r"never do.not don'?t avoid not cannot can't won't shouldn'?t mustn'?t"))
_DEMANDS = cue(whole(r"forget skip omit bypass without until unless before after only.just"))
_REPLACED = cue(r"\b(?:instead of|rather than|in place of|replaces)(?:\W+\w+){0,2}$")
_FORBIDDEN = cue(
    r"^\W{0,3}(?:(?:it|this|that)\s+)?(?:must|should|may|can|do|does|is|are|will)(?:\s+not|n'?t|\s+never)\b",
    r"^\W{0,3}(?:is|are)\s+(?:deprecated|broken|forbidden|obsolete|gone|removed|destructive)\b",
)
_EITHER = re.compile(r"(?<=\w)\|(?=\w)")  # between alternatives: a pipe is written with spaces
_EXAMPLE = re.compile(
    r"<[\w-]|\{[^{},]*\}|\[[a-z][\w -]*\.*\]|[…$→]|(?<!/)\.\.\.|path/to|::|\bfoo\b|\bexample|\byour[-_]"
    r"|\s(?-i:[A-Z][A-Z_]{2,})(?=\s|$)"  # NAME, as in usage lines
    r"|\s(?:-run|--run|-k|-t|--grep|--filter|--tests|-only|--testPathPattern|--test-name-pattern)\b",
    re.IGNORECASE,
)
_ONE_TEST = re.compile(r"(?:^|/)(?:test_\w+|[\w-]+[._-](?:test|spec))\.(?!sh\b)\w+$")
_ENDLESS = re.compile(
    r"(?:^|[\s:_.-])(?:watch|serve|dev|ui|debug|interactive|start|repl)(?=$|[\s:_.=-])", re.IGNORECASE
)
_CHANGES = re.compile(
    r"(?:^|[\s:_.-])(?:drop|reset|clean|push|publish|deploy|upload|delete|destroy|purge|wipe|remove|rm|down"
    r"|stop|kill|migrate|seed|record|bless|update|bump|release|undeploy|rollback)(?=$|[\s:_.-])",
    re.IGNORECASE,
)


class NamedCheck(NamedTuple):
    """A command that a file of the project names.

    Attributes:
        command: one command as written, with its flags and the variables set for it.
        purpose: "format", "lint", "test" or "build".
        path: the file, relative to the root.
        is_task: whether it is only an available task, which no rule names as a check.
    """

    command: str
    purpose: str
    path: str
    is_task: bool


class _Source(NamedTuple):
    """The source of a line: the file and its folder, the project, and whether it is a task."""

    path: str
    root: Path
    folder: str
    is_task: bool


def named_checks(root: Path, files: Iterable[str] = ()) -> list[NamedCheck]:
    """Return the commands that a project names, those of rule files first, each once.

    Args:
        root: the project's folder.
        files: the edited files, relative to it; the folders above these are searched too, the nearest first.
    """
    found: dict[str, NamedCheck] = {}
    above = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents if parent.parts}
    folders = [*sorted(above, key=lambda folder: (-folder.count("/"), folder))[:FOLDERS], ""]
    for folder in folders:
        shown = [name for name in at_root(root / folder) if (kind := kind_of(name)) and kind[0] in HOST_FILES]
        for name in dict.fromkeys((*shown, *(() if folder else _MORE))):
            source = _Source(posixpath.join(folder, name), root, folder, is_task=False)
            for line in dict.fromkeys(_code_of(_bytes(root, source.path))):
                _add(found, line, source)
    for folder in folders:
        _add_tasks(found, root, folder)
    for file in sorted((root / tasks.WORKFLOWS).glob("*.y*ml")):
        source = _Source(f"{tasks.WORKFLOWS}/{file.name}", root, "", is_task=True)
        for line in dict.fromkeys(_steps(_text(_bytes(root, source.path)))):
            _add(found, line, source)
    return list(found.values())[:MOST]


def _add_tasks(found: dict[str, NamedCheck], root: Path, folder: str) -> None:
    places = (root / folder, root)
    locks = ((place / lock, name) for place in places for lock, name in tasks.LOCKS.items())
    manager = next((name for lock, name in locks if lock.is_file()), "npm")
    readers = tasks.READERS | {"package.json": partial(tasks.scripts, runner=manager)}
    for name, read_tasks in readers.items():
        source = _Source(posixpath.join(folder, name), root, folder, is_task=True)
        commands = read_tasks(_text(_bytes(root, source.path)))
        # The plainer name is the task that runs the others.
        for command in sorted(commands, key=lambda c: len(re.split(r"[:_.-]", c))):
            _add(found, command, source)


def _bytes(root: Path, path: str) -> bytes:
    """Return the bytes of a file of the project; empty if it is unreadable or outside."""
    try:
        file = (root / path).resolve(strict=True)
        if not file.is_relative_to(root.resolve()) or not file.is_file():
            return b""
        with open(file, "rb", opener=at_once) as opened:
            return opened.read(MAX_BYTES)
    except (OSError, RuntimeError):  # RuntimeError: circular links
        return b""


def _text(raw: bytes) -> str:
    try:
        return decode(raw)[0]
    except ValueError:
        return ""


def _steps(text: str) -> Iterator[str]:
    """Yield the commands of a workflow's steps."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if not (step := _STEP.match(line)):
            continue
        if step["line"][:1] not in ("|", ">", ""):
            yield step["line"]
            continue
        indent = f"{step['indent']} "
        block = takewhile(lambda one: not one.strip() or one.startswith(indent), lines[at + 1 :])  # noqa: B023
        yield "\n".join(map(str.strip, block))


def _code_of(raw: bytes) -> Iterator[str]:
    """Yield runnable code: fences, and spans of more than a program's name."""
    try:
        text = without_layout(read(raw).body)
    except ValueError:
        return
    fence, block, runs, before = "", list[str](), False, ""
    for quoted in text.replace("\\\n", " ").split("\n"):
        line = _QUOTED.sub("", quoted)
        inside, fence = fence, fence_after(line, fence)
        if inside and fence:
            block.append(line)
        elif inside:
            if runs:
                yield _block(block)
        elif fence:
            language = next(iter(line.strip().strip(fence[0]).lower().split()), "")
            block = []
            runs = language in _SHELLS and not _forbidden(before, "")
        elif line.strip():
            before = line
            for span in CODE_SPAN.finditer(line):
                code = span[0].strip("`").strip()
                around = line[max(0, span.start() - _SENTENCE) : span.start()], line[span.end() :][:_SENTENCE]
                if " " in code and not _forbidden(*around):
                    yield code
    if fence and runs:
        yield _block(block)


def _block(lines: Sequence[str]) -> str:
    """Return the commands of a fence: without their output, and without those that a comment forbids."""
    prompted = any(_PROMPT.match(line) for line in lines)
    kept, forbidden = list[str](), False
    for line in lines:
        if not line.strip():
            forbidden = False
        elif line.lstrip().startswith("#"):
            forbidden = _forbidden(line, "")
        elif not forbidden and (not prompted or _PROMPT.match(line)):
            kept.append(_PROMPT.sub("", line))
    return "\n".join(kept)


def _forbidden(before: str, after: str) -> bool:
    """Return whether the words around code forbid running it.

    >>> _forbidden("Never push without running ", ""), _forbidden("Do not run ", "")
    (False, True)
    """
    clause = _CLAUSE.split(before[-_SENTENCE:].rstrip(" :*_"))[-1]
    no = _FORBIDS.search(clause)
    if (no and not _DEMANDS.search(clause, no.start())) or _REPLACED.search(clause):
        return True
    return bool(_FORBIDDEN.search(after))


def spellings(command: str) -> tuple[str, ...]:
    """Return the ways to run a package manager's script, with "run" and without; other commands alone.

    >>> spellings("pnpm lint"), spellings("npm run lint"), spellings("bun test")
    (('pnpm lint', 'pnpm run lint'), ('npm run lint',), ('bun test',))
    """
    found = _SCRIPT.fullmatch(command)
    if not found:
        return (command,)
    manager, script, rest = found["manager"], found["script"], found["rest"] or ""
    is_test = script == "test"
    if (manager == "npm" and not is_test) or (manager == "bun" and is_test) or (rest and not found["run"]):
        return (command,)
    return f"{manager} {script}{rest}", f"{manager} run {script}{rest}"


def _same(command: str, source: _Source) -> Iterator[str]:
    """Yield the spellings of a command; of a script also with the managers that a rule file may use."""
    yield from spellings(command)
    if source.is_task and (script := _SCRIPT.fullmatch(command)):
        for manager in _MANAGERS:
            yield from spellings(f"{manager} run {script['script']}")


def _add(found: dict[str, NamedCheck], text: str, source: _Source) -> None:
    """Add the checks of some shell lines, except examples, endless commands and those run elsewhere."""
    text = _EITHER.sub("…", text)
    folder: str | None = source.folder
    told, around = source.is_task, list[tuple[str | None, bool]]()
    programs = list(written(parse(text[:_BLOCK])))
    ends = [*(one.span.joint for one, _ in programs[1:]), len(text)]
    for (one, command), end in zip(programs, ends, strict=False):
        stands = text[one.span.joint : end]
        around += [(folder, told)] * one.opens
        if folder is None:
            pass
        elif MOVES.intersection(one.words[:1]):
            begins = one.opens > 0 or one.span.joint == 0
            folder, told = _moved(source, folder, one.words[1:], begins=begins), True
        elif not _EXAMPLE.search(stands) and not _ENDLESS.search(stands):
            check = _check(command, source, folder, told=told)
            below = folder_of(check.command) if check else ""
            if check and not any(in_folder(below, same) in found for same in _same(command, source)):
                found[check.command] = check
        for _ in range(min(one.closes, len(around))):
            folder, told = around.pop()


def _moved(source: _Source, folder: str, to: Sequence[str], *, begins: bool) -> str | None:
    """Return the folder after a `cd`; the one at the beginning of a line may be relative to the root."""
    entered = _entered(source.root, folder, to)
    if entered is None and begins and _entered(source.root, "", to) == source.folder:
        return source.folder
    return entered


def _check(command: str, source: _Source, folder: str, *, told: bool) -> NamedCheck | None:
    """Return the check that a command is, None if it is none; `told` if the folder is certain."""
    words = tuple(bare(command).split())
    purpose = check_of(words)
    one = any(map(_ONE_TEST.search, words))
    if not purpose or len(command) > LONGEST or one or (source.is_task and _CHANGES.search(command)):
        return None
    place: str | None = folder
    if not told or not source.is_task:
        places = [folder] if told else [folder, *_above(folder)]
        place = _place(source.root, places, words)
    if place is None or redact(command)[1]:
        return None
    return NamedCheck(in_folder(place, command), purpose, source.path, source.is_task)


def _above(folder: str) -> list[str]:
    parents = PurePosixPath(folder).parents if folder else ()
    return [parent.as_posix() if parent.parts else "" for parent in parents]


def _place(root: Path, places: Sequence[str], words: tuple[str, ...]) -> str | None:
    """Return the first folder with the files that a command needs, None if none has its task.

    >>> _place(Path("/nowhere"), ["web", ""], ("pytest",)), _place(Path("/nowhere"), [""], ("make", "a"))
    ('web', None)
    """
    able = [place for place in places if runs_in(root, place, words)]
    paths = paths_in(words)
    there = [sum((root / place / path).exists() for path in paths) for place in able]
    return able[there.index(max(there))] if able else None


def _entered(root: Path, folder: str, to: Sequence[str]) -> str | None:
    """Return the folder after a `cd`, "" for the root, None for a folder outside the project."""
    if len(to) != 1:
        return None
    there = posixpath.normpath(posixpath.join(folder, to[0].strip("'\"")))
    if there.startswith(("/", "..", "~", "$", "-")):
        return None
    try:
        return ("" if there == "." else there) if (root / there).is_dir() else None
    except (OSError, ValueError):
        return None
