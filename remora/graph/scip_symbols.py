"""Take the names of a SCIP index apart: which package, which file, which class, which function.

A global name reads `scheme manager package version descriptors`, its parts divided by one blank; a
blank inside a part is written twice, and a part that is empty is written ".". Each descriptor says
what it names by how it ends: `a/` a namespace, `A#` a type, `x.` a term, `f().` a method (with a
disambiguator between the brackets where it has several forms), `[T]` a type parameter, `(x)` a
parameter, `m!` a macro, `n:` meta. A name with other signs stands in backticks, where a backtick is
written twice. `local 7` is known only within its document.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

NAMESPACE, TYPE, TERM, METHOD = "namespace", "type", "term", "method"
TYPE_PARAMETER, PARAMETER, MACRO, META = "type parameter", "parameter", "macro", "meta"

_NAME = r"(?:`(?:[^`]|``)+`|[\w+\-$]+)"
_DESCRIPTOR = re.compile(
    rf"\[(?P<type_parameter>{_NAME})\]|\((?P<parameter>{_NAME})\)"
    rf"|(?P<name>{_NAME})(?P<end>\((?P<form>{_NAME}?)\)\.|[/#.!:])"
)
_KINDS = {"/": NAMESPACE, "#": TYPE, ".": TERM, "!": MACRO, ":": META}
_PART = re.compile(r"((?:[^ ]|  )*) ")


class Descriptor(NamedTuple):
    """One step of a name; `form` tells overloads apart."""

    name: str
    kind: str
    form: str = ""


class ScipName(NamedTuple):
    """A name taken apart. A local name has the scheme "local" and its number as `package`."""

    scheme: str
    manager: str = ""
    package: str = ""
    version: str = ""
    descriptors: tuple[Descriptor, ...] = ()

    @property
    def local(self) -> bool:
        """Whether the name is known only within its document."""
        return self.scheme == "local"

    @property
    def last(self) -> Descriptor | None:
        """What is named, the last step."""
        return self.descriptors[-1] if self.descriptors else None


@lru_cache(maxsize=65_536)
def parse_name(symbol: str) -> ScipName | None:
    """Return a symbol string taken apart, None when it is none.

    >>> parse_name("scip-python python demo 0.1 `pkg.a`/A#run().").descriptors[1:]
    (Descriptor(name='A', kind='type', form=''), Descriptor(name='run', kind='method', form=''))
    >>> parse_name("local 7").package, parse_name("nonsense")
    ('7', None)
    """
    if symbol.startswith("local "):
        return ScipName("local", package=symbol[6:]) if symbol[6:] else None
    parts: list[str] = []
    at = 0
    while len(parts) < 4:
        part = _PART.match(symbol, at)
        if part is None:
            return None
        parts.append("" if part[1] == "." else part[1].replace("  ", " "))
        at = part.end()
    descriptors = _descriptors(symbol, at)
    if descriptors is None or not parts[0]:
        return None
    return ScipName(parts[0], parts[1], parts[2], parts[3], descriptors)


def _descriptors(symbol: str, at: int) -> tuple[Descriptor, ...] | None:
    found: list[Descriptor] = []
    while at < len(symbol):
        step = _DESCRIPTOR.match(symbol, at)
        if step is None:
            return None
        at = step.end()
        if step["type_parameter"]:
            found.append(Descriptor(_plain(step["type_parameter"]), TYPE_PARAMETER))
        elif step["parameter"]:
            found.append(Descriptor(_plain(step["parameter"]), PARAMETER))
        else:
            kind = _KINDS.get(step["end"], METHOD)
            found.append(Descriptor(_plain(step["name"]), kind, _plain(step["form"] or "")))
    return tuple(found)


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
