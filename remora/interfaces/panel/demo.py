"""Demo data for the panel: a small project with code, memories, sessions and a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.change import PERSON
from remora.core.clock import Clock, FixedClock, to_iso

if TYPE_CHECKING:
    from remora.app.memory import Memory

EDITS = ((1.2, "billing/tax.py", "20", "21"), (0.1, "store/stock.py", "3", "4"))  # days ago, file, texts


def made_up(folder: Path, environ: Mapping[str, str], clock: Clock) -> Memory:
    """Create a project, fill its memory, and return the open memory.

    Args:
        folder: the folder of the project; it must not exist.
        environ: the environment that names the data folder.
        clock: the source of the current time; all data is older.
    """
    from remora.app.memory import Memory

    data = json.loads((files(__package__) / "demo.json").read_text("utf-8"))
    for name, text in data["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    environ = {**environ, "REMORA_EMBEDDING_PROVIDER": environ.get("REMORA_EMBEDDING_PROVIDER", "onnx")}
    now = clock.now()
    then = FixedClock(now)

    def go_back(days: float) -> None:
        then.advance(seconds=now - then.now(), days=-days)

    with Memory.open(folder, environ=environ, clock=then, actor=PERSON) as memory:
        memory.index()
        for fields in data["memories"]:
            go_back(fields.pop("days"))
            memory.remember(fields.pop("text"), **fields)
        go_back(2)
        talk = memory.session("cli:tally")
        talk.append("user", "Why do sessions end after a day?")
        talk.append("assistant", "The tills of the shops are shared, so a session must not outlive a shift.")
        memory.journal.write("# Tally\n\n- The accountant reads the archive every quarter.\n")
        memory.journal.add_history("Moved the tax rates into a table of their own.")
        memory.trust(2)
        for ago, name, old, new in EDITS:
            arguments = {"file_path": str(folder / name), "old_string": old, "new_string": new}
            go_back(ago)
            with memory.loop(f"session-{to_iso(then.now())[:10]}", host="demo") as loop:
                loop.brief("")
                loop.before("Edit", arguments, "call-1")
                loop.after("Edit", arguments, "done", call_id="call-1")
    return Memory.open(folder, environ=environ, clock=clock, actor=PERSON)
