"""Match .gitignore patterns in time that grows only with the pattern and the path.

The patterns come from the repository. As regular expressions, a few stars in a line would take minutes for
one long name; here a path is matched folder by folder, and each star is resolved once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from typing import NamedTuple

LONGEST = 1_000  # characters of a line; a longer one is skipped
_ESCAPED = re.compile(r"\\(.)")
_ANY = None  # "**": any folders, or none


class _Rule(NamedTuple):
    leaves_out: bool
    folders_only: bool
    parts: tuple[re.Pattern[str] | None, ...]
    least: int  # parts of a path that it needs

    def matches(self, names: list[str]) -> bool:
        """Return whether the rule matches all of these names, in order."""
        if self.least > len(names):
            return False
        met = {0}  # how many names the parts so far may have taken
        for part in self.parts:
            if part is _ANY:
                met = set(range(min(met), len(names) + 1))
            else:
                met = {at + 1 for at in met if at < len(names) and part.match(names[at])}
            if not met:
                return False
        return len(names) in met


class Ignored:
    """The rules of one .gitignore, for paths relative to its folder; the last match counts.

    Args:
        lines: of the file. An invalid line is skipped, as git does.

    >>> rules = Ignored(["*.log", "!kept.log", "/build/", "docs/**/draft"])
    >>> rules.says("src/a.log"), rules.says("kept.log"), rules.says("build"), rules.says("build/")
    (True, False, None, True)
    >>> rules.says("docs/draft"), rules.says("docs/a/b/draft"), rules.says("src/build/")
    (True, True, None)
    """

    def __init__(self, lines: Iterable[str]) -> None:
        found = [_rule(line) for line in lines if line.strip() and line[0] != "#"]
        self._rules = [rule for rule in reversed(found) if rule is not None]

    def says(self, path: str) -> bool | None:
        """Return whether a path itself is ignored, None if no rule matches; a folder ends with "/"."""
        names = path.rstrip("/").split("/")
        folder = path.endswith("/")
        for rule in self._rules:
            if (folder or not rule.folders_only) and rule.matches(names):
                return rule.leaves_out
        return None


def _rule(line: str) -> _Rule | None:
    """Return the rule of a line, None if it is invalid."""
    leaves_out = not line.startswith("!")
    text = line if leaves_out else line[1:]
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    if not text.strip("/") or len(text) > LONGEST or text.endswith("\\"):
        return None
    spelt = text.removeprefix("/").split("/")
    if "/" not in text:
        spelt.insert(0, "**")
    parts: list[re.Pattern[str] | None] = []
    for number, name in enumerate(spelt):
        if len(name) > 1 and not name.strip("*"):
            if not parts or parts[-1] is not _ANY:
                parts.append(_ANY)
            if number == len(spelt) - 1 and number:  # everything inside of a folder, not the folder
                parts.append(re.compile(""))
        elif (compiled := _compiled(name)) is not None:
            parts.append(compiled)
        else:
            return None
    return _Rule(leaves_out, folders_only, tuple(parts), sum(part is not _ANY for part in parts))


def _compiled(name: str) -> re.Pattern[str] | None:
    """Return the pattern of one part of a path; None for an unclosed class."""
    plain = _ESCAPED.sub(lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], name)
    pattern = translate(re.sub(r"\[\^", "[!", plain))
    try:
        return None if re.search(r"\\\[", pattern) and "\\[" not in name else re.compile(pattern)
    except re.error:
        return None
