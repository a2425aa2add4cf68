"""Commands by which hosts run Remora: quote them for each shell, and recognise them in existing files.

A hook line for a shell ends in `exit 0`: a repository's files are also used by people without Remora, and
some hosts block an action if a hook has another exit code. `NAME ...; exit 0` is valid in sh, bash, zsh and
PowerShell; hosts that use cmd.exe get a line without it.
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
    """The command that runs Remora.

    Attributes:
        words: the program and its arguments before the verb.
        windows: the machine runs Windows.
        place: the path of a program that is called by name; empty if unknown.
    """

    words: tuple[str, ...] = (NAME,)
    windows: bool = False
    place: str = ""

    def own(self) -> Call:
        """Return the call for a user's own file: by path, so that it does not depend on the PATH."""
        return self._replace(words=(self.place,)) if self.shared and self.place else self

    @property
    def shared(self) -> bool:
        """Whether another machine can use the same words."""
        return self.words == (NAME,)

    @property
    def plain(self) -> bool:
        """Whether the words need no quotes in any shell."""
        return all(_SAFE.fullmatch(word) for word in self.words)

    def hook(self, host: str) -> list[str]:
        """Return the words of the hook command for a host."""
        return [*self.words, "hook", "--host", host]

    def serve(self) -> list[str]:
        """Return the words that start the MCP server."""
        return [*self.words, "mcp"]

    def line(self, host: str) -> str:
        """Return the hook as a line for this machine's shell: sh, or PowerShell on Windows."""
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
        """Return the hook as a line for cmd.exe and CreateProcess."""
        return " ".join(f'"{word}"' if " " in word else word for word in self.hook(host))


def call_of(
    given: str | None, environ: Mapping[str, str], *, outside: str = "", windows: bool = os.name == "nt"
) -> Call:
    """Return the command that runs Remora: the given one, else a name that finds this program, else a path.

    A name suits files that a team shares, which must not contain a path of one machine; use `Call.own` for
    other files. Programs inside the folder `outside`, a repository, are not found by name.

    Raises:
        InvalidInput: the given command is empty or cannot be parsed.
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
    # With relative folders in the PATH, a name would be looked up in the host's current folder.
    loose = search_path(environ) != environ.get("PATH", os.defpath)
    found = find_program(NAME, environ, outside=outside)
    if found and not loose and (own is None or Path(found).resolve() == own):
        return Call((NAME,), windows, found)
    if own is not None:
        return Call((str(own),), windows)
    # Without -P the host's current folder is first on the import path: a repository could inject code.
    return Call((sys.executable, "-P", "-m", NAME), windows)


def _own_script() -> Path | None:
    """Return the script that runs this process; None if it was started in another way."""
    started = Path(sys.argv[0])
    if started.stem == NAME and started.name != "__main__.py" and started.is_file():
        return started.resolve()
    return None


class Ours(NamedTuple):
    """Recognises the entries that call Remora for one host.

    Attributes:
        host: the host's name.
        known: commands written by earlier installations, each as one line.
    """

    host: str
    known: tuple[str, ...] = ()

    def hook(self, entry: Any) -> bool:
        """Return whether a handler calls Remora for this host."""
        return any(
            re.search(rf"\bhook --host[ =]{re.escape(self.host)}(?![\w-])", line) and self._program(line)
            for line in command_lines(entry)
        )

    def server(self, entry: Any) -> bool:
        """Return whether an MCP server is Remora's."""
        return any(re.search(r"\bmcp$", line) and self._program(line) for line in command_lines(entry))

    def _program(self, line: str) -> bool:
        return NAME in line or any(line.startswith(known) for known in self.known)


def command_lines(entry: Any) -> Iterable[str]:
    """Yield the commands of a handler or a server, each as one line."""
    if not isinstance(entry, Mapping):
        return
    for key in _COMMAND_KEYS:
        value = entry.get(key)
        words: list[Any] = value if isinstance(value, list) else [value]
        if key == "command" and isinstance(entry.get("args"), list):
            words = [*words, *entry["args"]]
        if all(isinstance(word, str) for word in words):
            yield " ".join(words)
