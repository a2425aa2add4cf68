"""Find the files and definitions named in a prose file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from remora.core.code import GUESS, LIKELY, Link
from remora.graph.grammars import kind_of
from remora.graph.manifests import join

if TYPE_CHECKING:
    from remora.core.code import Symbols

MAX_LINKS = 200  # a text that names more is a list, not a document about something
_PATH = re.compile(r"(?<![\w./:@+-])([\w.@+-]+(?:/[\w.@+-]+)*\.[A-Za-z]\w{0,9})(?![\w/-])")
_TICKED = re.compile(r"(?<!`)`++([^`\n]{3,120})`+")
_NAME = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::|#))*([A-Za-z_]\w+)(?:\([^()]*\))?")
_TELLING = re.compile(r"_|[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\(|[.#]|::")


def document_links(path: str, text: str, symbols: Symbols) -> list[Link]:
    """Return the `documents` edges of a prose file, in order of their targets.

    Args:
        path: the file.
        text: its content.
        symbols: the project.

    A path counts if it leads to a file from the project's root or the document's folder, or is the ending of
    only one file's path. A name counts if it is in backticks, looks like one (`a_b`, `aB`, `f()`, `A.b`), and
    the project defines it once; that is a guess.
    """
    found: dict[str, tuple[float, int, int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for match in _PATH.finditer(line):
            target = _file(path, match.group(1), symbols)
            if target and target != path:
                _note(found, target, LIKELY, number)
        for match in _TICKED.finditer(line):
            target = _definition(match.group(1).strip(), symbols)
            if target:
                _note(found, target, GUESS, number)
        if len(found) >= MAX_LINKS:
            break
    return [Link(path, key, "documents", *found[key]) for key in sorted(found)]


def document_names(text: str) -> frozenset[str]:
    """Return every name through which a change elsewhere could affect the links of a prose file.

    >>> sorted(document_names("See lib/cart.py and `Cart.total()`"))
    ['Cart', 'cart', 'total']
    """
    stems = {match.group(1).rpartition("/")[2].partition(".")[0] for match in _PATH.finditer(text)}
    ticked = (_NAME.fullmatch(match.group(1).strip()) for match in _TICKED.finditer(text))
    return frozenset({*stems, *(match.group(1) for match in ticked if match)} - {""})


def _note(found: dict[str, tuple[float, int, int]], key: str, sure: float, line: int) -> None:
    before, first, count = found.get(key, (sure, line, 0))
    found[key] = (max(before, sure), first, count + 1)


def _file(path: str, written: str, symbols: Symbols) -> str:
    folder = path.rpartition("/")[0]
    for base in (folder, ""):
        joined = join(base, written)
        if joined and symbols.exists(joined):
            return joined
    if written.startswith("."):
        return ""
    ending = symbols.ending(written)
    if len(ending) != 1 or ("/" not in written and kind_of(written) != "code"):
        return ""
    return ending[0]


def _definition(text: str, symbols: Symbols) -> str:
    match = _NAME.fullmatch(text)
    if match is None or not _TELLING.search(text):
        return ""
    name = match.group(1)
    found = symbols.named(name, 20)
    owner = re.split(r"\.|::|#", text[: match.start(1)])[-2:-1]
    if owner:
        found = [s for s in found if s.definition.parent.rpartition(".")[2] == owner[0]] or (
            found if len(found) == 1 and owner[0] in found[0].path else []
        )
    return found[0].key if len(found) == 1 else ""
