"""The map of a project: its modules, their purposes, dependencies and memories.

A module is a package: the folder in `graph_files.module`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remora.core.paths import matches
from remora.core.text import clean, collapse, shorten
from remora.graph.packed import unpack_outline
from remora.store.layers import module_key

if TYPE_CHECKING:
    from remora.store.database import Database
    from remora.store.overview import FileLink, MappedFile

MOST = 200  # modules of a map
SHOWN = 8  # modules that one depends on or is used by
HOT = 3
PURPOSE_CHARS = 200
# Files whose doc describes their folder, in order.
_SPEAKERS = (
    "__init__.py doc.go package-info.java mod.rs lib.rs index.ts index.tsx index.js index.mjs main.go main.rs"
).split()
_SENTENCE = re.compile(r"(.+?[.!?])(?=\s|$)", re.DOTALL)
_NOTICES = ("copyright", "license", "licence", "spdx", "©", "-*-", "vim:", "coding:", "frozen_string_literal")


class ModuleInfo(NamedTuple):
    """A module of a project.

    Attributes:
        name: its folder; "." is the root.
        files: number of files.
        lines: lines of code; prose and data do not count.
        languages: of its code, the one with most lines first.
        purpose: one sentence, "" if unknown.
        hot: its most frequently changed files, recent changes weighted more; three at most.
        symbols: number of definitions.
        tests: number of test files that cover it.
        depends_on, used_by: other modules, by the weight of the edges between; eight at most.
        memories: live memories about it or its files.
        covered: share of its files, 0..1, with a live memory.
        entries: its entry points according to a language model, most confident first; three at most.
        needs: other modules that must change with it, according to a language model; eight at most.
    """

    name: str
    files: int
    lines: int
    languages: tuple[str, ...]
    purpose: str
    hot: tuple[str, ...]
    symbols: int
    tests: int
    depends_on: tuple[str, ...]
    used_by: tuple[str, ...]
    memories: int
    covered: float
    entries: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


class Grouping(NamedTuple):
    """The files of a project by module, and the edges between files."""

    files: Mapping[str, Sequence[MappedFile]]
    links: Sequence[FileLink]

    def of(self) -> dict[int, str]:
        """Return the module of each file's node."""
        return {file.id: name for name, files in self.files.items() for file in files}

    def weights(self) -> dict[str, dict[str, float]]:
        """Return for each module its dependencies, with the weight of the edges."""
        of = self.of()
        found: dict[str, dict[str, float]] = {name: {} for name in self.files}
        for link in self.links:
            start, end = of.get(link.from_id), of.get(link.to_id)
            if start is not None and end is not None and start != end:
                found[start][end] = found[start].get(end, 0.0) + link.weight
        return found


def grouping(db: Database) -> Grouping:
    """Return the modules of a project with their files, by name."""
    packages: defaultdict[str, list[MappedFile]] = defaultdict(list)
    for file in db.overview.files():
        packages[file.module or "."].append(file)
    return Grouping({name: packages[name] for name in sorted(packages)}, db.overview.links())


def module_map(db: Database, limit: int = MOST) -> list[ModuleInfo]:
    """Return the modules of a project, those with most code first, then by files and name.

    Args:
        db: the project's database.
        limit: maximum number of modules.
    """
    group = grouping(db)
    weights = group.weights()
    used_by: dict[str, dict[str, float]] = {name: {} for name in group.files}
    for name, row in weights.items():
        for other, weight in row.items():
            used_by[other][name] = weight
    tests = _tests(group)
    symbols, heat = db.overview.symbols(), db.overview.heat()
    lines = {name: sum(f.lines for f in files if f.kind == "code") for name, files in group.files.items()}
    names = sorted(group.files, key=lambda n: (-lines[n], -len(group.files[n]), n))[:limit]
    spoken, about = _spoken(db, group)
    purposes = purposes_of(db, {name: group.files[name] for name in names})
    entries, needs = _said(db, group, names)
    found: list[ModuleInfo] = []
    for name in names:
        files = group.files[name]
        busy = sorted((f.path for f in files if f.path in heat), key=lambda p: (-heat[p], p))
        paths = {f.path for f in files}
        found.append(
            ModuleInfo(
                name=name,
                files=len(files),
                lines=lines[name],
                languages=_languages(files),
                purpose=purposes.get(name, ""),
                hot=tuple(busy[:HOT]),
                symbols=sum(symbols.get(f.path, 0) for f in files),
                tests=tests[name],
                depends_on=_strongest(weights[name]),
                used_by=_strongest(used_by[name]),
                memories=len(about[name]),
                covered=len(paths & spoken) / len(paths),
                entries=tuple(entries[name])[:HOT],
                needs=tuple(needs[name])[:SHOWN],
            )
        )
    return found


def _said(
    db: Database, group: Grouping, names: Sequence[str]
) -> tuple[defaultdict[str, dict[str, None]], defaultdict[str, dict[str, None]]]:
    """Return a language model's statements about modules as a whole: entry points and further needs."""
    keys = {module_key(name): name for name in names}
    by_path = {file.path: name for name, files in group.files.items() for file in files}
    entries: defaultdict[str, dict[str, None]] = defaultdict(dict)
    needs: defaultdict[str, dict[str, None]] = defaultdict(dict)
    edges = db.layers.edges_at(keys, ("is_entrypoint_for", "depends_logically"))
    for edge in sorted(edges, key=lambda e: (-e.confidence, -e.weight, e)):
        start, end = edge.from_key, edge.to_key
        if edge.type == "is_entrypoint_for":
            if end in keys:
                entries[keys[end]].setdefault(start)
            continue
        one = keys.get(start) or by_path.get(start.partition(":")[0])
        other = keys.get(end) or by_path.get(end.partition(":")[0])
        if one and other and one != other:
            needs[one].setdefault(other)
    return entries, needs


def _strongest(row: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(sorted(row, key=lambda other: (-row[other], other))[:SHOWN])


def _languages(files: Iterable[MappedFile]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for file in files:
        if file.kind == "code":
            counts[file.language] += max(1, file.lines)
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def _tests(group: Grouping) -> dict[str, int]:
    """Return the number of test files that cover each module."""
    of = group.of()
    covering: defaultdict[str, set[int]] = defaultdict(set)
    for link in group.links:
        if link.tests and link.to_id in of:
            covering[of[link.to_id]].add(link.from_id)
    return {name: len(covering[name]) for name in group.files}


def _spoken(db: Database, group: Grouping) -> tuple[set[str], dict[str, set[str]]]:
    """Return the files with live memories, and for each module the memories about it."""
    of = {file.path: name for name, files in group.files.items() for file in files}
    about: dict[str, set[str]] = {name: set() for name in group.files}
    named: dict[str, list[str]] = {}
    spoken: set[str] = set()
    for memory_id, path in db.overview.spoken_of():
        if path not in named:
            named[path] = files_named(path, of)
        spoken.update(named[path])
        for file in named[path]:
            about[of[file]].add(memory_id)
    for memory_id, module in db.overview.spoken_modules():
        if (name := module_named(module, group.files)) is not None:
            about[name].add(memory_id)
    return spoken, about


def files_named(written: str, paths: Iterable[str]) -> list[str]:
    """Return the files matched by a memory's path, folder (with "/" at its end) or glob.

    >>> files_named("src/", ["src/a.py", "setup.py"]), files_named("*.py", ["setup.py", "README"])
    (['src/a.py'], ['setup.py'])
    """
    if written.endswith("/"):
        return [path for path in paths if path.startswith(written)]
    if "*" in written:
        return [path for path in paths if matches(written, path)]
    return [written] if written in paths else []


def module_named(written: str, names: Iterable[str]) -> str | None:
    """Return the module that a memory names: by its name, with dots for slashes, or by its last folder.

    >>> module_named("remora.store", ["remora/core", "remora/store"]), module_named("core", ["a/core"])
    ('remora/store', 'a/core')
    """
    wanted = written.strip().strip("/")
    known = set(names)
    for form in (wanted, wanted.replace(".", "/"), written):
        if form in known:
            return form
    last = [name for name in known if name.rpartition("/")[2] == wanted]
    return last[0] if len(last) == 1 else None


# Purposes


def purposes_of(db: Database, modules: Mapping[str, Sequence[MappedFile]]) -> dict[str, str]:
    """Return one sentence for each module with a known purpose.

    Sources in order: a memory, the package's own doc, a language model.
    """
    told = _told(db, modules)
    asked = db.layers.modules()
    found: dict[str, str] = {}
    for name, files in modules.items():
        said = told.get(name) or _own_doc(db, files)
        if not said and name in asked:
            said = sentence(str(asked[name].get("purpose", "")))
        found[name] = said
    return {name: said for name, said in found.items() if said}


def sentence(text: str) -> str:
    """Return the first sentence of a text, on one line, at most PURPOSE_CHARS long.

    >>> sentence("Reads files.  Then more."), sentence("no end"), sentence("")
    ('Reads files.', 'no end', '')
    """
    flat = collapse(clean(text.strip().partition("\n\n")[0]))
    found = _SENTENCE.match(flat)
    return shorten(found[1] if found else flat, PURPOSE_CHARS)


def _told(db: Database, modules: Mapping[str, Sequence[MappedFile]]) -> dict[str, str]:
    """Return the purposes of modules from memories, the most trusted memory of each."""
    of = {file.path: name for name, files in modules.items() for file in files}
    found: dict[str, str] = {}
    for insight in db.overview.insights():
        names = {module_named(module, modules) for module in insight.modules}
        if not names - {None}:
            held = {of.get(path) for written in insight.files for path in files_named(written, of)}
            names = held if len(held) == 1 else set()
        for name in names:
            if name is not None:
                found.setdefault(name, sentence(insight.content))
    return found


def _own_doc(db: Database, files: Sequence[MappedFile]) -> str:
    """Return the first sentence of the doc that describes a module."""
    code = [f for f in files if f.kind == "code"]
    top = min((f.folder for f in files), key=lambda folder: (folder.count("/"), folder))
    speakers = [f for f in code if f.folder == top and f.name in _SPEAKERS]
    speakers.sort(key=lambda f: _SPEAKERS.index(f.name))
    if not speakers:
        # A Go package may be described in any of its files; a single file describes itself.
        speakers = [f for f in code if f.language == "go" and not f.test][:10] if len(code) > 1 else code
    for file in speakers:
        packed = db.graph.facts(file.path)[0]
        doc = unpack_outline(packed).doc if packed else ""
        other = file.language == "go" and not doc.startswith(("Package ", "Command "))
        if doc and not other and not _is_notice(doc):
            return sentence(doc)
    return ""


def _is_notice(doc: str) -> bool:
    """Return whether a doc is about rights, or for an editor: the first comment of many files."""
    start = doc[:300].lower()
    return any(word in start for word in _NOTICES)
