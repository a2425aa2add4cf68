"""Extract the scripts that shells get as an argument: `bash -c`, PowerShell and `cmd` of Windows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remora.core.programs import SHELLS, WINDOWS_SHELLS

_SCRIPT_OPTIONS = frozenset({"-c", "-command", "/c", "//c"})  # of the shells of Windows
# Prefixes of options before it that take a value; an encoded script is not read.
_VALUED_OF_WINDOWS = ("-ex", "-ep", "-wi", "-wo", "-ve", "-in", "-out", "-conf")
_ENCODED = re.compile(r"[-/](?:e|ec|en\w*)", re.IGNORECASE)


def words_of(command: list[object]) -> str:
    """Return the command line of a command given as words; for a shell with a script, the script.

    >>> words_of(["bash", "-lc", "pytest -q"]), words_of(["git", "commit", "-m", "two words"])
    ('pytest -q', "git commit -m 'two words'")
    """
    parts = [part for part in command if isinstance(part, str)]
    from shlex import join  # hooks do not need it

    return script_of(parts) or join(parts)


def script_of(words: Sequence[str]) -> str:
    """Return the script that a shell gets as its last argument; empty for other commands.

    Windows shells take all the words after the option as one script, PowerShell also without an option.

    >>> script_of(["powershell.exe", "-NoProfile", "-Command", "pytest -q"]), script_of(["sh", "a.sh", "-c"])
    ('pytest -q', '')
    """
    shell = words[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe") if words else ""
    if shell not in SHELLS | WINDOWS_SHELLS:
        return ""
    return (_of_windows if shell in WINDOWS_SHELLS else _of_unix)(shell, words[1:])


def _of_windows(shell: str, words: Sequence[str]) -> str:
    """Return the script in the arguments of a Windows shell."""
    powershell = shell != "cmd"
    before = ""
    for place, word in enumerate(words):
        option = word.lower()
        if option in _SCRIPT_OPTIONS:
            return " ".join(words[place + 1 :])
        if powershell and _ENCODED.fullmatch(option):
            return ""
        valued = before.startswith(_VALUED_OF_WINDOWS)
        if not valued and option[:1] not in ("-" if powershell else "/", "-", "+"):
            return " ".join(words[place:]) if powershell else ""
        before = option
    return ""


def _of_unix(shell: str, words: Sequence[str]) -> str:
    """Return the script in the arguments of a shell; its options may be one word, as in `-xc`."""
    asked = False
    place = 0
    while place < len(words) and words[place][:1] in ("-", "+") and len(words[place]) > 1:
        word = words[place]
        if word == "--":
            place += 1
            break
        letters = "" if word.startswith("--") else word[1:]
        asked = asked or (word[0] == "-" and "c" in letters)
        place += 1 + (sum(map(letters.count, "oO")) if shell != "fish" else 0)
    return words[place] if asked and place == len(words) - 1 else ""
