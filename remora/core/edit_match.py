"""Match triggers of memories against an edit. It is for hooks, and loads little."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import NamedTuple

from remora.core.stems import stem
from remora.core.triggers import (
    BRANCH,
    BUT,
    CHANGED,
    HAS,
    IDENTIFIER,
    IF,
    LINE,
    MOST_KEYS,
    NEW,
    NOT_IN,
    ONLY,
    PART,
    PATH,
    TESTS,
    TOUCH,
    WANTED,
    WRITE,
    Trigger,
    is_place,
    last_of,
    marked,
)

_HALF = 0.5  # share of the words of a thing that one line must contain
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".org", ".tex")
# In these a plain word alone is a use of the thing.
_PLAIN = (".sh", ".bash", ".zsh", ".fish", ".yml", ".yaml", ".toml", ".json", ".mk", ".ps1", ".nix", ".sql")
_COMMENT = re.compile(r"^\s*(?:#(?!!|include|define|if|import)|//|/\*|\*(?:\s|/|$)|<!--|;;|%%|\"\"\")")
_SQL_COMMENT = re.compile(r"^\s*--")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_TRAILING = re.compile(r"\s(?://|#)\s.*$")
_RELATIVE = re.compile(r"(?<=[\"'])\.{1,2}/[\w./@-]+(?=[\"'])")
CODE_WORD = re.compile(r"[^\W\d]\w*|(?<!\d)\d++(?:\.\d++)+")  # an identifier, or a version
# An operator is no part of a longer one: `==` is not in `===`.
_NO_SIGN_BEFORE, _NO_SIGN_BEHIND = r"(?<![=!<>&|+*/?~^%-])", r"(?![=!<>&|+*/?~^%-])"
_SYMBOL = re.compile(r"[^\w\s'\"`]+")


class Edit(NamedTuple):
    """The added and the removed lines of an edit, without comments and empty for prose; all the new text."""

    path: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    text: str

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
        found |= dict.fromkeys((kind, one) for one in _path_stems(self.path) for kind in (TOUCH, PATH))
        for line in self.added:
            found |= dict.fromkeys((WRITE, key) for key in code_keys(line))
            if len(found) > MOST_KEYS:
                break
        return list(found)[:MOST_KEYS]


def code_keys(line: str) -> Iterator[str]:
    """Yield the keys of the triggers that a line of code may match: forms of its names, and its signs."""
    for name in IDENTIFIER.findall(line):
        yield from forms(name)
    for signs in _SYMBOL.findall(line):
        yield from (signs[at : at + size] for size in (2, 3) for at in range(len(signs) - size + 1))


def read_edit(path: str, changed: str, removed: str) -> Edit:
    """Return an edit of a file (path from the project's root), reduced to its relevant lines."""
    if path.lower().endswith(_PROSE):
        return Edit(path, (), (), changed)
    return Edit(path, _code(path, changed), _code(path, removed), changed)


def is_breach(trigger: Trigger) -> bool:
    """Return whether an edit that matches a trigger of its kind breaks the statement itself."""
    return trigger.kind == WRITE or NEW in trigger.needs


def writes(edit: Edit, trigger: Trigger, *, exists: bool = True, branch: str = "") -> bool:
    """Return whether an edit matches a trigger: for WRITE, if it adds the form oftener than it removes it.

    Args:
        edit: the edit.
        trigger: of one of the kinds AT_EDITS, found by one of the edit's keys.
        exists: the file is there already.
        branch: the checked-out branch.
    """
    places = marked(trigger, ONLY)
    if places and not any(lies(edit.path, place) for place in places):
        return False
    if any(lies(edit.path, place) for place in marked(trigger, NOT_IN)):
        return False
    wanted, but = marked(trigger, IF), marked(trigger, BUT)
    if wanted and not any(_meets(edit, pattern, branch) for pattern in wanted):
        return False
    if any(_meets(edit, pattern, branch) for pattern in but):
        return False
    if trigger.kind == PATH:
        return all(lies(edit.path, glob) for glob in trigger.needs)
    if NEW in trigger.needs:
        has = _joined(edit.text.lower())
        return not exists and any(one not in has for one in marked(trigger, HAS))
    if trigger.kind != WRITE:
        return exists or CHANGED not in trigger.needs
    form = trigger.needs[0] if trigger.needs else ""
    asked = marked(trigger, WANTED)
    added = (line for line in edit.added if not any(has_code(one, line) for one in asked))
    now = sum(_holds(form, line, edit.path) for line in added)
    return now > sum(_holds(form, line, edit.path) for line in edit.removed)


def on_branch(pattern: str, branch: str) -> bool:
    """Return whether a branch matches a pattern such as "branch release/*"."""
    return fnmatchcase(branch, pattern.removeprefix(BRANCH))


def _meets(edit: Edit, pattern: str, branch: str) -> bool:
    """Return whether an edit is on a branch, of a file in a place, or its new text has some code."""
    if pattern.startswith(BRANCH):
        return on_branch(pattern, branch)
    if " " not in pattern and (is_place(pattern) or lies(edit.path, stem(pattern))):
        return lies(edit.path, pattern if is_place(pattern) else stem(pattern))
    return any(has_code(pattern, line) for line in edit.text.splitlines())


def has_code(pattern: str, line: str) -> bool:
    """Return whether a line has some code, by whole words; `...` is any text, and capitals match any case.

    >>> [has_code("fmt.Errorf(...%v", line) for line in ('fmt.Errorf("a: %v", err)', 't.Errorf("%v", a)')]
    [True, False]
    >>> has_code("SELECT *", "select * from a"), has_code("new", "new_node"), has_code(":latest", "a:latest")
    (True, False, True)
    """
    parts = ["\\s?".join(map(re.escape, part.split())) for part in pattern.split("...")]
    parts[0] = rf"(?<!\w){parts[0]}" if re.match(r"\w", pattern) else parts[0]
    parts[-1] = rf"{parts[-1]}(?!\w)" if re.search(r"\w$", pattern) else parts[-1]
    at, text = 0, _joined(line)
    for part in parts:
        found = re.compile(part, re.IGNORECASE * pattern.isupper()).search(text, at)
        if found is None:
            return False
        at = found.end()
    return True


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
    if kind == LINE[:-1]:
        return has_code(what, line)
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
        begins = r"(?<![\w.-])" if re.match(r"\w", what) else _NO_SIGN_BEFORE
        ends = r"(?![\w-])" if re.search(r"\w$", what) else _NO_SIGN_BEHIND
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
        from remora.core.paths import matches

        return matches(place, path)
    if "/" in place:
        return path == place or f"/{path}".find(f"/{place.rstrip('/')}/") >= 0
    return not _path_stems(path).isdisjoint(TESTS if place in TESTS else (place,))
