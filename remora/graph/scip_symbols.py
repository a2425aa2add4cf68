"""Parse the names of a SCIP index: package, file, class, function.

A global name has the form `scheme manager package version descriptors`, its parts separated by one blank; a
blank inside a part is doubled, and an empty part is written ".". The end of each descriptor shows its kind:
`a/` a namespace, `A#` a type, `x.` a term, `f().` a method (with a disambiguator between the brackets if it
has several forms), `[T]` a type parameter, `(x)` a parameter, `m!` a macro, `n:` meta. A name with other
characters is in backticks, with backticks doubled. `local 7` is known only within its document.
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
    rf"|(?P<name>{_NAME})(?P<end>\({_NAME}?\)\.|[/#.!:])"
)
_KINDS = {"/": NAMESPACE, "#": TYPE, ".": TERM, "!": MACRO, ":": META}
# Scheme (never empty), manager, package and version, each with the blank behind it; "  " is a blank within.
_HEAD = re.compile(r"(?!\.? (?! ))(?>(?:[^ ]|  )* ){4}")


class Descriptor(NamedTuple):
    """One step of a name."""

    name: str
    kind: str


class ScipName(NamedTuple):
    """A parsed name: a local one is known only within its document and has no steps."""

    local: bool
    descriptors: tuple[Descriptor, ...] = ()

    @property
    def last(self) -> Descriptor | None:
        """The last step, which is the named item."""
        return self.descriptors[-1] if self.descriptors else None


@lru_cache(maxsize=65_536)
def parse_name(symbol: str) -> ScipName | None:
    """Return a parsed symbol string, None if it is invalid.

    >>> parse_name("scip-python python demo 0.1 `pkg.a`/A#run().").descriptors[1:]
    (Descriptor(name='A', kind='type'), Descriptor(name='run', kind='method'))
    >>> parse_name("local 7").local, parse_name("nonsense")
    (True, None)
    """
    if symbol.startswith("local "):
        return ScipName(local=True) if symbol[6:] else None
    head = _HEAD.match(symbol)
    descriptors = _descriptors(symbol, head.end()) if head is not None else None
    return ScipName(local=False, descriptors=descriptors) if descriptors is not None else None


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
            found.append(Descriptor(_plain(step["name"]), _KINDS.get(step["end"], METHOD)))
    return tuple(found)


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
