"""At which actions the rules of other people's rule files would be shown, and how many a reader calls wrong.

Each repository of `labels/rule_repositories.tsv` is read as `init` reads a project, from a clone named
OWNER__NAME. Each trigger of a rule at a command or an edit is put into words: "runs `npm`", "adds code with
`any`". A reader who knew nothing else judged each rule with its action: right, harmless, or wrong. The labels
lie under a hash of both, so that no rule is quoted; what was never judged counts as unread.

`--keep DIR` leaves `triggers.tsv` there for reading; `DIR/labels.tsv` (columns mark, label) adds labels. The
repositories were fetched after the parser was written and before its mistakes on them were known.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.common import ROOT, Check, Options, Report, Table, memory_in, say, workplace
from benchmarks.metrics import mean
from remora.app.memory import Memory
from remora.core.triggers import BUT, IF, ONLY, PATTERN, WANTED, WHEN, Trigger
from remora.core.values import Filters

LABELS = ROOT / "benchmarks" / "labels"
KINDS = ("right", "harmless", "wrong")
LEAST = 5  # triggers of a repository whose share is told as the worst
_UNLESS = {ONLY: "only in ", IF: "only with ", BUT: "not with ", WANTED: "unless with "}


def run(options: Options) -> Report:
    """Read every repository that has a clone, or the first ones."""
    if options.clones is None:
        raise SystemExit("rule_triggers needs --clones DIR with clones named OWNER__NAME")
    labels = _labels(LABELS / "rule_triggers.tsv")
    if options.keep is not None:
        labels |= _labels(options.keep / "labels.tsv")
    names = [line.split("\t")[0] for line in _lines(LABELS / "rule_repositories.tsv")]
    clones = {name: options.clones / name.replace("/", "__") for name in names}
    found: dict[str, list[tuple[str, str, str]]] = {}
    for name, clone in list(clones.items())[: options.limit]:
        if clone.is_dir():
            found[name] = list(read(clone))
            say(f"rule_triggers: {name}, {len(found[name])} triggers")
    if options.keep is not None:
        rows = ["repo\tmark\trule\taction\tlabel"]
        for name, own in found.items():
            rows += ["\t".join((name, *one, labels.get(one[0], ""))) for one in own]
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / "triggers.tsv").write_text("\n".join(rows), "utf-8")
    return report({name: [mark for mark, *_ in own] for name, own in found.items()}, labels)


def read(clone: Path) -> Iterator[tuple[str, str, str]]:
    """Yield mark, rule and action for each trigger of a rule of a project at a command or an edit."""
    with workplace() as place:
        subprocess.run(["git", "clone", "-q", "--shared", clone, place / "project"], check=True)
        with memory_in(place) as memory:
            memory.init()
            yield from _of(memory)


def _of(memory: Memory) -> Iterator[tuple[str, str, str]]:
    db = memory._project.db
    for record in db.memories.find(Filters(branch="*"), limit=5_000):
        for trigger in db.triggers.of(record.id) if "rule" in record.tags else ():
            if trigger.kind == PATTERN:
                rule = " ".join(f"{record.context_prefix or ''} | {record.content}".split()).strip(" |")
                action = action_of(trigger)
                yield hashlib.sha256(f"{rule}\n{action}".encode()).hexdigest()[:12], rule, action


def action_of(trigger: Trigger) -> str:
    """Return in words what an agent does when a trigger is met.

    >>> action_of(Trigger(PATTERN, "git", "m", ("git push --force",), 1.0, ("but:infra/",)))
    'runs, adds or edits `git push --force` (not with infra/)'
    """
    does = f"{'is about to do' if WHEN in trigger.needs else 'runs, adds or edits'} `{trigger.needs[0]}`"
    marks = [(one, mark) for one in trigger.unless for mark in _UNLESS if one.startswith(mark)]
    beside = [_UNLESS[mark] + one.removeprefix(mark) for one, mark in marks]
    return does + (f" ({'; '.join(sorted(beside))})" if beside else "")


def report(found: Mapping[str, list[str]], labels: Mapping[str, str]) -> Report:
    """Return how the triggers of each repository were judged."""
    rows: list[tuple[object, ...]] = []
    shares: list[float] = []
    worst = 0.0
    total: Counter[str] = Counter()
    for number, marks in enumerate(found.values(), 1):
        given = Counter(labels.get(mark, "unread") for mark in marks)
        total += given
        judged = sum(given[kind] for kind in KINDS)
        share = given["wrong"] / judged if judged else 0.0
        if judged:
            shares.append(share)
            worst = max(worst, share if judged >= LEAST else 0.0)
        rows.append(
            (f"repository {number}", len(marks), *(given[kind] for kind in (*KINDS, "unread")), share)
        )
    judged = sum(total[kind] for kind in KINDS)
    wrong = total["wrong"] / judged if judged else 0.0
    counts = tuple(total[kind] for kind in (*KINDS, "unread"))
    rows.append(("all", sum(total.values()), *counts, wrong))
    figures = {**total, "wrong, share": wrong, "wrong, mean": mean(shares), "wrong, worst": worst}
    table = Table("Triggers of rules", ("", "triggers", *KINDS, "unread", "wrong"), tuple(rows))
    checks = (Check.at_most("wrong, share", wrong, 0.35),) if judged else ()
    return Report("rule_triggers", json.loads(json.dumps(figures)), (table,), checks)


def _lines(path: Path) -> list[str]:
    """Return the lines of a table without its head; none if there is no file."""
    return list(filter(None, path.read_text("utf-8").split("\n")[1:])) if path.exists() else []


def _labels(path: Path) -> dict[str, str]:
    """Return the label of each mark.

    Raises:
        SystemExit: a label is none of KINDS.
    """
    found = dict(line.split("\t")[:2] for line in _lines(path))
    if unknown := set(found.values()) - set(KINDS):
        raise SystemExit(f"{path.name}: a label is one of {', '.join(KINDS)}, not {unknown.pop()!r}")
    return found
