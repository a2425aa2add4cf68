"""Which pieces of other people's rule files are kept as rules, beside what readers say of them.

`--clones DIR` holds clones named OWNER__NAME. Up to 55 pieces of each repository's rule files were drawn and
labelled by a reader who saw the piece with its headings and nothing else: a rule, no rule, or either. The
labels lie under a hash of the piece, so that no file is quoted. The cues of `remora.sources.rule_sense` were
chosen on every second repository; figures of the others are told beside them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import ROOT, Check, Options, Report, Table, say
from remora.core.rule_names import CONTRIBUTING, HOST_FILES
from remora.sources.rule_files import find
from remora.sources.rule_sense import no_rule
from remora.sources.rule_split import ALL, Block, split
from remora.sources.rule_text import read

LABELS = ROOT / "benchmarks" / "labels" / "rule_pieces.tsv"
PARTS = ("held back", "chosen on")


def run(options: Options) -> Report:
    """Judge the labelled pieces of every clone."""
    if options.clones is None:
        raise SystemExit("rule_pieces needs --clones DIR with clones named OWNER__NAME")
    labels = {mark: (label, part) for mark, label, part in _rows(LABELS)}
    counts: dict[str, Counter[str]] = {part: Counter() for part in PARTS}
    for clone in sorted(path for path in options.clones.iterdir() if path.is_dir())[: options.limit]:
        kept = dict(pieces(clone))
        say(f"rule_pieces: {clone.name}, {len(labels.keys() & kept)} labelled")
        for mark in labels.keys() & kept:
            label, part = labels[mark]
            counts[part][f"{label}, {'kept' if kept[mark] else 'left out'}"] += 1
    return report(counts)


def pieces(clone: Path) -> Iterator[tuple[str, bool]]:
    """Yield the mark of each piece of a project's rule files, and whether it is kept."""
    for file in find(clone)[0]:
        if file.kind in HOST_FILES or file.kind == CONTRIBUTING:
            text = read(file.file.read_bytes())
            found = split(text.body, first_line=text.first_line, title=not file.whole, keep=ALL)[0]
            for block in found:
                yield mark_of(block), not _left_out(block, strictly=file.kind == CONTRIBUTING)


def mark_of(block: Block) -> str:
    """Return the mark of a piece in the labels."""
    return hashlib.sha256(f"{' > '.join(block.path)}\n{block.text}".encode()).hexdigest()[:12]


def _left_out(block: Block, *, strictly: bool) -> str:
    lead, path = (block.path[-1], block.path[:-1]) if block.led else ("", block.path)
    return no_rule(block.text, block.kind, path, lead=lead, strictly=strictly)


def report(counts: dict[str, Counter[str]]) -> Report:
    """Return precision and recall of the kept pieces in both parts."""
    rows: list[tuple[object, ...]] = []
    figures: dict[str, float] = {}
    for part, found in counts.items():
        right, wrong, missed = found["rule, kept"], found["other, kept"], found["rule, left out"]
        if right:
            precision, recall = right / (right + wrong), right / (right + missed)
            figures |= {f"{part}, precision": precision, f"{part}, recall": recall}
            rows.append((part, sum(found.values()), right, wrong, missed, precision, recall))
    table = Table(
        "Pieces of rule files", ("", "read", "right", "wrong", "missed", "precision", "recall"), tuple(rows)
    )
    targets = {f"{PARTS[0]}, precision": 0.75, f"{PARTS[0]}, recall": 0.6}
    checks = tuple(Check.at_least(name, figures[name], targets[name]) for name in targets if name in figures)
    return Report("rule_pieces", figures, (table,), checks)


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    for line in path.read_text("utf-8").splitlines()[1:]:
        mark, label, part = line.split("\t")
        yield mark, label, part
