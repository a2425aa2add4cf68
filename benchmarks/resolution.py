"""How well imports and calls are resolved, on real packages against sources that do not guess.

Each package is indexed by `Memory.index`, and the edges in its database are compared with two others.
Imports: the interpreter's own import system (`benchmarks.interpreter`), as pairs of files. Calls: a SCIP
index made by a type checker (`benchmarks.scip_calls`), as pairs of definitions. Both ends lie in the package.

Precision is the share of our edges that the other source has. For calls that is strict: where the type
checker is silent, an edge counts as wrong although nothing speaks against it, so what it says there
is told beside it. Recall is the share of the other source's edges that we have; for calls of those that
are calls in the source, since SCIP itself knows references only. The promise for calls is about edges that
are no guesses; the figures by band show what each degree of confidence is worth. Recursion is left out.

`python -m benchmarks.resolution DIR` prints every edge that differs.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from benchmarks.common import Check, Options, Report, Table, environment, say, workplace
from benchmarks.crash import NO_MODEL
from benchmarks.interpreter import Named, Pairs, named_files
from benchmarks.scip_calls import Edge, Known, form_of, known_calls, plain, verdict
from remora.app.memory import Memory
from remora.core.code import EXACT, GUESS_BELOW, Outline
from remora.graph.extract import extract
from remora.graph.scip_index import ScipDocument, read_index

INDEX = "index.scip"
IMPORTS_LEAST = 0.98
CALLS_LEAST = 0.9
BANDS = (("exact", EXACT, 2.0), ("likely", GUESS_BELOW, EXACT), ("guess", 0.0, GUESS_BELOW))
_NOT_COPIED = shutil.ignore_patterns(INDEX, ".scip", ".git", "__pycache__")


class Share(NamedTuple):
    """So many right ones of so many."""

    right: int
    of: int

    @property
    def value(self) -> float:
        """The share, 1 of nothing."""
        return self.right / self.of if self.of else 1.0

    def __add__(self, other: object) -> Share:
        """Return both counted together."""
        return Share(self.right + other.right, self.of + other.of) if isinstance(other, Share) else self


class Called(NamedTuple):
    """A call edge of ours: how sure it is, and its first line."""

    confidence: float
    line: int


class Graph(NamedTuple):
    """What the index of a package holds: its Python files, and edges between files and definitions."""

    files: tuple[str, ...]
    imports: Pairs
    calls: dict[Edge, Called]


class Package(NamedTuple):
    """A package with the edges of all three sources; `known` is None where there is no SCIP index."""

    name: str
    graph: Graph
    named: Named
    known: Known | None


def indexed(folder: Path) -> Graph:
    """Index a copy of a folder and return what its database holds."""
    with workplace() as place:
        shutil.copytree(folder, place / "project", ignore=_NOT_COPIED)
        with Memory.open(place / "project", environ=environment(place, **NO_MODEL)) as memory:
            report = memory.index()
            if not report.complete:
                raise SystemExit(f"{folder.name} could not be indexed: {', '.join(report.notes)}")
            path = memory._project.db.connection.path
        return _read(path)


def _read(database: Path) -> Graph:
    edges = """SELECT a.key, b.key, e.confidence, e.line FROM graph_edges e
               JOIN graph_nodes a ON a.id = e.from_id
               JOIN graph_nodes b ON b.id = e.to_id WHERE e.type = ? AND e.files = ?"""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        listed = "SELECT path FROM graph_files WHERE skipped = '' AND path LIKE '%.py' ORDER BY path"
        files = tuple(str(row[0]) for row in connection.execute(listed))
        named = connection.execute(edges, ("imports", 1))
        imports = {(str(a), str(b)) for a, b, _, _ in named if str(a).endswith(".py")}
        calls: dict[Edge, Called] = {}
        for a, b, sure, line in connection.execute(edges, ("calls", 0)):
            edge = (plain(str(a)), plain(str(b)))
            if edge[0] == edge[1]:  # recursion, of which the reader of SCIP makes no edge
                continue
            calls[edge] = max(calls.get(edge, Called(0.0, 0)), Called(float(sure), int(line)))
    finally:
        connection.close()
    python = {edge: call for edge, call in calls.items() if edge[0].partition(":")[0].endswith(".py")}
    return Graph(files, imports, python)


def compare(folder: Path, documents: Iterable[ScipDocument] | None) -> Package:
    """Return what the three sources say of the packages in a folder.

    Args:
        folder: what would be on the interpreter's path.
        documents: of its SCIP index, None when there is none.
    """
    graph = indexed(folder)
    files = [file for file in graph.files if _parses(folder, file)]
    known = None
    if documents is not None:
        outlines: dict[str, Outline] = {
            file: extract((folder / file).read_bytes(), "python").outline for file in files
        }
        known = known_calls(folder, documents, outlines)
    return Package(folder.name, graph, named_files(folder, files), known)


def _parses(folder: Path, file: str) -> bool:
    try:
        compile((folder / file).read_bytes(), file, "exec", dont_inherit=True, flags=0x400)  # to a tree only
    except (SyntaxError, ValueError):
        say(f"resolution: {folder.name}: {file} is left out, it cannot be parsed")
        return False
    return True


# Imports


def import_shares(package: Package, truth: Callable[[Named], Pairs]) -> tuple[Share, Share]:
    """Return the precision and the recall of a package's import edges."""
    theirs, ours = truth(package.named), package.graph.imports
    both = len(ours & theirs)
    return Share(both, len(ours)), Share(both, len(theirs))


def _imports(packages: list[Package]) -> tuple[Table, dict[str, Any], list[Check]]:
    truths: Mapping[str, Callable[[Named], Pairs]] = {"run": lambda n: n.ran, "looked up": lambda n: n.found}
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    checks: list[Check] = []
    for how, truth in truths.items():
        sums = (Share(0, 0), Share(0, 0))
        for package in packages:
            shares = import_shares(package, truth)
            sums = (sums[0] + shares[0], sums[1] + shares[1])
            rows.append(_row(package.name, how, shares, package.named.not_run))
            figures.setdefault(package.name, {})[how] = _figures(shares)
        rows.append(_row("together", how, sums, sum(p.named.not_run for p in packages)))
        figures.setdefault("together", {})[how] = _figures(sums)
        if how == "run":
            checks.append(Check.at_least("imports, precision", sums[0].value, IMPORTS_LEAST))
            checks.append(Check.at_least("imports, recall", sums[1].value, IMPORTS_LEAST))
    columns = ("package", "statements are", "ours", "theirs", "precision", "recall", "could not be run")
    return Table("Imports, file to file, against the interpreter", columns, tuple(rows)), figures, checks


def _row(name: str, how: str, shares: tuple[Share, Share], *more: object) -> tuple[object, ...]:
    return name, how, shares[0].of, shares[1].of, shares[0].value, shares[1].value, *more


def _figures(shares: tuple[Share, Share]) -> dict[str, float]:
    precision, recall = shares
    return {
        "ours": precision.of,
        "theirs": recall.of,
        "precision": precision.value,
        "recall": recall.value,
    }


# Calls


def precision(package: Package, low: float, high: float) -> Share:
    """Return the share of a package's call edges of a confidence in [low, high) that SCIP has."""
    assert package.known is not None
    ours = {edge for edge, call in package.graph.calls.items() if low <= call.confidence < high}
    return Share(len(ours & package.known.references), len(ours))


def recall(package: Package, least: float, *, classes: bool | None = None) -> Share:
    """Return the share of SCIP's calls that we have with at least a confidence.

    Args:
        classes: only calls of classes, or only those of functions and methods; None for all.
    """
    assert package.known is not None
    kinds = package.known.kinds
    theirs = {
        edge
        for edge in package.known.calls
        if classes is None or (kinds.get(edge[1]) in ("class", "interface")) is classes
    }
    ours = {edge for edge, call in package.graph.calls.items() if call.confidence >= least}
    return Share(len(ours & theirs), len(theirs))


def unconfirmed(package: Package, *, guesses: bool = False) -> dict[Edge, str]:
    """Return the edges that SCIP does not have, with what it says there: the guesses, or the others."""
    assert package.known is not None
    return {
        edge: verdict(package.known, edge, call.line)
        for edge, call in sorted(package.graph.calls.items())
        if (call.confidence < GUESS_BELOW) is guesses and edge not in package.known.references
    }


def missed(package: Package) -> dict[Edge, str]:
    """Return the calls of SCIP that we have not, a guess aside, with how they are written."""
    assert package.known is not None
    ours = {edge for edge, call in package.graph.calls.items() if call.confidence >= GUESS_BELOW}
    return {
        edge: form_of(package.known, edge, line)
        for edge, line in sorted(package.known.calls.items())
        if edge not in ours
    }


def _calls(packages: list[Package]) -> tuple[list[Table], dict[str, Any], list[Check]]:
    rows: list[tuple[object, ...]] = []
    figures: dict[str, Any] = {}
    names = ("no guess", *(name for name, _, _ in BANDS))
    limits = ((GUESS_BELOW, 2.0), *((low, high) for _, low, high in BANDS))
    sums = [Share(0, 0) for _ in range(len(limits) + 4)]
    for package in packages:
        shares = [precision(package, low, high) for low, high in limits]
        shares += [recall(package, GUESS_BELOW), recall(package, GUESS_BELOW, classes=False)]
        shares += [recall(package, GUESS_BELOW, classes=True), recall(package, 0.0)]
        sums = [a + b for a, b in zip(sums, shares, strict=True)]
        rows.append((package.name, shares[0].of, shares[4].of, *(share.value for share in shares)))
        figures[package.name] = _call_figures(names, shares)
    rows.append(("together", sums[0].of, sums[4].of, *(share.value for share in sums)))
    figures["together"] = _call_figures(names, sums)
    columns = ("package", "ours, no guess", "theirs", *(f"precision: {name}" for name in names))
    columns += ("recall", "functions", "classes", "with guesses")
    wrong, guessed = (
        Counter(why for package in packages for why in unconfirmed(package, guesses=guesses).values())
        for guesses in (False, True)
    )
    forms = Counter(form for package in packages for form in missed(package).values())
    figures |= {"unconfirmed": dict(wrong), "unconfirmed guesses": dict(guessed), "missed": dict(forms)}
    said = tuple((why, wrong[why], guessed[why]) for why, _ in (wrong + guessed).most_common())
    tables = [
        Table("Calls, definition to definition, against SCIP", columns, tuple(rows)),
        Table("Ours that SCIP has not: what it says there", ("", "no guess", "guesses"), said),
        Table("SCIP's that we have not: how they are written", ("", "edges"), tuple(forms.most_common())),
    ]
    return tables, figures, [Check.at_least("calls that are no guess, precision", sums[0].value, CALLS_LEAST)]


def _call_figures(names: tuple[str, ...], shares: list[Share]) -> dict[str, Any]:
    found: dict[str, Any] = {
        f"precision, {name}": {"edges": share.of, "value": share.value}
        for name, share in zip(names, shares, strict=False)
    }
    titles = ("recall", "recall, functions and methods", "recall, classes", "recall with guesses")
    return found | {
        title: {"edges": share.of, "value": share.value}
        for title, share in zip(titles, shares[len(names) :], strict=True)
    }


def measure(packages: list[Package]) -> Report:
    """Return the report on packages that were compared."""
    table, imports, checks = _imports(packages)
    tables, figures = [table], {"imports": imports, "files": {p.name: len(p.graph.files) for p in packages}}
    with_index = [package for package in packages if package.known is not None]
    notes = []
    if with_index:
        more, figures["calls"], called = _calls(with_index)
        tables += more
        checks += called
    if len(with_index) < len(packages):
        without = ", ".join(package.name for package in packages if package.known is None)
        notes.append(f"no {INDEX}, so calls are not compared: {without}")
    return Report("resolution", figures, tuple(tables), tuple(checks), tuple(notes))


def read_package(folder: Path) -> Package:
    """Compare the packages of a folder; its SCIP index is `index.scip` in it.

    Raises:
        SystemExit: there is no such folder.
    """
    if not folder.is_dir():
        raise SystemExit(f"there is no folder {folder}")
    index = folder / INDEX
    say(f"resolution: {folder.name}")
    if not index.is_file():
        return compare(folder, None)
    with index.open("rb") as file:
        return compare(folder, read_index(file))


def run(options: Options) -> Report:
    """Compare every folder that was named; with a limit only the first ones, and no promise is judged."""
    if not options.packages:
        raise SystemExit("--packages DIR... is needed: folders with a package each (see the README)")
    report = measure([read_package(folder) for folder in options.packages[: options.limit]])
    return report if options.limit is None else report._replace(checks=())


def _tell(package: Package) -> None:
    """Print what differs, an edge a line."""
    for pair in sorted(package.graph.imports ^ package.named.ran):
        sign = "+" if pair in package.graph.imports else "-"
        print(f"import {sign} {pair[0]}:{package.named.lines.get(pair, 0)} {pair[1]}")
    if package.known is None:
        return
    for edge, why in unconfirmed(package).items():
        call = package.graph.calls[edge]
        print(f"call + {edge[0]} -> {edge[1]} line {call.line} ({call.confidence:.2f}): {why}")
    for edge, form in missed(package).items():
        print(f"call - {edge[0]} -> {edge[1]} line {package.known.calls[edge]}: {form}")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _tell(read_package(Path(name)))
