"""The files to resolve again when a file changes: the names that link them.

A file is resolved again if one of its `names_of` is among the touched names. These are the `changed_names` of
each changed file, and the additions of `spread` for files that re-export a name under another name, or have a
subclass of a changed class:

    touched = union of changed_names(path, before, after)
    repeat: for each file with one of the touched names: touched |= spread(touched, path, outline)
    until nothing is added

Together with the changed files themselves, and those with an edge into one of them, this is complete: any
other file finds the same links as before.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from remora.core.code import Outline
from remora.graph.languages import FAMILIES
from remora.graph.test_files import stems_under_test

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from remora.core.code import FileFacts

_WORD = re.compile(r"[^\W\d]\w*[?!]?")
_ATTRIBUTE = re.compile(r"\.\s*([^\W\d]\w*)")
# Files that are named by their folder.
_FOR_FOLDER = frozenset(("__init__", "index", "mod", "lib", "main"))
_DEFAULTS = frozenset(("javascript", "typescript", "tsx"))  # which definition is the default may change
# Languages with a dot between a module and its names.
DOTTED = frozenset(("python", "javascript", "typescript", "tsx", "go"))
DOT = 1  # how a file uses a name (store.graph)
_NONE = Outline("")


def names_of(facts: FileFacts, path: str = "") -> frozenset[str]:
    """Return every name through which a change elsewhere could affect a file's links.

    Args:
        facts: the file's facts.
        path: the file; if given, the names of files that it tests by its own name are added.
    """
    found: set[str] = set(stems_under_test(path)) if path else set()
    texts: set[str] = set()
    for reference in facts.uses.references:
        found.add(reference.name)
        texts.add(reference.receiver)
    for binding in facts.uses.bindings:
        texts.add(binding.type)
    for definition in facts.outline.definitions:
        texts.update((*definition.bases, definition.returns))
        if definition.bases or definition.kind == "class":
            found.add(definition.name)  # the same class may be continued elsewhere
    for item in facts.outline.imports:
        texts.update((item.module, item.alias), *item.names)
    texts.add(facts.outline.package)
    for text in texts:
        found.update(_WORD.findall(text))
    found.discard("")
    return frozenset(found)


def ways_of(facts: FileFacts, path: str = "") -> dict[str, int]:
    """Return `names_of` a file, each with DOT if it may stand after a module and a dot, else 0."""
    dotted = _behind_a_dot(facts) if facts.outline.language in DOTTED else set()
    return {name: DOT if name in dotted else 0 for name in names_of(facts, path)}


def _behind_a_dot(facts: FileFacts) -> set[str]:
    """Return the names that a file uses as attributes."""
    found = {one.name for one in facts.uses.references if one.receiver}
    texts = {reference.receiver for reference in facts.uses.references}
    texts.update(binding.type for binding in facts.uses.bindings)
    for definition in facts.outline.definitions:
        texts.update((*definition.bases, definition.returns))
    for text in texts:
        if "." in text:
            found.update(_ATTRIBUTE.findall(text))
    return found


def place_names(path: str) -> frozenset[str]:
    """Return the names of a file: its stem, and its folder if the file represents it.

    >>> sorted(place_names("a/b/__init__.py")), sorted(place_names("x/foo.test.ts"))
    (['__init__', 'b'], ['foo', 'test'])
    """
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    found = set(_WORD.findall(name.rpartition(".")[0] or name))
    found.add(stem)
    if stem in _FOR_FOLDER or name.endswith(".go"):
        found.update(_WORD.findall(folder.rpartition("/")[2]))
    return frozenset(found - {""})


def changed_names(path: str, before: Outline | None, after: Outline | None) -> frozenset[str]:
    """Return the names whose meaning may differ elsewhere after a file changed.

    Args:
        path: the file.
        before: its outline, None if it is new (or had no names).
        after: its outline, None if it is deleted.

    "*" among them means that unlisted names were added or removed: an `import *` changed.
    """
    found: set[str] = set()
    if before is None or after is None:
        found |= place_names(path)
    old, new = _offers(before), _offers(after)
    changed = {offer for offer in old.keys() | new.keys() if old[offer] != new[offer]}
    found.update(str(offer[0]) for offer in changed)
    if before is None or after is None or before.package != after.package:
        for outline in (before, after):
            found.update(_WORD.findall(outline.package) if outline else ())
    if before is not None and after is not None:
        first, second = ((one.exports, one.language, one.package) for one in (before, after))
        if first != second:
            found.update(str(offer[0]) for offer in old.keys() | new.keys())
    language = (after or before or _NONE).language
    if changed and language in _DEFAULTS:
        found.add("default")
    if "*" in found:
        found |= place_names(path)
    found.discard("")
    for outline in (before, after):
        if outline is not None:
            while more := spread(found, path, outline) - found:
                found |= more
    return frozenset(found)


def spread(touched: AbstractSet[str], path: str, outline: Outline) -> frozenset[str]:
    """Return the names under which a file re-exports touched names.

    These are imports under another name, subclasses of a touched class, functions that return one, and, if it
    imports everything from a touched module, the file itself.
    """
    found: set[str] = set()
    for definition in outline.definitions:
        if definition.name in touched:
            continue
        leads_to = (*definition.bases, definition.returns)
        if any(not touched.isdisjoint(_WORD.findall(text)) for text in leads_to):
            found.add(definition.name)
    for item in outline.imports:
        last = _WORD.findall(item.module)[-1:]
        from_touched = bool(last) and last[0] in touched
        if item.alias and from_touched:
            found.add(item.alias)
        for name, local in item.names:
            same = name.removesuffix("()") in touched  # "F()" is an object of the class F
            if same or ("*" in touched and (from_touched or not last)):
                found.add(local)
                if local == "*":
                    found |= place_names(path)
    found.discard("")
    return frozenset(found)


def takes(outline: Outline, names: AbstractSet[str], path: str) -> bool:
    """Return whether a file imports one of some names from another one, or all of it.

    It does if an import names one of them or imports everything. In languages without a separator between a
    module and its names it also does if it imports the other file as a whole.

    Args:
        outline: of the importing file.
        names: that the other file re-exports.
        path: of the other file.
    """
    place = place_names(path)
    for item in outline.imports:
        if any(name == "*" or name in names for name, _ in item.names):
            return True
        whole = not item.names and not place.isdisjoint(_WORD.findall(item.module))
        if whole and outline.language not in DOTTED:
            return True
    return False


def aliases(outline: Outline, path: str) -> frozenset[str]:
    """Return a file's other names for a value that may be another file as a whole."""
    place = place_names(path)
    found: set[str] = set()
    for item in outline.imports:
        if item.alias and not place.isdisjoint(_WORD.findall(item.module)):
            found.add(item.alias)
        found.update(local for name, local in item.names if name in place)
    return frozenset(found)


def is_seen_unimported(path: str) -> bool:
    """Return whether other files see a file's names without importing it, as tests see their fixtures.

    >>> is_seen_unimported("tests/conftest.py"), is_seen_unimported("tests/fixtures.py")
    (True, False)
    """
    return path.rpartition("/")[2] == "conftest.py"


def speaks(path: str) -> bool:
    """Return whether a file represents its folder, which then has its imports too."""
    return path.rpartition("/")[2].partition(".")[0] in _FOR_FOLDER


def _offers(outline: Outline | None) -> Counter[tuple[object, ...]]:
    """Return the externally visible items of a file, each with its name first."""
    found: Counter[tuple[object, ...]] = Counter()
    if outline is None:
        return found
    for definition in outline.definitions:
        if definition.sentence:
            continue
        head = definition.signature if definition.kind in ("function", "method") else ""
        about = (definition.kind, definition.bases, head, definition.returns)
        found[definition.name, definition.qualname, *about] += 1
    family = FAMILIES.get(outline.language)
    for item in outline.imports:
        for entry in family.entries(item) if family else ():
            found[entry.local, entry.module, entry.name, item.level, item.kind, item.scope] += 1
    return found
