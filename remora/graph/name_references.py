"""References to a definition without a call: reads of a property, function values, written types.

Such references are no edges. They are searched on request, in the texts of the definition's own file and of
the files that import it, directly or through a re-export. A match may mean another definition of that name,
so all of them are guesses. Excluded are the name in a comment, its assignments, its definition, and
definitions that are known to use another one of that name. A member is named after a dot, except in its own
file in languages that need none. A name with very many matches, or one that the language itself uses, is not
searched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from remora.store.database import Database
    from remora.store.graph import Brief, Node
    from remora.store.name_references import Place

MOST = 200  # parts of code that may have the words of a name; with more it is a word of the trade
READ = 20  # parts that are read
SHORTEST = 3  # signs of a name that is looked for
# Languages where a member of the same class is named without anything before it.
_BARE = frozenset({"java", "csharp", "cpp", "c", "ruby", "kotlin", "scala", "swift"})
_COMMENT = re.compile(r"\s*(#(?!\[|include|define|if)|//|/?\*|--|\"\"\"|''')")
_IMPORT = re.compile(r"\s*(from\s|import\s|use\s|using\s|#include|require|export\s.*\sfrom\s)")


class Naming(NamedTuple):
    """The references to a definition: other definitions, and None with the file for its top level.

    `common` means that the name has too many matches.
    """

    found: tuple[Brief, ...]
    common: bool = False


def naming(db: Database, node: Node, own: Collection[int]) -> Naming:
    """Return the references to a definition outside tests; `own` are the ids of its own nodes."""
    symbol = node.symbol or ""
    file = db.graph.keys([node.path]).get(node.path)
    if node.type == "test" or file is None or not re.search(r"\w", node.label):
        return Naming(())
    if len(node.label) < SHORTEST or re.fullmatch("__.+__", node.label):
        return Naming((), common=True)
    places = db.name_references.having(node.label, file, symbol.partition(".")[0], MOST, READ)
    if places is None:
        return Naming((), common=True)
    member = node.type == "method" or symbol != node.label
    lines = {place: found for place in places if (found := _lines(place, node, member=member))}
    defined = db.name_references.called_so(node.label, {place.path for place in lines})
    holders: dict[str, None] = {}
    for place, found in lines.items():
        same = defined.get(place.path, [])
        if not member and place.path != node.path and (f"{place.path}:{node.label}") in dict(same):
            continue  # it has its own
        left = [line for line in found if all(line != at for _, at in same)]
        holders |= dict.fromkeys(_holders(db, place, left, node))
    ids = db.graph.keys(holders)
    briefs = db.graph.brief([ids[key] for key in holders if key in ids and ids[key] not in own])
    used = db.name_references.others_used({one.key for one in briefs.values()}, node.label, own)
    return Naming(tuple(one for one in briefs.values() if one.key not in used))


def _holders(db: Database, place: Place, lines: Sequence[int], node: Node) -> Iterator[str]:
    """Yield the keys of the definitions around lines of a chunk, without the target itself."""
    if place.kind == "function":
        if lines and place.name and f"{place.path}:{place.name}" != node.key:
            yield f"{place.path}:{place.name}"
        return
    for line in lines:
        around = db.name_references.around(place.path, line)
        if node.key in around:
            continue
        if around:
            yield around[-1]
        elif place.path == node.path:  # elsewhere it is mostly a continued import, which is listed as such
            yield place.path


def _lines(place: Place, node: Node, *, member: bool) -> list[int]:
    """Return the lines of a chunk that may contain a definition's name."""
    if node.label not in place.text:
        return []
    bare = not member or (place.path == node.path and place.language in _BARE)
    before = r"(?<![\w$])" if bare else r"(?:\.|->|::)\s*"
    name = re.compile(f"{before}{re.escape(node.label)}(?![\\w$])(?!\\s*=(?![=>]))")
    lines = place.text.split("\n")
    # A later piece of a long body begins with the signature again, which is not counted.
    numbered = enumerate(lines, start=place.end_line - len(lines) + 1)
    return [
        number
        for number, line in numbered
        if node.label in line
        and number >= place.start_line
        and name.search(line)
        and not _COMMENT.match(line)
        and not _IMPORT.match(line)
    ]
