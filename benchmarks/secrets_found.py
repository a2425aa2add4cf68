"""How many lines with secrets are found in files that people leak, and what is wrongly taken elsewhere.

The files are made (`leaky_files`): of each kind a dozen, from a seed. A secret counts as found where what is
taken covers all of it. Rules were chosen on the first of every two kinds; the others are only reported.
Wrongly taken is whatever is taken in lines that look alike, and in the code and documents below each folder
that `--clones` names: there every take is listed, for a person to judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.common import ROOT, Check, Options, Report, Table, say
from benchmarks.leaky_files import KINDS, Leak, leaks, ordinary
from remora.core.secrets import find

LEAST = 0.85
LARGEST = 400_000  # bytes of a file that is read
OURS = ("remora", "docs", "README.md", "CHANGELOG.md", "plugin")
SUFFIXES = frozenset(
    ".py .pyi .js .jsx .ts .tsx .go .rs .java .kt .rb .php .c .h .cc .cpp .cs .swift .scala .lua .sh .fish "
    ".md .rst .txt .json .yml .yaml .toml .ini .cfg .xml .html .sql .vue .svelte".split()
)


def lines_of(leak: Leak) -> dict[int, bool]:
    """Return the lines of a file that hold a secret, and whether all in each was found."""
    taken = find(leak.text)
    found: dict[int, bool] = {}
    for start, end in leak.secrets:
        line = leak.text.count("\n", 0, start)
        whole = any(f.start <= start and end <= f.end for f in taken)
        found[line] = found.get(line, True) and whole
    return found


def taken_in(folder: Path) -> tuple[int, list[str]]:
    """Return how many files were read below a folder, and what was taken in each."""
    files, takes = 0, list[str]()
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    for path in paths:
        if path.suffix.lower() not in SUFFIXES or not path.is_file() or path.stat().st_size > LARGEST:
            continue
        files += 1
        text = path.read_text("utf-8", errors="replace")
        for found in find(text):
            line = text.count("\n", 0, found.start) + 1
            around = text[max(0, found.start - 40) : found.end + 10]
            takes.append(f"{path.name}:{line}: {found.kind}: {' '.join(around.split())[:160]}")
    return files, takes


def run(options: Options) -> Report:
    """Make the files, look for their secrets, and look for takes where there are none."""
    by_kind: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for leak in leaks(options.limit or 12):
        by_kind[leak.kind].update(lines_of(leak).values())
    half = {kind: number % 2 for number, (kind, _) in enumerate(KINDS)}
    shares = {kind: seen[True] / seen.total() for kind, seen in by_kind.items()}
    rows = tuple(
        (kind, ("chosen on", "held out")[half[kind]], by_kind[kind].total(), f"{share:.2f}")
        for kind, share in sorted(shares.items(), key=lambda one: (one[1], one[0]))
    )

    def of(kinds: list[str]) -> float:
        return sum(by_kind[k][True] for k in kinds) / sum(by_kind[k].total() for k in kinds)

    chosen, held = ([k for k in by_kind if half[k] == side] for side in (0, 1))
    wrong = [line for line in ordinary() if find(line)]
    figures: dict[str, object] = {
        "lines found, kinds chosen on": of(chosen),
        "lines found, kinds held out": of(held),
        "lines found": of(list(by_kind)),
        "kinds, mean": sum(shares.values()) / len(shares),
        "kinds held out, mean": sum(shares[k] for k in held) / len(held),
        "worst kind": min(shares.values()),
        "taken in lines that look alike": len(wrong),
        "lines that look alike": len(ordinary()),
    }
    notes = [f"wrongly taken: {line}" for line in wrong]
    folders = [ROOT / name for name in OURS]
    if options.clones is not None:
        folders += sorted(path for path in options.clones.iterdir() if path.is_dir())
    trees = []
    for folder in folders:
        files, takes = taken_in(folder)
        say(f"{folder.name}: {files} files, {len(takes)} takes")
        trees.append((folder.name, files, len(takes)))
        notes += [f"{folder.name}: {take}" for take in takes[:20]]
    tables = (
        Table(
            "Lines with secrets found",
            ("what", "figure"),
            tuple((k, f"{v:.3f}" if isinstance(v, float) else v) for k, v in figures.items()),
        ),
        Table("By kind, the worst first", ("kind", "half", "lines", "found"), rows),
        Table("Taken in code and documents", ("tree", "files", "taken"), tuple(trees)),
    )
    checks = (
        Check.at_least("lines with secrets found, kinds chosen on", of(chosen), LEAST),
        Check.at_least("lines with secrets found, kinds held out", of(held), LEAST),
        Check("taken in lines that look alike", float(len(wrong)), "0", not wrong),
    )
    return Report("secrets", figures, tables, checks, tuple(notes))
