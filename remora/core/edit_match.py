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
    NO_SIGN_BEFORE,
    NO_SIGN_BEHIND,
    Pattern,
    has_code,
    is_file,
    keys_in,
    on_branch,
    parse,
    uses,
)
from remora.core.stems import stem
from remora.core.triggers import (
    BUT,
    GIVEN,
    IDENTIFIER,
    IF,
    MOST_KEYS,
    NOT_IN,
    ONLY,
    PART,
    PATH,
    TESTS,
    WANTED,
    WHEN,
    WRITE,
    Trigger,
    last_of,
    marked,
)

_HALF = 0.5  # share of the words of a thing that one line must contain
_PROSE = (".md", ".mdx", ".rst", ".adoc", ".org", ".tex")
# In these a plain word alone is a use of the thing.
_PLAIN = (".sh", ".bash", ".zsh", ".fish", ".yml", ".yaml", ".toml", ".json", ".mk", ".ps1", ".nix", ".sql")
_COMMENT = re.compile(r"^\s*(?:#(?!!|include|define|if|import)|//|/\*|\*(?:\s|/|$)|<!--|;;|%%|\"\"\")")
_SQL_COMMENT = re.compile(r"^\s*--")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_TRAILING = re.compile(r"\s(?://|#)\s.*$")
_RELATIVE = re.compile(r"(?<=[\"'])\.{1,2}/[\w./@-]+(?=[\"'])")
CODE_WORD = re.compile(r"[^\W\d]\w*|(?<!\d)\d++(?:\.\d++)+")  # an identifier, or a version
_SYMBOL = re.compile(r"[^\w\s'\"`]+")


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
        parts = self.path.split("/")
        above = [
            folder + end
            for n in range(1, len(parts))
            for folder in ["/".join(parts[:n])]
            for end in ("/", "")
        ]
        anywhere = [part + "/" for part in parts[:-1]]
        ends = [f"*{parts[-1][at:]}" for at, sign in enumerate(parts[-1]) if sign == "."]
        found = dict.fromkeys((PATH, one) for one in (self.path, parts[-1], *ends, *above, *anywhere))
        given = dict.fromkeys((ANY, *keys_in(self.path), *keys_in(self.text)))
        found |= dict.fromkeys((GIVEN, key) for key in islice(given, MOST_KEYS))
        for line in self.added:
            for name in IDENTIFIER.findall(line):
                found |= dict.fromkeys((WRITE, one) for one in forms(name))
            for signs in _SYMBOL.findall(line):
                found |= dict.fromkeys(
                    (WRITE, signs[at : at + size]) for size in (2, 3) for at in range(len(signs) - size + 1)
                )
            if len(found) > 2 * MOST_KEYS:
                break
        return list(found)[: 2 * MOST_KEYS]


def read_edit(path: str, changed: str, removed: str) -> Edit:
    """Return an edit of a file (path from the project's root), reduced to its relevant lines."""
    if path.lower().endswith(_PROSE):
        return Edit(path, (), (), changed, removed)
    return Edit(path, _code(path, changed), _code(path, removed), changed, removed)


def is_breach(trigger: Trigger) -> bool:
    """Return whether an edit that matches a trigger of its kind breaks the statement itself."""
    return trigger.kind == WRITE or (trigger.kind == GIVEN and WHEN not in trigger.needs)


def writes(edit: Edit, trigger: Trigger, *, branch: str = "") -> bool:
    """Return whether an edit matches a trigger: for WRITE, if it adds the form oftener than it removes it.

    Args:
        edit: the edit.
        trigger: of one of the kinds AT_EDITS, found by one of the edit's keys.
        branch: the checked-out branch.
    """
    places = marked(trigger, ONLY)
    if places and not any(lies(edit.path, place) for place in places):
        return False
    if any(lies(edit.path, place) for place in marked(trigger, NOT_IN)):
        return False
    if trigger.kind == GIVEN:
        return _has_given(edit, trigger, branch)
    if trigger.kind == PATH:
        return all(lies(edit.path, glob) for glob in trigger.needs)
    form = trigger.needs[0] if trigger.needs else ""
    now = sum(_holds(form, line, edit.path) for line in edit.added)
    return now > sum(_holds(form, line, edit.path) for line in edit.removed)


def _has_given(edit: Edit, trigger: Trigger, branch: str) -> bool:
    """Return whether an edit has a given pattern, meets its conditions and none of its exceptions.

    What is wanted excuses the line that has it; where the pattern is a file or a moment, the whole edit.
    """
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
        return _holds(f"word:{pattern.program}", line, path)
    return uses(pattern.word, line) if pattern.word else has_code(pattern.text, line)


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


def _holds(form: str, line: str, path: str) -> bool:
    """Return whether a line contains a thing in the searched form; a relative import is of its target's path.

    >>> _holds("name:packages/web", "import { b } from '../../web/src/b'", "packages/api/src/a.ts")
    True
    """
    kind, _, what = form.partition(":")
    if "/" in what:
        line = _RELATIVE.sub(lambda found: normpath(f"{path}/../{found[0]}"), line)
    if kind == "call":
        return (
            re.search(rf"(?<!\w){re.escape(what.removesuffix('()'))}!?\s*(?:<[^<>]*>)?\(", line) is not None
        )
    if kind == "whole":
        owner = re.escape(what[: -len(last_of(what))].rstrip(".:->"))
        brought = rf"\b(?:import|from|use|alias|require)\b.*(?<!\w){owner}(?!\w)"
        return re.search(rf"(?<!\w){re.escape(what)}(?!\w)|{brought}", line) is not None
    if kind == "member":
        return re.search(rf"(?:\.|::|->|\b(?:import|from)\b.*\b){re.escape(what)}(?!\w)", line) is not None
    if kind == "text":
        return _joined(what) in _joined(line.lower())
    if kind == "words":
        return _speaks(what.split(), line)
    shell = path.lower().endswith(_PLAIN) or "." not in path.rpartition("/")[2]
    if kind == "word" or (shell and kind == "name"):
        alone = re.search(rf"(?<![\w./@-]){re.escape(what)}(?![\w./@-])", line, re.IGNORECASE)
        return alone is not None and (shell or '"' in line or "'" in line)
    name = re.escape(what)
    if kind == "code":
        begins = r"(?<![\w.-])" if re.match(r"\w", what) else NO_SIGN_BEFORE
        ends = r"(?![\w-])" if re.search(r"\w$", what) else NO_SIGN_BEHIND
        bare = line if shell else _STRING.sub("''", line)
        found = re.search(rf"{begins}{name}{ends}(?!\s*=[^=])", bare) is not None
        if found or not re.match(r"\w", what):
            return found
    if not re.fullmatch(r"[a-z][a-z0-9-]*", what):  # its form identifies it as a name
        case = re.IGNORECASE if what == what.lower() else 0  # a sentence had it in lower case
        return re.search(rf"(?<!\w){name}(?!\w)", line, case) is not None
    brought = rf"\b(?:import|from|require|include|use|using)\b.*(?<![\w-]){name}(?![\w-])"
    begins = rf"^\s*{name}(?:\s*;?\s*$|\s+(?!(?:in|is|as|and|or|not|if|else|for)\b)[\w\"'`:$@&])"
    used = rf"{brought}|(?<![\w.-]){name}(?:\.|::|\(|!\()|{begins}"
    return re.search(used, line) is not None or any(
        stem(called) == stem(what) for called in re.findall(r"(?<![\w.])(\w+)\(", line)
    )


def _speaks(stems: Sequence[str], line: str) -> bool:
    """Return whether a line contains two of the forbidden words, and half of all."""
    own = {one for name in IDENTIFIER.findall(line) for one in forms(name)}
    defines = re.search(
        r"\b(?:class|def|func|fn|function|interface|struct|enum|trait|type|record|object)\s", line
    )
    return (stems[0] in own or defines is not None) and sum(one in own for one in stems) >= max(
        2, _HALF * len(stems)
    )


def forms(name: str) -> set[str]:
    """Return an identifier in lower case, its parts, and their stems."""
    parts = [part.lower() for part in PART.findall(name)]
    return {name.lower(), *parts, *map(stem, parts), stem(name)}


def _joined(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _path_stems(path: str) -> set[str]:
    return {stem(part) for name in re.split(r"[/.]", path) for part in PART.findall(name)}


def lies(path: str, place: str) -> bool:
    """Return whether a file is in a place: below a folder, or with the stem in a part of its path."""
    if "*" in place:
        return matches(place, path)
    if "/" in place:
        return path == place or f"/{path}".find(f"/{place.rstrip('/')}/") >= 0
    return not _path_stems(path).isdisjoint(TESTS if place in TESTS else (place,))
