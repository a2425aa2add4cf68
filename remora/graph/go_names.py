"""Go: names for links between files that no code writes, for `names`.

A type and the interfaces that it implements do not name each other. When an interface changes, each type with
one of its methods is checked again; when a method is added or removed, its type and the types that embed it
are. Both links use names that no code can have: `of_method` is used by the files that define a method of that
name, `of_type` by those that define or embed a type of that name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.graph.tables import CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from remora.core.code import Definition, Outline

_LANGUAGE = "go"
_WORD = re.compile(r"[^\W\d]\w*")
_READ, _WRITE = "Read(p []byte) (n int, err error)", "Write(p []byte) (n int, err error)"
_CLOSE, _SEEK = "Close() error", "Seek(offset int64, whence int) (int64, error)"
# What interfaces of the standard library ask for, where others embed them.
LISTS_TYPES = "~"  # stands among what an interface embeds where it lists types
KNOWN = {
    "error": ("Error() string",),
    "fmt.Stringer": ("String() string",),
    "http.Handler": ("ServeHTTP(ResponseWriter, *Request)",),
    "io.Closer": (_CLOSE,),
    "io.ReadCloser": (_READ, _CLOSE),
    "io.Reader": (_READ,),
    "io.ReadSeeker": (_READ, _SEEK),
    "io.ReadWriteCloser": (_READ, _WRITE, _CLOSE),
    "io.ReadWriter": (_READ, _WRITE),
    "io.Seeker": (_SEEK,),
    "io.WriteCloser": (_WRITE, _CLOSE),
    "io.Writer": (_WRITE,),
    "sort.Interface": ("Len() int", "Less(i, j int) bool", "Swap(i, j int)"),
}


def of_method(name: str) -> str:
    """Return the name that represents the interface methods of a name."""
    return f"func {name}"


def of_type(name: str) -> str:
    """Return the name that represents the methods of the types of a name."""
    return f"type {name}"


def embedded(outline: Outline, definition: Definition) -> Iterator[str]:
    """Yield the names, without their packages, of the types that a definition embeds."""
    if outline.language == _LANGUAGE:
        for text in definition.bases:
            yield last(text)


def last(text: str) -> str:
    """Return the name of a written type, without its package.

    >>> last("*store.Disk"), last("Disk")
    ('Disk', 'Disk')
    """
    words: list[str] = _WORD.findall(text)
    return words[-1] if words else ""


def used(outline: Outline) -> Iterator[str]:
    """Yield the names of both kinds through which a change elsewhere affects a file."""
    if outline.language != _LANGUAGE:
        return
    for one in outline.definitions:
        if one.kind == "method":
            yield of_method(one.name)
        elif one.kind in CLASSES and not one.parent:
            yield of_type(one.name)
            yield from map(of_type, embedded(outline, one))


def is_one(name: str) -> bool:
    """Return whether a name is of one of these kinds, and not from code."""
    return name.startswith(("func ", "type "))


def changed(before: Outline | None, after: Outline | None) -> Iterator[str]:
    """Yield the names of both kinds that a change of a file touches."""
    old, new = _shapes(before), _shapes(after)
    names = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
    if before is not None and after is not None and before.imports != after.imports:
        names |= {one.name for one in after.definitions if one.bases}  # they may mean others now
    asked = [_asked(outline) for outline in (before, after)]
    for name in names if old or new else ():
        yield of_type(name)
        for each in asked:
            yield from each.get(name, ())


def passed(touched: AbstractSet[str], outline: Outline) -> Iterator[str]:
    """Yield the names of both kinds that follow from touched ones.

    These are the types that a touched method belongs to or that embed a touched type, and the methods of the
    touched interfaces.
    """
    if outline.language != _LANGUAGE or not any(map(is_one, touched)):
        return
    asked = _asked(outline)
    for one in outline.definitions:
        if one.kind == "method":
            if one.parent not in asked and of_method(one.name) in touched:
                yield of_type(one.parent)
        elif one.kind in CLASSES and not one.parent:
            around = (one.name, *embedded(outline, one))
            if any(of_type(name) in touched for name in around):
                yield of_type(one.name)
                yield from asked.get(one.name, ())


def _shapes(outline: Outline | None) -> dict[str, set[tuple[object, ...]]]:
    """Return by the name of each top-level type its description and its methods."""
    found: dict[str, set[tuple[object, ...]]] = {}
    if outline is not None and outline.language == _LANGUAGE:
        for one in outline.definitions:
            if one.kind == "method":
                found.setdefault(one.parent, set()).add((one.name, one.signature))
            elif one.kind in CLASSES and not one.parent:
                found.setdefault(one.name, set()).add((one.kind, one.bases, one.signature))
    return found


def _asked(outline: Outline | None) -> dict[str, list[str]]:
    """Return by interface the names of its methods and embedded types."""
    found: dict[str, list[str]] = {}
    for one in outline.definitions if outline is not None and outline.language == _LANGUAGE else ():
        if one.kind == "interface" and not one.parent:
            names = found.setdefault(one.qualname, [])
            names += map(of_type, embedded(outline, one)) if outline else ()
            heads = (head for text in one.bases for head in KNOWN.get(text, ()))
            names += (of_method(head.partition("(")[0]) for head in heads)
        elif one.kind == "method" and one.parent in found:
            found[one.parent].append(of_method(one.name))
    return found
