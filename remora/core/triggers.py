"""Triggers: the actions at which a memory is shown, made from its directive and matched against actions.

    program   a command that runs it                        key: the program; needs: words beside it
    event     a command that is such an event               key: its stem ("commit"); needs: further stems
    write     an edit that adds it                          key: one of its words; needs: the searched form
    path      an edit below a path                          key: a file, a folder with a slash at its end, or
                                                            the end of a glob ("*.gen.go"); needs: the glob
    touch     an edit of a file with the name               key: a stem ("migration"); needs: CHANGED, NEW
    output    a failed command with the output              key: its rarest word; needs: the other words
    error     a failed command                              key: the fingerprint of its error
    command   a command that failed because of itself       key: a word of it, or all; needs: further words
    term      an edit that names it                         key: an identifier
    search    a search for it                               key: a pattern, a name

`unless` holds the conditions that suppress the memory: a flag of the command, a command that ran since the
last change, a place. Triggers are made when a memory is stored; matching an edit is for a hook, and loads
little. Shell commands are matched by `remora.shell.trigger_match`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

from remora.core.stems import stem

if TYPE_CHECKING:
    from remora.core.directive import Directive
    from remora.core.things import Thing

PROGRAM, EVENT, WRITE, PATH, TOUCH = "program", "event", "write", "path", "touch"
OUTPUT, ERROR, COMMAND, TERM, SEARCH = "output", "error", "command", "term", "search"
AT_EDITS = (WRITE, PATH, TOUCH)
# Marks in `unless`: applies only in one of these, not there, done already, the command that is wanted,
# what a new file must contain.
ONLY, NOT_IN, DONE, WANTED, HAS = "only:", "not:", "done:", "wanted:", "has:"
# The same in the triggers that a caller gives: the action must have one of these, and none of those.
IF, BUT = "if:", "but:"
BRANCH = "branch "  # before the name or glob of a branch, in such a condition
LINE = "line:"  # in `needs` of an edit: code on one line
CHANGED, NEW = "changed", "new"  # in `needs` of an edit: the file exists; it does not
DEPENDENCY = "dependency"  # the event of adding a package to the project
INTO = "into"  # in `needs` of a merge: the branch that is checked out follows
MOST_KEYS = 600  # of one edit or command line
_TESTS = ("test", "spec")  # stems of folders and files of tests
_HALF = 0.5  # share of the words of a thing that one line must contain
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".org", ".tex")
# In these a plain word alone is a use of the thing.
_PLAIN = (".sh", ".bash", ".zsh", ".fish", ".yml", ".yaml", ".toml", ".json", ".mk", ".ps1", ".nix", ".sql")
_COMMENT = re.compile(r"^\s*(?:#(?!!|include|define|if|import)|//|/\*|\*(?:\s|/|$)|<!--|;;|%%|\"\"\")")
_SQL_COMMENT = re.compile(r"^\s*--")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_TRAILING = re.compile(r"\s(?://|#)\s.*$")
_RELATIVE = re.compile(r"(?<=[\"'])\.{1,2}/[\w./@-]+(?=[\"'])")
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:-\w+)*")
CODE_WORD = re.compile(r"[^\W\d]\w*|(?<!\d)\d++(?:\.\d++)+")  # an identifier, or a version
_PROGRAM = re.compile(r"[a-z][\w.+-]*")  # the form of its name
# An operator is no part of a longer one: `==` is not in `===`.
_NO_SIGN_BEFORE, _NO_SIGN_BEHIND = r"(?<![=!<>&|+*/?~^%-])", r"(?![=!<>&|+*/?~^%-])"
_SYMBOL = re.compile(r"[^\w\s'\"`]+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


class Trigger(NamedTuple):
    """One trigger of a memory; of several memories with one key, the highest weight comes first."""

    kind: str
    key: str
    memory_id: str
    needs: tuple[str, ...] = ()
    weight: float = 1.0
    unless: tuple[str, ...] = ()


# Making


def triggers_of(found: Directive, memory_id: str, weight: float = 1.0) -> Iterator[Trigger]:
    """Yield the triggers of a directive."""
    places = (*(ONLY + place for place in found.inside), *(NOT_IN + place for place in found.exempt))
    done = tuple(
        DONE + str(thing) for thing in found.wants if thing.kind == "command" and len(thing.words) > 1
    )
    flags = tuple(str(thing) for thing in found.wants if str(thing).startswith("-"))
    wanted = tuple(WANTED + str(thing) for thing in found.wants if thing.kind in ("command", "text"))
    alike = {_last(thing.words[0]) for thing in found.wants if thing.kind == "name"}
    for thing in found.forbids:
        for kind, key, needs in _of_thing(thing, alike):
            yield Trigger(kind, key, memory_id, needs, weight, places + wanted * (kind == PROGRAM))
    for words in found.before:
        yield Trigger(EVENT, words[0], memory_id, words[1:], weight, (*done, *flags))
    for thing in found.passing:
        options = tuple(word for word in thing.words if word.startswith("-"))
        if thing.kind == "command" and options and not found.before:
            plain = [word.lower() for word in thing.words if word not in options]
            yield Trigger(PROGRAM, plain[0], memory_id, tuple(plain[1:]), weight, options)
    for one in found.touching:
        yield Trigger(TOUCH, one, memory_id, (), weight)
    for kind in dict.fromkeys(kind for kind, _ in found.holds):
        content = [str(thing).removesuffix("()").lower() for of, thing in found.holds if of == kind]
        but = (NOT_IN + _TESTS[0],) * (kind not in _TESTS)
        yield Trigger(
            TOUCH, kind, memory_id, (NEW,), weight, (*(HAS + one for one in content), *places, *but)
        )
    for one in found.kept:
        yield Trigger(TOUCH, one, memory_id, (CHANGED,), weight, places)
    for path in found.about:
        yield Trigger(PATH, path, memory_id, (), weight, tuple(NOT_IN + place for place in found.exempt))


def of_place(path: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield kind, key and needs of the trigger of a path or a glob.

    A glob is found by its end, by a folder in it, or by a word of its file name.

    >>> [[*of_place(one)][0][:2] for one in ("gen/", "src/**/*.gen.go", "gen/**", "**/db/*")]
    [('path', 'gen/'), ('path', '*.gen.go'), ('path', 'gen/'), ('path', 'db/')]
    >>> [*of_place("**/*Test.java")]
    [('path', 'test', ('**/*Test.java',))]
    """
    if "*" not in path:
        yield PATH, path, ()
        return
    end, before = path.rpartition("*")[2], path.partition("*")[0].rpartition("/")[0]
    folder = next((part for part in path.split("/")[:-1] if part and "*" not in part), "")
    name = max(map(stem, _PART.findall(path.rpartition("/")[2].partition(".")[0])), key=len, default="")
    if end.startswith(".") and "/" not in end:
        yield PATH, f"*{end}", (path,)
    elif before or folder:
        yield PATH, f"{before or folder}/", (path,)
    elif name:
        yield PATH, name, (path,)


def _of_thing(thing: Thing, alike: Collection[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield kind, key and needs of the triggers of a forbidden thing; `alike`: last names that are wanted."""
    words = tuple(word.lower() for word in thing.words)
    if thing.kind == "path":
        yield from of_place(thing.words[0])
    elif thing.kind == "command":
        yield PROGRAM, words[0], words[1:]
        if len(words) == 1:
            yield WRITE, words[0], (f"word:{words[0]}",)
    elif thing.kind == "code":
        yield WRITE, _key(words[0]), (f"code:{thing.words[0]}",)
        yield PROGRAM, words[0], ()
    elif thing.kind == "text":
        yield WRITE, _key(words[0]), (f"text:{' '.join(words)}",)
        if _PROGRAM.fullmatch(thing.words[0]):
            yield PROGRAM, words[0], words[1:]
    elif thing.kind == "words":
        stems = tuple(map(stem, words))
        if stems[0] == "amend":
            yield EVENT, "commit", ("amend",)
        else:
            yield EVENT, stems[0], stems[1:]
        for one in stems if len(stems) > 1 else ():
            yield WRITE, one, (f"words:{' '.join(stems)}",)
    else:
        name = thing.words[0]
        if name.startswith("-"):
            yield EVENT, name.lower(), ()
            return
        bare = re.sub(r"/\d+$", "", name)
        plain, last = bare.removesuffix("()"), _last(bare)
        form = "call" if name.endswith("()") else "member" if last != plain else "name"
        if last != plain and (last in alike or bare != name):
            form = "whole"  # `json.dumps` is wanted, `simplejson.dumps` is not; `Map.put/3` has its module
        yield (
            WRITE,
            _key(last.rpartition("/")[2]),
            (f"{form}:{plain if form in ('name', 'whole') else last}",),
        )
        if form == "name":
            yield PROGRAM, plain.lower(), ()


def _last(name: str) -> str:
    """Return the last part of a qualified name, without the parentheses of a call."""
    return re.split(r"\.|::|->", name.removesuffix("()"))[-1]


def _key(word: str) -> str:
    found = _IDENTIFIER.search(word)
    return found[0].lower() if found else word.lower()


def key_of(code: str) -> str:
    """Return the key of a line of code: its longest identifier, or two signs."""
    found = _IDENTIFIER.findall(code)
    return max(found, key=len).lower() if found else code.split()[0][:2]


# Edits


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
    for name in _IDENTIFIER.findall(line):
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


def marked(trigger: Trigger, mark: str) -> list[str]:
    """Return the conditions of a trigger that have a mark, without it."""
    return [one.removeprefix(mark) for one in trigger.unless if one.startswith(mark)]


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


def is_place(pattern: str) -> bool:
    """Return whether a pattern is a folder, a path or a glob.

    >>> [is_place(one) for one in ("src/", "*.sql", "SELECT *", "v.*", "prod")]
    [True, True, False, False, False]
    """
    return " " not in pattern and ("/" in pattern or re.match(r"\*+\.\w", pattern) is not None)


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
        owner = re.escape(what[: -len(_last(what))].rstrip(".:->"))
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
    own = {one for name in _IDENTIFIER.findall(line) for one in forms(name)}
    defines = re.search(
        r"\b(?:class|def|func|fn|function|interface|struct|enum|trait|type|record|object)\s", line
    )
    return (stems[0] in own or defines is not None) and sum(one in own for one in stems) >= max(
        2, _HALF * len(stems)
    )


def forms(name: str) -> set[str]:
    """Return an identifier in lower case, its parts, and their stems."""
    parts = [part.lower() for part in _PART.findall(name)]
    return {name.lower(), *parts, *map(stem, parts), stem(name)}


def _joined(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _path_stems(path: str) -> set[str]:
    return {stem(part) for name in re.split(r"[/.]", path) for part in _PART.findall(name)}


def lies(path: str, place: str) -> bool:
    """Return whether a file is in a place: below a folder, or with the stem in a part of its path."""
    if "*" in place:
        from remora.core.paths import matches

        return matches(place, path)
    if "/" in place:
        return path == place or f"/{path}".find(f"/{place.rstrip('/')}/") >= 0
    return not _path_stems(path).isdisjoint(_TESTS if place in _TESTS else (place,))
