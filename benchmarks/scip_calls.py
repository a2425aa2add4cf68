"""Which calls between a package's own definitions a SCIP index knows, laid over the calls that `ast` sees.

SCIP says which name stands for which definition at which place, and not what is called. The places of
calls come from `ast`: the last name before each bracket, and the name of each decorator. So there are two
sets of edges: every reference (what an edge of ours must be among to be confirmed), and the references that
are calls (what ours should have found). A reference to a class counts as a call of the class. Both go from
the innermost definition around the place to the definition that is named; a definition that stands in a file
several times (overloads, a property and its setter) counts once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from remora.core.code import Link, Outline
from remora.graph.scip import precise_links
from remora.graph.scip_index import DEFINITION, ScipDocument, parse_name

_NUMBERED = re.compile(r"#\d+(?=\.|$)")
Edge = tuple[str, str]  # caller, callee: keys without the numbers of repeated names
Place = tuple[str, int, int]  # file, line from 1, column in UTF-16 units as the index counts


class CallSite(NamedTuple):
    """A call in the source: where its last name stands, that name, and how the call is written."""

    place: Place
    name: str
    form: str


class Known(NamedTuple):
    """What an index knows of a package.

    Attributes:
        references: every edge from a definition to one that it names, bases included.
        calls: those that are calls in the source, with the first line of each.
        kinds: the kind of each definition that is called ("function", "class" …).
        sites: the calls of each file and line.
        symbols: what the index has at each place that is no definition.
        keys: the key of each of the index's global symbols that is a definition of ours.
    """

    references: set[Edge]
    calls: dict[Edge, int]
    kinds: dict[str, str]
    sites: dict[tuple[str, int], list[CallSite]]
    symbols: dict[Place, str]
    keys: dict[str, str]


def plain(key: str) -> str:
    """Return a key without the numbers of repeated names.

    >>> plain("a.py:A.f#2"), plain("a.py:A#3.f")
    ('a.py:A.f', 'a.py:A.f')
    """
    return _NUMBERED.sub("", key)


def known_calls(root: Path, documents: Iterable[ScipDocument], outlines: Mapping[str, Outline]) -> Known:
    """Return what an index knows of the files that have an outline.

    Args:
        root: the folder of the files.
        documents: of the index.
        outlines: ours, which say where definitions and import statements stand.
    """
    own = [d for d in documents if d.relative_path in outlines]

    # No import statement is among the calls.
    without_imports = {path: outline._replace(imports=()) for path, outline in outlines.items()}
    sites: dict[tuple[str, int], list[CallSite]] = {}
    for document in own:
        for site in call_sites(root, document.relative_path):
            sites.setdefault(site.place[:2], []).append(site)
    places = {site.place for found in sites.values() for site in found}
    called = [
        document._replace(
            occurrences=tuple(
                o
                for o in document.occurrences
                if o.roles & DEFINITION or (document.relative_path, o.line, o.start) in places
            )
        )
        for document in own
    ]
    references = {_edge(link) for link in precise_links(own, outlines.get)}
    calls: dict[Edge, int] = {}
    for link in precise_links(called, without_imports.get):
        calls[_edge(link)] = min(link.line, calls.get(_edge(link), link.line))
    kinds = {plain(f"{p}:{d.qualname}"): d.kind for p, o in outlines.items() for d in o.definitions}
    symbols = {
        (d.relative_path, o.line, o.start): o.symbol
        for d in own
        for o in d.occurrences
        if not o.roles & DEFINITION
    }
    return Known(references, calls, kinds, sites, symbols, _keys(own, outlines))


def _keys(documents: Iterable[ScipDocument], outlines: Mapping[str, Outline]) -> dict[str, str]:
    """Return the key of our definition for each global name that is defined at its line."""
    found: dict[str, str] = {}
    for document in documents:
        path = document.relative_path
        ours = {(d.line, d.name): f"{path}:{d.qualname}" for d in outlines[path].definitions}
        for occurrence in document.occurrences:
            name = parse_name(occurrence.symbol) if occurrence.roles & DEFINITION else None
            if name and name.last and (key := ours.get((occurrence.line, name.last.name))):
                found[occurrence.symbol] = key
    return found


def _edge(link: Link) -> Edge:
    return plain(link.from_key), plain(link.to_key)


def call_sites(root: Path, path: str) -> Iterator[CallSite]:
    """Yield the calls and decorators of a file.

    Raises:
        SyntaxError: it cannot be parsed.
    """
    data = (root / path).read_bytes()
    lines = data.splitlines()
    for node in ast.walk(ast.parse(data, path)):
        if isinstance(node, ast.Call):
            site = _site(path, node.func, lines, "")
            if site is not None:
                yield site
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for decorator in node.decorator_list:
                site = _site(path, decorator, lines, "@")
                if site is not None:
                    yield site


def _site(path: str, node: ast.expr, lines: Sequence[bytes], mark: str) -> CallSite | None:
    """Return where the last name of a called expression stands, None where it has none."""
    if isinstance(node, ast.Name):
        line, column, name, form = node.lineno, node.col_offset, node.id, "name()"
    elif isinstance(node, ast.Attribute):
        line, name, form = node.end_lineno or 0, node.attr, f"{_form(node.value)}.name()"
        column = (node.end_col_offset or 0) - len(name.encode())
    else:
        return None
    before = lines[line - 1][:column].decode("utf-8", "replace") if line <= len(lines) else ""
    start = len(before.encode("utf-16-le")) // 2
    return CallSite((path, line, start), name, f"{mark}name" if mark else form)


def _form(node: ast.expr) -> str:
    """Return how what stands before a dot is written."""
    if isinstance(node, ast.Name):
        return node.id if node.id in ("self", "cls") else "x"
    if isinstance(node, ast.Call):
        return "super()" if isinstance(node.func, ast.Name) and node.func.id == "super" else "f()"
    if isinstance(node, ast.Attribute):
        return f"{_form(node.value)}.y" if isinstance(node.value, ast.Name) else "x.y.z"
    return "expression"


def verdict(known: Known, edge: Edge, line: int) -> str:
    """Return what an index says at the place of an edge that it does not confirm."""
    path = edge[0].partition(":")[0]
    target = edge[1].rpartition(".")[2].rpartition(":")[2]
    sites = known.sites.get((path, line), [])
    named = [site for site in sites if site.name == target] or sites
    symbols = [known.symbols[site.place] for site in named if site.place in known.symbols]
    if not symbols:
        return "nothing at that place"
    keys = {plain(known.keys[symbol]) for symbol in symbols if symbol in known.keys}
    if edge[1] in keys:
        return "the same, from another definition"
    if keys:
        return "another definition of the package"
    name = parse_name(symbols[0])
    if name is None or name.local:
        return "a variable"
    return "a name from outside, or an attribute"


def form_of(known: Known, edge: Edge, line: int) -> str:
    """Return how the first call of an edge is written."""
    path = edge[0].partition(":")[0]
    for site in known.sites.get((path, line), []):
        symbol = known.symbols.get(site.place, "")
        if plain(known.keys.get(symbol, "")) == edge[1]:
            return site.form
    return "other"
