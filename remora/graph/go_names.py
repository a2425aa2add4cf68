"""Go: names that lead from one file to another where no code writes them, for `names`.

A type and the interfaces that it satisfies do not name each other. When an interface changes, each type
with a method that it asks for is looked at again; when a method comes or goes, the type that it belongs
to, and what embeds that. Both are told by names that no code can have: `of_method` is used by the files
that define a method so called, `of_type` by those that define a type so called or embed one.
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
    """Return what stands for the methods of a name that interfaces ask for."""
    return f"func {name}"


def of_type(name: str) -> str:
    """Return what stands for the methods of the types of a name."""
    return f"type {name}"


def embedded(outline: Outline, definition: Definition) -> Iterator[str]:
    """Yield the names, without their packages, of the types that a definition embeds."""
    if outline.language == _LANGUAGE:
        for text in definition.bases:
            yield last(text)


def last(text: str) -> str:
    """Return the name of a type as written, without its package.

    >>> last("*store.Disk"), last("Disk")
    ('Disk', 'Disk')
    """
    words: list[str] = _WORD.findall(text)
    return words[-1] if words else ""


def used(outline: Outline) -> Iterator[str]:
    """Yield the names of both kinds by which a change elsewhere reaches a file."""
    if outline.language != _LANGUAGE:
        return
    for one in outline.definitions:
        if one.kind == "method":
            yield of_method(one.name)
        elif one.kind in CLASSES and not one.parent:
            yield of_type(one.name)
            yield from map(of_type, embedded(outline, one))


def is_one(name: str) -> bool:
    """Return whether a name is of one of these kinds, and none of code."""
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

    Those are the types that a touched method belongs to or that embed a touched type, and what an interface
    among them asks for.
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
    """Return by the name of each type at the top level what is said of it and of its methods."""
    found: dict[str, set[tuple[object, ...]]] = {}
    if outline is not None and outline.language == _LANGUAGE:
        for one in outline.definitions:
            if one.kind == "method":
                found.setdefault(one.parent, set()).add((one.name, one.signature))
            elif one.kind in CLASSES and not one.parent:
                found.setdefault(one.name, set()).add((one.kind, one.bases, one.signature))
    return found


def _asked(outline: Outline | None) -> dict[str, list[str]]:
    """Return by interface the names of what it asks for: methods, and types that it embeds."""
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
