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
KNOWN = {
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


def changed(before: Outline | None, after: Outline | None) -> Iterator[str]:
    """Yield the names of both kinds that a change of a file touches."""
    old, new = _shapes(before), _shapes(after)
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            yield of_type(name)
            for outline in (before, after):
                yield from _asked(outline, name)


def passed(touched: AbstractSet[str], outline: Outline) -> Iterator[str]:
    """Yield the names of both kinds that follow from touched ones.

    Those are the types that a touched method belongs to or that embed a touched type, and what an interface
    among them asks for.
    """
    if outline.language != _LANGUAGE:
        return
    interfaces = _interfaces(outline)
    for one in outline.definitions:
        if one.kind == "method":
            if one.parent not in interfaces and of_method(one.name) in touched:
                yield of_type(one.parent)
        elif one.kind in CLASSES and not one.parent:
            around = (one.name, *embedded(outline, one))
            if any(of_type(name) in touched for name in around):
                yield of_type(one.name)
                yield from _asked(outline, one.name)


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


def _asked(outline: Outline | None, name: str) -> Iterator[str]:
    """Yield the names of what an interface asks for, methods and types; nothing where a type is none."""
    if outline is None or name not in _interfaces(outline):
        return
    for one in outline.definitions:
        if one.kind == "method" and one.parent == name:
            yield of_method(one.name)
        elif one.qualname == name:
            yield from map(of_type, embedded(outline, one))
            for head in (head for text in one.bases for head in KNOWN.get(text, ())):
                yield of_method(head.partition("(")[0])


def _interfaces(outline: Outline) -> set[str]:
    return {one.qualname for one in outline.definitions if one.kind == "interface" and not one.parent}
