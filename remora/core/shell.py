"""Lines of shell, as far as a memory needs them: the variables set in them, and the commands they consist of.

`CI=1 pytest` is `pytest` with a variable. What is known to fail is one whole command, with its arguments
and variables: `pytest tests` says nothing of `python -m pytest tests`, nor of a commit that mentions it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from itertools import chain

_READ = 4_000  # characters of a line that are looked at
_PIPED = 6  # programs that feed one another, as far as they are known together
_PIPE = " | "
_SET = re.compile(
    r"""(?:^|(?<=(?:&&|[ ]\|)[ ]))"""
    r"""(?:[A-Za-z_]\w*=(?:'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|[^\s'"\\])*\s+)+""",
    re.DOTALL,
)
_REDIRECT = re.compile(r"(?:&>>?|\d?(?:>>?|<)(?!\())(?:&\d|\s*[^\s;|&<>]+)")
_BETWEEN = re.compile(r"(&&|\|\||[;|\n])")
_AROUND = re.compile(r"[\s&()\"'`]+")  # words
# What holds together as it is written: quoted text, what is escaped, the name of one test of many.
_HELD = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.|\[[^\s\[\]'"]*\]""", re.DOTALL)
_JOINS = re.compile(r"[;|&\n]")
_DASHES = re.compile(r"""(?<![^\s'"])--(?![^\s'"])""")
# Between the parts of a normal form, or its programs: what holds together is passed over, also if it was cut.
_WORD = r"""'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)|\\.|\$\([^()]*\)"""
_PARTED = rf"(?s:{_WORD}|(?P<between> && ))"  # not compiled before it is needed: a hook needs neither
_TOKEN = rf"(?s:{_WORD}|(?P<redirect>{_REDIRECT.pattern})|(?P<joint>&&|\|\||[;|\n])|[^'\"\\$<>&;|\n\d]+|.)"
_JOINED = rf"(?s:{_WORD}|(?P<between> (?:&&|\|) ))"
_IN_FOLDER = re.compile(r"\(cd (?P<folder>'[^']*'|[^\s']+) && (?P<command>.*)\)", re.DOTALL)
_HOW = re.compile(r"\s(?:-v|-vv|-x|-q)(?=\s)")  # how much is printed, and where it stops


def bare(command: str) -> str:
    """Return a line of commands without the variables set for them.

    >>> bare("CI=1 A='x y' make lint && B=2 make test"), bare("make test A=1")
    ('make lint && make test', 'make test A=1')
    """
    return _SET.sub("", command) if "=" in command else command


def in_folder(folder: str, command: str) -> str:
    """Return a command as it is run in a folder of the repository, as one part of a line; "" is its root.

    >>> in_folder("web", "npm test"), in_folder("", "npm test")
    ('(cd web && npm test)', 'npm test')
    """
    return f"(cd {shlex.quote(folder)} && {command})" if folder else command


def without_folder(command: str) -> str:
    """Return a command without the folder that it is run in.

    >>> without_folder("(cd web && CI=1 npm test)"), without_folder("npm test")
    ('CI=1 npm test', 'npm test')
    """
    found = _IN_FOLDER.fullmatch(command)
    return found["command"] if found else command


def folder_of(command: str) -> str:
    """Return the folder of the repository that a command is run in, "" where it is its root.

    >>> folder_of("(cd 'my web' && npm test)"), folder_of("npm test")
    ('my web', '')
    """
    found = _IN_FOLDER.fullmatch(command)
    return found["folder"].strip("'") if found else ""


def parts_in(line: str) -> list[str]:
    """Return the parts of a normal form; what is run in another folder is one.

    >>> parts_in("make lint && (cd web && npm test)")
    ['make lint', '(cd web && npm test)']
    """
    found: list[str] = []
    inside = False
    for part in _split(line, _PARTED):
        if inside:
            found[-1] += f" && {part}"
        else:
            found.append(part)
        inside = found[-1].startswith("(cd ") and not found[-1].endswith(")")
    return found


def programs_in(line: str) -> list[str]:
    """Return the programs of a normal form, also those that feed one another.

    >>> programs_in("lsof -ti:3000 | xargs kill && make test")
    ['lsof -ti:3000', 'xargs kill', 'make test']
    >>> programs_in("jq '.items | length' a.json && make test")
    ["jq '.items | length' a.json", 'make test']
    """
    return _split(line, _JOINED)


def _split(line: str, at: str) -> list[str]:
    """Return what stands between some joints of a normal form."""
    found = []
    start = 0
    for joint in re.finditer(at, line):
        if joint["between"]:
            found.append(line[start : joint.start()])
            start = joint.end()
    return [*found, line[start:]]


def name_of(assignment: str) -> str:
    """Return the name of a variable that is set."""
    return assignment.partition("=")[0]


def asks(line: str, wanted: Collection[str]) -> bool:
    """Return whether one command of a line has some words, flags with a value or without.

    What stands behind `--` is for another program, and counts for this one only where that is wanted, too.

    >>> [asks(f"pnpm test {rest}", ["test", "--grep"]) for rest in ("a --grep b", "--grep=a", "-- --grep a")]
    [True, True, False]
    >>> asks("git commit -m 'one; two' --x", ["git", "--x"]), asks("uv run -- pytest --x", ["pytest", "--x"])
    (True, True)
    """
    line = _HELD.sub(lambda held: _JOINS.sub(" ", held[0]), _on_one_line(line[:_READ]))
    if "--" not in wanted and "-- " in line:
        line = _DASHES.sub("\n", _HELD.sub(lambda held: _DASHES.sub(" ", held[0]), line))
    for part in _BETWEEN.split(line)[::2]:
        words = _AROUND.split(part)
        if {*words, *(word.partition("=")[0] for word in words if word[:1] == "-")}.issuperset(wanted):
            return True
    return False


def _on_one_line(line: str) -> str:
    """Return a line with what goes on behind a backslash in the next one."""
    return line.replace("\\\r\n", " ").replace("\\\n", " ") if "\\" in line else line


def commands_in(line: str) -> list[str]:
    """Return the commands of a line, each whole with the variables that it has, without what is printed.

    >>> commands_in("cd web && CI=1 pytest -q tests 2>&1 | tail -3")
    ['cd web', 'CI=1 pytest tests', 'tail -3']
    >>> commands_in("export CI=1; make test")
    ['export CI=1', 'CI=1 make test']
    """
    return list(dict.fromkeys(chain.from_iterable(_pipes(line))))


def spelled(line: str) -> list[str]:
    """Return the commands of a line as `commands_in` does, with all flags as they stand.

    >>> spelled("cd web && CI=1 pytest -x -q tests 2>&1")
    ['cd web', 'CI=1 pytest -x -q tests']
    """
    return list(dict.fromkeys(chain.from_iterable(_pipes(line, how=True))))


def wholes_in(line: str) -> list[str]:
    """Return the commands of a line, and its pipes, also without what stands at their end.

    >>> wholes_in("cd web && yes | make init | tail -3")
    ['cd web', 'yes', 'make init', 'tail -3', 'yes | make init', 'yes | make init | tail -3']
    """
    pipes = _pipes(line)
    longer = [_PIPE.join(pipe[:n]) for pipe in pipes for n in range(2, min(len(pipe), _PIPED) + 1)]
    return list(dict.fromkeys((*chain.from_iterable(pipes), *longer)))


def whole_of(line: str) -> str:
    """Return a line that is one command, or one pipe, as `wholes_in` knows it; empty of any other line.

    >>> whole_of("yes | make -q init"), whole_of("yes && make init")
    ('yes | make init', '')
    """
    found = {_PIPE.join(pipe) for pipe in _pipes(line)}
    return found.pop() if len(found) == 1 else ""


def _cut(line: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a line without their redirections, each with what stands behind it.

    What stands in quotes, or is escaped, is held together.
    """
    part = ""
    for found in re.finditer(_TOKEN, line):
        if found["joint"]:
            yield part, found["joint"]
            part = ""
        else:
            part += " " if found["redirect"] else found[0]
    yield part, ""


def _pipes(line: str, how: bool = False) -> list[list[str]]:
    """Return the commands of a line, those that feed one another together; with `how`, as spelled."""
    exported = ""
    found: list[list[str]] = []
    feeds = False
    for part, behind in _cut(_on_one_line(line[:_READ])):
        bare = f"{part.strip(' (){}&')} "
        command = " ".join((bare if how else _HOW.sub(" ", bare)).split())
        if command and feeds:
            found[-1].append(exported + command)
        elif command:
            found.append([exported + command])
        if command.startswith("export ") and "=" in command:
            exported += command.removeprefix("export ") + " "
        feeds = behind == "|" if command else feeds
    return found
