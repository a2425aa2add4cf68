"""Is the right thing said at the right moment, and nothing otherwise?

`DATA/moments` holds scenarios (`*.jsonl`) and `run_moments.py`, which plays them through the public API alone
and judges what is said; none of these is shown or kept here. `benchmarks/scenarios` has further sets
in the same form, each written by an author who knew neither the rules nor the other sets. A set counts as
unseen until its mistakes were read; the table says which are. Each set is played twice: with what Remora
reads from a statement's text, and with the triggers that a language model gave it (`given_triggers`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import given_triggers
from benchmarks.common import Check, Options, Report, Table

# Shares to reach in DATA/moments: of all, of those to speak at, of the others.
RIGHT, SPEAK, SILENT = 72 / 80, 39 / 46, 33 / 34
SETS = Path(__file__).with_name("scenarios")
UNSEEN = ("6",)
KINDS = ("right", "wrong-silent", "wrong-said", "error")
Groups = dict[str, Counter[str]]


def run(options: Options) -> Report:
    """Run the driver over each set and read its verdicts."""
    own = groups_of(verdicts(options))
    sets = sorted(SETS.glob("*.jsonl"))
    others = {file.stem: groups_of(verdicts(options, file)) for file in sets}
    others |= {f"{file.stem}, given": groups_of(verdicts(options, file, given=True)) for file in sets}
    return report(own, others)


def verdicts(options: Options, *files: Path, given: bool = False) -> list[dict[str, Any]]:
    """Return the driver's verdicts about some files of scenarios, about those beside it if none is given."""
    with tempfile.TemporaryDirectory() as place:
        environ = dict(os.environ)
        if given:
            environ["PYTHONPATH"] = given_triggers.install(Path(place))
        out = Path(place) / "verdicts.json"
        command = [sys.executable, "run_moments.py", "--json", str(out), *map(str, files)]
        folder = options.folder("moments")
        done = subprocess.run(command, cwd=folder, env=environ, check=False, capture_output=True, text=True)
        if not out.exists():
            raise SystemExit(f"the driver of the scenarios failed: {done.stderr[-400:]}")
        found: list[dict[str, Any]] = json.loads(out.read_text("utf-8"))
        return found


def groups_of(found: list[dict[str, Any]]) -> Groups:
    """Return the numbers of each verdict, by subject and by whether something has to be said."""
    groups: Groups = {}
    for one in found:
        for name in (one["tags"][0], f"must {one['tags'][1]}", "all"):
            groups.setdefault(name, Counter())[one["verdict"]] += 1
    return groups


def share(groups: Groups, name: str) -> float:
    """Return the share of a group that is right, 0 for an empty one."""
    found = groups.get(name, Counter())
    return found["right"] / max(1, sum(found.values()))


def report(own: Groups, others: dict[str, Groups]) -> Report:
    """Return the verdicts on the data's scenarios by subject, and those on each further set."""
    rows = [(name, sum(found.values()), *(found[k] for k in KINDS)) for name, found in sorted(own.items())]
    speak, silent = "must speak", "must silent"
    sets = [
        (
            f"{name}, unseen" if name.partition(",")[0] in UNSEEN else name,
            sum(groups["all"].values()),
            share(groups, speak),
            share(groups, silent),
            (share(groups, speak) + share(groups, silent)) / 2,
        )
        for name, groups in others.items()
    ]
    tables = (
        Table("Moments", ("subject", "n", *KINDS), tuple(rows)),
        Table("By other authors", ("set", "n", speak, silent, "balanced"), tuple(sets)),
    )
    checks = tuple(
        Check(f"right of {name}", share(own, name), f">= {least:.3f}", share(own, name) >= least)
        for name, least in (("all", RIGHT), (speak, SPEAK), (silent, SILENT))
    )
    figures = {"own": own, "others": others}
    return Report("moments", figures, tables, checks)
