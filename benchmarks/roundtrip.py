"""How long it takes to write every memory to a file and to read it back into an empty project.

One memory in ten was changed, so that there are earlier texts to carry as well. Both halves are timed in the
same run, beside what the same memories take to be remembered in one call. What is read back has to be equal,
and a second import has to change nothing.
"""

from __future__ import annotations

import time
from itertools import islice

from benchmarks.common import Check, Options, Report, Table, environment, say, workplace
from benchmarks.mcp_start import samples
from remora.app.memory import Memory
from remora.core.values import MOST_LISTED

MEMORIES, EDITED = 10_000, 10
SECONDS = 10.0  # from the issue, for both halves of 10,000


def run(options: Options) -> Report:
    """Measure an export and its import."""
    number = options.limit or MEMORIES
    with workplace() as place:
        env = environment(place, REMORA_EMBEDDING_PROVIDER="none")
        folders = [place / "one", place / "two"]
        for folder in folders:
            folder.mkdir()
        drafts = [sample.draft for sample in islice(samples(), number)]
        say(f"roundtrip: {number:,} memories")
        with Memory.open(folders[0], environ=env) as memory:
            began = time.perf_counter()
            records = memory.remember_many(drafts)
            remembered = time.perf_counter() - began
            for record in {record.id: record for record in records[::EDITED]}.values():
                memory.edit(record.id, content=f"{record.content} Since then it is so.")
            before = memory.list(limit=MOST_LISTED)
            began = time.perf_counter()
            memory.export(place / "out.json")
            written = time.perf_counter() - began
        with Memory.open(folders[1], environ=env) as memory:
            began = time.perf_counter()
            first = memory.import_file(place / "out.json")
            read = time.perf_counter() - began
            after = memory.list(limit=MOST_LISTED)
            again = memory.import_file(place / "out.json")
    same = sum(
        one == other._replace(project_id=one.project_id) for one, other in zip(before, after, strict=True)
    )
    figures = {
        "memories": float(len(before)),
        "remember s": remembered,
        "export s": written,
        "import s": read,
        "export + import s": written + read,
        "(export + import) / remember": (written + read) / remembered,
        "refused": float(len(first.bad)),
        "equal": same / max(1, len(before)),
        "new at a second import": float(again.new),
    }
    checks = [
        Check.at_least("memories that are equal afterwards", figures["equal"], 1.0),
        Check.below("new at a second import", figures["new at a second import"], 1.0, "memories"),
    ]
    if options.limit is None:
        checks.append(Check.below("export and import", written + read, SECONDS, "s"))
    table = Table(f"{len(before):,} memories out and in again", ("", "figure"), tuple(figures.items()))
    return Report("roundtrip", figures, (table,), tuple(checks))
