"""The commands that a project says it is checked with: what its rule files name, and its own tasks.

A rule file (CLAUDE.md, AGENTS.md and the like at the root, and CONTRIBUTING.md) is read for its code: lines
of shell in fences, and code spans in its sentences, unless the words around them tell not to run it. What the
file of a folder names is run in that, unless the words around it, its paths or its task are those of a folder
above. Examples are left out: what picks single tests, has placeholders, or is run outside of the project; so
is what holds a secret. What a line runs in a folder of the project is shown with that. What a task is for is
told by its name; one that also drops, publishes or watches is none.

Nothing is run and nothing is kept: the files are read when somebody asks, so the answer is as new as they
are. What cannot be read names nothing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from remora.core.decoding import decode
from remora.core.purposes import check_of
from remora.core.rule_names import HOST_FILES, kind_of
from remora.core.secrets import redact
from remora.core.shell import bare, folder_of, in_folder, spelled
from remora.disk.live import at_once
from remora.sources import task_files
from remora.sources.cues import cue, whole
from remora.sources.rule_files import at_root
from remora.sources.rule_text import CODE_SPAN, FENCE, read, without_layout
from remora.sources.standing_checks import files_below, meant_elsewhere, place_of

Below = Callable[[Path], frozenset[str]]

MOST = 60
FOLDERS = 8  # above the files that are worked on
LONGEST = 200  # characters of a command
MAX_BYTES = 400_000
_SENTENCE = 200  # characters around code that are looked at
_MORE = ("CONTRIBUTING.md", ".github/CONTRIBUTING.md")

_SHELLS = frozenset(
    {"", "bash", "sh", "shell", "zsh", "shellscript", *("console", "shell-session", "terminal")}
)
_QUOTED = re.compile(r"^\s{0,3}>\s?")
_PROMPT = re.compile(r"^\s*[$%]\s+")
_REMARK = re.compile(r"(?:^|\s)#\s.*$")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)")
_ELSEWHERE = re.compile(r"(?:cd|pushd)(?:$|\s+(?!\.?$|-$|\$\(git rev-parse))")
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_SCRIPT = re.compile(
    r"(?P<manager>npm|pnpm|yarn|bun) (?P<run>run )?(?P<script>(?!run\b)[a-z][\w:-]*)(?P<rest> .*)?"
)
_BACK = re.compile(r"cd (?:-|\$\(git rev-parse.*)$|popd\b")
_SUBSHELL = re.compile(r"\(\s*(cd [^()]*)\)")  # what is run in it leaves the folder around as it is

# Of the words before code: where its clause begins, what forbids, and what turns that into a demand.
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

# Words that send to the root of the project, in the part of a sentence that speaks of some code.
_SENTENCE_ENDS = re.compile(r"[.;!?](?:\s|$)")
_PARTS = re.compile(r",|\b(?:and|then|but|or)\b", re.IGNORECASE)
_AT_ROOT = re.compile(
    r"\b(?:from|at|in|to)\s+(?:the\s+|our\s+)?(?:(?:mono)?repo(?:sitory)?(?:'s)?\s+|(?:project|workspace|git)(?:'s)?\s+)?"
    r"(?:root|top[\s-]level)\b(?!\s+of\s+(?!(?:the\s+)?(?:(?:mono)?repo|project|workspace|git)))",
    re.IGNORECASE,
)

_EXAMPLE = re.compile(
    r"<[\w-]|\{[^{},]*\}|\[[a-z][\w -]*\.*\]|[…$]|(?<!/)\.\.\.|path/to|::|\bfoo\b|\bexample|\byour[-_]"
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
        command: one command, with the variables set for it.
        purpose: "format", "lint", "test" or "build".
        path: the file, relative to the root.
        is_task: it is only there to be run; no rule says that work is checked with it.
        written: the command as the file has it, with all flags; empty where that is the same.
    """

    command: str
    purpose: str
    path: str
    is_task: bool
    written: str = ""


class _Source(NamedTuple):
    """Where a line was found: the file and its folder, in which project, and whether it is a task.

    `below` tells the names of the files below a folder.
    """

    path: str
    root: Path
    folder: str
    is_task: bool
    below: Below


class _Code(NamedTuple):
    """Code of a rule file, and whether the words around it send to the root of the project."""

    text: str
    at_root: bool


def named_checks(root: Path, files: Iterable[str] = ()) -> list[NamedCheck]:
    """Return the commands that a project names, those of rule files first, each once.

    Args:
        root: the project's folder.
        files: what is worked on, relative to it; the folders above these are asked, too, the nearest first.
    """
    found: dict[str, NamedCheck] = {}
    below = cache(files_below)
    above = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents if parent.parts}
    folders = [*sorted(above, key=lambda folder: (-folder.count("/"), folder))[:FOLDERS], ""]
    for folder in folders:
        _of_rules(found, root, folder, below)
    for folder in folders:
        _of_tasks(found, root, folder, below)
    return list(found.values())[:MOST]


def _of_rules(found: dict[str, NamedCheck], root: Path, folder: str, below: Below) -> None:
    shown = [name for name in at_root(root / folder) if (kind := kind_of(name)) and kind[0] in HOST_FILES]
    for name in dict.fromkeys((*shown, *(() if folder else _MORE))):
        path = posixpath.join(folder, name)
        if raw := _bytes(root, path):
            for code in dict.fromkeys(_code_of(raw)):
                _add(found, code.text, _Source(path, root, folder, False, below), at_root=code.at_root)


def _of_tasks(found: dict[str, NamedCheck], root: Path, folder: str, below: Below) -> None:
    places = (root / folder, root)
    locks = ((place / lock, name) for place in places for lock, name in task_files.LOCKS.items())
    manager = next((name for lock, name in locks if lock.is_file()), "npm")
    readers = task_files.READERS | {"package.json": partial(task_files.scripts, runner=manager)}
    for name, tasks in readers.items():
        path = posixpath.join(folder, name)
        if raw := _bytes(root, path):
            # The plainer name is the task that runs the others.
            for command in sorted(tasks(_text(raw)), key=lambda c: len(re.split(r"[:_.-]", c))):
                if not _CHANGES.search(command):
                    _add(found, command, _Source(path, root, folder, True, below))


def _bytes(root: Path, path: str) -> bytes:
    """Return what is in a file of the project, nothing where it cannot be read or lies outside."""
    try:
        file = (root / path).resolve(strict=True)
        if not file.is_relative_to(root.resolve()) or not file.is_file():
            return b""
        with open(file, "rb", opener=at_once) as opened:
            return opened.read(MAX_BYTES)
    except (OSError, RuntimeError):  # RuntimeError: links in a circle
        return b""


def _text(raw: bytes) -> str:
    try:
        return decode(raw)[0]
    except ValueError:
        return ""


def _code_of(raw: bytes) -> Iterator[_Code]:
    """Yield the lines of code that may be run: those of fences, and spans of more than a program's name."""
    try:
        text = without_layout(read(raw).body)
    except ValueError:
        return
    fence, block, runs, before = "", list[str](), False, ""
    at_root = False
    for quoted in text.replace("\\\n", " ").split("\n"):
        line = _QUOTED.sub("", quoted)
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                yield from _block(block, at_root=at_root) if runs else ()
                fence = ""
            else:
                block.append(line)
        elif mark:
            language = next(iter(mark[2].lower().split()), "")
            fence, block = mark[1], []
            runs = language in _SHELLS and not _forbidden(before, "")
            at_root = _sends_to_root(before.rstrip(" .:*_"), "")
        elif line.strip():
            before = line
            for span in CODE_SPAN.finditer(line):
                code = span[0].strip("`").strip()
                around = line[max(0, span.start() - _SENTENCE) : span.start()], line[span.end() :][:_SENTENCE]
                if " " in code and not _forbidden(*around):
                    yield _Code(code, _sends_to_root(*around))
    yield from _block(block, at_root=at_root) if fence and runs else ()


def _block(lines: Sequence[str], *, at_root: bool) -> Iterator[_Code]:
    """Yield the commands of a fence: without what they print, texts handed in, and what runs elsewhere."""
    prompted = any(_PROMPT.match(line) for line in lines)
    handed_in, forbidden, here = "", False, at_root
    for line in lines:
        if handed_in:
            handed_in = "" if line.strip() == handed_in else handed_in
        elif not line.strip():
            forbidden, here = False, at_root
        elif line.lstrip().startswith("#"):
            forbidden = _forbidden(line, "")
            here = at_root or _sends_to_root(line.rstrip(" .:"), "")
        elif prompted and not _PROMPT.match(line):
            continue
        else:
            command = _REMARK.sub("", _PROMPT.sub("", line))
            if _ELSEWHERE.match(command.strip()) and "&&" not in command:
                return
            if begun := _HEREDOC.search(command):
                handed_in = begun[1]
            if not forbidden:
                yield _Code(command, here)


def _forbidden(before: str, after: str) -> bool:
    """Return whether the words around code tell not to run it.

    >>> _forbidden("Never push without running ", ""), _forbidden("Do not run ", "")
    (False, True)
    """
    clause = _CLAUSE.split(before[-_SENTENCE:].rstrip(" :*_"))[-1]
    no = _FORBIDS.search(clause)
    if (no and not _DEMANDS.search(clause, no.start())) or _REPLACED.search(clause):
        return True
    return bool(_FORBIDDEN.search(after))


def _sends_to_root(before: str, after: str) -> bool:
    """Return whether the words around code say that it is run at the root of the project.

    Before it those count with which the sentence begins, and the last ones; after it the first ones.

    >>> _sends_to_root("", " from the repository root."), _sends_to_root("`a` from the root and ", " here")
    (True, False)
    """
    words = _SENTENCE_ENDS.split(before.rstrip(" :*_"))[-1]
    first, *between = CODE_SPAN.split(words)
    last = _PARTS.split(between[-1])[-1] if between else ""
    behind = _PARTS.split(_SENTENCE_ENDS.split(CODE_SPAN.split(after)[0])[0])[0]
    return any(
        not _FORBIDS.search(part, 0, found.start())
        for part in (first, last, behind)
        if (found := _AT_ROOT.search(part))
    )


def spellings(command: str) -> tuple[str, ...]:
    """Return the ways to ask a package manager for a script, with "run" and without; a command alone else.

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
    """Yield the ways to name a command; a script's also by the managers that a rule file may run it by."""
    yield from spellings(command)
    if source.is_task and (script := _SCRIPT.fullmatch(command)):
        for manager in _MANAGERS:
            yield from spellings(f"{manager} run {script['script']}")


def _add(found: dict[str, NamedCheck], line: str, source: _Source, *, at_root: bool = False) -> None:
    """Note the checks of a line, unless it is an example, never ends, or is run outside of the project.

    What needs a file of tasks that only a folder below has is meant for that one.
    """
    if _EXAMPLE.search(line) or _ENDLESS.search(line):
        return
    for inner in _SUBSHELL.findall(line):
        _add(found, inner, source, at_root=at_root)
    line = _SUBSHELL.sub("true", line)
    if "(cd " in line.replace("( ", "("):
        return  # one in another
    folder, told = ("", True) if at_root else (source.folder, source.is_task)
    for place, (command, written) in enumerate(spelled(line).items()):
        if folder and _BACK.match(command):
            return
        if _ELSEWHERE.match(command):
            entered = _entered(source.root, folder, command.split()[1:])
            if entered is None and place == 0:
                entered = _entered(source.root, "", command.split()[1:])
                entered = entered if entered == source.folder else None
            if entered is None:
                return
            folder, told = entered, True
            continue
        if check := _check(command, source, folder, told=told):
            same = (in_folder(folder_of(check.command), one) for one in _same(command, source))
            if found.keys().isdisjoint(same):
                shown = in_folder(folder_of(check.command), written) if written != command else ""
                found[check.command] = check._replace(written=shown)


def _check(command: str, source: _Source, folder: str, *, told: bool) -> NamedCheck | None:
    """Return the check that a command is, None where it is none; `told` where the folder is certain."""
    words = tuple(bare(command).split())
    purpose = check_of(words)
    if not purpose or len(command) > LONGEST or any(_ONE_TEST.search(word) for word in words[1:]):
        return None
    folder = folder if told or not folder else place_of(source.root, folder, words)
    placed = in_folder(folder, command)
    if meant_elsewhere(source.root, folder, words, source.below) or redact(placed)[1]:
        return None
    return NamedCheck(placed, purpose, source.path, source.is_task)


def _entered(root: Path, folder: str, to: Sequence[str]) -> str | None:
    """Return the folder after a `cd`, "" for the root, None where it is none of the project's."""
    if len(to) != 1:
        return None
    there = posixpath.normpath(posixpath.join(folder, to[0].strip("'\"")))
    if there.startswith(("/", "..", "~", "$")):
        return None
    try:
        return ("" if there == "." else there) if (root / there).is_dir() else None
    except (OSError, ValueError):
        return None
