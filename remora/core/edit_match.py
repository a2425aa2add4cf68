"""Match triggers of memories against an edit. It is for hooks, and loads little."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from posixpath import normpath
from typing import NamedTuple

from remora.core.paths import matches
from remora.core.patterns import (
    ANY,
    Pattern,
    has_code,
    is_file,
    keys_in,
    on_branch,
    parse,
    uses,
)
from remora.core.triggers import (
    BUT,
    IF,
    MOST_KEYS,
    ONLY,
    PATTERN,
    WANTED,
    WHEN,
    Trigger,
    marked,
)

_PROSE = (".md", ".mdx", ".rst", ".adoc", ".org", ".tex")
# In these a plain word alone is a use of the thing.
_PLAIN = (".sh", ".bash", ".zsh", ".fish", ".yml", ".yaml", ".toml", ".json", ".mk", ".ps1", ".nix", ".sql")
_COMMENT = re.compile(r"^\s*(?:#(?!!|include|define|if|import)|//|/\*|\*(?:\s|/|$)|<!--|;;|%%|\"\"\")")
_SQL_COMMENT = re.compile(r"^\s*--")
_TRAILING = re.compile(r"\s(?://|#)\s.*$")
_RELATIVE = re.compile(r"(?<=[\"'])\.{1,2}/[\w./@-]+(?=[\"'])")
CODE_WORD = re.compile(r"[^\W\d]\w*|(?<!\d)\d++(?:\.\d++)+")  # an identifier, or a version


class Edit(NamedTuple):
    """The added and the removed lines of an edit, without comments and empty for prose; the whole texts."""

    path: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    text: str
    gone: str

    @property
    def keys(self) -> list[tuple[str, str]]:
        """Return the keys of the triggers that this edit may match."""
        words = dict.fromkeys((ANY, *keys_in(self.path), *keys_in(self.text)))
        return [(PATTERN, word) for word in islice(words, MOST_KEYS)]


def read_edit(path: str, changed: str, removed: str) -> Edit:
    """Return an edit of a file (path from the project's root), reduced to its relevant lines."""
    if path.lower().endswith(_PROSE):
        return Edit(path, (), (), changed, removed)
    return Edit(path, _code(path, changed), _code(path, removed), changed, removed)


def is_breach(trigger: Trigger) -> bool:
    """Return whether an edit that matches a trigger breaks the statement itself."""
    return WHEN not in trigger.needs


def writes(edit: Edit, trigger: Trigger, *, branch: str = "") -> bool:
    """Return whether an edit has a pattern, meets its conditions and none of its exceptions.

    An edit has code if it adds it oftener than it removes it. What is wanted excuses the line that has it;
    where the pattern is a file or a moment, the whole edit.

    Args:
        edit: the edit.
        trigger: of the kind PATTERN, found by one of the edit's keys.
        branch: the checked-out branch.
    """
    places = marked(trigger, ONLY)
    if places and not any(lies(edit.path, place) for place in places):
        return False
    pattern, asked = parse(trigger.needs[0]), marked(trigger, WANTED)
    required, but = marked(trigger, IF), marked(trigger, BUT)
    if required and not any(_meets(edit, one, branch) for one in required):
        return False
    if pattern.event or not on_branch(pattern, branch) or any(_meets(edit, one, branch) for one in but):
        return False
    if is_file(pattern, edit.path, plain=WHEN in trigger.needs):
        return not any(_meets(edit, one, branch) for one in asked)
    if pattern.is_place:
        return False
    excused = () if WHEN in trigger.needs else asked
    # A comment or a page may speak of what is forbidden; a pattern may be about comments, or about pages.
    is_page = edit.path.lower().endswith(_PROSE)
    of_pages = is_page and any(is_file(parse(one), edit.path, plain=True) for one in required)
    whole = pattern.comments or of_pages
    texts = (edit.text.splitlines(), edit.gone.splitlines()) if whole else (edit.added, edit.removed)
    added, removed = (
        sum(
            _has_line(pattern, line, edit.path) and not any(has_code(one, line) for one in excused)
            for line in lines
        )
        for lines in texts
    )
    return added > removed and (bool(excused) or not any(_meets(edit, one, branch) for one in asked))


def _has_line(pattern: Pattern, line: str, path: str) -> bool:
    """Return whether a line has the code of a pattern; a program counts only where programs are run."""
    if pattern.program:
        return _runs(pattern.program, line, path)
    if pattern.word:
        return uses(pattern.word, line)
    target = (
        _RELATIVE.sub(lambda found: normpath(f"{path}/../{found[0]}"), line) if "/" in pattern.text else ""
    )
    return has_code(pattern.text, line) or has_code(pattern.text, target)


def _meets(edit: Edit, given: str, branch: str) -> bool:
    """Return whether an edit has a pattern of a condition."""
    pattern = parse(given)
    if not on_branch(pattern, branch) or pattern.event:
        return False
    if not pattern.text or is_file(pattern, edit.path, plain=True):
        return True
    return not pattern.is_place and any(has_code(pattern.text, line) for line in edit.text.splitlines())


def brings_back(taken: Sequence[str], edit: Edit) -> bool:
    """Return whether an edit adds words that a revert took out: several, one that is a name, or one of two.

    >>> brings_back(["on"], read_edit("a.conf", "http2 on;", "http2 off;"))
    True
    >>> edit = read_edit("a.py", "@lru_cache  # to get it", "")
    >>> brings_back(["lru_cache", "key", "ttl"], edit), brings_back(["get", "key", "ttl"], edit)
    (True, False)
    """
    gone, new = (set(CODE_WORD.findall("\n".join(lines))) for lines in (edit.removed, edit.added))
    again = [word for word in taken if word in new - gone]
    return len(again) > 1 or (len(again) == 1 and (len(taken) <= 2 or not again[0].isalpha()))


def _code(path: str, text: str) -> tuple[str, ...]:
    sql = path.lower().endswith((".sql", ".lua", ".hs", ".elm"))
    return tuple(
        _TRAILING.sub("", line)
        for line in text.splitlines()
        if line.strip() and not _COMMENT.match(line) and not (sql and _SQL_COMMENT.match(line))
    )


def _runs(program: str, line: str, path: str) -> bool:
    """Return whether a line has the name of a program where programs are run: in a script, or in quotes."""
    shell = path.lower().endswith(_PLAIN) or "." not in path.rpartition("/")[2]
    alone = re.search(rf"(?<![\w./@-]){re.escape(program)}(?![\w./@-])", line, re.IGNORECASE)
    return alone is not None and (shell or '"' in line or "'" in line)


def lies(path: str, place: str) -> bool:
    """Return whether a file is in a place: a glob, or below a folder."""
    if "*" in place:
        return matches(place, path)
    return path == place or f"/{path}".find(f"/{place.rstrip('/')}/") >= 0
