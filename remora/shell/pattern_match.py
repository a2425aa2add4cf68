"""Whether a shell command has a pattern that somebody gave a memory (`remora.core.patterns`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple

from remora.core.patterns import ANY, Pattern, has_code, is_file, keys_in, on_branch, parse
from remora.core.programs import ADDERS, FILTERS, HANDS, PROGRAMS, PURPOSE, WRAPPERS, names
from remora.core.stems import stem
from remora.core.triggers import BUT, DEPENDENCY, IF, WANTED, Trigger, marked

_QUOTES = names("git gh glab hg jj echo printf")  # their arguments in quotes are prose
_READS = FILTERS | names("find ls which type man")  # what they name is not done
_GOES_ON = frozenset("--abort --continue --quit --skip --help --dry-run -n".split())
_REMOVE = frozenset("uninstall remove rm un".split())
_SHOWS = frozenset("list ls view show status diff checks checkout comment log get describe logs".split())
_OF_VCS = frozenset(map(stem, "commit push merge rebase tag amend".split()))
_VCS = names("git gh glab hg jj gt svn")
_TASKS = names("make just task npm pnpm yarn bun mise rake invoke nox tox cargo gradle mvn gh glab")
# The long forms of short flags in most programs; in some, `-f` names a file.
_SHORT = {
    "force": "f",
    "recursive": "r",
    "interactive": "i",
    "global": "g",
    "all": "a",
    "verbose": "v",
    "quiet": "q",
}
_F_IS_FILE = names(
    "kubectl docker docker-compose make helm tail tar psql grep awk sed ssh curl gcc terraform"
)


class Command(NamedTuple):
    """One command of a line: its words without quotes, the variables set for it, and the folder it runs in.

    `ran` are the program and those that it runs, in lower case: "uv", "pytest".
    """

    words: tuple[str, ...]
    variables: tuple[str, ...]
    folder: str
    branch: str
    ran: tuple[str, ...]


def fits(command: Command, trigger: Trigger) -> bool:
    """Return whether a command has a given pattern, meets its conditions, and has no exception."""
    pattern = parse(trigger.needs[0])
    required = marked(trigger, IF)
    if "--help" in command.words or not on_branch(pattern, command.branch) or not _is_act(command, pattern):
        return False
    if required and not any(has(command, one) for one in required):
        return False
    return not any(has(command, one) for one in (*marked(trigger, BUT), *marked(trigger, WANTED)))


def has(command: Command, given: str) -> bool:
    """Return whether a command has a pattern of a condition: also as a part of its words or texts."""
    pattern = parse(given)
    if not on_branch(pattern, command.branch):
        return False
    if not pattern.text or _is_act(command, pattern) or _names_file(command, pattern):
        return True
    texts = (*command.words, *command.variables) if len(pattern.words) == 1 else ()
    return any(has_code(pattern.text, text) for text in texts)


def _names_file(command: Command, pattern: Pattern) -> bool:
    """Return whether a command names a file of a pattern, or runs in such a folder."""
    if len(pattern.words) != 1:
        return False
    places = [
        part.strip("/") for word in command.words for part in word.split("=") if "/" in word or "." in word
    ]
    places += [word for word in command.words[1:] if pattern.is_place]
    places += [command.folder] if command.folder else []
    return any(
        is_file(pattern, place, plain=False) or is_file(pattern, f"{place}/x", plain=False)
        for place in places
    )


def _is_act(command: Command, pattern: Pattern) -> bool:
    """Return whether a command is the event, or has the words, of a pattern."""
    if pattern.event:
        return _is_event(command, pattern.event)
    first = pattern.words[0] if pattern.words else ""
    if pattern.is_place:
        return _changes_files(command) and _names_file(command, pattern)
    if not first:
        return False
    if first.lower() in command.ran or first in command.words[:1]:
        return _has_words(command, pattern.words)
    if pattern.program or _READS.intersection(command.ran[:1]) or (pattern.word and _removes(command)):
        return False
    if first.startswith("-") or len(pattern.words) == 1:
        return all(_has_word(command, one) for one in pattern.words) or _in_text(command, pattern)
    return _in_text(command, pattern)


def _removes(command: Command) -> bool:
    """Return whether a command removes what it names: `npm uninstall x`."""
    return not _REMOVE.isdisjoint(command.words[1:3])


def _changes_files(command: Command) -> bool:
    """Return whether a command changes the files that it names."""
    return bool(HANDS.intersection(command.ran)) or ("sed" in command.ran and "-i" in command.words)


def _in_text(command: Command, pattern: Pattern) -> bool:
    """Return whether a command has code: in its words as they stand, or in one in quotes."""
    plain = " ".join((*command.variables, *(word for word in command.words if " " not in word)))
    is_code = len(pattern.words) > 1 or not re.fullmatch(r"[\w-]+", pattern.text)
    if is_code and has_code(pattern.text, plain):
        return True
    prose = _QUOTES.intersection(command.ran) or (pattern.words and pattern.words[0] in PROGRAMS)
    return not prose and any(has_code(pattern.text, word) for word in command.words if " " in word)


def _has_words(command: Command, wanted: Sequence[str]) -> bool:
    """Return whether a command of a pattern's program has all further words, the subcommand at its place."""
    rest = [one for one in wanted[1:] if one != "..."]
    if rest and re.fullmatch(r"[a-z]+", rest[0]) and rest[0] not in _subcommands(command, wanted[0]):
        return False
    return all(_has_word(command, one) for one in rest)


def _subcommands(command: Command, program: str) -> list[str]:
    """Return the words that may be the subcommand of a program: the first one, or one behind an option.

    >>> made = Command(("git", "-C", "a", "stash", "push"), (), "", "", ("git",))
    >>> _subcommands(made, "git")
    ['a', 'stash']
    """
    low = [word.rpartition("/")[2].lower() for word in command.words]
    at = low.index(program.lower()) if program.lower() in low else 0
    found, behind_option = [], False
    for word in command.words[at + 1 :]:
        if word.startswith("-"):
            behind_option = "=" not in word
            continue
        found.append(word)
        if not behind_option:
            break
        behind_option = False
    return found


def _has_word(command: Command, one: str) -> bool:
    """Return whether a command has a word of a pattern, in another form if it is a flag."""
    words = command.words
    if one.startswith("-"):
        return _has_flag(command, one)
    if one in words or one in command.variables:
        return True
    here = _pushed(command)
    parts = {part for word in (*words, *here) for part in (word, *re.split(r"[:=@]|refs/heads/", word))}
    if one in parts or one.lower() in (part.lower() for part in here):
        return True
    if not re.search(r"\w", one) or one.startswith((".", "/")):
        return False
    bounded = re.compile(rf"(?<![\w-]){re.escape(one)}(?![\w-])")
    return any(
        bounded.search(word) for word in words[1:] if (" " not in word and word[:1] != "-") or "=" in word
    )


def _pushed(command: Command) -> tuple[str, ...]:
    """Return what a git command does not name: the remote and branch of a push, the branch of a merge."""
    words = command.words
    if not command.branch or "git" not in command.ran:
        return ()
    act = _subcommands(command, "git")[-1:]
    if act == ["push"]:
        named = [word for word in words[words.index("push") + 1 :] if not word.startswith("-")]
        return ("origin", command.branch) if len(named) < 2 or named[-1] == "HEAD" else ()
    return (command.branch,) if act and act[0] in ("commit", "merge", "rebase") else ()


def _has_flag(command: Command, flag: str) -> bool:
    """Return whether a command has a flag, also in a bundle, with a value, or shortened: `-rf`, `--force`.

    >>> made = Command(("rm", "-fr", "x"), (), "", "", ("rm",))
    >>> [_has_flag(made, one) for one in ("-rf", "-f", "--force", "-R", "--recursive")]
    [True, True, True, False, True]
    """
    words = [word.partition("=")[0] for word in command.words if word[:1] == "-"]
    name, _, value = flag.partition("=")
    if name in words:
        return not value or flag in command.words or value in command.words
    letters = ""
    if re.fullmatch(r"-[a-zA-Z]+", name):
        letters = name[1:]
    elif name.startswith("--"):
        letters = _SHORT.get(name[2:], "")
        if letters == "f" and _F_IS_FILE.intersection(command.ran):
            return False
    bundles = "".join(word[1:] for word in words if re.fullmatch(r"-[a-zA-Z]{1,5}", word))
    return bool(letters) and set(letters) <= set(bundles)


def _is_event(command: Command, event: Sequence[str]) -> bool:
    """Return whether a command begins an event: by a subcommand, or by a task that is called so."""
    act, target = event[0], event[1:]
    words, ran = command.words, command.ran
    if act == DEPENDENCY:
        return adds_package(words)
    if not _GOES_ON.isdisjoint(words) or not _SHOWS.isdisjoint(words[1:4]):
        return False
    if act in _OF_VCS and not _VCS.intersection(ran):
        return False
    if act == "amend":
        return "--amend" in words
    if _READS.intersection(ran) or HANDS.intersection(ran) or PURPOSE.get(ran[0]) == "look":
        return False
    tasks = [*ran, *(_subcommands(command, ran[-1]))]
    bare = [word for word in words if not word.startswith("-")]
    if _TASKS.intersection(ran) or WRAPPERS.intersection(ran):
        tasks += bare[1:3]
    stems = {stem(part) for task in tasks for part in re.split(r"[^\w]|_", task.lower()) if part}
    if "mr" in stems:
        stems.add("pr")
    if act not in stems:
        return False
    return all(_aims(command, act, one) for one in target)


def _aims(command: Command, act: str, target: str) -> bool:
    """Return whether an event has a target or a flag: "push to main", "push --force"."""
    if target.startswith("-"):
        return _has_flag(command, target) or any(word.startswith(f"{target}-") for word in command.words)
    here = [one.lower() for one in _pushed(command)]
    if act == stem("merge"):  # into the branch that is checked out, or its kind: "release" of "release/2.4"
        kinds = (one.partition("/")[0] for one in here)
        return any(fnmatchcase(one, target.lower()) for one in (*here, *kinds))
    if act in _OF_VCS:
        named = {part for word in command.words for part in re.split(r"[:=@]|refs/heads/", word)}
        aimed = any(fnmatchcase(name, target) for name in (*here, *named))
        return aimed or target.lower() in here or _has_flag(command, f"--{target}")
    return _has_word(command, target)


def keys_of(command: Command) -> Iterator[str]:
    """Yield the keys of the patterns that a command may have: its words, and the events that it may be."""
    yield ANY
    for text in (*command.variables, *command.words, *_pushed(command)):
        yield from keys_in(text)
    for word in (*command.ran, *command.words[:5]):
        for part in re.split(r"[^\w]|_", word.lower()):
            yield f"event:{'pr' if part == 'mr' else stem(part)}"
    if "--amend" in command.words:
        yield "event:amend"
    if adds_package(command.words):
        yield f"event:{DEPENDENCY}"


def adds_package(words: Sequence[str]) -> bool:
    """Return whether a command adds a named package: `npm install x`, but not `npm install`."""
    plain = [word for word in words if not word.startswith("-")]
    named = (at for at, pair in enumerate(pairwise(plain)) if " ".join(pair) in ADDERS)
    packages = plain[next(named, len(plain)) + 2 :]
    return {"-r", "-g", "--global"}.isdisjoint(words) and any(word[0] not in "./~" for word in packages)
