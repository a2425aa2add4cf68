"""Is the right thing said at the right moment, and nothing otherwise? Scenarios and driver lie in the data.

`DATA/moments` holds scenarios (`*.jsonl`) and `run_moments.py`, which plays them through the public API alone
and judges what is said. No scenario is shown or kept here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.common import Check, Options, Report, Table

RIGHT, SPEAK, SILENT = (
    72 / 80,
    39 / 46,
    33 / 34,
)  # shares to reach: of all, of those to speak at, of the others


def run(options: Options) -> Report:
    """Run the driver and read its verdicts."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "verdicts.json"
        command = [sys.executable, "run_moments.py", "--json", str(out)]
        folder = options.folder("moments")
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
        if not out.exists():
            raise SystemExit(f"the driver of the scenarios failed: {done.stderr[-400:]}")
        return report(json.loads(out.read_text("utf-8")))


def report(verdicts: list[dict[str, Any]]) -> Report:
    """Return the shares that are right, by subject and by whether something has to be said."""
    groups: dict[str, Counter[str]] = {}
    for one in verdicts:
        for name in (one["tags"][0], f"must {one['tags'][1]}", "all"):
            groups.setdefault(name, Counter())[one["verdict"]] += 1
    kinds = ("right", "wrong-silent", "wrong-said", "error")
    rows = [(name, sum(found.values()), *(found[k] for k in kinds)) for name, found in sorted(groups.items())]

    def share(name: str) -> float:
        found = groups.get(name, Counter())
        return found["right"] / max(1, sum(found.values()))

    checks = tuple(
        Check(f"right of {name}", share(name), f">= {least:.3f}", share(name) >= least)
        for name, least in (("all", RIGHT), ("must speak", SPEAK), ("must silent", SILENT))
    )
    figures = {name: dict(found) for name, found in groups.items()}
    return Report("moments", figures, (Table("Moments", ("subject", "n", *kinds), tuple(rows)),), checks)
