"""Aider's history grows while it is read, and has no ids."""

from __future__ import annotations

from pathlib import Path

from remora.sources.transcripts.hosts import aider
from remora.sources.transcripts.reader import read
from tests.sources.transcripts.hosts.homes_kit import Machine


def test_a_growing_history_keeps_its_events(tmp_path: Path) -> None:
    """Read after each thing that Aider appends, it gives the events that it gives at the end."""
    machine = Machine(tmp_path / "m", aider.HOST)
    path = machine.root / aider.FILE
    lines = path.read_text("utf-8").splitlines(keepends=True)
    whole = {(event.session_id, event.key): event for event in read(path, host=aider.HOST)}
    for number, line in enumerate(lines):
        if line.startswith(("> ", "# aider")) and line.endswith("  \n"):
            path.write_text("".join(lines[:number]), "utf-8")
            for event in read(path, host=aider.HOST):
                if event.kind != "step":
                    assert event == whole[event.session_id, event.key]


def test_only_the_run_that_grew_is_read_again(tmp_path: Path) -> None:
    """The stamp of a run changes with its words alone."""
    path = Machine(tmp_path / "m", aider.HOST).root / aider.FILE
    before = {run.id: run.stamp for run in aider.sessions(path)}
    with path.open("a", encoding="utf-8") as file:
        file.write("\n#### one more  \n")
    after = {run.id: run.stamp for run in aider.sessions(path)}
    assert [run for run in before if before[run] != after[run]] == []
    assert set(after) - set(before) == {"aider-2026-03-04T09:00:00"}


def test_two_runs_that_began_at_once_are_two(tmp_path: Path) -> None:
    """The time has seconds only."""
    path = tmp_path / aider.FILE
    run = "# aider chat started at 2026-03-02 09:00:00\n\n#### go on  \n\nDone.\n\n"
    path.write_text(run * 2, "utf-8")
    assert len({event.key for event in read(path) if event.kind == "user_prompt"}) == 2
