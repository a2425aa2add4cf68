"""Store statements with the triggers that a language model chose for them, in another program's processes.

`labels/given_triggers.jsonl` has the statements of the scenarios. For each, a model answered that saw only
the statement and the description of the tool `record_memory`.
"""

from __future__ import annotations

import json
import os
from functools import wraps
from pathlib import Path
from typing import Any

from remora.app.memory import Memory

LABELS = Path(__file__).with_name("labels") / "given_triggers.jsonl"


def install(folder: Path) -> str:
    """Write the module that Python imports at its start; return the path to set as PYTHONPATH."""
    (folder / "sitecustomize.py").write_text("from benchmarks.given_triggers import patch\n\npatch()\n")
    return os.pathsep.join((str(folder), str(Path(__file__).resolve().parents[1])))


def patch() -> None:
    """Let `remember` and `supersede` add the triggers of a text."""
    rows = map(json.loads, LABELS.read_text("utf-8").splitlines())
    given = {row["text"]: row["triggers"] for row in rows}

    def with_triggers(verb: str, place: int) -> None:
        plain = getattr(Memory, verb)

        @wraps(plain)
        def told(self: Memory, *args: Any, **fields: Any) -> Any:
            triggers = given.get(args[place])
            return plain(self, *args, **fields, **({"triggers": triggers} if triggers else {}))

        setattr(Memory, verb, told)

    with_triggers("remember", 0)
    with_triggers("supersede", 1)
