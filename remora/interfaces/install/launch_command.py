"""How a host calls Remora: the words of the command, as each shell wants them, and how to know them again.

A hook line ends in `exit 0` wherever a shell runs it. A file of a repository is read by people who may not
have Remora, and some hosts refuse an action when a hook ends with another code. `NAME ...; exit 0` means the
same to sh, bash, zsh and PowerShell; cmd.exe has a line of its own where a host runs that.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from remora.core.errors import InvalidInput
from remora.disk.programs import find_program, search_path

NAME = "remora"
SILENT = "; exit 0"
_SAFE = re.compile(r"[A-Za-z0-9@%+=:,./_-]+")
_COMMAND_KEYS = ("command", "args", "bash", "powershell", "windows", "linux", "osx", "commandWindows")


class Call(NamedTuple):
    """The words that start Remora.

    Attributes:
        words: the program and what stands before the verb.
        windows: the machine is a Windows one.
        place: where the program that is called by its name lies; empty where it is unknown.
    """

    words: tuple[str, ...] = (NAME,)
    windows: bool = False
    place: str = ""

    def own(self) -> Call:
        """Return the same call for a file of one person: by its place, whatever the PATH is later."""
        return self._replace(words=(self.place,)) if self.shared and self.place else self

    @property
    def shared(self) -> bool:
        """Whether another machine can use the same words."""
        return self.words == (NAME,)

    @property
    def plain(self) -> bool:
        """Whether every shell reads the words alike, without quotes."""
        return all(_SAFE.fullmatch(word) for word in self.words)

    def hook(self, host: str) -> list[str]:
        """Return the words that answer an event of a host."""
        return [*self.words, "hook", "--host", host]

    def serve(self) -> list[str]:
        """Return the words that start the MCP server."""
        return [*self.words, "mcp"]

    def line(self, host: str) -> str:
        """Return the hook as a line for the shell of this machine: sh, or PowerShell on Windows."""
        return self.powershell(host) if self.windows else self.sh(host)

    def sh(self, host: str) -> str:
        """Return the hook as a line for sh, bash or zsh."""
        return shlex.join(self.hook(host)) + SILENT

    def powershell(self, host: str) -> str:
        """Return the hook as a line for PowerShell."""
        if self.plain:
            return self.sh(host)
        quoted = ["'" + word.replace("'", "''") + "'" for word in self.words]
        return " ".join(["&", *quoted, "hook", "--host", host]) + SILENT

    def bare(self, host: str) -> str:
        """Return the hook as a line that cmd.exe and CreateProcess read."""
        return " ".join(f'"{word}"' if " " in word else word for word in self.hook(host))


def call_of(
    given: str | None, environ: Mapping[str, str], *, outside: str = "", windows: bool = os.name == "nt"
) -> Call:
    """Return how to call Remora: as given, by name where that is this very one, else by where it lies.

    A name is for files that a team shares, which cannot hold a path of one machine; `Call.own` for the rest.
    A program that the repository of `outside` brings along is not what a name means.

    Raises:
        InvalidInput: what was given cannot be read as a command.
    """
    if given is not None:
        try:
            words = shlex.split(given.replace("\\", "\\\\") if windows else given)
        except ValueError as error:
            raise InvalidInput(f"--command {given!r} cannot be read: {error}") from None
        if not words:
            raise InvalidInput("--command is empty", hint='Name a program, as in --command "uvx remora".')
        return Call(tuple(words), windows)
    own = _own_script()
    # By name it would be looked for in the folder of the host.
    loose = search_path(environ) != environ.get("PATH", os.defpath)
    found = find_program(NAME, environ, outside=outside)
    if found and not loose and (own is None or Path(found).resolve() == own):
        return Call((NAME,), windows, found)
    if own is not None:
        return Call((str(own),), windows)
    # Without -P the folder of the host comes first on the import path: a repository could bring its own code.
    return Call((sys.executable, "-P", "-m", NAME), windows)


def _own_script() -> Path | None:
    """Return the script that runs this process, None where it was started in another way."""
    started = Path(sys.argv[0])
    if started.stem == NAME and started.name != "__main__.py" and started.is_file():
        return started.resolve()
    return None


class Ours(NamedTuple):
    """Knows the entries that call Remora for one host.

    Attributes:
        host: which one.
        known: commands that earlier installs wrote, each as one line.
    """

    host: str
    known: tuple[str, ...] = ()

    def hook(self, entry: Any) -> bool:
        """Return whether a handler is ours."""
        return any(
            re.search(rf"\bhook --host[ =]{re.escape(self.host)}(?![\w-])", line) and self._program(line)
            for line in command_lines(entry)
        )

    def server(self, entry: Any) -> bool:
        """Return whether an MCP server is ours."""
        return any(re.search(r"\bmcp$", line) and self._program(line) for line in command_lines(entry))

    def _program(self, line: str) -> bool:
        return NAME in line or any(line.startswith(known) for known in self.known)


def command_lines(entry: Any) -> Iterable[str]:
    """Return what a handler or a server runs, each way of it as one line."""
    if not isinstance(entry, Mapping):
        return
    for key in _COMMAND_KEYS:
        value = entry.get(key)
        words: list[Any] = value if isinstance(value, list) else [value]
        if key == "command" and isinstance(entry.get("args"), list):
            words = [*words, *entry["args"]]
        if all(isinstance(word, str) for word in words):
            yield " ".join(words)
