"""Which files must be resolved again when a file changes: the names that lead from one to the other.

A file is resolved again when one of `names_of` it is among the names that a change touches. These are
`changed_names` of each changed file, and what `spread` adds for files that pass a name on under another
name, or have a class below one that changed:

    touched = union of changed_names(path, before, after)
    repeat: for each file with one of the touched names: touched |= spread(touched, its outline)
    until nothing is added

With the files that changed themselves, and those with an edge into one of them, that is all: any other
file finds the same links as before.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from remora.graph.imports import FAMILIES
from remora.graph.testing import tested_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from remora.core.code import FileFacts, Import, Outline

_WORD = re.compile(r"[^\W\d]\w*[?!]?")
# Files that are named by their folder.
_FOR_FOLDER = frozenset(("__init__", "index", "mod", "lib", "main"))


def names_of(facts: FileFacts, path: str = "") -> frozenset[str]:
    """Return every name by which a change elsewhere could reach a file's links.

    Args:
        facts: the file's facts.
        path: the file; with it, the names of files that it tests by its own name are added.
    """
    found: set[str] = set(tested_stems(path)) if path else set()
    texts: set[str] = set()
    for reference in facts.uses.references:
        found.add(reference.name)
        texts.add(reference.receiver)
    for binding in facts.uses.bindings:
        texts.add(binding.type)
    for definition in facts.outline.definitions:
        texts.update(definition.bases)
        if definition.bases or definition.kind == "class":
            found.add(definition.name)  # the same class may be continued elsewhere
    for item in facts.outline.imports:
        texts.update(_texts(item))
    texts.add(facts.outline.package)
    for text in texts:
        found.update(_WORD.findall(text))
    found.discard("")
    return frozenset(found)


def _texts(item: Import) -> Iterator[str]:
    yield item.module
    yield item.alias
    for name, local in item.names:
        yield name
        yield local


def place_names(path: str) -> frozenset[str]:
    """Return the names by which a file can be meant: its stem, and its folder where it stands for that.

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
        before: what it offered, None when it is new (or had no names).
        after: what it offers, None when it is gone.
    """
    found: set[str] = set()
    if before is None or after is None:
        found |= place_names(path)
    old, new = _offers(before), _offers(after)
    for offer in old.keys() | new.keys():
        if old[offer] != new[offer]:
            found.add(offer[0])
    if before is not None and after is not None:
        if before.exports != after.exports or before.language != after.language:
            found.update(offer[0] for offer in old.keys() | new.keys())
        if before.package != after.package:
            found.update(offer[0] for offer in old.keys() | new.keys())
    for package in {before.package if before else "", after.package if after else ""}:
        if before is None or after is None or before.package != after.package:
            found.update(_WORD.findall(package))
    stars = _stars(before) ^ _stars(after)
    if stars:  # what they bring has names of its own; who asks this file for one must ask again
        found |= place_names(path) | {"*"}
    return frozenset(found - {""})


def _offers(outline: Outline | None) -> Counter[tuple[object, ...]]:
    """Return what others can see of a file: each with its name first."""
    found: Counter[tuple[object, ...]] = Counter()
    if outline is None:
        return found
    for definition in outline.definitions:
        head = definition.signature if definition.kind in ("function", "method") else ""
        found[definition.name, definition.qualname, definition.kind, definition.bases, head] += 1
    family = FAMILIES.get(outline.language)
    for item in outline.imports:
        for entry in family.entries(item) if family else ():
            found[entry.local, entry.module, entry.name, item.level, item.kind, item.scope] += 1
    return found
